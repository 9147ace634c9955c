"""The whole journey in a browser: two annotators grade and disagree, a lead settles it and publishes, an engineer reads the score."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from evalsets.building import build_pool
from evalsets.creating import Design, create_eval_set
from evalsets.formats.document_rows import DocumentRow
from evalsets.formats.query_rows import QueryRow
from evalsets.formats.runs import read_run
from evalsets.models import EvalSet, GoldLabel, Role
from evalsets.people import add_member
from evalsets.queries import store_queries
from evalsets.runs import find_or_make_retriever, store_run
from evalsets.snapshots import store_snapshot
from labelling.models import Judgment
from labelling.plans import declare_plan
from tests.factories import make_user

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

# What each passage deserves; the second annotator sees less in "part".
GRADES = {"whole": "3", "part": "2", "about": "1", "other": "0"}
TEXTS = {
    "a": "the whole answer",
    "b": "other things",
    "c": "a part of it",
    "d": "the whole of the other",
    "e": "about it",
}
# By hand at N = 3, k = 2: q1 finds a and c of {a, c}: R 1, P 1/2; q2 finds d of {d}: R 1, P 1/2.
RUN = "q1 Q0 a 1 3 r\nq1 Q0 b 2 2 r\nq1 Q0 c 3 1 r\nq2 Q0 e 1 2 r\nq2 Q0 d 2 1 r\n"


@pytest.fixture
def eval_set() -> EvalSet:
    eval_set = create_eval_set(
        name="Journey", slug="journey", by=None, design=Design(unit="document", depth_n=3, depth_k=2)
    )
    documents = [DocumentRow(doc_id, f"Document {doc_id}", text) for doc_id, text in TEXTS.items()]
    store_snapshot(corpus=eval_set.corpus, documents=documents, source="documents", by=None)
    eval_set.refresh_from_db()
    store_queries(eval_set=eval_set, rows=[QueryRow("q1", "first question"), QueryRow("q2", "second question")])
    retriever = find_or_make_retriever(eval_set=eval_set, name="Our search", by=None)
    found = read_run(RUN, name="run.trec")
    run = store_run(
        eval_set=eval_set, retriever=retriever, found=found, source="run.trec", by=None, snapshot=eval_set.snapshot
    )
    declare_plan(eval_set=eval_set, rate=1.0, seed="twice", by=None)
    build_pool(eval_set=eval_set, runs=[run], depth=3, by=None)
    for username, role in (("ana", "annotator"), ("ben", "annotator"), ("lea", "lead"), ("eve", "engineer")):
        add_member(eval_set=eval_set, user=make_user(username), role=Role(role), by=None)
    return eval_set


def sign_in(browser: Browser, address: str, username: str) -> Page:
    """A browser of one's own, signed in through the page."""
    page = browser.new_context().new_page()
    page.goto(f"{address}/people/sign-in/")
    page.get_by_label("Username").fill(username)
    page.get_by_label("Password").fill("a pass phrase")
    page.get_by_role("main").get_by_role("button", name="Sign in").click()
    page.get_by_role("link", name="Journey", exact=True).first.click()
    page.wait_for_load_state("load")
    return page


def grade_everything(page: Page, grades: dict[str, str]) -> None:
    """Grade by keys until nothing waits, by what each passage says."""
    page.goto(f"{page.url}grade/")
    for _ in range(len(TEXTS)):
        words = page.locator("#card").inner_text()
        with page.expect_response(re.compile("/grade/")):
            page.keyboard.press(next(key for word, key in grades.items() if f"{word} " in words))
        expect(page.locator(".htmx-request, .htmx-swapping, .htmx-settling")).to_have_count(0)
    expect(page.locator("#grade-form")).to_have_count(0)


def test_from_the_first_grade_to_the_score(browser: Browser, live_server: object, eval_set: EvalSet) -> None:
    address = str(live_server.url)  # type: ignore[attr-defined]

    grade_everything(sign_in(browser, address, "ana"), GRADES)
    grade_everything(sign_in(browser, address, "ben"), GRADES | {"part": "1"})
    assert Judgment.objects.live().count() == 2 * len(TEXTS)

    lead = sign_in(browser, address, "lea")
    overview = lead.url
    lead.goto(f"{overview}adjudication/")
    lead.get_by_role("link", name="Settle 1", exact=True).click()
    expect(lead.locator(".query__text")).to_have_text("first question")
    lead.wait_for_load_state("load")
    lead.keyboard.press("4")
    with lead.expect_response(re.compile("/adjudication/")):
        lead.keyboard.press("2")
    expect(lead.get_by_text("Every disagreement is settled")).to_be_visible()

    lead.goto(f"{overview}gold/publish/")
    for box in lead.get_by_role("main").get_by_role("checkbox").all():
        box.check()
    lead.get_by_role("button", name="Publish version 1").click()
    expect(lead.get_by_role("heading", name="Version 1")).to_be_visible()
    assert dict(GoldLabel.objects.values_list("doc_id", "grade")) == {"a": 3, "b": 0, "c": 2, "d": 3, "e": 1}

    engineer = sign_in(browser, address, "eve")
    engineer.goto(f"{engineer.url}scores/")
    engineer.get_by_role("link", name="Report of run 1").click()
    figures = engineer.locator("dl.stats")
    expect(figures).to_contain_text(re.compile(r"R@3\s*.*1\.000", re.DOTALL))
    expect(figures).to_contain_text(re.compile(r"P@2\s*.*0\.500", re.DOTALL))
    engineer.get_by_role("link", name="second question").first.click()
    expect(engineer.get_by_role("heading", name="Gold units")).to_be_visible()
