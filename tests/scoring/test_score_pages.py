"""The pages of scores: what stands on them, and that every choice stands in the url."""

from __future__ import annotations

import csv
import io
import json

import pytest
from django.conf import settings as django_settings
from django.test import Client
from django.urls import reverse

from evalsets.jobs import cancel_job, run_job
from evalsets.models import Job, JobState, Role
from scoring.models import Report
from tests.factories import make_eval_set, make_member
from tests.scoring.scored_sets import ScoredSet, make_scored_set, publish

pytestmark = pytest.mark.django_db

# Hand-computed at N = 3, k = 2, relevant from grade 2: q1 R 2/2, P 1/2; q2 R 1/1, P 1/2; q3 nothing.
LABELS = {"q1": {"a": 3, "b": 2, "c": 0}, "q2": {"d": 2, "e": 0}, "q3": {"f": 2}}
FIRST = {"q1": ["a", "c", "b"], "q2": ["e", "d"], "q3": ["x", "y"]}
SECOND = {"q1": ["a", "b", "c"], "q2": ["e", "x", "y"], "q3": ["f"]}


def make_world(client: Client, *runs: object, **options: object) -> ScoredSet:
    scored = make_scored_set(LABELS, *(runs or (FIRST, SECOND)), depth_n=3, depth_k=2, **options)  # type: ignore[arg-type]
    client.force_login(make_member(scored.eval_set, Role.ENGINEER))
    return scored


def url(name: str, scored: ScoredSet, *args: str, **query: object) -> str:
    parameters = "&".join(f"{key}={value}" for key, value in query.items())
    return f"{reverse(f'scoring:{name}', args=[scored.eval_set.slug, *args])}?{parameters}"


def test_all_runs_stand_side_by_side_with_both_depths(client: Client) -> None:
    scored = make_world(client)

    answer = client.get(url("list_scores", scored))

    rows = {row["run"].number: row for row in answer.context["rows"]}
    assert answer.context["labels"][:3] == ["R@3", "nDCG@2", "P@2"]
    recall, _ndcg, precision, *_more = [cell["value"] for cell in rows[1]["cells"]]
    assert (recall, precision) == ("0.667", "0.333")
    assert (rows[1]["zero"], rows[1]["n"]) == (1, 3)
    assert (rows[2]["zero"], rows[2]["n"]) == (1, 3)


def test_report_lists_the_zero_hits_before_any_figure_of_the_slices(client: Client) -> None:
    scored = make_world(client)

    page = client.get(url("view_report", scored, run=1))

    assert [item["text"] for item in page.context["report"]["zero_hits"]] == ["text of q3"]
    text = page.content.decode()
    assert text.index("Zero-hit queries") < text.index("Slices") < text.index("Query by query")
    for words in ("R@3", "grade 2", "version 1", scored.gold_set.sha256[:16], "3 scored queries"):
        assert words in text


def test_table_sorts_filters_and_counts_below_what_was_chosen(client: Client) -> None:
    scored = make_world(client)

    best_first = client.get(url("view_report", scored, run=1, sort="-recall"))
    assert [row["query_id"] for row in best_first.context["page"]] == ["q1", "q2", "q3"]
    zero = client.get(url("view_report", scored, run=1, only="zero"))
    assert [row["query_id"] for row in zero.context["page"]] == ["q3"]
    words = client.get(url("view_report", scored, run=1, q="of q2"))
    assert [row["query_id"] for row in words.context["page"]] == ["q2"]
    below = client.get(url("view_report", scored, run=1, below="0.7"))
    assert below.context["report"]["below"]["count"] == 2


def test_query_page_shows_the_list_beside_the_gold_units(client: Client) -> None:
    scored = make_world(client)

    answer = client.get(url("view_query_scores", scored, run=1, query="q1"))

    found = answer.context["found"]
    assert [(place.rank, place.key[0], place.grade) for place in found.lists[0].places] == [
        (1, "a", 3),
        (2, "c", 0),
        (3, "b", 2),
    ]
    assert {unit.key[0]: unit.ranks_shown for unit in found.gold} == {"a": ["1"], "b": ["3"], "c": ["2"]}


