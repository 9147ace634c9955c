"""Recorded runs and the logs of RAG frameworks: each becomes one run of a retriever that works elsewhere."""

from __future__ import annotations

from dataclasses import replace

from django.db.models import Q
from django.utils.text import slugify

from evalsets.formats.catalogue import Option
from evalsets.formats.problems import Found, Problem
from evalsets.formats.retrieval_log import LogFound
from evalsets.formats.run_rows import RunFound
from evalsets.importing.lengths import longest
from evalsets.importing.nearness import Nearness
from evalsets.importing.query_matching import Matched, Mention, match_queries, unknown_queries_option
from evalsets.importing.registry import Applied, ImportKind, Shown, Target, register_import
from evalsets.importing.wording import counted
from evalsets.jobs import Progress
from evalsets.models import Family, Result, Retriever, Run, Snapshot
from evalsets.queries import store_queries
from evalsets.runs import find_or_make_retriever, store_run

NAMED = 10
ELSEWHERE = "elsewhere"
_LENGTHS = ("doc_id", "section_id", "chunk_id")


def _settings(target: Target) -> list[Option]:
    eval_set = target.set
    recorded = eval_set.retrievers.filter(kind=Retriever.RECORDED).order_by("name")
    known = tuple((item.slug, item.name) for item in recorded)
    snapshots = eval_set.corpus.snapshots.filter(frozen_at__isnull=False).order_by("-number")
    numbered = tuple((str(item.number), f"snapshot {item.number}, {item.source}") for item in snapshots)
    families = tuple((value, label) for value, label in Family.choices)
    return [
        Option("retriever", "Retriever", "Whose run it is.", (("", "a new one, named below"), *known)),
        Option("retriever_name", "New retriever", "Its name; by default the tag of the run or the name of the file."),
        Option("family", "Family", "How the new retriever works; pools want several families.", families[::-1]),
        Option(
            "snapshot",
            "Made over",
            "Which documents the retriever had. By default those that the eval set uses now.",
            (("", "the current snapshot"), *numbered, (ELSEWHERE, "documents that are not here")),
        ),
        unknown_queries_option(),
    ]


def _check(found: RunFound, target: Target) -> None:
    _match(found, target, said=found)
    _check_retriever(found, target)
    snapshot = _snapshot(found, target)
    if not found.columns.empty:
        for name in _LENGTHS:
            _check_length(found, name)
        if snapshot is not None:
            _warn_of_documents(found, snapshot)


def _check_length(found: RunFound, name: str) -> None:
    if name not in found.columns:
        return
    limit = longest(Result, name)
    lengths = found.columns[name].map(len)
    for at in lengths.index[lengths > limit]:
        row = found.columns.loc[at]
        expected = f"at most {limit} characters, found {lengths[at]}"
        found.problems.append(Problem(int(row["line"]), name, str(row[name]), expected))


def _match(found: RunFound, target: Target, *, said: Found) -> Matched:
    """Match the run's queries to those of the eval set; what is to be said about it goes to `said`."""
    rows = found.queries if isinstance(found, LogFound) else []
    return match_queries(
        said,
        _mentions(found, target).values(),
        eval_set=target.set,
        unknown=target.option("unknown_queries"),
        texts_must_agree=False,
        rows=rows,
    )


def _mentions(found: RunFound, target: Target) -> dict[str, Mention]:
    """Return how the file names each of its queries, by the id that its reader gave it.

    An id that a log's reader may have made counts only where the eval set has it; otherwise the text decides.
    """
    mentions = {row.query_id: Mention(row.query_id, row.query_text, row.line) for row in found.answers}
    if isinstance(found, LogFound):
        known = set(target.set.queries.values_list("query_id", flat=True))
        for row in found.queries:
            query_id = row.query_id if row.query_id in known else ""
            mentions[row.query_id] = Mention(query_id, row.text, row.line)
    return mentions


def _check_retriever(found: RunFound, target: Target) -> None:
    retriever = _known_retriever(found, target)
    if retriever is not None and retriever.kind != Retriever.RECORDED:
        expected = f"a retriever that works elsewhere; {retriever.name!r} runs here ({retriever.kind})"
        found.problems.append(Problem(None, "retriever", retriever.slug, expected))
    family = target.option("family")
    if family and family not in Family.values:
        found.problems.append(Problem(None, "family", family, f"one of {', '.join(Family.values)}"))


def _known_retriever(found: RunFound, target: Target) -> Retriever | None:
    """Return the retriever that was chosen, by slug or by name, or None where it is a new one."""
    name = _retriever_name(found, target)
    return target.set.retrievers.filter(Q(slug=name) | Q(slug=slugify(name)[:70]) | Q(name=name)).first()


def _retriever_name(found: RunFound, target: Target) -> str:
    stem = target.source.rsplit("/", 1)[-1].split(".", 1)[0]
    return (target.option("retriever") or target.option("retriever_name") or found.tag or stem)[:200]


def _snapshot(found: RunFound, target: Target) -> Snapshot | None:
    chosen = target.option("snapshot")
    if chosen == ELSEWHERE:
        return None
    if not chosen:
        return target.set.snapshot
    snapshots = target.set.corpus.snapshots.filter(frozen_at__isnull=False)
    snapshot = snapshots.filter(number=int(chosen)).first() if chosen.isdecimal() else None
    if snapshot is None:
        numbers = ", ".join(str(number) for number in snapshots.order_by("number").values_list("number", flat=True))
        expected = f"the number of a snapshot of {target.set.corpus} ({numbers or 'there is none'}), or {ELSEWHERE}"
        found.problems.append(Problem(None, "snapshot", chosen, expected))
    return snapshot


