"""The pages of documents, snapshots and queries."""

from __future__ import annotations

from typing import Any

import pytest

from evalsets.formats.document_rows import DocumentRow, SectionRow
from evalsets.formats.query_rows import EvidenceRef, QueryRow
from evalsets.models import Document, EvalSet, Role
from evalsets.queries import store_queries
from evalsets.rendering import render_markdown
from evalsets.retrieving import run_retrievers
from evalsets.snapshots import store_snapshot
from labelling.adjudication import flag_query
from tests.evalsets.retrieval_steps import DOCUMENTS, add_retriever, make_searchable
from tests.evalsets.test_retrieval_pages import sign_in, url
from tests.factories import make_member
from tests.labelling.label_steps import make_labelled_set
from tests.labelling.queue_steps import NOON

pytestmark = pytest.mark.django_db

HOSTILE = (
    "# Head {#anchor}\n\n<script>alert(1)</script> [link](javascript:alert(1)) ![words](http://evil/x.png) <b onclick=x>bold</b>\n\n"
    "| a | b |\n|---|---|\n| 1 | 2 |\n"
)


def list_ids(page: Any) -> list[str]:
    return [document.doc_id for document in page.context["page"]]


def test_documents_are_listed_by_id() -> None:
    eval_set = make_searchable()

    assert list_ids(sign_in(eval_set).get(url(eval_set, "list_documents"))) == ["guide", "old", "secret"]


@pytest.mark.parametrize(
    ("search", "expected"),
    [
        ("words=refund", ["secret"]),
        ("words=GUIDE", ["guide", "old"]),
        ("lifecycle=archived", ["old"]),
        ("doc_type=policy", []),
        ("access=everybody", ["guide", "old"]),
        ("access=group:finance", ["secret"]),
        ("access=group:fin", []),
        ("language=en", []),
        ("sort=-title", ["guide", "secret", "old"]),
        ("sort=nonsense", ["guide", "old", "secret"]),
        ("page=99", ["guide", "old", "secret"]),
    ],
)
def test_documents_are_narrowed_by_what_stands_in_the_url(search: str, expected: list[str]) -> None:
    eval_set = make_searchable()

    assert list_ids(sign_in(eval_set).get(f"{url(eval_set, 'list_documents')}?{search}")) == expected


def test_list_of_documents_costs_the_same_for_many(django_assert_max_num_queries: Any) -> None:
    eval_set = make_searchable(documents=tuple(DocumentRow(f"d{n}", f"Title {n}", "Text.") for n in range(120)))
    client = sign_in(eval_set)

    with django_assert_max_num_queries(12):
        client.get(url(eval_set, "list_documents"))


def test_document_has_an_anchor_at_each_section() -> None:
    eval_set = make_searchable()
    document = Document.objects.get(doc_id="guide")

    page = sign_in(eval_set).get(url(eval_set, "view_document", document.pk)).content.decode()

    assert '<section id="section-retention">' in page
    assert 'href="#section-retention"' in page
    assert "<h2>Retention</h2>" in page
    assert page.count("Retention") == 2, "once as a heading, once in the contents"
    assert "copper snapshots kept" in page


def test_sections_are_led_to_whatever_their_ids_are() -> None:
    text = "One.\nTwo.\n"
    sections = (SectionRow("main", "", 0, 0, 5), SectionRow("a b/\u00e9", "Second", 0, 5, 10))
    eval_set = make_searchable(documents=(DocumentRow("d", "D", text, sections=sections),))

    page = sign_in(eval_set).get(url(eval_set, "view_document", Document.objects.get().pk)).content.decode()

    assert page.count('id="main"') == 1, "the page's own part"
    assert 'id="section-a b/\u00e9"' in page
    assert 'href="#section-a%20b%2F%C3%A9"' in page


def test_text_without_signs_of_markdown_keeps_its_lines() -> None:
    eval_set = make_searchable(documents=(DocumentRow("d", "D", "First <b>line</b>\n1986. Second\n\nThird"),))

    page = sign_in(eval_set).get(url(eval_set, "view_document", Document.objects.get().pk)).content.decode()

    assert "<p>First &lt;b&gt;line&lt;/b&gt;<br>1986. Second</p>" in page


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_heading_is_shown_once_whatever_ends_its_line(newline: str) -> None:
    text = newline.join(["# Head", "", "The body."])
    eval_set = make_searchable(
        documents=(DocumentRow("d", "D", text, sections=(SectionRow("head", "Head", 1, 0, len(text)),)),)
    )

    page = sign_in(eval_set).get(url(eval_set, "view_document", Document.objects.get().pk)).content.decode()

    assert page.count("Head<") == 1
    assert "The body." in page


