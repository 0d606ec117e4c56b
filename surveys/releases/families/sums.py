"""Sums of numbers. Stored is what was drawn, exact on its grid, and what is read off it."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from surveys.charts import IntervalChart, Table
from surveys.estimation.intervals.binomial import normal_quantile
from surveys.estimation.intervals.interval import ScalarInterval
from surveys.privacy.decimals import float_not_below
from surveys.privacy.designs import Design
from surveys.privacy.mechanisms.shared_sums import SharedSums
from surveys.privacy.mechanisms.total import BoundedTotal
from surveys.releases.families.figure import Figure, KeyFigure, NumberScale, figure_note
from surveys.releases.families.finding import Finding
from surveys.releases.families.noise import Source, laplace
from surveys.releases.families.plan import Accuracy, Plan
from surveys.releases.families.questions import Reason, no_numbers, reported_numbers, unit_of

SUM, SQUARES, COUNT = "total", "squares", "count"
"""What is drawn, as it is stored and as JSON names what noise is on."""

STORED_NAMES = {
    SUM: gettext_lazy("Noisy total"),
    SQUARES: gettext_lazy("Noisy total of squares"),
    COUNT: gettext_lazy("Noisy count"),
}


@dataclass(frozen=True, slots=True)
class Number(Finding):
    """A released number.

    Attributes
    ----------
    what : str
        What it is called in JSON.
    name : callable
        Says what the figure is called on pages.
    figure : Figure
        The number with its interval; a variance in the squared unit.
    middles : bool
        Whether numbers are known by their bands only, so that each counts as the middle of its band.
    method : str
        Of the interval: ``"exact"`` or ``"chernoff"``.
    """

    what: str
    name: Callable[[Figure], str]
    figure: Figure
    middles: bool
    method: str

    family = "number"

    @property
    def is_uninformative(self) -> bool:
        """Whether the interval leaves all but everything possible."""
        return self.figure.is_uninformative

    @property
    def figure_name(self) -> str:
        return self.name(self.figure)

    @property
    def title(self) -> str:
        return self.figure.title(self.figure_name)

    def key_figure(self) -> KeyFigure:
        return self.figure.key(self.figure_name)

    @property
    def note(self) -> str:
        if not self.middles:
            return figure_note()
        middles = _(
            "The question asked only for bands, so each number counts as the middle of its band. Using middles "
            "widens the interval."
        )
        return f"{figure_note()} {middles}"

    def numbers(self) -> dict[str, Any]:
        return {
            "what": self.what,
            "method": self.method,
            "middles_of_bands": self.middles,
            **self.figure.document(),
        }

    def chart(self, name: str) -> IntervalChart:
        title = self.figure_name
        return self.interval_chart(name, title=title, axis=self.figure.axis, rows=[self.figure.row(title)])

    def tables(self) -> list[Table]:
        return [self.figure.table(self.figure_name)]


class SumPlan(Plan):
    """A number that is read off noisy sums over all who answered."""

    # Which sums are drawn: drawing at least these includes what another would.
    sums: ClassVar[frozenset[str]]
    unsuitable_if: ClassVar[tuple[Reason, ...]] = (no_numbers,)

    def answers(self, new: Plan) -> bool:
        """Whether all sums were drawn; how many say their number is known where everybody does."""
        known = self.sums if self.question.protects_leaving_out else self.sums | {COUNT}
        return isinstance(new, SumPlan) and new.sums <= known

    def derived_accuracy(self, new: Plan, confidence_level: float) -> float | None:
        """Return it of a total read off a mean, or the other way round, where everybody says a number."""
        mine = self.of_total(self.n)
        others = new.of_total(self.n) if isinstance(new, SumPlan) else None
        if mine is None or others is None or self.unit == new.unit or new.question.protects_leaving_out:
            return super().derived_accuracy(new, confidence_level)
        bound = self.accuracy(confidence_level).at_most
        return float_not_below(Fraction(bound) * others / mine)

    def of_total(self, n: int) -> Fraction | None:
        """Return what one unit of a total of n answers is in this; None where it does not follow from a total."""
        return None

    @classmethod
    def accuracy_words(cls, accuracy: Accuracy) -> str:
        if accuracy.depends_on_data:
            return _(
                "If everyone gives a number, the noise moves the result by at most %(best)s with probability "
                "%(level)s. The fewer people give a number, the more the noise can move the result, at worst "
                "to anywhere in the range."
            )
        return bound_words()

    def number(
        self,
        what: str,
        name: Callable[[Figure], str],
        *,
        raw: float,
        value: float,
        interval: ScalarInterval,
        limits: tuple[Fraction, Fraction],
        unit: Callable[[str], str] = str,
        of_all: bool = False,
    ) -> Number:
        asked = self.question
        figure = Figure(
            raw=raw,
            value=value,
            low=interval.low,
            high=interval.high,
            scale=NumberScale(*limits, unit(unit_of(asked))),
            among_those_who_say=asked.protects_leaving_out and not of_all,
        )
        return Number(what, name, figure, bool(asked.edges), interval.method)

    def half_width_of_mean(self, confidence_level: float) -> float:
        """Return the error, from the reports' randomness, of the mean of the values that the reports count for."""
        numbers = reported_numbers(self.question)
        deviation = deviation_between_ends(numbers.values, numbers.numbers, self.question.design)
        return normal_quantile(confidence_level) * deviation / math.sqrt(self.n)


def bound_words() -> str:
    return _("With probability %(level)s, the noise moves the result by at most %(amount)s.")


def noise_on(total: BoundedTotal, name: str = SUM) -> Source:
    """Return the noise on a sum, in steps of its grid."""
    return laplace(name, total.noise, total.grid.unit)


def noise_on_shared(sums: SharedSums, *names: str) -> list[Source]:
    """Return the noise on several sums, and on how many they are of where that is drawn."""
    sources = [noise_on(one, name) for name, one in zip(names, sums.sums, strict=True)]
    return sources if sums.count is None else [*sources, noise_on(sums.count, COUNT)]


def error_of_shared(sums: SharedSums, t: Fraction, from_centre: Fraction = Fraction(0)) -> Fraction:
    """Return how far off a mean or a variance is when each share is by at most t; see `BoundedVariance`."""
    *squares, mean = (absolute(one.values) * t for one in sums.sums)
    if not squares:
        return mean
    farthest = sums.sums[-1].largest + from_centre
    return squares[0] + mean * (2 * farthest + mean)


def absolute(weights: tuple[Fraction, ...]) -> Fraction:
    return sum(map(abs, weights), Fraction(0))


def deviation_between_ends(values: tuple[Fraction, ...], numbers: tuple[Fraction | None, ...], design: Design) -> float:
    """Return the standard deviation of one report's value where half of the people are at either outer number.

    Parameters
    ----------
    values : tuple of Fraction
        What each report counts for.
    numbers : tuple of Fraction or None
        What each true answer stands for; None for not saying.
    design : Design
        Of the reports.
    """
    known = [number for number in numbers if number is not None]
    ends = [numbers.index(min(known)), numbers.index(max(known))]
    shares = [sum((row[end] for end in ends), Fraction(0)) / 2 for row in design.matrix]
    mean = sum((share * value for share, value in zip(shares, values, strict=True)), Fraction(0))
    square = sum((share * value**2 for share, value in zip(shares, values, strict=True)), Fraction(0))
    return math.sqrt(square - mean**2)
