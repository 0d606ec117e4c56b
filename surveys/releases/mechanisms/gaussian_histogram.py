"""Counts with discrete Gaussian noise."""

from functools import cached_property

from django.utils.translation import gettext_lazy

from surveys.models import Mechanism
from surveys.privacy.mechanisms.histogram import GaussianHistogram
from surveys.releases.families.counts import HistogramPlan
from surveys.releases.families.plan import DISCRETE_NOISE, RELATION, Plan
from surveys.releases.families.questions import counted_of, length_of


class GaussianHistogramPlan(HistogramPlan):
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
    sensitivity_sentence = gettext_lazy("%(value)s: the sum of the squared changes in the counts (squared L2 norm)")
    without_delta_sentence = gettext_lazy(
        "at this ε, discrete Laplace noise moves every count of “%(question)s” by at most %(laplace)s with "
        "probability %(level)s, and needs no δ. With discrete Gaussian noise, this limit is %(gaussian)s."
    )
    references = (
        DISCRETE_NOISE,
        (
            "Balle & Wang (2018)",
            "Improving the Gaussian mechanism for differential privacy: analytical calibration and optimal "
            "denoising, ICML.",
        ),
    )

    @cached_property
    def mechanism(self) -> GaussianHistogram:
        return GaussianHistogram(
            epsilon=self.loss.epsilon,
            delta=self.loss.delta,
            relation=RELATION,
            counted=counted_of(self.question),
            length=length_of(self.question),
        )

    @classmethod
    def same_without_delta(cls, other: type[Plan]) -> bool:
        return issubclass(other, HistogramPlan) and not other.uses_delta


PLAN = GaussianHistogramPlan
