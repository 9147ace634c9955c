"""Forms that turn what people type into clean values."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.contrib.auth.password_validation import validate_password
from django.contrib.auth.validators import UnicodeUsernameValidator

from evalsets.creating import Design
from evalsets.models import Corpus, EvalSet, Gain, Role, Scale, Unit
from evalsets.people import EXPIRY_DAYS

RESERVED_SLUGS = {"new"}


class DesignForm(forms.Form):
    """Name, threshold, gain and depths: what can be changed as long as one likes."""

    name = forms.CharField(max_length=200)
    description = forms.CharField(required=False, widget=forms.Textarea(attrs={"rows": 2}))
    threshold = forms.IntegerField(
        min_value=1,
        max_value=3,
        initial=2,
        help_text="The lowest grade that counts as relevant; 1 when grades are binary.",
    )
    gain = forms.ChoiceField(choices=Gain.choices, initial=Gain.EXP, help_text="What a grade is worth in nDCG.")
    depth_n = forms.IntegerField(
        min_value=1,
        max_value=10_000,
        initial=50,
        label="Candidate depth N",
        help_text="How many are retrieved before reranking.",
    )
    depth_k = forms.IntegerField(
        min_value=1, max_value=1000, initial=5, label="Context depth k", help_text="How many reach the model."
    )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        depth_k, depth_n = cleaned.get("depth_k"), cleaned.get("depth_n")
        if depth_k and depth_n and depth_k > depth_n:
            self.add_error("depth_k", f"k is {depth_k}, more than N, which is {depth_n}.")
        if self.get_scale() == Scale.BINARY and cleaned.get("threshold", 1) != 1:
            self.add_error("threshold", "When grades are 0 and 1, the threshold is 1.")
        return cleaned

    def get_scale(self) -> str:
        """The scale that the threshold has to lie on."""
        return str(self.initial.get("scale", Scale.GRADED))


class CreateEvalSetForm(DesignForm):
    """Everything that a new eval set needs."""

    field_order = ["name", "slug", "description", "corpus", "unit", "scale", "threshold", "gain", "depth_n", "depth_k"]
    slug = forms.SlugField(
        max_length=80, label="Short name", help_text="Stands in addresses and commands: a-z, 0-9, - and _."
    )
    corpus = forms.ModelChoiceField(
        Corpus.objects.none(), required=False, empty_label="A new one", help_text="The documents that are searched."
    )
    unit = forms.ChoiceField(
        choices=Unit.choices,
        initial=Unit.SECTION,
        help_text="What a label is on. Cannot be changed once there are candidates.",
    )
    scale = forms.ChoiceField(choices=Scale.choices, initial=Scale.GRADED)

    def __init__(self, *args: Any, corpora: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["corpus"].queryset = corpora  # type: ignore[attr-defined]  # a ModelChoiceField

    def clean_slug(self) -> str:
        slug = str(self.cleaned_data["slug"])
        taken = EvalSet.objects.filter(slug=slug).exists() or Corpus.objects.filter(slug=slug).exists()
        if taken or slug in RESERVED_SLUGS:
            raise forms.ValidationError(f"The short name {slug} is taken.")
        return slug

    def get_scale(self) -> str:
        return str(self.cleaned_data.get("scale", Scale.GRADED))

    def to_design(self) -> Design:
        """What was chosen, as `create_eval_set` takes it."""
        names = ("unit", "scale", "threshold", "gain", "depth_n", "depth_k")
        return Design(**{name: self.cleaned_data[name] for name in names})


class InviteForm(forms.Form):
    """A role, for whom, and for how long the link is good."""

    role = forms.ChoiceField(choices=Role.choices)
    note = forms.CharField(
        required=False, max_length=200, label="For whom", help_text="So that you know the link in the list."
    )
    days = forms.TypedChoiceField(
        coerce=int,
        choices=[(days, f"{days} day{'s' if days > 1 else ''}") for days in EXPIRY_DAYS],
        initial=7,
        label="Good for",
    )


class RoleForm(forms.Form):
    """Another role for a member."""

    role = forms.ChoiceField(choices=Role.choices)


class NewPersonForm(forms.Form):
    """An account for somebody who was invited."""

    username = forms.CharField(max_length=150, validators=[UnicodeUsernameValidator()], label="Name to sign in with")
    password = forms.CharField(strip=False, widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}))
    again = forms.CharField(
        strip=False, label="Password again", widget=forms.PasswordInput(attrs={"autocomplete": "new-password"})
    )

    def clean_username(self) -> str:
        username = str(User.normalize_username(self.cleaned_data["username"]))
        if User.objects.filter(username__iexact=username).exists():
            raise forms.ValidationError(
                f"There is an account {username} already. Sign in with it, or choose another name."
            )
        return username

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        password = cleaned.get("password")
        if password and "again" in cleaned and password != cleaned["again"]:
            self.add_error("again", "The two passwords are not the same.")
        if password:
            try:
                validate_password(password, User(username=cleaned.get("username", "")))
            except forms.ValidationError as error:
                self.add_error("password", error)
        return cleaned
