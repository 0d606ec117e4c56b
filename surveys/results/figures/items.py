"""How intervals may be found, and what is done where a way does not exist."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Protocol

import numpy as np
import numpy.typing as npt
from django.utils.translation import gettext_lazy as _

from surveys.estimation import (
    DistributionEstimate,
    GridMeanEstimate,
    MeanEstimate,
    PrevalenceEstimate,
    StatedDistributionEstimate,
    StatedMeanEstimate,
    estimate_distribution,
    estimate_grid_mean,
    estimate_mean,
    estimate_prevalence,
    estimate_scale,
    estimate_stated_distribution,
    estimate_stated_mean,
    item_counts,
    poisoned_mean,
    poisoning_band,
)
from surveys.estimation.affine import affine_map
from surveys.estimation.grid_mean import METHODS as GRID_METHODS
from surveys.estimation.intervals import MAPPED_METHODS, ScalarInterval, each_level, least_coverage
from surveys.models.definition import AskedQuestion, Item
from surveys.models.kinds import Figures, LeaveOut, Range
from surveys.privacy.designs import Design
from surveys.responses.selectors.snapshot import Snapshot

METHODS = ("wilson", "clopper_pearson", "jeffreys", "agresti_coull", "wald", "likelihood_ratio", "bootstrap")
LEVELS = (0.80, 0.90, 0.95, 0.99, 0.999)
# As likely as this, or likelier, and what is supposed is taken to fit.
MISFIT = 0.05
_METHOD_LABELS = {
    "wilson": _("Wilson (score)"),
    "clopper_pearson": _("Clopper–Pearson (exact)"),
    "jeffreys": _("Jeffreys (Bayesian)"),
    "agresti_coull": _("Agresti–Coull"),
    "wald": _("Wald (for comparison)"),
    "likelihood_ratio": _("Likelihood ratio"),
    "bootstrap": _("Bootstrap (simulated)"),
}


# They take their width from how much the reports vary.
_BY_VARIATION = frozenset({"wald", "fieller", "fitted", "bootstrap"})
_NO_WIDTH = 1e-9  # rounding leaves less
_MISSES = 1.4  # an interval that misses so many times as often as it says is said to: of 95%, one that may hold in 93%


@dataclass(frozen=True, slots=True)
class FigureOptions:
    """How figures are to be computed."""

    method: str = "wilson"
    confidence_level: float = 0.95
    simultaneous: bool = False  # all options' intervals hold at once, by Bonferroni's inequality
    forged: int | None = None  # how many reports are taken to be forged; None: one of a hundred

    def one_of(self, methods: Sequence[str]) -> str:
        """Return the method wanted, or where it does not exist the first of these, which is the usual one."""
        return self.method if self.method in methods else methods[0]

    def each(self, items: int) -> float:
        """Return the level of the intervals of one of so many items that stand together."""
        return each_level(self.confidence_level, items) if self.simultaneous else self.confidence_level

    def forged_of(self, n: int) -> int:
        """Return how many of n reports are taken to be forged: at least one, and no more than there are."""
        return min(n, self.forged if self.forged is not None else max(1, round(n / 100)))


def has_no_width(method: str, low: float, high: float, standard_error: float | None, *, outside: bool) -> bool:
    """Whether a method found no width, as where all reports are the same: that is no certainty but no interval.

    Cut to what is possible an interval outside of it has no width either, whatever it had: of Wald's the standard error
    tells.
    """
    if method not in _BY_VARIATION:
        return False
    unvarying = method == "wald" and standard_error is not None and standard_error < _NO_WIDTH
    return unvarying or (not outside and high - low < _NO_WIDTH)


def rarely_holds(design: Design, n: int, method: str, confidence_level: float) -> tuple[float, float] | None:
    """Return how rarely an interval for a share may hold it, and which share, where that is less often than it says.

    None too where it is not known: by the bootstrap, and where a report depends on several shares.
    """
    if method not in MAPPED_METHODS or affine_map(design) is None:
        return None
    least, share = least_coverage(design, n, confidence_level, method)
    return (least, share) if least < 1 - _MISSES * (1 - confidence_level) else None


def method_label(method: str) -> str:
    """Return an interval method as people call it."""
    return str(_METHOD_LABELS[method])


# One estimated number with its interval, where the reports determine them.


@dataclass(frozen=True, slots=True)
class NumberEstimate:
    """A number in its own units; None stands for what these reports do not determine."""

    moment: float | None  # unbiased, or nearly; before limiting to what can be
    estimate: float | None  # limited
    low: float
    high: float
    standard_error: float | None
    method: str  # how the interval was found
    outside: bool  # no possible value is in the interval: the limits say nothing
    no_width: bool = False  # the method has no interval for reports that do not vary

    @property
    def claimed(self) -> bool:
        """Whether there is an estimate with an interval to show."""
        return self.estimate is not None and not self.outside and not self.no_width


class _Mean(Protocol):
    """What `MeanWithin` has."""

    @property
    def point(self) -> float: ...
    @property
    def constrained(self) -> float: ...
    @property
    def standard_error(self) -> float: ...
    @property
    def low(self) -> float: ...
    @property
    def high(self) -> float: ...
    @property
    def interval_methods(self) -> tuple[str, ...]: ...
    def interval(self, confidence_level: float, method: str | None) -> ScalarInterval: ...


def estimate_number(mean: _Mean, wanted: FigureOptions) -> NumberEstimate:
    """Return a mean, or a share, with the interval wanted or the usual one where that does not exist."""
    found = mean.interval(wanted.confidence_level, wanted.one_of(mean.interval_methods))
    return with_interval(mean.point, mean.constrained, mean.standard_error, found, (mean.low, mean.high))


def with_interval(
    moment: float, constrained: float, standard_error: float, found: ScalarInterval, limits: tuple[float, float]
) -> NumberEstimate:
    """Return a number with an interval: where Wald's has no standard error to go by, nothing is excluded."""
    known = not (math.isnan(found.low) or math.isnan(found.high))
    return NumberEstimate(
        moment=known_or_none(moment),
        estimate=known_or_none(constrained) if known else None,
        low=found.low if known else limits[0],
        high=found.high if known else limits[1],
        standard_error=known_or_none(standard_error),
        method=found.method,
        outside=found.outside,
        no_width=has_no_width(found.method, found.low, found.high, standard_error, outside=found.outside),
    )


