"""Queries: added to the eval set under their own ids; what is known of one that is here already may be corrected, not a text in use."""

from __future__ import annotations

from evalsets.formats.query_rows import QueriesFound, folded
from evalsets.importing.lengths import check_lengths
from evalsets.importing.registry import Applied, ImportKind, Shown, Target, register_import
from evalsets.importing.wording import counted, named
from evalsets.jobs import Progress
from evalsets.models import Query
from evalsets.queries import check_queries, store_queries, to_values

NAMED = 10
QUERY = ("query", "queries")
_COLUMNS = ("query_id", "expected_scope", "source", "source_family")


def _check(found: QueriesFound, target: Target) -> None:
    check_lengths(found, found.queries, {name: (Query, name) for name in _COLUMNS})
    found.problems += check_queries(eval_set=target.set, rows=found.queries)
    changed = _changed_fields(found, target)
    if changed:
        shown = "; ".join(f"{query_id!r}: {', '.join(names)}" for query_id, names in list(changed.items())[:NAMED])
        found.warnings.append(f"{counted(len(changed), *QUERY)} here already would be changed ({shown})")
    same = _known_count(found, target) - len(changed)
    if same:
        found.skipped["here already, the same"] = same
    _warn_of_lookalikes(found, target)
    _warn_of_documents(found, target)


def _changed_fields(found: QueriesFound, target: Target) -> dict[str, list[str]]:
    """Return, by query id, which fields of a query here differ from the file."""
    known = {query.query_id: query for query in target.set.queries.all()}
    changed = {}
    for row in found.queries:
        query = known.get(row.query_id)
        names = [name for name, value in to_values(row).items() if query and getattr(query, name) != value]
        if names:
            changed[row.query_id] = [name.replace("_", " ") for name in names]
    return changed


def _known_count(found: QueriesFound, target: Target) -> int:
    known = set(target.set.queries.values_list("query_id", flat=True))
    return sum(row.query_id in known for row in found.queries)


def _warn_of_lookalikes(found: QueriesFound, target: Target) -> None:
    """Name the queries whose text is that of another query here, but for case, blanks and the like."""
    ids = {row.query_id for row in found.queries}
    here = {folded(query.text): query for query in target.set.queries.active() if query.query_id not in ids}
    same = [(row, here[folded(row.text)]) for row in found.queries if folded(row.text) in here]
    if same:
        shown = ", ".join(f"{row.query_id!r} beside {query.query_id!r}" for row, query in same[:NAMED])
        found.warnings.append(f"texts that are (nearly) those of other queries here, and stay apart: {shown}")


def _warn_of_documents(found: QueriesFound, target: Target) -> None:
    """Name the stated evidence and the forbidden documents that the snapshot does not hold."""
    snapshot = target.set.snapshot
    if snapshot is None:
        return
    wanted = {evidence.document_id for row in found.queries for evidence in row.relevant_evidence}
    wanted |= {doc_id for row in found.queries for doc_id in row.forbidden_documents}
    known = set(snapshot.documents.values_list("doc_id", flat=True)) if wanted else set()
    missing = sorted(wanted - known)
    if missing:
        found.warnings.append(
            f"{counted(len(missing), 'document')} that queries name, and {snapshot} does not have: {named(missing)}"
        )


def _apply(found: QueriesFound, target: Target, progress: Progress) -> Applied:
    stored = store_queries(eval_set=target.set, rows=found.queries, by=target.by)
    counts = {"added": stored.added, "changed": stored.updated, "unchanged": stored.unchanged}
    said = f"{counted(stored.added, *QUERY)} added, {stored.updated} changed, {stored.unchanged} were here already as they are."
    return Applied(said, counts, ("evalsets:list_queries", []))


def _show(found: QueriesFound, target: Target) -> Shown:
    rows = found.queries
    counts = [
        ("queries", len(rows)),
        ("new", len(rows) - _known_count(found, target)),
        ("unanswerable", sum(not row.answerable for row in rows)),
        ("holdout", sum(row.split == "holdout" for row in rows)),
        ("synthetic", sum(row.synthetic for row in rows)),
    ]
    shown = [(row.query_id, row.text, row.split, row.tags, row.source) for row in rows[:10]]
    return Shown(counts, ("id", "query", "split", "tags", "source"), shown, len(rows))


QUERIES = register_import(
    ImportKind(
        kind="queries",
        label="Queries",
        noun="queries",
        catalogue="queries",
        formats=("jsonl", "csv", "id_tab_text", "yaml"),
        check=_check,
        apply=_apply,
        show=_show,
        at_once=True,
        help="Query texts with ids and whatever is known about them, as JSON Lines, CSV, YAML, or lines of id, tab, text.",
    )
)
