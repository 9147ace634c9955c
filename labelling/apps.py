"""The labelling app."""

from django.apps import AppConfig


class LabellingConfig(AppConfig):
    name = "labelling"

    def ready(self) -> None:
        from evalsets.hooks import after_pool_built, labelling_terms, query_remarks
        from labelling import stations
        from labelling.flag_remarks import list_flag_remarks

        # Imported so that the page and the commands know these kinds of files.
        from labelling.importing import kinds  # noqa: F401
        from labelling.seating import seat_new_pool
        from labelling.terms import get_terms

        if seat_new_pool not in after_pool_built:
            after_pool_built.append(seat_new_pool)
        if get_terms not in labelling_terms:
            labelling_terms.append(get_terms)
        if list_flag_remarks not in query_remarks:
            query_remarks.append(list_flag_remarks)
        stations.register()
