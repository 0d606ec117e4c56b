"""The results of an item, of a question and of a survey, from how often each report came."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from surveys.estimation.claims import FigureOptions, NumberEstimate, share_at
from surveys.estimation.grid_mean import METHODS as GRID_METHODS
from surveys.estimation.grid_mean import estimate_grid_mean
from surveys.estimation.patterns import item_counts
from surveys.estimation.poisoning import poisoned_mean, poisoning_band
from surveys.estimation.prevalence import PrevalenceEstimate, estimate_prevalence
from surveys.models import Group, Mode, Survey
from surveys.privacy.designs import Design
from surveys.questionnaire.asked_question import AskedQuestion, Item
from surveys.questionnaire.definition import Definition
from surveys.questionnaire.kinds import Figures, LeaveOut
from surveys.responses.selectors.snapshot import Snapshot
from surveys.responses.told import separable_groups, separable_modes
from surveys.results.figures.means import (
    BandsResult,
    MeanResult,
    ScaleResult,
    bands_result,
    mean_result,
    scale_result,
)

# One item's results: each answer's share with its interval, and what else its kind of question is asked for.


# As likely as this, or likelier, and what is supposed is taken to fit.
MISFIT = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionResult(NumberEstimate):
    """The share of one true answer; shares are between 0 and 1 except `moment`, which may leave that range."""

    label: str
    report: str  # what the report of the same code says: in some designs not an answer
    count: int  # reports received
    observed: float  # their (randomized) share
    moment: float
    estimate: float
    edge: float  # the expected share of the reports where nobody, or everybody, has this answer
    forged_low: float  # where the estimate could be, limited to what can be, had the forged reports been honest
    forged_high: float
    forged_shift: float  # how far it could have been moved at most

    @property
    def limited(self) -> bool:
        """Whether limiting changed the estimate visibly."""
        return abs(self.moment - self.estimate) >= 0.0005


@dataclass(frozen=True, slots=True)
class Oddity:
    """A report that came more rarely or more often than any true answers can explain."""

    label: str
    count: int
    too_few: bool
    edge: float  # the share that chance alone would give at least, or at most


@dataclass(frozen=True)
class ItemResult:
    """One item's results; without options where too few answered it."""

    item: Item
    n: int
    missing: int
    options: tuple[OptionResult, ...] = ()
    oddities: tuple[Oddity, ...] = ()
    method: str = ""  # how the intervals of the options were found
    forged: int = 0  # how many reports are taken to be forged
    misfit: float = 1.0  # the p-value of respondents having followed the instructions
    too_few_say: bool = False  # so few that nothing may be said of those who do not prefer not to say
    mean: MeanResult | None = None
    forged_mean: tuple[float, float] | None = None  # of reports that stand for values, as `forged_low` of shares
    scale: ScaleResult | None = None
    bands: BandsResult | None = None
    prevalence: PrevalenceEstimate | None = field(default=None, repr=False, compare=False)

    @property
    def stated_mean(self) -> MeanResult | NumberEstimate | None:
        """The mean that is shown for its kind of question: of a number, of points, or of a number in bands."""
        return self.mean or (self.scale.mean if self.scale else self.bands.mean if self.bands else None)

    @cached_property
    def shown_codes(self) -> tuple[int, ...]:
        """The answers worth a row: not No beside Yes; of a number, only those who prefer not to say."""
        codes = tuple(range(len(self.options)))
        if self.item.range:
            return codes[2:]
        traits = self.item.answers
        if traits.yes_or_no and (traits.by_option or self.item.design.k == 2):
            return codes[1:]
        return codes

    @cached_property
    def shown(self) -> tuple[OptionResult, ...]:
        """The options worth a row."""
        return tuple(self.options[code] for code in self.shown_codes)

    @property
    def tabled(self) -> tuple[OptionResult, ...]:
        """The options worth a row of a table: all answers, but of a number not the ends of rounding."""
        return self.shown if self.item.range else self.options


def item_result(
    question: AskedQuestion, item: Item, snapshot: Snapshot, wanted: FigureOptions, *, in_full: bool = False
) -> ItemResult:
    """Return the results of one item of a question; in full with what only the question's own page shows."""
    counts, missing = reported(question, item, snapshot)
    if int(counts.sum()) < max(1, snapshot.minimum_n):
        return ItemResult(item, int(counts.sum()), missing)
    return figures_of(question, item, counts, wanted, missing=missing, minimum_n=snapshot.minimum_n, in_full=in_full)


