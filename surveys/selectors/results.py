"""A survey's results as one frozen object: what pages show and what nobody has to compute again."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from django.utils.translation import gettext_lazy as _

from surveys.estimation import PrevalenceEstimate, estimate_prevalence, item_counts
from surveys.models import Group, Kind, Mode, Survey
from surveys.models.definition import AskedQuestion, Definition, Item
from surveys.privacy.designs import Design
from surveys.selectors.mean_results import MeanResult, mean_result
from surveys.selectors.responses import Tally

METHODS = ("wilson", "clopper_pearson", "wald")
LEVELS = (0.90, 0.95, 0.99)
_METHOD_LABELS = {
    "wilson": _("Wilson (score)"),
    "clopper_pearson": _("Clopper–Pearson (exact)"),
    "wald": _("Wald (for comparison)"),
    # Not to be chosen: where the others do not exist.
    "likelihood_ratio": _("likelihood ratio"),
}


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
    edge: float  # the share of the reports that chance gives where nobody, or everybody, has this answer

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
    options: tuple[OptionResult, ...]
    oddities: tuple[Oddity, ...]
    mean: MeanResult | None = None

    @property
    def shown(self) -> tuple[OptionResult, ...]:
        """The options worth a row: not No beside Yes; of a number, only those who prefer not to say."""
        if self.item.range:
            return self.options[2:]
        if self.item.kind == Kind.SEVERAL_OF or (self.item.kind == Kind.YES_NO and self.item.design.k == 2):
            return self.options[1:]
        return self.options

    @property
    def tabled(self) -> tuple[OptionResult, ...]:
        """The options worth a row of a table: all answers, but of a number not the ends that chance rounds to."""
        return self.shown if self.item.range else self.options

    @property
    def reports_are_answers(self) -> bool:
        """Whether the reports are called as the truths are, so that their shares can stand beside each other."""
        return self.item.report_labels == self.item.labels


@dataclass(frozen=True, slots=True)
class QuestionResult:
    """One question's results: those of its items, which were answered or left out together."""

    question: AskedQuestion
    items: tuple[ItemResult, ...]

    @property
    def n(self) -> int:
        """How many answered it."""
        return self.items[0].n

    @property
    def missing(self) -> int:
        """How many left it out, visibly."""
        return self.items[0].missing

    @property
    def enough(self) -> bool:
        """Whether enough answered it to show anything else."""
        return bool(self.items[0].options)

    @property
    def odd(self) -> bool:
        """Whether respondents probably did not follow the procedure, in one item at least."""
        return any(item.oddities for item in self.items)

    @property
    def all_odd(self) -> bool:
        """Whether no item has an estimate to trust."""
        return all(item.oddities for item in self.items)


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the responses by its name; None: fewer than may be told."""

    name: str
    n: int | None


@dataclass(frozen=True, slots=True)
class SurveyResults:
    """All that a results page may show: below `minimum_n` the count and nothing else."""

    n: int
    minimum_n: int
    method: str
    confidence_level: float
    n_by_mode: tuple[Part, ...]
    n_by_group: tuple[Part, ...]
    questions: tuple[QuestionResult, ...]

    @property
    def enough(self) -> bool:
        """Whether there are enough responses to show anything but their number."""
        return self.n >= self.minimum_n

    @property
    def items(self) -> tuple[ItemResult, ...]:
        """The results of all items, in the order of the reports."""
        return tuple(item for question in self.questions for item in question.items)


def results_of(
    definition: Definition,
    tally: Tally,
    *,
    method: str,
    confidence_level: float,
    groups: Mapping[int, str] | None = None,
) -> SurveyResults:
    """Return the results of all questions with intervals of this method and level; `groups` are names by key."""
    enough = tally.n >= definition.minimum_n
    questions = tuple(
        QuestionResult(
            question,
            tuple(_item_result(item, tally, definition.minimum_n, method, confidence_level) for item in question.items),
        )
        for question in definition.questions
    )
    return SurveyResults(
        n=tally.n,
        minimum_n=definition.minimum_n,
        method=method,
        confidence_level=confidence_level,
        n_by_mode=_by_mode(tally, definition.minimum_n) if enough else (),
        n_by_group=_by_group(tally, definition.minimum_n, groups or {}) if enough else (),
        questions=questions if enough else (),
    )


def method_label(method: str) -> str:
    """Return an interval method as people call it."""
    return str(_METHOD_LABELS[method])


def group_names(survey: Survey) -> dict[int, str]:
    """Return the names of a survey's groups by primary key."""
    return dict(Group.objects.filter(survey_id=survey.pk).values_list("pk", "name"))


def design_in(item: Item, mode: str) -> Design:
    """Return the design that reports of an item go through in this mode: whoever adds chance, it is the item's one."""
    return item.design


def _by_mode(tally: Tally, minimum_n: int) -> tuple[Part, ...]:
    return tuple(Part(str(Mode(mode).label), n if n >= minimum_n else None) for mode, n in tally.n_by_mode().items())


def _by_group(tally: Tally, minimum_n: int, names: Mapping[int, str]) -> tuple[Part, ...]:
    """Return the groups that are large enough; of the others not even that anybody came."""
    sizes = {key: int(tally.counts[tally.groups == key].sum()) for key in np.unique(tally.groups).tolist()}
    return tuple(Part(name, sizes[key]) for key, name in names.items() if sizes.get(key, 0) >= minimum_n)


def _item_result(item: Item, tally: Tally, minimum_n: int, method: str, confidence_level: float) -> ItemResult:
    _refuse_different_designs(item, tally)
    counts, missing = item_counts(tally.patterns, tally.counts, item.number, item.design.m)
    n = int(counts.sum())
    if n < minimum_n:
        return ItemResult(item=item, n=n, missing=missing, options=(), oddities=())
    estimate = estimate_prevalence(counts, item.design)
    return ItemResult(
        item=item,
        n=n,
        missing=missing,
        options=option_results(item, estimate, method=method, confidence_level=confidence_level),
        oddities=_oddities(item, estimate),
        mean=mean_result(item, counts, method=method, confidence_level=confidence_level) if item.range else None,
    )


def _refuse_different_designs(item: Item, tally: Tally) -> None:
    """Hold what is about to be counted together against the rule that it came through one matrix."""
    if len({design_in(item, mode).matrix for mode in set(tally.modes)}) > 1:
        raise DifferentDesignsError(f"item {item.key}: its modes have different designs")


def option_results(
    item: Item, estimate: PrevalenceEstimate, *, method: str, confidence_level: float
) -> tuple[OptionResult, ...]:
    """Return one entry an answer, with its interval."""
    interval = estimate.interval(confidence_level, method)
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
            edge=_edge(item.design, code, nobody=estimate.point[code] < 0),
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
