"""What is said of lessons and of what phones found in them."""

from collections.abc import Sequence
from typing import Any

from django import template
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from surveys.learn.forms import Pick, Slider
from surveys.learn.page import LabPage, Numbers
from surveys.lessons.selectors import LessonStep
from surveys.numbers.words import localized, whole_number

register = template.Library()


def findings_words(page: LabPage, found: Sequence[float], drawn: Numbers) -> str:
    """Say from where to where the phones' findings reach, and what is true, as one of the draws (`drawn`) has it."""
    n, low, high = len(found), page.write(min(found)), page.write(max(found))
    values = {"n": whole_number(n), "low": low, "high": high}
    if low == high:
        title = ngettext("%(n)s phone found %(low)s", "All %(n)s phones found %(low)s", n) % values
    else:
        title = ngettext("%(n)s phone found %(low)s to %(high)s", "%(n)s phones found %(low)s to %(high)s", n) % values
    if not page.aim:
        return title
    return _("%(found)s, and the true value is %(aim)s") % {
        "found": title,
        "aim": page.write(float(drawn[page.aim])),
    }


@register.filter
def step_words(step: LessonStep) -> str:
    return step.title or _("Step unavailable because its question or page no longer exists")


@register.filter
def controls_words(step: LessonStep) -> str:
    """Say what a page of the lab begins with."""
    if step.page is None:
        return ""
    return " · ".join(
        f"{field.label}: {_written(field, step.values[name])}" for name, field in step.page.controls.items()
    )


def _written(field: Slider | Pick, value: Any) -> str:  # noqa: ANN401 - what the field cleans to
    if isinstance(field, Slider):
        return f"{localized(value)}{field.unit}"
    return str(next(label for name, label in field.widget.choices if name == value))
