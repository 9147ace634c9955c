"""Recorded runs and the logs of RAG frameworks: each becomes one run of a retriever that works elsewhere."""

from __future__ import annotations

from collections.abc import Callable

from django.utils.text import slugify

from evalsets.formats.catalogue import Option
from evalsets.formats.problems import Problem
from evalsets.formats.retrieval_log import LogFound
from evalsets.formats.run_rows import RunFound
from evalsets.importing.nearness import Nearness
from evalsets.importing.query_matching import Matched, Mention, match_queries, unknown_queries_option
from evalsets.importing.registry import Applied, ImportKind, Shown, Target, register_import
from evalsets.jobs import Progress
from evalsets.models import Answer, EvalSet, Family, Result, Retriever, Snapshot
from evalsets.queries import store_queries
from evalsets.runs import get_or_record_retriever, store_run

NAMED = 10
ELSEWHERE = "elsewhere"
_LENGTHS = ("doc_id", "section_id", "chunk_id")


def _settings(target: Target, *, may_create: bool) -> list[Option]:
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
        unknown_queries_option(may_create=may_create),
    ]


def _check(found: RunFound, target: Target) -> None:
    _match(found, target)
    _check_retriever(found, target)
    snapshot = _snapshot(found, target)
    if not found.columns.empty:
        for name in _LENGTHS:
            _check_length(found, name)
        if snapshot is not None:
            _warn_of_documents(found, snapshot)


def _check_length(found: RunFound, name: str) -> None:
    limit = Result._meta.get_field(name).max_length
    if name not in found.columns or limit is None:
        return
    lengths = found.columns[name].map(len)
    for at in lengths.index[lengths > limit]:
        row = found.columns.loc[at]
        expected = f"at most {limit} characters, found {lengths[at]}"
        found.problems.append(Problem(int(row["line"]), name, str(row[name]), expected))


def _match(found: RunFound, target: Target) -> Matched:
    """Match the run's queries to those of the eval set. The ids that a log's reader made count only where the text is new."""
    rows = found.queries if isinstance(found, LogFound) else []
    return match_queries(
        found,
        _mentions(found, target).values(),
        eval_set=target.set,
        unknown=target.option("unknown_queries"),
        texts_must_agree=False,
        rows=rows,
    )


def _mentions(found: RunFound, target: Target) -> dict[str, Mention]:
    """Return how the file names each of its queries, by the id that its reader gave it."""
    mentions = {row.query_id: Mention(row.query_id, row.query_text, row.line) for row in found.answers}
    if isinstance(found, LogFound):
        known = set(target.set.queries.values_list("query_id", flat=True))
        for row in found.queries:
            query_id = row.query_id if row.query_id in known else ""
            mentions[row.query_id] = Mention(query_id, row.text, row.line)
    return mentions


def _check_retriever(found: RunFound, target: Target) -> None:
    slug = target.option("retriever")
    wanted = slug or slugify(_new_name(found, target))[:80]
    retriever = target.set.retrievers.filter(slug=wanted).first()
    if retriever is not None and retriever.kind != Retriever.RECORDED:
        expected = f"a retriever that works elsewhere; {retriever.name!r} runs here ({retriever.kind})"
        found.problems.append(Problem(None, "retriever", wanted, expected))
    if not wanted:
        found.problems.append(Problem(None, "retriever", "", "a name with letters or digits for the new retriever"))
    family = target.option("family")
    if family and family not in Family.values:
        found.problems.append(Problem(None, "family", family, f"one of {', '.join(Family.values)}"))


def _new_name(found: RunFound, target: Target) -> str:
    stem = target.source.rsplit("/", 1)[-1].split(".", 1)[0]
    return (target.option("retriever_name") or target.option("retriever") or found.tag or stem)[:200]


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
    named = ", ".join(f"{doc_id!r}{_beside(nearness, doc_id)}" for doc_id in missing[:NAMED])
    texts = found.columns.loc[outside, "text"] if "text" in found.columns else None
    silent = int(outside.sum()) if texts is None else int((texts == "").sum())
    no_text = f"; {silent} of these results carry no text, so nobody could judge them" if silent else ""
    found.warnings.append(
        f"{int(outside.sum())} of {len(found.columns)} results name {len(missing)} documents that are not in {snapshot} "
        f"({named}){no_text}"
    )


def _beside(nearness: Nearness, doc_id: str) -> str:
    near = nearness.near(doc_id, limit=1)
    return f" beside {near[0]!r}" if near else ""


def _apply(found: RunFound, target: Target, progress: Progress) -> Applied:
    matched, mentions = _match(found, target), _mentions(found, target)
    retriever = get_or_record_retriever(
        eval_set=target.set,
        slug=target.option("retriever") or slugify(_new_name(found, target))[:80],
        name=_new_name(found, target),
        family=target.option("family") or Family.UNKNOWN,
        by=target.by,
    )
    if matched.new:
        store_queries(eval_set=target.set, rows=matched.new, by=target.by)
    ids = {own: matched.ids[mention] for own, mention in mentions.items() if mention in matched.ids}
    run = store_run(
        eval_set=target.set,
        retriever=retriever,
        found=_renamed(found, ids),
        source=target.source,
        by=target.by,
        progress=progress,
        snapshot=_snapshot(found, target),
    )
    counts = {"run": run.number, "results": run.result_count, "queries": len(ids), "queries_made": len(matched.new)}
    made = f", {len(matched.new)} new queries" if matched.new else ""
    return Applied(
        f"Run {run.number} of {retriever} was recorded: {run.result_count} results for {len(ids)} queries{made}.",
        counts,
        ("evalsets:view_run", [run.number]),
    )


def _renamed(found: RunFound, ids: dict[str, str]) -> RunFound:
    """Return the run with the eval set's query ids, without what is left out."""
    left_out = [row for row in found.answers if row.query_id not in ids]
    if left_out:
        found.skipped["query not in the eval set"] = len(left_out)
    columns = found.columns
    if not columns.empty:
        columns = columns[columns["query_id"].isin(ids)].reset_index(drop=True)
        columns = columns.assign(query_id=columns["query_id"].map(ids).astype(object))
    answers = [_answer(row, ids[row.query_id]) for row in found.answers if row.query_id in ids]
    return _copy(found, answers, columns)
