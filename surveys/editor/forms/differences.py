"""How two states of a draft differ, field by field and question by question, and which of two people changed what."""

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.db.models import TextChoices
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from surveys.drafts.selectors import document_of, parts_of
from surveys.drafts.services.surveys import written
from surveys.editor.forms.editor import SurveyEditor, SurveyForm
from surveys.editor.forms.question import question_fields, typed_of
from surveys.models import Survey
from surveys.questionnaire.document import COLUMNS
from surveys.questionnaire.question import Question
from surveys.questionnaire.translations import language_name

Typed = Mapping[str, str]
Fields = Mapping[str, forms.Field]
_SURVEY: Fields = SurveyForm.base_fields


class Side(TextChoices):
    """Which of two people who changed the same draft changed this."""

    BOTH = "both", gettext_lazy("in both versions")
    THEIRS = "theirs", gettext_lazy("only in the saved version")
    MINE = "mine", gettext_lazy("only in your version")


@dataclass(frozen=True, slots=True)
class VersionDifference:
    """One thing that is not the same: where it is, its name, and how it reads on either side, "" where it is not."""

    place: str  # as in a document: a column of the survey, or questions[1].text
    what: str
    before: str
    after: str
    side: Side | None = None


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[VersionDifference]:
    """Return how one document of a survey differs from another, in the order of the editor."""
    changes = [
        VersionDifference(name, _label(_SURVEY, name), _words(_SURVEY, name, old), _words(_SURVEY, name, new))
        # One that was saved before there was such a column does not have it.
        for name in after["survey"] | before["survey"]
        if (new := after["survey"].get(name)) != (old := before["survey"].get(name)) and name in _SURVEY
    ]
    arms = [_arms(document["survey"].get("arms", ())) for document in (before, after)]
    if arms[0] != arms[1]:
        changes.append(VersionDifference("arms", _("Random arms"), arms[0], arms[1]))
    spoken = [document["survey"].get("translations", {}) for document in (before, after)]
    for code in sorted(spoken[0].keys() | spoken[1].keys()):
        changes += _in_language(code, *(translations.get(code, {}) for translations in spoken))
    return changes + _between(_typed(before), _typed(after))


def questions_in(document: Mapping[str, Any]) -> list[list[tuple[str, str]]]:
    """Return each question of a document as pairs of a field's label and what stands there; its text comes first."""
    fields: Fields = question_fields()
    names = ["text", *(name for name in fields if name != "text")]
    return [
        [(_label(fields, name), _words(fields, name, typed[name])) for name in names if typed.get(name)]
        for typed in _typed(document)
    ]


def _arms(stored: Sequence[Mapping[str, Any]]) -> str:
    return ", ".join(f"{arm['name']} ({arm['weight']})" for arm in stored)


def _in_language(code: str, old: Typed, new: Typed) -> list[VersionDifference]:
    changed = [text for text in dict.fromkeys([*old, *new]) if old.get(text) != new.get(text)]
    before, after = ("; ".join(words[text] for text in changed if text in words) for words in (old, new))
    return [VersionDifference(f"translations.{code}", language_name(code), before, after)] if changed else []


def _typed(document: Mapping[str, Any]) -> list[Typed]:
    return [typed_of(Question.of(question)) for question in document["questions"]]


def _between(before: Sequence[Typed], after: Sequence[Typed]) -> list[VersionDifference]:
    pairs = _pairs(before, after)
    changes: list[VersionDifference] = []
    for new, typed in enumerate(after):
        old = pairs.get(new)
        if old is None:
            what = _("Question %(number)s, new") % {"number": new + 1}
            changes.append(VersionDifference(f"questions[{new}]", what, "", typed["text"]))
        else:
            changes += _of_question(new + 1, before[old], typed)
    kept = set(pairs.values())
    changes += [
        VersionDifference(
            f"questions[{old}]", _("Question %(number)s, removed") % {"number": old + 1}, typed["text"], ""
        )
        for old, typed in enumerate(before)
        if old not in kept
    ]
    order = [pairs[new] for new in sorted(pairs)]
    if order != sorted(order):
        what = _("Order of the questions")
        changes.append(VersionDifference("questions", what, _numbers(sorted(order)), _numbers(order)))
    return changes


def _pairs(before: Sequence[Typed], after: Sequence[Typed]) -> dict[int, int]:
    """Return which question of `after` is which of `before`: the same one, else one with the same text, else the next.

    Questions have no names of their own, so this is a reading; it decides only how differences are listed.
    """
    pairs: dict[int, int] = {}
    for same in (lambda old, new: old == new, lambda old, new: old["text"] == new["text"], lambda _old, _new: True):
        for new, typed in enumerate(after):
            free = (old for old in range(len(before)) if old not in pairs.values())
            if (
                new not in pairs
                and (match := next((old for old in free if same(before[old], typed)), None)) is not None
            ):
                pairs[new] = match
    return pairs


def _of_question(number: int, old: Typed, new: Typed) -> list[VersionDifference]:
    fields: Fields = question_fields()
    return [
        VersionDifference(
            f"questions[{number - 1}].{name}",
            _("Question %(number)s, %(field)s") % {"number": number, "field": _label(fields, name)},
            _words(fields, name, old.get(name, "")),
            _words(fields, name, new.get(name, "")),
        )
        for name in fields
        if old.get(name, "") != new.get(name, "")
    ]


def _label(fields: Fields, name: str) -> str:
    return str(fields[name].label).rstrip("?")


def _words(fields: Fields, name: str, value: object) -> str:
    if isinstance(value, bool) or isinstance(fields[name], forms.BooleanField):
        return _("Yes") if value else _("No")
    choices = dict(getattr(fields[name], "choices", ()))
    return str(choices.get(value, "" if value is None else value))


def _numbers(places: Sequence[int]) -> str:
    return ", ".join(str(place + 1) for place in places)


# Two people who edited one draft at once: what the other one saved, and how it differs from what was typed here.


@dataclass(frozen=True, slots=True)
class Conflict:
    """Who saved what, and how `theirs` (before) differs from mine (after)."""

    revision: int
    by: User | None
    by_reader: bool  # in another window
    at: dt.datetime
    differences: list[VersionDifference]


def conflict_of(editor: SurveyEditor, stored: Survey, reader: User) -> Conflict:
    """Return what stands in the way of saving what is typed, which must be valid, over what is stored."""
    theirs = stored.saved_versions.select_related("saved_by").first()
    columns = editor.columns()
    typed = Survey(**{name: value for name, value in columns.items() if name not in COLUMNS})
    typed.write(written(stored, editor.drafts(), columns))
    mine = dict(zip(("survey", "questions"), parts_of(typed), strict=True))
    changes = differences(document_of(stored), mine)
    if base := stored.saved_versions.filter(number=editor.revision).first():
        changes = _by_side(changes, differences(base.document, document_of(stored)), differences(base.document, mine))
    return Conflict(
        revision=stored.revision,
        by=theirs.saved_by if theirs else None,
        by_reader=bool(theirs and theirs.saved_by_id == reader.pk),
        at=theirs.saved_at if theirs else stored.updated_at,
        differences=changes,
    )


def _by_side(
    changes: list[VersionDifference], theirs: list[VersionDifference], mine: list[VersionDifference]
) -> list[VersionDifference]:
    """Say of each difference who of the two made it since the version that both of them began with."""
    by_them, by_me = {change.what for change in theirs}, {change.what for change in mine}
    sides = {(True, True): Side.BOTH, (True, False): Side.THEIRS, (False, True): Side.MINE}
    return [replace(change, side=sides.get((change.what in by_them, change.what in by_me))) for change in changes]
