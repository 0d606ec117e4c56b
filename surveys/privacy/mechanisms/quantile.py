"""A quantile of ordered answers, the median among them, chosen by the exponential mechanism from randomized reports.

Candidates are the ordered answers themselves. All counts are debiased: A is how many are below the candidate c, T how
many at it, B how many above, N = A + T + B, and p the share that the quantile is to have below it.

*Distance*, −max(0, A − pN, pN − A − T): by how many people rank pN lies outside those at c. It is 0 exactly where c is
a p-quantile (A ≤ pN ≤ A + T), and as A + T is the A of the next answer and A goes from 0 to N, one candidate at least
has 0 where N ≥ 0. So the error bound is absolute: the rank of what was chosen is off by at most so many people.

*Balance*, −|2(1−p)A − 2pB|: the rank distance −|A − B| for the median. Its best candidate need not be a quantile where
many give the same answer: of 51, 1 and 48 people the median is the first answer, with the balance −|0 − 49|; the second
one has −|51 − 48|, and is the best at any ε. Its error bound is relative to that best.

Reports that are the truth have these sensitivities; others those of `Scores`, larger by 1/t for a k-ary design.

====================  ===========  =================
score                 replace one  add or remove one
====================  ===========  =================
distance              1            max(p, 1 − p)
balance               2            2·max(p, 1 − p)
====================  ===========  =================

A replaced response leaves one side and enters the other: the distance's forms A − pN and pN − A − T have a range of
(1−p) + p = 1, the balance's one of 2(1−p) + 2p = 2. An added one changes them by at most their largest entry.
In ranks the balance costs as much accuracy as the distance: twice the sensitivity for twice the score.

References
----------
Smith (2011), Privacy-preserving statistical estimation with optimal convergence rates.
"""

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from itertools import pairwise

from surveys.privacy.adjacency import require_member
from surveys.privacy.mechanisms.choice import ChoiceOfCode
from surveys.privacy.mechanisms.scores import Form, Scores, combine_forms, cumulated_forms
from surveys.privacy.rationals import exact, show_value, whole_number


class QuantileScore(Enum):
    """What makes an answer a good quantile."""

    DISTANCE = "few people between it and the wanted rank"
    BALANCE = "as many people below it as above it, weighted by the share"


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantile(ChoiceOfCode):
    """The answer below which a share of those who would truly give an ordered answer is.

    The output is a code. The error bound is in the score's unit. For the distance that is people: so many at most, by
    debiased counts, are between the chosen answer and the wanted rank. For the balance it is by how much the (weighted)
    difference between those below and those above exceeds the smallest one.

    Parameters
    ----------
    epsilon, relation, design
        As in `ScoredMechanism`.
    share : Fraction
        Strictly between 0 and 1; 1/2 is the median.
    score : QuantileScore
        By what candidates are judged.
    ordered : int, optional
        How many of the design's true answers are ordered answers, counted from the first; all of them if not given. A
        protected "prefer not to say" is the last, is no candidate, and the quantile is among the others.

    Examples
    --------
    >>> from surveys.privacy import NeighbouringRelation, Quantile, QuantileScore, k_ary
    >>> relation = NeighbouringRelation.REPLACE_ONE
    >>> mechanism = Quantile(
    ...     epsilon=1, relation=relation, design=k_ary(4, "3/4"), share="1/2", score=QuantileScore.DISTANCE
    ... )
    >>> mechanism.release([20, 60, 20, 20]) in range(4)
    True
    """

    share: Fraction
    score: QuantileScore
    ordered: int | None = None

    def _scored(self) -> Scores:
        share = exact(self.share, "share")
        if not 0 < share < 1:
            raise ValueError(f"share must be between 0 and 1, got {show_value(share, str)}")
        require_member(QuantileScore, self.score, "score")
        k = self.design.k
        ordered = k if self.ordered is None else whole_number(self.ordered, "ordered", 2, k)
        object.__setattr__(self, "share", share)
        object.__setattr__(self, "ordered", ordered)
        sums = cumulated_forms(self.design.left_inverse[:ordered], self.design.m)
        forms = distance_forms if self.score is QuantileScore.DISTANCE else balance_forms
        return Scores(tuple(forms(share, below, up_to, sums[-1]) for below, up_to in pairwise(sums)))


def distance_forms(share: Fraction, below: Form, up_to: Form, everybody: Form) -> tuple[Form, ...]:
    """Return forms whose minimum is −max(0, A − pN, pN − A − T)."""
    outside = combine_forms((share, everybody), (-1, below)), combine_forms((1, up_to), (-share, everybody))
    return ((Fraction(0),) * len(below), *outside)


def balance_forms(share: Fraction, below: Form, up_to: Form, everybody: Form) -> tuple[Form, ...]:
    """Return forms whose minimum is −|2(1−p)A − 2pB|."""
    balance = combine_forms((2 * (1 - share), below), (-2 * share, everybody), (2 * share, up_to))
    return balance, combine_forms((-1, balance))
