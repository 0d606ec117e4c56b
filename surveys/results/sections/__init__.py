"""Designs: what each adds to the pages of results. Nothing else names one."""

from collections.abc import Callable

from surveys.questionnaire.asked_question import Item
from surveys.results.figures.questions import QuestionResult
from surveys.results.report import Report
from surveys.results.sections import adherence, arms, forged, lists, two_arms
from surveys.results.sections.section import Section, Summary

# In the order in which they stand on the page.
OF_A_QUESTION: list[Callable[[Report, QuestionResult], Section | None]] = [
    lists.section,
    arms.section,
    two_arms.section,
    adherence.section,
    forged.section,
]
OF_A_SURVEY: list[Callable[[Report], Summary | None]] = [lists.summary, arms.summary]
OF_A_PAIR: list[Callable[[Report, Item, Item], Section | None]] = [adherence.of_a_pair]
