"""Cuts documents into chunks of so many words, never across a section."""

from collections.abc import Iterator, Sequence

from evalsets.retrieval.base import Chunk, SourceDocument, SourceSection
from evalsets.retrieval.words import word_spans

CHUNKING_VERSION = "1"


def chunk_document(doc: SourceDocument, *, size: int, overlap: int, with_headings: bool = False) -> list[Chunk]:
    """Cut one document into chunks of at most `size` words that share `overlap` words with the one before.

    Every word is in a chunk; a document without words gives none. With `with_headings` the title and the section's
    heading are indexed with each chunk, while its text and offsets stay those of the document. Raises ValueError for a
    size below one, an overlap outside 0..size-1, or sections that overlap or leave the text.
    """
    if size < 1:
        raise ValueError(f"size is {size} words; it must be at least 1")
    if not 0 <= overlap < size:
        raise ValueError(f"overlap is {overlap} words; it must be from 0 to {size - 1}, less than the size")
    return [
        _chunk(doc, section, start, end, with_headings)
        for section in _stretches(doc)
        for start, end in _windows(doc.text, section, size, overlap)
    ]


def chunk_documents(
    documents: Sequence[SourceDocument], *, size: int, overlap: int, with_headings: bool = False
) -> list[Chunk]:
    """Cut all documents, and give the chunks in the order of their ids. Raises ValueError for a repeated doc_id."""
    seen: set[str] = set()
    chunks: list[Chunk] = []
    for doc in documents:
        if doc.doc_id in seen:
            raise ValueError(f"document {doc.doc_id!r} is given twice; a doc_id names one document")
        seen.add(doc.doc_id)
        chunks.extend(chunk_document(doc, size=size, overlap=overlap, with_headings=with_headings))
    return sorted(chunks, key=lambda chunk: (chunk.chunk_id, chunk.doc_id, chunk.section_id))


def chunking_version(*, size: int, overlap: int, with_headings: bool) -> str:
    """Name the way of cutting, for the record of a run; equal names give equal chunks of equal documents."""
    headings = "with headings" if with_headings else "without headings"
    return f"words {CHUNKING_VERSION}: size {size}, overlap {overlap}, {headings}"


def _stretches(doc: SourceDocument) -> Iterator[SourceSection]:
    """Give the sections in reading order, and between them the text that belongs to none."""
    reached = 0
    for section in sorted(doc.sections, key=lambda section: (section.start, section.end)):
        if not reached <= section.start <= section.end <= len(doc.text):
            raise ValueError(
                f"document {doc.doc_id!r}, section {section.section_id!r}: offsets {section.start}-{section.end} overlap "
                f"another section or leave the text of {len(doc.text)} characters"
            )
        yield SourceSection("", "", reached, section.start)
        yield section
        reached = section.end
    yield SourceSection("", "", reached, len(doc.text))


def _windows(text: str, section: SourceSection, size: int, overlap: int) -> Iterator[tuple[int, int]]:
    words = list(word_spans(text, section.start, section.end))
    for first in range(0, len(words), size - overlap):
        last = min(first + size, len(words)) - 1
        yield words[first][0], words[last][1]
        if last == len(words) - 1:
            return


def _chunk(doc: SourceDocument, section: SourceSection, start: int, end: int, with_headings: bool) -> Chunk:
    context = "\n".join(filter(None, (doc.title, section.heading))) if with_headings else ""
    chunk_id = (
        f"{doc.doc_id}#{section.section_id}:{start}-{end}" if section.section_id else f"{doc.doc_id}:{start}-{end}"
    )
    return Chunk(chunk_id, doc.doc_id, section.section_id, start, end, doc.text[start:end], context)
