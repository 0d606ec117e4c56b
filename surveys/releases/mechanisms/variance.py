"""The variance of a number among those who say theirs."""

from collections.abc import Mapping
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from surveys.estimation.released.numbers import estimate_released_variance
from surveys.models import Mechanism
from surveys.privacy.mechanisms.variance import BoundedVariance, NoisyVariance
from surveys.releases.families.figure import Figure, squared_unit
from surveys.releases.families.noise import Source
from surveys.releases.families.plan import BOUNDED_SUMS, GEOMETRIC_NOISE, RELATION
from surveys.releases.families.questions import limits_of, no_numbers, reported_numbers, too_few_numbers
from surveys.releases.families.sums import (
    COUNT,
    SQUARES,
    STORED_NAMES,
    SUM,
    Number,
    SumPlan,
    error_of_shared,
    noise_on_shared,
)


class VariancePlan(SumPlan):
    """The variance of a number among those who say theirs."""

    name = Mechanism.VARIANCE
    unit = "square"
    sums = frozenset({SQUARES, SUM, COUNT})
    stored_names: ClassVar = {**STORED_NAMES, "variance": gettext_lazy("Variance")}
    sentence = gettext_lazy("Publishes two noisy sums, and how spread out people’s numbers are (their variance).")
    explanation = gettext_lazy(
        "This mechanism adds up the numbers and their squares exactly and adds a random number of steps to "
        "each sum. It computes the variance from these two noisy sums. Where randomization hides who gives no "
        "number, noise is also added to the number of people who give one."
    )
    unsuitable_if = (no_numbers, too_few_numbers)
    sensitivity_sentence = gettext_lazy("%(value)s for the sum of squares, measured from the middle of their range")
    references = (BOUNDED_SUMS, GEOMETRIC_NOISE)

    @cached_property
    def mechanism(self) -> BoundedVariance:
        return BoundedVariance(epsilon=self.loss.epsilon, relation=RELATION, numbers=reported_numbers(self.question))

    def noise(self) -> list[Source]:
        return noise_on_shared(self.mechanism.parts, SQUARES, SUM)

    @property
    def largest_error(self) -> Fraction:
        low, high = limits_of(self.question)
        return ((high - low) / 2) ** 2

    def stored(self, output: Any) -> dict[str, Any]:  # noqa: ANN401 - Plan's signature
        return {
            SUM: str(output.total),
            SQUARES: str(output.squares),
            COUNT: str(output.count),
            "variance": str(self.mechanism.value(output)),
        }

    def restored(self, stored: Mapping[str, Any]) -> NoisyVariance:
        return NoisyVariance(Fraction(stored[SQUARES]), Fraction(stored[SUM]), Fraction(stored[COUNT]))

    def read(self, output: Mapping[str, Any]) -> Number:
        mechanism = self.mechanism
        estimate = estimate_released_variance(self.restored(output), self.n, mechanism)
        return self.number(
            "variance",
            _name,
            raw=estimate.point,
            value=estimate.constrained,
            interval=estimate.interval(self.level()),
            limits=(Fraction(0), mechanism.largest),
            unit=squared_unit,
        )

    def error_from_counts(self, t: Fraction, n: int) -> Fraction | None:
        """Return it where the number of those who say theirs is public."""
        mechanism = self.mechanism
        if not mechanism.numbers.everybody_says:
            return None
        return error_of_shared(mechanism.parts, t / n, abs(mechanism.numbers.middle - mechanism.numbers.centre))


def _name(figure: Figure) -> str:
    return _("Variance among people who gave a number") if figure.among_those_who_say else _("Variance")


PLAN = VariancePlan
