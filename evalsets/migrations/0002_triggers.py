"""Frozen rows stay as they are, also for SQL that passes the models by."""

from django.db import migrations

from evalsets.triggers import ALWAYS, refusals

WRITTEN_ONCE = ["document", "section", "answer", "result", "pool", "goldset", "goldquery", "goldlabel"]

# Not `created_by_id` and `job_id`: they are emptied when an account or a job goes.
SNAPSHOT_TABLE, RUN_TABLE = "evalsets_snapshot", "evalsets_run"
SNAPSHOT_CONTENT = "corpus_id, number, source, sha256, document_count, frozen_at"
RUN_CONTENT = (
    "eval_set_id, retriever_id, snapshot_id, number, state, config, config_sha256, versions, depth, source, warnings, sha256, "
    "result_count, started_at, frozen_at"
)

RULES = [
    *[(f"evalsets_{name}", "UPDATE", ALWAYS, f"a {name} is written once and never changed") for name in WRITTEN_ONCE],
    (SNAPSHOT_TABLE, f"UPDATE OF {SNAPSHOT_CONTENT}", "OLD.frozen_at IS NOT NULL", "this snapshot is frozen"),
    (RUN_TABLE, f"UPDATE OF {RUN_CONTENT}", "OLD.frozen_at IS NOT NULL", "this run is frozen"),
    (
        "evalsets_document",
        "INSERT",
        "EXISTS (SELECT 1 FROM evalsets_snapshot s WHERE s.id = NEW.snapshot_id AND s.frozen_at IS NOT NULL)",
        "the snapshot of this document is frozen",
    ),
    (
        "evalsets_section",
        "INSERT",
        "EXISTS (SELECT 1 FROM evalsets_document d JOIN evalsets_snapshot s ON s.id = d.snapshot_id "
        "WHERE d.id = NEW.document_id AND s.frozen_at IS NOT NULL)",
        "the snapshot of this section is frozen",
    ),
    (
        "evalsets_result",
        "INSERT",
        "EXISTS (SELECT 1 FROM evalsets_answer a JOIN evalsets_run r ON r.id = a.run_id "
        "WHERE a.id = NEW.answer_id AND r.frozen_at IS NOT NULL)",
        "the run of this result is frozen",
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
