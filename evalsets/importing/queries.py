"""Queries: added to the eval set under their own ids; what is there already is never changed by an import."""

from __future__ import annotations

from evalsets.formats.query_rows import QueriesFound, folded
from evalsets.importing.lengths import check_lengths
from evalsets.importing.registry import Applied, ImportKind, Shown, Target, register_import
from evalsets.jobs import Progress
from evalsets.models import Query
from evalsets.queries import compare_queries, store_queries

NAMED = 10
_COLUMNS = ("query_id", "expected_scope", "source", "source_family")


def _check(found: QueriesFound, target: Target) -> None:
    check_lengths(found, found.queries, {name: (Query, name) for name in _COLUMNS})
    compared = compare_queries(eval_set=target.set, rows=found.queries)
    found.problems += compared.problems
    if compared.unchanged:
        found.skipped["already in the eval set, the same"] = compared.unchanged
    _warn_of_lookalikes(found, target)
    _warn_of_documents(found, target)


def _warn_of_lookalikes(found: QueriesFound, target: Target) -> None:
    """Name the queries whose text is that of another query here, but for case, blanks and the like."""
    ids = {row.query_id for row in found.queries}
    here = {folded(query.text): query for query in target.set.queries.active() if query.query_id not in ids}
    same = [(row, here[folded(row.text)]) for row in found.queries if folded(row.text) in here]
    if same:
        named = ", ".join(f"{row.query_id!r} beside {query.query_id!r}" for row, query in same[:NAMED])
        found.warnings.append(f"{len(same)} texts are (nearly) those of other queries here, and stay apart: {named}")


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
        named = ", ".join(map(repr, missing[:NAMED]))
        found.warnings.append(f"{len(missing)} documents that queries name are not in {snapshot}: {named}")


def _apply(found: QueriesFound, target: Target, progress: Progress) -> Applied:
    stored = store_queries(eval_set=target.set, rows=found.queries, by=target.by)
    same = f"; {stored.unchanged} were here already" if stored.unchanged else ""
    counts = {"added": stored.added, "unchanged": stored.unchanged}
    return Applied(f"{stored.added} queries were added{same}.", counts, ("evalsets:list_queries", []))


def _show(found: QueriesFound, target: Target) -> Shown:
    rows = found.queries
    counts = [
        ("queries", len(rows)),
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
