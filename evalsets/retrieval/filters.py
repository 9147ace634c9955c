"""What a retriever leaves out: documents that the asker may not read, and those that are no longer in force.

The filters stand around any built-in retriever, so that each kind stays free of them. They are settings of its configuration all
the same, because a list with them and one without are different lists.
"""

from collections.abc import Callable, Mapping
from typing import Any

from evalsets.retrieval.base import Hit, Retriever, check_k
from evalsets.retrieval.configuration import Config, ConfigError, ConfigProblem, Setting
from evalsets.retrieval.kinds import KINDS, kind_named

FILTER_SETTINGS = (
    Setting(
        "access_filter",
        "Leave out what the asker may not read",
        "yes or no",
        True,
        help="A document with an access list is returned only where one of the query's groups is on it.",
    ),
    Setting(
        "only_current",
        "Leave out archived documents and drafts",
        "yes or no",
        False,
        help="Off, an outdated document competes with the one that replaced it.",
    ),
)
_FILTERS = {setting.name: setting for setting in FILTER_SETTINGS}
_WIDER = 4


def all_settings(kind: str) -> tuple[Setting, ...]:
    """The settings of a kind of retriever, then those of the filters. Raises ConfigError for an unknown kind."""
    return (*kind_named(kind).settings, *FILTER_SETTINGS)


def complete_config(kind: str, config: Mapping[str, Any]) -> Config:
    """Give the whole configuration with all defaults filled in. Raises ConfigError with every setting at fault."""
    own, filters = split_config(config)
    problems = [
        ConfigProblem(name, repr(value), _FILTERS[name].expected)
        for name, value in filters.items()
        if not _FILTERS[name].accepts(value)
    ]
    problems = kind_named(kind).problems(own) + problems
    if problems:
        raise ConfigError(problems)
    return KINDS[kind].complete(own) | {setting.name: setting.default for setting in FILTER_SETTINGS} | filters


def split_config(config: Mapping[str, Any]) -> tuple[Config, Config]:
    """Part a configuration into what the kind's own settings are and what the filters are."""
    own = {name: value for name, value in config.items() if name not in _FILTERS}
    return own, {name: value for name, value in config.items() if name in _FILTERS}


def search_allowed(retriever: Retriever, query: str, k: int, allowed: Callable[[str], bool]) -> list[Hit]:
    """Give the first `k` hits whose document id is allowed, ranked anew from 1; fewer only where the retriever has no more."""
    check_k(k)
    asked = k
    while True:
        hits = retriever.search(query, asked)
        kept = [hit for hit in hits if allowed(hit.doc_id)][:k]
        if len(kept) == k or len(hits) < asked:
            return [
                Hit(rank, hit.score, hit.doc_id, hit.section_id, hit.chunk_id, hit.start, hit.end)
                for rank, hit in enumerate(kept, start=1)
            ]
        asked *= _WIDER
