"""Designs for two answers whose coin is the answer to an innocuous question with a known rate of Yes.

The matrices hold only where the innocuous answer is independent of the sensitive one (and, where a second fact decides
which question is answered, of that fact), and epsilon only towards those who know none of them about the respondent.
"""

from fractions import Fraction

from surveys.privacy.designs.at_epsilon import half_for, truth_for
from surveys.privacy.designs.design import Design
from surveys.privacy.designs.family import PAIR, DesignFamily, Parameters
from surveys.privacy.designs.two_answer import by_yes, refuse
from surveys.privacy.rationals import probability

_HALF = Fraction(1, 2)
USUAL_RATE = Fraction(1, 4)
"""Of Yes to an innocuous question: that of births in a quarter of the year."""


def unrelated_question(p: object, q: object = USUAL_RATE) -> Design:
    """Return the design that asks the sensitive question with probability p, else an innocuous one.

    Parameters
    ----------
    p : exact probability
        That the sensitive question is asked; not 0.
    q : exact probability
        That the answer to the innocuous question is Yes. At 0 or 1 one report betrays the truth: epsilon is infinite.

    Returns
    -------
    Design
        For two answers.

    Raises
    ------
    ValueError
        If a probability is none, or p is 0.

    References
    ----------
    Greenberg, Abul-Ela, Simmons & Horvitz (1969), The unrelated question randomized response model.

    Examples
    --------
    >>> from surveys.privacy import unrelated_question
    >>> round(unrelated_question("2/3", "1/12").epsilon, 3)
    3.219
    """
    p, q = probability(p, "p"), probability(q, "q")
    refuse(p, "p", 0)
    innocuous = (1 - p) * q
    return Design("unrelated_question", by_yes(p + innocuous, innocuous), (("p", p), ("q", q)))


def crosswise(p: object) -> Design:
    """Return the crosswise design: whether a sensitive and an innocuous question have the same answer.

    Code 1 reports "the same" (Yes to both or No to both), code 0 "different".

    Parameters
    ----------
    p : exact probability
        That the answer to the innocuous question is Yes; not 1/2.

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
    Yu, Tian & Tang (2008), Two new models for survey sampling with sensitive characteristic.

    Examples
    --------
    >>> from surveys.privacy import crosswise
    >>> round(crosswise("1/4").epsilon, 3)
    1.099
    """
    p = probability(p, "p")
    refuse(p, "p", _HALF)
    return Design("crosswise", by_yes(p, 1 - p), (("p", p),))


def triangular(p: object) -> Design:
    """Return the triangular design: code 1 reports "Yes to at least one of both", code 0 "No to both".

    "No to both" proves No: epsilon is infinite.

    Parameters
    ----------
    p : exact probability
        That the answer to the innocuous question is Yes; not 1.

    Returns
    -------
    Design
        For two answers.

    Raises
    ------
    ValueError
        If p is no exact probability, or 1.

    References
    ----------
    Yu, Tian & Tang (2008), Two new models for survey sampling with sensitive characteristic.

    Examples
    --------
    >>> from surveys.privacy import triangular
    >>> triangular("1/4").epsilon
    inf
    """
    p = probability(p, "p")
    refuse(p, "p", 1)
    return Design("triangular", by_yes(Fraction(1), p), (("p", p),))


def _asked_at(odds: Fraction, _k: int, others: Parameters) -> Fraction:
    rate = probability(others.get("q", USUAL_RATE), "q")
    return truth_for(odds, min(rate, 1 - rate))


def _share_at(odds: Fraction, _k: int, _others: Parameters) -> Fraction:
    return half_for(odds)


UNRELATED_QUESTION = DesignFamily(
    "unrelated_question",
    unrelated_question,
    {"p": PAIR, "q": PAIR},
    facts=frozenset({"p", "q"}),
    turned_by="p",
    probability_at=_asked_at,
)
CROSSWISE = DesignFamily(
    "crosswise",
    crosswise,
    {"p": PAIR},
    facts=frozenset({"p"}),
    turned_by="p",
    useless=_HALF,
    probability_at=_share_at,
)
TRIANGULAR = DesignFamily("triangular", triangular, {"p": PAIR}, facts=frozenset({"p"}))
