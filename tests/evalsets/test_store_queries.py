"""Bringing queries: new ones are added, known ones corrected, texts in use stay as they are."""

from __future__ import annotations

from dataclasses import replace

import pytest

from evalsets.formats.query_rows import EvidenceRef, QueryRow
from evalsets.models import Answer, Query, Run
from evalsets.queries import QueryConflictError, StoredQueries, store_queries
from evalsets.runs import find_or_make_retriever
from tests.factories import make_eval_set

pytestmark = pytest.mark.django_db

ROW = QueryRow("007", "when do backups run", tags=("question",), relevant_evidence=(EvidenceRef("d1", "top"),), line=1)


def test_ids_and_texts_stay_exactly_as_they_are() -> None:
    eval_set = make_eval_set()
    odd = ["007", "7", " 7", "a,b", "Äpfel/Birnen", "../../etc", "<b>"]

    store_queries(eval_set=eval_set, rows=[replace(ROW, query_id=one, text=f" {one} ") for one in odd])

    assert list(eval_set.queries.in_order().values_list("query_id", "text")) == [(one, f" {one} ") for one in odd]


def test_importing_twice_changes_nothing() -> None:
    eval_set = make_eval_set()

    assert store_queries(eval_set=eval_set, rows=[ROW]) == StoredQueries(added=1, updated=0, unchanged=0)
    assert store_queries(eval_set=eval_set, rows=[ROW]) == StoredQueries(added=0, updated=0, unchanged=1)


def test_known_query_is_corrected() -> None:
    eval_set = make_eval_set()
    store_queries(eval_set=eval_set, rows=[ROW])

    stored = store_queries(eval_set=eval_set, rows=[replace(ROW, tags=("keyword",)), replace(ROW, query_id="8")])

    assert stored == StoredQueries(added=1, updated=1, unchanged=0)
    assert Query.objects.get(query_id="007").tags == ["keyword"]
    assert list(eval_set.queries.in_order().values_list("query_id", flat=True)) == ["007", "8"]


def test_text_that_was_answered_is_not_edited_and_nothing_else_is_stored() -> None:
    eval_set = make_eval_set()
    store_queries(eval_set=eval_set, rows=[ROW])
    retriever = find_or_make_retriever(eval_set=eval_set, name="any", by=None)
    run = Run.objects.create(eval_set=eval_set, retriever=retriever, number=1, config_sha256="")
    Answer.objects.create(run=run, query=Query.objects.get())

    with pytest.raises(QueryConflictError) as caught:
        store_queries(eval_set=eval_set, rows=[replace(ROW, query_id="8"), replace(ROW, text="another text", line=2)])

    assert [(problem.line, problem.value) for problem in caught.value.problems] == [(2, "another text")]
    assert Query.objects.get().text == ROW.text
