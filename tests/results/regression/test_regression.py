"""Regression: coefficients are the core's, what may not be told is not, and no choice breaks the page."""

import math
import random
import re
from collections import Counter
from collections.abc import Sequence
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from django.urls import reverse
from django.utils.text import capfirst

from surveys.common.selectors import definition_of
from surveys.course.services import close_survey
from surveys.drafts.services.groups import add_group
from surveys.estimation.regression.fits import BoundedFit
from surveys.estimation.regression.logistic import fit_logistic
from surveys.estimation.regression.randomized_predictors import (
    RandomizedPredictorsFit,
    fit_logistic_randomized_predictors,
)
from surveys.models import Survey
from surveys.privacy.designs import Design
from surveys.questionnaire.asked_question import Item
from surveys.responses.selectors.snapshot import snapshot_of
from surveys.results.figures.regression import answers, terms
from surveys.results.pages.regression import term_sentence
from tests.factories import (
    crosswise,
    every_kind,
    fill,
    make_open,
    number_mean,
    one_of,
    plain,
    several_of,
    unrelated,
    yes_no,
)
from tests.pages import holds, number, owner_of, page_of, rows_under, said_on
from tests.questionnaire.test_branches import after
from tests.results.seen import context_of, page_and_context, says

Codes = npt.NDArray[np.uint8]

pytestmark = pytest.mark.django_db


regression_page = partial(page_of, "survey-results-regression")


def _answered(survey: Survey, n: int, *, seed: int, missing: float = 0.0, group: str = "", lift: float = 1.5) -> None:
    """Let n people answer all questions through their designs; one truth goes with the next."""
    draw = random.Random(seed)  # noqa: S311 - answers of nobody
    rows: Counter[str] = Counter()
    for _ in range(n):
        tilt, codes = 0.0, []
        for item in definition_of(survey).items:
            high = draw.random() < 1 / (1 + math.exp(0.4 - tilt))
            truth = draw.randrange(1, item.design.k) if high else 0
            tilt = lift if high else -0.5
            column = [float(row[truth]) for row in item.design.matrix]
            left_out = item.can_be_left_out and draw.random() < missing
            codes.append("-" if left_out else str(draw.choices(range(item.design.m), column)[0]))
        rows["".join(codes)] += 1
    fill(survey, rows, group=add_group(survey=survey, name=group) if group else None)


def core_fit(
    survey: Survey,
    outcome: Item,
    option: int,
    predictors: Sequence[Item],
    groups: Sequence[str] = (),
    *,
    penalized: bool = False,
) -> tuple[RandomizedPredictorsFit, int, int]:
    """Fit by the core, from the rows of the responses themselves."""
    items = (outcome, *predictors)
    reports = snapshot_of(survey, definition_of(survey)).on(*(item.number for item in items))
    kept = (reports.patterns != 255).all(axis=1)
    names = dict(survey.groups.values_list("pk", "name"))
    x = np.array(
        [[names.get(key) == name for name in groups[1:]] for key in reports.groups[kept].tolist()], dtype=float
    )
    fit = fit_logistic_randomized_predictors(
        reports.patterns[kept, 0],
        outcome.design,
        [reports.patterns[kept, place] for place in range(1, len(items))],
        [item.design for item in predictors],
        x if groups else None,
        option=option,
        weights=reports.counts[kept],
        penalized=penalized,
    )
    return fit, int(reports.counts[kept].sum()), int(reports.counts[~kept].sum())


def _limits(fit: BoundedFit, place: int, *, kind: str, level: float) -> tuple[float, float]:
    """Return a coefficient's limits as the page is to find them."""
    if fit.penalized:
        penalized = fit.penalized_interval(place, level, math.log(1000))
        return penalized.low, penalized.high
    few = isinstance(fit, RandomizedPredictorsFit) and (
        fit.truths.size * (fit.coefficients.size - 1) <= answers.MOST_PROFILED
    )
    if few and kind == "observed":
        profile = fit.profile_interval(place, level, math.log(1000))
        return profile.low, profile.high
    wald = fit.interval(level, kind)
    return float(wald.low[place]), float(wald.high[place])