def known_or_none(value: float) -> float | None:
    """Return None for NaN, which no page and no file may show."""
    return None if math.isnan(value) else float(value)


# The mean of a number, from reports of which end chance rounded it to.


@dataclass(frozen=True, slots=True)
class MeanResult:
    """The mean in the numbers' units, with its interval; None stands for what these reports do not determine."""

    range: Range
    among_those_who_say: bool  # “prefer not to say” was an answer, so the mean is that of the others
    method: str  # how the interval was found
    observed: float | None  # what the reports would average to if chance had only rounded, where they can be ends
    moment: float | None  # before limiting to the range
    estimate: float | None
    low: float
    high: float
    standard_error: float | None
    outside: bool  # no mean within the range is in the interval: the limits say nothing
    no_width: bool  # the method has no interval for reports that do not vary

    @property
    def limited(self) -> bool:
        """Whether limiting changed the estimate visibly."""
        if self.moment is None or self.estimate is None:
            return False
        return abs(self.moment - self.estimate) >= 0.0005 * float(self.range.high - self.range.low)

    @property
    def claimed(self) -> bool:
        """Whether there is an estimate with an interval to show."""
        return self.estimate is not None and not self.outside and not self.no_width


def mean_result(item: Item, counts: npt.NDArray[np.int64], *, method: str, confidence_level: float) -> MeanResult:
    """Return the mean of an item that asks for a number; of those who say it, where not saying is an answer."""
    limits, wanted = item.range, FigureOptions(method, confidence_level)
    if limits is None:
        raise ValueError(f"item {item.key} asks for no number")
    stated = item.leave_out == LeaveOut.PROTECTED
    estimate: MeanEstimate | StatedMeanEstimate | GridMeanEstimate
    if grid := item.grid:
        estimate = estimate_grid_mean(counts, grid)
        found = estimate.interval(confidence_level, wanted.one_of(GRID_METHODS))
    elif stated:
        estimate = estimate_stated_mean(counts, item.design, limits.low, limits.high)
        # A share of some has no binomial interval.
        found = estimate.interval(confidence_level, wanted.one_of(("likelihood_ratio", "wald")))
    else:
        estimate = estimate_mean(counts, item.design, limits.low, limits.high)
        found = estimate.interval(confidence_level, wanted.one_of(estimate.prevalence.interval_methods))
    mean = with_interval(
        estimate.point,
        estimate.constrained,
        estimate.standard_error,
        found,
        (float(limits.low), float(limits.high)),
    )
    return MeanResult(
        range=limits,
        among_those_who_say=stated,
        method=mean.method,
        # The mean of values that undo chance is the estimate itself.
        observed=None if item.grid else _observed(limits, counts),
        moment=mean.moment,
        estimate=mean.estimate,
        low=mean.low,
        high=mean.high,
        standard_error=mean.standard_error,
        outside=mean.outside,
        no_width=mean.no_width,
    )


