"""A small eval set that can be searched, made by the real storing."""

from __future__ import annotations

from evalsets.formats.document_rows import DocumentRow, SectionRow
from evalsets.formats.query_rows import EvidenceRef, QueryRow
from evalsets.formats.runs import read_run
from evalsets.models import Corpus, EvalSet, Family, Retriever, Run
from evalsets.queries import store_queries
from evalsets.retrievers import create_retriever
from evalsets.runs import find_or_make_retriever, store_run
from evalsets.snapshots import choose_snapshot, store_snapshot

INTRO = "Backups run each night at two.\n"
RETENTION = "# Retention\nSnapshots of the copper plan are kept for thirty days.\n"
RESTORE = "# Restore\nTo restore a file open the console and choose the snapshot.\n"
DOCUMENTS = (
    DocumentRow(
        "guide",
        "The guide",
        INTRO + RETENTION + RESTORE,
        sections=(
            SectionRow("top", "", 0, 0, len(INTRO)),
            SectionRow("retention", "Retention", 1, len(INTRO), len(INTRO + RETENTION)),
            SectionRow("restore", "Restore", 1, len(INTRO + RETENTION), len(INTRO + RETENTION + RESTORE)),
        ),
    ),
    DocumentRow("old", "Old guide", "Copper snapshots are kept for ninety days.", lifecycle="archived"),
    DocumentRow("secret", "Refund limits", "Copper refunds up to ninety euro need no approval.", access=("finance",)),
)
QUERIES = (
    QueryRow("q1", "copper snapshots kept", relevant_evidence=(EvidenceRef("guide", "retention"),)),
    QueryRow("q2", "copper refunds approval", permitted=("finance",)),
    QueryRow("q3", "zebra"),
)


def make_searchable(
    slug: str = "handbook", unit: str = "section", documents: tuple[DocumentRow, ...] = DOCUMENTS
) -> EvalSet:
    corpus = Corpus.objects.create(slug=slug, name=slug)
    eval_set = EvalSet.objects.create(slug=slug, name=slug, corpus=corpus, unit=unit, depth_k=2, depth_n=20)
    choose_snapshot(
        eval_set=eval_set, snapshot=store_snapshot(corpus=corpus, documents=documents, source="folder", by=None)
    )
    store_queries(eval_set=eval_set, rows=QUERIES)
    return eval_set


def add_retriever(eval_set: EvalSet, name: str = "words", kind: str = "bm25", **config: object) -> Retriever:
    return create_retriever(eval_set=eval_set, name=name, kind=kind, config=config, by=None)


def add_recorded_run(eval_set: EvalSet, lists: dict[str, str], name: str = "A", family: str = Family.LEXICAL) -> Run:
    """Store a run whose lists are given as `{"q1": "d1 d2 d3"}`, best first."""
    lines = [
        f"{query_id} Q0 {doc_id} {rank} {100 - rank} {name}\n"
        for query_id, doc_ids in lists.items()
        for rank, doc_id in enumerate(doc_ids.split(), start=1)
    ]
    retriever = find_or_make_retriever(eval_set=eval_set, name=name, family=family, config={"recorded": name}, by=None)
    found = read_run("".join(lines), name=f"{name}.trec")
    return store_run(
        eval_set=eval_set, retriever=retriever, found=found, source=f"{name}.trec", by=None, snapshot=eval_set.snapshot
    )