def test_document_that_takes_the_place_of_another_names_it() -> None:
    old = DocumentRow("was", "What was", "Old.", lifecycle="archived", superseded_by="is")
    eval_set = make_searchable(documents=(old, DocumentRow("is", "What holds now", "New.")))

    page = sign_in(eval_set).get(url(eval_set, "view_document", Document.objects.get(doc_id="is").pk))

    assert [one.doc_id for one in page.context["predecessors"]] == ["was"]
    assert "It supersedes" in page.content.decode()


def test_document_of_an_older_snapshot_leads_to_the_current_one() -> None:
    eval_set = make_searchable()
    older = Document.objects.get(doc_id="guide")
    newer = store_snapshot(corpus=eval_set.corpus, documents=DOCUMENTS[:1], source="second", by=None)
    client = sign_in(eval_set)
    client.post(url(eval_set, "choose_snapshot", newer.number))

    page = client.get(url(eval_set, "view_document", older.pk))

    assert page.context["current"] == newer.documents.get(doc_id="guide")
    assert "this document as it is there" in page.content.decode()


def test_archived_document_says_what_took_its_place() -> None:
    old = DocumentRow("was", "Was", "Old.", lifecycle="archived", superseded_by="is")
    eval_set = make_searchable(documents=(old, DocumentRow("is", "What holds now", "New.")))
    document = Document.objects.get(doc_id="was")

    page = sign_in(eval_set).get(url(eval_set, "view_document", document.pk)).content.decode()

    assert "Archived" in page
    assert "What holds now" in page


def test_document_of_another_corpus_is_not_there() -> None:
    eval_set, other = make_searchable(), make_searchable("other")
    document = Document.objects.filter(snapshot=other.snapshot).first()

    assert sign_in(eval_set).get(url(eval_set, "view_document", document.pk)).status_code == 404


def test_hostile_document_does_nothing_to_the_page() -> None:
    row = DocumentRow(
        "bad",
        "<script>alert(2)</script>",
        HOSTILE,
        sections=(SectionRow('"><img src=x>', "<i>Head</i>", 1, 0, len(HOSTILE)),),
    )
    eval_set = make_searchable(documents=(row,))
    document = Document.objects.get()

    page = sign_in(eval_set).get(url(eval_set, "view_document", document.pk)).content.decode()

    for harmful in ("<script>alert", 'javascript:alert(1)"', "<img", "onclick=x>", "<i>Head"):
        assert harmful not in page
    assert "<table>" in page
    assert "{#anchor}" not in page


@pytest.mark.parametrize(
    "harmful", ["<script>x</script>", "<a href='javascript:x'>y</a>", "<svg onload=x>", "<style>*{}</style>"]
)
def test_raw_html_in_markdown_comes_out_as_words(harmful: str) -> None:
    assert harmful.split()[0].rstrip(">") not in render_markdown(f"before {harmful} after")


def test_headings_inside_a_text_stay_below_those_of_the_page() -> None:
    assert render_markdown("# One\n\n### Three\n\n###### Six") == "<h3>One</h3>\n<h4>Three</h4>\n<h4>Six</h4>\n"


def test_another_snapshot_can_be_made_current() -> None:
    eval_set = make_searchable()
    newer = store_snapshot(corpus=eval_set.corpus, documents=DOCUMENTS[:1], source="second", by=None)
    client = sign_in(eval_set)

    listed = client.get(url(eval_set, "list_snapshots")).content.decode()
    client.post(url(eval_set, "choose_snapshot", newer.number))

    assert "Snapshot 2" in listed
    assert EvalSet.objects.get(pk=eval_set.pk).snapshot == newer


def test_snapshot_of_another_corpus_cannot_be_chosen() -> None:
    eval_set, other = make_searchable(), make_searchable("other")
    extra = store_snapshot(corpus=other.corpus, documents=DOCUMENTS[:1], source="second", by=None)

    answer = sign_in(eval_set).post(url(eval_set, "choose_snapshot", extra.number))

    assert answer.status_code == 404


