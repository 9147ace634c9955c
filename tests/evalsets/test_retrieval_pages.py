"""The pages of retrievers, runs and the pool, asked as makers would."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from evalsets.building import build_pool
from evalsets.formats.query_rows import QueryRow
from evalsets.formats.runs import read_run
from evalsets.models import Candidate, EvalSet, Job, JobState, Pool, Retriever, Role, Run
from evalsets.queries import store_queries
from evalsets.retrieving import JOB_KIND, run_retrievers
from evalsets.run_figures import nearest_rank, summarise
from evalsets.runs import find_or_make_retriever, store_run
from tests.evalsets.retrieval_steps import add_recorded_run, add_retriever, make_searchable
from tests.factories import make_member

pytestmark = pytest.mark.django_db

BM25 = {"size": 200, "overlap": 40, "with_headings": "on", "language": "english", "k1": 1.5, "b": 0.75}


def sign_in(eval_set: EvalSet, role: Role = Role.ENGINEER) -> Client:
    client = Client()
    client.force_login(make_member(eval_set, role))
    return client


def url(eval_set: EvalSet, name: str, *args: Any) -> str:
    return reverse(f"evalsets:{name}", args=[eval_set.slug, *args])


def run_words(eval_set: EvalSet) -> Run:
    return run_retrievers(eval_set=eval_set, retrievers=[add_retriever(eval_set)], by=None)[0]


def test_retriever_is_added_with_the_settings_that_were_typed() -> None:
    eval_set = make_searchable()

    answer = sign_in(eval_set).post(url(eval_set, "create_retriever") + "?kind=bm25", {"name": "Words"} | BM25)

    assert answer.url == url(eval_set, "list_retrievers")
    retriever = Retriever.objects.get()
    assert (retriever.slug, retriever.family) == ("words", "lexical")
    assert (retriever.config["k1"], retriever.config["with_headings"], retriever.config["access_filter"]) == (
        1.5,
        True,
        False,
    )


def test_settings_that_do_not_fit_are_named_at_their_fields() -> None:
    eval_set = make_searchable()
    given = {"name": "Words"} | BM25 | {"overlap": 300}

    answer = sign_in(eval_set).post(url(eval_set, "create_retriever") + "?kind=bm25", given)

    assert answer.status_code == 422
    assert "less than the size of a chunk" in str(answer.context["form"].errors["overlap"])
    assert not Retriever.objects.exists()


def test_name_that_is_taken_is_refused() -> None:
    eval_set = make_searchable()
    add_retriever(eval_set, "words")

    answer = sign_in(eval_set).post(url(eval_set, "create_retriever") + "?kind=bm25", {"name": "Words"} | BM25)

    assert "no other retriever" in str(answer.context["form"].errors["name"])


def test_fusion_waits_for_two_others() -> None:
    eval_set = make_searchable()

    page = sign_in(eval_set).get(url(eval_set, "create_retriever") + "?kind=rrf")

    assert b"Nothing to fuse yet" in page.content


def test_unknown_kind_leads_back_to_the_first_one() -> None:
    eval_set = make_searchable()

    answer = sign_in(eval_set).get(url(eval_set, "create_retriever") + "?kind=../etc")

    assert answer.url == url(eval_set, "create_retriever")


def test_run_all_is_handed_over_and_its_page_shows_the_work(django_capture_on_commit_callbacks: Any) -> None:
    eval_set = make_searchable()
    add_retriever(eval_set, "words")
    client = sign_in(eval_set)

    with django_capture_on_commit_callbacks(execute=True):
        answer = client.post(url(eval_set, "run_retrievers"), {"retrievers": ["words"], "depth": 30})

    job = Job.objects.get()
    assert answer.url == f"{url(eval_set, 'list_runs')}?job={job.pk}"
    assert job.state == JobState.DONE
    assert Run.objects.get().depth == 30
    assert b"Run 1" in client.get(answer.url).content


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"retrievers": ["words"], "depth": 1}, "less than k"),
        ({"retrievers": ["words"], "depth": 5000}, "1000"),
        ({"depth": 20}, "Choose at least one retriever"),
        ({"retrievers": ["ghost"], "depth": 20}, "ghost"),
    ],
)
def test_run_that_cannot_be_started_says_why(given: dict[str, Any], said: str) -> None:
    eval_set = make_searchable()
    add_retriever(eval_set, "words")

    answer = sign_in(eval_set).post(url(eval_set, "run_retrievers"), given)

    assert answer.status_code == 422
    assert said in answer.content.decode()
    assert not Job.objects.exists()


def test_run_without_documents_says_so() -> None:
    eval_set = make_searchable()
    add_retriever(eval_set, "words")
    EvalSet.objects.update(snapshot=None)

    answer = sign_in(eval_set).post(url(eval_set, "run_retrievers"), {"retrievers": ["words"], "depth": 20})

    assert "Import documents first." in answer.content.decode()


def test_progress_is_a_fragment_of_the_page_of_runs() -> None:
    eval_set = make_searchable()
    job = Job.objects.create(
        kind=JOB_KIND, eval_set=eval_set, title="Run words", state=JobState.RUNNING, done=3, total=9
    )
    page = f"{url(eval_set, 'list_runs')}?job={job.pk}"

    fragment = sign_in(eval_set).get(page, headers={"HX-Request": "true", "HX-Target": "job"}).content.decode()

    assert fragment.strip().startswith('<div class="job')
    assert "3 of 9" in fragment
    assert "<html" not in fragment


def test_half_run_is_shown_nowhere() -> None:
    eval_set = make_searchable()
    retriever = add_retriever(eval_set, "words")
    Run.objects.create(eval_set=eval_set, retriever=retriever, number=7, config_sha256="x")
    client = sign_in(eval_set)

    assert b"No run yet" in client.get(url(eval_set, "list_runs")).content
    assert client.get(url(eval_set, "view_run", 7)).status_code == 404
    assert b"No runs to pool" in client.get(url(eval_set, "view_pool")).content


def test_list_of_runs_costs_the_same_for_many_as_for_one(django_assert_max_num_queries: Any) -> None:
    eval_set = make_searchable()
    client = sign_in(eval_set)
    for name in "ABCDEFG":
        add_recorded_run(eval_set, {"q1": "old guide"}, name)

    with django_assert_max_num_queries(9):
        client.get(url(eval_set, "list_runs"))


def test_run_page_lists_queries_without_a_result_first_and_its_versions() -> None:
    eval_set = make_searchable()
    run = run_words(eval_set)

    page = sign_in(eval_set).get(url(eval_set, "view_run", run.number))

    assert [row["answer"].query.query_id for row in page.context["answers"]] == ["q3", "q1", "q2"]
    assert "1 empty result" in page.content.decode()
    assert run.sha256 in page.content.decode()


def test_run_page_narrows_to_queries_without_a_result() -> None:
    eval_set = make_searchable()
    run = run_words(eval_set)

    page = sign_in(eval_set).get(url(eval_set, "view_run", run.number) + "?kept=empty")

    assert [row["answer"].query.query_id for row in page.context["answers"]] == ["q3"]


def test_run_page_lists_queries_that_were_not_asked() -> None:
    eval_set = make_searchable()
    run = run_words(eval_set)
    store_queries(eval_set=eval_set, rows=[QueryRow("late", "A late query")])

    page = sign_in(eval_set).get(url(eval_set, "view_run", run.number)).content.decode()

    assert "1 query of the eval set that this run has no answer to" in page
    assert "A late query" in page


def test_run_page_costs_the_same_whatever_it_lists(django_assert_max_num_queries: Any) -> None:
    eval_set = make_searchable()
    store_queries(eval_set=eval_set, rows=[QueryRow(f"more{n}", f"copper {n}") for n in range(40)])
    run = run_words(eval_set)
    client = sign_in(eval_set)

    with django_assert_max_num_queries(12):
        client.get(url(eval_set, "view_run", run.number))


def test_answer_page_shows_each_stage_with_passages() -> None:
    eval_set = make_searchable()
    run = run_words(eval_set)
    query = eval_set.queries.get(query_id="q1")

    page = sign_in(eval_set).get(url(eval_set, "view_answer", run.number, query.pk)).content.decode()

    assert "Candidates" in page
    assert "Final" in page
    assert "Snapshots of the copper plan are kept for thirty days." in page
    assert "is restricted to any group" in page


def test_hostile_passage_of_a_recorded_run_is_escaped() -> None:
    eval_set = make_searchable()
    hostile = {"rank": 1, "doc_id": "<b>x</b>", "text": "<script>alert(1)</script><img src=x onerror=alert(1)>"}
    found = read_run(json.dumps({"query_id": "q1", "results": [hostile]}), name="run.jsonl")
    retriever = find_or_make_retriever(eval_set=eval_set, name="elsewhere", by=None)
    run = store_run(eval_set=eval_set, retriever=retriever, found=found, source="run.jsonl", by=None)
    build_pool(eval_set=eval_set, runs=[run], by=None)
    client = sign_in(eval_set)
    query = eval_set.queries.get(query_id="q1")
    pages = [
        url(eval_set, "view_answer", run.number, query.pk),
        url(eval_set, "view_run", run.number),
        url(eval_set, "view_candidates"),
        url(eval_set, "view_query", query.pk),
    ]

    for page in pages:
        text = client.get(page).content.decode()
        assert "<script>alert" not in text
        assert "<img src=x" not in text
        assert "<b>x</b>" not in text


def test_pool_page_previews_and_creates_nothing() -> None:
    eval_set = make_searchable(unit="document")
    for name, found in (("A", "guide old"), ("B", "old secret")):
        add_recorded_run(eval_set, {"q1": found}, name)

    page = sign_in(eval_set).get(url(eval_set, "view_pool") + "?runs=1&runs=2&depth=2")

    preview = page.context["preview"]
    assert (preview["candidates"], preview["new"]) == (3, 3)
    assert [row["unique"] for row in preview["contributions"]] == [1, 1]
    assert [cell["label"] for cell in preview["overlap"][0]["cells"]] == ["100 %", "50 %"]
    assert "2 of at least 3 configurations are pooled" in page.content.decode()
    assert not Pool.objects.exists()


def test_preview_alone_answers_htmx() -> None:
    eval_set = make_searchable()
    run_words(eval_set)
    page = url(eval_set, "view_pool") + "?runs=1&depth=2"

    fragment = sign_in(eval_set).get(page, headers={"HX-Request": "true", "HX-Target": "preview"}).content.decode()

    assert fragment.strip().startswith('<div id="preview">')
    assert "Before it is created" in fragment


def test_pool_is_built_by_post_and_the_second_one_adds_nothing() -> None:
    eval_set = make_searchable()
    run_words(eval_set)
    client = sign_in(eval_set)
    given = {"runs": ["1"], "depth": 20}

    first = client.post(url(eval_set, "build_pool"), given, follow=True).content.decode()
    again = client.post(url(eval_set, "build_pool"), given, follow=True).content.decode()

    added = Candidate.objects.count()
    assert added > 0
    assert f"{added} candidates were added." in first
    assert "nothing was added" in again
    assert Pool.objects.count() == 1


def test_pool_from_many_results_is_left_to_a_worker(django_capture_on_commit_callbacks: Any) -> None:
    eval_set = make_searchable(unit="document")
    store_queries(eval_set=eval_set, rows=[QueryRow(f"more{n}", f"query {n}") for n in range(21)])
    deep = " ".join(["guide", *(f"d{n}" for n in range(1000))])
    add_recorded_run(eval_set, {f"more{n}": deep for n in range(21)})
    client = sign_in(eval_set)

    with django_capture_on_commit_callbacks(execute=True):
        answer = client.post(url(eval_set, "build_pool"), {"runs": ["1"], "depth": 5})

    job = Job.objects.get()
    assert answer.url == f"{url(eval_set, 'view_pool')}?job={job.pk}"
    assert (job.state, job.result["added"], job.result["problem_count"]) == (JobState.DONE, 22, 84)
    assert "done" in client.get(answer.url).content.decode()


def test_pool_of_unknown_runs_or_no_depth_is_refused() -> None:
    eval_set = make_searchable()
    run_words(eval_set)
    client = sign_in(eval_set)

    for given in ({"runs": ["9"], "depth": 20}, {"runs": ["1"], "depth": "deep"}, {"depth": 20}, {}):
        assert client.post(url(eval_set, "build_pool"), given).status_code == 422
    assert not Pool.objects.exists()


def test_candidates_are_listed_with_the_runs_that_brought_them() -> None:
    eval_set = make_searchable(unit="document")
    runs = [add_recorded_run(eval_set, {"q1": found}, name) for name, found in (("A", "guide old"), ("B", "old"))]
    build_pool(eval_set=eval_set, runs=runs, by=None)

    page = sign_in(eval_set).get(url(eval_set, "view_candidates"))

    rows = {row["candidate"].doc_id: row for row in page.context["rows"]}
    assert [(one["run"].number, one["ranks"]) for one in rows["old"]["brought"]] == [(1, "2"), (2, "1")]
    assert rows["guide"]["stated"]


@pytest.mark.parametrize(
    ("search", "expected"),
    [
        ("run=2", {"old"}),
        ("alone=on", {"guide"}),
        ("q=guide", {"guide"}),
        ("q=zebra", set()),
        ("run=x", {"guide", "old"}),
    ],
)
def test_candidates_are_narrowed(search: str, expected: set[str]) -> None:
    eval_set = make_searchable(unit="document")
    runs = [add_recorded_run(eval_set, {"q1": found}, name) for name, found in (("A", "guide old"), ("B", "old"))]
    build_pool(eval_set=eval_set, runs=runs, by=None)

    page = sign_in(eval_set).get(f"{url(eval_set, 'view_candidates')}?{search}")

    assert {row["candidate"].doc_id for row in page.context["rows"]} == expected


def test_list_of_candidates_costs_the_same_for_many_as_for_one(django_assert_max_num_queries: Any) -> None:
    eval_set = make_searchable()
    store_queries(eval_set=eval_set, rows=[QueryRow(f"more{n}", f"copper {n}") for n in range(30)])
    build_pool(eval_set=eval_set, runs=[run_words(eval_set)], by=None)
    client = sign_in(eval_set)

    with django_assert_max_num_queries(11):
        client.get(url(eval_set, "view_candidates"))


def test_latencies_are_by_nearest_rank_and_a_timeout_is_slower_than_any() -> None:
    figures = summarise([("", float(n)) for n in range(1, 20)] + [("timeout", 5.0)])

    assert (figures.p50, figures.p95, figures.longest) == (10.0, 19.0, None)
    assert figures.events == {"timeout": 1}
    assert nearest_rank([], 0.5) is None
    assert summarise([("", None)]).p50 is None
