"""The one way from what a survey stores to a design."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from surveys.privacy.designs.design import Design, from_matrix
from surveys.privacy.designs.innocuous import crosswise, triangular, unrelated_question
from surveys.privacy.designs.k_ary import k_ary
from surveys.privacy.designs.kuk import kuk
from surveys.privacy.designs.two_answer import forced_response, mangat, warner
from surveys.privacy.designs.unary import UnaryDesign
from surveys.privacy.rationals import shown, whole_number

# How a parameter is stored.
_INTEGER, _PAIR, _PAIRS, _ROWS = (
    "an integer",
    "an integer pair",
    "a list of integer pairs",
    "a list of lists of integer pairs",
)
_INSIDE = {_PAIRS: _PAIR, _ROWS: _PAIRS}


@dataclass(frozen=True, slots=True)
class _Entry:
    """What builds a design, how each of its parameters is stored, and which may be left out."""

    build: Callable[..., Design]
    stored: dict[str, str]
    optional: frozenset[str] = frozenset()
    for_any_k: bool = False


_DESIGNS = {
    "forced_response": _Entry(forced_response, {"truth": _PAIR, "yes": _PAIR}),
    "warner": _Entry(warner, {"p": _PAIR}),
    "mangat": _Entry(mangat, {"p": _PAIR}),
    "unrelated_question": _Entry(unrelated_question, {"p": _PAIR, "q": _PAIR}),
    "crosswise": _Entry(crosswise, {"p": _PAIR}),
    "triangular": _Entry(triangular, {"p": _PAIR}),
    "kuk": _Entry(kuk, {"p1": _PAIR, "p2": _PAIR, "draws": _INTEGER}),
    "k_ary": _Entry(k_ary, {"truth": _PAIR, "weights": _PAIRS}, frozenset({"weights"}), for_any_k=True),
    "unary": _Entry(lambda k, p, q: UnaryDesign(k, p, q).design, {"p": _PAIR, "q": _PAIR}, for_any_k=True),
    "matrix": _Entry(from_matrix, {"rows": _ROWS}),
}


def named(name: str, k: int, parameters: Mapping[str, object]) -> Design:
    """Rebuild a design from its stored name, number of truths and parameters.

    Parameters
    ----------
    name : str
        The name of a constructor in this package, or ``"matrix"``.
    k : int
        The number of true answers the question has.
    parameters : mapping
        Integer pairs by name, e.g. ``{"truth": [1, 2], "yes": [1, 2]}``; ``weights`` is a list of pairs,
        ``rows`` a list of lists of pairs, ``draws`` an integer.

    Raises
    ------
    ValueError
        Naming the parameter that is unknown, missing or wrong.
    """
    if not isinstance(name, str) or name not in _DESIGNS:
        raise ValueError(f"there is no design named {name!r}, only {', '.join(_DESIGNS)}")
    entry, k = _DESIGNS[name], whole_number(k, "k", 2)
    if not isinstance(parameters, Mapping):
        raise ValueError(f"parameters must be a mapping from names to integer pairs, got {parameters!r}")  # noqa: TRY004 - one kind of error for all wrong parameters
    for parameter in parameters:
        if parameter not in entry.stored:
            raise ValueError(f"the design {name} has no parameter {parameter!r}")
    for parameter in entry.stored:
        if parameter not in parameters and parameter not in entry.optional:
            raise ValueError(f"the design {name} needs the parameter {parameter!r}")
    values = {parameter: _read(value, parameter, entry.stored[parameter]) for parameter, value in parameters.items()}
    design = entry.build(k, **values) if entry.for_any_k else entry.build(**values)
    if design.k != k:
        raise ValueError(f"the design {name} is for {design.k} answers, k is {k}")
    return design


def _read(value: object, name: str, shape: str) -> object:
    """Turn (lists of) integer pairs into (lists of) Fractions."""
    if type(value) is int and shape == _INTEGER:
        return value
    if not isinstance(value, list | tuple) or shape == _INTEGER:
        raise ValueError(f"{name} must be {shape}, got {shown(value)}")
    if shape in _INSIDE:
        return [_read(inner, name, _INSIDE[shape]) for inner in value]
    if len(value) != 2 or any(type(part) is not int for part in value) or not value[1] > 0:
        raise ValueError(f"{name} must hold integer pairs [numerator, denominator > 0], got {shown(value)}")
    return Fraction(*value)
