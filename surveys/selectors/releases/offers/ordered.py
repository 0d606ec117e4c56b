"""A place among ordered answers, chosen by the exponential mechanism: a quantile, or a price."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from surveys.models import Mechanism
from surveys.models.definition import AskedQuestion
from surveys.privacy.adjacency import NeighbouringRelation
from surveys.privacy.loss import PrivacyLoss
from surveys.privacy.mechanisms.price import BestPrice
from surveys.privacy.mechanisms.quantile import Quantile, QuantileScore
from surveys.selectors.releases.numbers import said
from surveys.selectors.releases.offer import Offer
from surveys.selectors.releases.offers.choices import ChoiceOffer
from surveys.selectors.releases.offers.options import share
from surveys.selectors.releases.offers.reports import half_width_of_scores
from surveys.selectors.releases.offers.suitable import below_zero, first_of, no_bands, no_order


class QuantileOffer(ChoiceOffer):
    """The answer that a share of those who say theirs is below, by how many people it is away from that rank."""

    name = Mechanism.QUANTILE
    unit = "rank"
    options = ("share",)

    def unsuitable(self, asked: AskedQuestion) -> str:
        """Return why its answers have no order."""
        return no_order(asked)

    def read_option(self, asked: AskedQuestion, name: str, value: object) -> str:
        """Return the share."""
        return str(share(name, value))

    def mechanism(
        self, asked: AskedQuestion, options: Mapping[str, Any], loss: PrivacyLoss, relation: NeighbouringRelation
    ) -> Quantile:
        """Return the choice, by the distance to the rank: at the best answer it is 0."""
        return Quantile(
            epsilon=loss.epsilon,
            relation=relation,
            design=asked.design,
            share=Fraction(options["share"]),
            score=QuantileScore.DISTANCE,
            ordered=said(asked),
        )

    def stored(self, output: Any, asked: AskedQuestion) -> dict[str, Any]:  # noqa: ANN401 - Offer's signature
        """Return the chosen answer."""
        return {"index": output, "label": asked.first.labels[output]}

    def restored(self, stored: Mapping[str, Any]) -> int:
        """Return its code."""
        return int(stored["index"])


class BestPriceOffer(Offer):
    """The lower edge of a band at which the revenue is largest; who prefers not to say buys nothing."""

    name = Mechanism.BEST_PRICE
    unit = "price"

    def unsuitable(self, asked: AskedQuestion) -> str:
        """Return why its answers are no prices."""
        return first_of(asked, no_bands, below_zero)

    def mechanism(
        self, asked: AskedQuestion, options: Mapping[str, Any], loss: PrivacyLoss, relation: NeighbouringRelation
    ) -> BestPrice:
        """Return the choice among the edges."""
        return BestPrice(epsilon=loss.epsilon, relation=relation, design=asked.design, prices=asked.edges[:-1])

    def whole(self, asked: AskedQuestion, options: Mapping[str, Any], n: int) -> Fraction:
        """Return the largest revenue there could be."""
        return n * asked.edges[-2]

    def number_from_reports(
        self, asked: AskedQuestion, options: Mapping[str, Any], n: int, confidence_level: float
    ) -> float:
        """Return it for the revenues."""
        scored = self.mechanism(asked, options, PrivacyLoss(Fraction(1)), NeighbouringRelation.REPLACE_ONE)
        return half_width_of_scores(scored, n, confidence_level)

    def stored(self, output: Any, asked: AskedQuestion) -> dict[str, Any]:  # noqa: ANN401 - Offer's signature
        """Return the chosen price, and which of the lower edges it is."""
        return {"index": asked.edges.index(output), "price": str(output)}

    def restored(self, stored: Mapping[str, Any]) -> Fraction:
        """Return the price."""
        return Fraction(stored["price"])