def test_unjudged_results_are_hatched_and_never_zero(client: Client) -> None:
    scored = make_world(client)

    answer = client.get(url("view_query_scores", scored, run=1, query="q3"))

    assert [place.grade for place in answer.context["found"].lists[0].places] == [None, None]
    assert answer.content.decode().count("grade--unjudged") == 2


def test_comparison_names_the_queries_that_flipped(client: Client) -> None:
    scored = make_world(client)

    answer = client.get(url("compare_runs", scored, first=1, second=2))

    comparison = answer.context["comparison"]
    assert [item["text"] for item in comparison["gained"]] == ["text of q3"]
    assert [item["text"] for item in comparison["lost"]] == ["text of q2"]
    text = answer.content.decode()
    assert text.index("Gained") < text.index("Differences")


def test_exports_are_the_document_and_the_table(client: Client) -> None:
    scored = make_world(client)
    client.get(url("view_report", scored, run=1))

    document = json.loads(client.get(url("export_report", scored, "json", run=1)).content)
    table = list(csv.DictReader(io.StringIO(client.get(url("export_report", scored, "csv", run=1)).content.decode())))

    assert document["queries"]["q1"]["R@3"] == 1.0
    assert [(row["query_id"], float(row["P@2"])) for row in table] == [("q1", 0.5), ("q2", 0.5), ("q3", 0.0)]


def test_report_that_was_never_computed_is_computed_before_it_is_exported(client: Client) -> None:
    scored = make_world(client)

    answer = client.get(url("export_report", scored, "json", run=1))

    assert answer.status_code == 302
    assert "report" in answer.headers["Location"]


@pytest.mark.parametrize(
    "wrong", [{"gold": 9}, {"run": 9}, {"n": 0}, {"k": 9, "n": 3}, {"threshold": 7}, {"gain": "square"}, {"run": "x"}]
)
def test_choice_that_makes_no_sense_is_said_in_the_form_and_computes_nothing(
    client: Client, wrong: dict[str, object]
) -> None:
    scored = make_world(client)

    answer = client.get(url("view_report", scored, **({"run": 1} | wrong)))

    assert answer.status_code == 200
    assert answer.context["form"].errors
    assert not Report.objects.exists()


def test_run_that_cannot_be_scored_says_why(client: Client) -> None:
    scored = make_scored_set({"q1": {"a#one": 2}}, {"q1": ["a"]}, unit="section", depth_n=3, depth_k=2)
    client.force_login(make_member(scored.eval_set, Role.ENGINEER))

    answer = client.get(url("view_report", scored, run=1))

    assert answer.status_code == 422
    assert "section" in answer.context["problem"]


def test_another_gold_set_version_is_another_report(client: Client) -> None:
    scored = make_world(client)
    contents = [query.content for query in scored.gold_set.queries.all()]
    publish(scored.eval_set, LABELS | {"q3": {"f": 2, "x": 3}}, contents, depth_n=3, depth_k=2)

    old = client.get(url("view_report", scored, run=1, gold=1))
    new = client.get(url("view_report", scored, run=1, gold=2))

    assert len(old.context["report"]["zero_hits"]) == 1
    assert not new.context["report"]["zero_hits"]


def test_security_and_unanswerable_queries_are_lists_and_no_averages(client: Client) -> None:
    queries = {
        "q4": {"answerable": False, "expected_behaviour": "empty"},
        "q1": {"forbidden_documents": ["c"]},
    }
    scored = make_world(client, FIRST | {"q4": ["a"]}, queries=queries)

    answer = client.get(url("view_report", scored, run=1))

    lists = answer.context["lists"]
    assert [(item["text"], item["note"]) for item in lists["leaks"]] == [("text of q1", "c")]
    assert [item["side"] for item in lists["unanswerable"]["items"]] == ["fail"]


