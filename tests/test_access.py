"""Every url with every role: who gets in. A url that is not in the table fails."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from evalsets.models import Role
from tests.access_cases import CASES, PUBLIC, World, make_world

SEATS = ["anonymous", "outsider", *Role.values]


def walk(resolver: URLResolver | URLPattern, namespace: str = "") -> Iterator[tuple[str, URLPattern]]:
    """Yield the full name and pattern of every url below."""
    if isinstance(resolver, URLPattern):
        yield f"{namespace}:{resolver.name}" if namespace else str(resolver.name), resolver
        return
    inside = resolver.namespace or namespace
    for pattern in resolver.url_patterns:
        yield from walk(pattern, inside if isinstance(resolver, URLResolver) else namespace)


OWN_URLS = {name: pattern for name, pattern in walk(get_resolver()) if not name.startswith("admin:") and name != "None"}


def test_every_url_is_in_the_table() -> None:
    missing = set(OWN_URLS) - {case.name for case in CASES} - set(PUBLIC)
    gone = ({case.name for case in CASES} | set(PUBLIC)) - set(OWN_URLS)

    assert not missing, f"urls without a line in tests/access_cases.py: {sorted(missing)}"
    assert not gone, f"lines for urls that are not there: {sorted(gone)}"


def test_every_view_of_an_eval_set_says_what_it_takes() -> None:
    silent = [
        name
        for name, pattern in OWN_URLS.items()
        if not name.startswith("people:")
        and name not in {"evalsets:list_eval_sets", "evalsets:create_eval_set", "check_health"}
        and not hasattr(pattern.callback, "action")
    ]

    assert not silent


@pytest.fixture
def world(db: None) -> World:
    return make_world()


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.method} {case.name}")
def test_who_gets_in(world: World, case: object) -> None:
    url = case.url(world)  # type: ignore[attr-defined]
    for seat in SEATS:
        client = Client()
        if seat != "anonymous":
            client.force_login(world.people[seat])
        status = getattr(client, case.method)(url, case.data).status_code  # type: ignore[attr-defined]
        expected = case.expected(seat)  # type: ignore[attr-defined]
        assert status in expected, f"{seat}: {status}, expected {sorted(expected)}"
