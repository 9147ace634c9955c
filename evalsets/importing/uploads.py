"""Taking uploaded files in: in parts, within a limit, several Markdown files as one folder; and forgetting those nobody imported."""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Protocol

from django.conf import settings
from django.db import transaction

from evalsets.formats.markdown import MARKDOWN_ENDINGS, TEXT_ENDINGS
from evalsets.models import Import, ImportState, Upload, UploadPart

if TYPE_CHECKING:
    from django.contrib.auth.models import User

PART_BYTES = 1024 * 1024
KEPT_FOR = timedelta(days=14)
LONGEST_NAME = 300


class UploadError(Exception):
    """The file cannot be taken in. Its text is shown to the person who sent it; nothing was kept."""


class SentFile(Protocol):
    """What a request brings: a name, a size in bytes, and the content in pieces."""

    @property
    def name(self) -> str | None: ...

    @property
    def size(self) -> int | None: ...

    def chunks(self, chunk_size: int | None = None) -> Iterator[bytes]: ...


def store_upload(*, file: SentFile, by: User | None) -> Upload:
    """Keep a file in parts of a mebibyte, each written by itself so that nobody waits for a long one.

    An upload that breaks off leaves parts without an import, which `forget_abandoned` takes away. Raises UploadError for an
    empty file and for one over settings.UPLOAD_LIMIT_BYTES.
    """
    name = (file.name or "upload")[-LONGEST_NAME:]
    size = file.size or 0
    if size > settings.UPLOAD_LIMIT_BYTES:
        limit = settings.UPLOAD_LIMIT_BYTES / 1024**2
        raise UploadError(
            f"{name} has {size / 1024**2:,.1f} MB; the limit is {limit:,.0f} MB. Pack it with gzip, or import it by command."
        )
    if not size:
        raise UploadError(f"{name} is empty.")
    upload = Upload.objects.create(name=name, size=size, sha256="", uploaded_by=by)
    digest = hashlib.sha256()
    for number, data in enumerate(file.chunks(PART_BYTES)):
        digest.update(data)
        UploadPart.objects.create(upload=upload, number=number, data=data)
    upload.sha256 = digest.hexdigest()
    upload.save(update_fields=["sha256"])
    return upload


class Bundle:
    """Several files as one zip."""

    def __init__(self, files: Iterable[SentFile]) -> None:
        self.content = io.BytesIO()
        names: set[str] = set()
        with zipfile.ZipFile(self.content, "w", zipfile.ZIP_DEFLATED) as archive:
            for file in files:
                name = file.name or "file"
                if name in names:
                    raise UploadError(f"Two of the files are named {name}; send a zip of the folder instead.")
                names.add(name)
                archive.writestr(name, b"".join(file.chunks(PART_BYTES)))
        self.name: str | None = f"{len(names)} files.zip"
        self.size: int | None = self.content.getbuffer().nbytes

    def chunks(self, chunk_size: int | None = None) -> Iterator[bytes]:
        """Yield the zip in pieces."""
        self.content.seek(0)
        while data := self.content.read(chunk_size or PART_BYTES):
            yield data


def gather(kind: str, files: Sequence[SentFile]) -> list[SentFile]:
    """Return the files as they are to be imported: several Markdown or text files of documents are one folder, all else stays."""
    endings = (*MARKDOWN_ENDINGS, *TEXT_ENDINGS)
    total = sum(file.size or 0 for file in files)
    pages = all((file.name or "").lower().endswith(endings) for file in files)
    if kind == "documents" and len(files) > 1 and pages and total <= settings.UPLOAD_LIMIT_BYTES:
        return [Bundle(files)]
    return list(files)


def forget_abandoned(*, at: datetime) -> int:
    """Delete uploads that nobody has imported for two weeks, and cancel their imports. Returns how many there were."""
    with transaction.atomic():
        old = Upload.objects.filter(uploaded_at__lt=at - KEPT_FOR)
        waiting = Import.objects.filter(upload__in=old).exclude(state=ImportState.IMPORTING)
        busy = Import.objects.filter(state=ImportState.IMPORTING, upload__isnull=False).values("upload_id")
        waiting.filter(state__in=[ImportState.READING, ImportState.READY, ImportState.REFUSED]).update(
            state=ImportState.CANCELLED, finished_at=at
        )
        doomed = old.exclude(pk__in=busy)
        count = doomed.count()
        doomed.delete()
    return count
