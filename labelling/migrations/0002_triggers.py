"""Judgments, adjudications and rubrics are added, never changed: only the mark of being replaced moves."""

from django.db import migrations

from evalsets.triggers import ALWAYS, refusals

JUDGMENT = (
    "UPDATE OF candidate_id, annotator_id, grade, cannot_judge, note, rubric_id, text_sha256, origin, request_id, seconds,"
    " context_opened, judged_at"
)
ADJUDICATION = (
    "UPDATE OF candidate_id, outcome, grade, reason_code, reason, rubric_id, request_id, adjudicated_at, adjudicated_by_id"
)

RULES = [
    ("labelling_rubric", "UPDATE", ALWAYS, "a rubric version is written once and never changed"),
    ("labelling_judgment", JUDGMENT, ALWAYS, "a judgment is never changed; a correction is a new one"),
    ("labelling_adjudication", ADJUDICATION, ALWAYS, "an adjudication is never changed; a later decision is a new one"),
]


class Migration(migrations.Migration):
    dependencies = [("labelling", "0001_initial")]
    operations = [refusals(RULES)]
