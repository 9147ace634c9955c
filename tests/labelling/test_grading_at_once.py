"""Several processes grade at once, and some of them are killed. Each has its own connection to a real database."""

import json
from collections import Counter
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from labelling.models import Judgment, Seat
from labelling.queue import LEASE, take_next
from tests.labelling import grading_process
from tests.labelling.queue_steps import give, make_annotator, make_seated_set, take

pytestmark = pytest.mark.django_db(transaction=True)


def test_eight_processes_lose_no_judgment_and_judge_no_seat_twice():
    eval_set = make_seated_set(queries=6, per_query=40, rate=0.3)
    seats = Seat.objects.count()
    annotators = [make_annotator(eval_set) for _ in range(8)]

    processes = [grading_process.start("grade", annotator.pk, connection.settings_dict) for annotator in annotators]
    answers = [json.loads(process.communicate(timeout=120)[0]) for process in processes]

    assert [process.returncode for process in processes] == [0] * 8
    sent = [request_id for answer in answers for _candidate, request_id, _outcome in answer["given"]]
    kept = Judgment.objects.live()
    assert {str(request_id) for request_id in kept.values_list("request_id", flat=True)} == set(sent)
    assert len(sent) == seats == kept.values("seat").distinct().count()
    assert not Seat.objects.open().exists()
    assert max(Counter(kept.values_list("candidate", "annotator")).values()) == 1
    assert {outcome for answer in answers for _candidate, _request, outcome in answer["given"]} == {"FILLED"}


def test_a_process_killed_between_lease_and_grade_gives_the_seat_back():
    eval_set = make_seated_set(queries=1, per_query=1)
    killed, other = make_annotator(eval_set), make_annotator(eval_set)

    kill_when_ready(grading_process.start("lease", killed.pk, connection.settings_dict))

    seat = Seat.objects.get()
    assert (seat.is_open, seat.leased_by) == (True, killed)
    assert take_next(annotator=other, at=timezone.now()) is None
    assert take(other, timezone.now() + LEASE + timedelta(seconds=1)) == seat


def test_a_process_killed_while_judging_leaves_nothing_half_written():
    eval_set = make_seated_set(queries=1, per_query=1)
    killed = make_annotator(eval_set)

    kill_when_ready(grading_process.start("judge", killed.pk, connection.settings_dict))

    assert not Judgment.objects.exists()
    seat = take(killed, timezone.now())
    assert give(killed, seat, at=timezone.now()).outcome.name == "FILLED"


def kill_when_ready(process):
    assert process.stdout.readline() == "ready\n"
    process.kill()
    process.wait(timeout=10)
    process.stdout.close()
