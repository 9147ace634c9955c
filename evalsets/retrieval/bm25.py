"""BM25 over chunks, by the bm25s package: S. Robertson and H. Zaragoza, The Probabilistic Relevance Framework, 2009."""

import logging
from collections.abc import Mapping, Sequence

import bm25s

from evalsets.retrieval.base import Chunk, Hit, Retriever, SourceDocument, best_hits, check_k
from evalsets.retrieval.chunking import chunk_documents, chunking_version
from evalsets.retrieval.configuration import CHUNK_SETTINGS, Config, Kind, Setting, check_overlap
from evalsets.retrieval.words import TOKENIZER_VERSION, tokens

# The package logs at debug level whatever the application's own level is.
logging.getLogger("bm25s").setLevel(logging.WARNING)


class Bm25Retriever:
    """Scores chunks by the words they share with the query (Lucene's form of BM25, whose idf is never negative)."""

    def __init__(self, config: Config, documents: Sequence[SourceDocument]) -> None:
        cutting = {name: config[name] for name in ("size", "overlap", "with_headings")}
        self._language: str = config["language"]
        self._chunks: list[Chunk] = chunk_documents(documents, **cutting)
        indexed = [tokens(chunk.indexed_text, language=self._language) for chunk in self._chunks]
        # Sorted, so that the index does not depend on the order in which a set is walked.
        self._vocabulary = {word: at for at, word in enumerate(sorted({word for chunk in indexed for word in chunk}))}
        self._index = bm25s.BM25(k1=config["k1"], b=config["b"], method="lucene", dtype="float64")
        if self._vocabulary:
            numbered = [[self._vocabulary[word] for word in chunk] for chunk in indexed]
            self._index.index(bm25s.tokenization.Tokenized(numbered, self._vocabulary), show_progress=False)
        self.versions = {
            "chunking": chunking_version(**cutting),
            "index": (
                f"bm25s {bm25s.__version__}: lucene, k1 {config['k1']:g}, b {config['b']:g}, "
                f"tokenizer {TOKENIZER_VERSION} {self._language}"
            ),
            "embedding": "none",
        }

    def search(self, query: str, k: int) -> list[Hit]:
        """Give at most `k` chunks that share a token with the query, best first; equal scores by chunk id."""
        check_k(k)
        words = tokens(query, language=self._language)
        known = [self._vocabulary[word] for word in words if word in self._vocabulary]
        if not known:
            return []
        return best_hits(self._chunks, self._index.get_scores_from_ids(known), k)


def _build(config: Config, documents: Sequence[SourceDocument], others: Mapping[str, Retriever]) -> Retriever:
    return Bm25Retriever(config, documents)


KIND = Kind(
    name="bm25",
    label="BM25 over chunks",
    family="lexical",
    settings=(
        *CHUNK_SETTINGS,
        Setting("k1", "k1: how soon repeated words stop counting", "number", 1.5, 0, 10),
        Setting("b", "b: how much long chunks are held back", "number", 0.75, 0, 1),
    ),
    build=_build,
    check=check_overlap,
)
