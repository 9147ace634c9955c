"""Taking judgments: each is kept once, and none is written over another."""

import uuid

import pytest
from django.db import IntegrityError, transaction

from labelling.judging import JudgingConflictError, JudgingError, Outcome, Verdict, change_judgment, undo
from labelling.models import Judgment, Seat
from labelling.queue import take_next
from labelling.rubrics import get_current_rubric, write_rubric
from tests.labelling.queue_steps import NOON, give, grade_all, make_annotator, make_seated_set, minutes, take

pytestmark = pytest.mark.django_db


def test_a_grade_closes_the_seat_and_records_what_it_was_given_on():
    eval_set = make_seated_set()
    annotator = make_annotator(eval_set)
    seat = take(annotator)

    judged = give(annotator, seat, 3, minutes(0.5), note="clear")

    seat.refresh_from_db()
    judgment = judged.judgment
    assert judged.outcome is Outcome.FILLED
    assert (seat.is_open, seat.leased_by, seat.leased_until) == (False, None, None)
    assert (judgment.grade, judgment.note, judgment.seat) == (3, "clear", seat)
    assert judgment.rubric == get_current_rubric(eval_set)
    assert judgment.text_sha256 == seat.candidate.text_sha256
    assert judgment.origin == "queue"
    assert judgment.seconds == 30


def test_cannot_judge_takes_a_reason_instead_of_a_grade():
    annotator = make_annotator(make_seated_set())

    judged = give(annotator, take(annotator), None, cannot_judge="unreadable")

    assert (judged.judgment.grade, judged.judgment.cannot_judge) == (None, "unreadable")


@pytest.mark.parametrize(
    ("verdict", "words"),
    [
        (Verdict(), "Give a grade"),
        (Verdict(grade=2, cannot_judge="unreadable"), "Give a grade"),
        (Verdict(grade=4), "from 0 to 3"),
        (Verdict(cannot_judge="bored"), "not one of the reasons"),
        (Verdict(grade=1, note="x" * 2001), "2001 characters"),
    ],
)
def test_what_is_no_judgment_is_refused_in_words(verdict, words):
    annotator = make_annotator(make_seated_set())
    seat = take(annotator)

    with pytest.raises(JudgingError, match=words):
        give(annotator, seat, verdict.grade, cannot_judge=verdict.cannot_judge, note=verdict.note)

    assert not Judgment.objects.exists()


def test_a_binary_scale_refuses_grade_two():
    annotator = make_annotator(make_seated_set(scale="binary", threshold=1))

    with pytest.raises(JudgingError, match="from 0 to 1"):
        give(annotator, take(annotator), 2)


def test_a_grade_sent_twice_counts_once_and_answers_the_same():
    annotator = make_annotator(make_seated_set())
    seat, request_id = take(annotator), uuid.uuid4()

    first = give(annotator, seat, 1, request_id=request_id)
    again = give(annotator, seat, 1, request_id=request_id)

    assert (again.judgment, again.outcome) == (first.judgment, Outcome.REPEATED)
    assert Judgment.objects.count() == 1


def test_a_request_id_that_somebody_else_used_is_a_conflict():
    eval_set = make_seated_set()
    first, second = make_annotator(eval_set), make_annotator(eval_set)
    request_id = uuid.uuid4()
    give(first, take(first), request_id=request_id)
    seat = take(second)

    with pytest.raises(JudgingConflictError, match="same request"):
        give(second, seat, request_id=request_id)

    assert Seat.objects.get(pk=seat.pk).leased_by == second


def test_a_late_grade_is_taken_while_the_seat_is_free():
    annotator = make_annotator(make_seated_set())
    seat = take(annotator)

    assert give(annotator, seat, 2, minutes(120)).outcome is Outcome.FILLED


def test_a_late_grade_is_an_extra_label_when_somebody_else_holds_the_seat():
    eval_set = make_seated_set(queries=1, per_query=1)
    late, other = make_annotator(eval_set), make_annotator(eval_set)
    seat = take(late)
    assert take(other, minutes(20)) == seat

    extra = give(late, seat, 0, minutes(21))
    kept = give(other, seat, 3, minutes(22))

    assert (extra.outcome, extra.judgment.seat) == (Outcome.EXTRA, None)
    assert (kept.outcome, kept.judgment.seat) == (Outcome.FILLED, seat)


def test_a_late_grade_never_overwrites_what_somebody_else_gave():
    eval_set = make_seated_set(queries=1, per_query=1)
    late, other = make_annotator(eval_set), make_annotator(eval_set)
    seat = take(late)
    kept = give(other, take(other, minutes(20)), 3, minutes(20)).judgment

    extra = give(late, seat, 0, minutes(21)).judgment

    kept.refresh_from_db()
    assert (kept.live, kept.grade, kept.seat) == (True, 3, seat)
    assert (extra.live, extra.grade, extra.seat) == (True, 0, None)


def test_a_late_grade_of_a_double_label_takes_the_other_seat_if_that_is_free():
    eval_set = make_seated_set(queries=1, per_query=1, rate=1.0)
    late, other = make_annotator(eval_set), make_annotator(eval_set)
    seat = take(late)
    Seat.objects.filter(pk=seat.pk).update(leased_by=other, leased_until=minutes(40))

    judged = give(late, seat, 1, minutes(21))

    assert judged.outcome is Outcome.FILLED
    assert judged.judgment.seat != seat


