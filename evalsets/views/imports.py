"""Bringing files: choose, look at what they hold, and import them as a whole or not at all."""

from __future__ import annotations

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from evalsets.formats.delimited import write_csv
from evalsets.import_forms import MeaningsForm, UploadForm, read_options
from evalsets.import_page import describe_import, describe_row, options_of
from evalsets.importing import applying
from evalsets.importing.registry import ImportKind, get_kind, list_kinds
from evalsets.importing.uploads import UploadError, forget_abandoned, gather
from evalsets.jobs import JobError, requeue_dead_jobs
from evalsets.models import EvalSet, Import
from evalsets.permissions import Action, can
from evalsets.views.access import MemberRequest, for_members

IMPORTS_ON_A_PAGE = 50
UNPROCESSABLE = 422


@require_safe
@for_members(Action.READ_DATA)
def list_imports(request: MemberRequest, eval_set: EvalSet) -> HttpResponse:
    """What was brought and what waits, latest first, and what can be brought."""
    items = eval_set.imports.select_related("created_by", "job").order_by("-created_at", "-pk")
    page = Paginator(items, IMPORTS_ON_A_PAGE).get_page(request.GET.get("page"))
    context = {
        "page": page,
        "rows": [describe_row(item) for item in page],
        "kinds": list_kinds() if can(request.role, Action.IMPORT) else [],
    }
    return render(request, "evalsets/list_imports.html", context)


@for_members(Action.IMPORT)
def start_import(request: MemberRequest, eval_set: EvalSet, kind: str) -> HttpResponse:
    """Choose one or several files of a kind. Each becomes an import of its own, several Markdown files become one."""
    chosen = _kind_or_404(kind)
    form = UploadForm(chosen, request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        items = _take_in(request, eval_set, chosen, form)
        if len(items) == 1:
            return redirect("evalsets:view_import", eval_set.slug, items[0].pk)
        if items:
            return redirect("evalsets:list_imports", eval_set.slug)
    tabs = [{"label": item.label, "kind": item.kind, "current": item is chosen} for item in list_kinds()]
    context = {"form": form, "kind": chosen, "kinds": tabs}
    return render(request, "evalsets/start_import.html", context, status=UNPROCESSABLE if form.errors else 200)


@for_members(Action.IMPORT)
def view_import(request: MemberRequest, eval_set: EvalSet, pk: int) -> HttpResponse:
    """What a file would bring; a choice that is sent is put on top of the others, and the file is read again."""
    requeue_dead_jobs()
    item = _find(eval_set, pk)
    if request.method == "POST":
        meanings = MeaningsForm(item.preview.get("unmapped", []), request.POST)
        mapping = meanings.mapping() if "meanings" in request.POST and meanings.is_valid() else ""
        options = {"mapping": mapping} if mapping else read_options(request.POST.dict(), options_of(item))
        applying.read_again(item=item, options=options, by=request.user)
        return redirect("evalsets:view_import", eval_set.slug, pk)
    return render(request, "evalsets/import_preview.html", describe_import(item))


@require_safe
@for_members(Action.IMPORT)
def export_problems(request: MemberRequest, eval_set: EvalSet, pk: int) -> HttpResponse:
    """All problems of a file as CSV, however many there are."""
    item = _find(eval_set, pk)
    if item.upload is None:
        raise Http404("The file of this import is not kept any more.")
    rows = [problem.as_dict() for problem in applying.read_problems(item)]
    columns = ["file", "line", "column", "field", "value", "expected"]
    response = HttpResponse(write_csv(rows, columns=columns), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="import-{pk}-problems.csv"'
    return response


@require_POST
@for_members(Action.IMPORT)
def confirm_import(request: MemberRequest, eval_set: EvalSet, pk: int) -> HttpResponse:
    """Import what was shown. A second click finds it done and changes nothing."""
    item = _find(eval_set, pk)
    try:
        if not applying.confirm_import(item=item, by=request.user):
            messages.info(request, "It was not ready to be imported; this is how it stands.")
    except JobError as error:
        messages.error(request, str(error))
    return redirect("evalsets:view_import", eval_set.slug, pk)


@require_POST
@for_members(Action.IMPORT)
def cancel_import(request: MemberRequest, eval_set: EvalSet, pk: int) -> HttpResponse:
    """Give an import up. What is done already stays."""
    item = _find(eval_set, pk)
    if applying.cancel_import(item=item):
        messages.info(request, f"The import of {item.file_name} was given up. Nothing was changed.")
        return redirect("evalsets:list_imports", eval_set.slug)
    return redirect("evalsets:view_import", eval_set.slug, pk)


def _find(eval_set: EvalSet, pk: int) -> Import:
    items = eval_set.imports.select_related("eval_set__corpus", "eval_set__snapshot", "upload", "job", "created_by")
    item: Import = get_object_or_404(items, pk=pk)
    return item


def _kind_or_404(name: str) -> ImportKind:
    kind = get_kind(name)
    if kind is None:
        raise Http404(f"There is no import of {name!r}.")
    return kind


def _take_in(request: MemberRequest, eval_set: EvalSet, kind: ImportKind, form: UploadForm) -> list[Import]:
    """Keep and read the files; what cannot be taken in is said at the form."""
    forget_abandoned(at=timezone.now())
    try:
        return [
            applying.open_import(eval_set=eval_set, kind=kind, file=file, options={}, by=request.user)
            for file in gather(kind.kind, form.files_sent())
        ]
    except UploadError as error:
        form.add_error("file", str(error))
        return []
