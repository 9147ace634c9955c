"""The kinds of retriever that are built in, and how one is made from its configuration."""

from collections.abc import Mapping, Sequence
from typing import Any

from evalsets.retrieval import bm25, dense, fusion
from evalsets.retrieval.base import Retriever, SourceDocument
from evalsets.retrieval.configuration import ConfigError, ConfigProblem, Kind

KINDS: dict[str, Kind] = {kind.name: kind for kind in (bm25.KIND, dense.KIND, fusion.KIND)}


def kind_named(name: str) -> Kind:
    """Give the kind of that name. Raises ConfigError, naming the kinds there are."""
    if name not in KINDS:
        raise ConfigError([ConfigProblem("kind", repr(name), "one of " + ", ".join(KINDS))])
    return KINDS[name]


def build_retriever(
    kind: str, config: Mapping[str, Any], documents: Sequence[SourceDocument], others: Mapping[str, Retriever]
) -> Retriever:
    """Build a retriever over the documents. Settings left out take their default.

    `others` are the retrievers already built, by name; a fusion takes its members from them (see `building_order`).
    Raises ConfigError with every setting at fault, and ValueError for documents that cannot be cut.
    """
    chosen = kind_named(kind)
    return chosen.build(chosen.complete(config), documents, others)


def building_order(configurations: Mapping[str, tuple[str, Mapping[str, Any]]]) -> list[str]:
    """Order named (kind, config) pairs so that every member of a fusion comes before it.

    Raises ConfigError where a configuration cannot be used, or a fusion names a retriever that is not among them or is,
    in the end, itself.
    """
    order: list[str] = []
    for name in configurations:
        _place(name, configurations, order, above=())
    return order


def _place(
    name: str, configurations: Mapping[str, tuple[str, Mapping[str, Any]]], order: list[str], above: tuple[str, ...]
) -> None:
    if name in order:
        return
    if name in above:
        path = " > ".join((*above, name))
        raise ConfigError([ConfigProblem("members", path, "no retriever among its own members")])
    if name not in configurations:
        raise ConfigError([ConfigProblem("members", repr(name), "one of " + ", ".join(configurations))])
    kind, config = configurations[name]
    for member in kind_named(kind).complete(config).get("members", ()):
        _place(member, configurations, order, (*above, name))
    order.append(name)
