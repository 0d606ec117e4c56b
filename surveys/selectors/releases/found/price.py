"""A price that was chosen for its revenue."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from surveys.estimation.released.choices import shortfall_of_truth
from surveys.privacy.mechanisms.price import BestPrice
from surveys.selectors.releases.found.risk import of_noise, of_reports
from surveys.selectors.releases.terms import PartTerms


@dataclass(frozen=True, slots=True)
class Price:
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

    @property
    def family(self) -> str:
        """How it is shown."""
        return "price"

    @property
    def a_person(self) -> float:
        """The shortfall for each of those who answered, on average."""
        return self.shortfall / self.n

    @property
    def says_nothing(self) -> bool:
        """Whether no revenue could fall short by more: as much as all paying the highest price."""
        return not self.shortfall < self.prices[-1] * self.n


def price_found(terms: PartTerms, output: Mapping[str, Any]) -> Price:
    """Return what a chosen price says."""
    mechanism = terms.mechanism
    if not isinstance(mechanism, BestPrice):
        raise TypeError(f"mechanism must choose a price, got {mechanism!r}")
    price = terms.offer.restored(output)
    chosen = mechanism.prices.index(price)
    others = [other for other in range(len(mechanism.prices)) if other != chosen]
    noise = of_noise(terms)
    return Price(
        price=price,
        prices=mechanism.prices,
        unit=terms.asked.details["unit"],
        shortfall=shortfall_of_truth(
            mechanism.scored, chosen, others, n=terms.n, risk=of_reports(terms), of_reports=noise
        ),
        n=terms.n,
    )