def _observed(limits: Range, counts: npt.NDArray[np.int64]) -> float | None:
    numbers = int(counts[0] + counts[1])
    share = int(counts[1]) / numbers if numbers else None
    return None if share is None else float(limits.low) + share * float(limits.high - limits.low)


# A scale: its mean, and the shares at its top.


@dataclass(frozen=True, slots=True)
class TopShare:
    """The share of those at so many points at the top."""

    boxes: int
    share: NumberEstimate


@dataclass(frozen=True, slots=True)
class ScaleResult:
    """What is said of a scale besides its distribution, among those who say where they stand."""

    points: int
    ends: tuple[str, str]  # what the first and the last point are called
    among_those_who_say: bool
    mean: NumberEstimate  # with the points 1, 2, … taken as numbers the same distance apart
    tops: tuple[TopShare, ...]


def scale_result(item: Item, counts: npt.NDArray[np.int64], wanted: FigureOptions) -> ScaleResult:
    """Return the mean of a scale and the shares of its top point and of its top two."""
    points = item.design.k - (item.leave_out == LeaveOut.PROTECTED)
    scale = estimate_scale(counts, item.design, points)
    return ScaleResult(
        points=points,
        ends=(item.labels[0], item.labels[points - 1]),
        among_those_who_say=scale.stated,
        mean=estimate_number(scale.mean, wanted),
        tops=tuple(TopShare(boxes, estimate_number(scale.top(boxes), wanted)) for boxes in (1, 2) if boxes < points),
    )


# A number asked in bands: its mean, its distribution function and its quantiles.


QUARTILES = (0.25, 0.5, 0.75)
_MEAN_METHODS = ("likelihood_ratio", "wald")


@dataclass(frozen=True, slots=True)
class QuantileEstimate:
    """The number that this share of the numbers is below, and the edges that it is between."""

    probability: float
    value: float | None
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Below:
    """The share of the numbers below an edge."""

    edge: Fraction
    share: float | None
    low: float
    high: float
    outside: bool


@dataclass(frozen=True, slots=True)
class BandsResult:
    """What is said of a number in bands besides the bands' shares, among those who say it."""

    edges: tuple[Fraction, ...]
    unit: str
    among_those_who_say: bool
    # If each number were in the middle of its band; the interval goes from the lower limit with all at the lower ends
    # of their bands to the upper limit with all at the upper ends.
    mean: NumberEstimate
    mean_bounds: tuple[float, float] | None  # the means that the shares allow, wherever in the bands the numbers are
    quantiles: tuple[QuantileEstimate, ...]
    quantile_method: str
    below: tuple[Below, ...] = ()  # one an inner edge; empty where it was not asked for
    simultaneous: bool = False  # whether the intervals of `below` hold all at once


