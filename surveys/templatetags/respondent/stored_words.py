"""What the parts of a stored draw are called, and how they are written."""

from collections.abc import Mapping

from django import template
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

register = template.Library()

NAMES: Mapping[str, Promise] = {
    "noisy_counts": _("Noisy counts"),
    "index": _("Place of the answer, from 0"),
    "label": _("Answer"),
    "indices": _("Places of the answers, from 0"),
    "labels": _("Answers"),
    "price": _("Price"),
    "count": _("Noisy count"),
    "total": _("Noisy total"),
    "mean": _("Mean"),
    "squares": _("Noisy total of squares"),
    "variance": _("Variance"),
    "low": _("Lowest band, from 0"),
    "high": _("Highest band, from 0"),
    "certainty": _("Certainty reached"),
    "value": _("Value"),
    "distance": _("Reports that keep it in place, drawn with noise"),
}


@register.filter
def stored_name(name: str) -> str:
    """Return what a part of a draw is called."""
    return str(NAMES.get(name, name))


@register.filter
def stored_value(value: object) -> str:
    """Write a stored value exactly; a dash stands for what was refused."""
    if value is None:
        return "–"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
