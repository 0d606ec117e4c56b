"""Every number on the overview and on a question's page is the core's own, for every kind of question."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from html import unescape
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from django.urls import reverse

from surveys.common.selectors import definition_of
from surveys.estimation.claims import LEVELS, METHODS, FigureOptions
from surveys.estimation.intervals.interval import ScalarInterval, each_level
from surveys.estimation.numbers import MEAN_METHODS, estimate_distribution, estimate_mean
from surveys.estimation.poisoning import poisoning_band
from surveys.estimation.prevalence import PrevalenceEstimate, estimate_prevalence
from surveys.estimation.sampling import direct_sampling, sampling_distribution
from surveys.estimation.scales import estimate_scale
from surveys.estimation.stated_distribution import estimate_stated_distribution
from surveys.estimation.stated_mean import estimate_stated_mean
from surveys.models import Survey
from surveys.numbers.words import estimate_sentence, says_too_little
from surveys.privacy.designs import Design
from surveys.questionnaire.asked_question import Item
from surveys.questionnaire.question import Question
from surveys.questionnaire.reports import CODES
from surveys.responses.selectors.snapshot import snapshot_of
from surveys.results.charts import estimate_cells
from surveys.results.figures import questions as items_module
from surveys.results.figures.questions import QuestionResult, question_result
from surveys.results.pages.question import matrix_table, misfit_table, reports_table
from surveys.results.sections.forged import forged_words
from surveys.results.words import bounds_words, finding_of, mean_name
from tests.factories import (
    PROTECTED,
    every_protected_kind,
    fill,
    make_open,
    number_bands,
    one_of,
    scale,
)
from tests.pages import owner_of, text_of, words_of
from tests.results.drawn import chart_table, drawn_rows, numbers_in, table_of

pytestmark = pytest.mark.django_db
# What stands in a table in the place of an estimate and its limits.
NONE = list(estimate_cells(SimpleNamespace(moment=0.0, standard_error=0.0), trusted=False, dashes=True)[1:4])  # type: ignore[arg-type]
DRAFTS = [*every_protected_kind(), scale(points=2), scale(**PROTECTED), number_bands(**PROTECTED)]
EVERY = [
    pytest.param(seed, draft, id=f"{draft.kind} {draft.design} {draft.leave_out}") for seed, draft in enumerate(DRAFTS)
]


@dataclass
class Asked:
    """A survey of one question with its counts by item, and how its figures are asked for."""

    survey: Survey
    items: tuple[Item, ...]
    counts: list[list[int]]
    details: dict[str, Any]
    protected: bool
    method: str
    level: float
    simultaneous: bool
    forged: int

    @classmethod
    def randomly(cls, draft: Question, seed: int, n: int = 160) -> "Asked":
        rng, survey = np.random.default_rng(seed), make_open(draft)
        items = definition_of(survey).items
        columns = []
        for item in items:
            # Some prevalences near 0: what is limited and what is outside must be right as well.
            shares = rng.dirichlet(np.full(item.design.k, 0.5))
            reports = np.array(item.design.matrix, dtype=float) @ shares
            columns.append(rng.choice(item.design.m, size=n, p=reports / reports.sum()))
        texts = ["".join(CODES[code] for code in person) for person in zip(*columns, strict=True)]
        fill(survey, {text: texts.count(text) for text in dict.fromkeys(texts)})
        return cls(
            survey,
            items,
            [
                np.bincount(column, minlength=item.design.m).tolist()
                for column, item in zip(columns, items, strict=True)
            ],
            draft.details,
            draft.leave_out == "protected",
            str(rng.choice(METHODS)),
            float(rng.choice(LEVELS)),
            bool(rng.integers(2)),
            int(rng.integers(1, n)),
        )

    @property
    def query(self) -> dict[str, str]:
        level = f"{self.level:.3f}".removesuffix("0")
        query = {"method": self.method, "level": level, "forged": str(self.forged)}
        return query if self.simultaneous else query | {"simultaneous": "0"}

    @cached_property
    def result(self) -> QuestionResult:
        definition = definition_of(self.survey)
        wanted = FigureOptions(self.method, self.level, self.simultaneous, self.forged)
        return question_result(definition.questions[0], snapshot_of(self.survey, definition), wanted, in_full=True)

    def page(self, name: str = "survey-results-question", **query: str) -> str:
        address = reverse(name, args=[self.survey.code, 1] if name.endswith("question") else [self.survey.code])
        return unescape(text_of(owner_of(self.survey).get(address, self.query | query)))

    def one_of(self, methods: tuple[str, ...]) -> str:
        return self.method if self.method in methods else methods[0]


def _signed(number: float, digits: int) -> str:
    written = f"{number:,.{digits}f}"
    return (written.lstrip("-") if not any(map(int, filter(str.isdigit, written))) else written).replace("-", "−")


def _percent(share: float, digits: int = 1) -> str:
    return "–" if math.isnan(share) else f"{_signed(100 * share, digits)}%"


def _down(number: float, digits: int) -> str:
    return _signed(math.floor(round(number * 10**digits, 6)) / 10**digits, digits)


def _up(number: float, digits: int) -> str:
    return _signed(math.ceil(round(number * 10**digits, 6)) / 10**digits, digits)


def _outwards(low: float, high: float) -> list[str]:
    return [f"{_down(100 * low, 1)}%", f"{_up(100 * high, 1)}%"]


def _of_100(low: float, high: float) -> list[str]:
    digits = 1 if high - low < 0.05 else 0
    return [text.removesuffix(".0") for text in (_down(100 * low, digits), _up(100 * high, digits))]


@dataclass
class InUnits:
    """How numbers of a range are written."""

    low: float
    high: float
    unit: str = ""

    @property
    def digits(self) -> int:
        return max(0, -math.floor(math.log10((self.high - self.low) / 200)))

    def __call__(self, number: float) -> str:
        return "–" if math.isnan(number) else f"{_signed(number, self.digits)} {self.unit}".strip()

    def limits(self, low: float, high: float) -> list[str]:
        return [f"{limit} {self.unit}".strip() for limit in self.numbers(low, high)]

    def numbers(self, low: float, high: float) -> list[str]:
        return [_down(low, self.digits), _up(high, self.digits)]


def _check_shares(asked: Asked, page: str) -> None:
    rows = chart_table(page, "q1-shares") if 'id="chart-q1-shares"' in page else {}
    drawn = dict(drawn_rows(page))
    for item, counts in zip(asked.items, asked.counts, strict=True):
        estimate = estimate_prevalence(counts, item.design)
        shares = len(asked.items) * (1 if item.range or item.design.k == 2 else item.design.k)
        level = each_level(asked.level, shares) if asked.simultaneous else asked.level
        interval = estimate.interval(level, asked.one_of(estimate.interval_methods))
        band = poisoning_band(estimate, asked.forged)
        for code, label in enumerate(item.labels):
            name = label if not item.option else item.option if code == 1 else f"{item.option} – {label}"
            if item.range and code < 2:
                assert name not in rows
                continue
            trusted = not estimate.misfit and not interval.outside[code]
            low, high = interval.low[code], interval.high[code]
            forged = [max(0.0, band.attainable_low[code]), min(1.0, band.attainable_high[code])]
            alike = item.report_labels == item.labels
            assert rows[name] == [
                *([str(counts[code]), _percent(estimate.observed[code])] if alike else []),
                _percent(estimate.point[code]),
                *([_percent(estimate.constrained[code]), *_outwards(low, high)] if trusted else NONE),
                _percent(estimate.standard_error[code]),
                *(
                    [f"{_down(100 * min(1, forged[0]), 1)}%", f"{_up(100 * max(0, forged[1]), 1)}%"]
                    if trusted
                    else "––"
                ),
            ]
            if name in drawn:
                # A number has a decimal where its interval is narrow; a range stands alone where it is wide.
                limits, digits = _of_100(low, high), 1 if high - low < 0.05 else 0
                value = _signed(100 * estimate.constrained[code], digits).removesuffix(".0")
                shown = " to ".join(limits) if says_too_little(low, high) else value
                assert drawn[name] == (shown if trusted else "–")
                sentence = estimate_sentence(name, value, low, high)
                assert numbers_in(sentence.removeprefix(name))[-3:-1] == limits
                assert (sentence in page) == trusted


def _limits(low: float, high: float, write: Callable[[float], str]) -> list[str]:
    return write.limits(low, high) if isinstance(write, InUnits) else _outwards(low, high)


def _row(
    moment: float,
    estimate: float,
    interval: ScalarInterval,
    error: float,
    write: Callable[[float], str],
    *,
    trusted: bool,
) -> list[str]:
    shown = NONE
    if trusted and not interval.outside and not math.isnan(estimate + interval.low):
        shown = [write(estimate), *_limits(interval.low, interval.high, write)]
    return [write(moment), *shown, write(error)]


def _check_mean(asked: Asked, page: str) -> None:
    [item], [counts] = asked.items, asked.counts
    trusted = not estimate_prevalence(counts, item.design).misfit
    write = InUnits(0, 12, "hours")
    estimate: Any
    if asked.protected:
        estimate = estimate_stated_mean(counts, item.design, 0, 12)
        interval = estimate.interval(asked.level, asked.one_of(MEAN_METHODS))
    else:
        estimate = estimate_mean(counts, item.design, 0, 12)
        interval = estimate.interval(asked.level, asked.method)
        band = poisoning_band(estimate.prevalence, asked.forged)
        limits = np.clip([band.attainable_low[1], band.attainable_high[1]], 0, 1) * 12
        forged = forged_words(asked.result)
        assert bool(forged) == (trusted and not interval.outside)
        assert all(numbers_in(words)[2:] == write.numbers(*limits) for words in forged)
        assert all(words in words_of(page) for words in forged)
    name = mean_name(among_those_who_say=asked.protected)
    observed = 12 * (counts[1] / (counts[0] + counts[1]))
    figures = estimate.point, estimate.constrained, interval, estimate.standard_error
    assert chart_table(page, "q1-mean")[name] == [write(observed), *_row(*figures, write, trusted=trusted)]
    if trusted and not interval.outside and not math.isnan(estimate.constrained):
        headline = finding_of(asked.result, asked.level)
        words = headline.value if says_too_little(interval.low, interval.high, 12) else headline.sure
        assert numbers_in(words)[-2:] == write.numbers(interval.low, interval.high)
        assert words in words_of(page)


def _check_scale(asked: Asked, page: str) -> None:
    [item], [counts] = asked.items, asked.counts
    points = asked.details["points"]
    estimate = estimate_scale(counts, item.design, points)
    trusted = not estimate.prevalence.misfit
    tops = chart_table(page, "q1-top")
    assert len(tops) == min(2, points - 1)
    named = [("Mean", estimate.mean, InUnits(1, points), chart_table(page, "q1-mean"))]
    named += [("Top", estimate.top(boxes), _percent, tops) for boxes in (1, 2) if boxes < points]
    for place, (name, mean, write, table) in enumerate(named):
        interval = mean.interval(asked.level, asked.one_of(mean.interval_methods))
        row = list(table.values())[max(0, place - 1)]
        assert row == _row(mean.point, mean.constrained, interval, mean.standard_error, write, trusted=trusted), name


def _check_bands(asked: Asked, page: str, *, in_full: bool) -> None:
    [item], [counts] = asked.items, asked.counts
    edges = [Fraction(*edge) for edge in asked.details["edges"]]
    write = InUnits(float(edges[0]), float(edges[-1]), "€")
    estimate: Any = (estimate_stated_distribution if asked.protected else estimate_distribution)(
        counts, item.design, edges
    )
    trusted = not estimate.bands.misfit
    method = asked.one_of(MEAN_METHODS if asked.protected else estimate.bands.interval_methods)
    interval = estimate.mean_interval(asked.level, asked.one_of(MEAN_METHODS))
    rows = list(chart_table(page, "q1-mean").values())
    assert rows[0] == _row(
        estimate.mean, estimate.constrained_mean, interval, estimate.mean_standard_error, write, trusted=trusted
    )
    for row, probability in zip(rows[1:], (0.25, 0.5, 0.75), strict=True):
        value, limits = estimate.quantile(probability), estimate.quantile_interval(probability, asked.level, method)
        known = trusted and not math.isnan(value)
        shown = [write(value), *write.limits(limits.low, limits.high)] if known else NONE
        assert row == ["–", *shown, "–"]
    if in_full:
        below = estimate.distribution_interval(asked.level, method, asked.simultaneous)
        for place, row in enumerate(chart_table(page, "q1-below").values()):
            share, low, high = estimate.distribution_function[place], below.low[place], below.high[place]
            known = trusted and not below.outside[place] and not math.isnan(share + low + high)
            assert row == ([_percent(share), *_outwards(low, high)] if known else NONE)
    if trusted and not math.isnan(estimate.mean_bounds[0]):
        bands = asked.result.first.bands
        assert bands is not None
        assert numbers_in(bounds_words(bands)) == write.numbers(*estimate.mean_bounds)
        assert bounds_words(bands) in words_of(page)


def _too_few_say(asked: Asked) -> bool:
    unsaid = estimate_prevalence(asked.counts[0], asked.items[0].design).constrained[-1]
    return asked.protected and sum(asked.counts[0]) * (1 - unsaid) < 10


def _check_question(asked: Asked, page: str, *, in_full: bool) -> None:
    _check_shares(asked, page)
    kind = asked.items[0].kind
    if kind in {"number_mean", "scale", "number_bands"} and _too_few_say(asked):
        assert asked.result.first.too_few_say
        assert 'id="chart-q1-mean"' not in page
        return
    if kind == "number_mean":
        _check_mean(asked, page)
    if kind == "scale":
        _check_scale(asked, page)
    if kind == "number_bands":
        _check_bands(asked, page, in_full=in_full)


def _check_the_rest(asked: Asked, page: str) -> None:
    """Check what only a question's own page has: reports, p-values, the matrix, the scatter."""
    item = asked.items[0]
    reports = table_of(page, reports_table(asked.result).caption)
    assert [row[0] for row in reports.values()] == [str(count) for of_item in asked.counts for count in of_item]
    for row, of_item in zip(
        table_of(page, misfit_table(asked.result).caption).values(),
        zip(asked.items, asked.counts, strict=True),
        strict=True,
    ):
        p_value = estimate_prevalence(of_item[1], of_item[0].design).misfit.p_value
        assert row == ["below 0.001" if p_value < 0.001 else f"{p_value:.3f}"]
    matrix = list(table_of(page, matrix_table(item).caption).values())
    assert [[Fraction(cell.split(" ")[0]) for cell in row] for row in matrix] == [
        list(row) for row in item.design.matrix
    ]


