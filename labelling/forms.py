"""What annotators and leads send."""

from __future__ import annotations

from typing import Any

from django import forms

from evalsets.models import EvalSet
from labelling.judging import Verdict
from labelling.models import Rubric

LONGEST_SECONDS = 24 * 3600
# What becomes of undecided labels one grade apart on the same side of the threshold.
NEAR_RULES = ("lower", "leave_out")


class JudgmentForm(forms.Form):
    """A judgment as the grading page sends it. What makes a verdict is checked by `Verdict.check`."""

    candidate = forms.CharField(max_length=80, required=False)
    request_id = forms.UUIDField()
    grade = forms.IntegerField(required=False)
    cannot_judge = forms.CharField(max_length=30, required=False)
    note = forms.CharField(required=False, strip=True)
    context_opened = forms.BooleanField(required=False)
    rubric = forms.IntegerField(required=False)
    seconds = forms.CharField(required=False)

    def clean_seconds(self) -> float | None:
        """Time is measured by the page's script; whatever is no time counts as none and costs nobody a grade."""
        try:
            seconds = float(self.cleaned_data["seconds"])
        except ValueError:
            return None
        return round(seconds, 1) if 0 <= seconds <= LONGEST_SECONDS else None

    def get_verdict(self) -> Verdict:
        cleaned = self.cleaned_data
        return Verdict(
            grade=cleaned["grade"],
            cannot_judge=cleaned["cannot_judge"],
            note=cleaned["note"],
            context_opened=cleaned["context_opened"],
        )


class RubricForm(forms.Form):
    """The rubric: a name, a definition and an example for each grade of the scale, and guidance for all of them."""

    guidance = forms.CharField(
        label="Guidance",
        required=False,
        max_length=20_000,
        widget=forms.Textarea(attrs={"rows": 10}),
        help_text="Read beside the grades. Markdown: headings, lists, tables, links.",
    )
    after = forms.IntegerField(widget=forms.HiddenInput)

    def __init__(self, *args: Any, eval_set: EvalSet, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.grades = eval_set.grades
        for grade in self.grades:
            self.fields[f"label_{grade}"] = forms.CharField(label=f"Name of grade {grade}", max_length=40)
            self.fields[f"definition_{grade}"] = forms.CharField(
                label=f"When grade {grade} is given", max_length=2000, widget=forms.Textarea(attrs={"rows": 3})
            )
            self.fields[f"example_{grade}"] = forms.CharField(
                label=f"An example of grade {grade}",
                required=False,
                max_length=4000,
                widget=forms.Textarea(attrs={"rows": 2}),
            )

    @staticmethod
    def read(rubric: Rubric) -> dict[str, Any]:
        """Return the initial values of the form that edits this version."""
        initial: dict[str, Any] = {"guidance": rubric.guidance, "after": rubric.number}
        for definition in rubric.definitions:
            for name in ("label", "definition", "example"):
                initial[f"{name}_{definition['grade']}"] = definition.get(name, "")
        return initial

    def get_definitions(self) -> list[dict[str, Any]]:
        return [
            {"grade": grade}
            | {name: self.cleaned_data[f"{name}_{grade}"] for name in ("label", "definition", "example")}
            for grade in self.grades
        ]


class DecisionForm(forms.Form):
    """A lead's decision on a candidate: a grade, or `outcome` cannot_settle. What makes a decision is checked by `adjudicate`."""

    grade = forms.IntegerField(required=False)
    outcome = forms.ChoiceField(required=False, choices=[("cannot_settle", "cannot be settled")])
    reason = forms.CharField(max_length=30, required=False)
    remark = forms.CharField(required=False, strip=True)
    request_id = forms.UUIDField()
    after = forms.IntegerField(required=False)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if (cleaned.get("grade") is None) == (not cleaned.get("outcome")):
            raise forms.ValidationError("Give a grade, or say that it cannot be settled.")
        return cleaned

    def get_decision(self) -> dict[str, Any]:
        """Return the arguments of `adjudicate` that the page sends."""
        cleaned = self.cleaned_data
        return {
            "grade": cleaned["grade"],
            "reason_code": cleaned["reason"],
            "reason": cleaned["remark"],
            "request_id": cleaned["request_id"],
            "after": cleaned["after"],
        }

    def tell_errors(self) -> str:
        """Say in one sentence what cannot be a decision."""
        return " ".join(str(error) for errors in self.errors.values() for error in errors)


class PlanForm(forms.Form):
    """The share of candidates that two people grade, and the seed that chooses them."""

    rate = forms.FloatField(
        label="Share labelled twice, in percent",
        min_value=0,
        max_value=100,
        help_text="20 is usual. The table above says what a share buys.",
    )
    seed = forms.CharField(
        label="Seed",
        required=False,
        max_length=100,
        strip=True,
        help_text="Any text that nobody can guess; left empty, one is drawn. It is not shown again: only its SHA-256 is.",
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )


class PublishForm(forms.Form):
    """How a gold set is published."""

    notes = forms.CharField(
        label="Notes",
        required=False,
        max_length=4000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="What is new in this version, and for whom.",
    )
    near = forms.ChoiceField(choices=[(rule, rule) for rule in NEAR_RULES], widget=forms.HiddenInput)
    accept = forms.BooleanField(
        label="Publish although the points above are unresolved; they will stand on the gold set.", required=False
    )