def make_questions() -> EvalSet:
    eval_set = make_searchable()
    rows = [
        QueryRow("a1", "Erste Frage?", tags=("german", "date-sensitive"), source="log", split="holdout"),
        QueryRow("a2", "No answer", answerable=False, expected_behaviour="empty", tags=("german",), source="ticket"),
        QueryRow("a3", "Made up", synthetic=True),
    ]
    store_queries(eval_set=eval_set, rows=rows)
    return eval_set


@pytest.mark.parametrize(
    ("search", "expected"),
    [
        ("tag=german", ["a1", "a2"]),
        ("tag=germ", []),
        ("split=holdout", ["a1"]),
        ("source=ticket", ["a2"]),
        ("answerable=no", ["a2"]),
        ("synthetic=yes", ["a3"]),
        ("words=frage", ["a1"]),
        ("permission=sensitive", ["q2"]),
        ("permission=group:finance", ["q2"]),
        ("permission=group:fin", []),
        ("sort=id&words=a", ["a1", "a2", "a3", "q1", "q2", "q3"]),
        ("sort=text&split=dev&source=&tag=", ["a3", "a2", "q2", "q1", "q3"]),
        ("tag=german&answerable=yes", ["a1"]),
        ("answerable=perhaps&words=a3", ["a3"]),
    ],
)
def test_queries_are_narrowed_by_what_stands_in_the_url(search: str, expected: list[str]) -> None:
    eval_set = make_questions()

    page = sign_in(eval_set).get(f"{url(eval_set, 'list_queries')}?{search}")

    assert [query.query_id for query in page.context["page"]] == expected


def test_list_of_queries_costs_the_same_for_many(django_assert_max_num_queries: Any) -> None:
    eval_set = make_searchable()
    store_queries(eval_set=eval_set, rows=[QueryRow(f"more{n}", f"copper {n}", tags=("x",)) for n in range(90)])
    client = sign_in(eval_set)

    with django_assert_max_num_queries(10):
        client.get(url(eval_set, "list_queries"))


def test_query_page_sets_the_lists_of_the_latest_runs_side_by_side() -> None:
    eval_set = make_searchable()
    words, meaning = add_retriever(eval_set, "words"), add_retriever(eval_set, "meaning", "lsa")
    run_retrievers(eval_set=eval_set, retrievers=[words], by=None)
    runs = run_retrievers(eval_set=eval_set, retrievers=[words, meaning], by=None)
    query = eval_set.queries.get(query_id="q1")

    page = sign_in(eval_set).get(url(eval_set, "view_query", query.pk))

    lists = page.context["lists"]
    assert [one.run.number for one in lists] == [run.number for run in runs]
    assert [one.rank for one in lists[0].results] == list(range(1, len(lists[0].results) + 1))
    assert "The guide" in page.content.decode()


def test_query_page_says_where_stated_evidence_is_missing() -> None:
    eval_set = make_searchable()
    row = QueryRow("lost", "Lost?", relevant_evidence=(EvidenceRef("nowhere", "x"), EvidenceRef("guide", "retention")))
    store_queries(eval_set=eval_set, rows=[row])

    page = sign_in(eval_set).get(url(eval_set, "view_query", eval_set.queries.get(query_id="lost").pk)).content.decode()

    assert page.count("not in the snapshot") == 1
    assert "#section-retention" in page


def test_query_page_says_that_the_query_is_to_be_rewritten_and_no_judgment() -> None:
    eval_set, candidates = make_labelled_set((0, 3))
    query = candidates[0].query
    lead = make_member(eval_set, Role.LEAD)
    flag_query(query=query, reason="Two readings.", by=lead, at=NOON)

    page = sign_in(eval_set).get(url(eval_set, "view_query", query.pk))

    [remark] = page.context["remarks"]
    assert remark.sentence.endswith("people cannot agree on what it asks: Two readings.")
    assert "To be rewritten" in page.content.decode()
    assert "grade" not in page.content.decode().lower().replace("graded", "").split("<main")[1]


def test_query_page_tells_an_annotator_nothing() -> None:
    eval_set = make_searchable()
    query = eval_set.queries.first()

    assert sign_in(eval_set, Role.ANNOTATOR).get(url(eval_set, "view_query", query.pk)).status_code == 403
