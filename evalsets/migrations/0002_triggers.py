"""Frozen rows stay as they are, also for SQL that passes the models by."""

from django.db import migrations

from evalsets.triggers import ALWAYS, refusals

WRITTEN_ONCE = ["document", "section", "answer", "result", "pool", "goldset", "goldquery", "goldlabel"]

RULES = [
    *[(f"evalsets_{name}", "UPDATE", ALWAYS, f"a {name} is written once and never changed") for name in WRITTEN_ONCE],
    ("evalsets_snapshot", "UPDATE", "OLD.frozen_at IS NOT NULL", "this snapshot is frozen"),
    ("evalsets_run", "UPDATE", "OLD.frozen_at IS NOT NULL", "this run is frozen"),
    (
        "evalsets_document",
        "INSERT",
        "EXISTS (SELECT 1 FROM evalsets_snapshot s WHERE s.id = NEW.snapshot_id AND s.frozen_at IS NOT NULL)",
        "the snapshot of this document is frozen",
    ),
    (
        "evalsets_answer",
        "INSERT",
        "EXISTS (SELECT 1 FROM evalsets_run r WHERE r.id = NEW.run_id AND r.frozen_at IS NOT NULL)",
        "the run of this answer is frozen",
    ),
]


class Migration(migrations.Migration):
    dependencies = [("evalsets", "0001_initial")]
    operations = [refusals(RULES)]
