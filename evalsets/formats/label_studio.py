"""Label Studio's JSON export: tasks with annotations; predictions are never read as labels."""

from collections.abc import Mapping
from typing import Any

from evalsets.formats.decoding import decoded
from evalsets.formats.grades import Graded, pairs_option
from evalsets.formats.json_text import json_items
from evalsets.formats.label_rows import LabelCollector, LabelsFound
from evalsets.formats.labels import COLUMN_NAMES, simplified
from evalsets.formats.problems import Problem, check_choices
from evalsets.formats.query_rows import QueryRow, id_from_text
from evalsets.formats.records import Record

TASK_FIELDS = ("query_id", "query", "doc_id", "section_id", "passage")


def read_export(
    data: bytes | str,
    *,
    name: str,
    mapping: Mapping[str, object] | str | None = None,
    columns: Mapping[str, object] | str | None = None,
    control: str | None = None,
    encoding: str | None = None,
) -> LabelsFound:
    """Read an export of tasks as labels; nothing raises, all problems are in the result.

    `columns` names the keys of a task's `data` that hold the fields of TASK_FIELDS ("doc_id=docid, query=question"), by default
    their usual names. `control` is the tag (`from_name`) of the choices or rating that is the grade, needed where an annotation
    has several. Cancelled and empty annotations are skipped and counted; one annotator twice on one task is a problem.
    An annotator is named by address where the export has it, else by number.
    """
    del name  # every reader is called in one way; this format is known by its content alone
    found = LabelsFound(format="label_studio")
    text = decoded(data, encoding, found.problems)
    found.mapping = pairs_option(mapping, "mapping", found)
    wanted = {key: str(value) for key, value in pairs_option(columns, "columns", found).items()}
    check_choices(found, **{f"columns ({key})": (key, TASK_FIELDS) for key in wanted})
    collector = LabelCollector(found)
    if text is None or not found.ok:
        return collector.finish()
    tasks: list[tuple[int, dict[str, Any]]] = []
    for line, item in json_items(text, found.problems):
        found.rows_read += 1
        if isinstance(item, dict) and isinstance(item.get("data"), dict):
            tasks.append((line, item))
        else:
            found.problems.append(Problem(line, "data", str(item), "a task: an object with data and annotations"))
    reader = _Tasks(collector, wanted, control or None, _addresses(tasks))
    for line, task in tasks:
        reader.add(task, line)
    return collector.finish()


def _addresses(tasks: list[tuple[int, dict[str, Any]]]) -> dict[str, str]:
    """Return the address of each annotator number, wherever in the export it is given."""
    people = [
        item["completed_by"]
        for _, task in tasks
        for item in _annotations(task)
        if isinstance(item, dict) and isinstance(item.get("completed_by"), dict)
    ]
    return {
        str(person.get("id")): person["email"]
        for person in people
        if isinstance(person.get("email"), str) and person["email"]
    }


def _annotations(task: dict[str, Any]) -> list[Any]:
    """Return a task's annotations, under the name that the version of the export gives them."""
    items = task.get("annotations", task.get("completions"))
    return items if isinstance(items, list) else []


class _Tasks:
    """Turns tasks into labels."""

    def __init__(
        self, collector: LabelCollector, wanted: dict[str, str], control: str | None, addresses: dict[str, str]
    ) -> None:
        self.collector, self.found = collector, collector.found
        self.wanted, self.control, self.addresses = wanted, control, addresses
        self.queries: set[str] = set()

    def add(self, task: dict[str, Any], line: int) -> None:
        fields = self._fields(Record(task["data"], line=line, problems=self.found.problems))
        self.collector.add_pair(fields["query_id"] or fields["query_text"], fields["doc_id"], fields["section_id"])
        text = fields["query_text"]
        if text and text not in self.queries:
            self.queries.add(text)
            query_id = fields["query_id"] or id_from_text(text, prefix="q")
            self.found.queries.append(QueryRow(query_id, text, source="Label Studio", line=line))
        record = Record(task, line=line, problems=self.found.problems)
        seen: set[str] = set()
        if not isinstance(task.get("annotations", task.get("completions")), list | None):
            record.complain("annotations", task.get("annotations"), "a list of annotations")
        for item in _annotations(task):
            if isinstance(item, dict):
                self._annotation(Record(item, line=line, problems=self.found.problems), fields, seen)
            else:
                record.complain("annotations", item, "an object for each annotation")

    def _fields(self, record: Record) -> dict[str, str]:
        present = {simplified(name): name for name in reversed(list(record.values))}
        names = {
            field: self.wanted.get(field)
            or next((present[item] for item in COLUMN_NAMES[field] if item in present), field)
            for field in TASK_FIELDS
        }
        has_id = names["query_id"] in record.values
        return {
            "query_id": record.identifier(names["query_id"]) if has_id else "",
            "query_text": record.text(names["query"], required=not has_id),
            "doc_id": record.identifier(names["doc_id"]),
            "section_id": record.identifier(names["section_id"], required=False),
            "passage_text": record.text(names["passage"]),
        }

    def _annotation(self, record: Record, fields: dict[str, str], seen: set[str]) -> None:
        if record.flag("was_cancelled", default=False):
            self.found.skip("cancelled annotation")
            return
        results = [item for item in record.items("result", record.values.get("result")) if isinstance(item, dict)]
        values = self._values(record, results)
        if values is None:
            return
        if not values:
            self.found.skip("empty annotation")
            return
        annotator = self._annotator(record)
        if annotator and annotator in seen:
            expected = f"one annotation of an annotator on one task (document {fields['doc_id']!r})"
            record.complain("completed_by", annotator, expected)
            return
        seen.add(annotator)
        said = Graded(expected="one choice") if len(values) > 1 else None
        value: Any = values if len(values) > 1 else values[0]
        self.collector.add(value, **fields, annotator=annotator, note=_note(results), line=record.line, said=said)

    def _values(self, record: Record, results: list[dict[str, Any]]) -> list[Any] | None:
        """Return the chosen grades of an annotation, or None after complaining that several controls hold one."""
        by_control: dict[str, list[Any]] = {}
        for item in results:
            value = item.get("value")
            if not isinstance(value, dict):
                continue
            chosen = (
                value.get("choices")
                if isinstance(value.get("choices"), list)
                else [value[key] for key in ("rating", "number") if key in value]
            )
            if chosen:
                by_control.setdefault(str(item.get("from_name", "")), []).extend(chosen)
        if self.control:
            return by_control.get(self.control, [])
        if len(by_control) > 1:
            record.complain("from_name", ", ".join(by_control), "one control with a grade; choose it with control=NAME")
            return None
        return next(iter(by_control.values()), [])

    def _annotator(self, record: Record) -> str:
        person = record.values.get("completed_by")
        if isinstance(person, dict):
            person = person.get("email") or person.get("id")
        if person is None:
            return ""
        shown = record.as_identifier("completed_by", person)
        return self.addresses.get(shown, shown)


def _note(results: list[dict[str, Any]]) -> str:
    """Return the texts of an annotation's free-text fields, one a line."""
    texts = [
        item["value"].get("text")
        for item in results
        if item.get("type") == "textarea" and isinstance(item.get("value"), dict)
    ]
    lines = [line for text in texts for line in (text if isinstance(text, list) else [text]) if isinstance(line, str)]
    return "\n".join(lines)
