"""All designs that a question can be asked with, by their stored names."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from surveys.models.designs.crosswise import Crosswise
from surveys.models.designs.forced_response import ForcedResponse
from surveys.models.designs.k_ary import KAry
from surveys.models.designs.kuk import Kuk
from surveys.models.designs.mangat import Mangat
from surveys.models.designs.number_window import NumberWindow
from surveys.models.designs.plain import Plain
from surveys.models.designs.scrambled_number import ScrambledNumber
from surveys.models.designs.technique import Technique
from surveys.models.designs.triangular import Triangular
from surveys.models.designs.unrelated_number import UnrelatedNumber
from surveys.models.designs.unrelated_question import UnrelatedQuestion
from surveys.models.designs.warner import Warner
from surveys.privacy.designs import families
from surveys.privacy.designs import register as register_matrices
from surveys.privacy.designs import unregister as unregister_matrices

USUAL: Technique = ForcedResponse()
"""What a question of two answers begins with."""
USUAL_FOR_MANY: Technique = KAry()
"""What a question of more answers begins with, and what can hide that somebody would not say."""
NO_CHANCE: Technique = Plain()
"""What is asked without chance."""

_ONLY_COMPARED = {
    "optimized_unary": _("One bit per option, optimized (OUE)"),
    "symmetric_unary": _("One bit per option, symmetric (SUE)"),
}
_TECHNIQUES: dict[str, Technique] = {}


def register(technique: Technique) -> None:
    """Make a design known, and its matrices where they are not yet; raises ValueError where its name is taken."""
    if technique.name in _TECHNIQUES:
        raise ValueError(f"there is a design named {technique.name!r} already")
    if technique.matrices not in families():
        register_matrices(technique.matrices)
    _TECHNIQUES[str(technique.name)] = technique


def unregister(name: str) -> None:
    """Forget a design and its matrices."""
    unregister_matrices(_TECHNIQUES.pop(name).matrices)


for _technique in (
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
    register(_technique)


def every() -> tuple[Technique, ...]:
    """Return all designs, in the order in which an author chooses from them."""
    return tuple(_TECHNIQUES.values())


def find(name: object) -> Technique | None:
    """Return the design of this name, or None where there is none."""
    return _TECHNIQUES.get(name) if isinstance(name, str) else None


def named(name: str) -> Technique:
    """Return the design of this name; raises ValueError where there is none."""
    if (technique := find(name)) is None:
        raise ValueError(f"there is no design named {name!r}, only {', '.join(_TECHNIQUES)}")
    return technique


def label_of(name: str) -> Promise | str:
    """Return how people call a design, also one that is only compared with the others."""
    return _ONLY_COMPARED[name] if name in _ONLY_COMPARED else named(name).label


def choices() -> list[tuple[str, Promise | str]]:
    """Return names and labels, for a field."""
    return [(str(technique.name), technique.label) for technique in every()]
