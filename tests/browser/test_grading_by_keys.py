"""Grading in a real browser: by keys, by touch and without scripts."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from playwright.sync_api import expect

from evalsets.models import Candidate, Query
from labelling.models import Judgment
from tests.factories import make_member
from tests.labelling.queue_steps import make_seated_set

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PASSAGE = """## Retention of copies

Daily copies are kept for 35 days.

| copy | kept |
|---|---|
| daily | 35 days |
| yearly | 7 years |
"""


@pytest.fixture
def eval_set():
    eval_set = make_seated_set(queries=2, per_query=3, rate=0.5)
    Query.objects.update(text="how long are daily copies kept", information_need="The number of days.")
    Candidate.objects.update(own_text=PASSAGE, source_document=None, mark_start=25, mark_end=50)
    return eval_set


@pytest.fixture
def signed_in(live_server, context, eval_set):
    """A browser of an annotator, signed in."""
    user = make_member(eval_set)
    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[-1]
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.save()
    context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": session.session_key, "url": live_server.url}])
    return context


def open_queue(browser_context, live_server, eval_set):
    page = browser_context.new_page()
    page.goto(f"{live_server.url}/sets/{eval_set.slug}/grade/")
    expect(page.locator("#card")).to_be_visible()
    return page


def handle(page):
    return page.locator("#grade-form [name=candidate]").input_value()


def press_and_wait(page, key):
    """Press a key and wait until the answer has come in."""
    with page.expect_response(re.compile("/grade/")):
        page.keyboard.press(key)
    expect(page.locator(".htmx-request, .htmx-swapping, .htmx-settling")).to_have_count(0)


def test_the_whole_work_goes_by_keys(signed_in, live_server, eval_set):
    page = open_queue(signed_in, live_server, eval_set)
    expect(page.get_by_text("0 of 3 in this query")).to_be_visible()

    first = handle(page)
    press_and_wait(page, "3")
    expect(page.get_by_text("1 of 3 in this query")).to_be_visible()
    assert handle(page) != first

    press_and_wait(page, "u")
    assert handle(page) == first
    expect(page.locator("#grade-3")).to_have_attribute("aria-pressed", "true")
    press_and_wait(page, "2")

    page.keyboard.press("n")
    page.keyboard.type("3 of 10 say c")
    page.keyboard.press("Escape")
    page.keyboard.press("c")
    expect(page.get_by_text("Why can it not be judged?")).to_be_visible()
    press_and_wait(page, "Enter")
    expect(page.get_by_text("2 of 3 in this query")).to_be_visible()

    press_and_wait(page, "b")
    expect(page.get_by_text("Changing what you judged")).to_be_visible()
    expect(page.locator("#note")).to_have_value("3 of 10 say c")
    press_and_wait(page, "1")
    expect(page.get_by_text("now it is 1")).to_be_visible()

    live = Judgment.objects.live().order_by("pk")
    assert list(live.values_list("grade", "note")) == [(2, ""), (1, "3 of 10 say c")]
    assert Judgment.objects.count() == 4
    assert all(seconds is not None for seconds in Judgment.objects.values_list("seconds", flat=True))


def test_rubric_context_and_keys_are_one_key_away(signed_in, live_server, eval_set):
    page = open_queue(signed_in, live_server, eval_set)

    page.keyboard.press("r")
    expect(page.get_by_text("It answers the need by itself")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_text("It answers the need by itself")).not_to_be_visible()
    page.keyboard.press("w")
    assert page.locator("#card").get_attribute("data-context") == "wide"
    assert page.locator("[name=context_opened]").input_value() == "1"
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    page.keyboard.press("?")
    press_and_wait(page, "0")

    assert Judgment.objects.get().context_opened


def test_grading_to_the_end_by_clicks(signed_in, live_server, eval_set):
    page = open_queue(signed_in, live_server, eval_set)

    for _ in range(6):
        with page.expect_response(re.compile("/judge/")):
            page.locator("#grade-1").click()

    expect(page.get_by_role("heading", name="Nothing left to grade")).to_be_visible()
    assert Judgment.objects.live().count() == 6


def test_two_tabs_give_one_judgment_and_say_so(signed_in, live_server, eval_set):
    first, second = (open_queue(signed_in, live_server, eval_set) for _ in range(2))
    assert handle(first) == handle(second)

    press_and_wait(first, "1")
    press_and_wait(second, "2")

    expect(second.get_by_text("It was 1, now it is 2.")).to_be_visible()
    assert Judgment.objects.live().get().grade == 2
    assert Judgment.objects.count() == 2


def test_a_lost_connection_keeps_the_candidate_and_the_note(signed_in, live_server, eval_set):
    page = open_queue(signed_in, live_server, eval_set)
    page.keyboard.press("n")
    page.keyboard.type("kept")
    page.keyboard.press("Escape")
    signed_in.set_offline(True)
    page.keyboard.press("2")
    expect(page.get_by_text("The server could not be reached")).to_be_visible()
    signed_in.set_offline(False)

    press_and_wait(page, "2")

    assert list(Judgment.objects.values_list("grade", "note")) == [(2, "kept")]


def test_somebody_signed_out_keeps_what_was_typed(signed_in, live_server, eval_set):
    page = open_queue(signed_in, live_server, eval_set)
    signed_in.clear_cookies(name=settings.SESSION_COOKIE_NAME)

    page.keyboard.press("2")

    expect(page.get_by_text("sign in again")).to_be_visible()
    expect(page.locator("#grade-form")).to_be_visible()
    assert not Judgment.objects.exists()


def test_plain_forms_do_without_scripts(browser, signed_in, live_server, eval_set):
    plain = browser.new_context(java_script_enabled=False)
    plain.add_cookies(signed_in.cookies())
    page = open_queue(plain, live_server, eval_set)

    page.locator("#grade-2").click()
    expect(page.get_by_text("1 of 3 in this query")).to_be_visible()
    page.locator("#cannot-judge summary").click()
    page.get_by_role("button", name="the passage is unreadable").click()
    expect(page.get_by_text("2 of 3 in this query")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("1 of 3 in this query")).to_be_visible()
    page.get_by_role("link", name="Back", exact=False).first.click()
    expect(page.get_by_text("Changing what you judged")).to_be_visible()
    page.locator("#grade-0").click()

    expect(page.get_by_text("It was 2, now it is 0.")).to_be_visible()
    assert [judgment.grade for judgment in Judgment.objects.live()] == [0]
    plain.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_the_desk_has_no_accessibility_violation(signed_in, live_server, eval_set, scheme, width):
    page = open_queue(signed_in, live_server, eval_set)
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 844})

    for name in ("grade/", "grade/judged/", "rubric/"):
        page.goto(f"{live_server.url}/sets/{eval_set.slug}/{name}")
        violations = Axe().run(page).response["violations"]
        assert [(found["id"], found["nodes"][0]["html"]) for found in violations] == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