def _outwards(cell: str, value: float, *, up: bool) -> bool:
    """Whether a cell holds a limit rounded outwards by less than one in its last place."""
    if math.isinf(value):
        return cell == ("∞" if up else "−∞")
    last = 10.0 ** -len(cell.partition(".")[2])
    beyond = number(cell) - value if up else value - number(cell)
    return -1e-6 * last <= beyond < last


def outwards_odds(cell: str, value: float, *, up: bool) -> bool:
    """Whether a cell holds an odds ratio's limit, or says that it is out of sight."""
    if "more than" in cell:
        return up and value > math.log(1000)
    if "less than" in cell:
        return not up and value < -math.log(1000)
    return _outwards(cell, math.exp(value), up=up)


def same_as_the_core(page: str, fit: BoundedFit, *, kind: str, level: float) -> None:
    """Compare every number in the tables with the fit."""
    errors = fit.standard_errors(kind)
    rows = [row for row in rows_under(page, "Coefficients, with") if len(row) == 8]
    assert len(rows) == fit.coefficients.size
    for place, row in enumerate(rows):
        low, high = _limits(fit, place, kind=kind, level=level)
        assert holds(row[1], fit.coefficients[place])
        assert holds(row[2], errors[place])
        assert _outwards(row[3], low, up=False), (row, low)
        assert _outwards(row[4], high, up=True), (row, high)
        if place == 0:
            assert row[5:] == ["–"] * 3
            continue
        assert holds(row[5], math.exp(fit.coefficients[place])) or abs(fit.coefficients[place]) > math.log(1000)
        assert outwards_odds(row[6], low, up=False), (row, low)
        assert outwards_odds(row[7], high, up=True), (row, high)


def same_tests(page: str, fit: BoundedFit, blocks: Sequence[Sequence[int]], n: int) -> None:
    rows = rows_under(page, "Likelihood-ratio tests")
    assert len(rows) == len(blocks) + 1
    for row, columns in zip(rows, [*blocks, range(1, fit.coefficients.size)], strict=True):
        test = fit.likelihood_ratio_test(list(columns))
        assert holds(row[1], test.statistic)
        assert row[2] == str(test.degrees_of_freedom)
        assert row[3] == "< 0.001" if test.p_value < 0.001 else holds(row[3], test.p_value)
    fitted = page.split('data-says="fit">')[1].split("</p>", maxsplit=1)[0]
    likelihood, size = re.findall(r"−?\d[\d,.]*(?<=\d)", fitted)[:2]
    assert holds(likelihood, fit.log_likelihood)
    assert number(size) == n


