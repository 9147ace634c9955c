"""The list that one run returned for one query, as it was scored: units in order with their grades, beside the gold units."""

from __future__ import annotations

from dataclasses import dataclass, field

import pandas as pd

from evalsets.models import Answer, Document, GoldLabel, GoldSet, Result, Run, Section, Stage, Unit
from scoring.engine.lists import ranked_units
from scoring.offline.runs import part_ids

# Passages of the first results are shown; below them titles are enough.
TEXTS = 20
LONGEST_TEXT = 600
DEEPEST_SHOWN = 100
NOT_THERE = "\u2013"

Key = tuple[str, str]


@dataclass
class Place:
    """One unit of a list: its rank there, its grade (None: unjudged) and what it says."""

    rank: int
    key: Key
    grade: int | None
    score: float | None
    title: str = ""
    heading: str = ""
    text: str = ""


@dataclass
class RankedList:
    """One stage of one run for one query. `more` units follow below those that are shown."""

    stage: str
    places: list[Place]
    more: int = 0


@dataclass
class GoldUnit:
    """One labelled unit, and its rank in each stage of a run (absent: not there)."""

    key: Key
    grade: int
    provenance: str
    title: str = ""
    heading: str = ""
    ranks: dict[str, int] = field(default_factory=dict)
    ranks_shown: list[str] = field(default_factory=list)


@dataclass
class QueryLists:
    """Everything about one query in one run: the answer, its lists by stage, and the gold units with their ranks."""

    run: Run
    answer: Answer | None
    lists: list[RankedList]
    gold: list[GoldUnit]


def read_query_lists(gold_set: GoldSet, run: Run, query_id: str) -> QueryLists:
    """Read what a run returned for a query and order it as scoring does. Raises ListError for a list that cannot be ordered."""
    answer = run.answers.filter(query__query_id=query_id).first()
    results = list(answer.results.all()) if answer else []
    unit = gold_set.header["unit"]
    units = ranked_units(_frame(results, query_id, unit), unit=unit)
    labels = list(gold_set.labels.filter(query_id=query_id).order_by("-grade", "doc_id", "section_id"))
    key_of = {label.pk: _key(label, unit) for label in labels}
    grades = {key_of[label.pk]: label.grade for label in labels}
    gold = {
        key_of[label.pk]: GoldUnit(key_of[label.pk], label.grade, label.get_provenance_display()) for label in labels
    }
    lists = []
    by_place = {(row.stage, row.rank): row for row in results}
    for stage in Stage.values:
        rows = units[units["stage"] == stage]
        if not len(rows):
            continue
        places = [
            _place(rank, (str(doc_id), str(section_id)), by_place[stage, int(recorded)], grades)
            for rank, doc_id, section_id, recorded in zip(
                rows["rank"], rows["doc_id"], rows["section_id"], rows["recorded_rank"], strict=True
            )
        ]
        for place in places:
            if place.key in gold:
                gold[place.key].ranks[stage] = place.rank
        lists.append(RankedList(stage, places[:DEEPEST_SHOWN], max(0, len(places) - DEEPEST_SHOWN)))
    for labelled in gold.values():
        labelled.ranks_shown = [str(labelled.ranks.get(ranked.stage, NOT_THERE)) for ranked in lists]
    found = QueryLists(run, answer, lists, list(gold.values()))
    _add_texts(found, by_place, units)
    return found


def _frame(results: list[Result], query_id: str, unit: str) -> pd.DataFrame:
    rows = [(query_id, row.stage, row.rank, row.score, row.doc_id, row.section_id, row.chunk_id) for row in results]
    frame = pd.DataFrame(rows, columns=["query_id", "stage", "rank", "score", "doc_id", "section_id", "chunk_id"])
    if unit == Unit.SECTION and results and not any(row.section_id for row in results):
        parted = part_ids(frame)
        return frame if parted is None else parted
    return frame


def _key(label: GoldLabel, unit: str) -> Key:
    return (label.doc_id, label.section_id if unit == Unit.SECTION else "")


def _place(rank: int, key: Key, row: Result, grades: dict[Key, int]) -> Place:
    return Place(rank=int(rank), key=key, grade=grades.get(key), score=row.score, text=row.text[:LONGEST_TEXT])


def _add_texts(found: QueryLists, by_place: dict[tuple[str, int], Result], units: pd.DataFrame) -> None:
    """Titles and headings of every unit, and the retrieved text of the first ones, from the run's snapshot where it names one."""
    if found.run.snapshot_id is None:
        return
    places = [place for ranked in found.lists for place in ranked.places]
    keys = {place.key for place in places} | {unit.key for unit in found.gold}
    documents = Document.objects.filter(snapshot_id=found.run.snapshot_id)
    titles = dict(documents.filter(doc_id__in={doc for doc, _ in keys}).values_list("doc_id", "title"))
    of_sections = Section.objects.filter(document__snapshot_id=found.run.snapshot_id)
    rows = of_sections.filter(document__doc_id__in={doc for doc, section in keys if section})
    headings = {
        (doc_id, section_id): (heading, start, end)
        for doc_id, section_id, heading, start, end in rows.values_list(
            "document__doc_id", "section_id", "heading", "start", "end"
        )
    }
    named: list[Place | GoldUnit] = [*places, *found.gold]
    for unit in named:
        unit.title = titles.get(unit.key[0], "")
        unit.heading = headings.get(unit.key, ("", 0, 0))[0]
    bare = [(ranked.stage, place) for ranked in found.lists for place in ranked.places[:TEXTS] if not place.text]
    texts = dict(documents.filter(doc_id__in={place.key[0] for _, place in bare}).values_list("doc_id", "text"))
    recorded = {
        (stage, int(rank)): int(at)
        for stage, rank, at in zip(units["stage"], units["rank"], units["recorded_rank"], strict=True)
    }
    for stage, place in bare:
        row = by_place[stage, recorded[stage, place.rank]]
        _, start, end = headings.get(place.key, ("", 0, LONGEST_TEXT))
        if row.start is not None and row.end is not None:
            start, end = row.start, row.end
        place.text = texts.get(place.key[0], "")[start : min(end, start + LONGEST_TEXT)]
