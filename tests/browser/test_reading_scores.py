"""An engineer reads scores in a real browser: all runs, a report and its table, one query, two runs compared."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from playwright.sync_api import Page, expect

from evalsets.models import EvalSet, Role
from tests.factories import make_member
from tests.scoring.scored_sets import ScoredSet, make_scored_set

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

LABELS = {"q1": {"a": 3, "b": 2, "c": 0}, "q2": {"d": 2, "e": 0}, "q3": {"f": 2}}
FIRST = {"q1": ["a", "c", "b"], "q2": ["e", "d"], "q3": ["x", "y"]}
SECOND = {"q1": ["a", "b", "c"], "q2": ["e", "x", "y"], "q3": ["f"]}


@pytest.fixture
def scored() -> ScoredSet:
    return make_scored_set(LABELS, FIRST, SECOND, depth_n=3, depth_k=2)


@pytest.fixture(params=["light", "dark"])
def page(request: Any, live_server: Any, browser: Any, scored: ScoredSet) -> Iterator[Page]:
    size = {"light": (1440, 900), "dark": (390, 844)}[request.param]
    viewport = {"width": size[0], "height": size[1]}
    context = browser.new_context(color_scheme=request.param, viewport=viewport, base_url=live_server.url)
    context.add_cookies([session_of(scored.eval_set, live_server.url)])
    yield context.new_page()
    context.close()


def session_of(eval_set: EvalSet, url: str) -> dict[str, str]:
    user = make_member(eval_set, Role.ENGINEER)
    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[-1]
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.save()
    return {"name": settings.SESSION_COOKIE_NAME, "value": str(session.session_key), "url": url}


def check_page(page: Page) -> None:
    """No violation that axe finds, and nothing that makes the page wider than its window."""
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), page.url


def test_engineer_sorts_the_table_opens_a_query_and_compares_two_runs(page: Page, scored: ScoredSet) -> None:
    page.goto(f"/sets/{scored.eval_set.slug}/scores/")
    check_page(page)

    page.get_by_role("link", name="Report of run 1").click()
    check_page(page)
    rows = page.get_by_role("region", name="Table of queries").locator("tbody tr")
    expect(rows.first).to_contain_text("text of q3")
    page.get_by_role("region", name="Table of queries").get_by_role("link", name="Relevant", exact=True).click()
    expect(page).to_have_url(re.compile(r"[?&]sort=relevant"))
    page.get_by_role("region", name="Table of queries").get_by_role("link", name="Relevant", exact=True).click()
    expect(page).to_have_url(re.compile(r"[?&]sort=-relevant"))
    expect(rows.first).to_contain_text("text of q1")

    rows.first.get_by_role("link", name="text of q1").click()
    expect(page.get_by_role("heading", name="Gold units")).to_be_visible()
    check_page(page)

    page.go_back()
    page.get_by_role("link", name="Compare with another run").click()
    page.get_by_label("Second run").select_option("2")
    page.get_by_role("button", name="Compare").click()
    gained = page.get_by_role("region", name=re.compile("^Gained"))
    expect(gained.get_by_role("link", name="text of q3")).to_be_visible()
    check_page(page)
