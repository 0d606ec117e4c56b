"""What is asked in several arms for the same thing: whether anything can be compared."""

from collections.abc import Iterator

from django.utils.translation import gettext as _

from surveys.linting.findings import Level, LintFinding
from surveys.linting.subject import LintedSurvey
from surveys.questionnaire.asked_question import AskedQuestion


def compared_with_nothing(survey: LintedSurvey) -> Iterator[LintFinding]:
    """Find questions that ask for the same as others, with none of which results compare them."""
    asked = [each for each in survey.asked if each.quantity]
    # A list is compared with the longer one: that is asked when the survey opens.
    asked = [each for each in asked if not each.answers.counts_options]
    alone = [each for each in asked if _others(each, asked) and not any(_alike(each, o) for o in _others(each, asked))]
    if alone:
        yield LintFinding(
            rule="compared_with_nothing",
            level=Level.WARNING,
            numbers=tuple(each.number for each in alone),
            what=_(
                "This question measures the same thing as a question in another arm, but the two will not be compared."
            ),
            why=_(
                "Results compare the share of one answer between arms, so both questions need the same answers "
                "in the same order. Questions with several options at once, and means of numbers, are never "
                "compared."
            ),
            fix=_("Give both questions the same answers, or have them measure different things."),
        )


def _others(question: AskedQuestion, asked: list[AskedQuestion]) -> list[AskedQuestion]:
    return [each for each in asked if each is not question and each.quantity == question.quantity]


def _alike(question: AskedQuestion, other: AskedQuestion) -> bool:
    return (
        question.first.labels == other.first.labels
        and len(question.items) == len(other.items) == 1
        and not question.first.range
        and not other.first.range
    )
