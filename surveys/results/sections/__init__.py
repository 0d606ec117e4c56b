"""Techniques: what each adds to the pages of results. Nothing else names one."""

from collections.abc import Callable

from surveys.models.asked_question import Item
from surveys.results.figures.questions import QuestionResult
from surveys.results.report import Report
from surveys.results.sections import adherence, anchor, arms, forged, lists, two_arms
from surveys.results.sections.section import Section, Summary

# In the order in which they stand on the page.
OF_A_QUESTION: list[Callable[[Report, QuestionResult], Section | None]] = [
    lists.section,
    arms.section,
    two_arms.section,
    anchor.section,
    adherence.section,
    forged.section,
]
OF_A_SURVEY: list[Callable[[Report], Summary | None]] = [lists.summary, arms.summary]
OF_A_PAIR: list[Callable[[Report, Item, Item], Section | None]] = [adherence.of_a_pair]


def sections_of(report: Report, result: QuestionResult) -> list[Section]:
    """Return what techniques say of a question."""
    return [section for found in OF_A_QUESTION if (section := found(report, result))]


def summaries_of(report: Report) -> list[Summary]:
    """Return what techniques say of a whole survey."""
    return [summary for found in OF_A_SURVEY if (summary := found(report))]


def sections_of_pair(report: Report, a: Item, b: Item) -> list[Section]:
    """Return what techniques say beside the relation of two items."""
    return [section for found in OF_A_PAIR if (section := found(report, a, b))]
