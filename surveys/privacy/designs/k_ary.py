"""Coin, then spinner: the design for a question with k answers."""

from collections.abc import Sequence
from fractions import Fraction

from surveys.privacy.designs.design import Design, Parameter
from surveys.privacy.rationals import probability


def k_ary(k: int, truth: object = Fraction(1, 2), weights: Sequence[object] | None = None) -> Design:
    """Return the design t·I + (1−t)·f·1ᵀ: the truth with probability t, else where the spinner stops.

    Parameters
    ----------
    k : int
        The number of answers, at least 2.
    truth : exact probability
        That the coin asks for the truth; not 0.
    weights : sequence of exact probabilities, optional
        The spinner's share for each answer, summing to 1; equal shares if left out. An answer with
        weight 0 is only ever reported truthfully: epsilon is infinite.

    References
    ----------
    Kairouz, Bonawitz & Ramage (2016), Discrete distribution estimation under local privacy.
    """
    if isinstance(k, bool) or not isinstance(k, int) or not k >= 2:
        raise ValueError(f"k must be an integer of at least 2, got {k!r}")
    truth = probability(truth, "truth")
    parameters: tuple[tuple[str, Parameter], ...] = (("truth", truth),)
    if weights is None:
        spinner = (Fraction(1, k),) * k
    else:
        spinner = tuple(probability(weight, "weights") for weight in weights)
        if len(spinner) != k or sum(spinner) != 1:
            raise ValueError(f"weights must hold {k} probabilities that sum to 1")
        parameters += (("weights", spinner),)
    matrix = tuple(
        tuple((truth if i == j else 0) + (1 - truth) * share for i in range(k)) for j, share in enumerate(spinner)
    )
    return Design("k_ary", matrix, parameters)
