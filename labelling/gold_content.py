"""What a gold set version of an eval set would hold now: header, queries and labels with where they come from."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from django.db.models import Exists, OuterRef

from evalsets.gold.canonical import FORMAT, GoldContent
from evalsets.gold_sets import next_number
from evalsets.models import Candidate, EvalSet, Pool
from labelling.agreement import Agreement, measure_agreement, name_annotators
from labelling.comparisons import Spread
from labelling.models import Adjudication, Annotator, AnnotatorKind, DoubleLabelPlan, Judgment, Origin, Rubric
from labelling.resolving import Decision, Label, resolve

QUERY_FIELDS = (
    "query_id",
    "text",
    "information_need",
    "expected_scope",
    "answerable",
    "expected_behaviour",
    "source",
    "source_family",
    "split",
    "tags",
    "synthetic",
    "permitted",
    "forbidden_documents",
    "stated_evidence",
)
# Enough to compare; what stands behind it can be computed again from the labels.
DIGITS = 6


@dataclass
class GoldDraft:
    """Content, and what in it is open: candidates by what a lead has still to decide, and those with labels on another text."""

    content: GoldContent
    agreement: Agreement
    open: dict[Spread, list[int]] = field(default_factory=lambda: defaultdict(list))
    not_settled: list[int] = field(default_factory=list)
    stale: list[int] = field(default_factory=list)


def build_gold_content(
    eval_set: EvalSet, at: datetime, *, notes: str = "", take_lower: bool = False, number: int | None = None
) -> GoldDraft:
    """Return what would be published at a time. Queries that were retired are left out with their labels.

    `take_lower` settles labels one grade apart on the same side of the threshold by the lower one; without it they are left out
    like every other disagreement that nobody has decided.
    """
    agreement = measure_agreement(eval_set, by_tag=False)
    draft = GoldDraft(content=GoldContent(header={}), agreement=agreement)
    draft.content.queries.extend(eval_set.queries.active().order_by("query_id").values(*QUERY_FIELDS))
    _add_labels(draft, eval_set, take_lower=take_lower)
    draft.content.header.update(
        _describe_eval_set(eval_set),
        version=number or next_number(eval_set),
        rubric=_describe_rubric(eval_set),
        pool=_describe_pool(eval_set),
        double_labels=_describe_double_labels(eval_set, agreement),
        agreement=describe_agreement_briefly(agreement),
        resolution={
            "one_grade_apart": "lower" if take_lower else "left out",
            "undecided": {spread.value: len(found) for spread, found in sorted_spreads(draft.open)},
            "not_settled": len(draft.not_settled),
        },
        published_at=at.astimezone(UTC).isoformat(timespec="seconds"),
        notes=notes,
    )
    return draft


def sorted_spreads(found: dict[Spread, list[int]]) -> list[tuple[Spread, list[int]]]:
    """Return the lists in the order of what they do to scores, without empty ones."""
    return [(spread, found[spread]) for spread in Spread if found.get(spread)]


def describe_agreement_briefly(agreement: Agreement) -> dict[str, Any]:
    """Return the agreement as a gold set carries it: alphas with the ordinal one's interval, and what they stand on."""
    report = agreement.report
    alpha, totals = report.alpha, report.totals
    values = {
        "alpha_ordinal": alpha.ordinal.coefficient.value,
        "low": alpha.ordinal.interval.low,
        "high": alpha.ordinal.interval.high,
        "alpha_nominal": alpha.nominal.coefficient.value,
        "alpha_interval": alpha.interval.coefficient.value,
        "alpha_at_threshold": alpha.binary.coefficient.value,
        "exact": totals.exact,
        "within_one": totals.within_one,
    }
    return {name: _rounded(value) for name, value in values.items()} | {
        "words": alpha.band_words or alpha.ordinal.coefficient.words,
        "candidates": totals.n_units,
        "queries": totals.n_queries,
        "annotators": totals.n_annotators,
        "resamples": alpha.ordinal.interval.resamples,
        "seed": report.seed,
        "preliminary": report.preliminary,
        "interim": agreement.double_set.is_interim,
    }


def _rounded(value: float | None) -> float | None:
    # Adding 0.0 turns a negative zero, which some databases do not keep, into zero.
    return None if value is None else round(value, DIGITS) + 0.0


def _describe_eval_set(eval_set: EvalSet) -> dict[str, Any]:
    snapshot = eval_set.snapshot
    return {
        "format": FORMAT,
        "eval_set": {"slug": eval_set.slug, "name": eval_set.name, "demo": eval_set.is_demo},
        "unit": eval_set.unit,
        "scale": eval_set.scale,
        "threshold": eval_set.threshold,
        "gain": eval_set.gain,
        "depth_n": eval_set.depth_n,
        "depth_k": eval_set.depth_k,
        "snapshot": snapshot
        and {
            "corpus": eval_set.corpus.slug,
            "number": snapshot.number,
            "sha256": snapshot.sha256,
            "documents": snapshot.document_count,
        },
    }


def _describe_rubric(eval_set: EvalSet) -> dict[str, Any] | None:
    rubric = Rubric.objects.filter(eval_set=eval_set).order_by("-number").first()
    if rubric is None:
        return None
    return {"number": rubric.number, "guidance": rubric.guidance, "definitions": rubric.definitions}


