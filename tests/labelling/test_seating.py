"""Seats and the double-label plan."""

import uuid

import pytest

from evalsets.hooks import announce_pool_built
from evalsets.models import Candidate
from labelling.models import Annotator, AnnotatorKind, DoubleLabelPlan, Judgment, Origin, QueuedQuery, Seat
from labelling.plans import DEFAULT_RATE, PlanError, PlanLockedError, declare_plan, get_plan
from labelling.sampling import commitment, is_double_labelled, unit_name
from labelling.seating import fill_seats, open_missing_seats
from tests.factories import make_eval_set, make_pool, make_query
from tests.labelling.queue_steps import NOON, give, make_annotator, make_seated_set, take

pytestmark = pytest.mark.django_db


def import_label(candidate: Candidate, annotator: Annotator, grade: int = 1) -> Judgment:
    return Judgment.objects.create(
        candidate=candidate,
        annotator=annotator,
        grade=grade,
        text_sha256=candidate.text_sha256,
        origin=Origin.IMPORT,
        request_id=uuid.uuid4(),
        judged_at=NOON,
    )


def test_each_candidate_has_a_seat_and_the_chosen_ones_have_two():
    eval_set = make_seated_set(queries=5, per_query=40, rate=0.3)

    for candidate in Candidate.objects.select_related("query"):
        unit = unit_name(candidate.doc_id, candidate.section_id)
        twice = is_double_labelled("a seed", candidate.query.query_id, unit, rate=0.3)
        assert [seat.number for seat in Seat.objects.filter(candidate=candidate)] == ([1, 2] if twice else [1])
    assert QueuedQuery.objects.filter(eval_set=eval_set).count() == 5
    assert get_plan(eval_set).seated_count == 200


def test_opening_again_adds_nothing_and_costs_two_queries(django_assert_num_queries):
    eval_set = make_seated_set(queries=2, per_query=3)

    with django_assert_num_queries(2):
        assert open_missing_seats(eval_set=eval_set) == 0


def test_a_later_pool_gets_only_what_is_new():
    eval_set = make_seated_set(queries=2, per_query=3)
    query = make_query(eval_set)
    make_pool(eval_set, [query], per_query=4)

    announce_pool_built(eval_set)

    assert Seat.objects.filter(query=query).count() == 4
    assert Seat.objects.count() == 10


def test_a_plan_is_declared_when_the_first_seats_open():
    eval_set = make_eval_set()
    make_pool(eval_set, [make_query(eval_set)])

    open_missing_seats(eval_set=eval_set)

    plan = DoubleLabelPlan.objects.get(eval_set=eval_set)
    assert plan.rate == DEFAULT_RATE
    assert len(plan.seed) == 32
    assert plan.seed_sha256 == commitment(plan.seed)
    assert plan.locked_at is None


def test_another_rate_lays_the_seats_anew():
    eval_set = make_seated_set(queries=1, per_query=10, rate=0.0)

    declare_plan(eval_set=eval_set, rate=1.0, by=None)
    open_missing_seats(eval_set=eval_set)

    assert Seat.objects.count() == 20


def test_the_first_judgment_locks_the_plan():
    eval_set = make_seated_set()
    annotator = make_annotator(eval_set)

    give(annotator, take(annotator))

    assert get_plan(eval_set).locked_at == NOON
    with pytest.raises(PlanLockedError, match=r"A rate of 50% cannot be declared any more"):
        declare_plan(eval_set=eval_set, rate=0.5, by=None)


def test_declaring_the_same_plan_again_is_no_change():
    eval_set = make_seated_set(rate=0.25)
    annotator = make_annotator(eval_set)
    give(annotator, take(annotator))

    assert declare_plan(eval_set=eval_set, rate=0.25, by=None).seed == "a seed"


def test_a_rate_that_is_no_share_is_refused():
    with pytest.raises(PlanError, match="between 0"):
        declare_plan(eval_set=make_eval_set(), rate=20, by=None)


def test_imported_labels_take_the_seats_that_are_free():
    eval_set = make_seated_set(queries=1, per_query=3)
    labelled = Candidate.objects.first()
    annotator = Annotator.objects.create(eval_set=eval_set, name="qrels", kind=AnnotatorKind.FILE)
    judgment = import_label(labelled, annotator)
    extra = import_label(labelled, Annotator.objects.create(eval_set=eval_set, name="another"))

    assert fill_seats(eval_set=eval_set) == 1

    judgment.refresh_from_db()
    extra.refresh_from_db()
    assert judgment.seat == Seat.objects.get(candidate=labelled)
    assert not judgment.seat.is_open
    assert extra.seat is None
    assert Seat.objects.open().count() == 2


def test_labels_imported_before_the_pool_take_seats_when_these_open():
    eval_set = make_eval_set()
    make_pool(eval_set, [make_query(eval_set)], per_query=2)
    annotator = Annotator.objects.create(eval_set=eval_set, name="qrels", kind=AnnotatorKind.FILE)
    judgment = import_label(Candidate.objects.first(), annotator)
    declare_plan(eval_set=eval_set, rate=1, by=None)

    open_missing_seats(eval_set=eval_set)

    judgment.refresh_from_db()
    assert judgment.seat is not None
    assert Seat.objects.open().count() == 3
    assert get_plan(eval_set).locked_at is None


def test_a_new_plan_keeps_imported_labels():
    eval_set = make_seated_set(queries=1, per_query=2, rate=1)
    annotator = Annotator.objects.create(eval_set=eval_set, name="qrels", kind=AnnotatorKind.FILE)
    import_label(Candidate.objects.first(), annotator)
    fill_seats(eval_set=eval_set)

    declare_plan(eval_set=eval_set, rate=0, by=None)
    open_missing_seats(eval_set=eval_set)

    assert Judgment.objects.get().seat is not None
    assert Seat.objects.open().count() == 1
