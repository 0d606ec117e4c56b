"""Results of scrambled numbers: every number is the core's, and the truth is in its interval."""

import re
from fractions import Fraction
from html import unescape

import numpy as np
import pytest

from surveys.answering.services.perturbing import perturb
from surveys.common.selectors import definition_of
from surveys.estimation import estimate_grid_mean, expected_mean_half_width, mean_sample_size, poisoned_mean
from surveys.models import Survey
from surveys.presenting.charts import slides_of
from surveys.presenting.selectors import SlideStep, reveals_of
from surveys.privacy.designs import GridMean
from surveys.releases.mechanisms import OFFERS
from surveys.responses.selectors.snapshot import snapshot_of
from surveys.results.figures.items import FigureOptions, MeanResult
from surveys.results.figures.overview import question_result, results_of
from tests.factories import fill, make_open, scrambled_number
from tests.pages import holds, page_of, rows_under
from tests.privacy.chance import seeded

pytestmark = pytest.mark.django_db
COUNTS = [60, 40, 55, 22, 38, 25, 20]
ONLY_FACTORS = {"parameters": {"truth": [1, 1], "grid": 5, "factors": 2}, "accepts_infinite": True}


def _survey(counts: list[int] = COUNTS, **changes: object) -> Survey:
    survey = make_open(scrambled_number(**changes))
    fill(survey, {str(code): count for code, count in enumerate(counts) if count})
    return survey


def _grid(survey: Survey) -> GridMean:
    grid = definition_of(survey).items[0].grid
    assert grid is not None
    return grid


def _mean(survey: Survey, method: str = "likelihood_ratio", level: float = 0.95) -> MeanResult:
    definition = definition_of(survey)
    wanted = FigureOptions(method, level)
    found = question_result(definition.questions[0], snapshot_of(survey, definition), wanted).first.mean
    assert found is not None
    return found


@pytest.mark.parametrize("changes", [{}, ONLY_FACTORS, {"parameters": {"truth": [4, 5], "grid": 4, "factors": 3}}])
@pytest.mark.parametrize("method", ["likelihood_ratio", "wald"])
def test_the_mean_and_its_interval_are_the_core_s(method: str, changes: dict[str, object]) -> None:
    survey = _survey(**changes)
    theirs, ours = estimate_grid_mean(COUNTS, _grid(survey)), _mean(survey, method)
    interval = theirs.interval(0.95, method)
    assert (ours.method, ours.estimate, ours.moment) == (method, theirs.constrained, theirs.point)
    assert (ours.low, ours.high, ours.standard_error) == (interval.low, interval.high, theirs.standard_error)
    # Once more by hand.
    values = np.repeat([float(value) for value in _grid(survey).values], COUNTS)
    assert ours.moment == pytest.approx(values.mean())
    assert ours.standard_error == pytest.approx(values.std(ddof=1) / np.sqrt(len(values)))


def test_the_question_s_page_shows_that_mean_and_what_was_reported_and_no_share() -> None:
    survey = _survey()
    page, mean = unescape(page_of("survey-results-question", survey, number=1)), _mean(survey)
    assert mean.estimate is not None
    (row,) = rows_under(page, "Estimated mean")
    assert holds(row[2] if row[2] != "–" else row[3], mean.estimate)
    reported = rows_under(page, "What was reported: numbers that chance made")
    assert [int(cells[1]) for cells in reported] == COUNTS
    assert [cells[0] for cells in reported] == list(definition_of(survey).items[0].report_labels)
    assert "Estimated shares" not in page
    assert len(rows_under(page, "The probability of each report")) == 7


@pytest.mark.parametrize("changes", [{}, ONLY_FACTORS])
def test_a_simulated_survey_s_interval_holds_its_truth(changes: dict[str, object]) -> None:
    survey = make_open(scrambled_number(**changes))
    definition, below = definition_of(survey), seeded(20_261_126)
    truths = [Fraction(int(step), 2) for step in np.random.default_rng(7).integers(0, 9, size=400)]
    reports = [perturb(definition=definition, truths=[truth], randbelow=below) for truth in truths]
    fill(survey, {report: reports.count(report) for report in set(reports)})
    truth = float(sum(truths, Fraction(0)) / len(truths))
    mean = _mean(survey, level=1 - 1e-6)
    assert mean.low <= truth <= mean.high
    # The twin with a planted fault: values that stand for the wrong reports miss it.
    counts = [reports.count(str(code)) for code in range(7)]
    wrong = estimate_grid_mean(counts[::-1], _grid(survey)).interval(1 - 1e-6)
    assert not wrong.low <= truth <= wrong.high


def test_fewer_than_the_minimum_show_nothing_but_their_number() -> None:
    page = page_of("survey-figures", _survey([3, 1, 1, 1, 1, 1, 1]))
    assert "made by chance" not in page


def test_respondents_who_all_send_the_same_raise_the_alarm() -> None:
    page = unescape(page_of("survey-results-question", _survey([0, 0, 0, 0, 0, 0, 300]), number=1))
    assert "No estimate to trust" in page


def test_the_plan_is_the_core_s() -> None:
    survey = _survey()
    design = definition_of(survey).items[0].design
    page = unescape(page_of("survey-results-plan", survey))
    found = re.search(r"±([\d.]+) hours", page)
    assert found
    assert float(found[1]) == pytest.approx(
        12 * expected_mean_half_width(n=sum(COUNTS), design=design, low=0, high=1), abs=0.06
    )
    assert f"{mean_sample_size(part=0.05, design=design):,}" in page


@pytest.mark.parametrize("changes", [{}, ONLY_FACTORS])
def test_the_formulas_hold_the_numbers_of_the_results(changes: dict[str, object]) -> None:
    survey = _survey(**changes)
    page, mean = unescape(page_of("survey-results-methods", survey)), _mean(survey)
    said = dict(re.findall(r'data-result="(mean|mean_error)" data-value="([^"]+)"', page))
    assert {name: float(value) for name, value in said.items()} == {
        "mean": mean.moment,
        "mean_error": mean.standard_error,
    }
    assert "Eichhorn & Hayre" in page
    assert "is near it" not in page
    assert ("∞" in page) == bool(changes)


def test_the_projector_shows_the_mean_at_once_and_no_release_is_offered() -> None:
    survey = _survey()
    definition = definition_of(survey)
    (reveal,) = reveals_of(definition, snapshot_of(survey, definition))
    assert reveal.steps == (SlideStep.ESTIMATE,)
    (slide,) = slides_of([reveal])
    assert "hours" in slide.estimate
    for offer in OFFERS.values():
        assert "numbers that chance made" in offer.unsuitable_together([definition.questions[0]])
    assert results_of(definition, snapshot_of(survey, definition)).items[0].mean is not None


def test_how_far_forged_reports_could_have_moved_the_mean_is_the_core_s() -> None:
    survey = _survey()
    low, high = poisoned_mean(estimate_grid_mean(COUNTS, _grid(survey)), 10)
    page = unescape(page_of("survey-results-question", survey, "?forged=10", number=1))
    found = re.search(r"If 10 of 260 reports were forged, the mean could be from ([\d.]+) to ([\d.]+) hours", page)
    assert found
    assert 0 <= max(low, 0) - float(found[1]) < 0.1
    assert 0 <= float(found[2]) - min(high, 12) < 0.1
