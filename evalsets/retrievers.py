"""Named configurations of the built-in retrievers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import IntegrityError, transaction
from django.utils.text import slugify

from evalsets.models import EvalSet, Retriever, sha256_of
from evalsets.retrieval import ConfigError, ConfigProblem, building_order
from evalsets.retrieval.filters import complete_config, split_config
from evalsets.retrieval.kinds import KINDS, kind_named
from evalsets.runs import config_checksum

Configurations = dict[str, tuple[str, dict[str, Any]]]


def built_in(eval_set: EvalSet) -> list[Retriever]:
    """The eval set's retrievers that can be run here, by name."""
    return [retriever for retriever in eval_set.retrievers.order_by("name") if retriever.kind in KINDS]


def create_retriever(*, eval_set: EvalSet, name: str, kind: str, config: Mapping[str, Any], by: Any) -> Retriever:
    """Add a configuration under a name that is free; settings left out take their default. It is never changed afterwards.

    A fusion names its members by their slugs. Raises ConfigError with every setting at fault (the name among them).
    """
    full = complete_config(kind, config)
    slug = slugify(name)[:70] or f"retriever-{sha256_of(name)[:12]}"
    check_members(eval_set, kind, full)
    try:
        with transaction.atomic():
            return Retriever.objects.create(
                eval_set=eval_set,
                slug=slug,
                name=name[:200],
                kind=kind,
                family=kind_named(kind).family,
                config=full,
                config_sha256=config_checksum(kind, full),
                created_by=by,
            )
    except IntegrityError as error:
        expected = f"a name that no other retriever of {eval_set} has"
        raise ConfigError([ConfigProblem("name", repr(name), expected)]) from error


def check_members(eval_set: EvalSet, kind: str, config: Mapping[str, Any]) -> None:
    """Raise ConfigError where a fusion names something that is not a built-in retriever of the eval set."""
    if "members" not in config:
        return
    others = {retriever.slug: (retriever.kind, retriever.config) for retriever in built_in(eval_set)}
    building_order(own_settings(others) | {" new": (kind, split_config(config)[0])})


def own_settings(configurations: Mapping[str, tuple[str, Mapping[str, Any]]]) -> Configurations:
    """Leave the filters out of configurations, as the kinds themselves know them."""
    return {name: (kind, split_config(config)[0]) for name, (kind, config) in configurations.items()}


def in_building_order(retrievers: Sequence[Retriever], known: Sequence[Retriever]) -> list[Retriever]:
    """Put the chosen retrievers and the members that they need (among `known`) so that members come before their fusion."""
    by_slug = {retriever.slug: retriever for retriever in known}
    configurations = own_settings({slug: (one.kind, one.config) for slug, one in by_slug.items()})
    needed: set[str] = set()
    waiting = [retriever.slug for retriever in retrievers]
    while waiting:
        slug = waiting.pop()
        if slug not in needed:
            needed.add(slug)
            waiting += configurations.get(slug, ("", {}))[1].get("members", [])
    return [by_slug[slug] for slug in building_order(configurations) if slug in needed]
