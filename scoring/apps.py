"""The scoring app."""

from django.apps import AppConfig


class ScoringConfig(AppConfig):
    name = "scoring"

    def ready(self) -> None:
        # Imported so that its background work is registered, in the worker as well as in the web process.
        from scoring import (
            jobs,  # noqa: F401
            stations,
        )

        stations.register()
