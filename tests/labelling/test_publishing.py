"""Publishing: what a gold set holds, what is said to be unresolved first, and what is refused."""

import pytest

from evalsets.gold.canonical import checksum, to_canonical_json
from evalsets.gold_sets import export_gold_set, read_gold_set
from evalsets.models import Candidate, GoldSet, Role
from labelling.adjudication import flag_query
from labelling.checklist import State
from labelling.gold_content import build_gold_content, count_provenances
from labelling.models import AnnotatorKind
from labelling.publishing import PublishingError, UnresolvedError, propose_gold_set, publish_gold_set
from labelling.sampling import commitment
from tests.factories import make_eval_set, make_member, make_query
from tests.labelling.label_frames import labels_of_coders
from tests.labelling.label_steps import decide, import_frame, label_candidate, labels_of, make_labelled_set
from tests.labelling.queue_steps import NOON, make_annotator, minutes

pytestmark = pytest.mark.django_db


def publish(eval_set, **fields):
    given = {"accept_unresolved": True, "by": None, "at": NOON} | fields
    return publish_gold_set(eval_set=eval_set, **given)


def grades_of(gold_set):
    return {label["doc_id"]: (label["grade"], label["provenance"]) for label in read_gold_set(gold_set).labels}


def check_of(eval_set, key, **fields):
    return next(check for check in propose_gold_set(eval_set=eval_set, at=NOON, **fields).checks if check.key == key)


def test_each_label_says_where_its_grade_comes_from():
    eval_set, candidates = make_labelled_set((3, 3), (2, None), (0, 3), (2, 3), (1, 2))
    decide(candidates[2], 2)
    agreed, single, adjudicated, lower, _open = (candidate.doc_id for candidate in candidates)

    gold_set = publish(eval_set, take_lower=True)

    assert grades_of(gold_set) == {
        agreed: (3, "agreed"),
        single: (2, "single"),
        adjudicated: (2, "adjudicated"),
        lower: (2, "lower"),
    }


def test_without_the_rule_of_the_lower_grade_a_near_disagreement_stays_out():
    eval_set, candidates = make_labelled_set((2, 3), (3, 3))

    assert set(grades_of(publish(eval_set))) == {candidates[1].doc_id}


def test_an_undecided_candidate_is_unjudged_and_never_averaged():
    eval_set, candidates = make_labelled_set((1, 3), (3, 3))

    gold_set = publish(eval_set, take_lower=True)

    assert candidates[0].doc_id not in grades_of(gold_set)
    assert gold_set.header["resolution"] == {
        "one_grade_apart": "lower",
        "undecided": {"crossing": 1},
        "not_settled": 0,
    }


def test_imported_labels_say_so():
    eval_set = make_eval_set()
    import_frame(eval_set, labels_of_coders([[3, 1, 0]]), kind=AnnotatorKind.FILE)

    gold_set = publish(eval_set)

    assert {provenance for _grade, provenance in grades_of(gold_set).values()} == {"imported"}


def test_the_header_carries_what_the_labels_stand_on():
    eval_set, _ = make_labelled_set((3, 3), (2, 1), gain="lin", threshold=1, depth_n=30, depth_k=3)

    header = publish(eval_set, notes="The first one.").header

    assert header["eval_set"] == {"slug": eval_set.slug, "name": eval_set.name, "demo": False}
    assert (header["version"], header["unit"], header["scale"]) == (1, "section", "graded")
    assert (header["threshold"], header["gain"], header["depth_n"], header["depth_k"]) == (1, "lin", 30, 3)
    assert header["snapshot"]["corpus"] == eval_set.corpus.slug
    assert header["rubric"]["number"] == 1
    assert [one["grade"] for one in header["rubric"]["definitions"]] == [0, 1, 2, 3]
    assert header["pool"] == [{"number": 1, "strategy": "depth_k", "depth": 20, "runs": [], "candidates": 2}]
    assert header["double_labels"] == {
        "rate": 1.0,
        "seed_sha256": commitment("a seed"),
        "declared": 2,
        "complete": 2,
    }
    assert header["agreement"]["candidates"] == 2
    assert header["agreement"]["alpha_ordinal"] is None
    assert header["published_at"] == "2026-03-02T12:00:00+00:00"
    assert header["notes"] == "The first one."


def test_the_seed_of_the_double_labels_and_the_names_of_people_stay_here():
    eval_set, candidates = make_labelled_set((1, 3))
    name = labels_of(candidates[0]).first().annotator.name
    lead = make_member(eval_set, Role.LEAD, username="the-lead")
    decide(candidates[0], 3, by=lead)

    text = to_canonical_json([read_gold_set(publish(eval_set)).header, *read_gold_set(GoldSet.objects.get()).labels])

    assert "a seed" not in text
    assert name not in text
    assert "the-lead" not in text
    assert "annotator 1" in text


def test_labels_keep_notes_and_the_reason_of_a_decision():
    eval_set, candidates = make_labelled_set((1, None))
    label_candidate(candidates[0], make_annotator(eval_set), 3, note="See the table.")
    decide(candidates[0], 3, reason_code="missing_context", reason="The table continues.")

    (label,) = read_gold_set(publish(eval_set)).labels

    assert [(one["grade"], one["note"]) for one in label["judgments"]] == [(1, ""), (3, "See the table.")]
    assert label["adjudication"]["reason_code"] == "missing_context"
    assert label["adjudication"]["reason"] == "The table continues."
    assert label["text_sha256"] == candidates[0].text_sha256


