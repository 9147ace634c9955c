"""Puts the results of a run in order and finds what contradicts it: ranks, scores, repeated documents.

All checks work on whole columns, so that a run of a million lines takes well under a second here.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from evalsets.formats.problems import Found, Problem, name_lines

STAGES = ("candidates", "final", "context")
ORDERS = ("rank", "score")
DUPLICATES = ("keep_first",)


@dataclass
class Ordered:
    """Results in order (query of first appearance, stage, rank from 1 without gaps) and the number of tied neighbours."""

    frame: pd.DataFrame
    ties: int


def order_results(frame: pd.DataFrame, found: Found, *, order: str | None, duplicates: str | None) -> Ordered:
    """Return the results ordered by rank or score; contradictions go to `found.problems`.

    In: columns query_id, stage, rank (int, from 0 or 1), score (float, NaN where there is none), doc_id, section_id, chunk_id,
    line. Without `order` the recorded ranks count and must agree with the scores and have no gap; order="rank" trusts the
    ranks; order="score" sorts by score descending, then document id descending (the rule of trec_eval), and ignores the ranks.
    duplicates="keep_first" keeps, in that order, the first of what is listed twice. Ties are neighbours with equal scores.
    """
    if frame.empty:
        return Ordered(frame, 0)
    group, whole = _groups(frame), found.ok
    place = _by_score(frame, group, found) if order == "score" else _by_rank(frame, group)
    frame, group = frame.iloc[place], group[place]
    repeated = _repeated(frame, group)
    if duplicates == "keep_first":
        if repeated.any():
            lines = sorted(int(line) for line in frame["line"].to_numpy()[repeated])
            found.warnings.append(f"listed again for the same query and left out, the first kept: {name_lines(lines)}")
            found.skipped["listed again for the same query"] = len(lines)
    else:
        _report_repeated(frame, group, repeated, found)
    if order != "score":
        # Where lines could not be read, their ranks are missing for that reason and not one more.
        _check_ranks(frame, group, found, trusted=order == "rank", gaps_count=whole)
    if order is None:
        _check_scores(frame, group, found)
    if duplicates == "keep_first":
        frame, group = frame.loc[~repeated], group[~repeated]
    return Ordered(_renumbered(frame, group), _count_ties(frame, group))


def _groups(frame: pd.DataFrame) -> np.ndarray:
    """Number each (query, stage): queries by first appearance, stages in the order that a run goes through them."""
    queries, _ = pd.factorize(frame["query_id"])
    stages = pd.Categorical(frame["stage"], categories=list(STAGES)).codes
    return np.asarray(queries, dtype=np.int64) * len(STAGES) + stages


def _by_rank(frame: pd.DataFrame, group: np.ndarray) -> np.ndarray:
    return np.lexsort((frame["line"].to_numpy(), frame["rank"].to_numpy(), group))


def _by_score(frame: pd.DataFrame, group: np.ndarray, found: Found) -> np.ndarray:
    scores = frame["score"].to_numpy()
    for line in frame["line"].to_numpy()[np.isnan(scores)]:
        found.problems.append(Problem(int(line), "score", "", "a score, because the order is to be by score"))
    # Python orders text by code point, which is the byte order of UTF-8 that trec_eval compares by.
    tied = pd.DataFrame({"group": group, "score": scores}).duplicated(keep=False).to_numpy()
    backwards = np.zeros(len(frame), dtype=np.int64)
    _, positions = np.unique(frame["doc_id"].to_numpy(dtype=object)[tied], return_inverse=True)
    backwards[tied] = -positions
    return np.lexsort((frame["line"].to_numpy(), backwards, -scores, group))


def _repeated(frame: pd.DataFrame, group: np.ndarray) -> np.ndarray:
    """Mark what is listed again for its query and stage: the same document, section and chunk."""
    key = pd.DataFrame({"group": group, "doc": frame["doc_id"].to_numpy()})
    for name in ("section_id", "chunk_id"):
        if name in frame:
            key[name] = frame[name].to_numpy()
    return key.duplicated().to_numpy()


def _report_repeated(frame: pd.DataFrame, group: np.ndarray, repeated: np.ndarray, found: Found) -> None:
    if not repeated.any():
        return
    ids = frame[[name for name in ("doc_id", "section_id", "chunk_id") if name in frame]].astype(object).to_numpy()
    seen: dict[tuple[object, ...], int] = {}
    wanted = {(group[at], *ids[at]) for at in np.flatnonzero(repeated)}
    lines, queries = frame["line"].to_numpy(), frame["query_id"].to_numpy()
    for at in range(len(frame)):
        key = (group[at], *ids[at])
        if key not in wanted:
            continue
        first = seen.setdefault(key, at)
        if first != at:
            one, other = sorted((int(lines[first]), int(lines[at])))
            expected = f"each result once for query {queries[at]!r}; it is also on line {one}; duplicates=keep_first keeps the first"
            field = "chunk_id" if len(key) == 4 and key[3] else "doc_id"
            found.problems.append(Problem(other, field, str(key[3] if field == "chunk_id" else key[1]), expected))


def _check_ranks(frame: pd.DataFrame, group: np.ndarray, found: Found, *, trusted: bool, gaps_count: bool) -> None:
    """Repeated ranks are problems; gaps are problems unless the ranks are trusted by choice, then a warning."""
    ranks, lines, queries = frame["rank"].to_numpy(), frame["line"].to_numpy(), frame["query_id"].to_numpy()
    starts = np.r_[True, group[1:] != group[:-1]]
    step = np.r_[0, np.diff(ranks)]
    for at in np.flatnonzero(~starts & (step == 0)):
        one, other = sorted((int(lines[at - 1]), int(lines[at])))
        expected = f"each rank once for query {queries[at]!r}; line {one} has it too; order=score ignores the ranks"
        found.problems.append(Problem(other, "rank", str(ranks[at]), expected))
    gaps = np.flatnonzero((~starts & (step > 1)) | (starts & (ranks > 1)))
    if trusted:
        if len(gaps):
            found.warnings.append(
                f"ranks are missing before {name_lines(sorted(int(line) for line in lines[gaps]))}; numbered anew"
            )
        return
    for at in gaps if gaps_count else ():
        before = "no rank 1" if starts[at] else f"no rank {ranks[at - 1] + 1}"
        expected = (
            f"ranks without a gap; query {queries[at]!r} has {before}; choose order=rank or order=score to accept it"
        )
        found.problems.append(Problem(int(lines[at]), "rank", str(ranks[at]), expected))


def _check_scores(frame: pd.DataFrame, group: np.ndarray, found: Found) -> None:
    """One problem for each query and stage whose scores rise with the rank, at the first place where they do."""
    scores = frame["score"].to_numpy()
    known = ~np.isnan(scores)
    scores, group = scores[known], group[known]
    lines, queries = frame["line"].to_numpy()[known], frame["query_id"].to_numpy()[known]
    rises = np.flatnonzero((group[1:] == group[:-1]) & (scores[1:] > scores[:-1])) + 1
    first = pd.Series(rises).groupby(group[rises]).agg(["min", "size"])
    for at, places in first.itertuples(index=False):
        places_said = "at 1 place" if places == 1 else f"at {places} places"
        expected = (
            f"a score not above {scores[at - 1]} of the rank before it (line {lines[at - 1]}); ranks and scores of query "
            f"{queries[at]!r} disagree {places_said}: choose order=rank or order=score"
        )
        found.problems.append(Problem(int(lines[at]), "score", str(scores[at]), expected))


def _count_ties(frame: pd.DataFrame, group: np.ndarray) -> int:
    scores = frame["score"].to_numpy()
    return int(((group[1:] == group[:-1]) & (scores[1:] == scores[:-1])).sum())


def _renumbered(frame: pd.DataFrame, group: np.ndarray) -> pd.DataFrame:
    if not len(group):
        return frame
    starts = np.flatnonzero(np.r_[True, group[1:] != group[:-1]])
    sizes = np.diff(np.r_[starts, len(group)])
    rank = np.arange(len(group)) - np.repeat(starts, sizes) + 1
    return frame.assign(rank=rank).reset_index(drop=True)
