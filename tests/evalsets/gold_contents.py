"""Contents of gold sets for the tests: small ones written out, and odd ones drawn by Hypothesis."""

from hypothesis import strategies as st

from evalsets.gold.canonical import FORMAT, GoldContent

HEADER = {
    "format": FORMAT,
    "eval_set": {"slug": "handbook", "name": "Handbook"},
    "version": 1,
    "unit": "section",
    "scale": "graded",
    "threshold": 2,
    "gain": "exp",
    "depth_n": 50,
    "depth_k": 5,
    "snapshot": {"corpus": "handbook", "number": 1, "sha256": "ab" * 32, "documents": 3},
    "agreement": {"alpha_ordinal": 0.7421, "low": 0.61, "high": 0.83, "candidates": 40},
    "published_at": "2026-12-01T10:00:00+00:00",
    "notes": "",
}


def query(query_id, text="How long are backups kept?", **given):
    return {
        "query_id": query_id,
        "text": text,
        "answerable": True,
        "split": "dev",
        "tags": [],
        "synthetic": False,
    } | given


def label(query_id, doc_id, section_id="", grade=0, **given):
    return {
        "query_id": query_id,
        "doc_id": doc_id,
        "section_id": section_id,
        "grade": grade,
        "provenance": "single",
        "text_sha256": "cd" * 32,
        "judgments": [{"annotator": "annotator 1", "grade": grade, "note": ""}],
        "adjudication": None,
    } | given


def small_content(**header):
    queries = [query("q1"), query("q2", "What does it cost?", split="holdout", tags=["price"])]
    labels = [
        label("q1", "retention", "how-long", 3),
        label("q1", "retention", "where", 1),
        label("q2", "prices", "", 2, provenance="adjudicated", adjudication={"grade": 2, "reason": "=1+1, he said"}),
    ]
    return GoldContent(header=HEADER | header, queries=queries, labels=labels)


# Every letter that a database keeps, and often the ones that files trip over.
LETTERS = st.one_of(
    st.sampled_from(list(" \t\r\n\"',;#%=+-@|{}\\/\u00a0\u2028\u0085\ufeff\x1f0aé漢🙂")),
    st.characters(exclude_categories=["Cs"], exclude_characters="\x00"),
)
IDS = st.text(LETTERS, min_size=1, max_size=12)
TEXTS = st.text(LETTERS, max_size=30)


@st.composite
def contents(draw):
    query_ids = draw(st.lists(IDS, unique=True, max_size=5))
    queries = [
        query(
            query_id,
            draw(TEXTS),
            split=draw(st.sampled_from(["dev", "holdout"])),
            tags=draw(st.lists(TEXTS, max_size=2)),
        )
        for query_id in query_ids
    ]
    keys = st.tuples(st.sampled_from(query_ids or ["none"]), IDS, st.one_of(st.just(""), IDS))
    adjudications = st.none() | st.builds(lambda reason: {"reason": reason}, TEXTS)
    labels = [
        label(*key, grade=draw(st.integers(0, 3)), adjudication=draw(adjudications))
        for key in draw(st.lists(keys, unique=True, max_size=8 if query_ids else 0))
    ]
    return GoldContent(header=HEADER | {"notes": draw(TEXTS)}, queries=queries, labels=labels)
