"""Decisions: by somebody who did not label, kept beside the labels, replaced and never changed, one at a time."""

import threading
import uuid

import pytest
from django.db import IntegrityError, connection, transaction

from evalsets.models import Role
from labelling.adjudication import (
    AdjudicationConflictError,
    AdjudicationError,
    OwnLabelError,
    adjudicate,
    flag_query,
    get_decision,
    list_labels,
    resolve_flag,
)
from labelling.models import Adjudication, Judgment, QueryFlag
from tests.factories import make_member
from tests.labelling.label_steps import decide, label_candidate, labels_of, make_labelled_set
from tests.labelling.queue_steps import NOON, make_annotator

pytestmark = pytest.mark.django_db


@pytest.fixture
def disputed():
    _eval_set, (candidate,) = make_labelled_set((1, 3))
    return candidate


def test_a_decision_is_kept_beside_the_labels(disputed):
    decision = decide(disputed, 3, reason="The table answers it.")

    assert (decision.outcome, decision.grade, decision.reason_code) == ("grade", 3, "misread")
    assert decision.rubric is not None
    assert sorted(Judgment.objects.live().values_list("grade", flat=True)) == [1, 3]


def test_who_labelled_the_candidate_does_not_decide_on_it(disputed):
    annotator = labels_of(disputed).first().annotator

    with pytest.raises(OwnLabelError, match="somebody else has to decide"):
        decide(disputed, 3, by=annotator.user)
    assert not Adjudication.objects.exists()


@pytest.mark.parametrize(
    ("grade", "reason_code", "words"),
    [(4, "misread", "not on the scale"), (2, "", "Choose why"), (2, "mood", "Choose why")],
)
def test_what_is_no_decision_is_refused_in_words(disputed, grade, reason_code, words):
    with pytest.raises(AdjudicationError, match=words):
        decide(disputed, grade, reason_code=reason_code)
    assert not Adjudication.objects.exists()


def test_a_grade_outside_a_binary_scale_is_refused():
    _eval_set, (candidate,) = make_labelled_set((0, 1), scale="binary", threshold=1)

    with pytest.raises(AdjudicationError, match="from 0 to 1"):
        decide(candidate, 2)


def test_a_single_label_leaves_nothing_to_decide():
    _eval_set, (candidate,) = make_labelled_set((2, None))

    with pytest.raises(AdjudicationError, match="nothing to decide"):
        decide(candidate, 2)


def test_a_candidate_that_nobody_could_judge_can_be_decided():
    _eval_set, (candidate,) = make_labelled_set(("not_expert",), rate=0.0)

    assert decide(candidate, 2).grade == 2


def test_a_later_decision_replaces_the_one_that_was_seen(disputed):
    first = decide(disputed, 1)
    second = decide(disputed, 3, after=first.pk)

    assert get_decision(disputed) == second
    assert second.replaces == first
    assert Adjudication.objects.count() == 2


def test_two_leads_at_once_keep_one_decision_and_tell_the_other(disputed):
    decide(disputed, 1)

    with pytest.raises(AdjudicationConflictError, match="has decided for grade 1 since you opened"):
        decide(disputed, 3)
    assert get_decision(disputed).grade == 1


def test_a_change_of_a_decision_that_was_changed_meanwhile_is_refused(disputed):
    first = decide(disputed, 1)
    decide(disputed, None, after=first.pk)

    with pytest.raises(AdjudicationConflictError, match="that it cannot be settled"):
        decide(disputed, 3, after=first.pk)
    assert get_decision(disputed).grade is None


def test_the_same_request_sent_twice_counts_once(disputed):
    lead, request_id = make_member(disputed.query.eval_set, Role.LEAD), uuid.uuid4()

    first = decide(disputed, 3, by=lead, request_id=request_id)
    second = decide(disputed, 3, by=lead, request_id=request_id)

    assert first == second
    assert Adjudication.objects.count() == 1


def test_a_decision_cannot_be_changed_in_the_database(disputed):
    decision = decide(disputed, 3)

    with pytest.raises(IntegrityError), transaction.atomic():
        Adjudication.objects.filter(pk=decision.pk).update(grade=0)


@pytest.mark.parametrize(("first", "second"), [(1, 2), (2, 1)])
def test_labels_stand_in_an_order_that_tells_neither_who_nor_when(first, second):
    eval_set, (candidate,) = make_labelled_set((None, None))
    label_candidate(candidate, make_annotator(eval_set), 1, request_id=uuid.UUID(int=first))
    label_candidate(candidate, make_annotator(eval_set), 3, request_id=uuid.UUID(int=second))

    assert [one.grade for one in list_labels(candidate)] == ([1, 3] if first < second else [3, 1])


def test_a_flag_is_kept_once_and_can_be_taken_away(disputed):
    lead = make_member(disputed.query.eval_set, Role.LEAD)
    flag = flag_query(query=disputed.query, reason="Two readings.", by=lead, at=NOON)

    assert flag_query(query=disputed.query, reason="Again.", by=lead, at=NOON) == flag
    assert resolve_flag(flag=flag, by=lead, at=NOON)
    assert not resolve_flag(flag=flag, by=lead, at=NOON)
    assert flag_query(query=disputed.query, reason="Once more.", by=lead, at=NOON) != flag


def test_two_candidates_that_cannot_be_settled_flag_their_query():
    _eval_set, (first, second) = make_labelled_set((0, 3), (3, 0))

    decide(first, None)
    assert not QueryFlag.objects.exists()
    decide(second, None)

    assert QueryFlag.objects.get().query == first.query


def test_an_annotator_who_took_the_label_back_is_still_no_judge_of_it(disputed):
    annotator = make_annotator(disputed.query.eval_set)
    judgment = label_candidate(disputed, annotator, 2)
    Judgment.objects.filter(pk=judgment.pk).update(live=False)

    with pytest.raises(OwnLabelError):
        decide(disputed, 2, by=annotator.user)


@pytest.mark.django_db(transaction=True)
def test_decisions_sent_at_the_same_moment_end_in_one():
    _eval_set, (candidate,) = make_labelled_set((1, 3))
    leads = [make_member(candidate.query.eval_set, Role.LEAD) for _ in range(4)]
    gate, ends = threading.Barrier(len(leads)), []

    def send(lead, grade):
        gate.wait()
        try:
            adjudicate(candidate=candidate, grade=grade, reason_code="other", by=lead, at=NOON, request_id=uuid.uuid4())
            ends.append("kept")
        except AdjudicationConflictError:
            ends.append("refused")
        finally:
            connection.close()

    threads = [threading.Thread(target=send, args=(lead, grade)) for grade, lead in enumerate(leads)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(ends) == ["kept", "refused", "refused", "refused"]
    assert Adjudication.objects.live().count() == 1
