"""The total of a number over all who answered."""

from collections.abc import Mapping
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from surveys.estimation.released.numbers import estimate_released_total
from surveys.models import Mechanism
from surveys.privacy.mechanisms.total import BoundedTotal
from surveys.releases.families.finding import CONFIDENCE_LEVEL
from surveys.releases.families.noise import Source
from surveys.releases.families.plan import BOUNDED_SUMS, GEOMETRIC_NOISE, RELATION
from surveys.releases.families.questions import limits_of, reported_numbers
from surveys.releases.families.sums import (
    STORED_NAMES,
    SUM,
    Number,
    SumPlan,
    absolute,
    noise_on,
)


class TotalPlan(SumPlan):
    """The total of a number over all who answered; who prefers not to say adds nothing."""

    name = Mechanism.TOTAL
    unit = "total"
    sums = frozenset({SUM})
    stored_names: ClassVar = {SUM: STORED_NAMES[SUM]}
    sentence = gettext_lazy("Publishes the total of all people’s numbers, with noise added.")
    explanation = gettext_lazy(
        "This mechanism adds up the values that the reports stand for, without rounding. It then adds a random "
        "number of fixed-size steps to the sum. Usually this number is small."
    )
    sensitivity_sentence = gettext_lazy("%(value)s, the most by which one changed report can change the sum")
    references = (BOUNDED_SUMS, GEOMETRIC_NOISE)

    @cached_property
    def mechanism(self) -> BoundedTotal:
        return BoundedTotal(epsilon=self.loss.epsilon, relation=RELATION, values=reported_numbers(self.question).values)

    def noise(self) -> list[Source]:
        return [noise_on(self.mechanism)]

    @property
    def largest_error(self) -> Fraction:
        """How far totals of so many numbers are apart at most."""
        low, high = limits_of(self.question)
        return self.n * (
            max(high, Fraction(0)) - min(low, Fraction(0)) if self.question.protects_leaving_out else high - low
        )

    def error_from_reports(self, confidence_level: float = CONFIDENCE_LEVEL) -> float:
        """Return it where half of the people are at either end."""
        return self.n * self.half_width_of_mean(confidence_level)

    def stored(self, output: Any) -> dict[str, Any]:  # noqa: ANN401 - Plan's signature
        return {SUM: str(output)}

    def restored(self, stored: Mapping[str, Any]) -> Fraction:
        return Fraction(stored[SUM])

    def read(self, output: Mapping[str, Any]) -> Number:
        """Return what a released total says; who says no number counts for 0."""
        mechanism, numbers = self.mechanism, reported_numbers(self.question)
        estimate = estimate_released_total(self.restored(output), self.n, mechanism, numbers)
        ends = (numbers.low, numbers.high, *(() if numbers.everybody_says else (Fraction(0),)))
        low, high = self.n * min(ends), self.n * max(ends)
        return self.number(
            "total",
            lambda _figure: _("Total"),
            raw=estimate.point,
            value=min(max(estimate.point, float(low)), float(high)),
            interval=estimate.interval(self.level()),
            limits=(low, high),
            of_all=True,
        )

    def of_total(self, n: int) -> Fraction:
        return Fraction(1)

    def error_from_counts(self, t: Fraction, n: int) -> Fraction:
        """Return it of the sum of what the reports count for."""
        numbers = reported_numbers(self.question)
        return t * absolute(numbers.deviations if numbers.everybody_says else numbers.values)


PLAN = TotalPlan
