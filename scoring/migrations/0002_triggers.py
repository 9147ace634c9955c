"""A report stays as it was computed, also for SQL that passes the model by."""

from django.db import migrations

from evalsets.triggers import ALWAYS, refusals

RULES = [("scoring_report", "UPDATE", ALWAYS, "a report is written once and never changed")]


class Migration(migrations.Migration):
    dependencies = [("scoring", "0001_initial")]
    operations = [refusals(RULES)]
