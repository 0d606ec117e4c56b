"""Results of unrelated numbers: every number is the core's, the truth is in its interval, and no share is told."""

import re
from fractions import Fraction
from html import unescape

import numpy as np
import pytest

from surveys.answering.services.perturbing import perturb
from surveys.common.selectors import definition_of
from surveys.estimation import estimate_grid_mean, expected_mean_half_width, mean_sample_size
from surveys.models import Survey
from surveys.presenting.charts import slides_of
from surveys.presenting.selectors import SlideStep, reveals_of
from surveys.privacy.designs import GridMean
from surveys.releases.mechanisms import OFFERS
from surveys.responses.selectors.snapshot import snapshot_of
from surveys.results.adherence.figures import tapped_items
from surveys.results.figures.items import FigureOptions, MeanResult
from surveys.results.figures.overview import question_result
from tests.factories import crosswise, fill, make_open, unrelated_number
from tests.pages import holds, page_of, rows_under
from tests.privacy.chance import seeded

pytestmark = pytest.mark.django_db
COUNTS = [60, 40, 35, 22, 28, 15, 18, 12, 17, 13]
UNEVEN = {"parameters": {"p": [7, 10], "grid": 10, "weights": [[1, 20], [3, 20], *[[1, 10]] * 8]}}


def _survey(counts: list[int] = COUNTS, **changes: object) -> Survey:
    survey = make_open(unrelated_number(**changes))
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


@pytest.mark.parametrize("changes", [{}, UNEVEN])
@pytest.mark.parametrize("method", ["likelihood_ratio", "wald"])
def test_the_mean_and_its_interval_are_the_core_s(method: str, changes: dict[str, object]) -> None:
    survey = _survey(**changes)
    theirs, ours = estimate_grid_mean(COUNTS, _grid(survey)), _mean(survey, method)
    interval = theirs.interval(0.95, method)
    assert (ours.method, ours.estimate, ours.moment) == (method, theirs.constrained, theirs.point)
    assert (ours.low, ours.high, ours.standard_error) == (interval.low, interval.high, theirs.standard_error)
    # Once more by the published formula: (z̄ − (1 − p)μ)/p.
    p, shares = (0.7, [0.05, 0.15, *[0.1] * 8]) if changes else (0.5, [0.1] * 10)
    told = np.repeat(np.arange(10), COUNTS)
    assert ours.moment == pytest.approx((told.mean() - (1 - p) * np.dot(shares, range(10))) / p)
    assert ours.standard_error == pytest.approx(told.std(ddof=1) / p / np.sqrt(len(told)))


def test_the_question_s_page_shows_that_mean_and_what_was_tapped_and_no_share() -> None:
    survey = _survey()
    page, mean = unescape(page_of("survey-results-question", survey, number=1)), _mean(survey)
    assert mean.estimate is not None
    (row,) = rows_under(page, "Estimated mean")
    assert holds(row[2] if row[2] != "–" else row[3], mean.estimate)
    tapped = rows_under(page, "What was tapped: people’s own numbers and innocuous ones")
    assert [int(cells[1]) for cells in tapped] == COUNTS
    assert [cells[0] for cells in tapped] == list("0123456789")
    assert "Estimated shares" not in page
    assert "made by chance" not in page
    assert "the report names it with probability 11/20" in page


@pytest.mark.parametrize("changes", [{}, UNEVEN])
def test_a_simulated_survey_s_interval_holds_its_truth(changes: dict[str, object]) -> None:
    survey = make_open(unrelated_number(**changes))
    definition, below = definition_of(survey), seeded(20_261_126)
    truths = [int(number) for number in np.random.default_rng(9).binomial(9, 0.2, size=400)]
    reports = [perturb(definition=definition, truths=[truth], randbelow=below) for truth in truths]
    fill(survey, {report: reports.count(report) for report in set(reports)})
    truth = sum(truths) / len(truths)
    mean = _mean(survey, level=1 - 1e-6)
    assert mean.low <= truth <= mean.high
    # The twin with a planted fault: values that stand for the wrong reports miss it.
    counts = [reports.count(str(code)) for code in range(10)]
    wrong = estimate_grid_mean(counts[::-1], _grid(survey)).interval(1 - 1e-6)
    assert not wrong.low <= truth <= wrong.high


def test_respondents_who_all_tap_the_same_raise_the_alarm() -> None:
    page = unescape(page_of("survey-results-question", _survey([300, *[0] * 9]), number=1))
    assert "No estimate to trust" in page
    assert "the innocuous question should make it about" in page


def test_the_plan_is_the_core_s() -> None:
    survey = _survey()
    design = definition_of(survey).items[0].design
    page = unescape(page_of("survey-results-plan", survey))
    found = re.search(r"±([\d.]+) days", page)
    assert found
    expected = 9 * expected_mean_half_width(n=sum(COUNTS), design=design, low=0, high=1)
    assert float(found[1]) == pytest.approx(expected, abs=0.06)
    assert f"{mean_sample_size(part=0.05, design=design):,}" in page


def test_the_formulas_hold_the_numbers_of_the_results() -> None:
    survey = _survey()
    page, mean = unescape(page_of("survey-results-methods", survey)), _mean(survey)
    said = dict(re.findall(r'data-result="(mean|mean_error)" data-value="([^"]+)"', page))
    assert {name: float(value) for name, value in said.items()} == {
        "mean": mean.moment,
        "mean_error": mean.standard_error,
    }
    assert "Greenberg et al. 1971" in page
    assert "Chance rounds a number" not in page


def test_the_projector_shows_the_mean_at_once_and_no_release_is_offered() -> None:
    survey = _survey()
    definition = definition_of(survey)
    (reveal,) = reveals_of(definition, snapshot_of(survey, definition))
    assert reveal.steps == (SlideStep.ESTIMATE,)
    assert "days" in slides_of([reveal])[0].estimate
    for offer in OFFERS.values():
        assert offer.unsuitable_together([definition.questions[0]])


def test_it_says_nothing_about_who_always_taps_the_same() -> None:
    """Those models are of two reports."""
    definition = definition_of(make_open(unrelated_number(), crosswise("And that?", details=_facts())))
    assert tapped_items(definition) == ()


def _facts() -> dict[str, str]:
    return {"innocuous": "Is your father’s birthday on a Sunday?", "innocuous_source": "1 of 7."}


def test_the_mean_of_everybody_who_skips_nothing_is_told_with_its_count() -> None:
    survey = make_open(unrelated_number())
    fill(survey, {"3": 20, "-": 5})
    assert "20 answered, 5 skipped" in unescape(page_of("survey-results-question", survey, number=1))
    assert Fraction(_grid(survey).values[3]) == Fraction(3, 2)
