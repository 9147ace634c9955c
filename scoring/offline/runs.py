"""Reads a run file for scoring and checks that it belongs to the gold set."""

import difflib
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path

import pandas as pd

from scoring.offline.exits import CommandError
from scoring.offline.gold import Gold, read_bytes, refuse

SHOWN_IDS = 10


@dataclass(frozen=True)
class Run:
    """A run's results and answers as frames, with what it says about itself."""

    name: str
    sha256: str
    tag: str
    versions: dict[str, str]
    results: pd.DataFrame
    answers: pd.DataFrame
    ties: int = 0
    warnings: list[str] = field(default_factory=list)


def read_run_of(gold: Gold, path: str, *, order: str | None = None, duplicates: str | None = None) -> Run:
    """Read a run and check that it belongs to the gold set; raises CommandError where it does not."""
    run = read_run_file(path, order=order, duplicates=duplicates)
    if gold.unit == "section" and not (run.results["section_id"] != "").any():
        run = with_sections_from_ids(run)
    check_run_belongs(run, gold)
    return run


def with_sections_from_ids(run: Run) -> Run:
    """The run with ids like `doc#section` parted at their last `#`, the way an exported qrels file writes sections.

    TREC files have one column for the id. Ids without a `#` stay documents; a run without any is returned as it is.
    """
    results = part_ids(run.results)
    if results is None:
        return run
    note = f"{run.name}: ids were read as document#section, because the gold set labels sections"
    return replace(run, results=results, warnings=[*run.warnings, note])


def part_ids(results: pd.DataFrame) -> pd.DataFrame | None:
    """Results with their ids parted at the last `#`; None where no id has one."""
    ids = results["doc_id"].astype(object)
    parts = ids.str.rpartition("#")
    parted = parts[0] != ""
    if not parted.any():
        return None
    return results.assign(doc_id=parts[0].where(parted, ids), section_id=parts[2].where(parted, ""))


def read_run_file(path: str, *, order: str | None = None, duplicates: str | None = None) -> Run:
    """Read a TREC or JSON Lines run; raises CommandError with every problem of the file by line."""
    from evalsets.formats.runs import read_run

    data = read_bytes(path)
    name = Path(path).name
    found = read_run(data, name=name, order=order, duplicates=duplicates)
    refuse(name, found.problems)
    results = found.frame()
    if "text" in found.columns:
        results = results.assign(text=found.columns["text"])
    # A TREC file has no answers of its own: a query without results is simply absent from it.
    recorded = found.answers if found.format == "jsonl" else []
    answers = pd.DataFrame(
        [(row.query_id, row.event, row.latency_ms) for row in recorded], columns=["query_id", "event", "latency_ms"]
    )
    return Run(
        name=name,
        sha256=sha256(data).hexdigest(),
        tag=found.tag,
        versions=dict(sorted(found.versions.items())),
        results=results,
        answers=answers,
        ties=found.ties,
        warnings=[f"{name}: {warning}" for warning in found.warnings],
    )


def check_run_belongs(run: Run, gold: Gold) -> None:
    """Raise CommandError where the run answers none of the gold set's queries, or names no sections though those are labelled."""
    asked = sorted({*run.results["query_id"], *run.answers["query_id"]})
    known = set(gold.queries["query_id"])
    if asked and not known.intersection(asked):
        pairs = [
            f"  {query_id} (the gold set has {_nearest(query_id, sorted(known))})" for query_id in asked[:SHOWN_IDS]
        ]
        more = [f"  and {len(asked) - SHOWN_IDS} more"] if len(asked) > SHOWN_IDS else []
        count = "its one query id is not" if len(asked) == 1 else f"none of its {len(asked)} query ids is"
        raise CommandError(
            "\n".join(
                [f"{run.name}: {count} in the gold set {gold.name}; ids have to be equal to the letter", *pairs, *more]
            )
        )
    if gold.unit == "section" and len(run.results) and not (run.results["section_id"] != "").any():
        raise CommandError(
            f"{run.name}: the gold set labels sections and the run names none; bring a run whose results have a section_id"
        )


def _nearest(query_id: str, known: list[str]) -> str:
    """The ids most like this one, for the eye to compare."""
    alike = [other for other in known if other.startswith(query_id) or query_id.startswith(other)]
    return ", ".join(alike[:3] or difflib.get_close_matches(query_id, known, n=3, cutoff=0.0) or ["none"])
