"""Parts of respondents' pages by themselves, in words: what a page must hold is asked of what makes it."""

from dataclasses import asdict
from typing import Any

from django.template.loader import render_to_string

from surveys.drafts.services.surveys import QuestionDraft
from surveys.models import Question, Survey
from surveys.models.definition import Definition
from tests.pages import words_of


def define(*drafts: QuestionDraft, **fields: Any) -> Definition:
    survey = Survey(**({"code": "EXAMS", "title": "Exams"} | fields))
    questions = [Question(survey=survey, position=place, **asdict(draft)) for place, draft in enumerate(drafts, 1)]
    for question in questions:
        question.clean()
    return Definition.of(survey, questions)


def part(name: str, definition: Definition, number: int = 1, **context: Any) -> str:
    """Return the words of a part of a page; where it is about a question, about the one with this number."""
    question = definition.questions[number - 1]
    known = {"definition": definition, "question": question, "item": question.first}
    return words_of(render_to_string(f"answering/{name}.html", known | context))


def plain_spaces(text: str) -> str:
    """Return a sentence as `words_of` returns a page: without no-break spaces."""
    return " ".join(text.split())