def bands_result(
    question: AskedQuestion, counts: npt.NDArray[np.int64], wanted: FigureOptions, *, in_full: bool
) -> BandsResult:
    """Return the mean and the quartiles, and in full the share below each inner edge."""
    edges = tuple(Fraction(*edge) for edge in question.details["edges"])
    estimate: DistributionEstimate | StatedDistributionEstimate
    if question.protects_leaving_out:
        estimate = estimate_stated_distribution(counts, question.design, edges)
        method = wanted.one_of(_MEAN_METHODS)
    else:
        estimate = estimate_distribution(counts, question.design, edges)
        # The share below an edge has no simulated interval.
        method = wanted.one_of([name for name in estimate.bands.interval_methods if name != "bootstrap"])
    mean = estimate.mean_interval(wanted.confidence_level, wanted.one_of(_MEAN_METHODS))
    limits = float(edges[0]), float(edges[-1])
    bounds = tuple(map(known_or_none, estimate.mean_bounds))
    return BandsResult(
        edges=edges,
        unit=question.details["unit"],
        among_those_who_say=question.protects_leaving_out,
        mean=with_interval(estimate.mean, estimate.constrained_mean, estimate.mean_standard_error, mean, limits),
        mean_bounds=None if bounds[0] is None or bounds[1] is None else (bounds[0], bounds[1]),
        quantiles=tuple(_quantile(estimate, share, wanted.confidence_level, method) for share in QUARTILES),
        quantile_method=method,
        below=_below(estimate, edges, wanted, method) if in_full else (),
        simultaneous=wanted.simultaneous and len(edges) > 3,
    )


def _quantile(
    estimate: DistributionEstimate | StatedDistributionEstimate, probability: float, level: float, method: str
) -> QuantileEstimate:
    found = estimate.quantile_interval(probability, level, method)
    return QuantileEstimate(probability, known_or_none(estimate.quantile(probability)), found.low, found.high)


def _below(
    estimate: DistributionEstimate | StatedDistributionEstimate,
    edges: tuple[Fraction, ...],
    wanted: FigureOptions,
    method: str,
) -> tuple[Below, ...]:
    found = estimate.distribution_interval(wanted.confidence_level, method, wanted.simultaneous)
    # Where Wald's has no standard error to go by, or none but 0, nothing is excluded.
    widths = zip(found.low.tolist(), found.high.tolist(), found.outside.tolist(), strict=True)
    flat = [has_no_width(found.method, low, high, None, outside=outside) for low, high, outside in widths]
    unknown = np.isnan(found.low) | np.isnan(found.high) | np.array(flat)
    low, high = np.where(unknown, 0.0, found.low), np.where(unknown, 1.0, found.high)
    return tuple(
        Below(
            edge,
            None if unknown[place] else known_or_none(estimate.distribution_function[place]),
            float(low[place]),
            float(high[place]),
            bool(found.outside[place]),
        )
        for place, edge in enumerate(edges[1:-1])
    )


# One item's results: each answer's share with its interval, and what else its kind of question is asked for.


class DifferentDesignsError(ValueError):
    """Reports that met chance of different kinds are no one sample: they are never added up."""


@dataclass(frozen=True, slots=True)
class OptionResult:
    """One answer's share of the truths; shares are between 0 and 1 except `moment`, which may leave that range."""

    label: str
    report: str  # what the report of the same code says: in some designs not an answer
    count: int  # reports received
    observed: float  # their share, chance included
    moment: float  # unbiased, before limiting
    estimate: float  # limited to what can be
    low: float
    high: float
    standard_error: float | None  # None: one answer alone has none
    outside: bool  # no share at all is in the interval: the limits say nothing
    no_width: bool  # the method has no interval for reports that do not vary
    edge: float  # the share of the reports that chance gives where nobody, or everybody, has this answer
    forged_low: float  # where the estimate could be, limited to what can be, had the forged reports been honest
    forged_high: float
    forged_shift: float  # how far it could have been moved at most

    @property
    def claimed(self) -> bool:
        """Whether there is an interval to show, and so an estimate."""
        return not self.outside and not self.no_width

    @property
    def limited(self) -> bool:
        """Whether limiting changed the estimate visibly."""
        return abs(self.moment - self.estimate) >= 0.0005


@dataclass(frozen=True, slots=True)
class Oddity:
    """A report that came more rarely or more often than any truths can explain."""

    label: str
    count: int
    too_few: bool
    edge: float  # the share that chance alone would give at least, or at most