def _check_scatter(asked: Asked, page: str) -> None:
    item, counts = asked.items[0], asked.counts[0]
    estimate = estimate_prevalence(counts, item.design)
    distribution = (item.kind in {"one_of", "scale", "number_bands"} and not item.option) or (
        item.kind == "yes_no" and item.design.k > 2
    )
    code = 0 if distribution else 2 if item.range and item.design.k == 3 else 1
    shares = estimate.constrained
    randomized = sampling_distribution(estimate.n, shares, item.design, code)
    direct = direct_sampling(estimate.n, min(1.0, shares[code]))
    write = InUnits(0, 12, "hours") if item.range and item.design.k == 2 else None
    if 'id="chart-q1-repeated"' not in page:
        assert 'id="repeated"' not in page
        return
    rows = list(chart_table(page, "q1-repeated").values())
    length = 12 if write else 1
    for row, spread in zip(rows, [randomized, direct], strict=False):
        numbers = [spread.standard_deviation, *spread.central(asked.level)]
        assert row == [write(length * number) if write else _percent(number) for number in numbers]
    if direct.standard_deviation:
        worth = math.floor(estimate.n * (direct.standard_deviation / randomized.standard_deviation) ** 2)
        heading = page.split('<h2 id="repeated">')[1].split("</h2>", maxsplit=1)[0]
        assert numbers_in(heading) == [str(estimate.n), str(worth)]


