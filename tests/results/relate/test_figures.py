"""Two questions related in random surveys: every number of the page is held against the core called directly."""

import math
import re
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from random import Random

import numpy as np
import pytest

from surveys.common.selectors import definition_of
from surveys.course.services import close_survey
from surveys.estimation.association.independence import drop_empty, test_independence
from surveys.estimation.association.joint import JointEstimate, estimate_joint
from surveys.estimation.association.within import mean_within
from surveys.estimation.intervals.interval import ScalarInterval
from surveys.estimation.prevalence import estimate_prevalence
from surveys.models import Survey
from surveys.numbers.words import says_too_little
from surveys.questionnaire.asked_question import Item
from surveys.responses.selectors.snapshot import snapshot_of
from surveys.results.figures.relate import MOST_PROFILED_CELLS, report_table
from surveys.results.pages.relate import odds
from tests.factories import (
    PROTECTED,
    crosswise,
    make_open,
    number_bands,
    number_mean,
    one_of,
    scale,
    several_of,
    triangular,
    yes_no,
)
from tests.pages import number, outwards, page_of, rows_under, same, tables_of
from tests.results.grouping import answer, answer_by_chance
from tests.results.seen import page_and_context

pytestmark = pytest.mark.django_db
_NONE, _FEW, _MINIMUM = "not reliable", "too few people", 12


@dataclass(frozen=True)
class _How:
    """How a page was asked to find its intervals."""

    method: str = "likelihood_ratio"
    level: float = 0.95

    @classmethod
    def of(cls, level: float, cells: int) -> "_How":
        return cls("likelihood_ratio" if cells <= MOST_PROFILED_CELLS else "fitted", level)


_page = partial(page_of, "survey-results-relate")


def _joint(survey: Survey, a: Item, b: Item) -> JointEstimate:
    snapshot = snapshot_of(survey, definition_of(survey))
    return estimate_joint(report_table(a, b, snapshot), a.design, b.design)


@pytest.mark.parametrize(("seed", "level"), [pytest.param(1, 0.95, marks=pytest.mark.slow), (2, 0.99), (3, 0.8)])
@pytest.mark.uncounted
def test_every_number_is_the_cores(seed: int, level: float) -> None:
    random = Random(seed)  # noqa: S311 - answers of nobody
    others = random.sample([yes_no(), one_of(), number_bands(), triangular()], 2)
    means = number_mean(), number_mean("Said?", **PROTECTED)
    survey = make_open(crosswise(), several_of(), scale(), scale("And?", 6), *others, *means, minimum_n=_MINIMUM)
    answer_by_chance(survey, 300, random)
    close_survey(survey=survey)
    items = list(definition_of(survey).items)
    random.shuffle(items)
    scales = [item for item in items if item.kind == "scale"]
    for a, b in [*pairwise([*items, items[0]]), (scales[0], scales[1])]:
        page, context = page_and_context("survey-results-relate", survey, f"?a={a.key}&b={b.key}&level={level:.2f}")
        joint = _joint(survey, a, b)
        how = _How.of(level, joint.cells.design.k)
        _check_reported(page, joint)
        misfit = bool(joint.misfit or any(marginal.misfit for marginal in joint.marginals))
        assert context["relation"].odd == misfit
        if misfit:
            continue
        _check_cells(page, joint, how)
        _check_tests(page, joint)
        if joint.shape == (2, 2) and not (a.range or b.range):
            if any(_rare(joint, a, b)):
                assert "Odds ratio" not in page
            else:
                _check_strength(page, joint, how)
        if not a.range:
            _check_among(page, joint, _rare(joint, a, b), b, how)


def test_a_table_turned_round_would_be_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    survey = make_open(yes_no(leave_out="no"), yes_no("And?", leave_out="no"))
    answer(survey, {"11": 30, "10": 20, "01": 10, "00": 40})
    close_survey(survey=survey)
    a, b = definition_of(survey).items
    joint = _joint(survey, a, b)
    _check_cells(_page(survey), joint, _How())
    monkeypatch.setattr(JointEstimate, "point", property(lambda self: self.cells.point.reshape(self.shape).T))
    turned = _page(survey)
    monkeypatch.undo()
    with pytest.raises(AssertionError):
        _check_cells(turned, joint, _How())


