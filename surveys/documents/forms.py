"""The forms of importing and of starting from a template: a file or a text, and the language of the survey."""

from typing import Any

from django import forms
from django.conf import settings
from django.utils.translation import gettext_lazy as _

from surveys.documents.services.parsing import MOST_BYTES

# Letters of three bytes each stay below what a request may hold besides files.
LONGEST_TEXT = 80_000
_TOO_LARGE = _("The file is too large. The limit is 1 MB.")


class ImportForm(forms.Form):
    """A file or a pasted text; `raw` is what it holds. What it is shows in it: its name says nothing."""

    file = forms.FileField(
        label=_("File"),
        required=False,
        help_text=_("A JSON file exported from Deniable or an XLSForm (.xlsx), at most 1 MB."),
        widget=forms.FileInput(attrs={"accept": ".json,.xlsx,application/json"}),
        error_messages={"empty": _("The file is empty. Choose another.")},
    )
    text = forms.CharField(
        label=_("Or paste the text of a JSON file"),
        required=False,
        max_length=LONGEST_TEXT,
        widget=forms.Textarea(attrs={"rows": 6, "spellcheck": "false", "class": "mono"}),
        help_text=_("If the text doesn’t fit, choose a file instead."),
    )

    @property
    def raw(self) -> bytes:
        file = self.cleaned_data["file"]
        content: bytes = file.read() if file else self.cleaned_data["text"].encode()
        return content

    def clean(self) -> dict[str, Any]:
        """Take one of both, of a size that is read at all."""
        cleaned = super().clean() or {}
        file, text = cleaned.get("file"), cleaned.get("text")
        if file and file.size > MOST_BYTES:
            self.add_error("file", _TOO_LARGE)
        elif file and text:
            self.add_error("text", _("Choose a file or paste text, not both."))
        elif not file and not text and not self.errors:
            self.add_error("file", _("Choose a file, or paste text below."))
        return cleaned

    def blame_size(self, length: int) -> None:
        """Say so when a request was so large that its file has not even been kept."""
        if length > settings.FILE_UPLOAD_MAX_MEMORY_SIZE and not self.files:
            del self.errors["file"]
            self.add_error("file", _TOO_LARGE)


class LanguageForm(forms.Form):
    """The language of a template's texts, and of its respondents' pages."""

    language = forms.ChoiceField(label=_("Language of the survey"), choices=settings.LANGUAGES)
