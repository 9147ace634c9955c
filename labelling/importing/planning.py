"""What an import of labels would do: each label with its query, its unit and its annotator, and what contradicts what is here."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from evalsets.formats.label_rows import LabelRow, LabelsFound
from evalsets.formats.problems import Found, Problem
from evalsets.importing.lengths import check_lengths
from evalsets.importing.query_matching import Matched, Mention, match_queries
from evalsets.importing.registry import Target
from evalsets.importing.wording import counted, named
from evalsets.models import Candidate, EvalSet
from labelling.importing.units import LabelledUnits, UnitKey, find_foreign_passages
from labelling.models import Annotator, AnnotatorKind, CannotJudge, Judgment

IMPORTED = " (imported)"
LONGEST_NAME = 200
Graded = tuple[int | None, str]
QueryName = tuple[str, str]
_LENGTHS = {"doc_id": (Candidate, "doc_id"), "section_id": (Candidate, "section_id"), "annotator": (Annotator, "name")}


@dataclass(frozen=True)
class Rater:
    """Whose labels: the name that the annotator has or gets here, and whether it is a person or a whole file."""

    name: str
    kind: str


@dataclass(frozen=True)
class PlannedLabel:
    """One judgment that would be added. `text_sha256` is that of a foreign passage, "" where the unit's own text was judged."""

    row: LabelRow
    query_id: str
    unit: UnitKey
    rater: Rater
    graded: Graded
    text_sha256: str = ""


@dataclass
class LabelPlan:
    """All of it. `pairs` are the units that the file names, labelled or not; `said` has problems, warnings and what is left out."""

    labels: list[PlannedLabel] = field(default_factory=list)
    pairs: dict[tuple[str, UnitKey], None] = field(default_factory=dict)
    matched: Matched = field(default_factory=Matched)
    units: LabelledUnits | None = None
    said: Found = field(default_factory=Found)


def plan_labels(found: LabelsFound, target: Target) -> LabelPlan:
    """Return what importing these labels would do; nothing is written."""
    return _Planner(found, target).plan()


def graded_of(row: LabelRow) -> Graded:
    """Return (grade, "") or (None, code of the reason); a reason that we have no code for is "other"."""
    if row.grade is not None:
        return row.grade, ""
    return None, row.cannot_judge if row.cannot_judge in CannotJudge.values else CannotJudge.OTHER.value


def note_of(row: LabelRow) -> str:
    """Return the note of a label; a reason that we have no code for is kept there when there is no other note."""
    if row.grade is None and not row.note and row.cannot_judge not in CannotJudge.values:
        return row.cannot_judge
    return row.note


