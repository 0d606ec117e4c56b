"""Coin, then spinner: the designs for a question with k answers."""

from collections.abc import Sequence
from fractions import Fraction

from surveys.privacy.designs.at_epsilon import truth_for
from surveys.privacy.designs.design import Design, Parameter
from surveys.privacy.designs.family import PAIR, PAIRS, DesignFamily, Parameters
from surveys.privacy.designs.odds import LARGEST_DENOMINATOR, exact_epsilon, largest_odds
from surveys.privacy.designs.two_answer import refuse
from surveys.privacy.rationals import distribution, probability, whole_number

LARGEST_K = 1000
"""How many answers a design matrix is made for; a survey's reports, one character each, have fewer."""


def k_ary(k: int, truth: object = Fraction(1, 2), weights: Sequence[object] | None = None) -> Design:
    """Return the design t·I + (1−t)·f·1ᵀ: the truth with probability t, else where the spinner stops.

    Parameters
    ----------
    k : int
        The number of answers, from 2 to 1000.
    truth : exact probability
        That the coin asks for the truth; not 0. At 1 the report is the truth: epsilon is infinite.
    weights : sequence of exact probabilities, optional
        The spinner's share for each answer, summing to 1; by default equal shares. An answer with weight 0 is only ever
        reported truthfully: epsilon is infinite.

    Returns
    -------
    Design
        For k answers.

    Raises
    ------
    ValueError
        Naming the argument that is not as above.

    References
    ----------
    Kairouz, Bonawitz & Ramage (2016), Discrete distribution estimation under local privacy.

    Examples
    --------
    >>> from surveys.privacy import k_ary
    >>> round(k_ary(4, "1/2").epsilon, 3)
    1.609
    """
    k = whole_number(k, "k", 2, LARGEST_K)
    truth = probability(truth, "truth")
    refuse(truth, "truth", 0)
    parameters: tuple[tuple[str, Parameter], ...] = (("truth", truth),)
    if weights is None:
        spinner = (Fraction(1, k),) * k
    else:
        spinner = distribution(weights, k, "weights")
        parameters += (("weights", spinner),)
    matrix = tuple(
        tuple((truth if i == j else 0) + (1 - truth) * share for i in range(k)) for j, share in enumerate(spinner)
    )
    return Design("k_ary", matrix, parameters)


def k_ary_at(epsilon: object, k: int, largest_denominator: int = LARGEST_DENOMINATOR) -> Design:
    """Return the k-ary design with equal shares whose epsilon is the wanted one, rounded towards more privacy.

    The true answer is reported w/v times as often as any other, where w/v is the largest fraction of at most
    e to the epsilon that the denominator allows.

    Parameters
    ----------
    epsilon : exact number or float
        Above 0 and finite; a float stands for its binary value.
    k : int
        The number of answers, from 2 to 1000.
    largest_denominator : int
        Of the probabilities in the design matrix.

    Returns
    -------
    Design
        Its epsilon is at most the one wanted.

    Raises
    ------
    ValueError
        If epsilon is so small that this denominator allows equal probabilities only.

    References
    ----------
    Kairouz, Oh & Viswanath (2016), Extremal mechanisms for local differential privacy.

    Examples
    --------
    >>> from surveys.privacy import k_ary_at
    >>> k_ary_at(1, 5).epsilon <= 1
    True
    """
    k = whole_number(k, "k", 2, LARGEST_K)
    odds = largest_odds(exact_epsilon(epsilon), k - 1, largest_denominator)
    return k_ary(k, (odds - 1) / (odds + k - 1))


def _truth_at(odds: Fraction, k: int, others: Parameters) -> Fraction:
    weights = others.get("weights")
    spinner = distribution(weights, k, "weights") if weights else (Fraction(1, k),)
    return truth_for(odds, min(spinner))


K_ARY = DesignFamily(
    "k_ary",
    k_ary,
    {"truth": PAIR, "weights": PAIRS},
    optional=frozenset({"weights"}),
    for_any_k=True,
    turned_by="truth",
    probability_at=_truth_at,
)
