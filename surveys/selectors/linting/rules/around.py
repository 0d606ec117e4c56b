"""What stands around the questions: an introduction, a consent text, where to find support."""

from collections.abc import Iterator

from django.utils.translation import gettext as _

from surveys.selectors.linting.finding import Finding, Level
from surveys.selectors.linting.rules.harm import word_of_harm
from surveys.selectors.linting.subject import LintedSurvey


def no_introduction(survey: LintedSurvey) -> Iterator[Finding]:
    """Find a survey that does not say what it is about."""
    if not survey.introduction.strip():
        yield Finding(
            rule="no_introduction",
            level=Level.HINT,
            what=_("There is no introduction."),
            why=_("People answer a sensitive question more readily when they know who asks, and what for."),
            fix=_("Say in two sentences what it is about, why you ask and what becomes of the result."),
        )


def no_consent(survey: LintedSurvey) -> Iterator[Finding]:
    """Find a survey without a consent text."""
    if not survey.consent.strip():
        yield Finding(
            rule="no_consent",
            level=Level.HINT,
            what=_("There is no consent text."),
            why=_("Ethics boards and schools mostly want one: that taking part is voluntary, and whom to turn to."),
            fix=_("Write it under “consent”. What is stored and how chance protects it the pages say themselves."),
        )


def no_support(survey: LintedSurvey) -> Iterator[Finding]:
    """Find questions about harm in a survey that does not say where help is."""
    if survey.support.strip():
        return
    words = {question.number: word for question in survey.questions if (word := word_of_harm(question))}
    if words:
        yield Finding(
            rule="no_support",
            level=Level.WARNING,
            what=_("It asks about harm and names no support."),
            why=_("Such questions stir up memories. Some of those who answer need somebody to turn to, right then."),
            fix=_(
                "Name people, a counselling service or a helpline under “where to find support”; the receipt shows it."
            ),
            evidence=", ".join(dict.fromkeys(words.values())),
            numbers=tuple(words),
        )
