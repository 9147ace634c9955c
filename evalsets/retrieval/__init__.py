"""Built-in retrievers over a snapshot's documents: texts in, ranked hits out."""

from evalsets.retrieval.base import Chunk, Hit, Retriever, SourceDocument, SourceSection
from evalsets.retrieval.configuration import ConfigError, ConfigProblem, Kind, Setting
from evalsets.retrieval.kinds import KINDS, build_retriever, building_order

__all__ = [
    "KINDS",
    "Chunk",
    "ConfigError",
    "ConfigProblem",
    "Hit",
    "Kind",
    "Retriever",
    "Setting",
    "SourceDocument",
    "SourceSection",
    "build_retriever",
    "building_order",
]
