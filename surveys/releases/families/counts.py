"""Noisy counts: of the reports, or of several options each; and the shares of true answers that follow."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from surveys.charts import IntervalChart, IntervalRow, Table, share_axis
from surveys.estimation.intervals.interval import Interval
from surveys.estimation.learning.by_group import NOBODY
from surveys.estimation.planning.precision import expected_half_width
from surveys.estimation.released.histogram import estimate_released_histogram
from surveys.estimation.released.options import estimate_released_options
from surveys.numbers.words import (
    limits_cell,
    people_of_100,
    people_of_100_at_least,
    people_of_100_at_most,
    percent,
    percent_limits,
    says_too_little,
    whole_number,
)
from surveys.privacy.decimals import float_not_below
from surveys.privacy.designs import Design
from surveys.questionnaire.asked_question import AskedQuestion
from surveys.questionnaire.kinds import Range
from surveys.releases.families.figure import (
    Figure,
    KeyFigure,
    NumberScale,
    figure_note,
    mean_name,
)
from surveys.releases.families.finding import (
    CONFIDENCE_LEVEL,
    DECIMALS,
    Finding,
    about_people,
    all_at_once_note,
    down,
    noisy_counts_table,
    share_row,
    up,
)
from surveys.releases.families.noise import Source, on_each_count
from surveys.releases.families.plan import Plan


@dataclass(frozen=True, slots=True)
class Estimate:
    """One true answer, as far as released counts tell; all but `raw` are shares between 0 and 1.

    Attributes
    ----------
    label : str
        The answer; "" for all answers but the one that was counted.
    report : str
        What was counted, where that is not called like the answer.
    noisy_count : int
        The released count of reports; it may be negative or exceed n.
    reported : float or None
        Its share of n, limited to 0 and 1; None where the report is not called like the answer.
    raw : float
        The unbiased estimate of the share of people whose true answer this is; it may leave 0 and 1.
    share : float
        The same, all answers together limited to what shares can be.
    low, high : float
        The confidence interval.
    """

    label: str
    report: str
    noisy_count: int
    reported: float | None
    raw: float
    share: float
    low: float
    high: float

    @property
    def name(self) -> str:
        """What it is called; where one answer was counted, the others are the rest."""
        return self.label or _("Any other answer")

    @property
    def is_uninformative(self) -> bool:
        """Whether the interval leaves everything possible."""
        return self.low < 0.005 and self.high > 0.995

    @property
    def is_vague(self) -> bool:
        """Return whether only its interval is shown."""
        return says_too_little(self.low, self.high)

    @property
    def row(self) -> IntervalRow:
        return share_row(self.name, self.share, self.low, self.high, raw=self.reported)

    @property
    def cells(self) -> tuple[str, ...]:
        noisy = whole_number(self.noisy_count)
        if self.report:
            noisy = _("“%(report)s”: %(count)s") % {"count": noisy, "report": self.report}
        limits = percent_limits(self.low, self.high)
        return (self.name, percent(self.share, 1), *limits, percent(self.raw, 1), noisy)

    def document(self) -> dict[str, Any]:
        return {
            "answer": self.label or None,
            "report": self.report or self.label or None,
            "noisy_count": self.noisy_count,
            "raw": round(self.raw, DECIMALS),
            "share": round(self.share, DECIMALS),
            "low": down(self.low),
            "high": up(self.high),
        }


@dataclass(frozen=True, slots=True)
class Counts(Finding):
    """Shares of the true answers with intervals that cover the respondents' coins and the noise.

    Attributes
    ----------
    estimates : tuple of Estimate
        One for each answer, or for each of several options.
    headline : Estimate
        Yes, the one answer that was counted, or whatever seems the most common.
    several : bool
        Whether each is an option with a report of its own, so that the shares need not sum to 1.
    mean : Figure or None
        Of a number that is rounded at random to its two ends: then that is what the counts are for.
    one_true : bool
        Of several options, whether each person has exactly one.
    """

    estimates: tuple[Estimate, ...]
    headline: Estimate
    several: bool
    mean: Figure | None
    one_true: bool = False

    @property
    def family(self) -> str:
        return "mean" if self.mean else "counts"

    @property
    def all_at_once(self) -> bool:
        """Whether the intervals are wider each, so that all of them hold at once with `CONFIDENCE_LEVEL`."""
        return len(self.estimates) > (1 if self.several else 2)

    @property
    def is_uninformative(self) -> bool:
        """Whether the interval that the sentence is about leaves everything possible."""
        return self.mean.is_uninformative if self.mean else self.headline.is_uninformative

    @property
    def figure_name(self) -> str:
        return mean_name(self.figure)

    @property
    def figure(self) -> Figure:
        """The mean that the counts are for."""
        if self.mean is None:
            raise TypeError(f"found must be of a number, got {self!r}")
        return self.mean

    @property
    def title(self) -> str:
        """About how many would truly answer so, or the mean."""
        if self.mean is not None:
            return self.mean.title(self.figure_name)
        if self.headline.is_vague:
            key = self.key_figure()
            vague = {"low": key.low, "high": key.high, "answer": self.headline.name}
            return _("Between %(low)s and %(high)s of 100 people would truthfully answer “%(answer)s”") % vague
        words = {"people": about_people(self.headline.share), "answer": self.headline.name}
        return _("About %(people)s would truthfully answer “%(answer)s”") % words

    def key_figure(self) -> KeyFigure:
        if self.mean is not None:
            return self.mean.key(self.figure_name)
        estimate = self.headline
        low, high = people_of_100_at_least(estimate.low), people_of_100_at_most(estimate.high)
        return KeyFigure(
            figure=limits_cell(low, high) if estimate.is_vague else people_of_100(estimate.share),
            of=_("of 100"),
            is_estimate=not estimate.is_vague,
            low=low,
            high=high,
            row=estimate.row,
            axis=share_axis(_("Of 100 people")),
        )

    @property
    def note(self) -> str:
        if self.mean is not None:
            return figure_note()
        if self.all_at_once:
            dots = all_at_once_note()
        else:
            dots = _(
                "The dot is the estimate, and the band is its 95%% interval. The interval allows for both the "
                "respondents’ coins and the noise of this release."
            )
        counted = _(
            "A noisy count is a number of reports plus noise. A raw estimate can be below 0%% or above 100%%, "
            "because the correction for randomization is right only on average. The estimates are the nearest "
            "possible shares."
        )
        each = _("Each option is estimated separately, so the shares need not add up to 100%%.")
        return " ".join([dots, counted, *([each] if self.several else [])]) % {}

    def chart(self, name: str) -> IntervalChart:
        if self.mean is not None:
            title = self.figure_name
            return self.interval_chart(name, title=title, axis=self.mean.axis, rows=[self.mean.row(title)])
        return self.interval_chart(
            name,
            title=_("Estimated true answers"),
            axis=share_axis(_("Of 100 people")),
            rows=[estimate.row for estimate in self.estimates],
        )

    def tables(self) -> list[Table]:
        if self.mean is not None:
            counts = [(estimate.report or estimate.label, estimate.noisy_count) for estimate in self.estimates]
            return [self.mean.table(self.figure_name), noisy_counts_table(counts)]
        headings = (_("Answer"), _("Estimate"), _("Low"), _("High"), _("Raw estimate"), _("Noisy count"))
        rows = tuple(estimate.cells for estimate in self.estimates)
        return [Table(_("Released and derived values"), headings, rows)]

    def numbers(self) -> dict[str, Any]:
        return {
            "intervals": "all at once (Bonferroni)" if self.all_at_once else "each",
            "several_answers_a_person": self.several and not self.one_true,
            "estimates": [estimate.document() for estimate in self.estimates],
            **({} if self.mean is None else {"what": "mean", **self.mean.document()}),
        }


class NoisyCountsPlan(Plan):
    """Any mechanism whose output is noisy counts; they leave each true answer's share off by a multiple."""

    unit = "answers"
    in_points = True
    stored_names: ClassVar = {"noisy_counts": gettext_lazy("Noisy counts")}
    accuracy_sentence = gettext_lazy(
        "With probability %(level)s, the noise moves every count by at most %(amount)s and every estimated "
        "share by at most %(points)s percentage points."
    )

    @property
    def largest_error(self) -> Fraction:
        """How far off counts make some share 0 instead of 1: counts move it `gain` times as far."""
        return self.n / gain(self.design)

    def error_from_reports(self, confidence_level: float = CONFIDENCE_LEVEL) -> float:
        """Return it for a share near one half, where it is largest, of the answer that the reports tell least of."""
        design = self.design
        return 100 * max(
            expected_half_width(
                n=self.n, design=design, prevalence=0.5, confidence_level=confidence_level, option=option
            )
            for option in range(design.k)
        )

    def noise(self) -> list[Source]:
        return on_each_count(self.mechanism)

    def stored(self, output: Any) -> dict[str, Any]:  # noqa: ANN401 - Plan's signature
        return {"noisy_counts": list(output)}

    def restored(self, stored: Mapping[str, Any]) -> Any:  # noqa: ANN401 - Plan's signature
        return tuple(stored["noisy_counts"])

    def derived_accuracy(self, new: Plan, confidence_level: float) -> float | None:
        """Return what counts that are all off by so much lead to."""
        of_counts = new.error_from_counts(Fraction(self.accuracy(confidence_level).at_most), self.n)
        return None if of_counts is None else float_not_below(of_counts)

    def error_from_counts(self, t: Fraction, n: int) -> Fraction:
        """Return the same: these are such counts."""
        return t