@dataclass(frozen=True, slots=True)
class ItemResult:
    """One item's results; without options where too few answered it."""

    item: Item
    n: int
    missing: int
    options: tuple[OptionResult, ...] = ()
    oddities: tuple[Oddity, ...] = ()
    method: str = ""  # how the intervals of the options were found
    forged: int = 0  # how many reports are taken to be forged
    misfit: float = 1.0  # the p-value of respondents having followed the procedure
    too_few_say: bool = False  # so few that nothing may be said of those who do not prefer not to say
    mean: MeanResult | None = None
    forged_mean: tuple[float, float] | None = None  # of reports that stand for values, as `forged_low` of shares
    scale: ScaleResult | None = None
    bands: BandsResult | None = None
    prevalence: PrevalenceEstimate | None = field(default=None, repr=False, compare=False)

    @property
    def stated_mean(self) -> MeanResult | NumberEstimate | None:
        """The mean that is told of its kind of question: of a number, of points, or of a number in bands."""
        return self.mean or (self.scale.mean if self.scale else self.bands.mean if self.bands else None)

    @property
    def shown_codes(self) -> tuple[int, ...]:
        """The answers worth a row: not No beside Yes; of a number, only those who prefer not to say."""
        codes = tuple(range(len(self.options)))
        if self.item.range:
            return codes[2:]
        traits = self.item.traits
        if traits.yes_or_no and (traits.several or self.item.design.k == 2):
            return codes[1:]
        return codes

    @property
    def shown(self) -> tuple[OptionResult, ...]:
        """The options worth a row."""
        return tuple(self.options[code] for code in self.shown_codes)

    @property
    def tabled(self) -> tuple[OptionResult, ...]:
        """The options worth a row of a table: all answers, but of a number not what chance rounds to."""
        return self.shown if self.item.range else self.options

    @property
    def reports_are_answers(self) -> bool:
        """Whether the reports are called as the truths are, so that their shares can stand beside each other."""
        return self.item.report_labels == self.item.labels


def design_in(item: Item, mode: str) -> Design:
    """Return the design that reports of an item go through in this mode: whoever adds chance, it is the item's one."""
    return item.design


def item_result(
    question: AskedQuestion, item: Item, snapshot: Snapshot, wanted: FigureOptions, *, in_full: bool = False
) -> ItemResult:
    """Return the results of one item of a question; in full with what only the question's own page shows."""
    _refuse_different_designs(item, snapshot)
    if (question.arms or question.asked_if) and not snapshot.tells(item.number):
        return ItemResult(item, 0, 0)
    reports = snapshot.on(item.number)
    counts, missing = item_counts(reports.patterns, reports.counts, 0, item.design.m)
    missing -= snapshot.n - snapshot.asked(question)
    if int(counts.sum()) < max(1, snapshot.minimum_n):
        return ItemResult(item, int(counts.sum()), missing)
    return figures_of(question, item, counts, wanted, missing=missing, minimum_n=snapshot.minimum_n, in_full=in_full)


def figures_of(
    question: AskedQuestion,
    item: Item,
    counts: npt.NDArray[np.int64],
    wanted: FigureOptions,
    *,
    missing: int,
    minimum_n: int,
    in_full: bool = False,
) -> ItemResult:
    """Return all that is said of an item from how often each report came; whether that is enough is asked before."""
    found = shares_of(question, item, counts, missing, wanted)
    found = replace(found, too_few_say=_too_few_say(found, minimum_n))
    return with_figures(question, found, wanted, in_full=in_full)


def shares_of(
    question: AskedQuestion, item: Item, counts: npt.NDArray[np.int64], missing: int, wanted: FigureOptions
) -> ItemResult:
    """Return an item's shares from how often each report came; whether that is often enough is asked before."""
    estimate = estimate_prevalence(counts, item.design)
    if item.grid:
        # A number's mean is what was asked for: no share of the values that it was rounded to is claimed.
        return ItemResult(
            item=item,
            n=estimate.n,
            missing=missing,
            oddities=_oddities(item, estimate),
            method=wanted.one_of(GRID_METHODS),
            forged=wanted.forged_of(estimate.n),
            misfit=estimate.misfit.p_value,
            prevalence=estimate,
        )
    return ItemResult(
        item=item,
        n=estimate.n,
        missing=missing,
        options=option_results(item, estimate, wanted, together=len(question.items)),
        oddities=_oddities(item, estimate),
        method=wanted.one_of(estimate.interval_methods),
        forged=wanted.forged_of(estimate.n),
        misfit=estimate.misfit.p_value,
        prevalence=estimate,
    )


