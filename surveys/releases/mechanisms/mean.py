"""The mean of a number among those who say theirs."""

from collections.abc import Mapping
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

from django.utils.translation import gettext_lazy

from surveys.estimation.released.numbers import estimate_released_mean
from surveys.models import Mechanism
from surveys.privacy.mechanisms.mean import BoundedMean, NoisyMean
from surveys.releases.families.figure import mean_name
from surveys.releases.families.finding import CONFIDENCE_LEVEL
from surveys.releases.families.noise import Source
from surveys.releases.families.plan import BOUNDED_SUMS, GEOMETRIC_NOISE, RELATION
from surveys.releases.families.questions import limits_of, reported_numbers
from surveys.releases.families.sums import (
    COUNT,
    STORED_NAMES,
    SUM,
    Number,
    SumPlan,
    error_of_shared,
    noise_on_shared,
)


class MeanPlan(SumPlan):
    """The mean of a number among those who say theirs."""

    name = Mechanism.MEAN
    unit = "number"
    sums = frozenset({SUM, COUNT})
    stored_names: ClassVar = {SUM: STORED_NAMES[SUM], COUNT: STORED_NAMES[COUNT], "mean": gettext_lazy("Mean")}
    sentence = gettext_lazy("Publishes the total of all numbers, with noise added, and the resulting mean.")
    explanation = gettext_lazy(
        "This mechanism adds up exactly the values that the reports stand for, measured from the middle of the "
        "possible range. It then adds a random number of fixed-size steps and divides by the number of people. "
        "Where randomization hides who gives no number, noise is also added to the number of people."
    )
    sensitivity_sentence = gettext_lazy("%(value)s for the sum behind the mean")
    references = (BOUNDED_SUMS, GEOMETRIC_NOISE)

    @cached_property
    def mechanism(self) -> BoundedMean:
        return BoundedMean(epsilon=self.loss.epsilon, relation=RELATION, numbers=reported_numbers(self.question))

    def noise(self) -> list[Source]:
        return noise_on_shared(self.mechanism.parts, SUM)

    @property
    def largest_error(self) -> Fraction:
        low, high = limits_of(self.question)
        return high - low

    def error_from_reports(self, confidence_level: float = CONFIDENCE_LEVEL) -> float:
        """Return it where everybody says his number, and half of the people are at either end."""
        return self.half_width_of_mean(confidence_level)

    def stored(self, output: Any) -> dict[str, Any]:  # noqa: ANN401 - Plan's signature
        """Return Σ(x − middle) and how many numbers it is of, as drawn, and the mean within the range."""
        return {
            SUM: str(output.total),
            COUNT: str(output.count),
            "mean": str(self.mechanism.value(output)),
        }

    def restored(self, stored: Mapping[str, Any]) -> NoisyMean:
        return NoisyMean(Fraction(stored[SUM]), Fraction(stored[COUNT]))

    def read(self, output: Mapping[str, Any]) -> Number:
        mechanism = self.mechanism
        estimate = estimate_released_mean(self.restored(output), self.n, mechanism)
        return self.number(
            "mean",
            mean_name,
            raw=estimate.point,
            value=estimate.constrained,
            interval=estimate.interval(self.level()),
            limits=(mechanism.numbers.low, mechanism.numbers.high),
        )

    def of_total(self, n: int) -> Fraction:
        return Fraction(1, n)

    def error_from_counts(self, t: Fraction, n: int) -> Fraction | None:
        """Return it where the number of those who say theirs is public."""
        mechanism = self.mechanism
        return error_of_shared(mechanism.parts, t / n) if mechanism.numbers.everybody_says else None


PLAN = MeanPlan
