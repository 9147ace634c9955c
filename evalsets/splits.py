"""Divides queries into dev and holdout by source family, and finds what would leak from one into the other."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Literal

import numpy as np
from scipy.sparse import csr_matrix

Split = Literal["dev", "holdout"]
Verdict = Literal["exact", "same", "review"]

DEFAULT_SALT = "split-v1"
SAME_TOKENS = 0.80
SAME_CHARACTERS = 0.85
REVIEW = 0.65
_BLOCK = 256

_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class SplitQuery:
    """A query as the split sees it. An empty family means that the query is a family of its own."""

    query_id: str
    text: str
    family: str = ""
    split: str = ""
    documents: tuple[str, ...] = ()

    @property
    def source_family(self) -> str:
        return self.family or self.query_id


@dataclass(frozen=True)
class NearDuplicate:
    """Two queries that ask nearly the same. "exact" and "same" belong in one split; "review" is for a person to decide."""

    first: str
    second: str
    token_jaccard: float
    character_jaccard: float
    verdict: Verdict


@dataclass(frozen=True)
class Straddling:
    """A source family with queries in several splits: query ids by split."""

    family: str
    by_split: dict[str, list[str]]


def split_bucket(family: str, *, salt: str = DEFAULT_SALT) -> int:
    """Give the number 0-99 that a family hashes to."""
    return int(sha256(f"{salt}|{family}".encode()).hexdigest()[:8], 16) % 100


def split_of(family: str, *, holdout_percent: int = 30, salt: str = DEFAULT_SALT) -> Split:
    """Put a family into a split: about `holdout_percent` of families into holdout, each always into the same."""
    if not 0 <= holdout_percent <= 100:
        raise ValueError(f"holdout_percent is {holdout_percent}; it is a percentage from 0 to 100")
    return "holdout" if split_bucket(family, salt=salt) < holdout_percent else "dev"


def assign_splits(
    queries: Sequence[SplitQuery], *, holdout_percent: int = 30, salt: str = DEFAULT_SALT, by_documents: bool = True
) -> dict[str, Split]:
    """Give every query its split, whole groups of families at a time.

    Families are one group when a query of one nearly duplicates a query of the other or, with `by_documents`, when both
    have the same gold document; the group goes where its first family by name hashes to.
    """
    group = family_groups(queries, near_duplicates(queries), by_documents=by_documents)
    return {
        query.query_id: split_of(group[query.source_family], holdout_percent=holdout_percent, salt=salt)
        for query in queries
    }


def family_groups(
    queries: Sequence[SplitQuery], duplicates: Iterable[NearDuplicate], *, by_documents: bool = True
) -> dict[str, str]:
    """Name for each family the group it belongs to, by the group's first family in order of name."""
    family = {query.query_id: query.source_family for query in queries}
    parents = {name: name for name in family.values()}
    for pair in duplicates:
        if pair.verdict != "review":
            _join(parents, family[pair.first], family[pair.second])
    holder: dict[str, str] = {}
    for query in queries if by_documents else ():
        for document in query.documents:
            _join(parents, query.source_family, holder.setdefault(document, query.source_family))
    return {name: _root(parents, name) for name in parents}


def _root(parents: dict[str, str], name: str) -> str:
    while parents[name] != name:
        parents[name] = parents[parents[name]]
        name = parents[name]
    return name


def _join(parents: dict[str, str], first: str, second: str) -> None:
    low, high = sorted((_root(parents, first), _root(parents, second)))
    parents[high] = low


def straddling_families(queries: Iterable[SplitQuery]) -> list[Straddling]:
    """List the families whose queries stand in more than one split, in order of name."""
    found: dict[str, dict[str, list[str]]] = {}
    for query in queries:
        found.setdefault(query.source_family, {}).setdefault(query.split, []).append(query.query_id)
    return [Straddling(family, by_split) for family, by_split in sorted(found.items()) if len(by_split) > 1]


def straddling_duplicates(queries: Sequence[SplitQuery]) -> list[NearDuplicate]:
    """List the near-duplicates, those to be reviewed included, whose two queries stand in different splits."""
    split = {query.query_id: query.split for query in queries}
    return [pair for pair in near_duplicates(queries) if split[pair.first] != split[pair.second]]


def token_jaccard(first: str, second: str) -> float:
    """Give the share of different words that two texts have in common, from 0 to 1."""
    return _jaccard(_words(first), _words(second))


def character_jaccard(first: str, second: str) -> float:
    """Give the share of different pieces of three characters that two texts have in common, from 0 to 1."""
    return _jaccard(_pieces(first), _pieces(second))


def near_duplicates(queries: Sequence[SplitQuery]) -> list[NearDuplicate]:
    """List the pairs of queries that are nearly the same, in the order of the queries.

    Same: words alike to 0.80 or characters to 0.85; review: either to 0.65. All pairs are compared; ten thousand
    queries take a few seconds.
    """
    texts = [query.text for query in queries]
    words = [_words(text) for text in texts]
    pieces = [_pieces(text) for text in texts]
    found = []
    for first, second in sorted(_alike(words) | _alike(pieces)):
        tokens = _jaccard(words[first], words[second])
        characters = _jaccard(pieces[first], pieces[second])
        verdict = _verdict(texts[first], texts[second], tokens, characters)
        found.append(NearDuplicate(queries[first].query_id, queries[second].query_id, tokens, characters, verdict))
    return found


def _verdict(first: str, second: str, tokens: float, characters: float) -> Verdict:
    if _normalised(first) == _normalised(second):
        return "exact"
    return "same" if tokens >= SAME_TOKENS or characters >= SAME_CHARACTERS else "review"


def _alike(sets: Sequence[frozenset[str]]) -> set[tuple[int, int]]:
    """Give the pairs of indexes, lower one first, of sets that are alike to REVIEW or more."""
    columns: dict[str, int] = {}
    indices = [columns.setdefault(feature, len(columns)) for found in sets for feature in found]
    ends = np.cumsum([0, *map(len, sets)])
    sizes = np.diff(ends)
    held = csr_matrix((np.ones(len(indices), dtype=np.int64), indices, ends), shape=(len(sets), len(columns)))
    pairs: set[tuple[int, int]] = set()
    # In blocks of rows: all shared counts at once would be a square of the number of queries.
    for top in range(0, len(sets) if columns else 0, _BLOCK):
        shared = (held[top : top + _BLOCK] @ held.T).tocoo()
        rows, others = shared.row + top, shared.col
        likeness = shared.data / (sizes[rows] + sizes[others] - shared.data)
        alike = (likeness >= REVIEW) & (rows < others)
        pairs.update(zip(rows[alike].tolist(), others[alike].tolist(), strict=True))
    return pairs


def _normalised(text: str) -> str:
    return " ".join(_WORD.findall(unicodedata.normalize("NFKC", text).casefold()))


def _words(text: str) -> frozenset[str]:
    return frozenset(_normalised(text).split())


def _pieces(text: str) -> frozenset[str]:
    plain = _normalised(text)
    return frozenset(plain[at : at + 3] for at in range(max(1, len(plain) - 2))) if plain else frozenset()


def _jaccard(first: frozenset[str], second: frozenset[str]) -> float:
    """Give shared / all of two sets; 0 for two empty ones, which say nothing of each other."""
    together = len(first | second)
    return len(first & second) / together if together else 0.0
