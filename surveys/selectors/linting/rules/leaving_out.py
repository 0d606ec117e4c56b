"""Leaving a question about harm out where everybody who sees the reports can see that."""

from collections.abc import Iterator

from django.utils.translation import gettext as _

from surveys.models.kinds import LeaveOut
from surveys.selectors.linting.finding import Finding, Level
from surveys.selectors.linting.mends import mend_of
from surveys.selectors.linting.rules.harm import word_of_harm
from surveys.selectors.linting.subject import LintedQuestion
from surveys.selectors.linting.words import as_written


def seen_to_leave_out(question: LintedQuestion) -> Iterator[Finding]:
    """Find a question about harm whose missing answers are stored as such."""
    if question.leave_out != LeaveOut.VISIBLY or (question.asked_with and question.asked_with.in_the_head):
        return
    if word := word_of_harm(question):
        yield Finding(
            rule="seen_to_leave_out",
            level=Level.HINT,
            what=_("It is seen who left this out."),
            why=_(
                "A missing answer is stored as missing, without any chance. To a question like this one it may itself "
                "be read as an answer."
            ),
            fix=_(
                "Protect it: “prefer not to say” then is one more answer that chance hides. That takes the coin and "
                "spinner, and costs some precision."
            ),
            evidence=as_written(question.text, word),
            sets=mend_of("seen_to_leave_out", question.asked_with),
        )
