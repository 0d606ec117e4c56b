"""Medians with noise for the data at hand: smooth sensitivity, and propose-test-release."""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from surveys.models import Mechanism
from surveys.models.definition import AskedQuestion
from surveys.privacy.adjacency import NeighbouringRelation
from surveys.privacy.loss import PrivacyLoss
from surveys.privacy.mechanisms.mechanism import CentralMechanism
from surveys.privacy.mechanisms.smooth_median import ReleasedMedian, SmoothMedian
from surveys.privacy.mechanisms.stable_median import StableMedian
from surveys.selectors.releases.numbers import smallest_difference
from surveys.selectors.releases.offer import Offer
from surveys.selectors.releases.offers.options import between
from surveys.selectors.releases.offers.suitable import first_of, no_order, not_saying, too_few_numbers


class MedianOffer(Offer):
    """A median as a number, on a public grid."""

    unit = "number"

    def unsuitable(self, asked: AskedQuestion) -> str:
        """Return why its answers have no median."""
        return first_of(asked, no_order, not_saying)

    def whole(self, asked: AskedQuestion, options: Mapping[str, Any], n: int) -> Fraction:
        """Return how far medians are apart at most."""
        return asked.values[-1] - asked.values[0]

    def stored(self, output: Any, asked: AskedQuestion) -> dict[str, Any]:  # noqa: ANN401 - Offer's signature
        """Return the median, or null where it was refused."""
        return {"value": None if output.value is None else str(output.value)}

    def restored(self, stored: Mapping[str, Any]) -> ReleasedMedian:
        """Return it as it was drawn."""
        return ReleasedMedian(None if stored["value"] is None else Fraction(stored["value"]))


class SmoothMedianOffer(MedianOffer):
    """The median with Cauchy noise of its smooth sensitivity, and the noisy distance that says how much noise it is."""

    name = Mechanism.SMOOTH_MEDIAN

    def mechanism(
        self, asked: AskedQuestion, options: Mapping[str, Any], loss: PrivacyLoss, relation: NeighbouringRelation
    ) -> CentralMechanism[ReleasedMedian]:
        """Return the noise on the debiased median."""
        return SmoothMedian(
            epsilon=loss.epsilon,
            relation=relation,
            values=asked.values,
            design=asked.design,
            step=step_of(asked),
        )

    def stored(self, output: Any, asked: AskedQuestion) -> dict[str, Any]:  # noqa: ANN401 - Offer's signature
        """Return the median and the distance."""
        return super().stored(output, asked) | {"distance": output.distance}

    def restored(self, stored: Mapping[str, Any]) -> ReleasedMedian:
        """Return both as they were drawn."""
        return replace(super().restored(stored), distance=stored["distance"])


class StableMedianOffer(MedianOffer):
    """The median with noise for a proposed bound on its sensitivity, or a refusal."""

    name = Mechanism.STABLE_MEDIAN
    uses_delta = True
    options = ("bound",)

    def unsuitable(self, asked: AskedQuestion) -> str:
        """Return why there is no median, or nothing to test."""
        return first_of(asked, no_order, not_saying, too_few_numbers)

    def read_option(self, asked: AskedQuestion, name: str, value: object) -> str:
        """Return the bound."""
        values = asked.values
        return str(between(name, value, smallest_difference(asked), values[-1] - values[0]))

    def mechanism(
        self, asked: AskedQuestion, options: Mapping[str, Any], loss: PrivacyLoss, relation: NeighbouringRelation
    ) -> CentralMechanism[ReleasedMedian]:
        """Return the test, and the noise where it is passed."""
        return StableMedian(
            epsilon=loss.epsilon,
            delta=loss.delta,
            relation=relation,
            values=asked.values,
            design=asked.design,
            bound=Fraction(options["bound"]),
            step=step_of(asked),
        )


def step_of(asked: AskedQuestion) -> Fraction:
    """Return the public step of released medians: the largest power of ten that is at most a hundredth of any gap."""
    finest = smallest_difference(asked) / 100
    step = Fraction(1)
    while step > finest:
        step /= 10
    while 10 * step <= finest:
        step *= 10
    return step
