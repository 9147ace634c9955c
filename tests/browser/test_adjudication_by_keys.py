"""Deciding in a real browser: by keys, with two leads at once and without scripts."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from playwright.sync_api import expect

from evalsets.models import Query, Role
from labelling.models import Adjudication, QueryFlag
from tests.factories import make_member
from tests.labelling.label_steps import decide, make_labelled_set

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def disputed():
    eval_set, candidates = make_labelled_set((0, 3), (1, 2), (2, 3), queries=3)
    for place, words in enumerate(("how long are copies kept", "who may delete a copy", "price of storage")):
        Query.objects.filter(pk=candidates[place].query_id).update(text=words)
    return eval_set, candidates


@pytest.fixture
def signed_in(live_server, context, disputed):
    """A browser of a lead, signed in."""
    user = make_member(disputed[0], Role.LEAD)
    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[-1]
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.save()
    context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": session.session_key, "url": live_server.url}])
    return context


def open_first(browser_context, live_server, eval_set):
    page = browser_context.new_page()
    page.goto(f"{live_server.url}/sets/{eval_set.slug}/adjudication/")
    page.get_by_role("link", name="Settle 3", exact=True).click()
    expect(page.locator(".query__text")).to_have_text("how long are copies kept")
    page.wait_for_load_state("load")  # keys work once the scripts have run
    return page


def press_and_wait(page, key):
    """Press a key and wait until the answer has come in."""
    with page.expect_response(re.compile("/adjudication/")):
        page.keyboard.press(key)
    expect(page.locator(".htmx-request, .htmx-swapping, .htmx-settling")).to_have_count(0)


def test_all_decisions_go_by_keys(signed_in, live_server, disputed):
    eval_set, (far, crossing, near) = disputed
    page = open_first(signed_in, live_server, eval_set)
    expect(page.get_by_text("3 disagreements left")).to_be_visible()

    page.keyboard.press("n")
    page.keyboard.type("The table says 3 x 5.")
    page.keyboard.press("Escape")
    page.keyboard.press("4")
    press_and_wait(page, "3")
    expect(page.locator(".query__text")).to_have_text("who may delete a copy")
    assert page.url.endswith(f"/adjudication/{crossing.pk}/")

    page.keyboard.press("6")
    press_and_wait(page, "x")
    expect(page.locator(".query__text")).to_have_text("price of storage")

    press_and_wait(page, "q")
    assert QueryFlag.objects.get().query == near.query
    expect(page.get_by_text("Query flagged")).to_be_visible()
    page.keyboard.press("9")
    press_and_wait(page, "2")
    expect(page.get_by_text("Every disagreement is settled")).to_be_visible()

    found = Adjudication.objects.order_by("pk").values_list("candidate", "grade", "reason_code", "reason")
    assert list(found) == [
        (far.pk, 3, "misread", "The table says 3 x 5."),
        (crossing.pk, None, "ambiguous_query", ""),
        (near.pk, 2, "other", ""),
    ]


def test_a_grade_without_a_reason_is_not_sent(signed_in, live_server, disputed):
    page = open_first(signed_in, live_server, disputed[0])

    page.keyboard.press("3")

    expect(page.locator(".query__text")).to_have_text("how long are copies kept")
    assert not Adjudication.objects.exists()


def test_skipping_goes_on_without_a_decision(signed_in, live_server, disputed):
    page = open_first(signed_in, live_server, disputed[0])

    page.keyboard.press("s")

    expect(page.locator(".query__text")).to_have_text("who may delete a copy")
    assert not Adjudication.objects.exists()


def test_the_second_of_two_leads_sees_what_the_first_decided(signed_in, live_server, disputed):
    eval_set, (far, *_others) = disputed
    page = open_first(signed_in, live_server, eval_set)
    decide(far, 0)

    page.keyboard.press("5")
    press_and_wait(page, "3")

    expect(page.get_by_role("alert").filter(has_text="has decided for grade 0")).to_be_visible()
    expect(page.locator(".query__text")).to_have_text("how long are copies kept")
    press_and_wait(page, "3")
    assert Adjudication.objects.live().get(candidate=far).grade == 3


def test_it_works_without_scripts(browser, signed_in, live_server, disputed):
    plain = browser.new_context(java_script_enabled=False, storage_state=signed_in.storage_state())
    page = open_first(plain, live_server, disputed[0])

    page.locator("input[name=reason][value=misread]").check(force=True)
    page.locator("#grade-3").click()

    expect(page.locator(".query__text")).to_have_text("who may delete a copy")
    assert Adjudication.objects.get().grade == 3
    plain.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_pages_pass_axe(signed_in, live_server, disputed, scheme):
    eval_set, (far, *_others) = disputed
    page = signed_in.new_page()
    page.emulate_media(color_scheme=scheme)
    paths = ("adjudication/", f"adjudication/{far.pk}/", "agreement/", "double-labels/", "gold/", "gold/publish/")

    for path in (*paths, "gold/import/"):
        page.goto(f"{live_server.url}/sets/{eval_set.slug}/{path}")
        violations = Axe().run(page).response["violations"]
        assert not violations, (path, [(one["id"], [node["html"] for node in one["nodes"]]) for one in violations])
