"""Where in a survey a finding of the linter is."""

from django import template
from django.utils.translation import gettext as _

from surveys.linting.findings import LintFinding
from surveys.numbers.words import spans

register = template.Library()


@register.filter
def where(finding: LintFinding) -> str:
    """Name the questions that a finding is about."""
    if not finding.numbers:
        return ""
    if len(finding.numbers) == 1:
        return _("Question %(number)s.") % {"number": finding.numbers[0]}
    return _("Questions %(numbers)s.") % {"numbers": spans(finding.numbers)}
