"""Sums of numbers: total, mean, variance. Stored is what was drawn, exact on its grid, and what is read off it."""

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from surveys.estimation.intervals import normal_quantile
from surveys.models import Mechanism
from surveys.models.definition import AskedQuestion
from surveys.privacy.adjacency import NeighbouringRelation
from surveys.privacy.loss import PrivacyLoss
from surveys.privacy.mechanisms.mean import BoundedMean, NoisyMean
from surveys.privacy.mechanisms.total import BoundedTotal
from surveys.privacy.mechanisms.variance import BoundedVariance, NoisyVariance
from surveys.selectors.releases.numbers import limits_of, reported_numbers
from surveys.selectors.releases.offer import Offer
from surveys.selectors.releases.offers.reports import deviation_between_ends
from surveys.selectors.releases.offers.suitable import first_of, no_numbers, too_few_numbers

_ANY = PrivacyLoss(Fraction(1))
"""What is read off a draw does not depend on what it cost."""

REPLACE_ONE = NeighbouringRelation.REPLACE_ONE


class TotalOffer(Offer):
    """The total of a number over all who answered; who prefers not to say adds nothing."""

    name = Mechanism.TOTAL
    unit = "total"

    def unsuitable(self, asked: AskedQuestion) -> str:
        """Return why its answers have no sum."""
        return no_numbers(asked)

    def mechanism(
        self, asked: AskedQuestion, options: Mapping[str, Any], loss: PrivacyLoss, relation: NeighbouringRelation
    ) -> BoundedTotal:
        """Return the noise on the debiased sum."""
        return BoundedTotal(epsilon=loss.epsilon, relation=relation, values=reported_numbers(asked).values)

    def whole(self, asked: AskedQuestion, options: Mapping[str, Any], n: int) -> Fraction:
        """Return how far totals of so many numbers are apart at most."""
        low, high = limits_of(asked)
        return n * (max(high, Fraction(0)) - min(low, Fraction(0)) if asked.protects_leaving_out else high - low)

    def number_from_reports(
        self, asked: AskedQuestion, options: Mapping[str, Any], n: int, confidence_level: float
    ) -> float:
        """Return it where half of the people are at either end."""
        return n * half_width_of_mean(asked, n, confidence_level)

    def stored(self, output: Any, asked: AskedQuestion) -> dict[str, Any]:  # noqa: ANN401 - Offer's signature
        """Return the total."""
        return {"total": str(output)}

    def restored(self, stored: Mapping[str, Any]) -> Fraction:
        """Return it."""
        return Fraction(stored["total"])


class MeanOffer(Offer):
    """The mean of a number among those who say theirs."""

    name = Mechanism.MEAN
    unit = "number"

    def unsuitable(self, asked: AskedQuestion) -> str:
        """Return why its answers have no mean."""
        return no_numbers(asked)

    def mechanism(
        self, asked: AskedQuestion, options: Mapping[str, Any], loss: PrivacyLoss, relation: NeighbouringRelation
    ) -> BoundedMean:
        """Return the noise on the debiased sum, and on the number of those who say theirs."""
        return BoundedMean(epsilon=loss.epsilon, relation=relation, numbers=reported_numbers(asked))

    def whole(self, asked: AskedQuestion, options: Mapping[str, Any], n: int) -> Fraction:
        """Return the width of the range."""
        low, high = limits_of(asked)
        return high - low

    def number_from_reports(
        self, asked: AskedQuestion, options: Mapping[str, Any], n: int, confidence_level: float
    ) -> float:
        """Return it where everybody says his number, and half of the people are at either end."""
        return half_width_of_mean(asked, n, confidence_level)

    def stored(self, output: Any, asked: AskedQuestion) -> dict[str, Any]:  # noqa: ANN401 - Offer's signature
        """Return Σ(x − middle) and how many numbers it is of, as drawn, and the mean within the range."""
        return {
            "total": str(output.total),
            "count": str(output.count),
            "mean": str(self.mechanism(asked, {}, _ANY, REPLACE_ONE).value(output)),
        }

    def restored(self, stored: Mapping[str, Any]) -> NoisyMean:
        """Return what was drawn."""
        return NoisyMean(Fraction(stored["total"]), Fraction(stored["count"]))


class VarianceOffer(Offer):
    """The variance of a number among those who say theirs."""

    name = Mechanism.VARIANCE
    unit = "square"

    def unsuitable(self, asked: AskedQuestion) -> str:
        """Return why its reports tell no variance."""
        return first_of(asked, no_numbers, too_few_numbers)

    def mechanism(
        self, asked: AskedQuestion, options: Mapping[str, Any], loss: PrivacyLoss, relation: NeighbouringRelation
    ) -> BoundedVariance:
        """Return the noise on the sums of the numbers and of their squares, and on how many they are of."""
        return BoundedVariance(epsilon=loss.epsilon, relation=relation, numbers=reported_numbers(asked))

    def whole(self, asked: AskedQuestion, options: Mapping[str, Any], n: int) -> Fraction:
        """Return the largest variance of numbers in the range."""
        low, high = limits_of(asked)
        return ((high - low) / 2) ** 2

    def stored(self, output: Any, asked: AskedQuestion) -> dict[str, Any]:  # noqa: ANN401 - Offer's signature
        """Return what was drawn, and the variance within what the range allows."""
        return {
            "total": str(output.total),
            "squares": str(output.squares),
            "count": str(output.count),
            "variance": str(self.mechanism(asked, {}, _ANY, REPLACE_ONE).value(output)),
        }

    def restored(self, stored: Mapping[str, Any]) -> NoisyVariance:
        """Return what was drawn."""
        return NoisyVariance(Fraction(stored["squares"]), Fraction(stored["total"]), Fraction(stored["count"]))


def half_width_of_mean(asked: AskedQuestion, n: int, confidence_level: float) -> float:
    """Return how far off chance in the reports makes the mean of the values that the reports count for."""
    numbers = reported_numbers(asked)
    deviation = deviation_between_ends(numbers.values, numbers.numbers, asked.design)
    return normal_quantile(confidence_level) * deviation / math.sqrt(n)