def _warn_of_documents(found: RunFound, snapshot: Snapshot) -> None:
    """Count the results whose document the snapshot does not hold, with near ids, and those of them that carry no text."""
    known = set(snapshot.documents.values_list("doc_id", flat=True))
    outside = ~found.columns["doc_id"].isin(known)
    if not outside.any():
        return
    missing = list(dict.fromkeys(found.columns.loc[outside, "doc_id"]))
    nearness = Nearness(known)
    shown = ", ".join(f"{doc_id!r}{_beside(nearness, doc_id)}" for doc_id in missing[:NAMED])
    texts = found.columns.loc[outside, "text"] if "text" in found.columns else None
    silent = int(outside.sum()) if texts is None else int((texts == "").sum())
    no_text = f"; {silent} of them carry no text, so nobody could judge them" if silent else ""
    found.warnings.append(
        f"results whose document is not in {snapshot}: {int(outside.sum())} of {len(found.columns)}, from "
        f"{counted(len(missing), 'document')} ({shown}){no_text}"
    )


def _beside(nearness: Nearness, doc_id: str) -> str:
    near = nearness.near(doc_id, limit=1)
    return f" beside {near[0]!r}" if near else ""


def _apply(found: RunFound, target: Target, progress: Progress) -> Applied:
    matched, mentions = _match(found, target, said=Found()), _mentions(found, target)
    ids = {own: matched.ids[mention] for own, mention in mentions.items() if mention in matched.ids}
    store_queries(eval_set=target.set, rows=matched.new, by=target.by)
    try:
        run = _stored_before(target) or _store(_renamed(found, ids), target, progress)
    except BaseException:
        # A run is stored in steps, so what was made for it has to be taken back by hand.
        target.set.queries.filter(query_id__in=[row.query_id for row in matched.new]).delete()
        raise
    counts = {"run": run.number, "results": run.result_count, "queries": len(ids), "queries_made": len(matched.new)}
    made = f", {len(matched.new)} of them new" if matched.new else ""
    return Applied(
        f"Run {run.number} of {run.retriever} was recorded: {counted(run.result_count, 'result')} for "
        f"{counted(len(ids), 'query', 'queries')}{made}.",
        counts,
        ("evalsets:view_run", [run.number]),
    )


def _stored_before(target: Target) -> Run | None:
    """Return the run that an earlier attempt of the same job completed before its worker died."""
    return Run.objects.complete().filter(job=target.job).first() if target.job else None


def _store(found: RunFound, target: Target, progress: Progress) -> Run:
    retriever = _known_retriever(found, target) or find_or_make_retriever(
        eval_set=target.set,
        name=_retriever_name(found, target),
        family=target.option("family") or Family.UNKNOWN,
        by=target.by,
    )
    return store_run(
        eval_set=target.set,
        retriever=retriever,
        found=found,
        source=target.source,
        by=target.by,
        snapshot=_snapshot(found, target),
        job=target.job,
        progress=progress,
    )


def _renamed(found: RunFound, ids: dict[str, str]) -> RunFound:
    """Return the run with the eval set's query ids, without what is left out."""
    left_out = sum(row.query_id not in ids for row in found.answers)
    if left_out:
        found.skipped["query not in the eval set"] = left_out
    columns = found.columns
    if not columns.empty:
        columns = columns[columns["query_id"].isin(ids)].reset_index(drop=True)
        columns = columns.assign(query_id=columns["query_id"].map(ids).astype(object))
    answers = [replace(row, query_id=ids[row.query_id]) for row in found.answers if row.query_id in ids]
    return replace(found, answers=answers, columns=columns, _results=None)


def _show(found: RunFound, target: Target) -> Shown:
    columns = found.columns
    per_query = columns.groupby("query_id").size() if not columns.empty else None
    deepest = int(per_query.max()) if per_query is not None else 0
    counts = [
        ("results", len(columns)),
        ("queries", len(found.answers)),
        ("most results of a query", deepest),
        ("tied neighbours", found.ties),
    ]
    first = replace(found, columns=columns.head(10), _results=None).results
    rows = [(row.query_id, row.stage, row.rank, row.score, row.doc_id, row.section_id, row.text) for row in first]
    return Shown(counts, ("query", "stage", "rank", "score", "document", "section", "text"), rows, len(found.answers))


def _register(kind: str, label: str, formats: tuple[str, ...], help_text: str) -> ImportKind:
    return register_import(
        ImportKind(
            kind=kind,
            label=label,
            noun="answers",
            catalogue="runs",
            formats=formats,
            check=_check,
            apply=_apply,
            show=_show,
            settings=_settings,
            help=help_text,
        )
    )


RUN = _register(
    "run",
    "Run",
    ("trec", "jsonl", "retrieval_log"),
    "What a retriever returned elsewhere: a TREC run file, or JSON Lines with stages, scores, passages and versions.",
)
LOG = _register(
    "retrieval_log",
    "Retrieval log",
    ("retrieval_log",),
    "What Ragas, LlamaIndex, LangChain or Haystack wrote down: questions and the texts retrieved for them.",
)
