import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalsets.retrieval.base import SourceDocument, SourceSection
from evalsets.retrieval.chunking import chunk_document, chunk_documents
from evalsets.retrieval.words import singular, tokens, word_spans

WORDS = st.text(alphabet="ab \n\t.-é字の", max_size=120)


@st.composite
def documents(draw):
    """A document whose sections may leave text uncovered before, between and after them."""
    text = draw(WORDS)
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=8)))
    pairs = list(zip(cuts[::2], cuts[1::2], strict=False))
    sections = tuple(SourceSection(f"s{at}", f"Heading {at}", start, end) for at, (start, end) in enumerate(pairs))
    return SourceDocument("doc", "Title", text, sections)


@st.composite
def cuttings(draw):
    size = draw(st.integers(1, 12))
    return {"size": size, "overlap": draw(st.integers(0, size - 1)), "with_headings": draw(st.booleans())}


def numbered(count):
    return " ".join(f"w{at}" for at in range(count))


@given(documents(), cuttings())
def test_a_chunks_text_is_the_documents_text_between_its_offsets(doc, cutting):
    for chunk in chunk_document(doc, **cutting):
        assert chunk.text == doc.text[chunk.start : chunk.end]
        assert chunk.text


@given(documents(), cuttings())
def test_every_word_of_the_document_is_in_a_chunk(doc, cutting):
    covered = {at for chunk in chunk_document(doc, **cutting) for at in range(chunk.start, chunk.end)}
    assert {at for at, sign in enumerate(doc.text) if not sign.isspace()} <= covered


@given(documents(), cuttings())
def test_no_chunk_crosses_the_edge_of_a_section(doc, cutting):
    bounds = {section.section_id: (section.start, section.end) for section in doc.sections}
    for chunk in chunk_document(doc, **cutting):
        if chunk.section_id:
            start, end = bounds[chunk.section_id]
            assert start <= chunk.start <= chunk.end <= end
        else:
            assert all(chunk.end <= start or end <= chunk.start for start, end in bounds.values() if start < end)


@given(documents(), cuttings())
def test_no_chunk_has_more_words_than_the_size(doc, cutting):
    assert all(len(list(word_spans(chunk.text))) <= cutting["size"] for chunk in chunk_document(doc, **cutting))


@given(documents(), cuttings())
def test_chunk_ids_name_one_chunk(doc, cutting):
    chunks = chunk_document(doc, **cutting)
    assert len({chunk.chunk_id for chunk in chunks}) == len(chunks)


def test_neighbouring_chunks_share_the_overlap():
    doc = SourceDocument("doc", "", numbered(10))
    assert [chunk.text.split() for chunk in chunk_document(doc, size=4, overlap=1)] == [
        ["w0", "w1", "w2", "w3"],
        ["w3", "w4", "w5", "w6"],
        ["w6", "w7", "w8", "w9"],
    ]


def test_the_last_chunk_holds_something_new():
    doc = SourceDocument("doc", "", numbered(7))
    assert [chunk.text for chunk in chunk_document(doc, size=4, overlap=2)] == [
        "w0 w1 w2 w3",
        "w2 w3 w4 w5",
        "w4 w5 w6",
    ]


def test_headings_are_indexed_and_not_shown():
    text = "Restore\nRun it twice."
    doc = SourceDocument("doc", "Handbook", text, (SourceSection("restore", "Restore", 0, len(text)),))
    (plain,) = chunk_document(doc, size=50, overlap=0)
    (headed,) = chunk_document(doc, size=50, overlap=0, with_headings=True)
    assert headed.indexed_text == "Handbook\nRestore\nRestore\nRun it twice."
    assert headed.text == plain.text == plain.indexed_text == text


def test_text_without_spaces_is_cut_too():
    doc = SourceDocument("doc", "", "備份每天執行一次")
    assert [chunk.text for chunk in chunk_document(doc, size=5, overlap=0)] == ["備份每天執", "行一次"]


@pytest.mark.parametrize("text", ["", "  \n\t "])
def test_a_document_without_words_gives_no_chunk(text):
    assert chunk_document(SourceDocument("doc", "Title", text), size=5, overlap=0) == []


@pytest.mark.parametrize(("size", "overlap"), [(0, 0), (5, 5), (5, -1)])
def test_a_size_or_overlap_that_cannot_advance_is_refused(size, overlap):
    with pytest.raises(ValueError, match="it must be"):
        chunk_document(SourceDocument("doc", "", "a b"), size=size, overlap=overlap)


@pytest.mark.parametrize("spans", [[(0, 4), (2, 6)], [(0, 99)], [(4, 2)]])
def test_sections_that_overlap_or_leave_the_text_are_refused(spans):
    sections = tuple(SourceSection(f"s{at}", "", *span) for at, span in enumerate(spans))
    with pytest.raises(ValueError, match=r"document 'doc', section 's\d': offsets"):
        chunk_document(SourceDocument("doc", "", "one two", sections), size=5, overlap=0)


def test_a_doc_id_given_twice_is_refused():
    with pytest.raises(ValueError, match="'doc' is given twice"):
        chunk_documents([SourceDocument("doc", "", "a"), SourceDocument("doc", "", "b")], size=5, overlap=0)


def test_identifiers_are_indexed_whole_and_in_parts():
    assert tokens("The PB-2041's disk") == ["pb-2041", "pb", "2041", "disk"]
    assert tokens("set max_retry_count") == ["set", "max_retry_count", "max", "retry", "count"]
    assert tokens("PB2041") == ["pb2041", "pb", "2041"]


def test_stop_words_and_plurals_are_folded_in_english_only():
    assert tokens("What are the policies?") == ["policy"]
    assert tokens("What are the policies?", language="any") == ["what", "are", "the", "policies"]


@pytest.mark.parametrize(
    ("word", "folded"),
    [
        ("policies", "policy"),
        ("pages", "page"),
        ("disks", "disk"),
        ("status", "status"),
        ("access", "access"),
        ("shoes", "shoes"),
    ],
)
def test_regular_plurals_fold_to_the_singular(word, folded):
    assert singular(word) == folded


def test_scripts_without_spaces_are_indexed_by_neighbouring_pairs():
    assert tokens("備份每天 x") == ["備份", "份每", "每天", "x"]


@given(st.text())
def test_any_text_can_be_cut_into_tokens(text):
    assert all(tokens(text, language="any"))
    assert all(tokens(text))
