"""Database triggers that hold frozen rows frozen, in the SQL of SQLite and of PostgreSQL.

A model's `save` can be passed by; a trigger cannot. Deletes are left to `PROTECT` and the frozen models themselves,
because emptying a test database deletes row by row on SQLite.
"""

from __future__ import annotations

from collections.abc import Sequence

from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.operations.special import RunPython

ALWAYS = "1 = 1"


def make_refusal(schema_editor: BaseDatabaseSchemaEditor, *, table: str, event: str, when: str, message: str) -> None:
    """Create one trigger: `event` ("UPDATE", "UPDATE OF a, b" or "INSERT") on `table` fails with `message` when `when` holds.

    `when` is SQL over OLD and NEW, the same for both databases.
    """
    name = f"refuse_{table}_{event.split()[0].lower()}"
    quoted = message.replace("'", "''")
    if schema_editor.connection.vendor == "sqlite":
        schema_editor.execute(
            f"CREATE TRIGGER {name} BEFORE {event} ON {table} FOR EACH ROW WHEN {when} "
            f"BEGIN SELECT RAISE(ABORT, '{quoted}'); END"
        )
        return
    schema_editor.execute(
        f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF {when} THEN "
        f"RAISE EXCEPTION '{quoted.replace('%', '%%')}' USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN NEW; END $$"
    )
    schema_editor.execute(f"CREATE TRIGGER {name} BEFORE {event} ON {table} FOR EACH ROW EXECUTE FUNCTION {name}()")


def refusals(rules: Sequence[tuple[str, str, str, str]]) -> RunPython:
    """Return a migration operation that makes a trigger for each (table, event, when, message)."""

    def apply(apps: object, schema_editor: BaseDatabaseSchemaEditor) -> None:
        for table, event, when, message in rules:
            make_refusal(schema_editor, table=table, event=event, when=when, message=message)

    def revert(apps: object, schema_editor: BaseDatabaseSchemaEditor) -> None:
        for table, event, _when, _message in rules:
            name = f"refuse_{table}_{event.split()[0].lower()}"
            if schema_editor.connection.vendor == "sqlite":
                schema_editor.execute(f"DROP TRIGGER IF EXISTS {name}")
            else:
                schema_editor.execute(f"DROP FUNCTION IF EXISTS {name}() CASCADE")

    return RunPython(apply, revert)
