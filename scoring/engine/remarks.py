"""What has to be said beside the scores: the sentences that stop a number from being misread."""

from collections.abc import Iterable

from scoring.engine.scoring import RunScores

# A mean share of unjudged results above this in the top k asks for more labels before a decision.
UNJUDGED_LIMIT = 0.05
NAMED = 10


def remarks(scores: RunScores, *, k: int) -> list[str]:
    """Sentences about queries that did not count, answers that are missing, and results that nobody judged."""
    return [*_about_queries(scores), *_about_answers(scores), *_about_lists(scores), *_about_judgments(scores, k)]


def named(ids: Iterable[str], *, limit: int = NAMED) -> str:
    """The first ids and how many more there are."""
    every = list(ids)
    more = f" and {len(every) - limit} more" if len(every) > limit else ""
    return ", ".join(every[:limit]) + more


def counted(n: int, one: str, many: str | None = None) -> str:
    """A number with its noun."""
    return f"{n} {one if n == 1 else many or one + 's'}"


def _queries(ids: list[str]) -> str:
    return counted(len(ids), "query", "queries")


def _about_queries(scores: RunScores) -> list[str]:
    parts, said = scores.population, []
    if parts.without_relevant:
        said.append(
            f"{_queries(parts.without_relevant)} answerable without a relevant label (a defect of the gold set, not scored): "
            f"{named(parts.without_relevant)}; means are over {counted(len(parts.scored), 'scored query', 'scored queries')}"
        )
    if parts.unanswerable:
        said.append(
            f"{_queries(parts.unanswerable)} unanswerable, checked apart and not scored: {named(parts.unanswerable)}"
        )
    if parts.security_only:
        said.append(f"{_queries(parts.security_only)} checked for leaks only: {named(parts.security_only)}")
    if parts.synthetic:
        said.append(f"{_queries(parts.synthetic)} synthetic, left out of these numbers: {named(parts.synthetic)}")
    if parts.other_split:
        said.append(f"{_queries(parts.other_split)} outside the split {scores.settings.split!r}, not scored")
    if parts.without_query:
        said.append(
            f"labels for {_queries(parts.without_query)} that the set does not hold, ignored: {named(parts.without_query)}"
        )
    if scores.unknown_queries:
        said.append(
            f"{_queries(scores.unknown_queries)} of the run not in the gold set, ignored: {named(scores.unknown_queries)}"
        )
    if not parts.scored:
        said.append("no query can be scored: none is answerable with a relevant label")
    return said


def _about_answers(scores: RunScores) -> list[str]:
    said = []
    reasons: dict[tuple[str, str], list[str]] = {}
    for entry in scores.unanswered:
        reasons.setdefault((entry.stage, entry.reason), []).append(entry.query_id)
    for (stage, reason), ids in sorted(reasons.items()):
        said.append(f"{_queries(ids)} without results in stage {stage} ({reason}), scored 0: {named(ids)}")
    return said


def _about_lists(scores: RunScores) -> list[str]:
    said = []
    stood_in: dict[tuple[str, str], list[str]] = {}
    for measure in scores.measures:
        read = scores.stage_of[str(measure)]
        if read and read != measure.stage:
            stood_in.setdefault((measure.stage, read), []).append(str(measure))
    for (wanted, read), names in sorted(stood_in.items()):
        said.append(f"the run has no stage {wanted}, so {', '.join(names)} read stage {read}")
    unread = [
        str(measure)
        for measure in scores.measures
        if scores.per_query[str(measure)].isna().all() and len(scores.per_query)
    ]
    if unread:
        said.append(f"no value for any query: {', '.join(unread)}")
    deepest = int(scores.units["rank"].max()) if len(scores.units) else 0
    beyond = [str(measure) for measure in scores.measures if measure.cutoff is not None and measure.cutoff > deepest]
    if beyond and deepest:
        units = counted(deepest, scores.settings.unit)
        said.append(f"the run returns at most {units} per query, fewer than {', '.join(beyond)} look at")
    return said


def _about_judgments(scores: RunScores, k: int) -> list[str]:
    if not scores.population.scored:
        return []
    top = scores.examined(k)
    holes = scores.unjudged(k)
    if not len(top) or len(holes) / len(top) <= UNJUDGED_LIMIT:
        return []
    percent = 100 * len(holes) / len(top)
    return [
        f"{len(holes)} of {len(top)} results in the top {k} ({percent:.0f} %) are unjudged: they count as not relevant here; "
        "expand the pool before deciding on these numbers"
    ]
