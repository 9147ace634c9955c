"""What tests stand on: plain functions that make one thing each, with defaults for all that a test does not speak of."""

from __future__ import annotations

from itertools import count
from typing import Any

from django.contrib.auth.models import User

from evalsets.models import (
    Candidate,
    Corpus,
    Document,
    EvalSet,
    Membership,
    Pool,
    Query,
    Role,
    Section,
    Snapshot,
)
from evalsets.models.corpora import sha256_of

_numbers = count(1)


def make_user(username: str = "", **fields: Any) -> User:
    return User.objects.create_user(username or f"person{next(_numbers)}", password="a pass phrase", **fields)


def make_member(eval_set: EvalSet, role: Role = Role.ANNOTATOR, username: str = "") -> User:
    user = make_user(username)
    Membership.objects.create(eval_set=eval_set, user=user, role=role)
    return user


def make_eval_set(**fields: Any) -> EvalSet:
    number = next(_numbers)
    corpus = Corpus.objects.create(slug=f"corpus-{number}", name=f"Corpus {number}")
    # Not frozen, so that a test can put documents into it.
    snapshot = Snapshot.objects.create(corpus=corpus, number=1)
    return EvalSet.objects.create(
        **{"slug": f"set-{number}", "name": f"Set {number}", "corpus": corpus, "snapshot": snapshot} | fields
    )


def make_query(eval_set: EvalSet, **fields: Any) -> Query:
    number = next(_numbers)
    return Query.objects.create(
        **{"eval_set": eval_set, "query_id": f"q{number}", "text": f"What is the answer to {number}?"} | fields
    )


def make_document(eval_set: EvalSet, text: str = "The answer is here.", **fields: Any) -> Document:
    number = next(_numbers)
    return Document.objects.create(
        **{
            "snapshot": eval_set.snapshot,
            "doc_id": f"d{number}",
            "title": f"Document {number}",
            "text": text,
            "text_sha256": sha256_of(text),
        }
        | fields
    )


def make_section(document: Document, start: int, end: int, **fields: Any) -> Section:
    position = next(_numbers)
    return Section.objects.create(
        **{
            "document": document,
            "section_id": f"s{position}",
            "heading": f"Section {position}",
            "position": position,
            "start": start,
            "end": end,
        }
        | fields
    )


def make_pool(eval_set: EvalSet, queries: list[Query], per_query: int = 3, text: str = "The answer is here.") -> Pool:
    """A pool with one document a candidate; candidates are numbered in the order of their rank, as real ones are."""
    number = Pool.objects.filter(eval_set=eval_set).count() + 1
    pool = Pool.objects.create(
        eval_set=eval_set, number=number, strategy="depth_k", depth=20, candidate_count=per_query * len(queries)
    )
    documents = Document.objects.bulk_create(
        Document(
            snapshot=eval_set.snapshot,
            doc_id=f"{query.query_id}-{number}-{rank}",
            title=f"Document {rank} about {query.query_id}",
            text=text,
            text_sha256=sha256_of(text),
        )
        for query in queries
        for rank in range(1, per_query + 1)
    )
    Candidate.objects.bulk_create(
        Candidate(
            query=queries[place // per_query],
            doc_id=document.doc_id,
            source_document=document,
            text_sha256=document.text_sha256,
            pool=pool,
        )
        for place, document in enumerate(documents)
    )
    return pool
