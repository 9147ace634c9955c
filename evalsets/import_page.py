"""What the page of one import shows: its preview with the choices that matter, its progress, or what became of it."""

from __future__ import annotations

from typing import Any

from django.template.defaultfilters import filesizeformat
from django.urls import reverse

from evalsets.formats.catalogue import Option
from evalsets.import_forms import MeaningsForm, OptionsForm
from evalsets.importing.applying import kind_of, target_of
from evalsets.importing.previewing import all_options
from evalsets.importing.registry import ImportKind
from evalsets.job_fragment import describe_job
from evalsets.models import EvalSet, Import, ImportState

OPEN = (ImportState.REFUSED, ImportState.READY)
FILE_OPTIONS = ("mapping", "columns")


def describe_import(item: Import) -> dict[str, Any]:
    """Return the context of the page of an import."""
    kind, eval_set = kind_of(item), item.eval_set
    context: dict[str, Any] = {
        "item": item,
        "kind": kind,
        "target": _name_target(kind, eval_set),
        "file_size": filesizeformat(item.upload.size) if item.upload else "",
        "job": describe_job(item.job, _job_url(item)) if item.job else None,
        "is_open": item.state in OPEN,
        "is_under_way": item.state in (ImportState.READING, ImportState.IMPORTING),
        "preview": item.preview,
        "counts": [(name.replace("_", " "), value) for name, value in item.result.get("counts", {}).items()],
    }
    if item.state in OPEN or (item.state == ImportState.READING and item.job is None):
        context |= _forms(item, kind)
    return context


def options_of(item: Import) -> list[Option]:
    """Return every option that the file can take now, the format first where there are several."""
    kind = kind_of(item)
    target = target_of(item)
    chosen = target.option("format") or item.preview.get("format", "")
    options = all_options(kind, None, target.choosing(format=chosen))
    formats = kind.known_formats()
    if len(formats) < 2:
        return options
    choices = (("", "found by its content"), *((item.id, item.label) for item in formats))
    return [Option("format", "Format", "", choices), *options]


def describe_row(item: Import) -> dict[str, Any]:
    """Return one line of the list of imports."""
    kind = kind_of(item)
    return {"item": item, "kind": kind.label, "problems": item.preview.get("problems_total", 0)}


def _forms(item: Import, kind: ImportKind) -> dict[str, Any]:
    """Return the choices in two forms: those that matter now, and all others; and the meanings of unusual grades."""
    options = options_of(item)
    own = {option.name for option in kind.settings(target_of(item))} - {"unknown_queries"}
    near = own | set(item.options) | set(item.preview.get("wanted", ()))
    unmapped = item.preview.get("unmapped", [])
    if unmapped:
        near.discard("mapping")
    return {
        "form": OptionsForm([option for option in options if option.name in near], item.options),
        "other_form": OptionsForm([option for option in options if option.name not in near], item.options),
        "meanings": MeaningsForm(unmapped) if unmapped else None,
    }


def _name_target(kind: ImportKind, eval_set: EvalSet) -> str:
    return f"corpus {eval_set.corpus}" if kind.kind == "documents" else f"eval set {eval_set}"


def _job_url(item: Import) -> str:
    return reverse("evalsets:view_job", args=[item.eval_set.slug, item.job_id])
