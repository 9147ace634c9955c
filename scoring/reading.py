"""Reads gold sets and runs out of the database into the frames of the engine, column by column."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from typing import Any

import numpy as np
import pandas as pd
from django.db.models import Q

from evalsets.models import Answer, Document, GoldSet, Lifecycle, Result, Scale, Section, Snapshot
from evalsets.models import Run as RecordedRun
from scoring.offline.gold import BINARY_GRADE, HIGHEST_GRADE, Gold
from scoring.offline.runs import Run

ROWS_AT_ONCE = 20_000
IDS_AT_ONCE = 2_000

LABEL_COLUMNS = ["query_id", "doc_id", "section_id", "grade"]
ANSWER_COLUMNS = ["query_id", "event", "latency_ms"]
LIFECYCLE_COLUMNS = ["doc_id", "lifecycle", "effective_from", "effective_to", "superseded_by"]
RESULT_COLUMNS = ("answer_id", "stage", "rank", "score", "doc_id", "section_id", "chunk_id")


def read_gold(gold_set: GoldSet) -> Gold:
    """A gold set version as the offline command reads it from its export."""
    header = gold_set.header
    queries = list(gold_set.queries.values_list("content", flat=True))
    labels = list(gold_set.labels.values_list(*LABEL_COLUMNS))
    return Gold(
        name=f"{gold_set.eval_set.name}, gold set {gold_set.number}",
        sha256=gold_set.sha256,
        labels=pd.DataFrame(labels, columns=LABEL_COLUMNS),
        queries=pd.DataFrame(queries) if queries else pd.DataFrame(columns=["query_id"]),
        unit=header["unit"],
        threshold=int(header["threshold"]),
        gain=header["gain"],
        max_grade=BINARY_GRADE if header.get("scale") == Scale.BINARY else HIGHEST_GRADE,
        depth=header.get("depth_n"),
        k=header.get("depth_k"),
        declared=True,
        version=str(gold_set.number),
    )


def read_run(run: RecordedRun) -> Run:
    """A recorded run with all its stages; texts of passages are left where they are."""
    answers = list(run.answers.values_list("pk", "query__query_id", "event", "latency_ms").order_by("query_id"))
    results = read_results(run, [pk for pk, *_ in answers], [query_id for _, query_id, *_ in answers])
    return Run(
        name=f"run {run.number}",
        sha256=run.sha256,
        tag=run.retriever.name,
        versions={str(name): str(value) for name, value in sorted(run.versions.items())},
        results=results,
        answers=pd.DataFrame([row[1:] for row in answers], columns=ANSWER_COLUMNS),
        ties=count_ties(results),
        warnings=[str(warning) for warning in run.warnings],
    )


def read_results(run: RecordedRun, answer_pks: Sequence[int], query_ids: Sequence[str]) -> pd.DataFrame:
    """The results of a run as a frame whose ids are categories: each text is kept once, however often it was retrieved."""
    rows = Result.objects.filter(answer__run=run).order_by("answer_id", "stage", "rank").values_list(*RESULT_COLUMNS)
    known: dict[str, dict[str, int]] = {name: {} for name in ("stage", "doc_id", "section_id", "chunk_id")}
    parts: dict[str, list[np.ndarray]] = {name: [] for name in RESULT_COLUMNS}
    for some in in_pieces(rows.iterator(chunk_size=ROWS_AT_ONCE), ROWS_AT_ONCE):
        for name, column in zip(RESULT_COLUMNS, zip(*some, strict=True), strict=True):
            parts[name].append(_as_array(column, known.get(name), score=name == "score"))
    columns = {name: np.concatenate(part) if part else np.zeros(0, dtype=np.int64) for name, part in parts.items()}
    pks = np.array(answer_pks, dtype=np.int64)
    order = np.argsort(pks)
    frame: dict[str, Any] = {
        "query_id": _categories(order[np.searchsorted(pks[order], columns["answer_id"])], query_ids)
    }
    for name, codes in known.items():
        frame[name] = _categories(columns[name], list(codes))
    return pd.DataFrame(frame | {"rank": columns["rank"], "score": columns["score"].astype(np.float64)})


def _categories(codes: Any, texts: Sequence[str]) -> Any:
    return pd.Categorical.from_codes(codes, categories=pd.Index(np.array(texts, dtype=object)))


def _as_array(column: Sequence[object], known: dict[str, int] | None, *, score: bool) -> np.ndarray:
    """One column of some rows: numbers as they are, texts as codes that `known` grows by."""
    if known is not None:
        return np.fromiter((known.setdefault(str(text), len(known)) for text in column), np.int64, len(column))
    return np.array(column, dtype=np.float64 if score else np.int64)


def in_pieces(rows: Iterator[tuple[object, ...]], size: int) -> Iterator[list[tuple[object, ...]]]:
    """The rows in lists of at most `size`."""
    piece = []
    for row in rows:
        piece.append(row)
        if len(piece) == size:
            yield piece
            piece = []
    if piece:
        yield piece


def count_ties(results: pd.DataFrame) -> int:
    """Neighbours of one list with equal scores."""
    query, stage = results["query_id"].cat.codes.to_numpy(), results["stage"].cat.codes.to_numpy()
    score = results["score"].to_numpy()
    return int(((query[1:] == query[:-1]) & (stage[1:] == stage[:-1]) & (score[1:] == score[:-1])).sum())


def read_lifecycles(snapshot: Snapshot) -> pd.DataFrame:
    """The documents of a snapshot that are not simply in force, and those that are said to supersede them."""
    documents = Document.objects.filter(snapshot=snapshot)
    special = (
        ~Q(lifecycle=Lifecycle.CURRENT)
        | Q(effective_from__isnull=False)
        | Q(effective_to__isnull=False)
        | ~Q(superseded_by="")
    )
    rows = list(documents.filter(special).values_list(*LIFECYCLE_COLUMNS))
    missing = sorted({row[4] for row in rows if row[4]} - {row[0] for row in rows})
    for ids in batches(missing):
        rows += documents.filter(doc_id__in=ids).values_list(*LIFECYCLE_COLUMNS)
    return pd.DataFrame(rows, columns=LIFECYCLE_COLUMNS).astype(object)


def read_known_documents(snapshot: Snapshot, doc_ids: Sequence[str]) -> dict[str, tuple[str, str, date | None]]:
    """Of these ids, those that the snapshot holds: title, type and the day from which the document holds."""
    found: dict[str, tuple[str, str, date | None]] = {}
    for ids in batches(doc_ids):
        rows = Document.objects.filter(snapshot=snapshot, doc_id__in=ids)
        for doc_id, title, doc_type, since in rows.values_list("doc_id", "title", "doc_type", "effective_from"):
            found[doc_id] = (title, doc_type, since)
    return found


def read_known_sections(snapshot: Snapshot, doc_ids: Sequence[str]) -> dict[tuple[str, str], str]:
    """Of these documents, every section that the snapshot holds, with its heading."""
    found: dict[tuple[str, str], str] = {}
    for ids in batches(doc_ids):
        rows = Section.objects.filter(document__snapshot=snapshot, document__doc_id__in=ids)
        for doc_id, section_id, heading in rows.values_list("document__doc_id", "section_id", "heading"):
            found[doc_id, section_id] = heading
    return found


def batches(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    """The ids in parts that fit into one statement."""
    return (ids[start : start + IDS_AT_ONCE] for start in range(0, len(ids), IDS_AT_ONCE))


def read_answer(run: RecordedRun, query_id: str) -> Answer | None:
    """What one run answered to one query, with all its results at hand."""
    return run.answers.filter(query__query_id=query_id).prefetch_related("results").first()


def day_of(run: RecordedRun) -> date:
    """The day on which a run was made: what was in force then is what counts."""
    return (run.started_at or run.created_at).date()