class CountsPlan(NoisyCountsPlan):
    def read(self, output: Mapping[str, Any]) -> Counts:
        mechanism: Any = self.mechanism
        noisy, noise = self.restored(output), mechanism.noise
        asked, design = self.question, self.design
        if asked.answers.by_option:
            options = estimate_released_options(noisy, self.n, design, noise)
            level = level_of_each(len(noisy), self.level())
            labels = tuple(item.option for item in asked.items)
            estimates = _estimates(
                [(label, label) for label in labels], noisy, options, options.interval(level), self.n
            )
            return Counts(estimates, _largest(estimates), several=True, mean=None, one_true=asked.answers.one_true)
        answer = self.answer_counted
        labels = asked.first.labels
        names = list(zip(labels, asked.first.report_labels, strict=True))
        if answer is not None:
            names = [("", ""), (labels[answer], labels[answer])]
        estimate = estimate_released_histogram(noisy, self.n, design, noise, one_count=mechanism.is_one_count)
        level = level_of_each(design.k if design.k > 2 else 1, self.level())
        estimates = _estimates(names, noisy, estimate, estimate.interval(level), self.n)
        counted = asked.answers.yes_or_no or answer is not None
        headline = estimates[1] if counted else _largest(estimates)
        mean = _mean(asked, estimates) if asked.first.range and answer is None else None
        return Counts(estimates, headline, several=False, mean=mean)

    @property
    def answer_counted(self) -> int | None:
        """The code of the one answer that is counted against all others; None where all are."""
        return None


