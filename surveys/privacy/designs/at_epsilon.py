"""Designs for a wished epsilon with probabilities that people can say, spin and throw."""

import math
from collections.abc import Callable, Mapping
from fractions import Fraction

from surveys.privacy.designs.design import Design
from surveys.privacy.designs.innocuous import crosswise, unrelated_question
from surveys.privacy.designs.k_ary import k_ary
from surveys.privacy.designs.odds import exact_epsilon, exp_from_below
from surveys.privacy.designs.two_answer import forced_response, warner
from surveys.privacy.rationals import distribution, whole_number

CLOSE = Fraction(99, 100)
"""The epsilon reached is at most the wished one and, unless said otherwise, at least this part of it."""

_HALF = Fraction(1, 2)


def truth_for(odds: Fraction, least_chance: Fraction) -> Fraction:
    """Return the probability of the truth at which reports change odds by this factor, at most.

    With probability t the truth is reported, else chance gives the answer; the answer that chance gives most rarely,
    with probability c, then has the odds 1 + t/((1 − t)c).
    """
    gained = (odds - 1) * least_chance
    return gained / (1 + gained)


def design_at(
    name: str,
    epsilon: object,
    k: int = 2,
    *,
    chance: tuple[Fraction, ...] = (),
    innocuous: Fraction = Fraction(1, 4),
    close: Fraction = CLOSE,
) -> Design:
    """Return a design whose epsilon is the wished one or just below it, with the simplest fraction that does.

    Parameters
    ----------
    name : str
        ``"forced_response"``, ``"k_ary"``, ``"warner"``, ``"crosswise"`` or ``"unrelated_question"``: the designs with
        a probability that gives them every epsilon.
    epsilon : exact number or float
        Above 0 and finite, in nats.
    k : int, optional
        The number of answers; other than 2 for ``"k_ary"`` only.
    chance : tuple of Fraction, optional
        What the second coin (its probability of Yes alone) or the spinner (a share for each answer) gives; fair if
        left out. For forced response and k-ary.
    innocuous : Fraction, optional
        The Yes-rate of an unrelated question.
    close : Fraction, optional
        Which part of the wished epsilon is enough.

    Raises
    ------
    ValueError
        Naming the argument: a design whose epsilon is infinite whatever its probability, an epsilon that is none.
    """
    wished = exact_epsilon(epsilon)
    k = whole_number(k, "k", 2)
    build, probability_at = _solved(name, k, chance, innocuous)
    least, most = (probability_at(_odds(exponent)) for exponent in (wished * close, wished))
    return build(simplest_between(least, most))


def simplest_between(low: Fraction, high: Fraction) -> Fraction:
    """Return the fraction with the smallest denominator from low to high, both at least 0 and low below high.

    Both numbers' continued fractions are followed for as long as they agree.
    """
    if not 0 <= low < high:
        raise ValueError(f"low must be at least 0 and below high, got {low} and {high}")
    whole = math.ceil(low)
    if whole <= high:
        return Fraction(whole)
    below = math.floor(low)
    return below + 1 / simplest_between(1 / (high - below), 1 / (low - below))


def _odds(exponent: Fraction) -> Fraction:
    """Return odds just below e to this exponent: whatever is made of them promises no more than is kept."""
    return max(exp_from_below(exponent), Fraction(1))


def _solved(
    name: str, k: int, chance: tuple[Fraction, ...], innocuous: Fraction
) -> tuple[Callable[[Fraction], Design], Callable[[Fraction], Fraction]]:
    """Return what makes the design of its probability, and the probability at given odds: it rises with them."""
    if name == "k_ary":
        spinner = distribution(chance, k, "chance") if chance else (Fraction(1, k),) * k
        weights = chance or None
        return lambda truth: k_ary(k, truth, weights), lambda odds: truth_for(odds, _positive(min(spinner)))
    if k != 2:
        raise ValueError(f"k must be 2 for the design {name}, got {k}")
    match name:
        case "forced_response":
            yes = _one(chance)
            return lambda truth: forced_response(truth, yes), lambda odds: truth_for(odds, _positive(min(yes, 1 - yes)))
        case "unrelated_question":
            rarer = _positive(min(innocuous, 1 - innocuous))
            return lambda asked: unrelated_question(asked, innocuous), lambda odds: truth_for(odds, rarer)
        case "warner":
            return warner, _of_two
        case "crosswise":
            return crosswise, _of_two
    raise ValueError(f"name must be of a design that can have every epsilon, got {name!r}")


def _of_two(odds: Fraction) -> Fraction:
    return odds / (1 + odds)


def _one(chance: tuple[Fraction, ...]) -> Fraction:
    if len(chance) > 1:
        raise ValueError(f"chance must be the one probability of Yes for forced response, got {len(chance)}")
    return chance[0] if chance else _HALF


def _positive(least_chance: Fraction) -> Fraction:
    if not least_chance > 0:
        raise ValueError("chance must give every answer: with a share of 0 epsilon is infinite")
    return least_chance


def probability_of(design: Design) -> tuple[str, Fraction] | None:
    """Return the name and the value of the probability that a device can be set to; None where a fact stands for it."""
    parameters: Mapping[str, object] = dict(design.exact_parameters)
    name = {"forced_response": "truth", "k_ary": "truth", "warner": "p"}.get(design.name)
    value = parameters.get(name or "")
    return (name, value) if name and isinstance(value, Fraction) else None
