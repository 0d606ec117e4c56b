"""What respondents would get from what stands in the editor: nothing of it is checked for storing, nor stored."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from surveys.editor.forms.editor import SurveyEditor, SurveyForm
from surveys.editor.forms.rows import QuestionRow
from surveys.questionnaire.definition import Definition
from surveys.questionnaire.document import TEXTS, Questionnaire
from surveys.questionnaire.question import Question
from surveys.questionnaire.reports import MAX_ITEMS


@dataclass(frozen=True, slots=True)
class Preview:
    """A definition to show, or None where the open question cannot be asked yet; and what is missing, in words."""

    definition: Definition | None
    start: int  # the place of the open question among those that are shown, from 1
    missing: Sequence[str]


def preview_of(editor: SurveyEditor, *, untitled: str) -> Preview:
    """Return what can be shown of the questions as they are typed; those that could not be asked are dropped."""
    rows = [row for row in editor.shown if not row.removed]
    if editor.damage:
        return Preview(None, 1, [editor.damage])
    missing = [_in_question(row, wrong.named) for row in rows for wrong in row.wrong]
    opened = next((row for row in rows if row.is_open), None)
    if opened is not None and opened.wrong:
        return Preview(None, 1, [_in_question(opened, wrong.named) for wrong in opened.wrong])
    able = [row for row in rows if not row.wrong]
    if not able:
        return Preview(None, 1, missing or [_("Enter a question.")])
    questions = tuple(_question(row) for row in able)
    definition = Definition.of(_questionnaire(editor, untitled, questions), purge_on=_day(editor.survey))
    first = opened or able[0]
    if definition.arms:
        # What the first arm meets that is asked the open question.
        arm = first.asked_in(len(editor.arms))[0]
        definition = definition.in_arm(arm)
        able = [row for row in able if arm in row.asked_in(len(editor.arms))]
    if len(definition.items) > MAX_ITEMS:
        words = _(
            "A survey can have at most %(most)s items. If several options can be ticked, each option "
            "counts as one item."
        )
        return Preview(None, 1, [words % {"most": MAX_ITEMS}])
    return Preview(definition, able.index(opened) + 1 if opened is not None else 1, missing)


def _questionnaire(editor: SurveyEditor, untitled: str, questions: tuple[Question, ...]) -> Questionnaire:
    form = editor.survey
    words: dict[str, Any] = {name: str(form[name].value() or "")[: text.longest] for name, text in TEXTS.items()}
    language = form["language"].value()
    return Questionnaire(
        **words | {"title": words["title"].strip() or untitled},
        arms=tuple(editor.arms.arms),
        language=language if language in dict(settings.RESPONDENTS_LANGUAGES) else settings.LANGUAGE_CODE,
        server_mode_allowed=bool(form["server_mode_allowed"].value()),
        random_order=bool(form["random_order"].value()),
        by_invitation=bool(form["by_invitation"].value()),
        credit=bool(form["credit"].value()),
        questions=questions,
    )


def _day(form: SurveyForm) -> dt.date | None:
    try:
        return cast("dt.date | None", form.fields["purge_on"].clean(form["purge_on"].value()))
    except ValidationError:
        return None


def _question(row: QuestionRow) -> Question:
    question = row.question
    if question is None:
        raise AssertionError("a question with nothing wrong has a row")
    # The frame begins with the open question, even if only some people are asked it.
    return replace(question, asked_if={})


def _in_question(row: QuestionRow, words: str) -> str:
    return _("Question %(number)s: %(message)s") % {"number": row.number, "message": words}
