"""Which tests run where, and the browser."""

from __future__ import annotations

import os
import shutil
from typing import Any

import pytest
from hypothesis import settings
from playwright.sync_api import expect

# How long one example takes says more of the machine than of the code; timings live in benchmarks/.
settings.register_profile("plumbline", deadline=None)
settings.load_profile("plumbline")

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
DATABASE_FIXTURES = {"db", "transactional_db", "live_server", "django_db_setup"}


def touches_database(item: pytest.Item) -> bool:
    """Whether a test asks for the database, by its mark or by a fixture."""
    return item.get_closest_marker("django_db") is not None or bool(
        DATABASE_FIXTURES & set(getattr(item, "fixturenames", ()))
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """With PLUMBLINE_TESTS=database keep what touches the database; without a browser skip what drives one."""
    if os.environ.get("PLUMBLINE_TESTS") == "database":
        config.hook.pytest_deselected(items=[item for item in items if not touches_database(item)])
        items[:] = [item for item in items if touches_database(item)]
    if BROWSER is None and not os.environ.get("CI"):
        for item in items:
            if item.get_closest_marker("browser"):
                item.add_marker(pytest.mark.skip(reason="no Chromium was found on the path"))


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    """Use the machine's own Chromium, quiet and without its calls home."""
    quiet = ["--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"]
    args = ["--no-sandbox", "--disable-gpu", "--disable-quic", *quiet]
    return browser_type_launch_args | {"executable_path": BROWSER, "args": args}


@pytest.fixture(autouse=True, scope="session")
def patient_expectations() -> None:
    """Give pages time on a machine that runs two workers and two databases beside the browser."""
    expect.set_options(timeout=20_000)
