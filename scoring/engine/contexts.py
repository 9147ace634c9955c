"""How much of the gold evidence stood in the passages that reached the model."""

from collections.abc import Mapping, Sequence

import numpy as np

from scoring.engine.arrays import Floats


def folded(text: str) -> str:
    """The text with letter case folded and every stretch of white space made one blank."""
    return " ".join(text.casefold().split())


def context_cover(
    query_ids: Sequence[str], spans: Mapping[str, Sequence[str]], passages: Mapping[str, Sequence[str]]
) -> Floats:
    """For each query, the share of its gold spans whose text stands in one of its passages.

    A span that is blank counts for nothing; a query without spans has no value (NaN); one without passages gets 0.
    """
    values = np.full(len(query_ids), np.nan)
    for at, query_id in enumerate(query_ids):
        wanted = [text for text in (folded(span) for span in spans.get(query_id, ())) if text]
        if wanted:
            seen = [folded(passage) for passage in passages.get(query_id, ())]
            values[at] = sum(any(span in passage for passage in seen) for span in wanted) / len(wanted)
    return values
