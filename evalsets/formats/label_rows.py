"""What existing labels consist of once they are read."""

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from evalsets.formats.document_rows import DocumentRow
from evalsets.formats.grades import Graded, Grading
from evalsets.formats.problems import Found, Problem, Repeats, by_line, count_values
from evalsets.formats.query_rows import QueryRow, lookalike_warning

REPEATS = ("anonymous",)


@dataclass(frozen=True, slots=True)
class LabelRow:
    """One judgment by one annotator ("" where unknown): a grade 0-3, or None with the reason for "cannot judge".

    `query_id` is "" where the file names its queries by their text only.
    """

    query_id: str
    query_text: str
    doc_id: str
    section_id: str = ""
    grade: int | None = None
    cannot_judge: str = ""
    annotator: str = ""
    note: str = ""
    passage_text: str = ""
    line: int | None = None

    @property
    def query(self) -> str:
        """What identifies the query in this file: its id, else its text."""
        return self.query_id or self.query_text


@dataclass
class LabelsFound(Found):
    """Labels as read. `values` counts each value of the grade column; `mapping` is the one that was stated.

    `pairs` are the distinct (query, document, section) of the file, graded or not; `queries` and `documents` are those whose
    text it carries.
    """

    labels: list[LabelRow] = field(default_factory=list)
    mapping: dict[str, object] = field(default_factory=dict)
    values: dict[str, int] = field(default_factory=dict)
    pairs: list[tuple[str, str, str]] = field(default_factory=list)
    queries: list[QueryRow] = field(default_factory=list)
    documents: list[DocumentRow] = field(default_factory=list)

    def frame(self) -> pd.DataFrame:
        """Return the grades as the columns query_id (the text where there is no id), doc_id, section_id, grade."""
        graded = [label for label in self.labels if label.grade is not None]
        return pd.DataFrame(
            {
                "query_id": np.array([label.query for label in graded], dtype=object),
                "doc_id": np.array([label.doc_id for label in graded], dtype=object),
                "section_id": np.array([label.section_id for label in graded], dtype=object),
                "grade": np.array([label.grade for label in graded], dtype=np.int64),
            }
        )


class LabelCollector:
    """Takes raw rows one by one, grades them, and finds repetitions; `finish` closes the result."""

    def __init__(self, found: LabelsFound, *, repeats: str | None = None) -> None:
        self.found, self.repeats = found, repeats
        self.grading = Grading(found.mapping, found)
        self.meanings: dict[str, Graded] = {}
        self.values: list[str] = []
        self.pairs: dict[tuple[str, str, str], None] = {}
        self.seen: Counter[tuple[Any, ...]] = Counter()
        self.unique = Repeats(found, field="grade", said_once="one grade from one annotator for")

    def add_pair(self, query: str, doc_id: str, section_id: str = "") -> None:
        """Note a (query, document, section) that the file names, graded or not."""
        self.pairs[(query, doc_id, section_id)] = None

    def add(
        self,
        value: object,
        *,
        query_id: str,
        doc_id: str,
        line: int | None,
        query_text: str = "",
        section_id: str = "",
        annotator: str = "",
        note: str = "",
        passage_text: str = "",
        said: Graded | None = None,
    ) -> None:
        """Add a label with the meaning of `value` (or the meaning `said`), unless it is left out, wrong or repeated."""
        graded = said or self._meaning(value)
        self.values.append("" if value is None else str(value))
        self.pairs[(query_id or query_text, doc_id, section_id)] = None
        if graded.expected:
            self.found.problems.append(Problem(line, "grade", str(value), graded.expected))
            return
        if graded.skipped:
            self.found.skip(graded.skipped)
            return
        grade, reason = graded.grade, graded.cannot_judge
        self._keep(
            LabelRow(query_id, query_text, doc_id, section_id, grade, reason, annotator, note, passage_text, line)
        )

    def _keep(self, row: LabelRow) -> None:
        """Keep a label unless the same annotator has already graded the same pair; "anonymous" makes that another annotator."""
        if not row.annotator and self.repeats == "anonymous":
            pair = (row.query, row.doc_id, row.section_id)
            self.seen[pair] += 1
            row = replace(row, annotator=f"anonymous {self.seen[pair]}")
        key = (row.query_id, "" if row.query_id else row.query_text, row.doc_id, row.section_id, row.annotator)
        content = row.cannot_judge if row.grade is None else row.grade
        if key in self.unique.first:
            about = f"query {row.query!r} and document {row.doc_id!r}"
            self.unique.is_new(key, content, line=row.line, shown=str(content), about=about)
        else:
            self.unique.first[key] = (row.line, content, "")
            self.found.labels.append(row)

    def _meaning(self, value: object) -> Graded:
        if not isinstance(value, str):
            return self.grading.read(value)
        graded = self.meanings.get(value)
        if graded is None:
            graded = self.meanings[value] = self.grading.read(value)
        return graded

    def finish(self) -> LabelsFound:
        """Add the warnings, sort the problems, and empty the rows where there are any."""
        found = self.found
        self.unique.warn()
        found.warnings += lookalike_warning(
            dict.fromkeys(label.query_text for label in found.labels if label.query_text)
        )
        found.values = count_values(self.values)
        found.pairs = list(self.pairs)
        found.problems = by_line(found.problems)
        if found.problems:
            found.labels, found.queries, found.documents = [], [], []
        elif not found.rows_read:
            found.warnings.append("the file holds no labels")
        return found
