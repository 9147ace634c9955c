"""The card of a gold set version: what it holds, what it stands on, and what changed since the version before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from django.db.models import Count

from evalsets.gold_sets import list_changes
from evalsets.models import GoldLabel, GoldQuery, GoldSet, Provenance

CHANGES_SHOWN = 50
NONE = "\u2013"


def describe_card(gold_set: GoldSet) -> dict[str, Any]:
    """Return the counts of a version: queries by split and source, labels by grade and by where they come from."""
    queries = list(gold_set.queries.values_list("content", flat=True))
    grades = Counter(dict(gold_set.labels.order_by().values_list("grade").annotate(count=Count("pk"))))
    found = Counter(dict(gold_set.labels.order_by().values_list("provenance").annotate(count=Count("pk"))))
    top = 3 if gold_set.header.get("scale") != "binary" else 1
    return {
        "stats": _stats(gold_set, queries, grades),
        "shares": _shares(grades, range(top + 1)),
        "shares_label": ", ".join(f"{grades[grade]} of grade {grade}" for grade in range(top + 1)),
        "facts": [*describe_header(gold_set.header), {"name": "SHA-256", "value": gold_set.sha256, "mono": True}],
        "provenance": [{"name": one.label, "count": found[one.value]} for one in Provenance if found[one.value]],
        "splits": _count(query.get("split", "") for query in queries),
        "sources": _count(query.get("source", "") or "not stated" for query in queries),
        "rubric": _show_rubric(gold_set.header),
        "agreement": _show_agreement(gold_set.header.get("agreement") or {}),
        "open": _show_open(gold_set.header.get("resolution") or {}),
        "notes": gold_set.header.get("notes", ""),
    }


def describe_header(header: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the facts that every score over this version stands on: {name, value, mono}."""
    snapshot, rubric, double = (header.get(key) or {} for key in ("snapshot", "rubric", "double_labels"))
    facts = [
        ("Unit", header["unit"], False),
        ("Threshold", f"grade {header['threshold']} and above is relevant", False),
        ("Gain", {"exp": "2^grade - 1", "lin": "the grade"}[header["gain"]], False),
        ("Depths", f"N = {header['depth_n']}, k = {header['depth_k']}", False),
        ("Snapshot", f"{snapshot['corpus']} {snapshot['number']}" if snapshot else "none", False),
        ("Snapshot's SHA-256", snapshot.get("sha256", ""), True),
        ("Rubric", f"version {rubric['number']}" if rubric else "none", False),
        ("Pool", _say_pool(header.get("pool") or []), False),
        ("Labelled twice", f"{100 * double['rate']:.4g} % of the candidates" if double else "", False),
        ("SHA-256 of that choice's seed", double.get("seed_sha256", ""), True),
    ]
    return [{"name": name, "value": value, "mono": mono} for name, value, mono in facts if value]


def describe_changes(gold_set: GoldSet) -> dict[str, Any]:
    """Return the labels that differ from the version before: `changes_from` (its number or None), `changes` and `change_count`."""
    before = (
        GoldSet.objects.filter(eval_set=gold_set.eval_set_id, number__lt=gold_set.number).order_by("-number").first()
    )
    if before is None:
        return {"changes_from": None, "changes": [], "change_count": 0}
    changes = list_changes(_read_grades(before), _read_grades(gold_set))
    ids = {change["query_id"] for change in changes[:CHANGES_SHOWN]}
    rows = GoldQuery.objects.filter(gold_set__in=[before, gold_set], query_id__in=ids)
    texts = {query_id: content["text"] for query_id, content in rows.values_list("query_id", "content")}
    shown = [
        {
            "text": texts.get(change["query_id"], change["query_id"]),
            "note": _name_unit(change),
            "from_value": NONE if change["old"] is None else change["old"],
            "to_value": NONE if change["new"] is None else str(change["new"]),
        }
        for change in changes[:CHANGES_SHOWN]
    ]
    return {"changes_from": before.number, "changes": shown, "change_count": len(changes)}


def describe_queries(gold_set: GoldSet, queries: Sequence[GoldQuery]) -> list[dict[str, Any]]:
    """Return each of these queries with its labels, the highest grade first."""
    rows = GoldLabel.objects.filter(gold_set=gold_set, query_id__in=[query.query_id for query in queries])
    labels: dict[str, list[GoldLabel]] = {query.query_id: [] for query in queries}
    for label in rows.order_by("-grade", "doc_id", "section_id"):
        labels[label.query_id].append(label)
    threshold = gold_set.header["threshold"]
    return [
        {
            "query_id": query.query_id,
            "content": query.content,
            "relevant": sum(label.grade >= threshold for label in labels[query.query_id]),
            "labels": [
                {
                    "grade": label.grade,
                    "unit": _name_unit({"doc_id": label.doc_id, "section_id": label.section_id}),
                    "provenance": label.get_provenance_display(),
                    "reason": (label.content.get("adjudication") or {}).get("reason", ""),
                }
                for label in labels[query.query_id]
            ],
        }
        for query in queries
    ]


