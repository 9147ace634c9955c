"""One annotator as a process of its own, with its own connection: `python -m tests.labelling.grading_process MODE ANNOTATOR`.

`grade` grades until nothing is left and prints, as JSON, which (candidate, request id) were judged, how, and how long each
submit-and-next took in seconds. `lease` takes a lease, `judge` judges inside a transaction that never ends; both say so and wait to be killed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import uuid
from typing import Any


def environment(settings_dict: dict[str, Any]) -> dict[str, str]:
    """What a process needs in its environment to work on the database of these connection settings."""
    if settings_dict["ENGINE"].endswith("sqlite3"):
        url = f"sqlite:///{settings_dict['NAME']}"
    else:
        user, host, port = settings_dict["USER"], settings_dict["HOST"], settings_dict["PORT"]
        url = f"postgres://{user}:{settings_dict['PASSWORD']}@{host}:{port}/{settings_dict['NAME']}"
    return os.environ | {"DATABASE_URL": url, "PLUMBLINE_LOCAL": "1", "DJANGO_SETTINGS_MODULE": "config.settings"}


def start(mode: str, annotator_pk: int, settings_dict: dict[str, Any]) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.labelling.grading_process", mode, str(annotator_pk)]
    return subprocess.Popen(command, env=environment(settings_dict), stdout=subprocess.PIPE, text=True)


def main(mode: str, annotator_pk: int) -> None:
    import django

    django.setup()
    from django.db import transaction

    from labelling.models import Annotator
    from labelling.queue import take_next

    annotator = Annotator.objects.get(pk=annotator_pk)
    if mode == "grade":
        print(json.dumps(grade(annotator)))
    elif mode == "lease":
        take_next(annotator=annotator, at=now())
        wait_to_be_killed()
    else:
        seat = take_next(annotator=annotator, at=now())
        with transaction.atomic():
            submit(annotator, seat)
            wait_to_be_killed()


def grade(annotator: Any) -> dict[str, Any]:
    from labelling.queue import take_next

    given, seconds = [], []
    seat = take_next(annotator=annotator, at=now())
    while seat is not None:
        began = time.perf_counter()
        request_id, outcome = submit(annotator, seat)
        given.append([seat.candidate_id, request_id, outcome])
        seat = take_next(annotator=annotator, at=now())
        seconds.append(time.perf_counter() - began)
    return {"given": given, "seconds": seconds}


def submit(annotator: Any, seat: Any) -> tuple[str, str]:
    from labelling.judging import Verdict, judge

    request_id = uuid.uuid4()
    grade = (seat.candidate_id + annotator.pk) % 4
    judged = judge(
        candidate=seat.candidate,
        annotator=annotator,
        verdict=Verdict(grade=grade),
        request_id=request_id,
        at=now(),
    )
    return str(request_id), judged.outcome.name


def now() -> Any:
    from django.utils import timezone

    return timezone.now()


def wait_to_be_killed() -> None:
    print("ready", flush=True)
    time.sleep(600)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
