"""Propose-test-release for the most common answer: the exact one, or a refusal where it could easily be another.

*It costs (ε, δ).* The stability γ differs by at most 1 between neighbours, so the outcome of the test costs ε. Let x
and y be neighbours. If their most common answers agree, what is released is a function of the test's outcome, which
costs ε. If they differ, γ is 0 at both, so both fail with the same probability and pass with one of at most δ: an
event S has Pr(S | x) ≤ Pr(S, failed | x) + δ ≤ Pr(S | y) + δ. A refusal is one of the outcomes, so it costs as much.

References
----------
Dwork & Lei (2009), Differential privacy and robust statistics.
Thakurta & Smith (2013), Differentially private feature selection via stability arguments.
"""

import math
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from surveys.privacy.adjacency import Counted, NeighbouringRelation, require_member
from surveys.privacy.designs.design import Design
from surveys.privacy.loss import PrivacyLoss
from surveys.privacy.mechanisms.mechanism import CentralMechanism, ErrorBound, Norm, Randbelow, Sensitivity
from surveys.privacy.mechanisms.most_common import candidates_among, count_scores
from surveys.privacy.mechanisms.scores import Scores, combine_forms, largest_change
from surveys.privacy.mechanisms.stability import StabilityTest
from surveys.privacy.rationals import whole_number


@dataclass(frozen=True, slots=True)
class ReleasedMode:
    """What was published: the code of the most common answer, or None where that was refused.

    Attributes
    ----------
    answer : int or None
        The code, None where it was refused.
    """

    answer: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StableMode(CentralMechanism[ReleasedMode]):
    """The answer with the largest debiased count, the first of equal ones, where many changes are needed to replace it.

    Parameters
    ----------
    epsilon : Fraction
        Above 0, in nats.
    delta : Fraction
        Above 0 and below 1/2.
    relation : NeighbouringRelation
        Which data sets are neighbours.
    design, counted, candidates
        As in `MostCommon`: a protected "prefer not to say" is omitted by one candidate less than there are answers.

    Examples
    --------
    >>> from surveys.privacy import NeighbouringRelation, StableMode, direct
    >>> relation = NeighbouringRelation.REPLACE_ONE
    >>> mechanism = StableMode(epsilon=1, delta="1/1000000", relation=relation, design=direct(3))
    >>> mechanism.release([100, 900, 100]).answer
    1
    """

    epsilon: Fraction
    delta: Fraction
    relation: NeighbouringRelation
    design: Design
    counted: Counted = Counted.CODES
    candidates: int | None = None

    def __post_init__(self) -> None:
        test = StabilityTest(self.epsilon, self.delta)
        object.__setattr__(self, "epsilon", test.epsilon)
        object.__setattr__(self, "delta", test.delta)
        require_member(NeighbouringRelation, self.relation, "relation")
        object.__setattr__(self, "candidates", candidates_among(self.design, self.counted, self.candidates))

    @property
    def test(self) -> StabilityTest:
        """What decides between the answer and a refusal."""
        return StabilityTest(self.epsilon, self.delta)

    @property
    def loss(self) -> PrivacyLoss:
        """What one answer, or one refusal, costs."""
        return PrivacyLoss(self.epsilon, self.delta)

    @property
    def sensitivity(self) -> Sensitivity:
        """Of the stability, to which the noise is added."""
        return Sensitivity(Fraction(1), Norm.ABSOLUTE, self.relation)

    @property
    def scores(self) -> Scores:
        """The debiased count of each candidate."""
        return count_scores(self.design, self.counted, candidates_among(self.design, self.counted, self.candidates))

    def mode_and_stability(self, counts: Sequence[int]) -> tuple[int, int]:
        """Return the most common answer, and how many changed reports certainly leave it so.

        The lead of the mode over answer r is one linear form of the counts, which a change of one report moves by at
        most s_r (`largest_change`). Of two answers as common the first is taken, so r needs ⌈lead/s_r⌉ changes if it
        stands before the mode, else ⌊lead/s_r⌋ + 1. The stability γ is the least of these, less 1. *It differs by at
        most 1 between neighbours*, as each of these does while the mode is the same; where it is not, the other's mode
        needs one change only, and γ is 0 at both.
        """
        scores = self.scores
        debiased = scores.values(counts)
        mode = debiased.index(max(debiased))
        changes = [
            math.ceil(lead) if other < mode else math.floor(lead) + 1
            for other, lead in self._leads(scores, debiased, mode)
        ]
        return mode, min(changes) - 1

    def release(self, counts: Sequence[int], randbelow: Randbelow = secrets.randbelow) -> ReleasedMode:
        """Draw whether the answer is published, exactly."""
        mode, stability = self.mode_and_stability(counts)
        return ReleasedMode(mode if self.test.passes(stability, randbelow) else None)

    def probability(self, output: ReleasedMode, counts: Sequence[int]) -> float:
        """Return the probability with which these counts lead to this output."""
        mode, stability = self.mode_and_stability(counts)
        if not isinstance(output, ReleasedMode):
            return 0.0
        passed = self.test.probability(stability)
        return {None: 1 - passed, mode: passed}.get(output.answer, 0.0)

    def error_bound(self, n: int, confidence_level: float) -> ErrorBound:
        """Return 0, or infinity for a refusal; at best, that is where all reports are the same.

        What is published is always the most common answer of the reports; only a refusal is an error.
        """
        n, length = whole_number(n, "n"), self.scores.length
        needed = self.test.stability_needed(confidence_level)
        alike = [[n * (code == answer) for code in range(length)] for answer in range(length)]
        reached = any(self.mode_and_stability(counts)[1] >= needed for counts in alike)
        return ErrorBound(math.inf, confidence_level, 0.0 if reached else math.inf)

    def _leads(self, scores: Scores, debiased: Sequence[Fraction], mode: int) -> Iterator[tuple[int, Fraction]]:
        """Yield for each other answer the lead of the mode over it, in the most that one change can move it."""
        [first] = scores.forms[mode]
        for other, [form] in enumerate(scores.forms):
            if other != mode:
                moved = largest_change(combine_forms((1, first), (-1, form)), self.counted, self.relation)
                yield other, (debiased[mode] - debiased[other]) / moved
