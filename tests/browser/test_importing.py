"""Importing in a real browser: a file is chosen, looked at, settled by a button and imported; with and without scripts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from playwright.sync_api import BrowserContext, Page, expect

from evalsets.models import Document, EvalSet, Import, Job, JobState, Role, Run
from labelling.models import Judgment
from tests.evalsets.import_steps import make_set, write_file
from tests.factories import make_member

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def eval_set() -> EvalSet:
    return make_set({"q1": "one", "q2": "two"}, ("d1", "d2", "d3"))


def sign_in(context: BrowserContext, url: str, eval_set: EvalSet) -> None:
    user = make_member(eval_set, Role.ENGINEER)
    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[-1]
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.save()
    context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": session.session_key, "url": url}])


@pytest.fixture(params=[True, False], ids=["with scripts", "without scripts"])
def page(request: Any, live_server: Any, browser: Any, eval_set: EvalSet) -> Iterator[Page]:
    context = browser.new_context(java_script_enabled=request.param)
    sign_in(context, live_server.url, eval_set)
    yield context.new_page()
    context.close()


def send(page: Page, live_server: Any, kind: str, file: Path) -> None:
    page.goto(f"{live_server.url}/sets/set/imports/new/{kind}/")
    page.locator("#id_file").set_input_files(file)
    page.get_by_role("button", name="Read it").click()


def test_run_whose_order_is_open_is_settled_by_a_button_and_imported(
    page: Page, live_server: Any, tmp_path: Path
) -> None:
    send(page, live_server, "run", write_file(tmp_path, "a.run", "q1 Q0 d3 1 0.1 a\nq1 Q0 d2 2 0.4 a\n"))
    expect(page.get_by_text("This file cannot be imported as it is")).to_be_visible()
    expect(page.get_by_role("button", name="Import")).to_have_count(0)

    page.get_by_role("button", name="Order: by score").click()
    expect(page.get_by_text("Nothing has been written yet")).to_be_visible()
    page.get_by_role("button", name="Import").click()

    expect(page.get_by_text("Run 1 of a was recorded")).to_be_visible()
    results = Run.objects.get().answers.get().results.order_by("rank")
    assert list(results.values_list("doc_id", flat=True)) == ["d2", "d3"]


def test_values_get_their_meaning_and_labels_come_in(page: Page, live_server: Any, tmp_path: Path) -> None:
    send(page, live_server, "labels", write_file(tmp_path, "l.csv", "query_id,doc_id,grade\nq1,d1,good\nq1,d2,0\n"))

    page.get_by_label("good (1)").select_option("grade 3")
    page.get_by_role("button", name="Read it with these meanings").click()
    page.get_by_role("button", name="Import 2 labels").click()

    expect(page.get_by_text("2 labels of 1 annotator on")).to_be_visible()
    assert Judgment.objects.filter(grade=3).count() == 1


def test_progress_of_a_large_import_is_followed_to_its_end(
    context: BrowserContext, live_server: Any, eval_set: EvalSet, tmp_path: Path
) -> None:
    sign_in(context, live_server.url, eval_set)
    page = context.new_page()
    text = "\n".join(json.dumps({"_id": f"d{n}", "text": f"words {n} " * 60}) for n in range(4000))
    send(page, live_server, "documents", write_file(tmp_path, "corpus.jsonl", text))
    page.get_by_role("button", name="Import 4000 documents").click()
    expect(page.get_by_text("4000 documents with 0 sections became")).to_be_visible()
    assert Document.objects.filter(snapshot__number=2).count() == 4000

    # The same page while its job still runs.
    done = dict(Import.objects.values("state", "upload").get())
    Job.objects.filter(kind="apply_import").update(state=JobState.RUNNING, done=1000)
    Import.objects.update(state="importing")
    page.reload()
    expect(page.get_by_role("progressbar")).to_have_attribute("value", "1000")
    Import.objects.update(**done)
    Job.objects.update(state=JobState.DONE)
    expect(page.get_by_text("4000 documents with 0 sections became")).to_be_visible(timeout=10_000)


def test_pages_of_an_import_have_no_barrier(
    context: BrowserContext, live_server: Any, eval_set: EvalSet, tmp_path: Path
) -> None:
    sign_in(context, live_server.url, eval_set)
    page = context.new_page()
    send(page, live_server, "labels", write_file(tmp_path, "l.csv", "query_id,doc_id,grade\nq1,d1,good\nq9,d2,0\n"))
    refused = page.url
    send(page, live_server, "labels", write_file(tmp_path, "m.csv", "query_id,doc_id,grade\nq1,d1,3\n"))
    ready = page.url

    for url in (refused, ready, f"{live_server.url}/sets/set/imports/", f"{live_server.url}/sets/set/imports/new/run/"):
        page.goto(url)
        found = Axe().run(page).response["violations"]
        assert not found, [(one["id"], [node["html"] for node in one["nodes"]]) for one in found]
