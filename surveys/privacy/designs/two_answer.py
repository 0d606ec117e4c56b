"""Designs for a question with two answers: code 0 is No, code 1 is Yes."""

from fractions import Fraction

from surveys.privacy.designs.at_epsilon import half_for, truth_for
from surveys.privacy.designs.design import Design
from surveys.privacy.designs.family import PAIR, DesignFamily, Parameters
from surveys.privacy.rationals import probability

_HALF = Fraction(1, 2)


def forced_response(truth: object = _HALF, yes: object = _HALF) -> Design:
    """Return the design of two coins: the first says "the truth" or "what the second coin says".

    Parameters
    ----------
    truth : exact probability
        That the first coin asks for the truth; not 0.
    yes : exact probability
        That the second coin says Yes. At 0 or 1 one report betrays the truth: epsilon is infinite.

    Returns
    -------
    Design
        For two answers.

    Raises
    ------
    ValueError
        If a probability is none, or truth is 0.

    References
    ----------
    Boruch (1971); Fidler & Kleinknecht (1977).

    Examples
    --------
    >>> from surveys.privacy import forced_response
    >>> design = forced_response("2/3", "1/2")
    >>> [str(design.offset), str(design.slope)]
    ['1/6', '2/3']
    """
    truth, yes = probability(truth, "truth"), probability(yes, "yes")
    refuse(truth, "truth", 0)
    chance = (1 - truth) * yes
    return Design("forced_response", by_yes(truth + chance, chance), (("truth", truth), ("yes", yes)))


def warner(p: object) -> Design:
    """Return Warner's design: with probability p "is it true of you?", else "is it false of you?".

    Parameters
    ----------
    p : exact probability
        That the statement itself is asked; not 1/2.

    Returns
    -------
    Design
        For two answers.

    Raises
    ------
    ValueError
        If p is no exact probability, or 1/2.

    References
    ----------
    Warner (1965), Randomized response: a survey technique for eliminating evasive answer bias.

    Examples
    --------
    >>> from surveys.privacy import warner
    >>> warner("3/4").matrix[1]
    (Fraction(1, 4), Fraction(3, 4))
    >>> round(warner("3/4").epsilon, 3)
    1.099
    """
    p = probability(p, "p")
    refuse(p, "p", _HALF)
    return Design("warner", by_yes(p, 1 - p), (("p", p),))


def mangat(p: object) -> Design:
    """Return Mangat's design: people with Yes say Yes; people with No follow Warner's design with p.

    A report No proves No: epsilon is infinite.

    Parameters
    ----------
    p : exact probability
        That the statement itself is asked; not 0.

    Returns
    -------
    Design
        For two answers.

    Raises
    ------
    ValueError
        If p is no exact probability, or 0.

    References
    ----------
    Mangat (1994), An improved randomized response strategy.

    Examples
    --------
    >>> from surveys.privacy import mangat
    >>> mangat("7/10").epsilon
    inf
    """
    p = probability(p, "p")
    refuse(p, "p", 0)
    return Design("mangat", by_yes(Fraction(1), 1 - p), (("p", p),))


def _truth_at(odds: Fraction, _k: int, others: Parameters) -> Fraction:
    yes = probability(others.get("yes", _HALF), "yes")
    return truth_for(odds, min(yes, 1 - yes))


def _p_at(odds: Fraction, _k: int, _others: Parameters) -> Fraction:
    return half_for(odds)


FORCED_RESPONSE = DesignFamily(
    "forced_response", forced_response, {"truth": PAIR, "yes": PAIR}, turned_by="truth", probability_at=_truth_at
)
WARNER = DesignFamily("warner", warner, {"p": PAIR}, turned_by="p", useless=_HALF, probability_at=_p_at)
MANGAT = DesignFamily("mangat", mangat, {"p": PAIR})


def by_yes(if_yes: Fraction, if_no: Fraction) -> tuple[tuple[Fraction, ...], ...]:
    """Return the matrix from the probabilities of reporting Yes when it is, and when it is not, the true answer."""
    return ((1 - if_no, 1 - if_yes), (if_no, if_yes))


def refuse(value: Fraction, name: str, useless: object) -> None:
    """Refuse the one value of a parameter at which reports do not depend on the truth."""
    if value == useless:
        raise ValueError(f"{name} must not be {useless}: the reports would tell nothing")
