"""Medians as numbers with noise, and which mechanisms answer for the same rank."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any, ClassVar

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from surveys.charts import Axis, IntervalChart, IntervalRow, Table, Tick
from surveys.estimation.released.choices import rank_distance_of_truth
from surveys.numbers.words import between_limits, exact_number, localized, says_too_little, with_unit
from surveys.privacy.mechanisms.median_grid import ReleasedMedian
from surveys.privacy.mechanisms.quantile import distance_forms
from surveys.privacy.mechanisms.scores import Scores, cumulated_forms
from surveys.questionnaire.asked_question import AskedQuestion
from surveys.releases.families.figure import NumberScale, high_of, low_of
from surveys.releases.families.finding import Finding, facts_table, people_words
from surveys.releases.families.plan import Plan
from surveys.releases.families.questions import Reason, no_order, not_saying, smallest_difference, unit_of

HALF = Fraction(1, 2)


@dataclass(frozen=True, slots=True)
class Median(Finding):
    """A noisy median.

    Attributes
    ----------
    value : Fraction
        As drawn, on a public grid.
    away : float
        How far from the median of the reports it is at most.
    distance : float
        How many people there may truly be between that median and the middle of all.
    n : int
        Of how many answers.
    scale : Scale
        The smallest and the largest value that an answer can stand for.
    facts : tuple of (str, str)
        What else was drawn, as the table says it.
    """

    value: Fraction
    away: float
    distance: float
    n: int
    scale: NumberScale
    facts: tuple[tuple[Promise, str], ...] = ()

    family = "median"

    @property
    def low(self) -> float:
        """The lowest that the median of the reports can be."""
        return max(float(self.scale.low), float(self.value) - self.away)

    @property
    def high(self) -> float:
        """The highest that the median of the reports can be."""
        return min(float(self.scale.high), float(self.value) + self.away)

    @property
    def points(self) -> float:
        return 100 * self.distance / self.n

    @property
    def is_uninformative(self) -> bool:
        """Whether the median of the reports can be anything, or that of the true answers whatever that is."""
        everything = self.low <= float(self.scale.low) and self.high >= float(self.scale.high)
        return everything or not self.points < 50

    @property
    def words(self) -> str:
        """The median as it was drawn, exactly, with its unit."""
        return with_unit(exact_number(self.value), self.scale.unit)

    @property
    def title(self) -> str:
        """About what it is, or between what that of the reports is."""
        if says_too_little(self.low, self.high, float(self.scale.high - self.scale.low)):
            median = _("Median of the reports")
            return f"{median}: {between_limits(low_of(self), high_of(self))}"
        return _("Median: about %(value)s") % {"value": self.words}

    @property
    def note(self) -> str:
        return _(
            "The risk that these limits are wrong is split equally between the noise of this release and the "
            "respondents’ coins."
        )

    def numbers(self) -> dict[str, Any]:
        return {
            "value": str(self.value),
            "unit": self.scale.unit,
            "low": self.low,
            "high": self.high,
            "people_between_at_most": self.distance,
        }

    def chart(self, name: str) -> IntervalChart:
        title, low, high = _("Median"), low_of(self), high_of(self)
        words = {"name": title, "value": self.words, "low": low, "high": high}
        row = IntervalRow(
            label=title,
            says=_("%(name)s: estimate %(value)s, interval %(low)s to %(high)s") % words,
            value=self.words,
            point=float(self.value),
            low=self.low,
            high=self.high,
        )
        ends = (self.scale.low, (self.scale.low + self.scale.high) / 2, self.scale.high)
        ticks = tuple(Tick(float(value), localized(value)) for value in ends)
        axis = Axis(float(self.scale.low), float(self.scale.high), ticks, self.scale.unit)
        return self.interval_chart(name, title=title, axis=axis, rows=[row])

    def tables(self) -> list[Table]:
        between = people_words(self.distance, self.n)
        rows = [
            (_("Median as drawn"), self.words),
            *((str(name), value) for name, value in self.facts),
            (_("Median of the reports: lower limit"), low_of(self)),
            (_("Median of the reports: upper limit"), high_of(self)),
            (_("Maximum number of people between the median of the reports and the true median"), between),
        ]
        return [facts_table(rows)]


class RankPlan(Plan):
    """Any mechanism that shows the answer of a rank: another one for the same rank shows the same."""

    @property
    def rank(self) -> Fraction:
        return HALF

    def answers(self, new: Plan) -> bool:
        return isinstance(new, RankPlan) and self.rank == new.rank


class MedianPlan(RankPlan):
    unit = "number"
    stored_names: ClassVar = {"value": gettext_lazy("Value")}
    unsuitable_if: ClassVar[tuple[Reason, ...]] = (no_order, not_saying)

    @property
    def largest_error(self) -> Fraction:
        return self.question.values[-1] - self.question.values[0]

    def stored(self, output: Any) -> dict[str, Any]:  # noqa: ANN401 - Plan's signature
        return {"value": None if output.value is None else str(output.value)}

    def restored(self, stored: Mapping[str, Any]) -> ReleasedMedian:
        return ReleasedMedian(None if stored["value"] is None else Fraction(stored["value"]))

    def median(
        self,
        released: ReleasedMedian,
        values: tuple[Fraction, ...],
        away: float,
        facts: tuple[tuple[Promise, str], ...] = (),
    ) -> Median:
        """Return what a median says that is so far away from that of the reports at most, among these values."""
        if released.value is None:
            raise TypeError(f"released must be a median, got {released!r}")
        return Median(
            value=released.value,
            away=min(away, float(values[-1] - values[0])),
            distance=self._distance,
            n=self.n,
            scale=NumberScale(values[0], values[-1], unit_of(self.question)),
            facts=facts,
        )

    @property
    def _distance(self) -> float:
        """How many people are at most between the median of the reports, whichever it is, and their middle."""
        design, n, risk = self.question.design, self.n, self.risk_of_reports
        sums = cumulated_forms(design.left_inverse, design.m)
        forms = tuple(distance_forms(HALF, below, up_to, sums[-1]) for below, up_to in pairwise(sums))
        scores = Scores(forms)
        return max(rank_distance_of_truth(scores, code, n=n, risk=risk, of_reports=0.0) for code in range(design.k))


def step_of(asked: AskedQuestion) -> Fraction:
    """Return the public step of released medians: the largest power of ten that is at most a hundredth of any gap."""
    finest = smallest_difference(asked) / 100
    step = Fraction(1)
    while step > finest:
        step /= 10
    while 10 * step <= finest:
        step *= 10
    return step