@pytest.mark.uncounted
@pytest.mark.parametrize(
    ("seed", "kind", "level"),
    [(1, "observed", ".95"), (2, "sandwich", ".99"), (3, "observed", ".80"), (4, "sandwich", ".95")],
)
def test_every_number_is_the_cores(seed: int, kind: str, level: str) -> None:
    survey = make_open(yes_no(), one_of(leave_out="visibly"), crosswise(), unrelated(leave_out="no"))
    for place, name in enumerate(("Monday", "Tuesday")):
        _answered(survey, 900, seed=10 * seed + place, missing=0.05, group=name)
    survey = close_survey(survey=survey)
    items = definition_of(survey).items
    outcome, predictors = items[seed % 4], [items[(seed + 1) % 4], items[(seed + 2) % 4]]
    option = seed % outcome.design.k
    keys = "".join(f"&predictor={item.key}" for item in predictors)
    query = f"?outcome={outcome.key}&option={option}{keys}&groups=1&se={kind}&level={level}"
    page, context = page_and_context("survey-results-regression", survey, query)
    fit, n, dropped = core_fit(survey, outcome, option, predictors, ("Monday", "Tuesday"))
    assert fit.converged
    same_as_the_core(page, fit, kind=kind, level=float(level))
    sizes = [1, *(item.design.k - 1 for item in predictors)]
    starts = np.cumsum([1, *sizes])
    same_tests(page, fit, [range(start, start + size) for start, size in zip(starts, sizes, strict=False)], fit.n)
    regression = context["found"]
    assert (regression.n, regression.dropped) == (n, dropped)
    counted = page.split('data-says="n">')[1].split("</p>")[0]
    assert re.findall(r"[\d,]*\d", counted) == [f"{n:,}", f"{dropped:,}"]
    columns = iter(range(1, fit.coefficients.size))
    for block in regression.blocks:
        places = [next(columns) for _term in block.terms]
        rejects = fit.likelihood_ratio_test(places).p_value <= 1 - float(level)
        for place, term in zip(places, block.terms, strict=True):
            low, high = _limits(fit, place, kind=kind, level=float(level))
            assert regression.concludes(block, term) == (rejects and not low <= 0 <= high)
            assert regression.only_tested(block, term) == (rejects and low <= 0 <= high and len(places) == 1)
            assert says(page, capfirst(term_sentence(regression, block, term, context["answer"])))
    assert next(columns, None) is None


@pytest.mark.slow
def test_that_comparison_notices_reports_that_are_plugged_in_as_if_they_were_truths(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    survey = make_open(yes_no(leave_out="no"), yes_no("Before?", leave_out="no"))
    _answered(survey, 2000, seed=5)
    outcome, predictor = definition_of(survey).items
    address = "?outcome=1&option=1&predictor=2"
    fit, _n, _dropped = core_fit(survey, outcome, 1, [predictor])
    same_as_the_core(regression_page(survey, address), fit, kind="observed", level=0.95)

    def naive(
        y: Codes, design: Design, predictors: Sequence[Codes], _designs: Sequence[Design], _x: None, **how: Any
    ) -> RandomizedPredictorsFit:
        known = np.column_stack(list(predictors)).astype(float)
        return fit_logistic_randomized_predictors(y, design, [], [], known, **how)

    monkeypatch.setattr(answers, "fit_logistic_randomized_predictors", naive)
    with pytest.raises(AssertionError):
        same_as_the_core(regression_page(survey, address), fit, kind="observed", level=0.95)


def test_with_groups_alone_it_is_the_logistic_regression_of_one_randomized_answer() -> None:
    survey = make_open(yes_no(leave_out="no"))
    for place, name in enumerate(("A", "B", "C")):
        _answered(survey, 300, seed=place, group=name)
    survey = close_survey(survey=survey)
    # Groups are held against each other where nothing else is asked for.
    page, context = page_and_context("survey-results-regression", survey)
    reports = snapshot_of(survey, definition_of(survey)).on(0)
    keys = [survey.groups.get(name=name).pk for name in ("B", "C")]
    x = np.column_stack([np.ones(len(reports.counts)), *(reports.groups == key for key in keys)])
    design = definition_of(survey).items[0].design
    fit = fit_logistic(reports.patterns[:, 0], x, design, weights=reports.counts)
    rows = [row for row in rows_under(page, "Coefficients, with") if len(row) == 8]
    for row, value, error in zip(rows, fit.coefficients, fit.standard_errors(), strict=True):
        assert holds(row[1], value)
        assert holds(row[2], error)
    assert [row[0] for row in rows] == ["Intercept", "B", "C"]
    assert [block.reference for block in context["found"].blocks] == ["A"]
    # What has a maximum is not penalized.
    assert not context["found"].penalized
    assert 'data-says="penalized"' not in page


def test_small_groups_are_told_as_one_or_not_at_all() -> None:
    survey = make_open(yes_no(leave_out="no"))
    for place, (name, size) in enumerate({"A": 300, "B": 200, "Tiny": 4, "Small": 8}.items()):
        _answered(survey, size, seed=place, group=name)
    survey = close_survey(survey=survey)
    page = said_on(regression_page(survey).split('<section class="explored"')[1])
    assert "Other groups" in page
    assert "Tiny" not in page
    assert "Small" not in page


def test_a_group_whose_rest_would_be_too_small_is_hidden_with_it() -> None:
    survey = make_open(yes_no(leave_out="no"))
    for place, (name, size) in enumerate({"A": 300, "B": 40, "Tiny": 4}.items()):
        _answered(survey, size, seed=place, group=name)
    survey = close_survey(survey=survey)
    page = said_on(regression_page(survey).split('<section class="explored"')[1])
    assert "“B”" not in page
    assert "Other groups" in page


def test_one_group_is_nothing_to_compare() -> None:
    survey = make_open(yes_no(leave_out="no"))
    _answered(survey, 100, seed=1, group="A")
    regression = context_of("survey-results-regression", close_survey(survey=survey))["found"]
    assert (regression.problem, regression.left_out_groups) == ("nothing", True)


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("?outcome=9", "“9”"),
        ("?outcome=1&option=5", "“5”"),
        ("?outcome=1&option=x", "“x”"),
        ("?outcome=1&predictor=77", "“77”"),
        ("?outcome=1&predictor=1", "question 1 "),
        ("?outcome=3", "Question 3 "),
        ("?outcome=1&predictor=3", "question 3 "),
        ("?outcome=1&se=best", "“best”"),
        ("?outcome=1&se=opg", "“opg”"),
        ("?outcome=1&groups=1", "groups"),
        ("?outcome=1&level=2", "“2”"),
        pytest.param(
            "?outcome=1&predictor=2&predictor=4a&predictor=4b&predictor=4c&predictor=5", "4", marks=pytest.mark.slow
        ),
    ],
)
def test_what_cannot_be_is_named_and_the_page_stands(query: str, named: str) -> None:
    survey = make_open(yes_no(), yes_no("Before?"), number_mean(), several_of(), yes_no("Ever?"))
    _answered(survey, 150, seed=2)
    page, context = page_and_context("survey-results-regression", survey, query)
    [notice] = context["notices"]
    assert named in notice
    assert says(page, notice)
    chosen = context["query"]
    assert (chosen.outcome.key, chosen.option, chosen.standard_error) == ("1", 1, "observed")
    assert len(chosen.predictors) == (4 if query.endswith("predictor=5") else 0)