def reported(question: AskedQuestion, item: Item, snapshot: Snapshot) -> tuple[npt.NDArray[np.int64], int]:
    """Return how often each report to an item came, and how many of those asked left it out; none where untold."""
    if (question.arms or question.asked_if) and not snapshot.shows(item.number):
        return np.zeros(item.design.m, dtype=np.int64), 0
    reports = snapshot.on(item.number)
    counts, missing = item_counts(reports.patterns, reports.counts, 0, item.design.m)
    return counts, missing - (snapshot.n - snapshot.asked(question))


def counts_of(item: Item, snapshot: Snapshot) -> npt.NDArray[np.int64]:
    """Return how often each report to an item came; visibly missing answers are none."""
    reports = snapshot.on(item.number)
    return item_counts(reports.patterns, reports.counts, 0, item.design.m)[0]


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
    estimate = estimate_prevalence(counts, item.design)
    result = ItemResult(
        item=item,
        n=estimate.n,
        missing=missing,
        # Of a rounded number the mean was asked for: no share of the values that it was rounded to is claimed.
        options=() if item.grid else option_results(item, estimate, wanted, together=shares_together(question)),
        oddities=_oddities(item, estimate),
        method=wanted.one_of(GRID_METHODS if item.grid else estimate.interval_methods),
        forged=wanted.forged_of(estimate.n),
        misfit=estimate.misfit.p_value,
        prevalence=estimate,
    )
    result = replace(result, too_few_say=_too_few_say(result, minimum_n))
    return _with_figures(question, result, wanted, in_full=in_full)


def _with_figures(question: AskedQuestion, result: ItemResult, wanted: FigureOptions, *, in_full: bool) -> ItemResult:
    """Return the same with what its kind of question is asked for besides shares, where that may be shown."""
    if result.prevalence is None or result.too_few_say:
        return result
    item, counts = result.item, result.prevalence.counts
    match item.answers.figures:
        case Figures.MEAN:
            return replace(
                result, mean=mean_result(item, counts, wanted), forged_mean=_forged_mean(item, counts, result.forged)
            )
        case Figures.POINTS:
            return replace(result, scale=scale_result(item, counts, wanted))
        case Figures.BANDS:
            return replace(result, bands=bands_result(question, counts, wanted, in_full=in_full))
    return result


def _forged_mean(item: Item, counts: npt.NDArray[np.int64], forged: int) -> tuple[float, float] | None:
    """Return where the mean of values could be, limited to what can be, had the forged reports been honest."""
    if item.grid is None:
        return None
    low, high = poisoned_mean(estimate_grid_mean(counts, item.grid), forged)
    least, most = float(item.grid.low), float(item.grid.high)
    return min(max(low, least), most), min(max(high, least), most)


def _too_few_say(result: ItemResult, minimum_n: int) -> bool:
    """Return whether so few are estimated to answer that no figure may be shown for them alone."""
    if result.item.leave_out != LeaveOut.PROTECTED or not result.item.answers.figures:
        return False
    return result.n * (1 - result.options[-1].estimate) < minimum_n


def shares_together(question: AskedQuestion) -> int:
    """Return how many shares of a question may be compared: not the ends that a number is rounded to."""
    k = question.first.design.k
    return len(question.items) * (1 if question.first.range or k == 2 else k)


def option_results(
    item: Item, estimate: PrevalenceEstimate, wanted: FigureOptions, *, together: int = 1
) -> tuple[OptionResult, ...]:
    """Return one entry an answer, with its interval; so many intervals hold at once where that is wanted."""
    interval = estimate.interval(wanted.each(together), wanted.one_of(estimate.interval_methods))
    forged = poisoning_band(estimate, wanted.forged_of(estimate.n))
    shift = np.maximum(estimate.point - forged.attainable_low, forged.attainable_high - estimate.point)
    return tuple(
        OptionResult(
            **asdict(share_at(code, estimate, interval)),
            label=label,
            report=item.report_labels[code],
            count=int(estimate.counts[code]),
            observed=float(estimate.observed[code]),
            edge=_edge(item.design, code, nobody=estimate.point[code] < 0),
            forged_low=float(np.clip(forged.attainable_low[code], 0.0, 1.0)),
            forged_high=float(np.clip(forged.attainable_high[code], 0.0, 1.0)),
            forged_shift=float(shift[code]),
        )
        for code, label in enumerate(item.labels)
    )


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


