"""The one way from what a survey stores to a design."""

from collections.abc import Callable, Mapping
from fractions import Fraction

from surveys.privacy.designs.design import Design, from_matrix
from surveys.privacy.designs.k_ary import k_ary
from surveys.privacy.designs.two_answer import forced_response, warner

# For each name: what builds it, how deeply each parameter nests (0 is one integer pair), and what may be left out.
_DESIGNS: dict[str, tuple[Callable[..., Design], dict[str, int], frozenset[str]]] = {
    "forced_response": (lambda _k, **given: forced_response(**given), {"truth": 0, "yes": 0}, frozenset()),
    "warner": (lambda _k, **given: warner(**given), {"p": 0}, frozenset()),
    "k_ary": (k_ary, {"truth": 0, "weights": 1}, frozenset({"weights"})),
    "matrix": (lambda _k, **given: from_matrix(**given), {"rows": 2}, frozenset()),
}
_SHAPES = ("an integer pair", "a list of integer pairs", "a list of lists of integer pairs")


def named(name: str, k: int, parameters: Mapping[str, object]) -> Design:
    """Rebuild a design from its stored name, number of truths and parameters.

    Parameters
    ----------
    name : str
        ``"forced_response"``, ``"warner"``, ``"k_ary"`` or ``"matrix"``.
    k : int
        The number of true answers the question has.
    parameters : mapping
        Integer pairs by name, e.g. ``{"truth": [1, 2], "yes": [1, 2]}``; ``weights`` is a list of pairs,
        ``rows`` a list of lists of pairs.

    Raises
    ------
    ValueError
        Naming the parameter that is unknown, missing or wrong.
    """
    if name not in _DESIGNS:
        raise ValueError(f"there is no design named {name!r}, only {', '.join(_DESIGNS)}")
    build, depths, optional = _DESIGNS[name]
    if not isinstance(parameters, Mapping):
        raise ValueError(f"parameters must be a mapping from names to integer pairs, got {parameters!r}")  # noqa: TRY004 - one kind of error for all wrong parameters
    for parameter in parameters:
        if parameter not in depths:
            raise ValueError(f"the design {name} has no parameter {parameter!r}")
    for parameter in depths:
        if parameter not in parameters and parameter not in optional:
            raise ValueError(f"the design {name} needs the parameter {parameter!r}")
    values = {parameter: _from_pairs(value, parameter, depths[parameter]) for parameter, value in parameters.items()}
    design = build(k, **values)
    if design.k != k:
        raise ValueError(f"the design {name} is for {design.k} answers, k is {k!r}")
    return design


def _from_pairs(value: object, name: str, depth: int) -> object:
    """Turn (lists of) integer pairs into (lists of) Fractions."""
    if not isinstance(value, list | tuple):
        raise ValueError(f"{name} must be {_SHAPES[depth]}, got {value!r}")  # noqa: TRY004 - one kind of error for all wrong parameters
    if depth:
        return [_from_pairs(entry, name, depth - 1) for entry in value]
    if len(value) != 2 or any(type(part) is not int for part in value) or not value[1] > 0:
        raise ValueError(f"{name} must hold integer pairs [numerator, denominator > 0], got {value!r}")
    return Fraction(*value)
