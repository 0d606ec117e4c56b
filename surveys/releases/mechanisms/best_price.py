"""The price of the largest revenue, chosen by the exponential mechanism."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from surveys.charts import Table
from surveys.estimation.released.choices import shortfall_of_truth
from surveys.models import Mechanism
from surveys.numbers.words import at_most, localized, with_unit
from surveys.privacy.mechanisms.price import BestPrice
from surveys.releases.families.choices import ScoredPlan, choice_note
from surveys.releases.families.finding import CONFIDENCE_LEVEL, Candidate, Finding, candidates_with_drawn, facts_table
from surveys.releases.families.plan import EXPONENTIAL_MECHANISM, RELATION
from surveys.releases.families.questions import below_zero, no_bands


@dataclass(frozen=True, slots=True)
class ChosenPrice(Finding):
    """A price, and by how much its revenue may fall short of the best one.

    Attributes
    ----------
    price : Fraction
        The lower edge of a band.
    prices : tuple of Fraction
        All that could have been chosen.
    unit : str
        Of prices and revenue.
    shortfall : float
        In revenue from all n, by what people would truly pay.
    n : int
        How many answered.
    """

    price: Fraction
    prices: tuple[Fraction, ...]
    unit: str
    shortfall: float
    n: int

    family = "price"

    @property
    def a_person(self) -> float:
        """The shortfall for each of those who answered, on average."""
        return self.shortfall / self.n

    @property
    def is_uninformative(self) -> bool:
        """Whether no revenue could fall short by more: as much as all paying the highest price."""
        return not self.shortfall < self.prices[-1] * self.n

    @property
    def title(self) -> str:
        return _("Chosen as the price with the most revenue: %(price)s") % {"price": self.price_words}

    @property
    def note(self) -> str:
        return choice_note()

    def written(self, price: Fraction) -> str:
        return with_unit(localized(price), self.unit)

    @property
    def price_words(self) -> str:
        return self.written(self.price)

    @property
    def short_words(self) -> str:
        """By how much the revenue may fall short for each response, upwards, with its unit."""
        return with_unit(at_most(self.a_person, 2), self.unit)

    def numbers(self) -> dict[str, Any]:
        return {
            "chosen": str(self.price),
            "among": [str(price) for price in self.prices],
            "unit": self.unit,
            "revenue_short_at_most": self.shortfall,
        }

    def candidates(self) -> list[Candidate]:
        return candidates_with_drawn([self.written(price) for price in self.prices], self.price_words)

    def tables(self) -> list[Table]:
        revenue = with_unit(at_most(self.shortfall, 2), self.unit)
        rows = [
            (_("Chosen price"), self.price_words),
            (_("Maximum extra revenue at the truly best price (confidence 95%)"), revenue),
            (_("Maximum extra revenue per response, on average"), self.short_words),
        ]
        return [facts_table(rows)]


class BestPricePlan(ScoredPlan):
    """The lower edge of a band at which the revenue is largest; who prefers not to say buys nothing."""

    name = Mechanism.BEST_PRICE
    unit = "price"
    stored_names: ClassVar = {
        "index": gettext_lazy("Position of the answer, counting from 0"),
        "price": gettext_lazy("Price"),
    }
    sentence = gettext_lazy(
        "Publishes one price, the lower edge of a band, chosen at random so that prices with high revenue are "
        "more likely."
    )
    explanation = gettext_lazy(
        "This mechanism scores each price by the revenue it seems to bring, then draws a price at random. The "
        "higher the revenue, the more likely the price."
    )
    unsuitable_if = (no_bands, below_zero)
    accuracy_sentence = gettext_lazy(
        "With probability %(level)s, the revenue at the chosen price is at most %(amount)s below the "
        "largest revenue, as estimated from the reports."
    )
    references = (EXPONENTIAL_MECHANISM,)

    @cached_property
    def mechanism(self) -> BestPrice:
        return BestPrice(
            epsilon=self.loss.epsilon, relation=RELATION, design=self.question.design, prices=self.question.edges[:-1]
        )

    @property
    def largest_error(self) -> Fraction:
        return self.n * self.question.edges[-2]

    def error_from_reports(self, confidence_level: float = CONFIDENCE_LEVEL) -> float:
        return self.half_width_of_scores(confidence_level)

    def stored(self, output: Any) -> dict[str, Any]:  # noqa: ANN401 - Plan's signature
        return {"index": self.question.edges.index(output), "price": str(output)}

    def restored(self, stored: Mapping[str, Any]) -> Fraction:
        return Fraction(stored["price"])

    def read(self, output: Mapping[str, Any]) -> ChosenPrice:
        mechanism, price = self.mechanism, self.restored(output)
        chosen = mechanism.prices.index(price)
        others = [other for other in range(len(mechanism.prices)) if other != chosen]
        risk, of_noise = self.risk_of_reports, self.bound_of_noise
        return ChosenPrice(
            price=price,
            prices=mechanism.prices,
            unit=self.question.answers.unit,
            shortfall=shortfall_of_truth(mechanism.scored, chosen, others, n=self.n, risk=risk, of_reports=of_noise),
            n=self.n,
        )


PLAN = BestPricePlan
