"""A dense retriever that needs no model weights: latent semantic analysis, fitted on the documents themselves.

S. Deerwester and others, Indexing by Latent Semantic Analysis, JASIS 1990. Chunks and queries become vectors in the
space of the strongest singular vectors of a tf-idf matrix, and are compared by cosine.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from evalsets.retrieval.base import Chunk, Hit, Retriever, SourceDocument, best_hits, check_k
from evalsets.retrieval.chunking import chunk_documents, chunking_version
from evalsets.retrieval.configuration import CHUNK_SETTINGS, Config, Kind, Setting, check_overlap
from evalsets.retrieval.words import TOKENIZER_VERSION, character_grams, tokens

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

GRAM = 4
MOST_GRAMS = 20_000
POWER_ITERATIONS = 2
_SMALL = 1e-10

Analyzer = Callable[[str], list[str]]
Vectors = npt.NDArray[np.float64]


class LsaRetriever:
    """Scores chunks by the cosine to the query in the latent space; the same seed gives the same space."""

    def __init__(self, config: Config, documents: Sequence[SourceDocument]) -> None:
        import sklearn

        cutting = {name: config[name] for name in ("size", "overlap", "with_headings")}
        language = config["language"]
        self._chunks: list[Chunk] = chunk_documents(documents, **cutting)
        self._features = _Features([chunk.indexed_text for chunk in self._chunks], config["character_grams"], language)
        matrix = self._features.matrix
        self._axes = np.zeros((0, 0)) if matrix is None else _axes(matrix, config["dimensions"], config["seed"])
        self._vectors = np.zeros((0, 0)) if matrix is None else _unit(matrix @ self._axes)
        grams = f" and {GRAM}-grams of characters" if config["character_grams"] else ""
        self.versions = {
            "chunking": chunking_version(**cutting),
            "index": "cosine, exhaustive",
            "embedding": (
                f"scikit-learn {sklearn.__version__}: latent semantic analysis of words{grams}, "
                f"{config['dimensions']} dimensions, seed {config['seed']}, tokenizer {TOKENIZER_VERSION} {language}"
            ),
        }

    def search(self, query: str, k: int) -> list[Hit]:
        """Give at most `k` chunks with a cosine above zero, best first; equal scores by chunk id."""
        check_k(k)
        if not len(self._vectors):
            return []
        vector = _unit(self._features.of(query) @ self._axes)[0]
        return best_hits(self._chunks, self._vectors @ vector, k)


class _Features:
    """The tf-idf features of the chunks; `matrix` is None where no text has any."""

    def __init__(self, texts: Sequence[str], with_grams: bool, language: str) -> None:
        analyzers: list[Analyzer] = [lambda text: tokens(text, language=language)]
        if with_grams:
            analyzers.append(lambda text: character_grams(text, GRAM))
        self._fitted: list[tuple[Analyzer, Any]] = []
        blocks = [block for analyzer in analyzers if (block := self._fit(analyzer, texts)) is not None]
        self.matrix: csr_matrix | None = _side_by_side(blocks) if blocks else None

    def _fit(self, analyzer: Analyzer, texts: Sequence[str]) -> "csr_matrix | None":
        from sklearn.feature_extraction.text import TfidfVectorizer

        analysed = [analyzer(text) for text in texts]
        if not any(analysed):
            return None
        most = None if not self._fitted else MOST_GRAMS
        vectorizer = TfidfVectorizer(analyzer=list, sublinear_tf=True, max_features=most)
        block = vectorizer.fit_transform(analysed)
        self._fitted.append((analyzer, vectorizer))
        return block

    def of(self, text: str) -> "csr_matrix":
        """Give the features of one text as a matrix of one row."""
        return _side_by_side([vectorizer.transform([analyzer(text)]) for analyzer, vectorizer in self._fitted])


def _side_by_side(blocks: Sequence["csr_matrix"]) -> "csr_matrix":
    from scipy.sparse import hstack

    return hstack(blocks, format="csr")


def _axes(matrix: "csr_matrix", dimensions: int, seed: int) -> Vectors:
    """Give the strongest right singular vectors as columns: as many as asked for, or as the matrix has."""
    # What TruncatedSVD calls; that class itself refuses a corpus of one chunk.
    from sklearn.utils.extmath import randomized_svd

    most = min(dimensions, *matrix.shape)
    _, strengths, rows = randomized_svd(matrix, most, n_iter=POWER_ITERATIONS, random_state=seed)
    strong = strengths > _SMALL * strengths[0]
    return np.ascontiguousarray(rows[strong].T)


def _unit(vectors: Vectors) -> Vectors:
    """Scale each row to length one; rows of no length stay zero."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > _SMALL)


def _build(config: Config, documents: Sequence[SourceDocument], others: Mapping[str, Retriever]) -> Retriever:
    return LsaRetriever(config, documents)


KIND = Kind(
    name="lsa",
    label="Latent semantic analysis (dense, offline)",
    family="dense",
    settings=(
        *CHUNK_SETTINGS,
        Setting("dimensions", "Dimensions of the vectors", "whole number", 200, 1, 2000),
        Setting("character_grams", "Use parts of words too (finds misspellings)", "yes or no", True),
        Setting("seed", "Seed of the decomposition", "whole number", 0, 0, 2**32 - 1),
    ),
    build=_build,
    check=check_overlap,
)
