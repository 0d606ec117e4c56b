"""Counts with discrete Gaussian noise."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from surveys.models import Mechanism
from surveys.models.asked_question import AskedQuestion
from surveys.privacy.adjacency import NeighbouringRelation
from surveys.privacy.loss import PrivacyLoss
from surveys.privacy.mechanisms.histogram import GaussianHistogram
from surveys.releases.families.counts import HistogramOffer
from surveys.releases.families.mechanism import Offer
from surveys.releases.families.noise import Source, gaussian
from surveys.releases.families.questions import counted_of, length_of
from surveys.releases.families.references import DISCRETE_NOISE


class GaussianHistogramOffer(HistogramOffer[GaussianHistogram]):
    """Every count with noise that has lighter tails, at the price of a δ."""

    name = Mechanism.GAUSSIAN_HISTOGRAM
    uses_delta = True
    sentence = gettext_lazy(
        "Publishes how many reports there are of each answer, with Gaussian instead of Laplace noise. Gaussian "
        "noise is smaller with many answers or several options, but needs a δ."
    )
    explanation = gettext_lazy(
        "This mechanism counts the reports and adds a random whole number to each count. The number is drawn "
        "from a bell-shaped distribution, where large numbers are rarer than with Laplace noise. The price is "
        "that probabilities may differ between neighbours by a further, very small δ."
    )
    references = (
        DISCRETE_NOISE,
        (
            "Balle & Wang (2018)",
            "Improving the Gaussian mechanism for differential privacy: analytical calibration and optimal "
            "denoising, ICML.",
        ),
    )

    def mechanism(
        self, asked: AskedQuestion, options: Mapping[str, Any], loss: PrivacyLoss, relation: NeighbouringRelation
    ) -> GaussianHistogram:
        """Return the noise on the counts."""
        return GaussianHistogram(
            epsilon=loss.epsilon,
            delta=loss.delta,
            relation=relation,
            counted=counted_of(asked),
            length=length_of(asked),
        )

    def noise(self, mechanism: GaussianHistogram) -> list[Source]:
        """Return the noise on each count."""
        return [gaussian("each count", mechanism.noise)]

    def sensitivity_words(self) -> str:
        """Say it of all counts."""
        return _("%(value)s: the sum of the squared changes in the counts (squared L2 norm)")

    def same_without_delta(self, other: Offer[Any]) -> bool:
        """Whether it publishes all counts too."""
        return isinstance(other, HistogramOffer) and not other.uses_delta

    def without_delta_words(self, *, question: str, pure: str, gaussian: str, level: str) -> str:
        """Say that the same without a δ is no worse."""
        return _(
            "at this ε, discrete Laplace noise moves every count of “%(question)s” by at most %(laplace)s with "
            "probability %(level)s, and needs no δ. With discrete Gaussian noise, this limit is %(gaussian)s."
        ) % {"question": question, "laplace": pure, "gaussian": gaussian, "level": level}


OFFER = GaussianHistogramOffer()
