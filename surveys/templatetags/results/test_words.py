"""Tests in words: p-values and statistics as pages write them."""

from django import template
from django.utils.translation import gettext as _

from surveys.templatetags.figures import decimal

register = template.Library()

_SMALLEST = 0.001


@register.filter
def p_value(p: float | None) -> str:
    """0.031, or < 0.001, for a table; a dash where there is none."""
    if p is None:
        return "–"
    return _("< %(number)s") % {"number": decimal(_SMALLEST, 3)} if p < _SMALLEST else decimal(p, 3)


def p_words(p: float) -> str:
    """Write a p-value in a sentence: p = 0.031, or p < 0.001."""
    if p < _SMALLEST:
        return _("p < %(number)s") % {"number": decimal(_SMALLEST, 3)}
    return _("p = %(number)s") % {"number": decimal(p, 3)}
