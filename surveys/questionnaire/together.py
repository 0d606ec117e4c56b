"""What only the questions of a survey together can break."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext

from surveys.questionnaire.arms import ArmsUsed
from surveys.questionnaire.asked_question import items_of
from surveys.questionnaire.branches import BranchesUsed
from surveys.questionnaire.document import Preamble
from surveys.questionnaire.facts import FactsUsed
from surveys.questionnaire.question import Question
from surveys.questionnaire.reports import MAX_ITEMS


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with a field of a question, or of the survey where `number` is 0."""

    number: int  # of the question, from 1
    field: str
    words: str


def faults_together(preamble: Preamble, questions: Sequence[Question | None]) -> Iterator[Fault]:
    """Yield what is wrong with questions each of which can be asked by itself; None stands for one that cannot be."""
    found = [*_faults_of_some(preamble, questions)]
    yield from found
    if not found and None not in questions:
        yield from _faults_of_all(preamble, [question for question in questions if question])


def _faults_of_some(preamble: Preamble, questions: Sequence[Question | None]) -> Iterator[Fault]:
    facts, arms, items = FactsUsed(), ArmsUsed(preamble.arms), 0
    for number, question in enumerate(questions, start=1):
        if question is None:
            continue
        items += len(items_of(question))
        refused = arms.add(question) | facts.used_before(question.details, number, question.quantity)
        yield from (Fault(number, field, words) for field, words in refused.items())
    # The arm is stored with the reports, and takes the room of one.
    if (most := MAX_ITEMS - bool(preamble.arms)) < items:
        words = gettext(
            "A survey can have at most %(most)s items. If several options can be ticked, each option "
            "counts as one item."
        )
        yield Fault(0, "questions", words % {"most": most})


def _faults_of_all(preamble: Preamble, questions: Sequence[Question]) -> Iterator[Fault]:
    """Yield what can only be said where every question is there."""
    arms, branches = ArmsUsed(preamble.arms), BranchesUsed(random_order=preamble.random_order)
    for number, question in enumerate(questions, start=1):
        arms.add(question)
        if words := branches.add(question):
            yield Fault(number, "asked_if", words)
    if questions and (words := arms.without_question()):
        yield Fault(0, "arms", words)
