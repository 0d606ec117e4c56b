"""Two decks of cards: the respondent reports only how many red cards came up."""

from fractions import Fraction
from math import comb

from surveys.privacy.designs.at_epsilon import half_for
from surveys.privacy.designs.design import Design
from surveys.privacy.designs.family import INTEGER, PAIR, DesignFamily, Parameters
from surveys.privacy.rationals import probability, whole_number

LARGEST_DRAWS = 100
"""How many cards may be drawn: the matrix has a row for each number of reds."""


def kuk(p1: object, p2: object = None, draws: int = 1) -> Design:
    """Return Kuk's design: the truth decides which deck the reported cards are drawn from (and put back).

    The report is the number of red cards, so there are draws + 1 reports.

    Parameters
    ----------
    p1, p2 : exact probabilities
        The shares of red cards in the deck for Yes and in the deck for No; not equal. Without p2 it is 1 − p1, which
        is most precise for its epsilon.
    draws : int
        How many cards are drawn, from 1 to 100.

    Returns
    -------
    Design
        For two answers, with draws + 1 reports.

    Raises
    ------
    ValueError
        Naming the argument that is not as above.

    References
    ----------
    Kuk (1990), Asking sensitive questions indirectly.

    Examples
    --------
    >>> from surveys.privacy import kuk
    >>> kuk("4/5", "1/5", draws=2).m
    3
    """
    p1 = probability(p1, "p1")
    p2 = 1 - p1 if p2 is None else probability(p2, "p2")
    if p1 == p2:
        raise ValueError(f"p1 and p2 must not be equal, both are {p1}: the reports would tell nothing")
    draws = whole_number(draws, "draws", 1, LARGEST_DRAWS)
    if_yes, if_no = _binomial(draws, p1), _binomial(draws, p2)
    # What the field estimates with is the mean share of reds; it has no bias however many cards are drawn.
    reds = [Fraction(red, draws) for red in range(draws + 1)]
    weights = (tuple((p1 - share) / (p1 - p2) for share in reds), tuple((share - p2) / (p1 - p2) for share in reds))
    parameters = (("p1", p1), ("p2", p2), ("draws", draws))
    return Design("kuk", tuple(zip(if_no, if_yes, strict=True)), parameters, weights)


def _binomial(draws: int, p: Fraction) -> tuple[Fraction, ...]:
    """Return the exact probabilities of 0, 1, ..., draws reds."""
    return tuple(comb(draws, red) * p**red * (1 - p) ** (draws - red) for red in range(draws + 1))


def _deck_at(odds: Fraction, _k: int, others: Parameters) -> Fraction:
    """Return the share of reds for Yes at which one card changes odds by this factor at most."""
    if others.get("draws", 1) != 1:
        raise ValueError(f"draws must be 1 for a wished epsilon, got {others['draws']!r}")
    if "p2" not in others:
        return half_for(odds)
    p2 = probability(others["p2"], "p2")
    return min(odds * p2, 1 - (1 - p2) / odds)


KUK = DesignFamily(
    "kuk",
    kuk,
    {"p1": PAIR, "p2": PAIR, "draws": INTEGER},
    optional=frozenset({"draws"}),
    turned_by="p1",
    useless="p2",
    probability_at=_deck_at,
    # At its best for an epsilon: p2 = 1 − p1.
    compared_as="warner",
)
