"""Reciprocal-rank fusion of other retrievers: G. Cormack, C. Clarke and S. Buettcher, SIGIR 2009."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace

from evalsets.retrieval.base import SCORE_DECIMALS, Hit, Retriever, SourceDocument, check_k
from evalsets.retrieval.configuration import Config, ConfigError, ConfigProblem, Kind, Setting

FUSED_BY = ("chunk", "section", "document")


class FusionRetriever:
    """Adds 1 / (rrf_k + rank) over the members' lists; a member that did not find something adds nothing.

    By section or document, each member's list is first collapsed, and the best chunk of the best-ranked member stands
    for it.
    """

    def __init__(self, config: Config, members: Mapping[str, Retriever]) -> None:
        self._members = members
        self._by: str = config["by"]
        self._rrf_k: int = config["rrf_k"]
        self._depth: int = config["depth"]
        self.versions = {
            "chunking": _listed(members, "chunking"),
            "index": f"rrf {self._rrf_k} by {self._by}, depth {self._depth}, of {_listed(members, 'index')}",
            "embedding": _listed(members, "embedding"),
        }

    def search(self, query: str, k: int) -> list[Hit]:
        """Give at most `k` hits, best fused score first; equal scores by document, section and chunk id."""
        check_k(k)
        scores: dict[Hashable, float] = {}
        best: dict[Hashable, tuple[int, Hit]] = {}
        for member in self._members.values():
            for rank, (key, hit) in enumerate(self._collapsed(member.search(query, self._depth)).items(), start=1):
                scores[key] = scores.get(key, 0.0) + 1 / (self._rrf_k + rank)
                if key not in best or rank < best[key][0]:
                    best[key] = rank, hit
        fused = [(round(score, SCORE_DECIMALS), best[key][1]) for key, score in scores.items()]
        fused.sort(key=lambda pair: (-pair[0], pair[1].doc_id, pair[1].section_id, pair[1].chunk_id))
        return [replace(hit, rank=rank, score=score) for rank, (score, hit) in enumerate(fused[:k], start=1)]

    def _collapsed(self, hits: Sequence[Hit]) -> dict[Hashable, Hit]:
        first: dict[Hashable, Hit] = {}
        for hit in hits:
            first.setdefault(self._key(hit), hit)
        return first

    def _key(self, hit: Hit) -> Hashable:
        if self._by == "document":
            return hit.doc_id
        if self._by == "section":
            return hit.doc_id, hit.section_id
        return hit.doc_id, hit.section_id, hit.chunk_id


def _listed(members: Mapping[str, Retriever], name: str) -> str:
    """Name what each member has; where all have the same, name it once."""
    values = {member: retriever.versions.get(name, "unknown") for member, retriever in members.items()}
    if len(set(values.values())) == 1:
        return next(iter(values.values()))
    return "; ".join(f"{member}: {value}" for member, value in values.items())


def _build(config: Config, documents: Sequence[SourceDocument], others: Mapping[str, Retriever]) -> Retriever:
    missing = [name for name in config["members"] if name not in others]
    if missing:
        expected = "retrievers that are built: " + (", ".join(others) or "there is none")
        raise ConfigError([ConfigProblem("members", ", ".join(missing), expected)])
    members = {name: others[name] for name in config["members"]}
    cuts = {retriever.versions.get("chunking", "unknown") for retriever in members.values()}
    if config["by"] == "chunk" and len(cuts) > 1:
        expected = "section or document, because these members cut documents differently: " + _listed(
            members, "chunking"
        )
        raise ConfigError([ConfigProblem("by", "chunk", expected)])
    return FusionRetriever(config, members)


def _no_further_check(config: Config) -> list[ConfigProblem]:
    return []


KIND = Kind(
    name="rrf",
    label="Reciprocal-rank fusion of others",
    family="hybrid",
    settings=(
        Setting("members", "Retrievers to fuse", "retrievers", ()),
        Setting("rrf_k", "Constant added to each rank", "whole number", 60, 0, 10_000),
        Setting("depth", "Results read from each member", "whole number", 100, 1, 10_000),
        Setting("by", "What is fused", "choice", "chunk", choices=FUSED_BY),
    ),
    build=_build,
    check=_no_further_check,
)
