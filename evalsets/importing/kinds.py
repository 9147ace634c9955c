"""Everything that this app can import, registered in the order in which a team needs it."""

from evalsets.importing.documents import DOCUMENTS
from evalsets.importing.queries import QUERIES
from evalsets.importing.runs import LOG, RUN

__all__ = ["DOCUMENTS", "LOG", "QUERIES", "RUN"]