def test_a_survey_of_means_has_nothing_to_regress() -> None:
    survey = make_open(number_mean())
    _answered(survey, 20, seed=2)
    assert context_of("survey-results-regression", survey)["query"] is None


def test_too_few_complete_answers_are_a_count_and_nothing_else() -> None:
    survey = make_open(yes_no(), yes_no("Before?"))
    fill(survey, {"1-": 30, "-1": 30, "11": 5, "00": 4})
    page, context = page_and_context("survey-results-regression", survey, "?outcome=1&predictor=2")
    assert (context["found"].problem, context["found"].n) == ("too_few", 9)
    assert "Odds" not in said_on(page)
    assert "60" not in said_on(page)


def test_below_the_minimum_there_is_no_regression_at_all() -> None:
    survey = make_open(yes_no(), yes_no("Before?"))
    fill(survey, {"11": 9})
    assert "Before?" not in regression_page(survey, "?outcome=1&predictor=2")


def test_answers_that_too_few_people_have_get_no_odds() -> None:
    survey = make_open(yes_no(leave_out="no"), one_of(("Never", "Once", "Often")))
    # Of 1,200 reports a sixth each would be chance alone: nobody has “Often”.
    fill(survey, {"00": 250, "10": 250, "01": 250, "11": 250, "02": 105, "12": 95})
    page, context = page_and_context("survey-results-regression", survey, "?outcome=1&predictor=2")
    assert [term.why for term in context["found"].terms] == ["", "few"]
    assert len(next(row for row in rows_under(page, "Coefficients") if row[0] == "Often")) == 2


