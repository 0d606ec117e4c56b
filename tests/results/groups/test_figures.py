"""Groups compared in random surveys: every number of the page is held against the core called directly."""

from dataclasses import dataclass
from functools import partial
from random import Random

import numpy as np
import pytest

from surveys.common.selectors import definition_of
from surveys.course.services import close_survey
from surveys.estimation.association.groups import GroupComparison, compare_groups
from surveys.estimation.numbers import estimate_mean
from surveys.estimation.prevalence import PrevalenceEstimate, estimate_prevalence
from surveys.models import Group
from surveys.questionnaire.asked_question import Item
from surveys.responses.selectors.snapshot import snapshot_of
from surveys.results.figures.groups import GroupResults, reports_by_group
from surveys.results.pages.groups import same_numbers
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
from tests.pages import number, outwards, page_of, rows_under, same
from tests.results.grouping import answer, answer_by_chance, group_of
from tests.results.seen import page_and_context, says

pytestmark = pytest.mark.django_db
_NONE = "not reliable"


@dataclass(frozen=True)
class _Asked:
    """What a page was asked for."""

    option: int | None = 1
    method: str = "wilson"
    level: float = 0.95
    adjustment: str = "holm"

    @property
    def query(self) -> str:
        option = "mean" if self.option is None else self.option
        return f"option={option}&method={self.method}&level={self.level:.2f}&adjustment={self.adjustment}"

    @property
    def places(self) -> int:
        return 2 if self.option is None else 1


_page = partial(page_of, "survey-results-groups")


@pytest.mark.parametrize(
    ("seed", "method", "level"), [(1, "wilson", 0.95), (2, "clopper_pearson", 0.99), (3, "wilson", 0.9)]
)
def test_every_number_is_the_cores(seed: int, method: str, level: float) -> None:
    random = Random(seed)  # noqa: S311 - answers of nobody
    others = [yes_no(), yes_no("And?", **PROTECTED), one_of(), several_of(), scale(), number_bands()]
    survey = make_open(crosswise(), triangular(), number_mean(), *random.sample(others, 3), minimum_n=12)
    for name in ("North", "South", "East"):
        answer_by_chance(survey, random.randint(30, 90), random, group_of(survey, name))
    answer_by_chance(survey, 40, random)
    close_survey(survey=survey)
    definition = definition_of(survey)
    snapshot = snapshot_of(survey, definition)
    names = dict(Group.objects.values_list("pk", "name")) | {0: "Without a group"}
    for item in definition.items:
        option = None if item.range else random.randrange(item.design.k)
        asked = _Asked(option, method, level, random.choice(["holm", "bonferroni", "none"]))
        counts = {names[key]: reports for key, reports in reports_by_group(item, snapshot).items()}
        page, context = page_and_context("survey-results-groups", survey, f"?item={item.key}&{asked.query}")
        _check(page, context["results"], item, counts, asked)


def test_a_page_that_took_groups_from_each_other_the_wrong_way_round_would_be_found_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    survey = make_open(yes_no(leave_out="no"))
    answer(survey, {"1": 30, "0": 10}, group_of(survey, "North"))
    answer(survey, {"1": 12, "0": 28}, group_of(survey, "South"))
    close_survey(survey=survey)
    comparison = compare_groups([[10, 30], [28, 12]], definition_of(survey).items[0].design)
    names, real = ["North", "South"], GroupComparison.difference
    _check_pairs(_page(survey), comparison, names, _Asked())
    monkeypatch.setattr(GroupComparison, "difference", lambda self, i, j, option=1: real(self, j, i, option))
    wrong = _page(survey)
    monkeypatch.undo()
    with pytest.raises(AssertionError):
        _check_pairs(wrong, comparison, names, _Asked())


def _check(page: str, results: GroupResults, item: Item, counts: dict[str, np.ndarray], asked: _Asked) -> None:
    rows = rows_under(page, "Mean by group" if asked.option is None else f"“{item.labels[asked.option]}” by group")
    assert {row[0] for row in rows} == set(counts)
    estimates = {row[0]: estimate_prevalence(counts[row[0]], item.design) for row in rows}
    for row in rows:
        _check_part(row, estimates[row[0]], item, asked)
    trusted = [name for name, estimate in estimates.items() if not estimate.misfit]
    comparison = compare_groups([counts[name] for name in trusted], item.design)
    _check_pairs(page, comparison, trusted, asked)
    assert results.same
    assert results.same.statistic == pytest.approx(comparison.statistic)
    assert results.same.degrees_of_freedom == comparison.degrees_of_freedom
    assert results.same.p_value == pytest.approx(comparison.p_value)
    assert says(page, same_numbers(results))


def _check_part(row: list[str], estimate: PrevalenceEstimate, item: Item, asked: _Asked) -> None:
    reported, values, outside = _expected(estimate, item, asked)
    assert int(row[1]) == estimate.n
    # Where a report is not called as an answer is, its share does not stand beside the answer's.
    assert same(row[2], reported, places=asked.places) if item.report_labels == item.labels else row[2] == "–"
    if estimate.misfit or outside:
        assert row[4:7] == [_NONE] * 3
    else:
        assert outwards(row[5], row[6], (values[2], values[3]), places=asked.places)
    for cell, value in zip([*row[3:5], row[7]], [*values[:2], values[4]], strict=True):
        assert cell == _NONE or same(cell, value, places=asked.places)
    assert (_NONE in row) == bool(estimate.misfit or outside)


def _expected(estimate: PrevalenceEstimate, item: Item, asked: _Asked) -> tuple[float, list[float], bool]:
    if asked.option is None:
        assert item.range is not None
        mean = estimate_mean(estimate.counts, item.design, item.range.low, item.range.high)
        expected = mean.interval(asked.level, asked.method)
        values = [mean.point, mean.constrained, expected.low, expected.high, mean.standard_error]
        return 12 * float(estimate.observed[1]), values, expected.outside
    interval = estimate.interval(asked.level, asked.method)
    shares = estimate.point, estimate.constrained, interval.low, interval.high, estimate.standard_error
    values = [100 * float(share[asked.option]) for share in shares]
    return 100 * float(estimate.observed[asked.option]), values, bool(interval.outside[asked.option])


def _check_pairs(page: str, comparison: GroupComparison, names: list[str], asked: _Asked) -> None:
    rows = rows_under(page, "Differences between groups")
    pairs = comparison.pairs(1 if asked.option is None else asked.option, asked.adjustment)
    by = 12.0 if asked.option is None else 100.0
    for row, pair in zip(rows, pairs, strict=True):
        difference, interval = pair.difference, pair.difference.interval(asked.level, asked.method)
        assert row[0] == f"{names[pair.i]} − {names[pair.j]}"
        values = [difference.point, difference.constrained, difference.standard_error]
        for cell, value in zip([*row[1:3], row[5]], values, strict=True):
            assert cell == _NONE or same(cell, by * value, places=asked.places)
        limits = by * interval.low, by * interval.high
        assert interval.outside or outwards(row[3], row[4], limits, places=asked.places)
        assert (_NONE in row) == interval.outside
        for cell, p in ((row[6], difference.p_value), (row[7], pair.adjusted_p_value)):
            assert cell == "–" if np.isnan(p) else number(cell) == pytest.approx(max(p, 0.001), abs=0.00051)
