"""One item's results: each answer's share with its interval, and what else its kind of question is asked for."""

import math
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from surveys.estimation import PrevalenceEstimate, estimate_prevalence, item_counts, poisoning_band
from surveys.models import Kind
from surveys.models.definition import AskedQuestion, Item
from surveys.models.kinds import LeaveOut
from surveys.privacy.designs import Design
from surveys.selectors.results.bands import BandsResult, bands_result
from surveys.selectors.results.intervals import Wanted, without_width
from surveys.selectors.results.means import MeanResult, mean_result
from surveys.selectors.results.scales import ScaleResult, scale_result
from surveys.selectors.results.snapshot import Snapshot

_AMONG_THOSE_WHO_SAY = frozenset({Kind.NUMBER_MEAN, Kind.SCALE, Kind.NUMBER_BANDS})


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
    scale: ScaleResult | None = None
    bands: BandsResult | None = None
    prevalence: PrevalenceEstimate | None = field(default=None, repr=False, compare=False)

    @property
    def shown_codes(self) -> tuple[int, ...]:
        """The answers worth a row: not No beside Yes; of a number, only those who prefer not to say."""
        codes = tuple(range(len(self.options)))
        if self.item.range:
            return codes[2:]
        if self.item.kind == Kind.SEVERAL_OF or (self.item.kind == Kind.YES_NO and self.item.design.k == 2):
            return codes[1:]
        return codes

    @property
    def shown(self) -> tuple[OptionResult, ...]:
        """The options worth a row."""
        return tuple(self.options[code] for code in self.shown_codes)

    @property
    def tabled(self) -> tuple[OptionResult, ...]:
        """The options worth a row of a table: all answers, but of a number not the ends that chance rounds to."""
        return self.shown if self.item.range else self.options

    @property
    def reports_are_answers(self) -> bool:
        """Whether the reports are called as the truths are, so that their shares can stand beside each other."""
        return self.item.report_labels == self.item.labels


def design_in(item: Item, mode: str) -> Design:
    """Return the design that reports of an item go through in this mode: whoever adds chance, it is the item's one."""
    return item.design


def item_result(
    question: AskedQuestion, item: Item, snapshot: Snapshot, wanted: Wanted, *, in_full: bool = False
) -> ItemResult:
    """Return the results of one item of a question; in full with what only the question's own page shows."""
    _refuse_different_designs(item, snapshot)
    reports = snapshot.on(item.number)
    counts, missing = item_counts(reports.patterns, reports.counts, 0, item.design.m)
    if int(counts.sum()) < max(1, snapshot.minimum_n):
        return ItemResult(item, int(counts.sum()), missing)
    found = shares_of(question, item, counts, missing, wanted)
    found = replace(found, too_few_say=_too_few_say(found, snapshot.minimum_n))
    return with_figures(question, found, wanted, in_full=in_full)


def shares_of(
    question: AskedQuestion, item: Item, counts: npt.NDArray[np.int64], missing: int, wanted: Wanted
) -> ItemResult:
    """Return an item's shares from how often each report came; whether that is often enough is asked before."""
    estimate = estimate_prevalence(counts, item.design)
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


def with_figures(question: AskedQuestion, found: ItemResult, wanted: Wanted, *, in_full: bool = False) -> ItemResult:
    """Return the same with what its kind of question is asked for besides shares, where that may be told."""
    if found.prevalence is None or found.too_few_say:
        return found
    item, counts, level = found.item, found.prevalence.counts, wanted.confidence_level
    if item.kind == Kind.NUMBER_MEAN:
        return replace(found, mean=mean_result(item, counts, method=wanted.method, confidence_level=level))
    if item.kind == Kind.SCALE:
        return replace(found, scale=scale_result(item, counts, wanted))
    if item.kind == Kind.NUMBER_BANDS:
        return replace(found, bands=bands_result(question, counts, wanted, in_full=in_full))
    return found


def _too_few_say(found: ItemResult, minimum_n: int) -> bool:
    """Whether about so few say anything that no figure may be told of them alone."""
    if found.item.leave_out != LeaveOut.PROTECTED or found.item.kind not in _AMONG_THOSE_WHO_SAY:
        return False
    return found.n * (1 - found.options[-1].estimate) < minimum_n


def option_results(
    item: Item, estimate: PrevalenceEstimate, wanted: Wanted, *, together: int = 1
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
            no_width=without_width(
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
