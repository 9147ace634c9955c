"""What all tests share."""

import pytest

CHROMIUM = "/usr/bin/chromium"
QUIET = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update "
    "--disable-sync"
)


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args):
    """Debian's Chromium, which asks nothing of the network."""
    return browser_type_launch_args | {"executable_path": CHROMIUM, "args": QUIET.split()}
