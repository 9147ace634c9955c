"""What is sent to import a file: the file itself, the choices of its format, and what unusual grades mean."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile

from evalsets.formats.catalogue import Option
from evalsets.formats.grades import CANNOT_JUDGE, HIGHEST, SKIP
from evalsets.importing.proposals import write_pairs
from evalsets.importing.registry import ImportKind


class SeveralFilesInput(forms.ClearableFileInput):
    """A file input that takes several files."""

    allow_multiple_selected = True


class SeveralFilesField(forms.FileField):
    """One or more files; cleans to a list."""

    widget = SeveralFilesInput

    def clean(self, data: Any, initial: Any = None) -> Any:
        single = super().clean
        items = data if isinstance(data, list | tuple) else [data]
        return [single(item, initial) for item in items] if items else [single(None, initial)]


class UploadForm(forms.Form):
    """The files of one kind."""

    file = SeveralFilesField(label="File")

    def __init__(self, kind: ImportKind, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        formats = kind.known_formats()
        endings = dict.fromkeys(ending for item in formats for ending in item.endings)
        self.fields["file"].widget.attrs["accept"] = ",".join(endings)
        names = ", ".join(item.label for item in formats)
        self.fields["file"].help_text = f"{names}. Nothing is written before you have seen what is in it."

    def files_sent(self) -> list[UploadedFile]:
        """Return the files in the order in which they were chosen."""
        files: list[UploadedFile] = self.cleaned_data["file"]
        return files


class OptionsForm(forms.Form):
    """The choices that a file may take, one field for each option; what is chosen already is shown."""

    def __init__(self, options: Iterable[Option], chosen: Mapping[str, str]) -> None:
        super().__init__(initial=dict(chosen))
        for option in options:
            self.fields[option.name] = _to_field(option)


def read_options(posted: Mapping[str, str], options: Iterable[Option]) -> dict[str, str]:
    """Return what was sent for these options; what was not sent keeps its choice. The reader itself refuses unknown values."""
    return {option.name: str(posted[option.name]).strip() for option in options if option.name in posted}


class MeaningsForm(forms.Form):
    """What each value that is no grade from 0 to 3 stands for."""

    PREFIX = "value"

    def __init__(self, unmapped: Iterable[Mapping[str, Any]], *args: Any) -> None:
        super().__init__(*args)
        self.values = [item["value"] for item in unmapped]
        choices = [
            ("", "not decided"),
            *((str(grade), f"grade {grade}") for grade in range(HIGHEST, -1, -1)),
            (CANNOT_JUDGE, "cannot judge"),
            (SKIP, "leave it out"),
        ]
        for number, item in enumerate(unmapped):
            label = f"{item['value'] or 'blank'} ({item['count']})"
            self.fields[f"{self.PREFIX}-{number}"] = forms.ChoiceField(label=label, choices=choices, required=False)

    def mapping(self) -> str:
        """Return the decided meanings as the option `mapping` takes them, "" where nothing was decided."""
        decided = {
            value: meaning
            for number, value in enumerate(self.values)
            if (meaning := self.cleaned_data.get(f"{self.PREFIX}-{number}"))
        }
        return write_pairs(decided) if decided else ""


def _to_field(option: Option) -> forms.Field:
    if option.choices:
        return forms.ChoiceField(label=option.label, help_text=option.help, choices=option.choices, required=False)
    return forms.CharField(label=option.label, help_text=option.help, required=False)
