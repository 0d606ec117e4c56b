"""Results of numbers whose reports stand for values: each number is the core's, the truth is in its interval."""

import re
from collections.abc import Callable
from fractions import Fraction
from html import unescape

import numpy as np
import pytest

from surveys.answering.services.perturbing import perturb
from surveys.common.selectors import definition_of
from surveys.course.services import close_survey
from surveys.estimation.claims import METHODS, FigureOptions
from surveys.estimation.grid_mean import estimate_grid_mean
from surveys.estimation.planning.precision import expected_mean_half_width, mean_sample_size
from surveys.estimation.poisoning import poisoned_mean
from surveys.models import Group, Survey
from surveys.presenting.charts import slides_of
from surveys.presenting.selectors import SlideStep, reveals_of
from surveys.privacy.designs import GridMean
from surveys.questionnaire.question import Question
from surveys.questionnaire.reports import CODES
from surveys.releases.families.questions import only_a_mean
from surveys.releases.mechanisms import PLANS
from surveys.responses.selectors.snapshot import snapshot_of
from surveys.results.charts import estimate_headings
from surveys.results.figures.adherence import tapped_items
from surveys.results.figures.questions import MeanResult, question_result, results_of
from surveys.results.report import Refusal, Report
from surveys.results.sections.forged import forged_words
from surveys.results.words import oddity
from tests.factories import crosswise, fill, make_open, number_window, scrambled_number, unrelated_number, yes_no
from tests.pages import holds, page_of, presentation_of, rows_under, tables_of
from tests.privacy.chance import seeded
from tests.results.drawn import chart_table, numbers_in, page_and_context
from tests.results.seen import context_of

pytestmark = pytest.mark.django_db
Make = Callable[..., Question]
COUNTS = {
    number_window: [9, 14, 22, 31, 40, 38, 33, 27, 20, 12, 8, 6],
    scrambled_number: [60, 40, 55, 22, 38, 25, 20],
    unrelated_number: [60, 40, 35, 22, 28, 15, 18, 12, 17, 13],
}
ONLY_FACTORS = {"parameters": {"truth": [1, 1], "grid": 5, "factors": 2}, "accepts_infinite": True}
FOUR_VALUES = {"parameters": {"truth": [4, 5], "grid": 4, "factors": 3}}
UNEVEN = {"parameters": {"p": [7, 10], "grid": 10, "weights": [[1, 20], [3, 20], *[[1, 10]] * 8]}}
EACH = pytest.mark.parametrize("make", COUNTS)


def _survey(make: Make, counts: list[int] | None = None, **changes: object) -> Survey:
    survey = make_open(make(**changes))
    fill(survey, {CODES[code]: count for code, count in enumerate(counts or COUNTS[make]) if count})
    return survey


def _grid(survey: Survey) -> GridMean:
    grid = definition_of(survey).items[0].grid
    assert grid is not None
    return grid


def _mean(survey: Survey, method: str = "wilson", level: float = 0.95) -> MeanResult:
    definition = definition_of(survey)
    wanted = FigureOptions(method, level)
    mean = question_result(definition.questions[0], snapshot_of(survey, definition), wanted).first.mean
    assert mean is not None
    return mean


@pytest.mark.parametrize(
    ("make", "changes"),
    [
        *((make, {}) for make in COUNTS),
        (scrambled_number, ONLY_FACTORS),
        (scrambled_number, FOUR_VALUES),
        (unrelated_number, UNEVEN),
    ],
)
def test_the_mean_and_its_interval_are_the_core_s(make: Make, changes: dict[str, object]) -> None:
    survey, counts = _survey(make, **changes), COUNTS[make]
    definition, grid = definition_of(survey), _grid(survey)
    theirs = estimate_grid_mean(counts, grid)
    for asked in METHODS:
        used = asked if asked == "confidence_sequence" else "likelihood_ratio"
        interval, ours = theirs.interval(0.95, used), _mean(survey, asked)
        assert (ours.method, ours.estimate, ours.moment) == (used, theirs.constrained, theirs.point)
        assert (ours.low, ours.high, ours.standard_error) == (interval.low, interval.high, theirs.standard_error)
        assert results_of(definition, snapshot_of(survey, definition), FigureOptions(asked)).items[0].mean == ours
    # Once more by hand.
    values = np.repeat([float(value) for value in grid.values], counts)
    assert ours.moment == pytest.approx(values.mean())
    assert ours.standard_error == pytest.approx(values.std(ddof=1) / np.sqrt(len(values)))