def test_retired_queries_are_left_out_with_their_labels():
    eval_set, candidates = make_labelled_set((3, 3), (2, 2), queries=2)
    query = candidates[0].query
    query.retired_at = NOON
    query.save()

    content = read_gold_set(publish(eval_set))

    assert [one["query_id"] for one in content.queries] == [candidates[1].query.query_id]
    assert [one["doc_id"] for one in content.labels] == [candidates[1].doc_id]


def test_nothing_is_published_without_a_label():
    eval_set, _ = make_labelled_set((None, None))

    with pytest.raises(PublishingError, match="nothing to publish"):
        publish(eval_set)


def test_nothing_is_published_when_nothing_has_changed():
    eval_set, candidates = make_labelled_set((3, 3), (1, 3))
    publish(eval_set)

    with pytest.raises(PublishingError, match="Nothing has changed since version 1"):
        publish(eval_set, at=minutes(5), notes="Once more.")
    decide(candidates[1], 3)

    assert publish(eval_set, at=minutes(6)).number == 2


def test_what_is_unresolved_has_to_be_accepted():
    eval_set, _ = make_labelled_set((1, 3), (3, 3))

    with pytest.raises(UnresolvedError, match="Disagreements across the threshold: 1 candidate relevant"):
        publish(eval_set, accept_unresolved=False)
    assert not GoldSet.objects.exists()


def test_numbers_count_in_each_eval_set_apart():
    first, _ = make_labelled_set((3, 3))
    second, _ = make_labelled_set((3, 3))

    assert (publish(first).number, publish(second).number) == (1, 1)


@pytest.mark.parametrize(
    ("key", "labels", "count"),
    [
        ("crossing", [(1, 2), (0, 3), (2, 3)], 2),
        ("far", [(1, 2)], 0),
        ("near", [(2, 3), (0, 1)], 2),
        ("cannot_judge", [("unreadable", 2), ("unreadable", "unreadable")], 2),
        ("open_seats", [(1, None), (None, None)], 3),
        ("double_set", [(1, None), (2, 2)], 1),
        ("without_relevant", [(1, 1)], 1),
    ],
)
def test_the_checklist_counts_what_is_unresolved(key, labels, count):
    eval_set, _ = make_labelled_set(*labels)

    check = check_of(eval_set, key)

    assert check.count == count
    assert check.state is (State.WARNING if count else State.PASSED)


def test_the_checklist_names_flagged_queries_and_defective_ones():
    eval_set, candidates = make_labelled_set((0, 0))
    query = candidates[0].query
    make_query(eval_set, query_id="unanswerable", answerable=False, expected_behaviour="empty")
    flag_query(query=query, reason="", by=make_member(eval_set), at=NOON)

    assert query.query_id in check_of(eval_set, "flagged").sentence
    assert check_of(eval_set, "without_relevant").sentence.startswith(f"{query.query_id}: answerable")


def test_the_checklist_counts_texts_that_are_unknown_or_changed():
    eval_set, (unknown, changed, _fine) = make_labelled_set((3, 3), (3, 3), (3, 3))
    Candidate.objects.filter(pk=unknown.pk).update(source_document=None)
    Candidate.objects.filter(pk=changed.pk).update(text_sha256="ab" * 32)

    assert check_of(eval_set, "without_text").count == 1
    assert check_of(eval_set, "stale").count == 1


def test_agreement_too_small_to_compute_is_said_in_words():
    eval_set, _ = make_labelled_set((3, 3), (1, 1))

    check = check_of(eval_set, "agreement")

    assert check.state is State.WARNING
    assert "Fewer than 10 candidates" in check.sentence


def test_decisions_settle_the_checklist():
    eval_set, (first, second) = make_labelled_set((0, 3), (3, 1))
    decide(first, 3)
    decide(second, None)

    assert check_of(eval_set, "crossing").state is State.PASSED
    assert check_of(eval_set, "not_settled").count == 1


def test_a_proposal_keeps_nothing():
    eval_set, _ = make_labelled_set((3, 3))

    propose_gold_set(eval_set=eval_set, at=NOON)

    assert not GoldSet.objects.exists()


def test_what_is_published_is_what_is_stored_and_exported_twice_alike():
    eval_set, _ = make_labelled_set((3, 3), (2, None))

    gold_set = publish(eval_set)

    assert checksum(read_gold_set(gold_set)) == gold_set.sha256
    assert export_gold_set(gold_set) == export_gold_set(gold_set)


def test_nine_thousand_labels_are_published_in_few_queries(django_assert_max_num_queries):
    eval_set = make_eval_set()
    frame = labels_of_coders([[number % 4 for number in range(9000)]], per_query=40)
    import_frame(eval_set, frame)

    with django_assert_max_num_queries(120):
        gold_set = publish(eval_set)

    assert (gold_set.query_count, gold_set.label_count) == (225, 9000)


def test_provenances_are_counted():
    eval_set, _ = make_labelled_set((3, 3), (2, None), (1, 1))

    assert count_provenances(build_gold_content(eval_set, NOON).content) == {"agreed": 2, "single": 1}
