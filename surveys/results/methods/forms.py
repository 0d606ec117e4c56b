"""Which question's formulas are asked for."""

from dataclasses import dataclass

from django.http import QueryDict
from django.utils.translation import gettext as _

from surveys.models.definition import Definition

MOST_ITEMS = 12
"""So many items' formulas fit on one page; of more, one question is shown at a time."""


@dataclass(frozen=True, slots=True)
class MethodsOptions:
    """The number of one question, or None for all; `notices` say what was asked for and does not exist."""

    question: int | None
    notices: tuple[str, ...]


def parse_methods(query: QueryDict, definition: Definition) -> MethodsOptions:
    """Read `question`; what is unknown becomes the default, with a notice that names it."""
    default = None if len(definition.items) <= MOST_ITEMS else 1
    asked = query.get("question", "")
    if not asked:
        return MethodsOptions(default, ())
    if asked in {str(question.number) for question in definition.questions}:
        return MethodsOptions(int(asked), ())
    return MethodsOptions(
        default, (_("This survey has no question “%(question)s” to show formulas of.") % {"question": asked[:40]},)
    )
