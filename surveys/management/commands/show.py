"""`show CODE`: a survey as respondents meet it, in one of its languages and arms, with the exact probabilities."""

import math
from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import translation

from surveys.common.selectors import definition_of
from surveys.management.arguments import survey_called
from surveys.models import Survey
from surveys.numbers.words import counted
from surveys.questionnaire.asked_question import AskedQuestion
from surveys.questionnaire.definition import Definition
from surveys.questionnaire.document import TEXTS


class Command(BaseCommand):
    help = "Show what respondents read and how their answers are randomized, without any answers."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("code", help="the survey's join code")
        parser.add_argument("--language", help="one of its languages; its own if not given")
        parser.add_argument("--arm", type=int, help="the number of an arm; all questions if not given")

    def handle(self, *args: Any, **options: Any) -> None:
        survey = survey_called(options["code"])
        met = self._met(definition_of(survey), options["language"], options["arm"])
        with translation.override(met.language):
            self.stdout.write("\n".join([*_preamble(survey, met), *map("\n".join, map(_question, met.questions))]))

    def _met(self, definition: Definition, language: str | None, arm: int | None) -> Definition:
        languages = definition.languages or (definition.language,)
        if language is not None and language not in languages:
            raise CommandError(f"--language: this survey is in {', '.join(languages)}, not in {language}.")
        definition = definition.in_language(language or definition.language)
        if arm is None:
            return definition
        try:
            return definition.in_arm(arm)
        except KeyError:
            raise CommandError(f"--arm: this survey has {counted(len(definition.arms), 'arm')}.") from None


def _preamble(survey: Survey, met: Definition) -> Iterator[str]:
    yield f"{met.code}, {survey.state}, {met.language}: ε = {_number(met.epsilon)}"
    yield f"version {met.version}"
    for name in TEXTS:
        if text := getattr(met, name):
            yield f"{name}: {text}"
    yield f"minimum_n: {met.minimum_n}"
    for name in ("server_mode_allowed", "by_invitation", "credit", "random_order"):
        if getattr(met, name):
            yield name
    for arm in met.arms:
        yield f"arm {arm.number}: {arm.name}, weight {arm.weight}"


def _question(question: AskedQuestion) -> Iterator[str]:
    yield ""
    yield f"{question.number}. {question.text}"
    yield f"   {question.kind}, {question.design.name}, ε = {_number(question.epsilon)}"
    yield f"   skipping: {question.leave_out}"
    if question.arms:
        yield f"   arms: {', '.join(map(str, question.arms))}"
    if condition := question.asked_if:
        yield f"   asked if question {condition.question_number} is answered {' or '.join(condition.answers)}"
    for part in (question.answers, question.chance):
        for field in fields(part):
            if value := getattr(part, field.name):
                yield f"   {field.name}: {', '.join(map(str, value)) if isinstance(value, tuple) else value}"
    for item in question.items:
        yield f"   character {item.number + 1} of the reports{f', {item.option}' if item.option else ''}"
    first = question.first
    for report, row in zip(first.report_labels, first.design.matrix, strict=True):
        shares = ", ".join(f"{share} if {label}" for share, label in zip(row, first.labels, strict=True))
        yield f"   reports {report}: {shares}"


def _number(epsilon: float) -> str:
    return "∞" if epsilon == math.inf else f"{epsilon:.4f}"
