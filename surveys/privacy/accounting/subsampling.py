"""What a mechanism costs that sees a random part of the responses only.

ε' = ln(1 + q(e^ε − 1)) and δ' = qδ hold under two settings, and each for its own neighbouring relation:

- every response is kept by its own coin with probability q, and neighbours add or remove one response;
- a part of fixed size, the share q of a public number of responses, is drawn without replacement, and neighbours
  replace one response.

The mechanism itself must have (ε, δ) under that same relation, and nobody may learn who was drawn. "2qε" is looser and
holds for small ε only; "qε" is wrong.

References
----------
Balle, Barthe & Gaboardi (2018), Privacy amplification by subsampling, Theorems 8 and 9.
"""

from enum import Enum
from fractions import Fraction

from surveys.privacy.adjacency import NeighbouringRelation
from surveys.privacy.decimals import HUGE, decimal, expm1, log1p, many_digits, upper
from surveys.privacy.loss import PrivacyLoss
from surveys.privacy.rationals import probability


class Sampling(Enum):
    """How the responses are drawn that the mechanism sees."""

    POISSON = "every response is kept by its own coin"
    WITHOUT_REPLACEMENT = "a fixed number of responses is drawn"


_RELATION = {
    Sampling.POISSON: NeighbouringRelation.ADD_OR_REMOVE_ONE,
    Sampling.WITHOUT_REPLACEMENT: NeighbouringRelation.REPLACE_ONE,
}


def subsampled_loss(loss: PrivacyLoss, rate: object, sampling: Sampling, relation: NeighbouringRelation) -> PrivacyLoss:
    """Return the loss of a mechanism that sees this share of the responses.

    Parameters
    ----------
    loss : PrivacyLoss
        Of the mechanism on what it sees, under the relation.
    rate : exact probability
        q: the probability of being kept, or the share drawn.
    sampling : Sampling
        How the responses are drawn.
    relation : NeighbouringRelation
        Which data sets are neighbours, before and after.

    Returns
    -------
    PrivacyLoss
        Of the mechanism with its sampling.

    Raises
    ------
    ValueError
        If the formula is not known to hold for this sampling under this relation.

    Examples
    --------
    >>> from surveys.privacy import NeighbouringRelation, PrivacyLoss, Sampling, subsampled_loss
    >>> loss = subsampled_loss(PrivacyLoss(1), "1/100", Sampling.POISSON, NeighbouringRelation.ADD_OR_REMOVE_ONE)
    >>> round(float(loss.epsilon), 4)
    0.017
    """
    rate = probability(rate, "rate")
    if relation is not _RELATION[sampling]:
        raise ValueError(f"relation must be {_RELATION[sampling].name} for sampling {sampling.name}, got {relation!r}")
    if loss.epsilon > HUGE:
        return PrivacyLoss(loss.epsilon, rate * loss.delta)
    with many_digits():
        amplified = log1p(decimal(rate) * expm1(decimal(loss.epsilon)))
    return PrivacyLoss(min(Fraction(upper(amplified)), loss.epsilon), rate * loss.delta)
