"""The methods page: every formula comes to what it says, and to what the core says."""

import math
import re
from collections.abc import Iterator
from functools import partial
from html import unescape
from pathlib import Path

import numpy as np
import pytest
import scipy.stats
from django.urls import reverse

from surveys.common.selectors import definition_of
from surveys.course.services import close_survey
from surveys.drafts.services.groups import add_group
from surveys.estimation.affine import require_affine_map
from surveys.estimation.association.difference import difference_of
from surveys.estimation.claims import METHODS
from surveys.estimation.intervals.binomial import limits_within
from surveys.estimation.intervals.interval import each_level
from surveys.estimation.numbers import estimate_distribution, estimate_mean
from surveys.estimation.planning.precision import expected_half_width
from surveys.estimation.poisoning import poisoning_band
from surveys.estimation.prevalence import estimate_prevalence
from surveys.estimation.scales import estimate_scale
from surveys.estimation.stated_mean import estimate_stated_mean
from surveys.models import Group, Survey
from surveys.questionnaire.asked_question import Item
from surveys.questionnaire.question import Question
from surveys.questionnaire.reports import CODES
from surveys.results import formulas as mathml
from surveys.results.figures.questions import shares_together
from surveys.results.pages import methods as forms
from tests.factories import (
    PROTECTED,
    crosswise,
    every_protected_kind,
    fill,
    make_open,
    number_bands,
    number_mean,
    scale,
    several_of,
    twenty_of_every_kind,
    yes_no,
)
from tests.pages import owner_of, page_of, text_of
from tests.results.methods.mathml import Formula, read
from tests.results.seen import page_and_context

pytestmark = pytest.mark.django_db
EVERY = every_protected_kind()
ROOT = Path(__file__).parents[3]


@pytest.fixture(autouse=True)
def all_on_one_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forms, "MOST_ITEMS", 23)


def _page(survey: Survey, query: str = "") -> str:
    return unescape(page_of("survey-results-methods", survey, query))


methods_page = partial(page_of, "survey-results-methods")


def random_reports(survey: Survey, n: int, seed: int, group: Group | None = None) -> dict[str, list[int]]:
    """Store reports that the designs lead to from random truths; return the counts of each item by its key."""
    random = np.random.default_rng(seed)
    items = definition_of(survey).items
    columns = []
    for item in items:
        shares = random.dirichlet(np.ones(item.design.k))
        reported = np.array(item.design.matrix, dtype=float) @ shares
        columns.append(random.choice(item.design.m, n, p=reported / reported.sum()))
    texts = ["".join(CODES[column[person]] for column in columns) for person in range(n)]
    fill(survey, {text: texts.count(text) for text in dict.fromkeys(texts)}, group=group)
    return {
        item.key: [int((column == code).sum()) for code in range(item.design.m)]
        for item, column in zip(items, columns, strict=True)
    }


def _main(item: Item) -> int:
    """The answer worked through: Yes, or the upper end; of several the first; beside a number not saying."""
    if item.range:
        return 2 if item.design.k == 3 else 1
    return 1 if item.kind == "yes_no" or item.option else 0


def formulas_of(formulas: list[Formula], item: str) -> dict[str, Formula]:
    return {formula.name: formula for formula in formulas if formula.item == item}


def unequal_sides(formulas: list[Formula]) -> Iterator[str]:
    for formula in formulas:
        for value in formula.values:
            if not math.isclose(value, formula.result, rel_tol=1e-9, abs_tol=1e-12):
                yield f"{formula.item} {formula.name}: {formula.values}"