def describe_row(gold_set: GoldSet) -> dict[str, Any]:
    """Return a version as one row of the list of versions."""
    alpha = (gold_set.header.get("agreement") or {}).get("alpha_ordinal")
    return {"gold_set": gold_set, "alpha": NONE if alpha is None else f"{alpha:.3f}", "header": gold_set.header}


def _stats(gold_set: GoldSet, queries: list[dict[str, Any]], grades: Counter[int]) -> list[dict[str, Any]]:
    threshold = gold_set.header["threshold"]
    relevant = sum(count for grade, count in grades.items() if grade >= threshold)
    unanswerable = sum(not query.get("answerable", True) for query in queries)
    synthetic = sum(bool(query.get("synthetic")) for query in queries)
    agreement = gold_set.header.get("agreement") or {}
    alpha, low, high = (agreement.get(key) for key in ("alpha_ordinal", "low", "high"))
    return [
        {
            "name": "Queries",
            "value": gold_set.query_count,
            "n": f"{unanswerable} unanswerable, {synthetic} synthetic",
        },
        {"name": "Labels", "value": gold_set.label_count, "n": f"{relevant} of them relevant"},
        {
            "name": "Alpha, ordinal",
            "value": NONE if alpha is None else f"{alpha:.3f}",
            "words": "" if alpha is not None else agreement.get("words", "not recorded"),
            "n": f"{agreement.get('candidates', 0)} candidates with two labels",
            "interval": f"{low:.3f} to {high:.3f}" if low is not None and high is not None else "",
            "definition": "Krippendorff's alpha of first, independent labels, as it was when this version was published.",
        },
    ]


def _shares(grades: Counter[int], scale: Iterable[int]) -> list[dict[str, Any]]:
    total, start, shares = sum(grades.values()) or 1, 0.0, []
    for grade in scale:
        width = round(100 * grades[grade] / total, 3)
        shares.append({"value": grade, "count": grades[grade], "start": round(start, 3), "width": width})
        start += width
    return shares


def _count(values: Iterable[str]) -> list[dict[str, Any]]:
    return [{"name": name, "count": count} for name, count in Counter(values).most_common()]


def _say_pool(pools: Any) -> str:
    if not isinstance(pools, list):
        return ""
    return "; ".join(
        f"{pool.get('strategy')} {pool.get('depth')} of runs {', '.join(map(str, pool.get('runs') or [])) or 'unknown'}"
        for pool in pools
    )


def _show_rubric(header: dict[str, Any]) -> dict[str, Any] | None:
    rubric = header.get("rubric")
    if not rubric:
        return None
    grades = [
        {"value": one["grade"], "label": one["label"], "definition": one["definition"]} for one in rubric["definitions"]
    ]
    return {"number": rubric["number"], "grades": grades}


def _show_agreement(agreement: dict[str, Any]) -> list[dict[str, str]]:
    names = {
        "alpha_nominal": "Alpha, nominal",
        "alpha_interval": "Alpha, interval",
        "alpha_at_threshold": "Alpha at the threshold",
        "exact": "Same grade",
        "within_one": "Within one grade",
    }
    facts = [(words, agreement.get(key)) for key, words in names.items()]
    shown = [{"name": words, "value": f"{value:.3f}"} for words, value in facts if value is not None]
    flags = [word for word in ("preliminary", "interim") if agreement.get(word)]
    return [*shown, {"name": "Read it as", "value": ", ".join(flags)}] if flags else shown


def _show_open(resolution: dict[str, Any]) -> list[dict[str, Any]]:
    """What was published although it was open: the counts that the header carries."""
    words = {"crossing": "across the threshold", "far": "two grades or more apart", "near": "one grade apart"}
    rows = [
        {"name": words.get(kind, kind.replace("_", " ")), "count": count}
        for kind, count in (resolution.get("undecided") or {}).items()
    ]
    if resolution.get("not_settled"):
        rows.append({"name": "not settled by a lead", "count": resolution["not_settled"]})
    return rows


def _read_grades(gold_set: GoldSet) -> list[dict[str, Any]]:
    return [dict(row) for row in gold_set.labels.order_by().values("query_id", "doc_id", "section_id", "grade")]


def _name_unit(label: dict[str, Any]) -> str:
    return " \u203a ".join(part for part in (label["doc_id"], label["section_id"]) if part)
