"""The median with noise for a proposed bound on its sensitivity, or a refusal."""

import math
from collections.abc import Mapping
from fractions import Fraction
from functools import cached_property
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from surveys.models import Mechanism
from surveys.numbers.words import exact_number, with_unit
from surveys.privacy.mechanisms.stable_median import StableMedian
from surveys.releases.families.finding import StabilityRefusal, refusal_words
from surveys.releases.families.medians import HALF, Median, MedianPlan, step_of
from surveys.releases.families.noise import Source, laplace, stability
from surveys.releases.families.options import DecimalField, Option, Questions, read_number_between
from surveys.releases.families.plan import RELATION, STABILITY, Accuracy, Plan
from surveys.releases.families.questions import (
    no_order,
    not_saying,
    smallest_difference,
    too_few_numbers,
    unit_of,
)


def _read(questions: Questions, value: object) -> str:
    [asked] = questions
    values = asked.values
    return str(read_number_between("bound", value, smallest_difference(asked), values[-1] - values[0]))


def _words(plan: Plan, value: str) -> str:
    bound = with_unit(exact_number(Fraction(value)), unit_of(plan.question))
    return _("the proposed bound on how far one report can move the median: %(bound)s") % {"bound": bound}


BOUND = Option(
    name="bound",
    place=4,
    needs=gettext_lazy("how far one response may move the median"),
    field=lambda _questions: DecimalField(
        label=gettext_lazy("Maximum effect of one response on the median"),
        required=False,
        help_text=gettext_lazy(
            "In the unit of the question. A smaller bound adds less noise, but the test fails more often."
        ),
    ),
    read=_read,
    words=_words,
)


class StableMedianPlan(MedianPlan):
    """The median with noise for a proposed bound on its sensitivity, or a refusal."""

    name = Mechanism.STABLE_MEDIAN
    uses_delta = True
    fields = (BOUND,)
    sentence = gettext_lazy(
        "Publishes the median with noise if a test finds it stable. Otherwise shows only that the test was not "
        "passed. The budget is charged in both cases."
    )
    explanation = gettext_lazy(
        "A randomized test first checks whether the median is stable. It is stable if many reports would have "
        "to change before one more change could move it by more than the proposed bound. If the test is "
        "passed, the median is published with noise for that bound. Otherwise nothing is published."
    )
    unsuitable_if = (no_order, not_saying, too_few_numbers)
    sensitivity_sentence = gettext_lazy(
        "%(value)s for the number of reports that must change before the proposed bound is exceeded"
    )
    references = (STABILITY,)

    @cached_property
    def mechanism(self) -> StableMedian:
        return StableMedian(
            epsilon=self.loss.epsilon,
            delta=self.loss.delta,
            relation=RELATION,
            values=self.question.values,
            design=self.question.design,
            bound=Fraction(self.options["bound"]),
            step=step_of(self.question),
        )

    def noise(self) -> list[Source]:
        of_median = (
            [] if self.mechanism.noise is None else [laplace("median", self.mechanism.noise, self.mechanism.step)]
        )
        return [stability(self.mechanism.test), *of_median]

    def read(self, output: Mapping[str, Any]) -> Median | StabilityRefusal:
        """Return what a median says that was tested first: its noise is independent of the test that it passed."""
        mechanism, released = self.mechanism, self.restored(output)
        if released.value is None:
            return StabilityRefusal()
        steps = mechanism.noise.error_bound(1 - self.risk_of_reports) if mechanism.noise else 0
        return self.median(released, mechanism.values, float((steps + HALF) * mechanism.step))

    @classmethod
    def accuracy_words(cls, accuracy: Accuracy) -> str:
        """Say how far off it is if it is published, and when it may not be."""
        if accuracy.is_uninformative and accuracy.at_best == math.inf:
            return refusal_words()
        return _(
            "In the most favourable data, all reports are the same answer. With probability %(level)s, the "
            "median is then published and the noise moves it by at most %(best)s. For other data the test may "
            "fail. A failed test costs the same."
        )


PLAN = StableMedianPlan
