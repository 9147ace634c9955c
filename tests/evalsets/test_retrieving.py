"""Built-in retrievers are run over the snapshot, and what they answered is recorded whole."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import transaction

from evalsets.formats.document_rows import DocumentRow
from evalsets.jobs import cancel_job, run_job
from evalsets.models import Answer, EvalSet, Job, JobState, Result, Run, RunState
from evalsets.retrieval import ConfigError, Hit
from evalsets.retrieving import JOB_KIND, RetrievingError, first_units, run_retrievers, start_run_all
from evalsets.runs import begin_run
from tests.evalsets.retrieval_steps import add_recorded_run, add_retriever, make_searchable
from tests.factories import make_user

pytestmark = pytest.mark.django_db


def run_one(eval_set: EvalSet, **config: Any) -> Run:
    return run_retrievers(eval_set=eval_set, retrievers=[add_retriever(eval_set, **config)], by=None)[0]


def list_documents(run: Run, query_id: str, stage: str = "candidates") -> list[str]:
    rows = Result.objects.filter(answer__run=run, answer__query__query_id=query_id, stage=stage)
    return list(rows.order_by("rank").values_list("doc_id", flat=True))


def test_run_is_frozen_over_the_snapshot_with_its_versions() -> None:
    eval_set = make_searchable()

    run = run_one(eval_set)

    assert run.state == RunState.COMPLETE
    assert run.snapshot == eval_set.snapshot
    assert eval_set.snapshot.sha256 in run.versions["corpus"]
    assert {"chunking", "index", "embedding", "reranker", "libraries"} <= set(run.versions)


def test_each_active_query_is_answered_and_timed() -> None:
    run = run_one(make_searchable())

    answers = Answer.objects.filter(run=run)

    assert answers.count() == 3
    assert all(answer.latency_ms > 0 for answer in answers)


def test_query_that_nothing_matches_is_recorded_as_empty() -> None:
    run = run_one(make_searchable())

    answer = Answer.objects.get(run=run, query__query_id="q3")

    assert answer.event == "empty"
    assert not answer.results.exists()


def test_results_say_where_in_the_document_they_are() -> None:
    eval_set = make_searchable()
    run = run_one(eval_set)

    best = Result.objects.filter(answer__run=run, answer__query__query_id="q1", doc_id="guide").earliest("rank")

    text = eval_set.snapshot.documents.get(doc_id="guide").text
    assert (best.doc_id, best.section_id) == ("guide", "retention")
    assert text[best.start : best.end].endswith("kept for thirty days.")


def test_final_stage_is_the_head_of_the_candidates_with_k_units() -> None:
    run = run_one(make_searchable())

    candidates, final = list_documents(run, "q1"), list_documents(run, "q1", "final")

    assert final == candidates[: len(final)]
    assert Result.objects.filter(answer__run=run, stage="final").exists()


@pytest.mark.parametrize(
    ("unit", "chunks"), [("document", ["a1", "a2", "a3", "b1"]), ("section", ["a1", "a2"])], ids=["document", "section"]
)
def test_several_chunks_of_one_unit_take_one_place_of_the_final_list(unit: str, chunks: list[str]) -> None:
    hits = [
        Hit(1, 9.0, "a", "s1", "a1"),
        Hit(2, 8.0, "a", "s2", "a2"),
        Hit(3, 7.0, "a", "s1", "a3"),
        Hit(4, 6.0, "b", "s1", "b1"),
        Hit(5, 5.0, "c", "s1", "c1"),
    ]

    assert [hit.chunk_id for hit in first_units(hits, k=2, unit=unit)] == chunks
    assert first_units(hits, k=9, unit=unit) == hits


def test_restricted_document_is_returned_only_to_an_asker_of_its_group() -> None:
    run = run_one(make_searchable())

    assert "secret" not in list_documents(run, "q1")
    assert "secret" in list_documents(run, "q2")
    assert Answer.objects.get(run=run, query__query_id="q2").filters == {"access": ["finance"]}
    assert Answer.objects.get(run=run, query__query_id="q1").filters == {"access": []}


def test_filter_can_be_turned_off_to_see_what_would_leak() -> None:
    run = run_one(make_searchable(), access_filter=False)

    assert "secret" in list_documents(run, "q1")
    assert Answer.objects.get(run=run, query__query_id="q1").filters == {}


def test_archived_document_is_left_out_where_the_configuration_says_so() -> None:
    eval_set = make_searchable()

    everything = run_one(eval_set)
    current = run_one(eval_set, name="current", only_current=True)

    assert "old" in list_documents(everything, "q1")
    assert "old" not in list_documents(current, "q1")
    assert Answer.objects.get(run=current, query__query_id="q1").filters["lifecycle"] == "current"


def test_filtered_list_is_refilled_from_further_down() -> None:
    secret = tuple(DocumentRow(f"s{n}", "", "copper copper copper", access=("finance",)) for n in range(60))
    eval_set = make_searchable(documents=(*secret, DocumentRow("open", "", "copper once among other words")))

    run = run_retrievers(eval_set=eval_set, retrievers=[add_retriever(eval_set)], by=None, depth=5)[0]

    assert list_documents(run, "q1") == ["open"]


def test_fusion_runs_after_members_that_are_not_run_themselves() -> None:
    eval_set = make_searchable()
    add_retriever(eval_set, "words")
    add_retriever(eval_set, "meaning", "lsa")
    both = add_retriever(eval_set, "Both of them", "rrf", members=["words", "meaning"])

    runs = run_retrievers(eval_set=eval_set, retrievers=[both], by=None)

    assert [run.retriever for run in runs] == [both]
    assert list_documents(runs[0], "q1")


def test_same_configuration_gives_the_same_checksum() -> None:
    eval_set = make_searchable()
    retriever = add_retriever(eval_set)

    first, second = (run_retrievers(eval_set=eval_set, retrievers=[retriever], by=None)[0] for _ in range(2))

    assert first.sha256 == second.sha256
    assert (first.number, second.number) == (1, 2)


def test_settings_at_fault_are_all_named() -> None:
    eval_set = make_searchable()

    with pytest.raises(ConfigError) as refused:
        add_retriever(eval_set, size=0, k1="high", only_current="maybe")

    assert {problem.field for problem in refused.value.problems} == {"size", "k1", "only_current"}


def test_fusion_of_a_retriever_that_is_not_there_is_refused() -> None:
    eval_set = make_searchable()
    add_retriever(eval_set, "words")

    with pytest.raises(ConfigError, match="ghost"):
        add_retriever(eval_set, "both", "rrf", members=["words", "ghost"])


def test_two_retrievers_of_one_name_are_refused() -> None:
    eval_set = make_searchable()
    add_retriever(eval_set, "words")

    with pytest.raises(ConfigError, match="name"):
        add_retriever(eval_set, "Words")


def test_without_queries_it_says_what_is_missing() -> None:
    eval_set = make_searchable()
    retriever = add_retriever(eval_set)
    eval_set.queries.all().delete()

    with pytest.raises(RetrievingError, match="no queries"):
        run_retrievers(eval_set=eval_set, retrievers=[retriever], by=None)


def test_without_documents_it_says_what_is_missing() -> None:
    eval_set = make_searchable()
    retriever = add_retriever(eval_set)
    eval_set.snapshot = None

    with pytest.raises(RetrievingError, match="no snapshot"):
        run_retrievers(eval_set=eval_set, retrievers=[retriever], by=None)


def test_recorded_retriever_cannot_be_run_here() -> None:
    eval_set = make_searchable()
    recorded = add_recorded_run(eval_set, {"q1": "guide"}).retriever

    with pytest.raises(RetrievingError, match="recorded elsewhere"):
        run_retrievers(eval_set=eval_set, retrievers=[recorded], by=None)


def test_job_runs_all_and_says_which_runs_it_made(django_capture_on_commit_callbacks: Any) -> None:
    eval_set = make_searchable()
    retrievers = [add_retriever(eval_set, "words"), add_retriever(eval_set, "meaning", "lsa")]

    with django_capture_on_commit_callbacks(execute=True):
        job = start_run_all(eval_set=eval_set, retrievers=retrievers, depth=None, by=make_user(), url="/runs/")

    job.refresh_from_db()
    assert (job.state, job.result, job.done) == (JobState.DONE, {"runs": [1, 2]}, 6)


def test_job_run_again_after_its_worker_died_keeps_whole_runs_and_leaves_no_half_one() -> None:
    eval_set = make_searchable()
    words, meaning = add_retriever(eval_set, "words"), add_retriever(eval_set, "meaning", "lsa")
    job = Job.objects.create(kind=JOB_KIND, eval_set=eval_set, params={"retrievers": [words.pk, meaning.pk]})
    [whole] = run_retrievers(eval_set=eval_set, retrievers=[words], by=None, job=job)
    half = begin_run(eval_set=eval_set, retriever=meaning, by=None, job=job)

    run_job(job.pk)

    runs = list(Run.objects.order_by("pk"))
    assert whole in runs
    assert half not in runs
    assert [run.retriever for run in runs] == [words, meaning]
    assert all(run.frozen_at for run in runs)


def test_cancelled_job_says_what_was_kept() -> None:
    eval_set = make_searchable()
    words = add_retriever(eval_set, "words")
    job = Job.objects.create(kind=JOB_KIND, eval_set=eval_set, params={"retrievers": [words.pk]}, state=JobState.QUEUED)
    run_retrievers(eval_set=eval_set, retrievers=[words], by=None, job=job)

    cancel_job(job)

    job.refresh_from_db()
    assert job.state == JobState.CANCELLED


def test_job_over_documents_that_are_gone_fails_in_words() -> None:
    eval_set = make_searchable()
    words = add_retriever(eval_set, "words")
    EvalSet.objects.update(snapshot=None)
    job = Job.objects.create(kind=JOB_KIND, eval_set=eval_set, params={"retrievers": [words.pk]})

    run_job(job.pk)

    job.refresh_from_db()
    assert job.state == JobState.FAILED
    assert "Import documents first" in job.message
    assert "Nothing was kept" in job.message


def test_command_runs_all_built_in_retrievers(capsys: pytest.CaptureFixture[str]) -> None:
    eval_set = make_searchable()
    add_retriever(eval_set, "words")

    call_command("run_retrievers", eval_set.slug)

    assert "run 1: words" in capsys.readouterr().out


def test_command_names_the_retrievers_there_are() -> None:
    eval_set = make_searchable()
    add_retriever(eval_set, "words")

    with pytest.raises(CommandError, match="no built-in retriever ghost; it has words"), transaction.atomic():
        call_command("run_retrievers", eval_set.slug, "--retrievers", "ghost")