def test_large_run_is_scored_by_a_worker_that_leads_back(client: Client, settings: object) -> None:
    scored = make_world(client)
    settings.RESULTS_SCORED_AT_ONCE = 2  # type: ignore[attr-defined]
    address = url("view_report", scored, run=1)

    answer = client.get(address)
    job = Job.objects.get()
    run_job(job.pk)

    assert answer.headers["Location"] == reverse("evalsets:view_job", args=[scored.eval_set.slug, job.pk])
    job.refresh_from_db()
    assert (job.state, job.next_url) == (JobState.DONE, address)
    assert client.get(address).context["report"]["headline"][0]["value"] == "0.667"


def test_eval_set_without_a_gold_set_says_what_comes_first(client: Client) -> None:
    eval_set = make_eval_set()
    client.force_login(make_member(eval_set, Role.ENGINEER))

    for name in ("list_scores", "view_report", "compare_runs"):
        assert client.get(reverse(f"scoring:{name}", args=[eval_set.slug])).status_code == 200


def test_report_costs_the_same_number_of_queries_whatever_its_size(
    client: Client, django_assert_max_num_queries: object
) -> None:
    many = {f"q{n}": {"a": 3, "b": 1} for n in range(150)}
    scored = make_scored_set(many, {query: ["a", "b"] for query in many}, depth_n=3, depth_k=2)
    client.force_login(make_member(scored.eval_set, Role.ENGINEER))
    address = url("view_report", scored, run=1)
    client.get(address)

    with django_assert_max_num_queries(12):  # type: ignore[operator]
        answer = client.get(address)

    assert answer.context["page"].paginator.count == 150


def test_report_of_hostile_texts_is_escaped(client: Client) -> None:
    scored = make_world(client, FIRST, queries={"q3": {"text": "<script>alert(1)</script>"}})

    text = client.get(url("view_report", scored, run=1)).content.decode()

    assert "<script>alert" not in text
    assert "&lt;script&gt;alert" in text
    assert django_settings.CONTENT_SECURITY_POLICY["script-src"] == ["'self'"]


def test_large_report_opened_again_waits_for_the_same_job(client: Client, settings: object) -> None:
    scored = make_world(client)
    settings.RESULTS_SCORED_AT_ONCE = 2  # type: ignore[attr-defined]
    address = url("view_report", scored, run=1)

    first, again = client.get(address), client.get(address)
    other = client.get(url("view_report", scored, run=1, n=2))

    assert first.headers["Location"] == again.headers["Location"] != other.headers["Location"]
    assert Job.objects.count() == 2


def test_a_job_that_is_over_does_not_keep_a_report_from_being_asked_for_again(client: Client, settings: object) -> None:
    scored = make_world(client)
    settings.RESULTS_SCORED_AT_ONCE = 2  # type: ignore[attr-defined]
    client.get(url("view_report", scored, run=1))
    cancel_job(Job.objects.get())

    client.get(url("view_report", scored, run=1))

    assert Job.objects.unfinished().count() == 1


def test_table_of_runs_costs_the_same_number_of_queries_for_two_runs_and_for_twelve(
    client: Client, django_assert_max_num_queries: object
) -> None:
    scored = make_scored_set({"q1": {"a": 3}}, *[{"q1": ["b", "a"]} for _ in range(12)], depth_n=3, depth_k=2)
    client.force_login(make_member(scored.eval_set, Role.ENGINEER))
    client.get(url("list_scores", scored))

    with django_assert_max_num_queries(12):  # type: ignore[operator]
        answer = client.get(url("list_scores", scored))

    assert len(answer.context["rows"]) == 12


def test_table_of_runs_computes_no_more_at_once_than_a_page_may_wait_for(client: Client, settings: object) -> None:
    scored = make_scored_set({"q1": {"a": 3}}, *[{"q1": ["b", "a"]} for _ in range(3)], depth_n=3, depth_k=2)
    client.force_login(make_member(scored.eval_set, Role.ENGINEER))
    settings.RESULTS_SCORED_AT_ONCE = 4  # type: ignore[attr-defined]

    first = client.get(url("list_scores", scored)).context["rows"]
    again = client.get(url("list_scores", scored)).context["rows"]

    assert [bool(row.get("waiting")) for row in first] == [False, False, True]
    assert not any(row.get("waiting") for row in again)
