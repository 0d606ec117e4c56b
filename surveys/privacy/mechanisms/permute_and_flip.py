"""Permute-and-flip: look at the candidates in a random order, take one with probability exp(−its exponent), or go on.

A candidate that falls short of the best by d has p = exp(−εd/(2Δ)), so the best has 1 and the last one to be looked at
is the best at the latest. It is the exponential mechanism with its refused proposals not put back: a bad candidate is
tried once.

*Its probabilities.* Let all candidates flip, and J of the others than r show heads. Then r is chosen if its own does,
and it comes first among these in the order: Pr(r) = p_r·E[1/(1 + J)] = p_r·∫Π(1 − p_s·x)dx, x from 0 to 1.

*It costs ε, for pure privacy.* Pr(r) depends on differences of utilities alone, and grows with none but that of r:

- where another s that is not the best rises, p_s grows and nothing else does;
- where the best s rises, all others' p fall by one factor c ≥ 1, and
  (p_r/c)·∫(1 − x)Π(1 − p_j·x/c)dx is p_r·∫(1 − cz)Π(1 − p_j·z)dz, z from 0 to 1/c, at most p_r·∫(1 − z)Π(1 − p_j·z)dz.

So a neighbour does most for r by raising it by Δ and lowering all others by Δ, which is to raise it by 2Δ. Up to where
it is the best this multiplies p_r alone; from there on it divides all other p by c, and ∫Π(1 − p_j·x/c)dx =
c·∫Π(1 − p_j·z)dz, z from 0 to 1/c, is at most c times what it was. Together that is e^ε at most. The logarithms of
the ratios need not lie in one interval of length ε, as they do for the exponential mechanism: as zero-concentrated
privacy it is known to be ε²/2 only, four times as much.

*It errs no more than the exponential mechanism*, for no utilities and by no amount [McKenna & Sheldon 2020, Theorem 2].

References
----------
McKenna & Sheldon (2020), Permute-and-flip: a new mechanism for differentially private selection.
"""

import secrets
from collections.abc import Callable, Sequence
from fractions import Fraction

from surveys.privacy.mechanisms.exponential import Selection
from surveys.privacy.randomness import bernoulli_exp


class PermuteAndFlip(Selection):
    """The choice of the first candidate, in a random order, whose coin with Pr(heads) = exp(−εd/(2Δ)) shows heads.

    Examples
    --------
    >>> from surveys.privacy import PermuteAndFlip
    >>> mechanism = PermuteAndFlip(1, 1)
    >>> mechanism.choose([80, 78, 70]) in {0, 1, 2}
    True
    """

    __slots__ = ()

    def choose(self, utilities: Sequence[Fraction | int], randbelow: Callable[[int], int] = secrets.randbelow) -> int:
        """Draw the index of a candidate, exactly: the order is drawn as far as it is looked at."""
        exponents = self.exponents(utilities)
        left = list(range(len(exponents)))
        while True:
            candidate = left.pop(randbelow(len(left)))
            if bernoulli_exp(exponents[candidate], randbelow):
                return candidate

    def probabilities(self, utilities: Sequence[Fraction | int]) -> tuple[float, ...]:
        """Return p_r·Σ_j Pr(J = j)/(1 + j) of each candidate, from sums of positive numbers."""
        weights = self.weights(utilities)
        return tuple(
            weight * _one_in_one_more_than_heads([*weights[:index], *weights[index + 1 :]])
            for index, weight in enumerate(weights)
        )

    def error_bound(self, candidates: int, confidence_level: float) -> float:
        """Return by how much the chosen utility at most falls short of the best, with this confidence, rounded up.

        It is t = 2Δ/ε·ln((k − 1)/(2β)) for k candidates and β = 1 − confidence_level, and at least 0: one that falls
        short by more than t must come before the best, of which the probability is 1/2, and show heads, of which it
        is less than 2β/(k − 1); and there are at most k − 1 of these.
        """
        others = max(1, candidates - 1) if candidates >= 1 else candidates
        return self.shortfall(Fraction(1, 2), others, confidence_level)


def _one_in_one_more_than_heads(chances: Sequence[float]) -> float:
    """Return E[1/(1 + J)], J the number of independent coins that show heads."""
    heads = [1.0]
    for chance in chances:
        heads = [
            (1 - chance) * as_many + chance * one_less
            for as_many, one_less in zip([*heads, 0.0], [0.0, *heads], strict=True)
        ]
    return sum(probability / (1 + number) for number, probability in enumerate(heads))
