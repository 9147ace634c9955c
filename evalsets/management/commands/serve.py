"""`manage.py serve`: the web server and one worker beside it, for one machine."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

GRACE_SECONDS = 10.0


class Command(BaseCommand):
    help = "Serve the site with gunicorn and run one background worker beside it. Ctrl-C stops both."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--bind", default="127.0.0.1:8000", help="address and port (default: %(default)s)")
        parser.add_argument("--threads", type=int, default=8, help="requests answered at once (default: %(default)s)")

    def handle(self, *args: Any, bind: str, threads: int, **options: Any) -> None:
        commands = {
            "web": [
                "-m",
                "gunicorn",
                "config.wsgi",
                "--bind",
                bind,
                "--worker-class",
                "gthread",
                "--threads",
                str(threads),
            ],
            "worker": ["manage.py", "db_worker", "--interval", "0.5"],
        }
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        # A session of its own keeps the terminal's Ctrl-C from the children: they are stopped here, in order.
        running = {
            name: subprocess.Popen([sys.executable, *command], start_new_session=True)  # noqa: S603
            for name, command in commands.items()
        }
        self.stdout.write(f"Plumbline is at http://{bind}/ - stop it with Ctrl-C.")
        try:
            ended = self._wait_for_any(running)
        except KeyboardInterrupt:
            self.stdout.write("\nStopping.")
            return
        finally:
            self._stop(running)
        raise CommandError(
            f"The {ended} process ended by itself (exit code {running[ended].returncode}); both are stopped."
        )

    @staticmethod
    def _wait_for_any(running: dict[str, subprocess.Popen[bytes]]) -> str:
        while True:
            for name, process in running.items():
                if process.poll() is not None:
                    return name
            time.sleep(0.2)

    @staticmethod
    def _stop(running: dict[str, subprocess.Popen[bytes]]) -> None:
        for process in running.values():
            if process.poll() is None:
                process.terminate()
        deadline = time.monotonic() + GRACE_SECONDS
        for process in running.values():
            try:
                process.wait(timeout=max(0.1, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                process.kill()
