"""The choices above scores: which gold set version, which runs, how deep. They stand in the url and give clean values."""

from __future__ import annotations

from typing import Any, Self

from django import forms
from django.http import QueryDict

from evalsets.models import EvalSet, Gain, GoldSet, Run, Split
from scoring.reports import Choice, highest_grade

DEEPEST = 10_000
BELOW = 0.5
ONLY = [
    ("", "all scored queries"),
    ("zero", "zero-hit queries"),
    ("below", "queries below the threshold"),
    ("unjudged", "queries with unjudged results in the top k"),
    ("synthetic", "synthetic queries"),
]


class DepthForm(forms.Form):
    """A gold set version and the two depths. What is not given is what the gold set declares; `choose` makes reports of it."""

    gold = forms.TypedChoiceField(coerce=int, label="Gold set")
    n = forms.IntegerField(min_value=1, max_value=DEEPEST, label="N, candidates")
    k = forms.IntegerField(min_value=1, max_value=DEEPEST, label="k, context")
    split = forms.ChoiceField(required=False, label="Split", choices=[("", "all"), *Split.choices])
    threshold = forms.TypedChoiceField(
        coerce=int,
        empty_value=None,
        required=False,
        label="Relevant from",
        choices=[("", "as declared"), *[(grade, f"grade {grade}") for grade in (1, 2, 3)]],
    )
    gain = forms.ChoiceField(required=False, label="Gain", choices=[("", "as declared"), *Gain.choices])

    # Those of the fields that name a run.
    run_fields: tuple[str, ...] = ()

    def __init__(self, given: QueryDict, *, eval_set: EvalSet) -> None:
        self.gold_sets = {gold_set.number: gold_set for gold_set in eval_set.gold_sets.select_related("eval_set")}
        self.runs: dict[int, Run] = {}
        super().__init__(self._filled_up(given))
        self.choice_field("gold").choices = [(number, f"version {number}") for number in self.gold_sets]
        if self.run_fields:
            runs = eval_set.runs.complete().select_related("retriever", "snapshot")
            self.runs = {run.number: run for run in runs}
            for name in self.run_fields:
                choices = [(number, str(run)) for number, run in self.runs.items()]
                self.choice_field(name).choices = [("", "choose a run"), *choices]

    def choice_field(self, name: str) -> forms.ChoiceField:
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)
        return field

    def _filled_up(self, given: QueryDict) -> dict[str, Any]:
        data: dict[str, Any] = {name: value for name, value in given.items() if value != ""}
        if self.gold_sets:
            data.setdefault("gold", str(next(iter(self.gold_sets))))
        gold_set = self.gold_sets.get(int(data["gold"])) if str(data.get("gold", "")).isdecimal() else None
        if gold_set is not None:
            data = {"n": gold_set.header["depth_n"], "k": gold_set.header["depth_k"]} | data
        return data

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if cleaned.get("n") and cleaned.get("k") and cleaned["k"] > cleaned["n"]:
            self.add_error("k", "k, the depth of the context, is at most N.")
        if cleaned.get("gold") and (cleaned.get("threshold") or 0) > highest_grade(self.gold_set):
            self.add_error("threshold", f"The highest grade of this gold set is {highest_grade(self.gold_set)}.")
        return cleaned

    def unasked(self) -> Self:
        """The same form before anything was asked: nothing in it is an error yet."""
        self.is_bound = False
        self.initial = dict(self.data)
        return self

    @property
    def gold_set(self) -> GoldSet:
        """The chosen version; for a valid form."""
        return self.gold_sets[self.cleaned_data["gold"]]

    def choose(self, run: Run) -> Choice:
        """The report of a run under these choices; for a valid form."""
        given = self.cleaned_data
        return Choice.of(
            self.gold_set,
            run,
            n=given["n"],
            k=given["k"],
            threshold=given["threshold"],
            gain=given["gain"],
            split=given["split"],
        )


class ReportForm(DepthForm):
    """One run; `below` is the value of nDCG under which queries are counted and listed."""

    run = forms.TypedChoiceField(coerce=int, label="Run")
    below = forms.FloatField(required=False, min_value=0, max_value=1, label="List nDCG below")

    run_fields = ("run",)
    field_order = ["gold", "run", "n", "k", "split", "threshold", "gain", "below"]

    def clean_below(self) -> float:
        below = self.cleaned_data["below"]
        return BELOW if below is None else float(below)


class CompareForm(DepthForm):
    """Two runs of one eval set; the first is the baseline."""

    first = forms.TypedChoiceField(coerce=int, label="First run")
    second = forms.TypedChoiceField(coerce=int, label="Second run")

    run_fields = ("first", "second")
    field_order = ["gold", "first", "second", "n", "k", "split", "threshold", "gain"]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        if cleaned.get("first") and cleaned.get("first") == cleaned.get("second"):
            self.add_error("second", "Choose another run than the first one.")
        return cleaned


class QueryFilterForm(forms.Form):
    """Which queries the table of a report shows."""

    q = forms.CharField(required=False, label="Words or id", strip=True)
    tag = forms.ChoiceField(required=False, label="Tag")
    source = forms.ChoiceField(required=False, label="Source")
    only = forms.ChoiceField(required=False, label="Show", choices=ONLY)

    def __init__(self, given: QueryDict, *, tags: list[str], sources: list[str]) -> None:
        super().__init__(given)
        for name, values in (("tag", tags), ("source", sources)):
            field = self.fields[name]
            assert isinstance(field, forms.ChoiceField)
            field.choices = [("", "all"), *((value, value) for value in values)]

    def chosen(self) -> dict[str, str]:
        """The filters that are set and make sense; one that does not is no filter."""
        self.is_valid()
        return {name: value for name, value in self.cleaned_data.items() if value}
