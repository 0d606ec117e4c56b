"""Whether as many answers as are expected can tell anything."""

from collections.abc import Iterator

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from surveys.common.numbers import whole
from surveys.selectors.expected import expected_of
from surveys.selectors.linting.finding import Finding, Level
from surveys.selectors.linting.subject import LintedSurvey


def fewer_than_shown(survey: LintedSurvey) -> Iterator[Finding]:
    """Find a survey that will never show a result."""
    if survey.expected_n < survey.minimum_n:
        yield Finding(
            rule="below_minimum",
            level=Level.PROBLEM,
            what=ngettext(
                "With %(n)s answer no result will ever be shown.",
                "With %(n)s answers no result will ever be shown.",
                survey.expected_n,
            )
            % {"n": whole(survey.expected_n)},
            why=_("Results appear from %(minimum)s answers on, so that no few people are talked about.")
            % {"minimum": whole(survey.minimum_n)},
            fix=_("Ask more people, or several classes in one survey with a link for each."),
        )


def too_few(survey: LintedSurvey) -> Iterator[Finding]:
    """Find the questions to which so many answers support no conclusion, and how many would."""
    found: dict[int, list[int]] = {}
    for question in survey.questions:
        if question.asked:
            expected = expected_of(question.asked, n=survey.expected_n, share=survey.expected_share)
            if expected.too_few:
                found.setdefault(expected.least, []).append(question.number)
    if found:
        least = max(found)
        yield Finding(
            rule="too_few",
            level=Level.WARNING,
            numbers=tuple(sorted(number for numbers in found.values() for number in numbers)),
            what=ngettext(
                "With %(n)s answer the result will support no conclusion.",
                "With %(n)s answers the result will support no conclusion.",
                survey.expected_n,
            )
            % {"n": whole(survey.expected_n)},
            why=_(
                "Its interval (95%) is expected to reach more than 25 points, or a quarter of a number’s range, "
                "to either "
                "side: half of all that is possible."
            ),
            fix=_("Ask at least %(least)s people, or send the truth more often, which protects each of them less.")
            % {"least": whole(least)},
        )