@pytest.mark.parametrize(("changes", "p", "shares"), [({}, 0.5, [0.1] * 10), (UNEVEN, 0.7, [0.05, 0.15, *[0.1] * 8])])
def test_the_mean_of_an_unrelated_number_is_that_of_the_published_formula(
    changes: dict[str, object], p: float, shares: list[float]
) -> None:
    """(z̄ − (1 − p)μ)/p."""
    mean, tapped = _mean(_survey(unrelated_number, **changes)), np.repeat(np.arange(10), COUNTS[unrelated_number])
    assert mean.moment == pytest.approx((tapped.mean() - (1 - p) * np.dot(shares, range(10))) / p)
    assert mean.standard_error == pytest.approx(tapped.std(ddof=1) / p / np.sqrt(len(tapped)))


@EACH
def test_the_question_s_page_shows_that_mean_and_what_arrived_and_no_share(make: Make) -> None:
    survey = _survey(make)
    (page, context), mean = page_and_context("survey-results-question", survey, number=1), _mean(survey)
    assert mean.estimate is not None
    (cells,) = chart_table(page, "q1-mean").values()
    assert len(cells) == len(estimate_headings())  # no report is a number to show beside them
    assert holds(cells[0] if cells[0] != "–" else cells[1], mean.estimate)
    arrived = rows_under(page, context["reports"].caption)
    assert [int(cells[1]) for cells in arrived] == COUNTS[make]
    assert [cells[0] for cells in arrived] == list(definition_of(survey).items[0].report_labels)
    assert "chart-q1-shares" not in page
    assert "survey-results-bayes" not in page
    matrix = rows_under(page, context["matrix"].caption)
    assert (len(matrix), len(matrix[0])) == (len(COUNTS[make]), len(_grid(survey).truths) + 1)
    if make is unrelated_number:
        assert [cells[0] for cells in arrived] == list("0123456789")
        assert "probability 11/20" in page


@pytest.mark.parametrize(
    ("make", "changes"),
    [*((make, {}) for make in COUNTS), (scrambled_number, ONLY_FACTORS), (unrelated_number, UNEVEN)],
)
def test_a_simulated_survey_s_interval_holds_its_truth(make: Make, changes: dict[str, object]) -> None:
    survey = make_open(make(**changes))
    definition, below, people = definition_of(survey), seeded(20_261_126), np.random.default_rng(7)
    drawn = people.binomial(9, 0.2, size=400) if make is unrelated_number else people.integers(0, 9, size=400)
    truths = [Fraction(int(number), 1 if make is unrelated_number else 2) for number in drawn]
    reports = [perturb(definition=definition, truths=[truth], randbelow=below) for truth in truths]
    fill(survey, {report: reports.count(report) for report in set(reports)})
    truth = float(sum(truths, Fraction(0)) / len(truths))
    mean = _mean(survey, level=1 - 1e-6)
    assert mean.low <= truth <= mean.high
    # The twin with a planted fault: values that stand for the wrong reports miss it.
    counts = [reports.count(CODES[code]) for code in range(len(COUNTS[make]))]
    wrong = estimate_grid_mean(counts[::-1], _grid(survey)).interval(1 - 1e-6)
    assert not wrong.low <= truth <= wrong.high


@pytest.mark.parametrize(
    ("make", "code", "label"),
    [(number_window, 11, "22.5 hours"), (scrambled_number, 6, "25.1 hours"), (unrelated_number, 0, "0")],
)
def test_respondents_who_all_send_the_same_raise_the_alarm(make: Make, code: int, label: str) -> None:
    survey = _survey(make, [0] * code + [300])
    page, context = page_and_context("survey-results-question", survey, number=1)
    item = context["result"].first
    assert context["finding"].value == ""
    assert (label, 300, False) in [(odd.label, odd.count, odd.too_few) for odd in item.oddities]
    assert all(oddity(odd, item) in page for odd in item.oddities)
    assert item.item.in_the_head == (make is unrelated_number)
    (reveal,) = reveals_of(Report(survey))
    assert reveal.steps == (SlideStep.MISFIT,)
    assert slides_of([reveal])[0].bars == []


@pytest.mark.parametrize("name", ["survey-results-groups", "survey-results-bayes", "survey-results-regression"])
def test_a_tab_about_shares_is_refused_where_only_means_were_asked_for(name: str) -> None:
    assert context_of(name, _survey(number_window))["refusal"] == Refusal.NO_SHARES


def _methods(survey: Survey) -> str:
    return page_of("survey-results-methods", survey)


def test_only_numbers_that_chance_rounds_are_called_rounded() -> None:
    about = {make: re.findall(r"<h4>Mean</h4> <p>(.*?)</p>", _methods(_survey(make)))[0] for make in COUNTS}
    tapped = about.pop(unrelated_number)
    assert all(words != tapped and words.endswith(tapped) for words in about.values())


