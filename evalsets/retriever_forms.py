"""The forms of a retriever's configuration and of running retrievers, made from the settings that each kind has."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from django import forms

from evalsets.models import EvalSet, Retriever
from evalsets.retrieval import ConfigError, Setting
from evalsets.retrieval.filters import all_settings

MOST_DEPTH = 1000


class RetrieverForm(forms.Form):
    """A name, and every setting of the kind with its default."""

    name = forms.CharField(max_length=200, help_text="Short and telling; runs and scores are shown under it.")

    def __init__(self, *args: Any, kind: str, members: Sequence[Retriever], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.kind = kind
        for setting in all_settings(kind):
            self.fields[setting.name] = make_field(setting, members)

    def to_config(self) -> dict[str, Any]:
        """The configuration that was typed."""
        return {setting.name: self.cleaned_data[setting.name] for setting in all_settings(self.kind)}

    def refuse(self, error: ConfigError) -> None:
        """Put each problem beside its field."""
        for problem in error.problems:
            field = problem.field if problem.field in self.fields else None
            self.add_error(field, f"{problem.value}: expected {problem.expected}.")


def make_field(setting: Setting, members: Sequence[Retriever]) -> forms.Field:
    """The form field of one setting."""
    said: dict[str, Any] = {"label": setting.label, "help_text": setting.help, "initial": setting.default}
    if setting.kind == "yes or no":
        return forms.BooleanField(required=False, **said)
    if setting.kind == "choice":
        return forms.ChoiceField(choices=[(choice, choice) for choice in setting.choices], **said)
    if setting.kind == "retrievers":
        choices = [(retriever.slug, retriever.name) for retriever in members]
        return forms.MultipleChoiceField(
            choices=choices,
            widget=forms.CheckboxSelectMultiple,
            error_messages={"required": "Choose at least two retrievers."},
            **said,
        )
    low = setting.minimum if math.isfinite(setting.minimum) else None
    high = setting.maximum if math.isfinite(setting.maximum) else None
    if setting.kind == "whole number":
        whole: dict[str, Any] = {
            "min_value": None if low is None else int(low),
            "max_value": None if high is None else int(high),
        }
        return forms.IntegerField(**whole, **said)
    widget = forms.NumberInput(attrs={"step": "any"})
    return forms.FloatField(min_value=low, max_value=high, widget=widget, **said)


class RunForm(forms.Form):
    """Which built-in retrievers to run, and how deep."""

    retrievers = forms.MultipleChoiceField(
        widget=forms.CheckboxSelectMultiple, error_messages={"required": "Choose at least one retriever."}
    )
    depth = forms.IntegerField(min_value=1, max_value=MOST_DEPTH, label="Results kept for each query")

    def __init__(self, *args: Any, eval_set: EvalSet, retrievers: Sequence[Retriever], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.eval_set = eval_set
        self.by_slug = {retriever.slug: retriever for retriever in retrievers}
        self.fields["retrievers"].choices = [(one.slug, one.name) for one in retrievers]  # type: ignore[attr-defined]
        self.fields["retrievers"].initial = list(self.by_slug)
        self.fields["depth"].initial = max(eval_set.depth_n, 20)
        self.fields["depth"].help_text = f"N is {eval_set.depth_n} here; a pool takes 20 unless it is told otherwise."

    def clean_depth(self) -> int:
        depth = int(self.cleaned_data["depth"])
        if depth < self.eval_set.depth_k:
            raise forms.ValidationError(f"The depth is {depth}, less than k, which is {self.eval_set.depth_k}.")
        return depth

    def chosen(self) -> list[Retriever]:
        """The retrievers that were chosen."""
        return [self.by_slug[slug] for slug in self.cleaned_data["retrievers"]]
