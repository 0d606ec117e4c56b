"""Which predictor goes most with an outcome: a choice by the covariance of reports, each on a scale from 0 to 1.

Let each report of the outcome count for y, and each report of a predictor for x, as the designs' left inverses have it,
so that means over chance are the true answers'; but moved and stretched so that the smallest is 0 and the largest 1.
For two answers these are the reports themselves. Then

    S = Σ xy − (Σx)(Σy)/n

is n − 1 times an unbiased estimate of the reports' covariance. How it depends on one response, the others being fixed,
is (1 − 1/n)·(x − x̄)(y − ȳ) and a constant, with the others' means x̄ and ȳ. With x and y between 0 and 1 that is between
−max(x̄(1 − ȳ), (1 − x̄)ȳ) and max(x̄ȳ, (1 − x̄)(1 − ȳ)), which are at most 1 apart whatever the means: any sum of one of
the first two and one of the others is x̄, ȳ or 1 less one of them. So a replaced response changes S by at most 1 − 1/n.
A predictor's score is the largest |S| of its answers, and changes by no more.

Why not the true answers' covariance, S/(r·r′) with r and r′ the ranges of what reports count for? Where nothing goes
with anything, S has a standard deviation of √n·σ(x)σ(y), which for reports of two answers is near √n/4 whatever the
coins, but that of S/(r·r′) grows with the noise of a predictor's coins: it would be drawn for nothing but its noise,
and one such predictor would widen Δ for all. Reports that go together alike are the same evidence, and here have the
same score. What it cannot do is to make up for coins: of two predictors whose true answers go with the outcome alike,
the one whose coins hide more has the smaller score. Nor does it quite forget how many answers there are: evidence of p
= 0.05 (Bonferroni) is a score of .98, 1.13, 1.08, 1.03, .90 and .84 times √n·σ(y) with 2, 3, 4, 5, 8 and 10 reports,
all equally common.

References
----------
McSherry & Talwar (2007), Mechanism design via differential privacy.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product

from surveys.privacy.learning.learner import CandidateLearner, Learner
from surveys.privacy.mechanisms.grid import code_counts
from surveys.privacy.rationals import exact, whole_number

Weights = tuple[Fraction, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PredictorChoice(CandidateLearner):
    """The place of one predictor, those that go more with the outcome more likely.

    Parameters
    ----------
    epsilon, relation, n
        As of a `CandidateLearner`; n is at least 2.
    outcome : sequence of exact numbers
        What each report of the outcome counts for.
    predictors : sequence of sequences of sequences of exact numbers
        For each predictor, and each of its answers, what each of its reports counts for.

    Examples
    --------
    >>> from surveys.privacy import PredictorChoice
    >>> choice = PredictorChoice(epsilon=1, n=400, outcome=(0, 1), predictors=(((0, 1),), ((0, 1),)))
    >>> choice.release([90, 60, 40, 10, 30, 50, 50, 70]) in {0, 1}
    True
    """

    outcome: Weights
    predictors: tuple[tuple[Weights, ...], ...]
    _scaled: tuple[Weights, tuple[tuple[Weights, ...], ...]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        Learner.__post_init__(self)
        whole_number(self.n, "n", 2)
        outcome = _weights(self.outcome, "outcome")
        predictors = tuple(tuple(_weights(row, "predictors") for row in rows) for rows in self.predictors)
        if not predictors or not all(predictors):
            raise ValueError("predictors must hold at least one, with at least one answer each")
        if any(len({len(row) for row in rows}) > 1 for rows in predictors):
            raise ValueError("predictors must have one number a report in each of their answers")
        object.__setattr__(self, "outcome", outcome)
        object.__setattr__(self, "predictors", predictors)
        if not (_range(outcome) and any(_range(row) for rows in predictors for row in rows)):
            raise ValueError("outcome and predictors must count for different numbers, or no choice says anything")
        object.__setattr__(self, "largest_change", Fraction(self.n - 1, self.n))
        scaled = tuple(tuple(_from_0_to_1(row) for row in rows) for rows in predictors)
        object.__setattr__(self, "_scaled", (_from_0_to_1(outcome), scaled))

    @property
    def shape(self) -> tuple[int, ...]:
        """How many reports the outcome has, and each predictor: the order of the counts is that of their product."""
        return (len(self.outcome), *(len(rows[0]) for rows in self.predictors))

    @property
    def candidates(self) -> int:
        """How many predictors there are."""
        return len(self.predictors)

    @property
    def largest_expected(self) -> Fraction:
        """What any score is at most, in expectation: n/4 from direct answers, and as much less as the coins hide."""
        narrowest = min(_range(row) for rows in self.predictors for row in rows if _range(row))
        return Fraction(self.n, 4) / (_range(self.outcome) * narrowest)

    @property
    def differs_in_coins(self) -> bool:
        """Whether the coins hide more of some predictors' answers than of others'."""
        return len({max(map(_range, rows)) for rows in self.predictors}) > 1

    def scores(self, counts: Sequence[int]) -> tuple[Fraction, ...]:
        """Return the largest |S| of each predictor: a number of people."""
        read = code_counts(counts, math.prod(self.shape))
        if sum(read) != self.n:
            raise ValueError(f"counts must sum to n = {self.n}")
        pairs: list[dict[tuple[int, int], int]] = [{} for _ in self.predictors]
        for (y, *xs), number in zip(product(*map(range, self.shape)), read, strict=True):
            if number:
                for pair_counts, x in zip(pairs, xs, strict=True):
                    pair_counts[y, x] = pair_counts.get((y, x), 0) + number
        outcome, predictors = self._scaled
        return tuple(
            max(abs(self._together(pair_counts, outcome, row)) for row in rows)
            for pair_counts, rows in zip(pairs, predictors, strict=True)
        )

    def _together(self, pairs: dict[tuple[int, int], int], outcome: Weights, row: Weights) -> Fraction:
        both, ys, xs = Fraction(0), Fraction(0), Fraction(0)
        for (y, x), number in pairs.items():
            both += number * outcome[y] * row[x]
            ys += number * outcome[y]
            xs += number * row[x]
        return both - ys * xs / self.n


def _weights(numbers: Sequence[Fraction], name: str) -> Weights:
    return tuple(exact(number, name) for number in numbers)


def _from_0_to_1(weights: Weights) -> Weights:
    """Return what reports count for, moved and stretched; all alike, they are all 0."""
    return tuple((weight - min(weights)) / (_range(weights) or 1) for weight in weights)


def _range(weights: Weights) -> Fraction:
    return max(weights, default=Fraction(0)) - min(weights, default=Fraction(0))
