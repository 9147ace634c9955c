"""How transactions wait for SQLite's write lock."""

import sqlite3
import threading
import time

import pytest
from django.db import OperationalError, connection, transaction

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif("connection.vendor != 'sqlite'", reason="about SQLite"),
]


@pytest.fixture
def other_writer():
    """A writer of another connection, which holds the lock."""
    other = sqlite3.connect(connection.settings_dict["NAME"], isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    yield other
    other.close()


def test_a_transaction_begins_soon_after_the_lock_is_free(other_writer):
    connection.ensure_connection()
    threading.Timer(0.5, lambda: other_writer.execute("COMMIT")).start()
    began = time.monotonic()

    with transaction.atomic():
        waited = time.monotonic() - began

    assert 0.4 < waited < 1.5


def test_a_transaction_gives_up_after_the_timeout(other_writer):
    connection.ensure_connection()
    timeout = connection.settings_dict["OPTIONS"]["timeout"]
    connection.settings_dict["OPTIONS"]["timeout"] = 0.1

    try:
        with pytest.raises(OperationalError, match="locked"), transaction.atomic():
            pytest.fail("it began under somebody else's lock")
    finally:
        connection.settings_dict["OPTIONS"]["timeout"] = timeout


def test_single_statements_still_wait_by_themselves(other_writer):
    connection.ensure_connection()
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA busy_timeout")
        before = cursor.fetchone()
    other_writer.execute("COMMIT")
    with transaction.atomic():
        pass

    with connection.cursor() as cursor:
        cursor.execute("PRAGMA busy_timeout")
        assert cursor.fetchone() == before == (20_000,)
