"""How long freezing, exporting and importing a gold set take, as shares of publishing it.

python -m benchmarks.publishing [--labels 9000]
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable
from typing import Any

import django


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    began = time.perf_counter()
    return work(), time.perf_counter() - began


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--labels", type=int, default=9000)
    options = parser.parse_args()
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    django.setup()
    from django.db import connection

    own_name = connection.settings_dict["NAME"]
    connection.creation.create_test_db(verbosity=0, autoclobber=True)
    try:
        measure(options.labels)
    finally:
        connection.creation.destroy_test_db(own_name, verbosity=0)
    return 0


def measure(labels: int) -> None:
    from django.utils import timezone

    from evalsets.gold_sets import export_gold_set, import_gold_set
    from labelling.publishing import publish_gold_set
    from tests.factories import make_eval_set
    from tests.labelling.label_frames import labels_of_coders
    from tests.labelling.label_steps import import_frame

    eval_set, elsewhere, now = make_eval_set(), make_eval_set(), timezone.now()
    import_frame(eval_set, labels_of_coders([[number % 4 for number in range(labels)]], per_query=40))
    gold_set, publishing = timed(lambda: publish_gold_set(eval_set=eval_set, by=None, at=now, accept_unresolved=True))
    data, exporting = timed(lambda: export_gold_set(gold_set))
    _, importing = timed(lambda: import_gold_set(eval_set=elsewhere, data=data, by=None, at=now))
    print(f"{labels} labels: publishing {publishing:.2f} s, a zip of {len(data) / 1e6:.1f} MB")
    print(f"  exporting {exporting / publishing:.2f}, importing {importing / publishing:.2f} times that")


if __name__ == "__main__":
    sys.exit(main())