@pytest.mark.parametrize(
    ("counts", "problem"),
    [({"01": 150, "11": 150, "00": 52, "10": 50}, "few"), ({"00": 150, "10": 150, "01": 5, "11": 5}, "odd")],
    ids=["nobody has the reference", "the procedure was not followed"],
)
def test_what_a_question_makes_impossible_gives_no_odds(counts: dict[str, int], problem: str) -> None:
    survey = make_open(yes_no(leave_out="no"), yes_no("Before?", leave_out="no"))
    fill(survey, counts)
    page, context = page_and_context("survey-results-regression", survey, "?outcome=1&predictor=2")
    assert (context["found"].problem, context["found"].culprit.key) == (problem, "2")
    assert "question 2" in page.split('id="regression-head"')[1]
    assert "<table" not in page


@pytest.mark.parametrize("kind", terms.STANDARD_ERRORS)
def test_perfect_separation_is_answered_by_the_penalized_likelihood(kind: str) -> None:
    # A phone that adds next to no chance, and an answer that is the other one.
    nearly = {"parameters": {"truth": [98, 100], "yes": [1, 2]}, "leave_out": "no"}
    survey = make_open(yes_no(**nearly), yes_no("Before?", **nearly))
    fill(survey, {"00": 25, "11": 25})
    page, context = page_and_context("survey-results-regression", survey, f"?outcome=1&predictor=2&se={kind}")
    regression = context["found"]
    assert (regression.problem, regression.penalized, regression.profiled) == ("", True, True)
    assert not re.search(r"\b(nan|inf)\b", said_on(page), re.IGNORECASE)
    items = definition_of(survey).items
    fit, n, _dropped = core_fit(survey, items[0], 1, [items[1]], penalized=True)
    # Of near certainties a sandwich would be far too small.
    assert fit.standard_errors("sandwich")[1] < fit.standard_errors()[1] / 2
    same_as_the_core(page, fit, kind="observed", level=0.95)
    same_tests(page, fit, [[1]], n)
    # The twin: the likelihood alone has no maximum.
    assert core_fit(survey, items[0], 1, [items[1]])[0].separated


@pytest.mark.parametrize(("yes", "penalized"), [([24, 40], True), ([36, 52], False)])
def test_where_an_answer_is_rare_there_are_odds_ratios(yes: Sequence[int], penalized: bool) -> None:
    # Two coins alone make Yes of 25 of 100: of the first group nobody seems to have it.
    survey = make_open(yes_no(leave_out="no"))
    for name, count in zip("AB", yes, strict=True):
        fill(survey, {"1": count, "0": 100 - count}, group=add_group(survey=survey, name=name))
    regression = context_of("survey-results-regression", close_survey(survey=survey))["found"]
    assert (regression.problem, regression.penalized) == ("", penalized)
    [term] = regression.terms
    assert term.low < term.coefficient < term.high
    assert term.low > -math.inf


def test_without_any_maximum_the_page_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    survey = make_open(yes_no(leave_out="no"), yes_no("Before?", leave_out="no"))
    _answered(survey, 200, seed=8)
    monkeypatch.setattr(answers, "usable_fit", lambda _fit_it: SimpleNamespace(converged=False))
    page, context = page_and_context("survey-results-regression", survey, "?outcome=1&predictor=2")
    assert (context["found"].problem, context["found"].terms) == ("unsteady", ())
    assert "<table" not in page


def test_too_many_combinations_are_refused() -> None:
    survey = make_open(yes_no(leave_out="no"), *(one_of(text=f"How often {place}?") for place in range(4)))
    _answered(survey, 500, seed=4)
    query = "?outcome=1&predictor=2&predictor=3&predictor=4&predictor=5"
    assert context_of("survey-results-regression", survey, query)["found"].problem == "too_many"


