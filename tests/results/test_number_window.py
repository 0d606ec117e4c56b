"""Results of a number through a window: every number is the core's, the truth is in its interval, no share is told."""

import re
from fractions import Fraction
from html import unescape

import numpy as np
import pytest
from django.urls import reverse

from surveys.answering.services.perturbing import perturb
from surveys.common.selectors import definition_of
from surveys.estimation import estimate_grid_mean, expected_mean_half_width, mean_sample_size, poisoned_mean
from surveys.models import Group, Survey
from surveys.presenting.charts import slides_of
from surveys.presenting.selectors import SlideStep, reveals_of
from surveys.releases.mechanisms import OFFERS
from surveys.responses.selectors.snapshot import snapshot_of
from surveys.results.figures.intervals import FigureOptions
from surveys.results.figures.means import MeanResult
from surveys.results.figures.overview import question_result, results_of
from tests.factories import fill, make_open, number_window, yes_no
from tests.pages import holds, owner_of, page_of, rows_under, text_of
from tests.privacy.chance import seeded

pytestmark = pytest.mark.django_db
COUNTS = [9, 14, 22, 31, 40, 38, 33, 27, 20, 12, 8, 6]
TEXT = "How many hours did you sleep last night?"


def _survey(counts: list[int] = COUNTS, **changes: object) -> Survey:
    survey = make_open(number_window(**changes))
    fill(survey, {"0123456789ab"[code]: count for code, count in enumerate(counts) if count})
    return survey


def _simulated(survey: Survey, truths: list[Fraction], seed: int) -> None:
    definition, below = definition_of(survey), seeded(seed)
    reports = [perturb(definition=definition, truths=[truth], randbelow=below) for truth in truths]
    fill(survey, {report: reports.count(report) for report in set(reports)})


def _mean(survey: Survey, method: str = "wilson") -> MeanResult:
    definition = definition_of(survey)
    results = results_of(definition, snapshot_of(survey, definition), method=method)
    mean = results.items[0].mean
    assert mean is not None
    return mean


@pytest.mark.parametrize(
    ("asked", "used"), [("wilson", "likelihood_ratio"), ("wald", "wald"), ("bootstrap", "likelihood_ratio")]
)
def test_the_mean_and_its_interval_are_the_core_s(asked: str, used: str) -> None:
    survey = _survey()
    grid = definition_of(survey).items[0].grid
    assert grid is not None
    theirs = estimate_grid_mean(COUNTS, grid)
    interval, ours = theirs.interval(0.95, used), _mean(survey, asked)
    assert (ours.method, ours.estimate, ours.moment) == (used, theirs.constrained, theirs.point)
    assert (ours.low, ours.high, ours.standard_error) == (interval.low, interval.high, theirs.standard_error)
    # Once more by hand.
    values = np.array([float(value) for value in grid.values])
    assert ours.moment == pytest.approx(np.repeat(values, COUNTS).mean())
    assert ours.standard_error == pytest.approx(np.repeat(values, COUNTS).std(ddof=1) / np.sqrt(sum(COUNTS)))


def test_the_question_s_page_shows_that_mean_and_what_was_reported_and_no_share() -> None:
    survey = _survey()
    page = unescape(page_of("survey-results-question", survey, number=1))
    mean = _mean(survey)
    assert mean.estimate is not None
    (row,) = rows_under(page, "Estimated mean")
    assert holds(row[2] if row[2] != "–" else row[3], mean.estimate)
    reported = rows_under(page, "What was reported: numbers that chance made")
    assert [int(cells[1]) for cells in reported] == COUNTS
    assert [cells[0] for cells in reported] == list(definition_of(survey).items[0].report_labels)
    assert "Estimated shares" not in page
    assert "survey-results-bayes" not in page
    (methods,) = rows_under(page, "Intervals by every method")
    assert [cell for cell in methods[1:] if cell != "–"]
    matrix = rows_under(page, "The probability of each report")
    assert len(matrix) == 12
    assert len(matrix[0]) == 10


def _limits(survey: Survey, *, backwards: bool = False) -> tuple[float, float]:
    """Return the interval of the page's question at a false-alarm rate of 1e-6, or of reports read backwards."""
    definition = definition_of(survey)
    wanted = FigureOptions(confidence_level=1 - 1e-6)
    found = question_result(definition.questions[0], snapshot_of(survey, definition), wanted).first
    assert found.prevalence is not None
    if not backwards:
        assert found.mean is not None
        return found.mean.low, found.mean.high
    grid = found.item.grid
    assert grid is not None
    interval = estimate_grid_mean(found.prevalence.counts[::-1].tolist(), grid).interval(1 - 1e-6)
    return interval.low, interval.high