# A survey's results as one frozen object: what pages show and what nobody has to compute again.


@dataclass(frozen=True)
class QuestionResult:
    """One question's results: those of its items, which were answered or skipped together."""

    question: AskedQuestion
    items: tuple[ItemResult, ...]

    @cached_property
    def first(self) -> ItemResult:
        """The item that stands for all of them where they are alike."""
        return self.items[0]

    @property
    def n(self) -> int:
        return self.first.n

    @cached_property
    def missing(self) -> int:
        """How many left it out, visibly."""
        return self.first.missing

    @cached_property
    def enough(self) -> bool:
        """Whether enough answered it to show anything else."""
        return bool(self.first.options or self.first.mean)

    @property
    def is_shown(self) -> bool:
        """Return whether anything of it may be shown, however few answered."""
        of_some = self.question.arms or self.question.asked_if
        return self.question.protects and (not of_some or self.n + self.missing > 0)

    @property
    def odd(self) -> bool:
        """Whether respondents probably did not follow the instructions, in one item at least."""
        return any(item.oddities for item in self.items)

    @property
    def all_odd(self) -> bool:
        """Return whether no item has a reliable estimate."""
        return all(item.oddities for item in self.items)


@dataclass(frozen=True, slots=True)
class NamedPart:
    """A part of the responses by its name."""

    name: str
    n: int


@dataclass(frozen=True, slots=True)
class SurveyResults:
    """All that a results page may show: below `minimum_n` the count and nothing else."""

    n: int  # responses in the figures
    received: int  # all responses: the rest waits for the next batch
    minimum_n: int
    n_by_mode: tuple[NamedPart, ...]
    n_by_group: tuple[NamedPart, ...]
    questions: tuple[QuestionResult, ...]
    enough: bool  # to show anything but the number of responses

    @property
    def items(self) -> tuple[ItemResult, ...]:
        """The results of all items, in the order of the reports."""
        return tuple(item for question in self.questions for item in question.items)


def results_of(
    definition: Definition,
    snapshot: Snapshot,
    wanted: FigureOptions,
    *,
    groups: Mapping[int, str] | None = None,
) -> SurveyResults:
    """Return the results of all questions; `groups` are names by key."""
    enough = snapshot.enough
    separable = separable_groups(snapshot, definition) if enough else frozenset()
    return SurveyResults(
        n=snapshot.n,
        received=snapshot.received,
        minimum_n=snapshot.minimum_n,
        n_by_mode=parts_by_mode(snapshot, definition, separable) if enough else (),
        n_by_group=parts_by_group(snapshot.n_by_group, groups or {}, separable),
        questions=tuple(question_result(question, snapshot, wanted) for question in definition.questions)
        if enough
        else (),
        enough=enough,
    )


def question_result(
    question: AskedQuestion, snapshot: Snapshot, wanted: FigureOptions, *, in_full: bool = False
) -> QuestionResult:
    return QuestionResult(
        question, tuple(item_result(question, item, snapshot, wanted, in_full=in_full) for item in question.items)
    )


def group_names(survey: Survey) -> dict[int, str]:
    """Return the names of a survey's groups by primary key."""
    return dict(Group.objects.filter(survey_id=survey.pk).values_list("pk", "name"))


def parts_by_mode(snapshot: Snapshot, definition: Definition, separable: frozenset[int]) -> tuple[NamedPart, ...]:
    """Return what randomized the answers, and of how many, where that may be shown beside these groups."""
    return tuple(
        NamedPart(str(Mode(mode).label), n) for mode, n in separable_modes(snapshot, definition, separable).items()
    )


def parts_by_group(
    sizes: Mapping[int, int], names: Mapping[int, str], separable: frozenset[int]
) -> tuple[NamedPart, ...]:
    """Return the groups that are shown separately; of the others not even that anybody came."""
    return tuple(NamedPart(name, sizes.get(key, 0)) for key, name in names.items() if key in separable)