def test_a_second_tab_corrects_and_the_first_grade_is_kept_in_the_history():
    annotator = make_annotator(make_seated_set())
    seat = take(annotator)
    first = give(annotator, seat, 2).judgment

    second = give(annotator, seat, 1)

    first.refresh_from_db()
    assert second.outcome is Outcome.CORRECTED
    assert (first.live, second.judgment.live) == (False, True)
    assert second.judgment.replaces == first
    assert second.judgment.seat == seat


def test_a_correction_is_a_new_row_over_the_old_one():
    annotator = make_annotator(make_seated_set())
    old = give(annotator, take(annotator), 2, note="a note").judgment

    new = change_judgment(
        judgment=old, annotator=annotator, verdict=Verdict(grade=3), request_id=uuid.uuid4(), at=minutes(1)
    ).judgment

    old.refresh_from_db()
    assert (old.grade, old.note, old.live) == (2, "a note", False)
    assert (new.grade, new.replaces, new.seat) == (3, old, old.seat)


def test_nobody_changes_the_judgment_of_somebody_else():
    eval_set = make_seated_set()
    judgment = give(annotator := make_annotator(eval_set), take(annotator)).judgment

    with pytest.raises(JudgingError, match="Somebody else"):
        change_judgment(
            judgment=judgment,
            annotator=make_annotator(eval_set),
            verdict=Verdict(grade=0),
            request_id=uuid.uuid4(),
            at=NOON,
        )


def test_undo_opens_the_seat_for_the_same_annotator():
    eval_set = make_seated_set(queries=1, per_query=3)
    annotator = make_annotator(eval_set)
    seat = take(annotator)
    judgment = give(annotator, seat).judgment
    following = take(annotator)

    assert undo(judgment=judgment, annotator=annotator, at=NOON) == judgment

    judgment.refresh_from_db()
    assert not judgment.live
    assert take(annotator) == seat
    assert Seat.objects.get(pk=following.pk).leased_by is None


def test_undo_pressed_twice_undoes_one():
    annotator = make_annotator(make_seated_set())
    first = give(annotator, take(annotator)).judgment
    last = give(annotator, take(annotator)).judgment

    undo(judgment=last, annotator=annotator, at=NOON)

    assert undo(judgment=last, annotator=annotator, at=NOON) is None
    first.refresh_from_db()
    assert first.live


def test_nobody_undoes_the_judgment_of_somebody_else():
    eval_set = make_seated_set()
    judgment = give(annotator := make_annotator(eval_set), take(annotator)).judgment

    assert undo(judgment=judgment, annotator=make_annotator(eval_set), at=NOON) is None


def test_what_was_undone_is_graded_again_and_both_rows_stay():
    annotator = make_annotator(make_seated_set(queries=1, per_query=1))
    seat = take(annotator)
    undo(judgment=give(annotator, seat, 0).judgment, annotator=annotator, at=NOON)

    give(annotator, take(annotator), 3)

    assert list(Judgment.objects.order_by("pk").values_list("grade", "live", "seat")) == [
        (0, False, seat.pk),
        (3, True, seat.pk),
    ]


def test_an_undone_extra_label_opens_no_seat():
    eval_set = make_seated_set(queries=1, per_query=1)
    late, other = make_annotator(eval_set), make_annotator(eval_set)
    seat = take(late)
    grade_all(other, at=minutes(20))
    extra = give(late, seat, 0, minutes(21)).judgment

    undo(judgment=extra, annotator=late, at=minutes(22))

    assert take_next(annotator=late, at=minutes(22)) is None
    assert not Seat.objects.open().exists()


def test_a_judgment_names_the_rubric_that_was_shown():
    eval_set = make_seated_set()
    annotator = make_annotator(eval_set)
    shown = get_current_rubric(eval_set)
    seat = take(annotator)
    write_rubric(eval_set=eval_set, definitions=shown.definitions, guidance="new", after=1, by=None)

    assert give(annotator, seat, rubric=shown).judgment.rubric.number == 1
    assert give(annotator, take(annotator)).judgment.rubric.number == 2


@pytest.mark.parametrize("change", [{"grade": 0}, {"note": "other"}, {"seconds": 1.0}])
def test_the_database_refuses_to_change_a_judgment(change):
    judgment = give(annotator := make_annotator(make_seated_set()), take(annotator)).judgment

    with pytest.raises(IntegrityError), transaction.atomic():
        Judgment.objects.filter(pk=judgment.pk).update(**change)


def test_a_seat_takes_one_live_judgment():
    eval_set = make_seated_set()
    judgment = give(annotator := make_annotator(eval_set), take(annotator)).judgment
    judgment.pk, judgment.annotator, judgment.request_id = None, make_annotator(eval_set), uuid.uuid4()
    judgment._state.adding = True

    with pytest.raises(IntegrityError), transaction.atomic():
        judgment.save()


def test_an_annotator_has_one_live_judgment_a_candidate():
    judgment = give(annotator := make_annotator(make_seated_set()), take(annotator)).judgment
    judgment.pk, judgment.seat, judgment.request_id = None, None, uuid.uuid4()
    judgment._state.adding = True

    with pytest.raises(IntegrityError), transaction.atomic():
        judgment.save()
