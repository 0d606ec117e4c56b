"""Every mechanism that the product offers, by the name that is stored."""

from surveys.models import Mechanism
from surveys.selectors.releases.offer import Offer
from surveys.selectors.releases.offers.bounds import BoundsOffer
from surveys.selectors.releases.offers.choices import MostCommonOffer, PermuteAndFlipOffer, TopOffer
from surveys.selectors.releases.offers.histograms import GaussianHistogramOffer, LaplaceHistogramOffer, OneCountOffer
from surveys.selectors.releases.offers.medians import SmoothMedianOffer, StableMedianOffer
from surveys.selectors.releases.offers.modes import StableModeOffer
from surveys.selectors.releases.offers.ordered import BestPriceOffer, QuantileOffer
from surveys.selectors.releases.offers.sums import MeanOffer, TotalOffer, VarianceOffer

_ALL: tuple[Offer, ...] = (
    LaplaceHistogramOffer(),
    GaussianHistogramOffer(),
    OneCountOffer(),
    MostCommonOffer(),
    PermuteAndFlipOffer(),
    TopOffer(),
    QuantileOffer(),
    BestPriceOffer(),
    TotalOffer(),
    MeanOffer(),
    VarianceOffer(),
    BoundsOffer(),
    SmoothMedianOffer(),
    StableModeOffer(),
    StableMedianOffer(),
)

OFFERS: dict[str, Offer] = {str(offer.name): offer for offer in _ALL}

__all__ = ["OFFERS", "Mechanism"]