def _check_reported(page: str, joint: JointEstimate) -> None:
    rows = rows_under(page, "Reports")
    assert [[int(cell) for cell in row[1:]] for row in rows] == joint.table.tolist()
    assert f"n = {joint.n} people who answered both questions" in page


def _check_cells(page: str, joint: JointEstimate, how: _How) -> None:
    interval = joint.interval(how.level, how.method)
    errors = joint.standard_error
    drawn = [row[1:] for row in rows_under(page, "True answers to both questions", which=0)]
    for row, (i, j) in zip(rows_under(page, "True answers to both questions"), np.ndindex(*joint.shape), strict=True):
        arrays = (joint.point, joint.constrained, interval.low, interval.high, errors)
        values = [100 * float(array[i, j]) for array in arrays]
        for cell, value in zip([*row[1:3], row[5]], [*values[:2], values[4]], strict=True):
            assert cell == _NONE or same(cell, value)
        assert _NONE in row or outwards(row[3], row[4], (values[2], values[3]))
        assert (_NONE in row) == bool(interval.outside[i, j])
        if not interval.outside[i, j]:
            _check_limits(drawn[i][j], values[1:4], alone=says_too_little(values[2], values[3], 100))


def _check_limits(cell: str, values: list[float], *, alone: bool = False) -> None:
    """Hold a share and its limits, which are rounded outwards, against theirs; or the limits alone."""
    *share, low, high = map(float, re.findall(r"[\d.]+", cell))
    assert share == ([] if alone else [pytest.approx(values[0], abs=0.51)])
    assert values[1] - 1 < low <= values[1] + 1e-6
    assert values[2] - 1e-6 <= high < values[2] + 1


def _check_tests(page: str, joint: JointEstimate) -> None:
    test = test_independence(drop_empty(joint.table))
    rows = rows_under(page, "Tests of independence")
    expected = [(test.pearson, test.pearson_p_value), (test.likelihood_ratio, test.likelihood_ratio_p_value)]
    for row, (statistic, p) in zip(rows, expected, strict=False):
        assert same(row[1], statistic, places=2)
        assert int(row[2]) == test.degrees_of_freedom
        assert same(row[3], max(p, 0.001), places=3)
    assert len(rows) == (2 if test.exact_p_value is None else 3)
    if test.exact_p_value is not None:
        assert same(rows[2][3], max(test.exact_p_value, 0.001), places=3)
    assert ("p-values of χ² and G are unreliable" in page) == test.approximation_poor


def _check_strength(page: str, joint: JointEstimate, how: _How) -> None:
    ratio, phi = rows_under(page, "Odds ratio and correlation")
    estimate, interval_of_odds = joint.odds_ratio, joint.odds_ratio.interval(how.level, how.method)
    if math.isfinite(estimate.point) and 0.001 <= estimate.point <= 1e6:
        assert number(ratio[1]) == pytest.approx(estimate.point, rel=0.01, abs=0.00051)
    else:
        assert ratio[1] == odds(None if math.isnan(estimate.point) else estimate.point)
    shown = [float(text.replace(",", "")) for text in re.findall(r"[\d,]+(?:\.\d+)?", ratio[2])]
    known = [limit for limit in (interval_of_odds.low, interval_of_odds.high) if 0.001 <= limit <= 1e6]
    assert ("unknown (any value is possible)" in ratio[2]) == (not known)
    for cell, limit in zip(shown, known, strict=True):
        assert cell == pytest.approx(limit, rel=0.01, abs=0.001)
        assert cell >= limit - 1e-9 if limit == interval_of_odds.high else cell <= limit + 1e-9
    correlation, interval = joint.correlation, joint.correlation.interval(how.level)
    assert phi[1] == "not determined" if math.isnan(correlation.point) else same(phi[1], correlation.point, places=2)
    if math.isnan(correlation.standard_error):
        assert "no interval" in phi[2]
    else:
        low, high = re.findall(r"[−-]?\d\.\d+", phi[2])
        assert outwards(low, high, (interval.low, interval.high), places=2)