@pytest.mark.parametrize("method", METHODS)
def test_every_side_of_every_formula_has_the_same_value_and_the_last_is_that_of_the_core(method: str) -> None:
    survey = make_open(*EVERY)
    counts = random_reports(survey, 150, seed=METHODS.index(method))
    raw = methods_page(survey, f"?method={method}&level=.90&forged=7")
    formulas, results = read(raw)
    assert not list(unequal_sides(formulas))
    definition = definition_of(survey)
    for item in definition.items:
        level = each_level(0.9, shares_together(definition.questions[item.question_number - 1]))
        named, option = formulas_of(formulas, item.key), _main(item)
        estimate = estimate_prevalence(counts[item.key], item.design)
        n, misfit, band = estimate.n, estimate.misfit, poisoning_band(estimate, 7)
        edges = require_affine_map(item.design).edges()
        low, high = limits_within(estimate.counts, n, level, method, edges)
        expected = {
            "observed": estimate.observed[option],
            "moment": estimate.point[option],
            "variance": estimate.covariance[option, option],
            "standard_error": estimate.standard_error[option],
            "too_few": misfit.too_few[option],
            "too_many": misfit.too_many[option],
            "misfit": misfit.p_value,
            "forged_low": band.low[option],
            "forged_high": band.high[option],
            "limit_low": low[option],
            "limit_high": high[option],
            "half_width": expected_half_width(
                n=n,
                design=item.design,
                prevalence=estimate.constrained.tolist() if item.design.k > 2 else estimate.constrained[1],
                option=option,
                confidence_level=level,
            ),
        }
        if item.design.k == 2:
            expected["constrained"] = estimate.constrained[1]
        for name, value in expected.items():
            assert named[name].result == pytest.approx(value, rel=1e-9, abs=1e-12), (item.key, name)
        interval = estimate.interval(level, method)
        if not interval.outside[option]:
            shown = (interval.low[option], interval.high[option])
            assert results[item.key, "interval"] == pytest.approx(shown, rel=1e-9, abs=1e-12)
            assert np.clip([named["low"].result, named["high"].result], 0, 1) == pytest.approx(shown, abs=1e-9)


def test_the_tails_are_those_of_the_binomial_distributions_that_they_name() -> None:
    survey = make_open(yes_no(leave_out="no"))
    fill(survey, {"0": 77, "1": 23})
    formulas, _results = read(methods_page(survey))
    named = formulas_of(formulas, "1")
    assert named["too_few"].result == pytest.approx(scipy.stats.binom.cdf(23, 100, 0.25))
    assert named["too_many"].result == pytest.approx(scipy.stats.binom.sf(22, 100, 0.75))
    assert "X≤23|100" in re.sub(r"<[^>]*>|\s", "", _page(survey))


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_tables_of_all_answers_are_those_of_the_core(seed: int) -> None:
    survey = make_open(*EVERY)
    counts = random_reports(survey, 40 * seed, seed=100 + seed)
    page = methods_page(survey)
    definition = definition_of(survey)
    for item in definition.items:
        if item.design.k == 2:
            continue
        estimate = estimate_prevalence(counts[item.key], item.design)
        question = definition.questions[item.question_number - 1]
        interval = estimate.interval(each_level(0.95, shares_together(question)), "wilson")
        body = re.search(rf'data-table="answers-{item.key}">.*?</table>', page, re.DOTALL)
        assert body
        rows = re.findall(r"<tr>(.*?)</tr>", body[0], re.DOTALL)[1:]
        for code, row in enumerate(rows):
            limits = [] if interval.outside[code] else [interval.low[code], interval.high[code]]
            expected = [
                estimate.counts[code],
                estimate.observed[code],
                estimate.point[code],
                estimate.standard_error[code],
                estimate.constrained[code],
                *limits,
            ]
            assert [float(value) for value in re.findall(r'data-value="([^"]*)"', row)] == pytest.approx(expected)