@pytest.mark.parametrize(("seed", "draft"), EVERY)
def test_every_number_is_the_cores_own(seed: int, draft: Question) -> None:
    asked = Asked.randomly(draft, seed)
    page = asked.page(row="1")
    _check_question(asked, asked.page("survey-results"), in_full=False)
    _check_question(asked, page, in_full=True)
    _check_the_rest(asked, page)
    _check_scatter(asked, page)


@pytest.mark.parametrize("moved", [1, 3])
def test_a_single_response_counted_wrongly_is_noticed(monkeypatch: pytest.MonkeyPatch, moved: int) -> None:
    asked = Asked.randomly(one_of(), 7, n=400)

    def wrong(counts: list[int], design: Design) -> PrevalenceEstimate:
        shifted = [counts[0] + moved, counts[1], counts[2] - moved]
        return estimate_prevalence(shifted, design)

    monkeypatch.setattr(items_module, "estimate_prevalence", wrong)
    with pytest.raises(AssertionError):
        _check_question(asked, asked.page(), in_full=True)


def test_an_interval_of_another_level_is_noticed() -> None:
    asked = Asked.randomly(scale(), 3)
    other = ".95" if asked.level != 0.95 else ".99"
    with pytest.raises(AssertionError):
        _check_question(asked, asked.page(level=other), in_full=True)