def _rare(joint: JointEstimate, a: Item, b: Item) -> tuple[set[int], set[int]]:
    """The answers to each question that too few are estimated to have; a number's ends are no answers."""
    codes = []
    for item, people in ((a, joint.n * joint.constrained.sum(axis=1)), (b, joint.n * joint.constrained.sum(axis=0))):
        codes.append({code for code in range(2 if item.range else 0, item.design.k) if people[code] < _MINIMUM - 1e-9})
    return codes[0], codes[1]


def _check_among(page: str, joint: JointEstimate, rare: tuple[set[int], set[int]], b: Item, how: _How) -> None:
    if how.method == "fitted":
        joint, how = joint.fitted, _How("wald", how.level)
    begins = tuple(f"{what}, by true answer to the first" for what in ("Mean", f"“{b.labels[1]}”"))
    title = next((title for title, _ in tables_of(page) if title.startswith(begins)), None)
    assert (title is not None) == bool(b.range or joint.shape[1] == 2)
    for code, row in enumerate(rows_under(page, title) if title else ()):
        few = joint.n * float(joint.constrained[code, :2].sum()) < _MINIMUM if b.range else bool(rare[1])
        assert (row[1] == _FEW) == (few or code in rare[0])
        # The people of all rows but one would tell how few are in that one.
        assert (row[1] == "–") == (row[1] != _FEW and len(rare[0]) == 1)
        if row[1] != _FEW:
            _check_row(row, joint, code, b, how)
    for code, row in enumerate(
        rows_under(page, "Shares, by true answer to the first question") if joint.shape[1] > 2 else ()
    ):
        assert (row[1] == _FEW) == (code in rare[0])
        assert (row[1] == "–") == (code not in rare[0] and len(rare[0]) == 1)
        for other, cell in enumerate(row[2:], start=2 if b.range else 0):
            share = joint.conditional(code, other)
            interval = share.interval(how.level, how.method)
            if row[1] == _FEW:
                assert cell == "–"
            elif other in rare[1]:
                assert cell == _FEW
            elif not _told(cell, interval):
                values = [100 * value for value in (share.constrained, interval.low, interval.high)]
                _check_limits(cell, values)


def _check_row(row: list[str], joint: JointEstimate, code: int, b: Item, how: _How) -> None:
    """Hold one row of the chart, which is not of too few, against the mean, or the share of the second answer."""
    first_question = estimate_prevalence(joint.table.sum(axis=1), joint.designs[0])
    method = how.method if how.method in first_question.interval_methods else first_question.interval_methods[0]
    limits = first_question.interval(how.level, method)
    between = f"{math.floor(joint.n * limits.low[code])} to {math.ceil(joint.n * limits.high[code])}"
    assert row[1] in {"–", between}
    first = code * joint.shape[1]
    mean = mean_within(joint.cells, [b.range.low, b.range.high] if b.range else [0, 1], (first, first + 1))
    interval = mean.interval(how.level, how.method)
    by, places = (1.0, 2) if b.range else (100.0, 1)
    values = [mean.point, mean.constrained, mean.standard_error]
    for cell, value in zip([*row[2:4], row[6]], values, strict=True):
        assert _told(cell, interval) or same(cell, by * value, places=places)
    limits = by * interval.low, by * interval.high
    assert _told(row[4], interval) or outwards(row[4], row[5], limits, places=places)


def _told(cell: str, interval: ScalarInterval) -> bool:
    """Whether words stand in a cell, which is right where there is no interval to trust."""
    if cell not in {_NONE, "–"}:
        return False
    assert interval.outside or math.isnan(interval.low)
    return True
