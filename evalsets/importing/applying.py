"""From an uploaded file to rows in the database: previewed, confirmed, and then written as a whole or not at all.

Large files are read and written by a worker. A worker that dies leaves nothing that anybody can see, and its job is taken up again.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.db import IntegrityError, transaction
from django.urls import reverse
from django.utils import timezone

from evalsets import jobs
from evalsets.formats.decoding import GZIP_MAGIC
from evalsets.formats.grades import pairs_option
from evalsets.formats.markdown import ZIP_MAGIC
from evalsets.formats.problems import Found, Problem
from evalsets.importing.previewing import Reading, all_options, as_json, check, read_and_check
from evalsets.importing.proposals import write_pairs
from evalsets.importing.registry import Applied, ImportKind, Target, get_kind
from evalsets.importing.uploads import SentFile, store_upload
from evalsets.jobs import JobError, Progress, SilentProgress, job_function, start_job
from evalsets.models import EvalSet, Import, ImportState, Job

if TYPE_CHECKING:
    from django.contrib.auth.models import User

logger = logging.getLogger(__name__)

LARGE_BYTES = 2 * 1024 * 1024
LARGE_PACKED_BYTES = 400 * 1024
LARGE_ROWS = 20_000
Conclusion = Callable[[Applied, Found], object]
OPEN_STATES = (ImportState.READING, ImportState.REFUSED, ImportState.READY)


class ImportRefusedError(JobError):
    """The file has problems, so nothing was written; `reading` holds them all."""

    def __init__(self, reading: Reading) -> None:
        count = len(reading.problems)
        problems = "1 problem" if count == 1 else f"{count} problems"
        super().__init__(f"The file has {problems}. Nothing was imported.")
        self.reading = reading


def import_file(
    kind: ImportKind, data: bytes | Path, target: Target, progress: Progress, conclude: Conclusion
) -> tuple[Applied, Found]:
    """Read, check and write a file. Returns what was done and what was read; raises ImportRefusedError for problems.

    `conclude(applied, found)` records the outcome, in the same transaction where the kind writes in one. What the checks cannot see
    (somebody who writes the same thing at the same moment) ends in a constraint: JobError, nothing kept.
    """
    progress.report(0, 3, "Reading the file")
    found = kind.read(data, target)
    progress.report(1, 3, "Checking it against what is here")
    if not kind.at_once:
        return _write(kind, found, target, progress, conclude)
    progress.report(2, 3, "Writing")
    try:
        with transaction.atomic():
            # Two imports into one eval set come one after the other, so what is checked here holds until it is written.
            EvalSet.objects.select_for_update(no_key=True).get(pk=target.set.pk)
            return _write(kind, found, target, SilentProgress(), conclude)
    except IntegrityError as error:
        logger.warning("import of %s contradicts what is there: %s", target.source, error)
        raise JobError(
            "Something changed here while the file was imported. Nothing was kept; import it again."
        ) from error


def _write(
    kind: ImportKind, found: Found, target: Target, progress: Progress, conclude: Conclusion
) -> tuple[Applied, Found]:
    reading = check(kind, found, target)
    if not reading.ok:
        raise ImportRefusedError(reading)
    applied = kind.apply(found, target, progress)
    conclude(applied, found)
    return applied, found


def open_import(*, eval_set: EvalSet, kind: ImportKind, file: SentFile, options: dict[str, str], by: User) -> Import:
    """Keep an uploaded file and read it for its preview: at once, or in the background where it is large.

    Raises UploadError for a file that cannot be taken in.
    """
    upload = store_upload(file=file, by=by)
    item = Import.objects.create(
        eval_set=eval_set, kind=kind.kind, upload=upload, file_name=upload.name, options=options, created_by=by
    )
    read_again(item=item, options={}, by=by)
    return item


def read_again(*, item: Import, options: dict[str, str], by: User) -> None:
    """Put choices on top of those made before and read the file again. Does nothing for an import that is under way or over."""
    chosen = _merged(item, options)
    open_ones = Import.objects.filter(pk=item.pk, state__in=OPEN_STATES, upload__isnull=False)
    with transaction.atomic():
        if not open_ones.update(options=chosen, state=ImportState.READING, job=None):
            return
        item.refresh_from_db()
        if _is_large(item):
            title = f"Reading {item.file_name}"
            item.job = _start(item, "preview_import", title, by)
            item.save(update_fields=["job"])
            return
    make_preview(item)


def make_preview(item: Import) -> None:
    """Read and check the file of an import and keep what it would bring."""
    kind, target = kind_of(item), target_of(item)
    reading = read_and_check(kind, _content(item), target)
    _keep_preview(item, reading, from_state=ImportState.READING)


def confirm_import(*, item: Import, by: User) -> bool:
    """Import a file whose preview has no problem. Returns False, and does nothing, where it is not ready (a second click).

    A small file is written here, in the same transaction in which its import becomes done, so a server that dies in the middle
    leaves the preview as it was. Raises JobError where nothing was kept for a reason that the person can act on.
    """
    large = _is_large(item) or item.preview.get("rows_read", 0) > LARGE_ROWS
    try:
        with transaction.atomic():
            ready = Import.objects.filter(pk=item.pk, state=ImportState.READY)
            if not ready.update(state=ImportState.IMPORTING, job=None):
                return False
            item.refresh_from_db()
            if large:
                item.job = _start(item, "apply_import", f"Importing {item.file_name}", by)
                item.save(update_fields=["job"])
            else:
                _apply(item, None, SilentProgress())
    except ImportRefusedError as error:
        _keep_preview(item, error.reading, from_state=ImportState.READY)
    return True


def _apply(item: Import, job: Job | None, progress: Progress) -> dict[str, Any]:
    """Write the file of an import and record the outcome beside it."""

    def conclude(applied: Applied, found: Found) -> None:
        result = outcome(applied, found, item.eval_set)
        done = {"state": ImportState.DONE, "result": result, "finished_at": timezone.now(), "upload": None}
        Import.objects.filter(pk=item.pk).update(**done)

    import_file(kind_of(item), _content(item), replace(target_of(item), job=job), progress, conclude)
    _drop_upload(item)
    return dict(item.result)


def outcome(applied: Applied, found: Found, eval_set: EvalSet | None) -> dict[str, Any]:
    """Return the record of an import: what it did, its warnings and what it left out."""
    url = ""
    if applied.page and eval_set:
        name, arguments = applied.page
        url = reverse(name, args=[eval_set.slug, *arguments])
    return {
        "said": applied.said,
        "counts": applied.counts,
        "url": url,
        "warnings": [str(warning) for warning in found.warnings],
        "skipped": found.skipped,
    }


def record_import(*, kind: ImportKind, target: Target, result: dict[str, Any]) -> Import:
    """Record an import that a command has made, so that it stands in the list beside those of the page."""
    return Import.objects.create(
        eval_set=target.set,
        kind=kind.kind,
        file_name=target.source,
        options=dict(target.options),
        state=ImportState.DONE,
        result=result,
        created_by=target.by,
        finished_at=timezone.now(),
    )


def cancel_import(*, item: Import) -> bool:
    """Give an import up: its upload goes; one that is being written stops at its next step. False where it is over already."""
    if item.job and not item.job.is_finished:
        jobs.cancel_job(item.job)
    cancelled = Import.objects.filter(pk=item.pk, state__in=OPEN_STATES).update(
        state=ImportState.CANCELLED, finished_at=timezone.now()
    )
    if cancelled:
        _drop_upload(item)
    return bool(cancelled)


def read_problems(item: Import) -> list[Problem]:
    """Read the file of an import again and return every problem of it."""
    return read_and_check(kind_of(item), _content(item), target_of(item)).problems


def kind_of(item: Import) -> ImportKind:
    """Return the registered kind of an import."""
    kind = get_kind(item.kind)
    if kind is None:
        raise LookupError(f"no import is registered for {item.kind!r}")
    return kind


def target_of(item: Import) -> Target:
    """Return where an import goes, with what was chosen for it."""
    eval_set = item.eval_set
    return Target(
        corpus=eval_set.corpus,
        eval_set=eval_set,
        source=item.file_name,
        options=dict(item.options),
        by=item.created_by,
    )


def _back_to_preview(job: Job) -> None:
    """After a failed or cancelled import the file is still here and can be imported again."""
    Import.objects.filter(pk=job.params["import"], state=ImportState.IMPORTING).update(state=ImportState.READY)


def _give_up_reading(job: Job) -> None:
    Import.objects.filter(pk=job.params["import"], state=ImportState.READING).update(
        state=ImportState.FAILED, result={"said": "The file was not read to its end."}, finished_at=timezone.now()
    )


@job_function("preview_import", clean_up=_give_up_reading)
def run_preview(job: Job, progress: Progress) -> dict[str, Any]:
    """Job: read a large file for its preview."""
    progress.report(0, 1, "Reading the file")
    make_preview(Import.objects.get(pk=job.params["import"]))
    progress.report(1, 1)
    return {}


@job_function("apply_import", clean_up=_back_to_preview)
def run_import(job: Job, progress: Progress) -> dict[str, Any]:
    """Job: write a large file. One that an earlier attempt has finished already is left alone."""
    item = Import.objects.select_related("eval_set__corpus", "upload").get(pk=job.params["import"])
    if item.state != ImportState.IMPORTING:
        return dict(item.result)
    try:
        return _apply(item, job, progress)
    except ImportRefusedError as error:
        _keep_preview(item, error.reading, from_state=ImportState.IMPORTING)
        raise


def _start(item: Import, kind: str, title: str, by: User) -> Job:
    url = reverse("evalsets:view_import", args=[item.eval_set.slug, item.pk])
    params = {"import": item.pk}
    return start_job(kind=kind, title=title, params=params, by=by, eval_set=item.eval_set, next_url=url)


def _keep_preview(item: Import, reading: Reading, *, from_state: ImportState) -> None:
    state = ImportState.READY if reading.ok else ImportState.REFUSED
    preview = as_json(reading)
    Import.objects.filter(pk=item.pk, state=from_state).update(state=state, preview=preview)
    item.refresh_from_db()


def _drop_upload(item: Import) -> None:
    if item.upload is not None:
        item.upload.delete()
    item.refresh_from_db()


def _content(item: Import) -> bytes:
    if item.upload is None:
        raise JobError(f"The file {item.file_name} is not here any more. Send it again.")
    return item.upload.read()


def _is_large(item: Import) -> bool:
    if item.upload is None:
        return False
    start = next(item.upload.read_parts(), b"")[:4]
    packed = start.startswith((GZIP_MAGIC, *ZIP_MAGIC))
    return item.upload.size > (LARGE_PACKED_BYTES if packed else LARGE_BYTES)


def _merged(item: Import, options: dict[str, str]) -> dict[str, str]:
    """Put new choices on top of the old ones; what another format does not take is dropped, and mappings are put together."""
    kind = kind_of(item)
    chosen = {**item.options, **options}
    old, new = item.options.get("mapping"), options.get("mapping")
    if old and new and options.keys() == {"mapping"}:
        pairs = {**pairs_option(old, "mapping", Found()), **pairs_option(new, "mapping", Found())}
        chosen["mapping"] = write_pairs(pairs)
    target = target_of(item).choosing(**chosen)
    known = {"format", *(option.name for option in all_options(kind, None, target))}
    return {name: value for name, value in chosen.items() if name in known and value != ""}
