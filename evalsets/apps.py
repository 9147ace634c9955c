"""The evalsets app."""

from django.apps import AppConfig


class EvalsetsConfig(AppConfig):
    name = "evalsets"

    def ready(self) -> None:
        # Imported so that their background work and kinds of files are registered, in the worker as well as in the web process.
        from evalsets import building, data_stations, retrieving  # noqa: F401
        from evalsets.importing import applying, kinds  # noqa: F401

        data_stations.register()
