"""All kinds of questions, by their stored names."""

from collections.abc import Mapping
from typing import Any

from django.core.exceptions import ValidationError
from django.utils.functional import Promise
from django.utils.translation import gettext

from surveys.questionnaire import designs
from surveys.questionnaire.kinds.checks import check_text
from surveys.questionnaire.kinds.item_count import ItemCount
from surveys.questionnaire.kinds.kind import Answers, Detail, Figures, LeaveOut, Typed
from surveys.questionnaire.kinds.number_bands import NumberBands
from surveys.questionnaire.kinds.number_mean import NumberMean
from surveys.questionnaire.kinds.one_of import OneOf
from surveys.questionnaire.kinds.scale import Scale
from surveys.questionnaire.kinds.several_of import SeveralOf
from surveys.questionnaire.kinds.yes_no import YesNo

_KINDS: dict[str, Answers] = {}


def register(kind: Answers) -> None:
    """Make a kind known; raises ValueError where its name is taken."""
    if kind.name in _KINDS:
        raise ValueError(f"there is a kind named {kind.name!r} already")
    _KINDS[str(kind.name)] = kind


def unregister(name: str) -> None:
    """Forget a kind."""
    del _KINDS[name]


YES_OR_NO: Answers = YesNo()
"""What a question begins with."""
ONE_OF_LIST: Answers = OneOf()
"""What merged answers are shown as."""

for _kind in (YES_OR_NO, ONE_OF_LIST, SeveralOf(), Scale(), NumberMean(), NumberBands(), ItemCount()):
    register(_kind)


def every() -> tuple[Answers, ...]:
    """Return all kinds, in the order in which a survey owner chooses from them."""
    return tuple(_KINDS.values())


def find(name: object) -> Answers | None:
    """Return the kind of this name, or None where there is none."""
    return _KINDS.get(name) if isinstance(name, str) else None


def named(name: str) -> Answers:
    """Return the kind of this name; raises ValueError where there is none."""
    if (kind := find(name)) is None:
        raise ValueError(f"there is no kind named {name!r}, only {', '.join(_KINDS)}")
    return kind


def traits_of(name: str, design: str) -> Answers:
    """Return what a kind says of itself when it is asked with a design; raises ValueError for a name that is none."""
    return named(name).asked_with(designs.find(design))


def choices() -> list[tuple[str, Promise | str]]:
    """Return names and labels, for a field."""
    return [(str(kind.name), kind.label) for kind in every()]


def all_details() -> tuple[Detail, ...]:
    """Return the details of all kinds; one that several share comes after the other details of each."""
    details: dict[str, Detail] = {}
    for detail in (detail for kind in every() for detail in kind.details):
        details.pop(detail.name, None)
        details[detail.name] = detail
    return tuple(details.values())


def suitable_designs(name: str, leave_out: str = LeaveOut.NO) -> tuple[str, ...]:
    """Return the names of the designs that a kind can be asked with, the usual one first."""
    kind = find(name)
    if kind is None:
        return ()
    hidden = leave_out == LeaveOut.PROTECTED
    suitable = (
        design
        for design in designs.every()
        if kind.suits(design)
        and (kind.figures is Figures.MEAN or not design.for_numbers)
        and (not hidden or (design.hides_leaving_out and kind.hides_leaving_out))
    )
    # Where one answer is true, what asks for all of them at once comes first.
    return tuple(str(design.name) for design in sorted(suitable, key=lambda design: kind.asked_with(design).one_true))


def details_of(kind: str, design: str) -> tuple[str, ...]:
    """Return the names of what `Question.details` holds for this kind and design, in the order of the editor."""
    of_kind = tuple(detail.name for detail in known.details) if (known := find(kind)) else ()
    return of_kind + (tuple(by.details) if (by := designs.find(design)) else ())


def check_details(name: str, design: str, details: Any) -> None:  # noqa: ANN401 - whatever stands in the JSON column
    """Refuse details that are missing, wrong or not of this kind and design, naming each."""
    kind, by = named(name), designs.named(design)
    if not isinstance(details, Mapping):
        raise ValidationError({"details": gettext("The question’s details must be an object.")})
    if unknown := details.keys() - details_of(name, design):
        raise ValidationError(
            {
                "details": gettext("Remove what this kind of question does not use: %(names)s.")
                % {"names": ", ".join(sorted(unknown))}
            }
        )
    lines = {detail.name: detail for detail in kind.details if detail.typed is Typed.LINE}
    for line in sorted(lines.keys() | by.details.keys()):
        if line in lines:
            check_text(line, details.get(line), lines[line].longest, may_be_empty=lines[line].may_be_empty)
        else:
            check_text(line, details.get(line), by.details[line], may_be_empty=line in by.may_be_empty)
    by.check_details(details)
    kind.check_details(details)
