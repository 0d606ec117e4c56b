"""All designs that a question can be asked with, by their stored names."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from surveys.privacy.designs import families
from surveys.privacy.designs import register as register_matrices
from surveys.privacy.designs import unregister as unregister_matrices
from surveys.questionnaire.designs.chance import Chance
from surveys.questionnaire.designs.crosswise import Crosswise
from surveys.questionnaire.designs.forced_response import ForcedResponse
from surveys.questionnaire.designs.k_ary import KAry
from surveys.questionnaire.designs.kuk import Kuk
from surveys.questionnaire.designs.mangat import Mangat
from surveys.questionnaire.designs.number_window import NumberWindow
from surveys.questionnaire.designs.plain import Plain
from surveys.questionnaire.designs.scrambled_number import ScrambledNumber
from surveys.questionnaire.designs.triangular import Triangular
from surveys.questionnaire.designs.unrelated_number import UnrelatedNumber
from surveys.questionnaire.designs.unrelated_question import UnrelatedQuestion
from surveys.questionnaire.designs.warner import Warner

USUAL: Chance = ForcedResponse()
"""What a question of two answers begins with."""
USUAL_FOR_MANY: Chance = KAry()
"""What a question of more answers begins with, and what can hide that somebody would not say."""
NO_CHANCE: Chance = Plain()
"""The design of unprotected questions."""

_ONLY_COMPARED = {
    "optimized_unary": _("One bit per option, optimized (OUE)"),
    "symmetric_unary": _("One bit per option, symmetric (SUE)"),
}
_DESIGNS: dict[str, Chance] = {}


def register(design: Chance) -> None:
    """Make a design known, and its matrices where they are not yet; raises ValueError where its name is taken."""
    if design.name in _DESIGNS:
        raise ValueError(f"there is a design named {design.name!r} already")
    if design.matrices not in families():
        register_matrices(design.matrices)
    _DESIGNS[str(design.name)] = design


def unregister(name: str) -> None:
    """Forget a design and its matrices."""
    unregister_matrices(_DESIGNS.pop(name).matrices)


for _design in (
    USUAL,
    Warner(),
    USUAL_FOR_MANY,
    UnrelatedQuestion(),
    Crosswise(),
    Triangular(),
    Kuk(),
    Mangat(),
    NumberWindow(),
    ScrambledNumber(),
    UnrelatedNumber(),
    NO_CHANCE,
):
    register(_design)


def every() -> tuple[Chance, ...]:
    """Return all designs, in the order in which a survey owner chooses from them."""
    return tuple(_DESIGNS.values())


def find(name: object) -> Chance | None:
    """Return the design of this name, or None where there is none."""
    return _DESIGNS.get(name) if isinstance(name, str) else None


def named(name: str) -> Chance:
    """Return the design of this name; raises ValueError where there is none."""
    if (design := find(name)) is None:
        raise ValueError(f"there is no design named {name!r}, only {', '.join(_DESIGNS)}")
    return design


def label_of(name: str) -> Promise | str:
    """Return how people call a design, also one that is only compared with the others."""
    return _ONLY_COMPARED[name] if name in _ONLY_COMPARED else named(name).label


def choices() -> list[tuple[str, Promise | str]]:
    """Return names and labels, for a field."""
    return [(str(design.name), design.label) for design in every()]
