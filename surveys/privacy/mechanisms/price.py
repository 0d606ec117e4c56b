"""The best price for all, chosen by the exponential mechanism from randomized reports of what people would pay at most.

The answers are bands of prices, and the candidates are the bands' lower edges: a person in band c or above pays at
least edge c. The score of an edge is its revenue, the price times the debiased number of people in this band or above.

Noise on the best price itself would ruin it. Of the bids 1, 1, 1 and 3.01 the revenue is 4.00 at the price 1.00, but
1.01 a cent higher; it is 3.01 at 3.01 and 0 at 3.02. So a price is chosen by what it earns, not
by how near it is to the best one.

*Sensitivity.* One replaced response changes a revenue by at most price_c times the range of the debiased number's
form; one that is added or removed by price_c times its largest absolute entry. Where reports are the truth both are the
highest price: who would pay nothing becomes somebody who would pay that. The exact maximum over all edges is used.

Under a k-ary design one replaced response moves all revenues in the same direction, and the normalising sum with them,
so that an output then really loses no more than half of ε; ε is what is promised and charged.

References
----------
McSherry & Talwar (2007), Mechanism design via differential privacy.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from surveys.privacy.mechanisms.choice import Choice
from surveys.privacy.mechanisms.scores import Scores, combine_forms, cumulated_forms
from surveys.privacy.rationals import exact


@dataclass(frozen=True, slots=True, kw_only=True)
class BestPrice(Choice[Fraction]):
    """The price at which the revenue is largest, one of the bands' lower edges.

    The output is the price. The error bound is in revenue: by how much, by debiased counts, it falls short of the best.

    Parameters
    ----------
    epsilon, relation, design
        As in `ScoredMechanism`.
    prices : tuple of Fraction
        The lower edges of the bands, at least 0 and increasing, at least two; one for each true answer of the design
        from the first. True answers beyond them, such as a protected "prefer not to say", buy nothing.

    Examples
    --------
    >>> from surveys.privacy import BestPrice, NeighbouringRelation, direct
    >>> relation = NeighbouringRelation.REPLACE_ONE
    >>> mechanism = BestPrice(epsilon=1, relation=relation, design=direct(3), prices=(0, 1, 3))
    >>> mechanism.release([10, 50, 40]) in {0, 1, 3}
    True
    """

    prices: tuple[Fraction, ...]

    def _scored(self) -> Scores:
        prices = tuple(exact(price, "prices") for price in self.prices)
        if not (len(prices) >= 2 and prices[0] >= 0 and all(low < high for low, high in pairwise(prices))):
            raise ValueError("prices must be at least two, increasing, none below 0")
        if len(prices) > self.design.k:
            raise ValueError(f"prices must be at most one for each of {self.design.k} answers, got {len(prices)}")
        object.__setattr__(self, "prices", prices)
        sums = cumulated_forms(self.design.left_inverse[: len(prices)], self.design.m)
        return Scores(
            tuple(
                (combine_forms((price, sums[-1]), (-price, below)),)
                for price, below in zip(prices, sums[:-1], strict=True)
            )
        )

    @property
    def outputs(self) -> Sequence[Fraction]:
        """All prices that may be chosen."""
        return self.prices
