"""The probabilities that a dial can be turned to, and what each of them promises."""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import cast

from surveys.models.definition import Item
from surveys.models.kinds import LARGEST_DENOMINATOR, DesignName
from surveys.models.question import LARGEST_EPSILON
from surveys.privacy.designs import Design, crosswise, forced_response, k_ary, unrelated_question, warner
from surveys.privacy.designs.at_epsilon import probability_of

_PARTS = 20
_HALF = Fraction(1, 2)
_REMEMBERED = 64
_MONTHS = tuple(Fraction(months, 12) for months in range(5, 0, -1))
_DIGITS = tuple(Fraction(digits, 10) for digits in range(1, 10))


@dataclass(frozen=True, slots=True)
class Step:
    """One probability, and the item as it would be then."""

    probability: Fraction
    item: Item
    is_now: bool


def steps_of(item: Item) -> tuple[Step, ...]:
    """Return the twentieths that a device could be set to, and the probability that it is set to, in their order.

    The last is the least private one; () where a fact that nobody can choose stands for chance, and where no twentieth
    would do.
    """
    found = probability_of(item.design)
    if found is None:
        return ()
    now = found[1]
    # Warner's statement and its opposite change places at 1/2, where reports tell nothing.
    below = item.design.name == DesignName.WARNER and now < _HALF
    designs = {now: item.design, **dict(_designs(item.design.name, item.design.k, _chance(item.design), below))}
    return tuple(
        Step(probability, replace(item, design=designs[probability]), probability == now)
        for probability in sorted(designs, reverse=below)
    )


def facts_of(item: Item) -> tuple[Step, ...]:
    """Return the shares that facts which are easy to find have, and the item as it would be with such a fact.

    For the crosswise question whole months of birth, less than half a year; for an unrelated one last digits, which
    decide who answers which. () for designs whose chance no fact, or no finite ε, comes from.
    """
    parameters = dict(item.design.exact_parameters)
    if item.design.name == DesignName.CROSSWISE:
        designs = {share: crosswise(share) for share in _MONTHS}
    elif item.design.name == DesignName.UNRELATED_QUESTION:
        designs = {share: unrelated_question(share, parameters["q"]) for share in _DIGITS}
    else:
        return ()
    return tuple(
        Step(share, replace(item, design=design), share == parameters["p"])
        for share, design in designs.items()
        if design.epsilon <= LARGEST_EPSILON
    )


@lru_cache(maxsize=_REMEMBERED)
def _designs(name: str, k: int, chance: tuple[Fraction, ...], below: bool) -> tuple[tuple[Fraction, Design], ...]:
    twentieths = [Fraction(part, _PARTS) for part in range(1, _PARTS)]
    if name == DesignName.WARNER:
        twentieths = [part for part in twentieths if part != _HALF and (part < _HALF) is below]
    made = ((part, _design(name, k, part, chance)) for part in twentieths)
    return tuple(
        (part, design)
        for part, design in made
        if design.epsilon <= LARGEST_EPSILON and design.denominator <= LARGEST_DENOMINATOR
    )


def _design(name: str, k: int, probability: Fraction, chance: tuple[Fraction, ...]) -> Design:
    if name == DesignName.WARNER:
        return warner(probability)
    if name == DesignName.FORCED_RESPONSE:
        return forced_response(probability, *chance)
    return k_ary(k, probability, chance or None)


def _chance(design: Design) -> tuple[Fraction, ...]:
    """Return what the second coin or the spinner gives, as it was set."""
    parameters = dict(design.exact_parameters)
    if "yes" in parameters:
        return (cast("Fraction", parameters["yes"]),)
    return cast("tuple[Fraction, ...]", parameters.get("weights", ()))
