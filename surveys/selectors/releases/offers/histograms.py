"""Noisy counts: of the reports, or of several options each."""

from abc import abstractmethod
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from surveys.estimation import expected_half_width
from surveys.models import Mechanism
from surveys.models.definition import AskedQuestion
from surveys.privacy.adjacency import NeighbouringRelation
from surveys.privacy.designs import Design, against_rest
from surveys.privacy.loss import PrivacyLoss
from surveys.privacy.mechanisms.histogram import GaussianHistogram, LaplaceHistogram, NoisyHistogram
from surveys.privacy.mechanisms.one_count import OneCount
from surveys.selectors.releases.counting import counted_of, length_of
from surveys.selectors.releases.offer import Offer
from surveys.selectors.releases.offers.options import whole
from surveys.selectors.releases.offers.suitable import first_of, several_answers, two_answers, two_limits


class CountsOffer(Offer):
    """Any mechanism whose output is noisy counts; they leave each true answer's share off by a multiple."""

    unit = "answers"
    in_points = True

    def whole(self, asked: AskedQuestion, options: Mapping[str, Any], n: int) -> Fraction:
        """Return how far off counts make some share 0 instead of 1: counts move it `gain` times as far."""
        return n / gain(self.design(asked, options))

    def points_from_reports(
        self, asked: AskedQuestion, options: Mapping[str, Any], n: int, confidence_level: float
    ) -> float:
        """Return it for a share near one half, where it is largest, of the answer that the reports tell least of."""
        design = self.design(asked, options)
        return 100 * max(
            expected_half_width(n=n, design=design, prevalence=0.5, confidence_level=confidence_level, option=option)
            for option in range(design.k)
        )

    def stored(self, output: Any, asked: AskedQuestion) -> dict[str, Any]:  # noqa: ANN401 - Offer's signature
        """Return the noisy counts."""
        return {"noisy_counts": list(output)}

    def restored(self, stored: Mapping[str, Any]) -> tuple[int, ...]:
        """Return them as they were drawn."""
        return tuple(stored["noisy_counts"])


class HistogramOffer(CountsOffer):
    """Every report's count, or every option's: any question suits."""

    def unsuitable(self, asked: AskedQuestion) -> str:
        """Return "": counts of reports can be debiased whatever they are of."""
        return ""

    @abstractmethod
    def mechanism(
        self, asked: AskedQuestion, options: Mapping[str, Any], loss: PrivacyLoss, relation: NeighbouringRelation
    ) -> NoisyHistogram:
        """Return the noise on the counts."""


class LaplaceHistogramOffer(HistogramOffer):
    """Counts with discrete Laplace noise."""

    name = Mechanism.LAPLACE_HISTOGRAM

    def mechanism(
        self, asked: AskedQuestion, options: Mapping[str, Any], loss: PrivacyLoss, relation: NeighbouringRelation
    ) -> LaplaceHistogram:
        """Return the noise on the counts."""
        return LaplaceHistogram(
            epsilon=loss.epsilon, relation=relation, counted=counted_of(asked), length=length_of(asked)
        )


class GaussianHistogramOffer(HistogramOffer):
    """Counts with discrete Gaussian noise."""

    name = Mechanism.GAUSSIAN_HISTOGRAM
    uses_delta = True

    def mechanism(
        self, asked: AskedQuestion, options: Mapping[str, Any], loss: PrivacyLoss, relation: NeighbouringRelation
    ) -> GaussianHistogram:
        """Return the noise on the counts."""
        return GaussianHistogram(
            epsilon=loss.epsilon,
            delta=loss.delta,
            relation=relation,
            counted=counted_of(asked),
            length=length_of(asked),
        )


class OneCountOffer(CountsOffer):
    """How many give one of several answers, among them "prefer not to say" where it is one."""

    name = Mechanism.ONE_COUNT
    options = ("answer",)

    def unsuitable(self, asked: AskedQuestion) -> str:
        """Return why one count says less, or nothing, of this question."""
        return first_of(asked, several_answers, two_limits, two_answers)

    def read_option(self, asked: AskedQuestion, name: str, value: object) -> int:
        """Return the answer's code."""
        return whole(name, value, 0, asked.design.k - 1)

    def mechanism(
        self, asked: AskedQuestion, options: Mapping[str, Any], loss: PrivacyLoss, relation: NeighbouringRelation
    ) -> OneCount:
        """Return the noise on the count of this answer's reports."""
        return OneCount(epsilon=loss.epsilon, relation=relation, length=asked.design.m, answer=options["answer"])

    def design(self, asked: AskedQuestion, options: Mapping[str, Any]) -> Design:
        """Return the question read as "is it this answer?"."""
        return against_rest(asked.design, options["answer"])


def gain(design: Design) -> Fraction:
    """Return how many times as far as the counts any estimated number of people can be off.

    Counts that are each off by at most t move P⁻¹·counts by at most t times a row's absolute sum. Noise in one of two
    counts is taken from the other, and moves both estimates by 1/|slope|, which is that sum for two rows too.
    """
    return max(sum(map(abs, row), Fraction(0)) for row in design.inverse)
