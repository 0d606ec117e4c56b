"""The mean of a number among those who say theirs."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, ClassVar

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from surveys.estimation.released import estimate_released_mean
from surveys.models import Mechanism
from surveys.models.asked_question import AskedQuestion
from surveys.privacy.adjacency import NeighbouringRelation
from surveys.privacy.loss import PrivacyLoss
from surveys.privacy.mechanisms.mean import BoundedMean, NoisyMean
from surveys.releases.families.figure import mean_name
from surveys.releases.families.mechanism import PartTerms
from surveys.releases.families.noise import Source
from surveys.releases.families.questions import limits_of, reported_numbers
from surveys.releases.families.references import BOUNDED_SUMS, GEOMETRIC_NOISE
from surveys.releases.families.sums import (
    ANY_LOSS,
    COUNT,
    REPLACE_ONE,
    STORED_NAMES,
    SUM,
    Number,
    SumOffer,
    error_of_shared,
    half_width_of_mean,
    noise_on_shared,
    number_finding,
)


class MeanOffer(SumOffer[BoundedMean]):
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
    references = (BOUNDED_SUMS, GEOMETRIC_NOISE)

    def mechanism(
        self, asked: AskedQuestion, options: Mapping[str, Any], loss: PrivacyLoss, relation: NeighbouringRelation
    ) -> BoundedMean:
        """Return the noise on the debiased sum, and on the number of those who say theirs."""
        return BoundedMean(epsilon=loss.epsilon, relation=relation, numbers=reported_numbers(asked))

    def noise(self, mechanism: BoundedMean) -> list[Source]:
        """Return the noise on the sum, and on how many it is of."""
        return noise_on_shared(mechanism.parts, SUM)

    def largest_error(self, asked: AskedQuestion, options: Mapping[str, Any], n: int) -> Fraction:
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
            SUM: str(output.total),
            COUNT: str(output.count),
            "mean": str(self.mechanism(asked, {}, ANY_LOSS, REPLACE_ONE).value(output)),
        }

    def restored(self, stored: Mapping[str, Any]) -> NoisyMean:
        """Return what was drawn."""
        return NoisyMean(Fraction(stored[SUM]), Fraction(stored[COUNT]))

    def finding(self, terms: PartTerms, output: Mapping[str, Any]) -> Number:
        """Return what a released mean says."""
        mechanism = self.drawn_on(terms)
        estimate = estimate_released_mean(self.restored(output), terms.n, mechanism)
        return number_finding(
            terms,
            "mean",
            mean_name,
            raw=estimate.point,
            value=estimate.constrained,
            interval=estimate.interval(terms.level()),
            limits=(mechanism.numbers.low, mechanism.numbers.high),
        )

    def of_total(self, n: int) -> Fraction:
        """Return the share of each answer."""
        return Fraction(1, n)

    def error_from_counts(self, terms: PartTerms, t: Fraction, n: int) -> Fraction | None:
        """Return it where the number of those who say theirs is public."""
        mechanism = self.drawn_on(terms)
        return error_of_shared(mechanism.parts, t / n) if mechanism.numbers.everybody_says else None

    def sensitivity_words(self) -> str:
        """Say it of the sum."""
        return _("%(value)s for the sum behind the mean")


OFFER = MeanOffer()