def with_figures(
    question: AskedQuestion, found: ItemResult, wanted: FigureOptions, *, in_full: bool = False
) -> ItemResult:
    """Return the same with what its kind of question is asked for besides shares, where that may be told."""
    if found.prevalence is None or found.too_few_say:
        return found
    item, counts = found.item, found.prevalence.counts
    match item.traits.figures:
        case Figures.MEAN:
            mean = mean_result(item, counts, method=wanted.method, confidence_level=wanted.confidence_level)
            return replace(found, mean=mean, forged_mean=_forged_mean(item, counts, found.forged))
        case Figures.POINTS:
            return replace(found, scale=scale_result(item, counts, wanted))
        case Figures.BANDS:
            return replace(found, bands=bands_result(question, counts, wanted, in_full=in_full))
    return found


def _forged_mean(item: Item, counts: npt.NDArray[np.int64], forged: int) -> tuple[float, float] | None:
    """Return where the mean of values could be, limited to what can be, had the forged reports been honest."""
    if item.grid is None:
        return None
    low, high = poisoned_mean(estimate_grid_mean(counts, item.grid), forged)
    least, most = float(item.grid.low), float(item.grid.high)
    return min(max(low, least), most), min(max(high, least), most)


def _too_few_say(found: ItemResult, minimum_n: int) -> bool:
    """Whether about so few say anything that no figure may be told of them alone."""
    if found.item.leave_out != LeaveOut.PROTECTED or not found.item.traits.figures:
        return False
    return found.n * (1 - found.options[-1].estimate) < minimum_n


def option_results(
    item: Item, estimate: PrevalenceEstimate, wanted: FigureOptions, *, together: int = 1
) -> tuple[OptionResult, ...]:
    """Return one entry an answer, with its interval; `together` items' intervals hold at once where that is wanted."""
    interval = estimate.interval(
        wanted.each(together), wanted.one_of(estimate.interval_methods), simultaneous=wanted.simultaneous
    )
    forged = poisoning_band(estimate, wanted.forged_of(estimate.n))
    shift = np.maximum(estimate.point - forged.attainable_low, forged.attainable_high - estimate.point)
    errors = [None if math.isnan(error) else float(error) for error in estimate.standard_error]
    return tuple(
        OptionResult(
            label=label,
            report=item.report_labels[code],
            count=int(estimate.counts[code]),
            observed=float(estimate.observed[code]),
            moment=float(estimate.point[code]),
            # Rounding may leave a share of all a hair above 1.
            estimate=min(1.0, float(estimate.constrained[code])),
            low=float(interval.low[code]),
            high=float(interval.high[code]),
            standard_error=errors[code],
            outside=bool(interval.outside[code]),
            no_width=has_no_width(
                interval.method,
                float(interval.low[code]),
                float(interval.high[code]),
                errors[code],
                outside=bool(interval.outside[code]),
            ),
            edge=_edge(item.design, code, nobody=estimate.point[code] < 0),
            forged_low=float(np.clip(forged.attainable_low[code], 0.0, 1.0)),
            forged_high=float(np.clip(forged.attainable_high[code], 0.0, 1.0)),
            forged_shift=float(shift[code]),
        )
        for code, label in enumerate(item.labels)
    )


def _refuse_different_designs(item: Item, snapshot: Snapshot) -> None:
    """Hold what is about to be counted together against the rule that it came through one matrix."""
    if len({design_in(item, mode).matrix for mode in snapshot.n_by_mode}) > 1:
        raise DifferentDesignsError(f"item {item.key}: its modes have different designs")


def _edge(design: Design, code: int, *, nobody: bool) -> float:
    """Return the share of this report where nobody, or everybody, has the answer of the same code."""
    return float(design.matrix[code][(1 if code == 0 else 0) if nobody else code])


def _oddities(item: Item, estimate: PrevalenceEstimate) -> tuple[Oddity, ...]:
    misfit = estimate.misfit
    if not misfit.suspicious:
        return ()
    codes = misfit.suspicious_options
    if item.design.m == 2:
        codes = (1,)  # too many Yes are too few No: one sentence is enough
    return tuple(
        Oddity(
            label=item.report_labels[code],
            count=int(estimate.counts[code]),
            too_few=bool(misfit.too_few[code] < misfit.too_many[code]),
            edge=float((min if misfit.too_few[code] < misfit.too_many[code] else max)(item.design.matrix[code])),
        )
        for code in codes
    )
