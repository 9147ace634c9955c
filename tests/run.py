"""`make test`: the whole suite on SQLite, then what touches the database once more on PostgreSQL where one answers.

With CI=true PostgreSQL and Chromium are required; elsewhere what is missing is said and skipped.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time

import psycopg

LOCAL_SERVER = "postgres://postgres@127.0.0.1:5432/postgres"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def find_postgres() -> str | None:
    """The url of a PostgreSQL server that answers: TEST_DATABASE_URL, which must answer, or the local one."""
    chosen = os.environ.get("TEST_DATABASE_URL")
    url = chosen or LOCAL_SERVER
    try:
        psycopg.connect(url.replace("postgres://", "postgresql://", 1), connect_timeout=3).close()
    except psycopg.OperationalError as error:
        if chosen:
            sys.exit(f"TEST_DATABASE_URL does not answer: {error}")
        return None
    return url


def run_pytest(*arguments: str, **environment: str) -> int:
    """Run pytest in a process of its own, two workers wide; return its exit code."""
    cores = str(min(2, os.cpu_count() or 1))
    command = [sys.executable, "-m", "pytest", "-q", "-n", cores, "--dist", "loadfile", *arguments, *sys.argv[1:]]
    return subprocess.run(command, env=os.environ | environment, check=False).returncode


def main() -> int:
    """Run both passes and say which ran. Returns the first exit code that is not 0."""
    required = bool(os.environ.get("CI"))
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    postgres = find_postgres()
    print(
        f"SQLite: yes. PostgreSQL: {'yes' if postgres else 'none answers'}. Chromium: {browser or 'not found'}.",
        flush=True,
    )
    if required and not (browser and postgres):
        print("CI requires both PostgreSQL and Chromium.", file=sys.stderr)
        return 2
    begun = time.monotonic()
    os.environ.pop("TEST_DATABASE_URL", None)
    codes = [run_pytest()]
    if postgres:
        print("Now what touches the database, on PostgreSQL.", flush=True)
        codes.append(run_pytest(TEST_DATABASE_URL=postgres, PLUMBLINE_TESTS="database"))
    print(
        f"Ran on SQLite{' and PostgreSQL' if postgres else ' only'}, "
        f"{'with' if browser else 'without'} the browser tests, in {time.monotonic() - begun:.0f} s."
    )
    return next(filter(None, codes), 0)


if __name__ == "__main__":
    sys.exit(main())