class HistogramPlan(CountsPlan):
    """Every report's count, or every option's: any question suits."""

    def answers(self, new: Plan) -> bool:
        """Return True: whatever is asked for can be computed from all counts."""
        return True


def level_of_each(k: int, confidence_level: float) -> float:
    """Return the level of each of k intervals, so that all of them hold at once with this level (Bonferroni).

    People read off the largest of several answers, so the level must survive that choice.
    """
    return 1 - (1 - confidence_level) / k


def _estimates(
    names: Sequence[tuple[str, str]],
    noisy: Sequence[int],
    histogram: Any,  # noqa: ANN401 - of one answer a person or of several: both have points
    interval: Interval,
    n: int,
) -> tuple[Estimate, ...]:
    return tuple(
        Estimate(
            label=label,
            report="" if report == label else report,
            noisy_count=int(noisy[code]),
            reported=_limited(int(noisy[code]) / n) if report == label else None,
            raw=float(histogram.point[code]),
            share=_limited(float(histogram.constrained[code])),
            low=float(interval.low[code]),
            high=float(interval.high[code]),
        )
        for code, (label, report) in enumerate(names)
    )


def _largest(estimates: Sequence[Estimate]) -> Estimate:
    return max(estimates, key=lambda estimate: estimate.share)


def _mean(asked: AskedQuestion, estimates: Sequence[Estimate]) -> Figure:
    """Return the mean of a number from the shares of its two ends, among those who say theirs.

    With shares a and b of the low and the high end it is low + (high − low)·b/(a + b), which rises with b and falls
    with a: so its limits are at the limits of both shares, which hold at once.
    """
    limits = asked.first.range
    if limits is None:
        raise TypeError(f"asked must be a number for its mean, got {asked.kind}")
    least, most = estimates[:2]
    # Where nobody need say theirs, any mean is possible.
    low, high = _between(limits, least.high, most.low), _between(limits, least.low, most.high)
    return Figure(
        raw=_between(limits, least.raw, most.raw),
        value=_between(limits, least.share, most.share),
        low=float(limits.low) if low is None else low,
        high=float(limits.high) if high is None else high,
        scale=NumberScale(limits.low, limits.high, limits.unit),
        among_those_who_say=asked.protects_leaving_out,
    )


def _between(limits: Range, least: float, most: float) -> float | None:
    if not least + most > NOBODY:
        return None
    return float(limits.low) + float(limits.high - limits.low) * most / (least + most)


def _limited(share: float) -> float:
    return min(1.0, max(0.0, share))


def gain(design: Design) -> Fraction:
    """Return how many times as far as the counts any estimated number of people can be off.

    Counts that are each off by at most t move P⁻¹·counts by at most t times a row's absolute sum. Noise in one of two
    counts is taken from the other, and moves both estimates by 1/|slope|, which is that sum for two rows too.
    """
    return max(sum(map(abs, row), Fraction(0)) for row in design.inverse)
