"""TREC run files: six columns between blanks, read in one sweep when clean and line by line when anything is wrong."""

import io
import re
from collections import Counter

import numpy as np
import pandas as pd

from evalsets.formats.problems import Found, Problem, name_lines
from evalsets.formats.records import finite_number, whole_number

COLUMNS = ("query_id", "stage", "rank", "score", "doc_id", "line")
_BLANKS = re.compile(r"[ \t]+")
_EXPECTED = "6 fields: query, Q0, document, rank, score, tag"


def read_trec_columns(text: str, found: Found, *, stage: str) -> tuple[pd.DataFrame, str]:
    """Return (results, tag) of a TREC run; results have the columns COLUMNS in the order of the file.

    Spaces and tabs separate, blank lines are skipped, text after the tag is ignored with a warning. A line with fewer than six
    fields, a rank that is no whole number from 0 and a score that is no finite number are problems with their line.
    """
    swept = _sweep(text, stage)
    if swept is not None:
        frame, tags = swept
    else:
        frame, tags = _read_lines(text, found, stage)
    found.rows_read = max(found.rows_read, len(frame))
    if len(tags) > 1:
        shown = ", ".join(repr(tag) for tag in list(tags)[:5])
        found.warnings.append(f"the lines carry {len(tags)} different tags ({shown}); read as one run")
    return frame, next(iter(tags), "")


def _sweep(text: str, stage: str) -> tuple[pd.DataFrame, list[str]] | None:
    """Read a clean file column by column, or return None where only the line-by-line reader can say what is wrong.

    Everything is read as text (any other type would merge the ids 007 and 7). That no character got lost is checked at the
    end, so a line that pandas cuts, joins or drops can never pass.
    """
    body = text.replace("\r\n", "\n")
    first, _, _ = body.partition("\n")
    if "\r" in body or len(first.split()) != 6:
        return None
    names = ["query_id", "q0", "doc_id", "rank", "score", "tag"]
    try:
        read = pd.read_csv(
            io.StringIO(body),
            sep=r"\s+",
            header=None,
            names=names,
            index_col=False,
            quoting=3,
            na_filter=False,
            dtype=object,
        )
        columns = [read[name].tolist() for name in names]
        read_characters = sum(sum(map(len, column)) for column in columns)
        rank, score = _digits(columns[3]), _decimals(columns[4])
    except (ValueError, TypeError, OverflowError, pd.errors.ParserWarning):  # a ParserError is a ValueError
        return None
    written_characters = len(body) - sum(body.count(blank) for blank in " \t\n")
    lines = body.count("\n") + (not body.endswith("\n"))
    if read_characters != written_characters or len(read) != lines or "" in columns[5]:
        return None
    return _frame(columns[0], stage, rank, score, columns[2], np.arange(1, lines + 1)), list(dict.fromkeys(columns[5]))


def _digits(column: list[str]) -> np.ndarray:
    """Return ranks as integers; raises ValueError for anything but up to nine ASCII digits."""
    if not re.fullmatch(r"[0-9\n]*", "\n".join(column)) or max(map(len, column)) > 9:
        raise ValueError("not all ranks are whole numbers")
    return np.array(column, dtype=object).astype(np.int64)


def _decimals(column: list[str]) -> np.ndarray:
    """Return scores as floats; raises ValueError for anything but plain finite decimal notation."""
    if not re.fullmatch(r"[0-9.eE+\-\n]*", "\n".join(column)):
        raise ValueError("not all scores are plain numbers")
    scores = np.array(column, dtype=object).astype(np.float64)
    if not np.isfinite(scores).all():
        raise ValueError("not all scores are finite")
    return scores


def _read_lines(text: str, found: Found, stage: str) -> tuple[pd.DataFrame, list[str]]:
    queries: list[str] = []
    documents: list[str] = []
    ranks: list[int] = []
    scores: list[float] = []
    numbers: list[int] = []
    tags: Counter[str] = Counter()
    with_rest: list[int] = []
    for number, raw in enumerate(text.split("\n"), start=1):
        line = raw.removesuffix("\r").strip(" \t")
        if not line:
            continue
        found.rows_read += 1
        fields = _BLANKS.split(line)
        if not _is_whole(fields, line, number, found):
            continue
        rank, score = whole_number(fields[3]), finite_number(fields[4])
        if rank is None or not 0 <= rank < 2**31:
            rank = None
            found.problems.append(Problem(number, "rank", fields[3], "a whole number from 0"))
        if score is None:
            found.problems.append(Problem(number, "score", fields[4], "a finite number"))
        if rank is None or score is None:
            continue
        queries.append(fields[0])
        documents.append(fields[2])
        ranks.append(rank)
        scores.append(score)
        numbers.append(number)
        tags[fields[5]] += 1
        if len(fields) > 6:
            with_rest.append(number)
    if with_rest:
        found.warnings.append(f"text after the tag ignored on {name_lines(with_rest)}")
    frame = _frame(
        queries, stage, np.array(ranks, dtype=np.int64), np.array(scores), documents, np.array(numbers, dtype=np.int64)
    )
    return frame, list(tags)


def _is_whole(fields: list[str], line: str, number: int, found: Found) -> bool:
    """Report a line that is no row of six fields."""
    if "\r" in line:
        found.problems.append(Problem(number, "line", line, "LF or CRLF at line ends; there is a lone CR in this line"))
    elif len(fields) < 6:
        found.problems.append(Problem(number, "fields", line, f"{_EXPECTED}; found {len(fields)}"))
    else:
        return True
    return False


def _frame(
    queries: list[str], stage: str, rank: np.ndarray, score: np.ndarray, documents: list[str], line: np.ndarray
) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "query_id": np.array(queries, dtype=object),
            "stage": pd.Categorical.from_codes([0] * len(queries), categories=pd.Index([stage])),
            "rank": rank,
            "score": score.astype(np.float64),
            "doc_id": np.array(documents, dtype=object),
            "line": line,
        }
    )
