"""The total of a number over all who answered."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, ClassVar

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from surveys.estimation.released import estimate_released_total
from surveys.models import Mechanism
from surveys.models.asked_question import AskedQuestion
from surveys.privacy.adjacency import NeighbouringRelation
from surveys.privacy.loss import PrivacyLoss
from surveys.privacy.mechanisms.total import BoundedTotal
from surveys.releases.families.mechanism import PartTerms
from surveys.releases.families.noise import Source
from surveys.releases.families.questions import limits_of, reported_numbers
from surveys.releases.families.references import BOUNDED_SUMS, GEOMETRIC_NOISE
from surveys.releases.families.sums import (
    STORED_NAMES,
    SUM,
    Number,
    SumOffer,
    absolute,
    half_width_of_mean,
    noise_on,
    number_finding,
)


class TotalOffer(SumOffer[BoundedTotal]):
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
    references = (BOUNDED_SUMS, GEOMETRIC_NOISE)

    def mechanism(
        self, asked: AskedQuestion, options: Mapping[str, Any], loss: PrivacyLoss, relation: NeighbouringRelation
    ) -> BoundedTotal:
        """Return the noise on the debiased sum."""
        return BoundedTotal(epsilon=loss.epsilon, relation=relation, values=reported_numbers(asked).values)

    def noise(self, mechanism: BoundedTotal) -> list[Source]:
        """Return the noise on the sum."""
        return [noise_on(mechanism)]

    def largest_error(self, asked: AskedQuestion, options: Mapping[str, Any], n: int) -> Fraction:
        """Return how far totals of so many numbers are apart at most."""
        low, high = limits_of(asked)
        return n * (max(high, Fraction(0)) - min(low, Fraction(0)) if asked.protects_leaving_out else high - low)

    def number_from_reports(
        self, asked: AskedQuestion, options: Mapping[str, Any], n: int, confidence_level: float
    ) -> float:
        """Return it where half of the people are at either end."""
        return n * half_width_of_mean(asked, n, confidence_level)

    def stored(self, output: Any, asked: AskedQuestion) -> dict[str, Any]:  # noqa: ANN401 - Offer's signature
        return {SUM: str(output)}

    def restored(self, stored: Mapping[str, Any]) -> Fraction:
        return Fraction(stored[SUM])

    def finding(self, terms: PartTerms, output: Mapping[str, Any]) -> Number:
        """Return what a released total says; who says no number counts for 0."""
        mechanism, numbers = self.drawn_on(terms), reported_numbers(terms.asked)
        estimate = estimate_released_total(self.restored(output), terms.n, mechanism, numbers)
        ends = (numbers.low, numbers.high, *(() if numbers.everybody_says else (Fraction(0),)))
        low, high = terms.n * min(ends), terms.n * max(ends)
        return number_finding(
            terms,
            "total",
            lambda _figure: _("Total"),
            raw=estimate.point,
            value=min(max(estimate.point, float(low)), float(high)),
            interval=estimate.interval(terms.level()),
            limits=(low, high),
            of_all=True,
        )

    def of_total(self, n: int) -> Fraction:
        """Return 1: it is one."""
        return Fraction(1)

    def error_from_counts(self, terms: PartTerms, t: Fraction, n: int) -> Fraction:
        """Return it of the sum of what the reports count for."""
        numbers = reported_numbers(terms.asked)
        return t * absolute(numbers.deviations if numbers.everybody_says else numbers.values)

    def sensitivity_words(self) -> str:
        """Say it of the sum."""
        return _("%(value)s, the most by which one changed report can change the sum")


OFFER = TotalOffer()
