"""A survey's results as one frozen object: what pages show and what nobody has to compute again."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Count

from surveys.estimation import PrevalenceEstimate, estimate_prevalence, item_counts
from surveys.models import Mode, Response, Survey
from surveys.models.definition import Definition, Item
from surveys.selectors.responses import Tally

METHODS = ("wilson", "clopper_pearson", "wald")
LEVELS = (0.90, 0.95, 0.99)


@dataclass(frozen=True, slots=True)
class OptionResult:
    """One answer's share of the truths; shares are between 0 and 1 except `moment`, which may leave that range."""

    label: str
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
    """One question's results; without options where too few answered it."""

    item: Item
    n: int
    missing: int
    options: tuple[OptionResult, ...]
    oddities: tuple[Oddity, ...]

    @property
    def shown(self) -> tuple[OptionResult, ...]:
        """The options worth a row: of a two-answer question, Yes alone says everything."""
        return self.options[1:] if self.item.design.k == 2 and self.item.kind == "yes_no" else self.options


@dataclass(frozen=True, slots=True)
class SurveyResults:
    """All that a results page may show: below `minimum_n` the count and nothing else."""

    n: int
    minimum_n: int
    method: str
    confidence_level: float
    n_by_mode: tuple[tuple[str, int], ...]
    items: tuple[ItemResult, ...]

    @property
    def enough(self) -> bool:
        """Whether there are enough responses to show anything but their number."""
        return self.n >= self.minimum_n


def results_of(definition: Definition, tally: Tally, *, method: str, confidence_level: float) -> SurveyResults:
    """Return the results of all questions with intervals of this method and level."""
    enough = tally.n >= definition.minimum_n
    by_mode = tuple((Mode(mode).label, number) for mode, number in tally.n_by_mode().items()) if enough else ()
    items = tuple(
        _item_result(item, tally, definition.minimum_n, method, confidence_level) for item in definition.items
    )
    return SurveyResults(
        n=tally.n,
        minimum_n=definition.minimum_n,
        method=method,
        confidence_level=confidence_level,
        n_by_mode=by_mode,
        items=items if enough else (),
    )


def response_totals(surveys: Iterable[Survey]) -> dict[int, int]:
    """Return how many responses each of these surveys has, by primary key, in one query."""
    keys = [survey.pk for survey in surveys]
    rows = Response.objects.filter(survey_id__in=keys).values_list("survey_id").annotate(number=Count("id")).order_by()
    return dict.fromkeys(keys, 0) | dict(rows)


def _item_result(item: Item, tally: Tally, minimum_n: int, method: str, confidence_level: float) -> ItemResult:
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
    )


def option_results(
    item: Item, estimate: PrevalenceEstimate, *, method: str, confidence_level: float
) -> tuple[OptionResult, ...]:
    """Return one entry an answer, with its interval."""
    interval = estimate.interval(confidence_level, method)
    errors = [None if math.isnan(error) else float(error) for error in estimate.standard_error]
    return tuple(
        OptionResult(
            label=label,
            count=int(estimate.counts[code]),
            observed=float(estimate.observed[code]),
            moment=float(estimate.point[code]),
            # Rounding may leave a share of all a hair above 1.
            estimate=min(1.0, float(estimate.constrained[code])),
            low=float(interval.low[code]),
            high=float(interval.high[code]),
            standard_error=errors[code],
            outside=bool(interval.outside[code]),
            edge=float((min if estimate.point[code] < 0 else max)(item.design.matrix[code])),
        )
        for code, label in enumerate(item.labels)
    )


def _oddities(item: Item, estimate: PrevalenceEstimate) -> tuple[Oddity, ...]:
    misfit = estimate.misfit
    if not misfit.suspicious:
        return ()
    codes = misfit.suspicious_options
    if item.design.m == 2:
        codes = (1,)  # too many Yes are too few No: one sentence is enough
    return tuple(
        Oddity(
            label=item.labels[code],
            count=int(estimate.counts[code]),
            too_few=bool(misfit.too_few[code] < misfit.too_many[code]),
            edge=float((min if misfit.too_few[code] < misfit.too_many[code] else max)(item.design.matrix[code])),
        )
        for code in codes
    )
