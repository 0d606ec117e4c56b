"""Counts with discrete Laplace noise."""

from functools import cached_property

from django.utils.translation import gettext_lazy

from surveys.models import Mechanism
from surveys.privacy.mechanisms.histogram import LaplaceHistogram
from surveys.releases.families.counts import HistogramPlan
from surveys.releases.families.plan import CALIBRATED_NOISE, DISCRETE_NOISE, GEOMETRIC_NOISE, RELATION
from surveys.releases.families.questions import counted_of, length_of


class LaplaceHistogramPlan(HistogramPlan):
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
    sensitivity_sentence = gettext_lazy("%(value)s: total change in the counts that get their own noise (L1)")
    references = (CALIBRATED_NOISE, GEOMETRIC_NOISE, DISCRETE_NOISE)

    @cached_property
    def mechanism(self) -> LaplaceHistogram:
        return LaplaceHistogram(
            epsilon=self.loss.epsilon,
            relation=RELATION,
            counted=counted_of(self.question),
            length=length_of(self.question),
        )


PLAN = LaplaceHistogramPlan
