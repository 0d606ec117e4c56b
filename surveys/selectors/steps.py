"""The probabilities that a dial can be turned to, and what each of them promises."""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

from surveys.models.definition import Item
from surveys.models.designs import InTheHead
from surveys.models.kinds import LARGEST_DENOMINATOR
from surveys.models.question import LARGEST_EPSILON
from surveys.privacy.designs import Design, DesignFamily, probability_of
from surveys.privacy.designs.design import Parameter

_PARTS = 20
_REMEMBERED = 64
_TWENTIETHS = tuple(Fraction(part, _PARTS) for part in range(1, _PARTS))


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
    now, family = found[1], item.asked_with.matrices
    below = now < family.useless
    others = tuple((name, value) for name, value in item.design.exact_parameters if name != family.turned_by)
    designs = {now: item.design, **dict(_turns(family, item.design.k, others, below))}
    return tuple(
        Step(probability, replace(item, design=designs[probability]), probability == now)
        for probability in sorted(designs, reverse=below)
    )


def facts_of(item: Item) -> tuple[Step, ...]:
    """Return the shares that facts which are easy to find have, and the item as it would be with such a fact.

    () for designs whose chance no fact, or no finite ε, comes from.
    """
    technique = item.asked_with
    if not isinstance(technique, InTheHead) or not technique.easy_shares:
        return ()
    family = technique.matrices
    now = dict(item.design.exact_parameters)[family.turned_by]
    designs = {share: family.turned(item.design, share) for share in technique.easy_shares}
    return tuple(
        Step(share, replace(item, design=design), share == now)
        for share, design in designs.items()
        if design.epsilon <= LARGEST_EPSILON
    )


@lru_cache(maxsize=_REMEMBERED)
def _turns(
    family: DesignFamily, k: int, others: tuple[tuple[str, Parameter], ...], below: bool
) -> tuple[tuple[Fraction, Design], ...]:
    """Return the designs at all twentieths on one side of the value at which reports tell nothing."""
    made = (
        (part, family.design(k, {family.turned_by: part, **dict(others)}))
        for part in _TWENTIETHS
        if part != family.useless and (part < family.useless) is below
    )
    return tuple(
        (part, design)
        for part, design in made
        if design.epsilon <= LARGEST_EPSILON and design.denominator <= LARGEST_DENOMINATOR
    )
