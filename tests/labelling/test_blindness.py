from dataclasses import asdict, fields, make_dataclass
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labelling.blindness import BlindCandidate, shown_to_annotator

VISIBLE = {
    "query": "How long are snapshots kept?",
    "information_need": "The retention period of the current plan",
    "passage": "Snapshots are kept for 30 days.",
    "title": "Retention",
    "scope": "retention, effective now",
    "section": "Snapshots",
    "before": "Plans differ.",
    "after": "Archives are kept for a year.",
    "mark": (0, 9),
    "language": "en",
    "lifecycle": "current",
    "effective_from": "2026-01-01",
    "effective_to": "",
}

PROVENANCE = {
    "id": 9001,
    "pk": 9002,
    "candidate_id": 9003,
    "rank": 9004,
    "ranks": [9005],
    "score": 9006.5,
    "scores": {"bm25": 9007.5},
    "run": "HIDDEN run",
    "runs": ["HIDDEN run", "HIDDEN other run"],
    "retriever": "HIDDEN retriever",
    "retriever_count": 9008,
    "stage": "HIDDEN stage",
    "contributions": [{"run": "HIDDEN run", "rank": 9009, "inclusion_probability": 9010.5}],
    "pool_position": 9011,
    "fusion_score": 9012.5,
    "judgments": [{"annotator": "HIDDEN colleague", "grade": 9013}],
    "other_grade": 9014,
    "notes": "HIDDEN note of a colleague",
    "adjudication": {"final_grade": 9015},
    "double": "HIDDEN membership",
    "is_double_labelled": True,
    "seats": 9016,
    "model_grade": 9017,
    "expected_behaviour": "HIDDEN behaviour",
    "relevant_evidence": ["HIDDEN evidence"],
    "split": "HIDDEN split",
    "synthetic": "HIDDEN origin",
}


def test_an_annotator_sees_the_query_and_the_passage_in_its_place():
    assert asdict(shown_to_annotator(VISIBLE | PROVENANCE)) == VISIBLE


def test_no_provenance_reaches_an_annotator():
    shown = shown_to_annotator(VISIBLE | PROVENANCE)

    assert "HIDDEN" not in repr(shown)
    assert "90" not in repr(shown)
    assert not [name for name in PROVENANCE if hasattr(shown, name)]


def test_what_may_be_seen_is_this_list_and_grows_only_on_purpose():
    assert {field.name for field in fields(BlindCandidate)} == set(VISIBLE)


@pytest.mark.parametrize("kind", ["mapping", "object", "dataclass"])
def test_a_candidate_may_come_in_any_shape(kind):
    payload = VISIBLE | PROVENANCE
    full = {
        "mapping": payload,
        "object": SimpleNamespace(**payload),
        "dataclass": make_dataclass("Full", payload)(**payload),
    }[kind]

    assert shown_to_annotator(full) == shown_to_annotator(VISIBLE)


@given(
    extra=st.dictionaries(
        st.text(min_size=1).filter(lambda name: name not in VISIBLE),
        st.text() | st.integers() | st.lists(st.integers()),
    )
)
def test_whatever_else_is_known_of_a_candidate_changes_nothing(extra):
    assert shown_to_annotator(VISIBLE | extra) == shown_to_annotator(VISIBLE)


@pytest.mark.parametrize("name", sorted(set(VISIBLE) - {"mark"}))
def test_provenance_cannot_ride_along_inside_what_may_be_seen(name):
    class TextWithRank(str):
        rank = 1

    for carrier in ({"text": "x", "rank": 1}, ["x", 1], 7, None, TextWithRank("x")):
        with pytest.raises(TypeError, match=f"{name} of a blind candidate must be plain text"):
            shown_to_annotator(VISIBLE | {name: carrier})


@pytest.mark.parametrize(
    "mark", [{"start": 0, "end": 3, "rank": 1}, (0, 3, 1), (0,), ("0", "3"), (0, 3.5), (True, 3), "03"]
)
def test_a_mark_is_two_offsets_and_carries_nothing_else(mark):
    with pytest.raises(TypeError, match="pair of whole numbers"):
        shown_to_annotator(VISIBLE | {"mark": mark})


@pytest.mark.parametrize("mark", [(-1, 3), (3, 2), (0, len(VISIBLE["passage"]) + 1)])
def test_a_mark_outside_the_passage_is_refused(mark):
    with pytest.raises(ValueError, match="outside the passage"):
        shown_to_annotator(VISIBLE | {"mark": mark})


def test_a_mark_may_come_as_a_list_or_be_absent():
    assert shown_to_annotator(VISIBLE | {"mark": [0, 9]}).mark == (0, 9)
    assert shown_to_annotator(VISIBLE | {"mark": None}).mark is None


@pytest.mark.parametrize("name", ["query", "information_need", "passage"])
def test_a_candidate_without_what_is_judged_is_refused(name):
    with pytest.raises(LookupError, match=name):
        shown_to_annotator({key: value for key, value in VISIBLE.items() if key != name})


def test_what_was_shown_cannot_be_changed_afterwards():
    shown = shown_to_annotator(VISIBLE)

    with pytest.raises(AttributeError):
        shown.passage = "another"
