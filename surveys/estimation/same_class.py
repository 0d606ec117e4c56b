"""The same class again, with new coins: what its estimates would be if its true answers were known.

The people stay, and so do their answers; only what their devices draw is drawn anew. So these estimates vary by the
part of the uncertainty that comes from randomization alone, where the intervals also allow for who happened to be
asked.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce

import numpy as np
import numpy.typing as npt

from surveys.estimation.affine import AffineMap, require_affine_map
from surveys.estimation.intervals.binomial import binomial_limits
from surveys.estimation.prevalence import PrevalenceEstimate
from surveys.estimation.tails import at_most
from surveys.estimation.validation import Counts, Floats, read_only, report_counts, responses
from surveys.privacy.designs.design import Design

# By Hoeffding's inequality fewer than one class in 20 billion has a number of reports further from what is expected.
_FAR = 3.5


@dataclass(frozen=True, slots=True, eq=False)
class SameClass:
    """What every number of reports of one option that can come would be read as.

    Attributes
    ----------
    n : int
        How many people the class has.
    share : float
        The supposed share with this answer among them.
    first : int
        The smallest number of reports listed; entry i below is of ``first + i`` reports.
    estimate : array of floats
        The moment estimate, limited to [0, 1].
    low, high : array of floats
        The interval before it is cut to [0, 1].
    holds : array of booleans
        Whether the supposed share lies between the two.
    held : float
        The probability that it does, over new coins for the same people.
    """

    n: int
    share: float
    first: int
    estimate: Floats
    low: Floats
    high: Floats
    holds: npt.NDArray[np.bool_]
    held: float


def supposed_truths(estimate: PrevalenceEstimate) -> tuple[int, ...]:
    """Return how many of the n people have each true answer: the whole numbers nearest to the constrained estimate."""
    # Shares that are equal but for rounding must not differ in what is left of them.
    shares = np.round(estimate.constrained * estimate.n, 9)
    truths = np.floor(shares).astype(np.int64)
    # The largest remainders are rounded up, so that everybody has one answer; the first of equal ones.
    order = np.argsort(truths - shares, kind="stable")
    truths[order[: estimate.n - int(truths.sum())]] += 1
    return tuple(truths.tolist())


def same_class(truths: Counts, design: Design, option: int, *, confidence_level: float = 0.95) -> SameClass:
    """Return what the same people's reports would be read as, with Wilson's intervals.

    Parameters
    ----------
    truths : sequence of k integers
        How many people have each true answer.
    design : Design
        One in which each report's probability depends on one prevalence only.
    option : int
        The code of the answer that is estimated.
    confidence_level : float
        Of the interval.

    Raises
    ------
    ValueError
        If the true answers are not k whole numbers, together at least 1, the option is none, or the design is another.
    """
    if not 0 <= option < design.k:
        raise ValueError(f"option must be from 0 to {design.k - 1}, got {option!r}")
    people = report_counts(truths, design.k, "truths").tolist()
    groups = [(number, float(design.matrix[option][truth])) for truth, number in enumerate(people)]
    return _read(groups, design, option, people[option] / sum(people), confidence_level)


def same_numbers(n: int, height: Fraction, design: Design, *, confidence_level: float = 0.95) -> SameClass:
    """Return the same where all n people have the same number, this far up its range, first rounded at random.

    Parameters
    ----------
    n : int
        How many people there are.
    height : Fraction
        From 0, the lowest number, to 1, the highest, to which it is rounded with this probability.
    design : Design
        One for two answers: code 0 is the lowest number, code 1 the highest.
    confidence_level : float
        Of the interval.

    Raises
    ------
    ValueError
        If there is nobody, the height is not from 0 to 1, or the design is not one for two answers.
    """
    people = responses(n)
    if not 0 <= height <= 1:
        raise ValueError(f"height must be from 0 to 1, got {height!r}")
    reported = float(design.offset + design.slope * height)
    return _read([(people, reported)], design, 1, float(height), confidence_level)


def _read(
    groups: Sequence[tuple[int, float]], design: Design, option: int, share: float, confidence_level: float
) -> SameClass:
    line = require_affine_map(design)
    n = sum(people for people, _ in groups)
    expected = sum(people * probability for people, probability in groups)
    first = max(0, math.floor(expected - _FAR * math.sqrt(n)))
    last = min(n, math.ceil(expected + _FAR * math.sqrt(n)))
    counts = np.arange(first, last + 1)
    offset = line.offset[option]
    limits = binomial_limits(counts, n, confidence_level, "wilson")
    low, high = AffineMap(offset, line.slope).to_prevalence(*limits)
    holds = (low <= share) & (share <= high)
    likely: Floats = reduce(np.convolve, [_probabilities(people, probability) for people, probability in groups])
    return SameClass(
        n=n,
        share=share,
        first=first,
        estimate=read_only(np.clip((counts / n - offset) / line.slope, 0.0, 1.0)),
        low=read_only(low),
        high=read_only(high),
        holds=holds,
        held=min(1.0, float(likely[first : last + 1][holds].sum())),
    )


def _probabilities(people: int, probability: float) -> Floats:
    """Return how likely each number of reports is, from none to one of everybody."""
    return np.diff(at_most(np.arange(-1, people + 1), people, probability))
