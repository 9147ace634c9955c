"""Urls of scores: every choice that is not the usual one stands in them, so that a link shows what was seen."""

from __future__ import annotations

from urllib.parse import urlencode

from django.urls import reverse

from evalsets.models import EvalSet
from scoring.reports import Choice


def report_query(choice: Choice) -> dict[str, str | int]:
    """The parameters that name a report; threshold and gain only where they are not the declared ones."""
    header = choice.gold_set.header
    given: dict[str, str | int] = {"gold": choice.gold_set.number, "run": choice.run.number}
    given |= {"n": choice.depth_n, "k": choice.depth_k}
    optional: dict[str, tuple[str | int, str | int]] = {
        "split": (choice.split, ""),
        "threshold": (choice.threshold, header["threshold"]),
        "gain": (choice.gain, header["gain"]),
    }
    return given | {name: value for name, (value, usual) in optional.items() if value != usual}


def address(name: str, eval_set: EvalSet, *args: str, **query: str | int | float) -> str:
    """The url of a page of scores with parameters."""
    path = reverse(f"scoring:{name}", args=[eval_set.slug, *args])
    return f"{path}?{urlencode(query)}" if query else path


def report_url(choice: Choice, **more: str | int | float) -> str:
    """Where a report is read; `more` are its further parameters (below, only, tag ...)."""
    return address("view_report", choice.gold_set.eval_set, **report_query(choice) | more)


def query_url(choice: Choice, query_id: str, **more: str | int) -> str:
    """Where the ranked list of one query is read beside its gold units."""
    return address("view_query_scores", choice.gold_set.eval_set, **report_query(choice) | more | {"query": query_id})


def comparison_url(first: Choice, second: Choice) -> str:
    """Where two runs are compared; the first is the baseline."""
    given = report_query(first)
    given["first"] = given.pop("run")
    return address("compare_runs", first.gold_set.eval_set, **given | {"second": second.run.number})


def pool_url(choice: Choice) -> str:
    """Where the results of this run that nobody judged can be added to the pool."""
    path = reverse("evalsets:view_pool", args=[choice.gold_set.eval_set.slug])
    return f"{path}?{urlencode({'runs': choice.run.number, 'depth': choice.depth_k})}"
