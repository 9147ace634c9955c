"""How long an annotator waits: submit-and-next with several processes that grade at once without pause.

    python -m benchmarks.grading [--processes 8] [--queries 50] [--per-query 40] [--rate 0.2]

Makes a test database of its own on the server that DATABASE_URL names (or an SQLite file), and destroys it. Prints throughput and the
waiting times, and ends with status 1 when anything was lost or doubled, or when somebody waited for more than a second.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time

import django

LONGEST_WAIT = 1.0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--processes", type=int, default=8)
    parser.add_argument("--queries", type=int, default=50)
    parser.add_argument("--per-query", type=int, default=40)
    parser.add_argument("--rate", type=float, default=0.2)
    options = parser.parse_args()
    if "DATABASE_URL" in os.environ:
        # The settings of the tests take it under this name, so that nobody tests on a database in use by accident.
        os.environ["TEST_DATABASE_URL"] = os.environ["DATABASE_URL"]
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    django.setup()
    from django.db import connection

    own_name = connection.settings_dict["NAME"]
    connection.creation.create_test_db(verbosity=0, autoclobber=True)
    try:
        return measure(options)
    finally:
        connection.creation.destroy_test_db(own_name, verbosity=0)


def measure(options: argparse.Namespace) -> int:
    from django.db import connection

    from labelling.models import Judgment, Seat
    from tests.labelling import grading_process
    from tests.labelling.queue_steps import make_annotator, make_seated_set

    eval_set = make_seated_set(queries=options.queries, per_query=options.per_query, rate=options.rate)
    annotators = [make_annotator(eval_set) for _ in range(options.processes)]
    seats = Seat.objects.count()
    began = time.perf_counter()
    processes = [grading_process.start("grade", annotator.pk, connection.settings_dict) for annotator in annotators]
    answers = [json.loads(process.communicate()[0]) for process in processes]
    took = time.perf_counter() - began

    waits = sorted(seconds for answer in answers for seconds in answer["seconds"])
    sent = {request_id for answer in answers for _candidate, request_id, _outcome in answer["given"]}
    kept = {str(request_id) for request_id in Judgment.objects.live().values_list("request_id", flat=True)}
    lost, doubled = len(sent - kept), len(waits) - Judgment.objects.live().values("seat").distinct().count()
    candidates = options.queries * options.per_query
    print(f"{connection.vendor}: {options.processes} processes, {seats} seats at {candidates} candidates")
    print(f"  {len(waits) / took:.0f} judgments a second, the start of the processes included")
    for name, share in (("median", 0.5), ("p95", 0.95), ("p99", 0.99), ("longest", 1.0)):
        print(f"  {name:>7} {1000 * waits[int(share * (len(waits) - 1))]:8.1f} ms")
    print(f"  lost {lost}, judged twice {doubled}, left open {Seat.objects.open().count()}")
    return 1 if lost or doubled or waits[-1] > LONGEST_WAIT else 0


if __name__ == "__main__":
    sys.exit(main())
