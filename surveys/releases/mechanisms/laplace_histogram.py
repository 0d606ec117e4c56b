"""Counts with discrete Laplace noise."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from surveys.models import Mechanism
from surveys.models.asked_question import AskedQuestion
from surveys.privacy.adjacency import NeighbouringRelation
from surveys.privacy.loss import PrivacyLoss
from surveys.privacy.mechanisms.histogram import LaplaceHistogram
from surveys.releases.families.counts import HistogramOffer
from surveys.releases.families.noise import Source, laplace
from surveys.releases.families.questions import counted_of, length_of
from surveys.releases.families.references import CALIBRATED_NOISE, DISCRETE_NOISE, GEOMETRIC_NOISE


class LaplaceHistogramOffer(HistogramOffer[LaplaceHistogram]):
    """Every count with noise that is pure: it needs no δ."""

    name = Mechanism.LAPLACE_HISTOGRAM
    in_words = gettext_lazy("Numbers, with noise")
    sentence = gettext_lazy(
        "Publishes how many reports there are of each answer, with noise added to each count, and the "
        "resulting shares of people."
    )
    explanation = gettext_lazy(
        "This mechanism counts the reports and adds a random whole number to each count, usually a small one. "
        "With each step away from 0, a number becomes less likely by the same factor."
    )
    references = (CALIBRATED_NOISE, GEOMETRIC_NOISE, DISCRETE_NOISE)

    def mechanism(
        self, asked: AskedQuestion, options: Mapping[str, Any], loss: PrivacyLoss, relation: NeighbouringRelation
    ) -> LaplaceHistogram:
        """Return the noise on the counts."""
        return LaplaceHistogram(
            epsilon=loss.epsilon, relation=relation, counted=counted_of(asked), length=length_of(asked)
        )

    def noise(self, mechanism: LaplaceHistogram) -> list[Source]:
        """Return the noise on each count."""
        return [laplace("each count", mechanism.noise)]

    def sensitivity_words(self) -> str:
        """Say it of all counts."""
        return _("%(value)s: total change in the counts that get their own noise (L1)")


OFFER = LaplaceHistogramOffer()
