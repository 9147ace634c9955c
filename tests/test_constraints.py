"""Every rule that a table declares is held by the database itself. A named constraint without a case fails."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.apps import apps
from django.db import IntegrityError, connection, models, transaction

from tests.constraint_cases import CASES, SAME, VALID, World

APPS = ("evalsets", "labelling", "scoring")


def list_constraints() -> Iterator[tuple[type[models.Model], Any]]:
    for label in APPS:
        for model in apps.get_app_config(label).get_models():
            for constraint in model._meta.constraints:
                yield model, constraint


DECLARED = {constraint.name: (model, constraint) for model, constraint in list_constraints()}


def names(error: IntegrityError, model: type[models.Model], constraint: Any) -> bool:
    """Does the database's error speak of this constraint? SQLite names the columns of a unique one."""
    if connection.vendor == "postgresql":
        return error.__cause__.diag.constraint_name == constraint.name  # type: ignore[union-attr]
    if isinstance(constraint, models.CheckConstraint):
        return str(error) == f"CHECK constraint failed: {constraint.name}"
    columns = [f"{model._meta.db_table}.{model._meta.get_field(name).column}" for name in constraint.fields]  # type: ignore[union-attr]
    return str(error) == f"UNIQUE constraint failed: {', '.join(columns)}"


def test_every_named_constraint_has_a_case() -> None:
    covered = {case.partition("/")[0] for case in CASES}

    assert not set(DECLARED) - covered, "constraints without a line in tests/constraint_cases.py"
    assert not covered - set(DECLARED), "lines for constraints that are not there"


def test_every_constraint_is_named_by_us() -> None:
    assert all(name and not name.startswith(APPS) for name in DECLARED)


@pytest.mark.django_db
@pytest.mark.parametrize("case", list(CASES))
def test_database_refuses_a_row_that_breaks(case: str) -> None:
    declared_on, constraint = DECLARED[case.partition("/")[0]]
    model, changes, first = (*CASES[case], SAME)[:3]
    world = World()
    valid = VALID[model](world)
    broken = model(**valid | changes(world))
    manager = model._base_manager

    assert model is declared_on
    if isinstance(constraint, models.UniqueConstraint):
        manager.create(**valid | first(world))
    with pytest.raises(IntegrityError) as refused, transaction.atomic():
        manager.bulk_create([broken])

    assert names(refused.value, model, constraint), f"refused by another rule: {refused.value}"


@pytest.mark.django_db
@pytest.mark.parametrize("model", list(VALID), ids=lambda model: model.__name__)
def test_valid_row_is_taken(model: type[models.Model]) -> None:
    world = World()

    model._base_manager.bulk_create([model(**VALID[model](world))])
