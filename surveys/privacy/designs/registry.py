"""The one way from what a survey stores to a design."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import lru_cache

from surveys.privacy.designs.design import Design, Parameter, from_matrix
from surveys.privacy.designs.family import ROWS, DesignFamily
from surveys.privacy.designs.grid import NUMBER_WINDOW, GridMean
from surveys.privacy.designs.innocuous import CROSSWISE, TRIANGULAR, UNRELATED_QUESTION
from surveys.privacy.designs.k_ary import K_ARY
from surveys.privacy.designs.kuk import KUK
from surveys.privacy.designs.plain import PLAIN
from surveys.privacy.designs.scrambling import SCRAMBLED_NUMBER
from surveys.privacy.designs.two_answer import FORCED_RESPONSE, MANGAT, WARNER
from surveys.privacy.designs.unary import UNARY
from surveys.privacy.designs.unrelated_number import UNRELATED_NUMBER
from surveys.privacy.rationals import exact

_MATRIX = DesignFamily("matrix", from_matrix, {"rows": ROWS})
_FAMILIES: dict[str, DesignFamily] = {}
_REMEMBERED = 64


def register(family: DesignFamily) -> None:
    """Let a family be found by its name."""
    if family.name in _FAMILIES:
        raise ValueError(f"there is a design named {family.name!r} already")
    _FAMILIES[family.name] = family


def unregister(family: DesignFamily) -> None:
    """Undo that."""
    del _FAMILIES[family.name]


def families() -> tuple[DesignFamily, ...]:
    """Return all families, in the order in which they are compared."""
    return tuple(_FAMILIES.values())


def family_of(name: str) -> DesignFamily:
    """Return the family of this name; ValueError where there is none."""
    if not isinstance(name, str) or name not in _FAMILIES:
        raise ValueError(f"there is no design named {name!r}, only {', '.join(_FAMILIES)}")
    return _FAMILIES[name]


def named(name: str, k: int, parameters: Mapping[str, object]) -> Design:
    """Rebuild a design from its stored name, number of true answers and parameters.

    Parameters
    ----------
    name : str
        The name of a family.
    k : int
        The number of true answers the question has.
    parameters : mapping
        Integer pairs by name, e.g. ``{"truth": [1, 2], "yes": [1, 2]}``; ``weights`` is a list of pairs,
        ``rows`` a list of lists of pairs, ``draws`` an integer.

    Returns
    -------
    Design
        The same as was stored.

    Raises
    ------
    ValueError
        Naming the parameter that is unknown, missing or wrong.

    Examples
    --------
    >>> from surveys.privacy import named, warner
    >>> named("warner", 2, {"p": [3, 4]}) == warner("3/4")
    True
    """
    return family_of(name).read(k, parameters)


def probability_of(design: Design) -> tuple[str, Fraction] | None:
    """Return the name and the value of the probability that a device can be set to; None where a fact stands for it."""
    family = family_of(design.name)
    value = dict(design.exact_parameters).get(family.turned_by)
    if family.turned_by in family.facts or not isinstance(value, Fraction):
        return None
    return family.turned_by, value


def grid_of(design: Design, low: object, high: object) -> GridMean | None:
    """Return a design with the values that its true answers and reports stand for between two limits.

    None where its reports stand for answers.

    Parameters
    ----------
    design : Design
        A window, scrambling, or an unrelated number.
    low, high : exact numbers
        The limits of the numbers.

    Returns
    -------
    GridMean or None
        None where its reports stand for answers.

    Raises
    ------
    ValueError
        If the limits are not exact, or low is not below high.

    Examples
    --------
    >>> from surveys.privacy import grid_of, number_window
    >>> grid = grid_of(number_window(3, "1/2", window=2), 0, 10)
    >>> [str(value) for value in grid.truths]
    ['0', '5', '10']
    """
    family = _FAMILIES.get(design.name)
    if family is None or family.grid is None:
        return None
    limits = exact(low, "low"), exact(high, "high")
    return _with_values(family.grid, family, design.k, design.exact_parameters, limits)


@lru_cache(maxsize=_REMEMBERED)
def _with_values(
    make: Callable[[Design, object, object], GridMean],
    family: DesignFamily,
    k: int,
    parameters: tuple[tuple[str, Parameter], ...],
    limits: tuple[Fraction, Fraction],
) -> GridMean:
    """Return the same, kept for further calls: a page asks once per report."""
    return make(family.design(k, dict(parameters)), *limits)


for _family in (
    WARNER,
    FORCED_RESPONSE,
    MANGAT,
    UNRELATED_QUESTION,
    CROSSWISE,
    TRIANGULAR,
    KUK,
    K_ARY,
    UNARY,
    NUMBER_WINDOW,
    SCRAMBLED_NUMBER,
    UNRELATED_NUMBER,
    PLAIN,
    _MATRIX,
):
    register(_family)
