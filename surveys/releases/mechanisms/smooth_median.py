"""The median with Cauchy noise of its smooth sensitivity."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from surveys.models import Mechanism
from surveys.privacy.mechanisms.median_grid import ReleasedMedian
from surveys.privacy.mechanisms.smooth_median import SmoothMedian
from surveys.releases.families.medians import Median, MedianPlan, step_of
from surveys.releases.families.noise import Source, laplace
from surveys.releases.families.plan import RELATION, Accuracy
from surveys.releases.families.sums import bound_words

DISTANCE_WORDS = gettext_lazy("Number of reports that keep the median in place, with noise")


class SmoothMedianPlan(MedianPlan):
    """The median with Cauchy noise of its smooth sensitivity, and the noisy distance that says how much noise it is."""

    name = Mechanism.SMOOTH_MEDIAN
    stored_names: ClassVar = {**MedianPlan.stored_names, "distance": DISTANCE_WORDS}
    sentence = gettext_lazy(
        "Publishes the median and its possible error. The noise is small if many people are near the median."
    )
    explanation = gettext_lazy(
        "This mechanism takes the median and adds as much noise as these reports need. The noise is small if "
        "many reports would have to change before the median moves, and large if only a few would. That number "
        "of reports is published too, with its own noise, so that everyone can see the possible error. Half of "
        "ε pays for the noise. A quarter pays for fitting the noise to the reports, and a quarter for "
        "publishing the amount of noise."
    )
    sensitivity_sentence = gettext_lazy(
        "at most %(value)s. The noise matches how much these reports can change the median, smoothed so "
        "that the amount of noise reveals nothing"
    )
    exactness_sentence = gettext_lazy(
        "Cauchy noise is a real number. Random bits are drawn until they determine the step of the public "
        "grid to which this number rounds. No floating-point number is involved, and the total variation "
        "distance to the ideal noise, rounded to that grid, is 0."
    )
    references = (
        (
            "Nissim, Raskhodnikova & Smith (2007)",
            "Smooth sensitivity and sampling in private data analysis, STOC.",
        ),
    )

    @cached_property
    def mechanism(self) -> SmoothMedian:
        return SmoothMedian(
            epsilon=self.loss.epsilon,
            relation=RELATION,
            values=self.question.values,
            design=self.question.design,
            step=step_of(self.question),
        )

    def noise(self) -> list[Source]:
        return [
            Source(
                "median",
                "cauchy",
                {
                    "alpha": str(self.mechanism.alpha),
                    "beta": str(self.mechanism.beta),
                    "grid": str(self.mechanism.step),
                },
            ),
            laplace("distance", self.mechanism.of_distance),
        ]

    def stored(self, output: Any) -> dict[str, Any]:  # noqa: ANN401 - Plan's signature
        return super().stored(output) | {"distance": output.distance}

    def restored(self, stored: Mapping[str, Any]) -> ReleasedMedian:
        return replace(super().restored(stored), distance=stored["distance"])

    def read(self, output: Mapping[str, Any]) -> Median:
        """Return what a median with noise of its smooth sensitivity says: the distance shows how far off it is."""
        mechanism, distance = self.mechanism, int(output["distance"])
        away = mechanism.stated_bound(distance, 1 - self.risk_of_reports)
        facts = ((DISTANCE_WORDS, str(distance)),)
        return self.median(self.restored(output), mechanism.values, away, facts)

    @classmethod
    def accuracy_words(cls, accuracy: Accuracy) -> str:
        """Say what it is at best; one bound holds where answers are so many that none can do more."""
        if not accuracy.depends_on_data:
            return bound_words()
        return _(
            "With probability %(level)s, the noise has moved the median by no more than the limit that the "
            "release itself shows. For the most favourable data, with all reports the same answer, this limit "
            "is at most %(best)s in at least %(level)s of draws. For the least favourable data, the limit can "
            "be as much as %(amount)s, and nothing is learned."
        )


PLAN = SmoothMedianPlan
