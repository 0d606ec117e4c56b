"""A draft's texts in another language: a field for each, beside what it stands for."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.http import QueryDict
from django.utils.translation import gettext as _

from surveys.common.forms import FieldProblem
from surveys.drafts.services.translating import AuthorText, texts_of
from surveys.editor.forms.editor import SurveyForm, named_problems
from surveys.editor.forms.question import question_fields
from surveys.models import Survey
from surveys.questionnaire.document import TEXTS
from surveys.questionnaire.texts import check_lines
from surveys.questionnaire.translations import LONGEST_TEXT, language_name

_SEVERAL_LINES = {"options", *(name for name, text in TEXTS.items() if text.rows > 1)}
_A_LINE = 60  # characters


@dataclass(frozen=True, slots=True)
class OfferedLanguage:
    """A language of respondents' pages that is not the survey's own, and how much of the survey there is in it."""

    code: str
    name: str
    translated: int
    missing: int


def languages_of(survey: Survey, codes: list[str]) -> list[OfferedLanguage]:
    """Return how far a draft is translated into each of these languages."""
    texts = {each.text for each in texts_of(survey.questionnaire)}
    done = {code: len(texts & survey.questionnaire.translations.get(code, {}).keys()) for code in codes}
    return [OfferedLanguage(code, language_name(code), done[code], len(texts) - done[code]) for code in codes]


class TranslationForm(forms.Form):
    """The translations into one language; none is required before the survey opens.

    A field is called by its text, so that what is typed stays with it whatever else is changed meanwhile.
    """

    def __init__(self, data: QueryDict | None, *, survey: Survey, code: str) -> None:
        super().__init__(data)
        words: Mapping[str, str] = survey.questionnaire.translations.get(code, {})
        self._by_name: dict[str, AuthorText] = {}
        for each in texts_of(survey.questionnaire):
            name = f"t-{hashlib.sha256(each.text.encode()).hexdigest()[:16]}"
            self._by_name[name] = each
            self.fields[name] = _field(each, code, words.get(each.text, ""))
        texts = {each.text for each in self._by_name.values()}
        self.earlier = [(text, translation) for text, translation in sorted(words.items()) if text not in texts]

    @property
    def pairs(self) -> list[tuple[AuthorText, forms.BoundField]]:
        return [(each, self[name]) for name, each in self._by_name.items()]

    @property
    def words(self) -> dict[str, str]:
        """What was typed, by the text that it stands for."""
        return {each.text: _tidied(each, self.cleaned_data[name]) for name, each in self._by_name.items()}

    @property
    def problems(self) -> list[FieldProblem]:
        return named_problems(self, otherwise="")

    def blame(self, refused: ValidationError) -> None:
        """Put what is wrong with a translation beside its field."""
        names = {each.text: name for name, each in self._by_name.items()}
        for text, messages in refused.message_dict.items():
            for message in messages:
                self.add_error(names.get(text), message)


def _field(each: AuthorText, code: str, translation: str) -> forms.CharField:
    several = each.name in _SEVERAL_LINES or len(each.text) > _A_LINE
    attrs: dict[str, Any] = {"lang": code, "dir": "auto"}
    rows = max(2, min(12, each.text.count("\n") + 1 + len(each.text) // _A_LINE))
    return forms.CharField(
        label=_label(each),
        required=False,
        initial=translation,
        max_length=LONGEST_TEXT,
        validators=[check_lines],
        widget=forms.Textarea(attrs=attrs | {"rows": rows}) if several else forms.TextInput(attrs=attrs),
    )


def _label(each: AuthorText) -> str:
    fields: Mapping[str, forms.Field] = question_fields() if each.number else SurveyForm.base_fields
    if each.name == "text":
        return _("Question %(number)s") % {"number": each.number}
    label = str(fields[each.name].label).rstrip("?")
    if not each.number:
        return label
    return _("Question %(number)s, %(field)s") % {"number": each.number, "field": label}


def _tidied(each: AuthorText, typed: str) -> str:
    """Return the options as the editor stores them: a line each, none of them empty."""
    if each.name != "options":
        return typed
    return "\n".join(line.strip() for line in typed.splitlines() if line.strip())
