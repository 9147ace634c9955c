"""Documents and snapshots."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from evalsets import document_page, snapshots
from evalsets.models import EvalSet
from evalsets.permissions import Action, can
from evalsets.views.access import MemberRequest, for_members

DOCUMENTS_ON_A_PAGE = 50


@require_safe
@for_members(Action.READ_DATA)
def list_documents(request: MemberRequest, eval_set: EvalSet) -> HttpResponse:
    """The documents of the current snapshot, searched by id and title, narrowed by type and lifecycle."""
    chosen = {name: request.GET.get(name, "").strip() for name in document_page.CHOICES}
    context: dict[str, Any] = {**chosen, "can_import": can(request.role, Action.IMPORT), "snapshot": eval_set.snapshot}
    if eval_set.snapshot:
        documents = document_page.list_documents(eval_set.snapshot, chosen)
        context |= {
            "page": Paginator(documents, DOCUMENTS_ON_A_PAGE).get_page(request.GET.get("page")),
            **document_page.list_choices(eval_set.snapshot),
            "snapshot_count": eval_set.corpus.snapshots.complete().count(),
        }
    return render(request, "evalsets/list_documents.html", context)


@require_safe
@for_members(Action.READ_DATA)
def view_document(request: MemberRequest, eval_set: EvalSet, pk: int) -> HttpResponse:
    """One document of any snapshot of the corpus, with an anchor at each section."""
    document = get_object_or_404(eval_set.corpus.documents().select_related("snapshot"), pk=pk)
    sections = document_page.show_sections(document)
    context = {
        "document": document,
        "sections": sections,
        "contents": document_page.describe_contents(sections),
        "facts": document_page.describe_facts(document),
        "successor": document_page.find_successor(document),
        "queries": document_page.list_queries_about(eval_set, document),
        "predecessors": document_page.list_predecessors(document),
        "is_current": document.snapshot_id == eval_set.snapshot_id,
        "current": document_page.find_current(eval_set, document),
    }
    return render(request, "evalsets/document.html", context)


@require_safe
@for_members(Action.READ_DATA)
def list_snapshots(request: MemberRequest, eval_set: EvalSet) -> HttpResponse:
    """The complete snapshots of the corpus, and which of them the eval set stands on."""
    found = eval_set.corpus.snapshots.complete().select_related("created_by").order_by("-number")
    context = {"snapshots": found, "can_choose": can(request.role, Action.RETRIEVE)}
    return render(request, "evalsets/list_snapshots.html", context)


@require_POST
@for_members(Action.RETRIEVE)
def choose_snapshot(request: MemberRequest, eval_set: EvalSet, number: int) -> HttpResponse:
    """Make another snapshot the eval set's current one."""
    snapshot = get_object_or_404(eval_set.corpus.snapshots.complete(), number=number)
    snapshots.choose_snapshot(eval_set=eval_set, snapshot=snapshot)
    messages.success(
        request, f"{eval_set} now stands on snapshot {number}. Runs and labels keep the text that they were made on."
    )
    return redirect("evalsets:list_snapshots", eval_set.slug)
