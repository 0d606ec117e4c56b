"""Lists of statements: too few of them, and whom their number gives away."""

from collections.abc import Iterator

from django.utils.translation import gettext as _

from surveys.linting.findings import Level, LintFinding
from surveys.linting.subject import LintedQuestion

_FEW = 3
_GLYNN = "Glynn (2013), What can we learn with statistical truth serum?, Public Opinion Quarterly 77."
_BLAIR_IMAI = "Blair & Imai (2012), Statistical analysis of list experiments, Political Analysis 20."


def few_statements(question: LintedQuestion) -> Iterator[LintFinding]:
    """Find a list with so few statements that many people have none or all of them."""
    if question.counts_options and len(question.options) < _FEW:
        yield LintFinding(
            rule="few_statements",
            level=Level.WARNING,
            what=_("So few statements hide little."),
            why=_("Of two innocuous statements many people have none or both, and then the number tells what is true."),
            fix=_("Take three to five innocuous statements."),
            source=_BLAIR_IMAI,
        )


def none_or_all(question: LintedQuestion) -> Iterator[LintFinding]:
    """Say what makes a list hide: few people who have none of its statements, or all."""
    if not question.counts_options:
        return
    yield LintFinding(
        rule="none_or_all",
        level=Level.HINT,
        what=_("Whoever has all of the statements, or none, gives the sensitive one away."),
        why=_(
            "Their number says it, so they may answer what is not true, and the estimate is too low. Numbers that vary "
            "much make it imprecise besides."
        ),
        fix=_(
            "Put together statements that seldom go together: one that most people have, one that few have, and two of "
            "which hardly anybody has both."
        ),
        source=_GLYNN,
    )
