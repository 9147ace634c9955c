"""`manage.py check_health`: for container health checks; exit code 0 when well, 1 when not."""

from __future__ import annotations

import urllib.request
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import connection
from django.utils import timezone

from evalsets.models import Job

TIMEOUT_SECONDS = 4


class Command(BaseCommand):
    help = "Without a url: the database answers and no job lies dead. With a url: the web process behind it answers."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("url", nargs="?", help="the /health/ page of the web process")

    def handle(self, *args: Any, url: str | None, **options: Any) -> None:
        if url:
            self._ask(url)
        else:
            connection.ensure_connection()
            dead = Job.objects.dead(timezone.now()).count()
            if dead:
                raise CommandError(f"{dead} jobs have not been heard of; is a worker running?")
        self.stdout.write("ok")

    def _ask(self, url: str) -> None:
        if not url.startswith(("http://", "https://")):
            raise CommandError(f"{url} is no http address")
        # The process answers only to its own host names, over what it believes to be https behind the proxy.
        headers = {"Host": settings.ALLOWED_HOSTS[0].lstrip("."), "X-Forwarded-Proto": "https"}
        request = urllib.request.Request(url, headers=headers)  # noqa: S310  # checked above
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS):  # noqa: S310  # checked above
                return
        except OSError as error:
            raise CommandError(f"{url} does not answer: {error}") from error