def test_tabs_about_shares_offer_the_other_questions_alone() -> None:
    survey = make_open(number_window(), yes_no(), yes_no("Twice?"), minimum_n=10)
    for slug in ("north", "south"):
        group = Group.objects.create(survey=survey, slug=slug, name=slug.title())
        fill(survey, {"100": 20, "711": 20, "b01": 20}, group=group)
    survey = close_survey(survey=survey)
    for name in ("survey-results-groups", "survey-results-relate", "survey-results-bayes", "survey-results-regression"):
        page = unescape(page_of(name, survey))
        offered = re.findall(r'<option value="(\d+)"[^>]*>\d\. ', page)
        assert "1" not in offered, name
        assert "2" in offered, name
    [(caption, _rows)] = tables_of(re.findall(r'<table data-table="values-1">.*?</table>', _methods(survey))[0])
    assert numbers_in(caption) == ["120"]


@pytest.mark.parametrize(
    ("make", "longest", "unit"),
    [(number_window, 12, "hours"), (scrambled_number, 12, "hours"), (unrelated_number, 9, "days")],
)
def test_the_plan_is_the_core_s(make: Make, longest: int, unit: str) -> None:
    survey = _survey(make)
    design = definition_of(survey).items[0].design
    page = unescape(page_of("survey-results-plan", survey))
    half_width = re.search(rf"±([\d.]+) {unit}", page)
    assert half_width
    expected = longest * expected_mean_half_width(n=sum(COUNTS[make]), design=design, low=0, high=1)
    assert float(half_width[1]) == pytest.approx(expected, abs=0.06)
    assert f"{mean_sample_size(part=0.05, design=design):,}" in page


@pytest.mark.parametrize(
    ("make", "changes", "source"),
    [
        (number_window, {}, "Wang et al. 2019"),
        (scrambled_number, {}, "Eichhorn & Hayre"),
        (scrambled_number, ONLY_FACTORS, "Eichhorn & Hayre"),
        (unrelated_number, {}, "Greenberg et al. 1971"),
    ],
)
def test_the_formulas_hold_the_numbers_of_the_results(make: Make, changes: dict[str, object], source: str) -> None:
    survey = _survey(make, **changes)
    page, mean = unescape(page_of("survey-results-methods", survey)), _mean(survey)
    shown = dict(re.findall(r'data-result="(mean|mean_error)" data-value="([^"]+)"', page))
    assert {name: float(value) for name, value in shown.items()} == {
        "mean": mean.moment,
        "mean_error": mean.standard_error,
    }
    limits = re.search(r'data-result="interval" data-low="([^"]+)" data-high="([^"]+)"', page)
    assert limits
    assert (float(limits[1]), float(limits[2])) == (mean.low, mean.high)
    assert source in page
    assert ("∞" in page) == bool(changes)


@pytest.mark.parametrize(
    ("make", "unit"), [(number_window, "hours"), (scrambled_number, "hours"), (unrelated_number, "days")]
)
def test_the_projector_shows_the_mean_at_once_and_no_release_is_offered(make: Make, unit: str) -> None:
    survey = _survey(make)
    (question,) = definition_of(survey).questions
    (reveal,) = reveals_of(Report(survey))
    assert reveal.steps == (SlideStep.ESTIMATE,)
    (slide,) = slides_of([reveal])
    assert unit in slide.estimate
    assert unit in presentation_of(survey)
    assert only_a_mean(question)
    assert {offer.unsuitable_together([question]) for offer in PLANS.values()} == {only_a_mean(question)}


def test_who_always_taps_the_same_is_not_asked_of_it() -> None:
    """Those models are of two reports."""
    facts = {"innocuous": "Is your father’s birthday on a Sunday?", "innocuous_source": "1 of 7."}
    definition = definition_of(make_open(unrelated_number(), crosswise("And that?", details=facts)))
    assert tapped_items(definition) == ()


@pytest.mark.parametrize(
    ("make", "longest", "unit"),
    [(number_window, 12, "hours"), (scrambled_number, 12, "hours"), (unrelated_number, 9, "days")],
)
def test_how_far_forged_reports_could_have_moved_the_mean_is_the_core_s(make: Make, longest: int, unit: str) -> None:
    survey = _survey(make)
    low, high = poisoned_mean(estimate_grid_mean(COUNTS[make], _grid(survey)), 10)
    page, context = page_and_context("survey-results-question", survey, "?forged=10", number=1)
    words, *_shares = forged_words(context["result"])
    forged, n, least, most = (float(number) for number in numbers_in(words))
    assert (forged, n) == (10, 260)
    assert 0 <= max(low, 0) - least < 0.1
    assert 0 <= most - min(high, longest) < 0.1
    assert unit in words
    assert words in page
