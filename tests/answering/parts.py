"""Parts of respondents' pages by themselves, in words: what a page must hold is asked of what makes it."""

from dataclasses import replace
from typing import Any

from django.template.loader import render_to_string

from surveys.questionnaire.definition import Definition
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.question import Question
from tests.pages import words_of


def define(*drafts: Question, **fields: Any) -> Definition:
    code, purge_on = fields.pop("code", "EXAMS"), fields.pop("purge_on", None)
    for draft in drafts:
        draft.full_clean()
    written = Questionnaire.of({"title": "Exams"} | fields)
    return Definition.of(replace(written, questions=drafts), code=code, purge_on=purge_on)


def part(name: str, definition: Definition, number: int = 1, **context: Any) -> str:
    """Return the words of a part of a page; where it is about a question, about the one with this number."""
    question = definition.questions[number - 1]
    known = {"definition": definition, "question": question, "item": question.first}
    return words_of(render_to_string(f"answering/{name}.html", known | context))


def plain_spaces(text: str) -> str:
    """Return a sentence as `words_of` returns a page: without no-break spaces."""
    return " ".join(text.split())
