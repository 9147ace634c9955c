"""What is sent to bring a gold set."""

from __future__ import annotations

from django import forms
from django.conf import settings
from django.core.files.uploadedfile import UploadedFile


class GoldImportForm(forms.Form):
    """The zip file of an exported gold set."""

    file = forms.FileField(
        label="Exported gold set",
        help_text="The zip file that another eval set exported. A single changed byte is refused.",
        widget=forms.ClearableFileInput(attrs={"accept": ".zip,application/zip"}),
    )

    def clean_file(self) -> UploadedFile:
        file: UploadedFile = self.cleaned_data["file"]
        if (file.size or 0) > settings.UPLOAD_LIMIT_BYTES:
            limit = settings.UPLOAD_LIMIT_BYTES // 1024**2
            raise forms.ValidationError(f"The file is larger than the {limit} MiB that this server takes.")
        return file

    def read(self) -> bytes:
        """Return the bytes of the file."""
        data: bytes = self.cleaned_data["file"].read()
        return data
