"""The variance of a number among those who say theirs."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, ClassVar

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from surveys.estimation.released import estimate_released_variance
from surveys.models import Mechanism
from surveys.models.asked_question import AskedQuestion
from surveys.privacy.adjacency import NeighbouringRelation
from surveys.privacy.loss import PrivacyLoss
from surveys.privacy.mechanisms.variance import BoundedVariance, NoisyVariance
from surveys.releases.families.figure import Figure, squared_unit
from surveys.releases.families.mechanism import PartTerms
from surveys.releases.families.noise import Source
from surveys.releases.families.questions import first_of, limits_of, no_numbers, reported_numbers, too_few_numbers
from surveys.releases.families.references import BOUNDED_SUMS, GEOMETRIC_NOISE
from surveys.releases.families.sums import (
    ANY_LOSS,
    COUNT,
    REPLACE_ONE,
    SQUARES,
    STORED_NAMES,
    SUM,
    Number,
    SumOffer,
    error_of_shared,
    noise_on_shared,
    number_finding,
)


class VarianceOffer(SumOffer[BoundedVariance]):
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
    references = (BOUNDED_SUMS, GEOMETRIC_NOISE)

    def unsuitable(self, asked: AskedQuestion) -> str:
        """Return why its reports tell no variance."""
        return first_of(asked, no_numbers, too_few_numbers)

    def mechanism(
        self, asked: AskedQuestion, options: Mapping[str, Any], loss: PrivacyLoss, relation: NeighbouringRelation
    ) -> BoundedVariance:
        """Return the noise on the sums of the numbers and of their squares, and on how many they are of."""
        return BoundedVariance(epsilon=loss.epsilon, relation=relation, numbers=reported_numbers(asked))

    def noise(self, mechanism: BoundedVariance) -> list[Source]:
        """Return the noise on both sums, and on how many they are of."""
        return noise_on_shared(mechanism.parts, SQUARES, SUM)

    def largest_error(self, asked: AskedQuestion, options: Mapping[str, Any], n: int) -> Fraction:
        """Return the largest variance of numbers in the range."""
        low, high = limits_of(asked)
        return ((high - low) / 2) ** 2

    def stored(self, output: Any, asked: AskedQuestion) -> dict[str, Any]:  # noqa: ANN401 - Offer's signature
        """Return what was drawn, and the variance within what the range allows."""
        return {
            SUM: str(output.total),
            SQUARES: str(output.squares),
            COUNT: str(output.count),
            "variance": str(self.mechanism(asked, {}, ANY_LOSS, REPLACE_ONE).value(output)),
        }

    def restored(self, stored: Mapping[str, Any]) -> NoisyVariance:
        """Return what was drawn."""
        return NoisyVariance(Fraction(stored[SQUARES]), Fraction(stored[SUM]), Fraction(stored[COUNT]))

    def finding(self, terms: PartTerms, output: Mapping[str, Any]) -> Number:
        """Return what a released variance says."""
        mechanism = self.drawn_on(terms)
        estimate = estimate_released_variance(self.restored(output), terms.n, mechanism)
        return number_finding(
            terms,
            "variance",
            _name,
            raw=estimate.point,
            value=estimate.constrained,
            interval=estimate.interval(terms.level()),
            limits=(Fraction(0), mechanism.largest),
            unit=squared_unit,
        )

    def error_from_counts(self, terms: PartTerms, t: Fraction, n: int) -> Fraction | None:
        """Return it where the number of those who say theirs is public."""
        mechanism = self.drawn_on(terms)
        if not mechanism.numbers.everybody_says:
            return None
        return error_of_shared(mechanism.parts, t / n, abs(mechanism.numbers.middle - mechanism.numbers.centre))

    def sensitivity_words(self) -> str:
        """Say it of the squares."""
        return _("%(value)s for the sum of squares, measured from the middle of their range")


def _name(figure: Figure) -> str:
    return _("Variance among people who gave a number") if figure.among_those_who_say else _("Variance")


OFFER = VarianceOffer()
