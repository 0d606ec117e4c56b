"""The best that any test between two true answers can do with one report of a design, exactly."""

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from surveys.privacy.designs import Design
from surveys.privacy.rationals import whole_number


@dataclass(frozen=True, slots=True)
class ErrorRegion:
    """The lower border of all pairs (FPR, FNR) that tests of "the truth is this one, not the other" attain.

    Attributes
    ----------
    vertices : tuple of pairs of Fraction
        The corners of the border from (0, 1) to (1, 0). Tests that flip a coin reach the straight lines between them.
    """

    vertices: tuple[tuple[Fraction, Fraction], ...]

    @property
    def best_advantage(self) -> Fraction:
        """The largest 1 − FPR − FNR, which is the total variation distance of the two columns."""
        return max(1 - fpr - fnr for fpr, fnr in self.vertices)

    def false_negative_rate(self, false_positive_rate: Fraction) -> Fraction:
        """Return the smallest FNR of any test with at most this FPR."""
        if not 0 <= false_positive_rate <= 1:
            raise ValueError(f"false_positive_rate must be between 0 and 1, got {false_positive_rate!r}")
        for (left, above), (right, below) in pairwise(self.vertices):
            if left <= false_positive_rate < right:
                return above - (above - below) * (false_positive_rate - left) / (right - left)
        return Fraction(0)


def error_region(design: Design, truth: int, other: int) -> ErrorRegion:
    """Return the region of all tests whether the true answer is `truth` when it may as well be `other`.

    A test says `truth` at the reports with the largest Pr(report | truth)/Pr(report | other) (Neyman & Pearson): the
    corners are its errors as one report after another joins, those with equal quotients together.

    Parameters
    ----------
    design : Design
        Any design; all numbers are exact.
    truth, other : int
        Two different codes of true answers.

    Returns
    -------
    ErrorRegion
        With its `vertices` and `best_advantage`, exact.

    Raises
    ------
    ValueError
        If a code is none of the design's, or both are the same.

    Examples
    --------
    >>> from surveys.privacy import error_region, warner
    >>> str(error_region(warner("3/4"), 1, 0).best_advantage)
    '1/2'
    """
    truth, other = whole_number(truth, "truth", 0, design.k - 1), whole_number(other, "other", 0, design.k - 1)
    if truth == other:
        raise ValueError(f"truth and other must differ, both are {truth}")
    joined: dict[Fraction, tuple[Fraction, Fraction]] = {}
    for row in design.matrix:
        hit, alarm = row[truth], row[other]
        if hit + alarm:
            # hit/(hit + alarm) orders the reports as hit/alarm does, and exists where alarm is 0.
            hits, alarms = joined.get(hit / (hit + alarm), (Fraction(0), Fraction(0)))
            joined[hit / (hit + alarm)] = (hits + hit, alarms + alarm)
    fpr, fnr = Fraction(0), Fraction(1)
    vertices = [(fpr, fnr)]
    for _, (hits, alarms) in sorted(joined.items(), reverse=True):
        fpr, fnr = fpr + alarms, fnr - hits
        vertices.append((fpr, fnr))
    return ErrorRegion(tuple(vertices))
