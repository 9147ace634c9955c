"""Recorded runs: TREC six-column files and JSON Lines.

The JSON Lines run format
=========================
UTF-8 text, one JSON object a line, blank lines ignored, `.gz` allowed. Ids are text (a JSON integer is read as its digits). A
file mixes the three kinds of line as it likes.

1. The run line: at most one, before all others, one key `run`. Its object names the versions behind the run::

       {"run": {"tag": "bm25-a", "corpus": "handbook 3", "index": "2024-05-01", "embedding": "none",
                "chunking": "words 180/30", "reranker": "none", "k": 10}}

   `tag` (or `name`) names the run, `k` is the context depth (a whole number); every other value becomes a version, as text.

2. An answer line: one query, with its results by stage::

       {"query_id": "q1", "query": "rotate the backup key", "latency_ms": 41.5, "event": "", "filters": {"lang": "en"},
        "results": {"candidates": [{"doc_id": "d1", "score": 9.1}, ...], "final": [...], "context": [...]}}

   `results` is an object of lists by stage, or one list, which then belongs to the line's `stage` (default `candidates`).
   The place in its list is the rank of a result that names none.

3. A result line: one result by itself; it needs `rank`, unless the run is read with order=score::

       {"query_id": "q1", "stage": "final", "rank": 1, "score": 0.93, "doc_id": "d1", "section_id": "s2"}

A result, in a list or alone:

| field | meaning |
|---|---|
| `doc_id` | the document; required |
| `section_id` | the section inside it |
| `chunk_id` | the passage; two results with the same document need different chunk ids |
| `rank` | whole number from 0 or 1, unique and without gaps within query and stage |
| `score` | finite number; may be null or absent where the order is by rank |
| `text` | the passage as it was returned |
| `start`, `end` | where the passage stands in the document's text, in characters from 0, end exclusive |
| `stage` | `candidates` (before reranking), `final` (after it), `context` (what reached the model) |

A query, on an answer line or on any of its result lines (equal wherever given):

| field | meaning |
|---|---|
| `query_id` | required |
| `query` | the exact text that was asked |
| `latency_ms` | milliseconds from question to answer, from 0 |
| `event` | `timeout`, `empty`, `fallback`, `error`, `insufficient_evidence` (it said so), or "" for none; an empty list without an event is `empty` |
| `filters` | an object with the metadata filters that applied |

Other fields are ignored with a warning that names them.
"""

import pandas as pd

from evalsets.formats.decoding import decoded
from evalsets.formats.json_runs import read_json_columns
from evalsets.formats.problems import Problem, by_line, check_choices
from evalsets.formats.run_order import DUPLICATES, ORDERS, STAGES, order_results
from evalsets.formats.run_rows import AnswerRow, ResultRow, RunFound
from evalsets.formats.trec_runs import read_trec_columns

__all__ = ["AnswerRow", "ResultRow", "RunFound", "read_run"]

RUN_FORMATS = ("trec", "jsonl")


def read_run(
    data: bytes | str,
    *,
    name: str,
    format: str | None = None,
    order: str | None = None,
    duplicates: str | None = None,
    stage: str | None = None,
    encoding: str | None = None,
) -> RunFound:
    """Read a recorded run; nothing raises, all problems are in the result.

    `format` is "trec" or "jsonl" (by default found from the content). `order` is "rank" or "score" and settles a disagreement
    between the two (see `run_order.order_results`); `duplicates="keep_first"` keeps the first of what is listed twice.
    `stage` is what a TREC file's results are, by default `candidates`.
    """
    found = RunFound()
    text = decoded(data, encoding, found.problems)
    check_choices(
        found,
        format=(format, RUN_FORMATS),
        order=(order, ORDERS),
        stage=(stage, STAGES),
        duplicates=(duplicates, DUPLICATES),
    )
    if text is None or found.problems:
        return found
    found.format = format or run_format(text)
    if not found.format:
        found.problems.append(unknown_run(text, name))
        return found
    if found.format == "trec":
        columns, found.tag = read_trec_columns(text, found, stage=stage or "candidates")
    else:
        columns = read_json_columns(text, found, stage=stage or "candidates", ranks_needed=order != "score")
    return finish_run(found, columns, order=order, duplicates=duplicates)


def finish_run(found: RunFound, columns: pd.DataFrame, *, order: str | None, duplicates: str | None) -> RunFound:
    """Order the columns into `found`, complete its answers, and empty it where there are problems."""
    ordered = order_results(columns, found, order=order or None, duplicates=duplicates or None)
    found.problems = by_line(found.problems)
    if found.problems:
        found.answers = []
        return found
    if not found.rows_read:
        found.warnings.append("the file holds no results")
    found.columns, found.ties = ordered.frame, ordered.ties
    if found.ties:
        pairs = "1 pair" if found.ties == 1 else f"{found.ties} pairs"
        found.warnings.append(
            f"{pairs} of neighbouring results with equal scores; their order is {order or 'the recorded rank'}"
        )
    if not found.answers and len(columns):
        first = columns.drop_duplicates("query_id")
        pairs_of = zip(first["query_id"], first["line"], strict=True)
        found.answers = [AnswerRow(query_id, line=int(line)) for query_id, line in pairs_of]
    return found


def run_format(text: str) -> str:
    """Return "jsonl", "trec" or "" from the first line that is not blank."""
    first = next((line for line in text.split("\n", 1000) if line.strip()), "").strip()
    if first.startswith(("{", "[")):
        return "jsonl"
    return "trec" if not first or len(first.split()) >= 5 or "," not in first else ""


def unknown_run(text: str, name: str) -> Problem:
    """Return the problem of a file that looks like no run, with the formats to choose from."""
    first = next((line for line in text.split("\n", 1000) if line.strip()), "")
    return Problem(None, "format", first or name, f"a run; choose format={' or format='.join(RUN_FORMATS)}")
