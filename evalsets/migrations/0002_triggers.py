"""Frozen rows stay as they are, also for SQL that passes the models by."""

from django.db import migrations

from evalsets.triggers import ALWAYS, refusals

WRITTEN_ONCE = ["document", "section", "answer", "result", "pool", "goldset", "goldquery", "goldlabel"]

# Who imported or ran it, and the job that did, are no part of the content: they go when an account or an old job is deleted.
SNAPSHOT = "UPDATE OF corpus_id, number, source, sha256, document_count, created_at, frozen_at"
RUN = (
    "UPDATE OF eval_set_id, retriever_id, snapshot_id, number, state, config, config_sha256, versions, depth, source, warnings, sha256,"
    " result_count, started_at, created_at, frozen_at"
)

RULES = [
    *[(f"evalsets_{name}", "UPDATE", ALWAYS, f"a {name} is written once and never changed") for name in WRITTEN_ONCE],
    ("evalsets_snapshot", SNAPSHOT, "OLD.frozen_at IS NOT NULL", "this snapshot is frozen"),
    ("evalsets_run", RUN, "OLD.frozen_at IS NOT NULL", "this run is frozen"),
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
