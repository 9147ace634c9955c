"""`manage.py publish_gold EVAL_SET [--notes TEXT] [--take-lower] [--accept-unresolved] [--json]`: freeze the next gold set version."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from evalsets.management.eval_set_command import EvalSetCommand, refuse
from evalsets.models import EvalSet
from labelling.gold_content import count_provenances
from labelling.publishing import Proposal, PublishingError, UnresolvedError, propose_gold_set, publish_gold_set


class Command(EvalSetCommand):
    """Says what is unresolved first, and publishes nothing while that is not accepted."""

    help = "Publish the labels of an eval set as its next gold set version."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--notes", default="", help="What is to be said about this version.")
        parser.add_argument(
            "--take-lower",
            action="store_true",
            help="Settle labels one grade apart on the same side of the threshold by the lower one.",
        )
        parser.add_argument(
            "--accept-unresolved", action="store_true", help="Publish although something is unresolved."
        )
        parser.add_argument("--check", action="store_true", help="Only say what is unresolved; publish nothing.")

    def run(self, eval_set: EvalSet, options: dict[str, Any]) -> tuple[dict[str, Any], str]:
        chosen = {"notes": options["notes"], "take_lower": options["take_lower"]}
        now = timezone.now()
        if options["check"]:
            return _tell_checks(eval_set, propose_gold_set(eval_set=eval_set, at=now, **chosen))
        try:
            gold_set = publish_gold_set(
                eval_set=eval_set, by=None, at=now, accept_unresolved=options["accept_unresolved"], **chosen
            )
        except UnresolvedError as error:
            raise refuse(f"Nothing was published. {error} Settle it, or add --accept-unresolved.") from error
        except PublishingError as error:
            raise refuse(f"Nothing was published. {error}") from error
        result = {
            "eval_set": eval_set.slug,
            "number": gold_set.number,
            "sha256": gold_set.sha256,
            "queries": gold_set.query_count,
            "labels": gold_set.label_count,
            "agreement": gold_set.header["agreement"],
            "resolution": gold_set.header["resolution"],
        }
        words = (
            f"Version {gold_set.number} of {eval_set}: {gold_set.query_count} queries, {gold_set.label_count} labels."
        )
        return result, f"{words}\nSHA-256 {gold_set.sha256}"


def _tell_checks(eval_set: EvalSet, proposal: Proposal) -> tuple[dict[str, Any], str]:
    checks = [
        {"key": check.key, "state": check.state.value, "count": check.count, "sentence": check.sentence}
        for check in proposal.checks
    ]
    labels = dict(count_provenances(proposal.draft.content))
    result = {"eval_set": eval_set.slug, "checks": checks, "labels": labels}
    return result, "\n".join(f"{check.state.value}: {check.label}. {check.sentence}" for check in proposal.checks)