class _Planner:
    def __init__(self, found: LabelsFound, target: Target) -> None:
        self.found, self.target, self.eval_set = found, target, target.set
        self.result = LabelPlan()
        self.said = self.result.said
        self.raters = _Raters(self.eval_set, target)
        self.mentions: dict[QueryName, Mention] = {}

    def plan(self) -> LabelPlan:
        """Go through all labels once; problems and warnings are in `said`."""
        check_lengths(self.said, self.found.labels, _LENGTHS)
        self._check_scale()
        self._match_queries()
        units = LabelledUnits(self.eval_set, {(doc_id, section_id) for _, doc_id, section_id in self.found.pairs})
        self.result.units = units
        placed = [(row, query_id, unit) for row, query_id, unit in self._placed(units)]
        foreign = find_foreign_passages(((unit, row) for row, _, unit in placed), units)
        self._add(placed, foreign)
        self._add_pairs(units)
        self._leave_out_what_is_here()
        self._warn(units, len(foreign))
        return self.result

    def _check_scale(self) -> None:
        grades = self.eval_set.grades
        for row in self.found.labels:
            if row.grade is not None and row.grade not in grades:
                expected = (
                    f"a grade from {grades[0]} to {grades[-1]}, the scale of this eval set; choose mapping=VALUE=GRADE"
                )
                self.said.problems.append(Problem(row.line, "grade", str(row.grade), expected))

    def _match_queries(self) -> None:
        for row in self.found.labels:
            self.mentions.setdefault((row.query_id, row.query_text), Mention(row.query_id, row.query_text, row.line))
        self.by_name = {mention.query_id or mention.text: mention for mention in self.mentions.values()}
        by_id = any(row.query_id for row in self.found.labels)
        for name, _doc_id, _section_id in self.found.pairs:
            if name not in self.by_name:
                mention = Mention(name, "", None) if by_id else Mention("", name, None)
                self.by_name[name] = self.mentions[mention.query_id, mention.text] = mention
        self.result.matched = match_queries(
            self.said,
            self.mentions.values(),
            eval_set=self.eval_set,
            unknown=self.target.option("unknown_queries"),
            texts_must_agree=True,
            rows=self.found.queries,
        )

    def _placed(self, units: LabelledUnits) -> Iterable[tuple[LabelRow, str, UnitKey]]:
        """Yield (label, query id, unit) of the labels that have both."""
        for row in self.found.labels:
            mention = self.mentions[row.query_id, row.query_text]
            if mention in self.result.matched.skipped:
                self.said.skip("query not in the eval set")
                continue
            unit = units.find(row.doc_id, row.section_id, row.line)
            if isinstance(unit, Problem):
                self.said.problems.append(unit)
            elif mention in self.result.matched.ids:
                yield row, self.result.matched.ids[mention], unit

    def _add(self, placed: Iterable[tuple[LabelRow, str, UnitKey]], foreign: dict[tuple[UnitKey, str], str]) -> None:
        seen: dict[tuple[Rater, str, UnitKey], LabelRow] = {}
        for row, query_id, unit in placed:
            rater = self.raters.rater(row)
            first = seen.setdefault((rater, query_id, unit), row)
            if first is row:
                sha256 = foreign.get((unit, row.passage_text), "")
                self.result.labels.append(PlannedLabel(row, query_id, unit, rater, graded_of(row), sha256))
            elif graded_of(first) == graded_of(row):
                self.said.skip("the same label again")
            else:
                expected = f"one grade from {rater.name!r} for query {query_id!r} and document {row.doc_id!r}; line {first.line} says otherwise"
                self.said.problems.append(Problem(row.line, "grade", _shown(graded_of(row)), expected))

    def _add_pairs(self, units: LabelledUnits) -> None:
        for name, doc_id, section_id in self.found.pairs:
            query_id = self.result.matched.ids.get(self.by_name[name])
            unit = units.find(doc_id, section_id, None)
            if query_id and not isinstance(unit, Problem):
                self.result.pairs[query_id, unit] = None

    def _leave_out_what_is_here(self) -> None:
        """Drop labels that the same annotator has here already; one with another grade is a problem."""
        here = _live_judgments(self.eval_set, {label.rater.name for label in self.result.labels})
        new = []
        for label in self.result.labels:
            before = here.get((label.rater.name, label.query_id, label.unit))
            if before is None:
                new.append(label)
            elif before == label.graded:
                self.said.skip("here already, the same")
            else:
                expected = f"{_shown(before)}, which {label.rater.name!r} has here for query {label.query_id!r} and this document"
                self.said.problems.append(Problem(label.row.line, "grade", _shown(label.graded), expected))
        self.result.labels = new

    def _warn(self, units: LabelledUnits, foreign: int) -> None:
        outside = [
            doc_id
            for doc_id in dict.fromkeys(unit[0] for _, unit in self.result.pairs)
            if not units.is_in_snapshot(doc_id)
        ]
        if outside:
            snapshot = self.eval_set.snapshot
            where = f"in {snapshot}" if snapshot else "here, because the eval set has no documents yet"
            self.said.warnings.append(f"{counted(len(outside), 'labelled document')} not {where}: {named(outside)}")
        if foreign:
            self.said.warnings.append(
                f"{counted(foreign, 'passage')} of the file not found in the text that is here; the labels count as given on another text"
            )
        if self.raters.renamed:
            self.said.warnings.append(
                f"annotators whose name somebody here has already are kept apart, with{IMPORTED} after it: {named(sorted(self.raters.renamed))}"
            )


class _Raters:
    """Names the annotators of a file so that nobody is taken for somebody else."""

    def __init__(self, eval_set: EvalSet, target: Target) -> None:
        taken = Annotator.objects.filter(eval_set=eval_set).values_list("name", "kind", "user_id")
        self.taken = {name: None if user_id else kind for name, kind, user_id in taken}
        self.file = target.source[-LONGEST_NAME:]
        self.anonymous = target.option("repeats") == "anonymous"
        self.renamed: set[str] = set()
        self._known: dict[str, Rater] = {}

    def rater(self, row: LabelRow) -> Rater:
        """Return whose label it is. Without a name it is the file's; numbered anonymous annotators belong to their file."""
        if row.annotator not in self._known:
            kind = AnnotatorKind.PERSON if row.annotator else AnnotatorKind.FILE
            name = row.annotator or self.file
            if self.anonymous and row.annotator.startswith("anonymous "):
                name = f"{row.annotator} of {self.file}"[:LONGEST_NAME]
            if name in self.taken and self.taken[name] != kind.value:
                self.renamed.add(name)
                name = f"{name[: LONGEST_NAME - len(IMPORTED)]}{IMPORTED}"
            self._known[row.annotator] = Rater(name, kind.value)
        return self._known[row.annotator]


def _live_judgments(eval_set: EvalSet, names: set[str]) -> dict[tuple[str, str, UnitKey], Graded]:
    fields = ("annotator__name", "candidate__query__query_id", "candidate__doc_id", "candidate__section_id")
    rows = Judgment.objects.of(eval_set).live().filter(annotator__name__in=names)
    return {
        (name, query_id, (doc_id, section_id)): (grade, reason)
        for name, query_id, doc_id, section_id, grade, reason in rows.values_list(*fields, "grade", "cannot_judge")
    }


def _shown(graded: Graded) -> str:
    grade, reason = graded
    return str(grade) if grade is not None else f"cannot judge ({reason})"