def test_a_simulated_survey_s_interval_holds_its_truth() -> None:
    survey = make_open(number_window())
    truths = [Fraction(int(step), 2) for step in np.random.default_rng(5).integers(0, 9, size=400)]
    _simulated(survey, truths, 20_261_126)
    truth = float(sum(truths, Fraction(0)) / len(truths))
    low, high = _limits(survey)
    assert low <= truth <= high
    # The twin with a planted fault: values that stand for the wrong reports miss it.
    low, high = _limits(survey, backwards=True)
    assert not low <= truth <= high


def test_fewer_than_the_minimum_show_nothing_but_their_number() -> None:
    survey = _survey([1] * 9 + [0] * 3)
    page = page_of("survey-figures", survey)
    assert "made by chance" not in page
    assert "9" in page


def test_respondents_who_all_send_the_same_raise_the_alarm() -> None:
    survey = _survey([0] * 11 + [300])
    page = unescape(page_of("survey-results-question", survey, number=1))
    assert "300 of 300 reports say “22.5 hours”" in page
    assert "No estimate to trust" in page


@pytest.mark.parametrize("name", ["survey-results-groups", "survey-results-bayes", "survey-results-regression"])
def test_a_tab_about_shares_says_that_only_means_were_asked_for(name: str) -> None:
    page = page_of(name, _survey())
    assert "Only means were asked for" in page


def test_tabs_about_shares_offer_the_other_questions_alone() -> None:
    survey = make_open(number_window(), yes_no(), yes_no("Twice?"), minimum_n=10)
    for slug in ("north", "south"):
        group = Group.objects.create(survey=survey, slug=slug, name=slug.title())
        fill(survey, {"100": 20, "711": 20, "b01": 20}, group=group)
    for name in ("survey-results-groups", "survey-results-relate", "survey-results-bayes", "survey-results-regression"):
        page = unescape(page_of(name, survey))
        offered = re.findall(r'<option value="(\d+)"[^>]*>\d\. ', page)
        assert "1" not in offered, name
        assert "2" in offered, name
    assert "From 120 reports to a mean" in page_of("survey-results-methods", survey)


def test_the_plan_is_the_core_s() -> None:
    survey = _survey()
    design = definition_of(survey).items[0].design
    page = unescape(page_of("survey-results-plan", survey))
    expected = 12 * expected_mean_half_width(n=sum(COUNTS), design=design, low=0, high=1)
    found = re.search(r"±([\d.]+) hours", page)
    assert found
    assert float(found[1]) == pytest.approx(expected, abs=0.06)
    assert "numbers spread evenly from end to end" in page
    assert f"{mean_sample_size(part=0.05, design=design):,}" in page


def test_the_formulas_hold_the_numbers_of_the_results() -> None:
    survey = _survey()
    page, mean = page_of("survey-results-methods", survey), _mean(survey, "likelihood_ratio")
    said = {
        name: float(value) for name, value in re.findall(r'data-result="(mean|mean_error)" data-value="([^"]+)"', page)
    }
    assert said == {"mean": mean.moment, "mean_error": mean.standard_error}
    limits = re.search(r'data-result="interval" data-low="([^"]+)" data-high="([^"]+)"', page)
    assert limits
    assert (float(limits[1]), float(limits[2])) == (mean.low, mean.high)


def test_the_projector_shows_the_mean_at_once() -> None:
    survey = _survey()
    definition = definition_of(survey)
    (reveal,) = reveals_of(definition, snapshot_of(survey, definition))
    assert reveal.steps == (SlideStep.ESTIMATE,)
    (slide,) = slides_of([reveal])
    assert "hours" in slide.estimate
    assert owner_of(survey).get(reverse("survey-present", args=[survey.code])).status_code == 200
    odd = _survey([0] * 11 + [300])
    (reveal,) = reveals_of(definition_of(odd), snapshot_of(odd, definition_of(odd)))
    assert reveal.steps == (SlideStep.MISFIT,)
    assert slides_of([reveal])[0].bars == []


def test_no_release_is_offered_of_what_chance_made() -> None:
    question = definition_of(_survey()).questions[0]
    for offer in OFFERS.values():
        assert "numbers that chance made" in offer.unsuitable_together([question])


def test_left_out_is_counted_as_that() -> None:
    survey = make_open(number_window())
    fill(survey, {"3": 20, "-": 5})
    page = unescape(text_of(owner_of(survey).get(reverse("survey-results-question", args=[survey.code, 1]))))
    assert "20 answered, 5 skipped" in page


def test_how_far_forged_reports_could_have_moved_the_mean_is_the_core_s() -> None:
    survey = _survey()
    grid = definition_of(survey).items[0].grid
    assert grid is not None
    low, high = poisoned_mean(estimate_grid_mean(COUNTS, grid), 10)
    page = unescape(page_of("survey-results-question", survey, "?forged=10", number=1))
    found = re.search(r"If 10 of 260 reports were forged, the mean could be from ([\d.]+) to ([\d.]+) hours", page)
    assert found
    assert 0 <= low - float(found[1]) < 0.1
    assert 0 <= float(found[2]) - high < 0.1