@pytest.mark.parametrize(
    "draft",
    [
        number_mean(leave_out="no"),
        number_mean(**PROTECTED),
        scale(leave_out="no"),
        scale(**PROTECTED),
        number_bands(leave_out="no"),
    ],
    ids=lambda draft: f"{draft.kind} {draft.leave_out}",
)
def test_means_are_put_together_from_values_and_shares(draft: Question) -> None:
    survey = make_open(draft)
    counts = random_reports(survey, 300, seed=5)["1"]
    formulas, results = read(methods_page(survey))
    named, item = formulas_of(formulas, "1"), definition_of(survey).items[0]
    assert not list(unequal_sides(formulas))
    stated = draft.leave_out == "protected"
    if draft.kind == "number_mean":
        estimate = (estimate_stated_mean if stated else estimate_mean)(counts, item.design, 0, 12)
        point, error = estimate.point, estimate.standard_error
        if not stated:
            interval = estimate.interval()
            assert (named["mean_low"].result, named["mean_high"].result) == pytest.approx((interval.low, interval.high))
    elif draft.kind == "scale":
        mean = estimate_scale(counts, item.design, 5).mean
        point, error = mean.point, mean.standard_error
    else:
        bands = estimate_distribution(counts, item.design, [0, 100, 1000, 10000])
        point, error = bands.mean, bands.mean_standard_error
    assert named["mean"].result == pytest.approx(point)
    shown = named["mean_error"].result if "mean_error" in named else results["1", "mean_error"][0]
    assert shown == pytest.approx(error)


def test_a_planted_fault_in_a_number_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    survey = make_open(yes_no(leave_out="no"))
    fill(survey, {"0": 60, "1": 40})
    formulas, _results = read(methods_page(survey))
    assert not list(unequal_sides(formulas))
    original = mathml.result
    monkeypatch.setattr("surveys.results.formulas.result", lambda value: original(value * 1.0001))
    formulas, _results = read(methods_page(survey))
    assert any("moment" in wrong for wrong in unequal_sides(formulas))


def test_formulas_are_written_as_the_language_writes_numbers_and_come_to_the_same() -> None:
    survey = make_open(yes_no(leave_out="no"))
    fill(survey, {"0": 60, "1": 40})
    address = reverse("survey-results-methods", args=[survey.code])
    raw = text_of(owner_of(survey).get(address + "?method=clopper_pearson", HTTP_ACCEPT_LANGUAGE="de"))
    formulas, _results = read(raw)
    assert not list(unequal_sides(formulas))
    plain = re.sub(r"<[^>]*>|\s", "", raw)
    assert "Beta(0,025;40;61)" in plain
    assert "X≤40|100;14" in plain


def test_what_is_written_agrees_with_the_full_value_to_its_last_digit() -> None:
    survey = make_open(*EVERY)
    random_reports(survey, 90, seed=8)
    numbers = re.findall(r'<mn data-value="([^"]*)">([^<]*)</mn>', methods_page(survey))
    assert len(numbers) > 500
    for full, shown in numbers:
        value, written = float(full), float(shown.replace("−", "-").replace(",", ""))
        assert written == pytest.approx(value, rel=6e-5, abs=1e-14)


def _grouped() -> tuple[Survey, dict[str, list[int]]]:
    survey = make_open(yes_no(leave_out="no"), crosswise(leave_out="no"))
    by_group = {}
    for place, name in enumerate(("Morning", "Evening")):
        group = add_group(survey=survey, name=name)
        counts = [30 - 8 * place, 15 + 9 * place]
        fill(survey, {"00": counts[0], "11": counts[1]}, group=group)
        by_group[name] = counts
    return close_survey(survey=survey), by_group


def test_two_groups_are_compared_by_mover_as_the_core_does() -> None:
    survey, counts = _grouped()
    formulas, results = read(methods_page(survey, "?level=.99"))
    design = definition_of(survey).items[0].design
    assert "Evening minus Morning" in _page(survey)
    first, second = (estimate_prevalence(counts[name], design) for name in ("Evening", "Morning"))
    interval = difference_of(first, second, 1).interval(0.99, "wilson")
    named = formulas_of(formulas, "groups")
    assert named["difference"].result == pytest.approx(first.point[1] - second.point[1])
    assert results["groups", "interval"] == pytest.approx((interval.low, interval.high))
    limits = named["mover_low"].result, named["mover_high"].result
    assert np.clip(limits, -1, 1) == pytest.approx((interval.low, interval.high))


