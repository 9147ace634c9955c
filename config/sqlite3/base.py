"""Django's SQLite backend, except for how transactions wait for the write lock: in turn.

SQLite's own busy handler sleeps longer and longer, up to 100 ms, between its attempts, and whoever comes fresh goes first. Under eight
writers without pause some waited for more than seven seconds. Here whoever wants to begin first passes a lock of the operating system,
on a file beside the database; only who has passed it tries to begin, every millisecond, and opens it again once begun. So a writer
that has just finished cannot overtake one that waits. A process that dies leaves the lock open, and nobody waits for longer than the
timeout at the head of the queue. Where there is no such lock (memory, Windows) everybody tries at once.
"""

from __future__ import annotations

import contextlib
import sqlite3
import time
from collections.abc import Iterator
from typing import IO, Any

from django.db.backends.sqlite3 import base
from django.db.utils import OperationalError

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

SECONDS_BETWEEN_ATTEMPTS = 0.001
PRIMARY_CODE = 0xFF  # the low byte of an extended result code
DEFAULT_TIMEOUT = 5.0


class DatabaseWrapper(base.DatabaseWrapper):
    _turnstile: IO[bytes] | None = None

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        connection = super().get_new_connection(conn_params)
        if fcntl is not None and not self.is_in_memory_db():
            self._turnstile = open(f"{self.settings_dict['NAME']}.turn", "ab")  # noqa: SIM115  # closed with the connection
        return connection

    def _close(self) -> None:
        super()._close()  # type: ignore[misc]  # the stubs leave out what has an underscore
        if self._turnstile is not None:
            self._turnstile.close()
            self._turnstile = None

    def _start_transaction_under_autocommit(self) -> None:
        """Begin in turn, trying until `timeout` of the options has passed; then the error of the last attempt is raised."""
        timeout = float(self.settings_dict["OPTIONS"].get("timeout", DEFAULT_TIMEOUT))
        with self._in_turn():
            deadline = time.monotonic() + timeout
            self._let_sqlite_wait(0)
            try:
                while not self._try_to_begin(is_last=time.monotonic() >= deadline):
                    time.sleep(SECONDS_BETWEEN_ATTEMPTS)
            finally:
                self._let_sqlite_wait(timeout)

    @contextlib.contextmanager
    def _in_turn(self) -> Iterator[None]:
        if self._turnstile is None:
            yield
            return
        fcntl.flock(self._turnstile, fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.flock(self._turnstile, fcntl.LOCK_UN)

    def _try_to_begin(self, *, is_last: bool) -> bool:
        try:
            super()._start_transaction_under_autocommit()  # type: ignore[misc]  # the stubs leave it out
        except OperationalError as error:
            code = getattr(error.__cause__, "sqlite_errorcode", 0)
            if is_last or code & PRIMARY_CODE != sqlite3.SQLITE_BUSY:
                raise
            return False
        return True

    def _let_sqlite_wait(self, seconds: float) -> None:
        self.connection.execute(f"PRAGMA busy_timeout = {int(seconds * 1000)}")
