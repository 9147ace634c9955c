"""What the demo's annotators would say: read from `evalsets/demo`, as its README describes."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

import evalsets
from labelling.judging import Verdict
from labelling.models import CannotJudge

FOLDER = Path(evalsets.__file__).parent / "demo"

Unit = tuple[str, str, str]  # query id, document id, section id


@dataclass(frozen=True)
class Decision:
    """How the lead decided one case."""

    grade: int
    reason_code: str
    reason: str
    rewrite: bool


@dataclass(frozen=True)
class Script:
    """Reference grades, where each annotator departs from them, what could not be judged, and the lead's decisions."""

    grades: dict[Unit, int]
    verdicts: dict[tuple[str, Unit], Verdict]
    decisions: dict[Unit, Decision]
    rubric: dict[str, Any] = field(default_factory=dict)

    def verdict_of(self, annotator: str, unit: Unit) -> Verdict:
        """What this annotator says of this unit: the reference grade unless the script says otherwise."""
        return self.verdicts.get((annotator, unit)) or Verdict(grade=self.grades.get(unit, 0))


def read_script() -> Script:
    """Read the demo's files."""
    people = _load("annotators.yaml")
    verdicts: dict[tuple[str, Unit], Verdict] = {
        (row["annotator"], _unit(row)): Verdict(grade=row["grade"], note=row["note"]) for row in people["deviations"]
    }
    for row in people["cannot_judge"]:
        verdicts[row["annotator"], _unit(row)] = Verdict(cannot_judge=CannotJudge.OTHER, note=row["reason"])
    decisions = {
        _unit(row): Decision(row["final_grade"], row["reason"], row["note"], bool(row["rewrite"]))
        for row in people["adjudications"]
    }
    grades = {
        (query_id, row["document_id"], row["section_id"]): row["grade"]
        for query_id, rows in _load("grades.yaml").items()
        for row in rows
    }
    return Script(grades=grades, verdicts=verdicts, decisions=decisions, rubric=_load("rubric.yaml"))


def rubric_definitions(rubric: dict[str, Any]) -> list[dict[str, Any]]:
    """The rubric's grades as `write_rubric` takes them."""
    return [
        {
            "grade": row["grade"],
            "label": row["label"],
            "definition": " ".join(row["definition"].split()),
            "example": f"“{row['example']['query']}”, {row['example']['document_id']} #{row['example']['section_id']}: "
            + " ".join(row["example"]["why"].split()),
        }
        for row in rubric["grades"]
    ]


def _load(name: str) -> Any:
    return yaml.safe_load((FOLDER / name).read_text(encoding="utf-8"))


def _unit(row: dict[str, Any]) -> Unit:
    return (row["query"], row["document_id"], row["section_id"])