def test_a_group_below_the_minimum_is_no_example() -> None:
    survey = make_open(yes_no(leave_out="no"))
    fill(survey, {"0": 20, "1": 20}, group=add_group(survey=survey, name="Morning"))
    fill(survey, {"0": 9}, group=add_group(survey=survey, name="Evening"))
    page, context = page_and_context("survey-results-methods", survey)
    assert context["groups"] is None
    assert "Morning" not in page


def test_losses_add_up_to_what_respondents_are_told() -> None:
    survey = make_open(yes_no(), several_of(), scale())
    random_reports(survey, 50, seed=9)
    formulas, _results = read(methods_page(survey))
    [total] = [formula for formula in formulas if formula.name == "total_epsilon"]
    assert total.result == definition_of(survey).epsilon
    assert [formula.result for formula in formulas if formula.name == "epsilon"] == pytest.approx(
        [math.log(3), math.log(3), math.log(6)]
    )


def test_an_infinite_epsilon_is_a_sign_and_no_number() -> None:
    survey = make_open(*EVERY)
    random_reports(survey, 50, seed=10)
    page = _page(survey)
    assert "<mi>∞</mi>" in page
    assert not re.search(r"\b(nan|inf|None)\b", re.sub(r"<[^>]*>", " ", page))


def test_every_source_that_is_cited_stands_in_the_references_under_the_name_of_the_theory() -> None:
    survey, _counts = _grouped()
    text = "".join(_page(survey, f"?method={method}") for method in METHODS)
    text += _page(_mixed())
    theory = re.sub(r"\s+", " ", (ROOT / "docs" / "theory" / "references.md").read_text())
    cited = {
        name.strip()
        for group in re.findall(r"\[([A-Z][^\]]*\d{4}|van den[^\]]*\d{4})\]", text)
        for name in group.split(";")
    }
    listed = [(line, unescape(line)) for line in re.findall(r"<li>([^<]*\(\d{4}\), [^<]*)</li>", text)]
    assert cited
    for name in cited:
        authors, year = name.rsplit(" ", 1)
        first = authors.removesuffix(" et al.").split(",")[0].split(" &")[0]
        assert any(line.startswith(first) and f"({year})" in line for line, _plain in listed), name
    for line, _plain in listed:
        head, rest = line.split("), ", 1)
        assert head + ")" in theory, head
        assert rest.rstrip(".").split(",")[0] in theory.replace("*", ""), rest


def _mixed() -> Survey:
    survey = make_open(*EVERY)
    random_reports(survey, 60, seed=12)
    return survey


def test_a_survey_of_many_items_shows_one_question_at_a_time_and_any_that_is_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    survey = make_open(*twenty_of_every_kind())
    random_reports(survey, 30, seed=11)
    survey = close_survey(survey=survey)
    asked = definition_of(survey).questions[7].text
    assert asked not in _page(survey)
    page = _page(survey, "?question=8")
    assert page.count('class="section methods" id="methods-') == 1
    assert asked in page
    monkeypatch.setattr(forms, "MOST_ITEMS", 1000)
    assert _page(survey).count('id="methods-') >= 20


@pytest.mark.parametrize("asked", ["0", "99", "x", "1e3", "−1"])
def test_an_unknown_question_is_named_in_a_notice(asked: str) -> None:
    survey = make_open(yes_no())
    random_reports(survey, 20, seed=1)
    page, context = page_and_context("survey-results-methods", survey, f"?question={asked}")
    [notice] = context["notices"]
    assert f"“{asked}”" in notice
    assert notice in page
    assert context["chosen"].question is None


def test_below_the_minimum_there_is_no_formula() -> None:
    survey = make_open(yes_no(), scale())
    fill(survey, {"00": 9})
    assert "data-formula" not in methods_page(survey)
    fill(survey, {"-0": 8})
    raw = methods_page(survey)
    formulas, _results = read(raw)
    assert 'id="methods-1"' in raw
    assert {formula.name for formula in formulas if formula.item == "1"} == set()
    assert formulas_of(formulas, "2")["observed"].result == 1
