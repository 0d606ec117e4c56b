"""What the instructor's scripts say and know: no script has words of its own, so that all of them are translated."""

from django import template
from django.forms import BaseForm, BoundField
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from surveys.models import designs, kinds
from surveys.models.kinds import LeaveOut, QuestionKind

register = template.Library()

# A number for each plural form that browsers know, to ask gettext for its text.
_COUNTS = {"zero": 0, "one": 1, "two": 2, "few": 3, "many": 1_000_000, "other": 100}


@register.simple_tag
def suitable_designs() -> dict[str, dict[str, list[str]]]:
    """Return the designs that suit each kind of question and way of leaving it out, the usual one first."""
    return {
        str(kind.name): {way: list(kinds.suitable_designs(kind.name, way)) for way in LeaveOut.values}
        for kind in kinds.every()
    }


@register.simple_tag
def kind_parts() -> list[tuple[str, QuestionKind]]:
    """Return the parts of a question's form that describe its kind, each with the first kind that has it."""
    parts: dict[str, QuestionKind] = {}
    for kind in kinds.every():
        if kind.field_names:
            parts.setdefault(kind.editor_part or kind.name, kind)
    return [(kind.editor_part or "editor/kinds/_details.html", kind) for kind in parts.values()]


@register.filter
def kinds_with(name: str) -> str:
    """Return the kinds whose author writes in the field of this name, as `data-needs` has them."""
    return " ".join(kind.name for kind in kinds.every() if name in kind.field_names)


@register.filter
def designs_with(name: str) -> str:
    """Return the designs that need the field of this name, likewise."""
    return " ".join(design.name for design in designs.every() if name in design.fields)


@register.simple_tag
def acceptance() -> str:
    """Return the heading under which its author accepts that a report proves something."""
    return " ".join(str(design.acceptance) for design in designs.every() if design.always_proves)


@register.filter
def fields_of(form: BaseForm, kind: QuestionKind) -> list[BoundField]:
    """Return the fields in which the author of this kind writes."""
    return [form[name] for name in form.fields if name in kind.field_names]


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