def _describe_pool(eval_set: EvalSet) -> list[dict[str, Any]]:
    pools = Pool.objects.filter(eval_set=eval_set).order_by("number")
    return [
        {
            "number": pool.number,
            "strategy": pool.strategy,
            "depth": pool.depth,
            "runs": pool.run_numbers,
            "candidates": pool.candidate_count,
        }
        for pool in pools
    ]


def _describe_double_labels(eval_set: EvalSet, agreement: Agreement) -> dict[str, Any] | None:
    plan = DoubleLabelPlan.objects.filter(eval_set=eval_set).first()
    double_set = agreement.double_set
    if plan is None:
        return None
    return {
        "rate": round(plan.rate, DIGITS),
        "seed_sha256": plan.seed_sha256,
        "declared": double_set.declared,
        "complete": double_set.complete,
    }


def _add_labels(draft: GoldDraft, eval_set: EvalSet, *, take_lower: bool) -> None:
    judgments = _read_judgments(eval_set)
    decisions = {
        one.candidate_id: one for one in Adjudication.objects.live().filter(candidate__query__eval_set=eval_set)
    }
    names, files = name_annotators(eval_set), _list_files(eval_set)
    for candidate in _read_candidates(eval_set):
        given, decision = judgments.get(candidate["pk"], []), decisions.get(candidate["pk"])
        resolution = resolve(
            [
                Label(
                    one["annotator_id"], one["grade"], one["annotator_id"] not in files, one["origin"] == Origin.IMPORT
                )
                for one in given
            ],
            threshold=eval_set.threshold,
            decision=Decision(decision.grade) if decision else None,
            take_lower=take_lower,
        )
        if resolution.open:
            draft.open[resolution.open].append(candidate["pk"])
        if decision and decision.grade is None:
            draft.not_settled.append(candidate["pk"])
        if any(one["text_sha256"] not in ("", candidate["text_sha256"]) for one in given):
            draft.stale.append(candidate["pk"])
        if resolution.grade is not None and resolution.provenance:
            draft.content.labels.append(
                _describe_key(candidate)
                | {
                    "grade": resolution.grade,
                    "provenance": resolution.provenance.value,
                    "judgments": [_describe_judgment(one, names) for one in given],
                    "adjudication": _describe_decision(decision),
                }
            )


def _read_candidates(eval_set: EvalSet) -> list[dict[str, Any]]:
    labelled = Candidate.objects.filter(query__eval_set=eval_set, query__retired_at__isnull=True)
    own = {"candidate": OuterRef("pk")}
    judged = labelled.filter(
        Exists(Judgment.objects.live().filter(**own)) | Exists(Adjudication.objects.live().filter(**own))
    )
    fields = ("pk", "query__query_id", "doc_id", "section_id", "text_sha256")
    return list(judged.order_by("query__query_id", "doc_id", "section_id").values(*fields))


def _read_judgments(eval_set: EvalSet) -> dict[int, list[dict[str, Any]]]:
    fields = ("grade", "cannot_judge", "note", "origin", "text_sha256", "rubric__number")
    rows = Judgment.objects.of(eval_set).live().order_by("annotator_id")
    found: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for row in rows.values("candidate_id", "annotator_id", *fields):
        found[row["candidate_id"]].append(row)
    return found


def _list_files(eval_set: EvalSet) -> set[int]:
    files = Annotator.objects.filter(eval_set=eval_set, kind=AnnotatorKind.FILE)
    return set(files.values_list("pk", flat=True))


def _describe_key(candidate: dict[str, Any]) -> dict[str, Any]:
    return {
        "query_id": candidate["query__query_id"],
        "doc_id": candidate["doc_id"],
        "section_id": candidate["section_id"],
        "text_sha256": candidate["text_sha256"],
    }


def _describe_judgment(judgment: dict[str, Any], names: dict[int, str]) -> dict[str, Any]:
    """One label, under a name that tells no person."""
    return {
        "annotator": names[judgment["annotator_id"]],
        "grade": judgment["grade"],
        "cannot_judge": judgment["cannot_judge"],
        "note": judgment["note"],
        "origin": judgment["origin"],
        "rubric": judgment["rubric__number"],
        "text_sha256": judgment["text_sha256"],
    }


def _describe_decision(decision: Adjudication | None) -> dict[str, Any] | None:
    if decision is None:
        return None
    return {
        "grade": decision.grade,
        "reason_code": decision.reason_code,
        "reason": decision.reason,
        "adjudicated_at": decision.adjudicated_at.astimezone(UTC).isoformat(timespec="seconds"),
    }


def count_provenances(content: GoldContent) -> Counter[str]:
    """Count the labels by where they come from."""
    return Counter(label["provenance"] for label in content.labels)


def list_without_relevant(content: GoldContent) -> list[str]:
    """Return the ids of answerable queries without a label at or above the threshold: nothing could be found for them."""
    threshold = content.header["threshold"]
    relevant = {label["query_id"] for label in content.labels if label["grade"] >= threshold}
    return [q["query_id"] for q in content.queries if q["answerable"] and q["query_id"] not in relevant]
