"""Asking the database what stands in a JSON list, on SQLite and on PostgreSQL alike."""

from __future__ import annotations

from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import JSONField, Lookup
from django.db.models.sql.compiler import SQLCompiler


@JSONField.register_lookup
class Holds(Lookup):
    """`tags__holds="table"`: the JSON list has this string as one of its items, letter by letter.

    Django's own `contains` does this on PostgreSQL only.
    """

    lookup_name = "holds"
    prepare_rhs = False

    def as_sqlite(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper) -> tuple[str, list[Any]]:
        column, params = self.process_lhs(compiler, connection)
        sql = f"EXISTS (SELECT 1 FROM json_each({column}) WHERE json_each.value = %s)"  # noqa: S608  # a column, made by Django
        return sql, [*params, self.rhs]

    def as_postgresql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper) -> tuple[str, list[Any]]:
        column, params = self.process_lhs(compiler, connection)
        return f"jsonb_exists({column}, %s)", [*params, self.rhs]


@JSONField.register_lookup
class IsEmptyList(Lookup):
    """`access__is_empty_list=True`: the JSON list has no items; False: it has some."""

    lookup_name = "is_empty_list"
    prepare_rhs = False

    def as_sqlite(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper) -> tuple[str, list[Any]]:
        return self._compare_length("json_array_length", compiler, connection)

    def as_postgresql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper) -> tuple[str, list[Any]]:
        return self._compare_length("jsonb_array_length", compiler, connection)

    def _compare_length(
        self, function: str, compiler: SQLCompiler, connection: BaseDatabaseWrapper
    ) -> tuple[str, list[Any]]:
        column, params = self.process_lhs(compiler, connection)
        return f"{function}({column}) {'=' if self.rhs else '>'} 0", list(params)
