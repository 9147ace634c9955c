"""Gold set versions in the database: kept, read back, exported and imported, the same content every time."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING, Any

from django.db import IntegrityError, transaction
from django.db.models import Max

from evalsets.gold.archive import GoldArchiveError, read_archive, write_archive
from evalsets.gold.canonical import GoldContent, checksum
from evalsets.gold.checking import GoldContentError, check_content
from evalsets.models import EvalSet, GoldLabel, GoldQuery, GoldSet

if TYPE_CHECKING:
    from django.contrib.auth.models import User

ROWS_AT_ONCE = 1000
# What says when and as what a version was published, and not what is in it.
ABOUT_PUBLISHING = ("version", "published_at", "notes")


class GoldSetError(Exception):
    """A gold set that cannot be kept or read. Its text is shown to the person who tried; nothing was changed."""


class GoldSetExistsError(GoldSetError):
    """The same content is here already, as `gold_set`."""

    def __init__(self, gold_set: GoldSet) -> None:
        self.gold_set = gold_set
        super().__init__(f"This content is here already: it is version {gold_set.number} of {gold_set.eval_set}.")


class GoldSetConflictError(GoldSetError):
    """Somebody else published at the same moment; nothing was kept."""


class GoldSetChangedError(GoldSetError):
    """A checksum does not match: something was changed after it was published."""


def store_gold_set(
    *, eval_set: EvalSet, content: GoldContent, by: User | None, at: datetime, imported: bool = False
) -> GoldSet:
    """Keep content as the next version of the eval set and return it.

    Raises GoldContentError for content that is no gold set, GoldSetExistsError for content that is here already,
    GoldSetConflictError where another version took the number at the same moment.
    """
    check_content(content)
    sha256 = checksum(content)
    existing = GoldSet.objects.filter(eval_set=eval_set, sha256=sha256).first()
    if existing:
        raise GoldSetExistsError(existing)
    try:
        with transaction.atomic():
            gold_set = GoldSet.objects.create(
                eval_set=eval_set,
                number=next_number(eval_set),
                sha256=sha256,
                header=content.header,
                query_count=len(content.queries),
                label_count=len(content.labels),
                imported=imported,
                published_at=at,
                published_by=by,
            )
            _keep_rows(gold_set, content)
    except IntegrityError as error:
        raise GoldSetConflictError(
            "Another version was published at the same moment. Nothing was kept: look at that one first, then publish again."
        ) from error
    return gold_set


def next_number(eval_set: EvalSet) -> int:
    """Return the number that the next version of the eval set gets."""
    return (eval_set.gold_sets.aggregate(last=Max("number"))["last"] or 0) + 1


def read_gold_set(gold_set: GoldSet) -> GoldContent:
    """Return the content of a version as it was published."""
    return GoldContent(
        header=gold_set.header,
        queries=list(gold_set.queries.values_list("content", flat=True)),
        labels=list(gold_set.labels.values_list("content", flat=True)),
    )


def export_gold_set(gold_set: GoldSet) -> bytes:
    """Return a version as a zip, the same bytes every time. GoldSetChangedError where its rows are not what was published."""
    return write_archive(_read_unchanged(gold_set))


def import_gold_set(*, eval_set: EvalSet, data: bytes, by: User | None, at: datetime) -> GoldSet:
    """Keep an exported zip as the next version of the eval set, under the checksum that it had where it was published.

    Raises GoldSetChangedError for an archive in which something was changed, GoldSetError for a file that is none, and
    GoldSetExistsError where the same content is here already.
    """
    try:
        content = read_archive(data)
    except GoldArchiveError as error:
        words = f"Nothing was imported: {error}."
        raise GoldSetChangedError(words) if error.changed else GoldSetError(words) from error
    with transaction.atomic():
        gold_set = store_gold_set(eval_set=eval_set, content=content, by=by, at=at, imported=True)
        # Foreign content could hold what this database gives back in another form; then it is not kept.
        _read_unchanged(gold_set)
    return gold_set


def describe_substance(content: GoldContent) -> str:
    """Return the checksum of what a version holds, leaving out its number, its notes and when it was published."""
    header = {key: value for key, value in content.header.items() if key not in ABOUT_PUBLISHING}
    return checksum(GoldContent(header, content.queries, content.labels))


def list_changes(old: GoldContent, new: GoldContent) -> list[dict[str, Any]]:
    """Return {query_id, doc_id, section_id, old, new} of each label that came, went or changed its grade, in canonical order."""
    before = {_key(label): label["grade"] for label in old.labels}
    after = {_key(label): label["grade"] for label in new.labels}
    changed = sorted(key for key in before.keys() | after.keys() if before.get(key) != after.get(key))
    names = ("query_id", "doc_id", "section_id")
    return [dict(zip(names, key, strict=True)) | {"old": before.get(key), "new": after.get(key)} for key in changed]


def _key(label: dict[str, Any]) -> tuple[str, str, str]:
    return (label["query_id"], label["doc_id"], label["section_id"])


def _read_unchanged(gold_set: GoldSet) -> GoldContent:
    content = read_gold_set(gold_set)
    try:
        check_content(content)
        found = checksum(content)
    except GoldContentError as error:
        found = f"of no gold set ({error})"
    if found != gold_set.sha256:
        raise GoldSetChangedError(
            f"Version {gold_set.number} of {gold_set.eval_set} is not what was published: its content has the SHA-256 {found}, "
            f"{gold_set.sha256} was recorded. Restore the database from a backup, or import the version from an export."
        )
    return content


def _keep_rows(gold_set: GoldSet, content: GoldContent) -> None:
    queries = (GoldQuery(gold_set=gold_set, query_id=query["query_id"], content=query) for query in content.queries)
    labels = (
        GoldLabel(
            gold_set=gold_set,
            query_id=label["query_id"],
            doc_id=label["doc_id"],
            section_id=label["section_id"],
            grade=label["grade"],
            provenance=label["provenance"],
            content=label,
        )
        for label in content.labels
    )
    for batch in _batches(queries):
        GoldQuery.objects.bulk_create(batch)
    for batch in _batches(labels):
        GoldLabel.objects.bulk_create(batch)


def _batches(rows: Iterable[Any]) -> Iterable[list[Any]]:
    rows = iter(rows)
    while batch := list(islice(rows, ROWS_AT_ONCE)):
        yield batch
