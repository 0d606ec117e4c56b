"""The s most common answers in order, by peeling: choose one, leave it out, choose the next.

Of k candidates there are r = min(s, k − 1) rounds: where all but one have been chosen, the last one follows and is no
round. Each round is an exponential mechanism on the debiased counts of the answers that are left, so that Δ is that of
`MostCommon`.

*Each round has 2ε/(r + 1) where one changed response raises at most one score and lowers at most one* (`one_for_one`: a
replaced response of a k-ary design does). Let e = 2ε/(r + 1), and x and y be neighbours. The probability of an output
is a product over the rounds, of e^(e·u/(2Δ)) of the answer drawn over the sum of the same for all that are left.

- *Numerators.* The answers drawn differ, so the one raised score is in at most one of them: from y to x their product
  grows by a factor of at most e^(e/2).
- *Sums.* In each of the r sums at most one term falls, by a factor of at least e^(−e/2), and so does no sum by more.

An output is at most e^(e/2)·e^(r·e/2) = e^(e(r+1)/2) = e^ε times likelier from x. Here e is 2r/(r + 1) times what
basic composition gives a round, 33% more for two rounds and 67% for five.

*Otherwise each round has ε/r*: any number of scores may move, and basic composition of the adaptive rounds comes to ε.

Either way a round at e has ρ = e²/8 as zero-concentrated privacy (`ExponentialMechanism.concentrated`), and all of them
r·e²/8.

Peeling is the same as adding independent Gumbel noise of scale 2Δ/e to all scores once and sorting them.

References
----------
Durfee & Rogers (2019), Practical differentially private top-k selection with pay-what-you-get composition.
"""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from surveys.privacy.adjacency import Counted
from surveys.privacy.loss import ConcentratedLoss
from surveys.privacy.mechanisms.choice import ScoredMechanism
from surveys.privacy.mechanisms.exponential import ExponentialMechanism
from surveys.privacy.mechanisms.mechanism import ErrorBound, Randbelow
from surveys.privacy.mechanisms.most_common import candidates_among, count_scores
from surveys.privacy.mechanisms.scores import Scores
from surveys.privacy.rationals import whole_number


@dataclass(frozen=True, slots=True, kw_only=True)
class TopAnswers(ScoredMechanism[tuple[int, ...]]):
    """The s answers that most people truly have, or the s options that most people truly tick, in the order drawn.

    The error bound is in people: in no round does the debiased count of the chosen answer fall short by more of the
    largest among those that were left.

    Parameters
    ----------
    epsilon, relation, design
        As in `ScoredMechanism`.
    s : int
        How many answers, from 1 to all candidates.
    counted, candidates
        As in `MostCommon`.

    Examples
    --------
    >>> from surveys.privacy import NeighbouringRelation, TopAnswers, k_ary
    >>> relation = NeighbouringRelation.REPLACE_ONE
    >>> mechanism = TopAnswers(epsilon=1, relation=relation, design=k_ary(4, "3/4"), s=2)
    >>> len(mechanism.release([20, 20, 60, 80]))
    2
    """

    s: int
    counted: Counted = Counted.CODES
    candidates: int | None = None

    def _scored(self) -> Scores:
        candidates = candidates_among(self.design, self.counted, self.candidates)
        object.__setattr__(self, "candidates", candidates)
        object.__setattr__(self, "s", whole_number(self.s, "s", 1, candidates))
        return count_scores(self.design, self.counted, candidates)

    @property
    def rounds(self) -> int:
        """How many choices are random: s, or one less where nothing is left to choose in the last."""
        return min(self.s, len(self.scored.forms) - 1)

    @property
    def one_round(self) -> ExponentialMechanism:
        """The choice made in every round."""
        all_rounds = Fraction(self.rounds + 1, 2) if self.scored.one_for_one(self.relation) else self.rounds
        return ExponentialMechanism(self.epsilon / all_rounds, self.sensitivity.value)

    @property
    def concentrated(self) -> ConcentratedLoss:
        """What all rounds together cost as zero-concentrated privacy."""
        return ConcentratedLoss(self.rounds * self.one_round.concentrated.rho)

    def release(self, counts: Sequence[int], randbelow: Randbelow = secrets.randbelow) -> tuple[int, ...]:
        """Draw the codes, the one that was chosen first before the others."""
        left = dict(enumerate(self.scores(counts)))
        drawn, one_round = [], self.one_round
        for _ in range(self.s):
            codes = list(left)
            drawn.append(codes[one_round.choose([left[code] for code in codes], randbelow)])
            del left[drawn[-1]]
        return tuple(drawn)

    def probability(self, output: tuple[int, ...], counts: Sequence[int]) -> float:
        """Return the product of the rounds' probabilities; 0 for what is not s different codes."""
        left = dict(enumerate(self.scores(counts)))
        if len(output) != self.s:
            return 0.0
        product, one_round = 1.0, self.one_round
        for code in output:
            if code not in left:
                return 0.0
            product *= dict(zip(left, one_round.probabilities(list(left.values())), strict=True))[code]
            del left[code]
        return product

    def error_bound(self, n: int, confidence_level: float) -> ErrorBound:
        """Return 2Δ/e·ln(Σk_i/β): round i has k_i candidates, and misses t with at most k_i·exp(−e·t/(2Δ))."""
        whole_number(n, "n")
        candidates = len(self.scored.forms)
        of_all_rounds = sum(range(candidates, candidates - self.rounds, -1))
        return ErrorBound(self.one_round.error_bound(of_all_rounds, confidence_level), confidence_level)
