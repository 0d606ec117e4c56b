"""A median with noise, or a test that refused to publish anything."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

from surveys.estimation.released.choices import rank_distance_of_truth, shortfall_of_truth
from surveys.privacy.mechanisms.quantile import distance_forms
from surveys.privacy.mechanisms.scores import Scores, cumulated
from surveys.privacy.mechanisms.smooth_median import SmoothMedian
from surveys.privacy.mechanisms.stable_median import StableMedian
from surveys.privacy.mechanisms.stable_mode import StableMode
from surveys.selectors.releases.found.choice import Choice
from surveys.selectors.releases.found.figure import Scale
from surveys.selectors.releases.found.number import unit_of
from surveys.selectors.releases.found.risk import of_reports
from surveys.selectors.releases.offers.choices import labels_of
from surveys.selectors.releases.terms import PartTerms

_HALF = Fraction(1, 2)


@dataclass(frozen=True, slots=True)
class Refused:
    """The test of propose-test-release was not passed: the answer stays unknown, and was charged all the same."""

    @property
    def family(self) -> str:
        """How it is shown."""
        return "refused"

    @property
    def says_nothing(self) -> bool:
        """A refusal says that little."""
        return True


@dataclass(frozen=True, slots=True)
class Median:
    """A noisy median.

    Attributes
    ----------
    value : Fraction
        As drawn, on a public grid.
    away : float
        How far from the median of the reports it is at most.
    distance : float
        How many people there may truly be between that median and the middle of all.
    n : int
        Of how many answers.
    scale : Scale
        The smallest and the largest value that an answer can stand for.
    values : tuple of Fraction
        What the answers stand for.
    exact : bool
        Whether the noise is a whole number of steps, and no continuous noise that was rounded.
    reports : int or None
        How many reports keep the median where it is, drawn with noise, where `away` follows from that.
    """

    value: Fraction
    away: float
    distance: float
    n: int
    scale: Scale
    values: tuple[Fraction, ...]
    exact: bool
    reports: int | None = None

    @property
    def family(self) -> str:
        """How it is shown."""
        return "median"

    @property
    def low(self) -> float:
        """The lowest that the median of the reports can be."""
        return max(float(self.scale.low), float(self.value) - self.away)

    @property
    def high(self) -> float:
        """The highest that the median of the reports can be."""
        return min(float(self.scale.high), float(self.value) + self.away)

    @property
    def points(self) -> float:
        """The distance in percentage points of all who answered."""
        return 100 * self.distance / self.n

    @property
    def says_nothing(self) -> bool:
        """Whether the median of the reports can be anything, or that of the truths whatever that is."""
        everything = self.low <= float(self.scale.low) and self.high >= float(self.scale.high)
        return everything or not self.points < 50


def smooth_median_found(terms: PartTerms, output: Mapping[str, Any]) -> Median:
    """Return what a median with noise of its smooth sensitivity says."""
    mechanism = terms.mechanism
    if not isinstance(mechanism, SmoothMedian):
        raise TypeError(f"mechanism must draw a median, got {mechanism!r}")
    distance = terms.offer.restored(output).distance
    away = mechanism.stated_bound(distance, 1 - of_reports(terms))
    return _median(terms, output, mechanism.values, away, exact=False, reports=distance)


def stable_median_found(terms: PartTerms, output: Mapping[str, Any]) -> Median | Refused:
    """Return what a median says that was tested first: its noise is independent of the test that it passed."""
    mechanism = terms.mechanism
    if not isinstance(mechanism, StableMedian):
        raise TypeError(f"mechanism must test and draw a median, got {mechanism!r}")
    if terms.offer.restored(output).value is None:
        return Refused()
    steps = mechanism.noise.error_bound(1 - of_reports(terms)) if mechanism.noise else 0
    return _median(terms, output, mechanism.values, float((steps + _HALF) * mechanism.step), exact=True)


def stable_mode_found(terms: PartTerms, output: Mapping[str, Any]) -> Choice | Refused:
    """Return what a most common answer says that was tested first: by the reports, it is the most common one.

    All of the risk is for the reports. It is that of publishing a wrong bound at all, passed tests and refusals
    together.
    """
    mechanism = terms.mechanism
    if not isinstance(mechanism, StableMode):
        raise TypeError(f"mechanism must test the most common answer, got {mechanism!r}")
    chosen, scores = terms.offer.restored(output).answer, mechanism.scores
    if chosen is None:
        return Refused()
    labels = labels_of(terms.asked)[: len(scores.forms)]
    others = [other for other in range(len(labels)) if other != chosen]
    shortfall = shortfall_of_truth(scores, chosen, others, n=terms.n, risk=1 - terms.level(), of_reports=0.0)
    return Choice(labels[chosen], labels, shortfall, terms.n)


def _median(
    terms: PartTerms,
    output: Mapping[str, Any],
    values: tuple[Fraction, ...],
    away: float,
    *,
    exact: bool,
    reports: int | None = None,
) -> Median:
    width = float(values[-1] - values[0])
    return Median(
        value=terms.offer.restored(output).value,
        away=min(away, width),
        distance=_distance(terms),
        n=terms.n,
        scale=Scale(values[0], values[-1], unit_of(terms.asked)),
        values=values,
        exact=exact,
        reports=reports,
    )


def _distance(terms: PartTerms) -> float:
    """Return how many people are at most between the median of the reports, whichever it is, and their middle."""
    design, n, risk = terms.asked.design, terms.n, of_reports(terms)
    sums = cumulated(design.left_inverse, design.m)
    forms = tuple(distance_forms(_HALF, below, up_to, sums[-1]) for below, up_to in pairwise(sums))
    scores = Scores(forms)
    return max(rank_distance_of_truth(scores, code, n=n, risk=risk, of_reports=0.0) for code in range(design.k))
