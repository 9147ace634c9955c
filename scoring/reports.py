"""Reports of runs on gold set versions: found where they were computed before, else computed and kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import IntegrityError, transaction

from evalsets.models import GoldSet, Run, Scale, Snapshot, Unit
from scoring.contents import describe_page, list_rows
from scoring.engine import ENGINE_VERSION
from scoring.engine.lists import ListError
from scoring.engine.reporting import plain, to_json
from scoring.engine.settings import ScoringError, Settings
from scoring.models import Report
from scoring.offline.exits import CommandError
from scoring.offline.gold import BINARY_GRADE, HIGHEST_GRADE
from scoring.offline.report import Report as Scored
from scoring.offline.report import make_report
from scoring.offline.runs import check_run_belongs, with_sections_from_ids
from scoring.reading import day_of, read_gold, read_lifecycles, read_run
from scoring.shown import shown_measures

if TYPE_CHECKING:
    from django.contrib.auth.models import User


class ReportError(Exception):
    """Why a run cannot be scored on a gold set. Its text is shown to the person who asked."""


@dataclass(frozen=True)
class Choice:
    """What one report is of. Its fields other than gold_set and run default to what the gold set declares."""

    gold_set: GoldSet
    run: Run
    depth_n: int
    depth_k: int
    threshold: int
    gain: str
    split: str = ""

    @classmethod
    def of(
        cls,
        gold_set: GoldSet,
        run: Run,
        *,
        n: int | None = None,
        k: int | None = None,
        threshold: int | None = None,
        gain: str = "",
        split: str = "",
    ) -> Choice:
        """Fill up what is not chosen from the gold set's header. Raises ReportError where k is larger than N."""
        header = gold_set.header
        depth_n, depth_k = n or int(header["depth_n"]), k or int(header["depth_k"])
        if depth_k > depth_n:
            raise ReportError(f"k is {depth_k} and N is {depth_n}; k, the depth of the context, is at most N.")
        highest = highest_grade(gold_set)
        if threshold is not None and threshold > highest:
            raise ReportError(f"Grade {threshold} is above the highest grade of the gold set, {highest}.")
        return cls(
            gold_set, run, depth_n, depth_k, threshold or int(header["threshold"]), gain or header["gain"], split
        )

    def key(self) -> dict[str, object]:
        """The values that no two reports share, with the version of the engine that is here now."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__} | {"engine_version": ENGINE_VERSION}

    def overridden(self) -> list[str]:
        """What was asked for against the gold set's own declaration, in sentences."""
        header = self.gold_set.header
        pairs = [
            ("threshold", self.threshold),
            ("gain", self.gain),
            ("depth_n", self.depth_n),
            ("depth_k", self.depth_k),
        ]
        words = {"depth_n": "depth", "depth_k": "k"}
        return [
            f"{words.get(name, name)} {given} was asked for; the gold set declares {header[name]}"
            for name, given in pairs
            if given != header[name]
        ]


def highest_grade(gold_set: GoldSet) -> int:
    """The highest grade on the gold set's scale."""
    return BINARY_GRADE if gold_set.header.get("scale") == Scale.BINARY else HIGHEST_GRADE


def find_report(choice: Choice) -> Report | None:
    """The report of this choice, if it has been computed."""
    return Report.objects.filter(**choice.key()).select_related("gold_set__eval_set", "run__retriever").first()


def find_reports(choices: Sequence[Choice]) -> dict[int, Report]:
    """The reports of one choice for many runs that have been computed, by the run's key; without documents and rows, in one query."""
    if not choices:
        return {}
    key = choices[0].key() | {"run__in": [choice.run.pk for choice in choices]}
    del key["run"]
    return {report.run_id: report for report in Report.objects.filter(**key).defer("document", "rows")}


def can_compute_at_once(run: Run) -> bool:
    """Whether a page may wait for the report of this run."""
    return run.result_count <= settings.RESULTS_SCORED_AT_ONCE


def get_report(choice: Choice, *, by: User | None) -> Report:
    """The report of this choice, computed and kept if it was not there. Raises ReportError where it cannot be computed."""
    return find_report(choice) or compute_report(choice, by=by)


def compute_report(choice: Choice, *, by: User | None) -> Report:
    """Score the run and keep the report; two at once keep one. Raises ReportError."""
    scored, snapshot = score(choice)
    document = scored.document()
    fields = {
        "document": to_json(document),
        "page": plain(describe_page(choice, scored, snapshot) | {"document": without_rows(document)}),
        "rows": list_rows(scored, shown_measures(n=choice.depth_n, k=choice.depth_k, max_grade=scored.gold.max_grade)),
    }
    try:
        with transaction.atomic():
            return Report.objects.create(**choice.key(), **fields, computed_by=by)
    except IntegrityError:
        found = find_report(choice)
        if found is None:
            raise
        return found


def score(choice: Choice) -> tuple[Scored, Snapshot | None]:
    """Read gold set and run and score them in the very way of the offline command, with the snapshot's documents beside."""
    gold, run = read_gold(choice.gold_set), read_run(choice.run)
    snapshot = choice.run.snapshot
    if gold.unit == Unit.SECTION and not (run.results["section_id"] != "").any():
        run = with_sections_from_ids(run)
    measures = list(shown_measures(n=choice.depth_n, k=choice.depth_k, max_grade=gold.max_grade).values())
    asked = Settings(
        unit=gold.unit,
        threshold=choice.threshold,
        gain=choice.gain,
        depth=choice.depth_n,
        k=choice.depth_k,
        max_grade=gold.max_grade,
        split=choice.split or None,
    )
    try:
        check_run_belongs(run, gold)
        scored = make_report(
            gold,
            run,
            asked,
            measures,
            asked=choice.overridden(),
            documents=read_lifecycles(snapshot) if snapshot else None,
            on=day_of(choice.run),
        )
    except (CommandError, ListError, ScoringError) as error:
        raise ReportError(str(error)) from error
    return scored, snapshot


def without_rows(document: dict[str, object]) -> dict[str, object]:
    """The document without its values per query: what a page needs of it."""
    return {name: value for name, value in document.items() if name not in ("queries", "synthetic")}