@pytest.mark.parametrize("rows", [{"0": 12}, {"1": 12}, {"0": 11, "1": 1}])
def test_no_extreme_puts_what_is_no_number_on_the_page(rows: dict[str, int]) -> None:
    survey = make_open(*every_kind())
    items = definition_of(survey).items
    fill(survey, {code * len(items): count for code, count in rows.items()})
    for query in ("?outcome=1&predictor=3", "?outcome=4&option=2&predictor=1&predictor=3", "?outcome=14&predictor=12"):
        for kind in terms.STANDARD_ERRORS:
            page = said_on(regression_page(survey, f"{query}&se={kind}"))
            assert not re.search(r"\b(nan|inf)\b", page, re.IGNORECASE)


def test_another_question_forgets_the_answer_of_the_one_before() -> None:
    survey = make_open(yes_no(leave_out="no"), one_of())
    _answered(survey, 100, seed=3)
    assert context_of("survey-results-regression", survey, "?outcome=1&of=2&option=2")["notices"] == []


def test_the_chart_can_be_had_as_a_file() -> None:
    survey = make_open(yes_no(leave_out="no"), yes_no("Before?", leave_out="no"))
    _answered(survey, 2000, seed=8)
    address = reverse("survey-results-regression", args=[survey.code])
    response = owner_of(survey).get(address, {"outcome": "1", "predictor": "2", "chart": "odds-ratios"})
    assert response["Content-Type"].startswith("image/svg+xml")


def test_the_largest_regression_is_computed() -> None:
    survey = make_open(yes_no(leave_out="no"), *(yes_no(f"And {place}?", leave_out="no") for place in range(4)))
    for place, name in enumerate("ABC"):
        _answered(survey, 400, seed=place, group=name)
    survey = close_survey(survey=survey)
    address = "?outcome=1&predictor=2&predictor=3&predictor=4&predictor=5&groups=1"
    assert context_of("survey-results-regression", survey, address)["found"].problem != "too_many"


TWO = [{"name": "Coins", "weight": 1}, {"name": "Cards", "weight": 1}]


def _used(survey: Survey, query: str) -> tuple[int, int]:
    """Return how many responses a regression uses, and how many it leaves out."""
    regression = context_of("survey-results-regression", survey, query)["found"]
    return regression.n, regression.dropped


def test_who_was_not_asked_in_an_arm_has_left_nothing_out() -> None:
    survey = make_open(
        yes_no("One way?", arms=[1]), yes_no("Another?", arms=[2]), yes_no("Of all?", leave_out="no"), arms=TWO
    )
    counts = {
        "0-00": 55,
        "0-10": 45,
        "1-00": 40,
        "1-10": 60,
        "--00": 13,
        "-001": 45,
        "-011": 40,
        "-101": 40,
        "-111": 45,
        "--11": 21,
    }
    fill(survey, counts)
    close_survey(survey=survey)
    assert _used(survey, "?outcome=1&predictor=3") == (200, 13)
    assert _used(survey, "?outcome=3&predictor=2") == (170, 21)


def test_who_was_not_asked_by_a_branch_has_left_nothing_out() -> None:
    survey = make_open(plain(), yes_no("Copied?"), yes_no("Helped?", **after(1, 1, 2)), yes_no("Of all?"))
    asked = {f"{year}{codes}": 40 for year in "12" for codes in ("000", "011", "101", "110")}
    fill(survey, asked | {"00-0": 45, "00-1": 40, "01-0": 40, "01-1": 45, "1-01": 7, "21-1": 5})
    close_survey(survey=survey)
    assert _used(survey, "?outcome=3&predictor=2") == (320, 12)
    # The twin: of what everybody is asked whoever skipped it is counted, whatever the year.
    assert _used(survey, "?outcome=4&predictor=2") == (495, 7)
