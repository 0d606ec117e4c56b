"""What the instructor's scripts say and know: no script has words of its own, so that all of them are translated."""

from django import template
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from surveys.models.kinds import DESIGNS, DesignName

register = template.Library()

# A number for each plural form that browsers know, to ask gettext for its text.
_COUNTS = {"zero": 0, "one": 1, "two": 2, "few": 3, "many": 1_000_000, "other": 100}


@register.simple_tag
def suitable_designs() -> dict[str, list[str]]:
    """Return the designs that suit each kind of question, the usual one first."""
    return {kind: [name for name in DesignName.values if name in designs] for kind, designs in DESIGNS.items()}


@register.simple_tag
def editor_words() -> dict[str, str]:
    """Return the texts of editor.js; %(name)s stands for what only the browser knows."""
    return {
        "design": _("How chance is added is now: %(design)s."),
    }


@register.simple_tag
def results_words() -> dict[str, str | dict[str, str]]:
    """Return the texts of results.js."""
    return {
        "answers": {form: ngettext("%(count)s answer", "%(count)s answers", count) for form, count in _COUNTS.items()},
        "old": _("The server does not answer: the figures may be old."),
    }
