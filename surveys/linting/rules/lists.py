"""Lists of statements: too few of them, and whom their number gives away."""

from collections.abc import Iterator

from django.utils.translation import gettext as _

from surveys.linting.findings import Level, LintFinding
from surveys.questionnaire.asked_question import AskedQuestion

_FEW = 3
_GLYNN = "Glynn (2013), What can we learn with statistical truth serum?, Public Opinion Quarterly 77."
_BLAIR_IMAI = "Blair & Imai (2012), Statistical analysis of list experiments, Political Analysis 20."


def few_statements(question: AskedQuestion) -> Iterator[LintFinding]:
    """Find a list with so few statements that many people have none or all of them."""
    if question.answers.counts_options and len(question.options) < _FEW:
        yield LintFinding(
            rule="few_statements",
            level=Level.WARNING,
            what=_("This list is too short to hide much."),
            why=_(
                "For many people, none or both of two innocuous statements are true. The number they report "
                "can then reveal the true answer."
            ),
            fix=_("Use three to five innocuous statements."),
            source=_BLAIR_IMAI,
        )


def none_or_all(question: AskedQuestion) -> Iterator[LintFinding]:
    """Say what makes a list hide: few people who have none of its statements, or all."""
    if not question.answers.counts_options:
        return
    yield LintFinding(
        rule="none_or_all",
        level=Level.HINT,
        what=_(
            "If all statements are true for someone, or none are, the number they report reveals the true "
            "answer to the sensitive statement."
        ),
        why=_(
            "Such people may therefore answer untruthfully, and the estimate is then too low. Numbers that "
            "vary widely also make the estimate imprecise."
        ),
        fix=_(
            "Combine statements that are rarely true together: one true for most people, one true for few, and "
            "two that are hardly ever both true."
        ),
        source=_GLYNN,
    )
