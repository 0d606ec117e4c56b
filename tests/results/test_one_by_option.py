"""Results of one option of several, each reported by itself: what unary encoding says of the same reports."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest

from surveys.answering.words.designs import odds_sentence
from surveys.common.selectors import definition_of
from surveys.course.services import close_survey
from surveys.estimation.claims import FigureOptions
from surveys.estimation.unary import estimate_unary
from surveys.models import Survey
from surveys.numbers.words import nats
from surveys.privacy.designs import UnaryDesign
from surveys.responses.selectors.snapshot import snapshot_of
from surveys.results.figures.questions import results_of
from surveys.results.figures.relate import pair_worked
from surveys.results.pages.privacy import largest_factor
from tests.factories import fill, make_open, one_by_option, yes_no
from tests.pages import page_of, words_of
from tests.results.drawn import numbers_in
from tests.results.seen import context_of
from tests.results.studied import Codes, Studied, held_as_said, holds

pytestmark = pytest.mark.django_db
SHARES = (0.55, 0.3, 0.15)
UNARY = UnaryDesign(3, p=Fraction(2, 3), q=Fraction(1, 6))


def _closed(patterns: dict[str, int], *others: object) -> Survey:
    survey = make_open(one_by_option(), *others)  # type: ignore[arg-type]
    fill(survey, patterns)
    return close_survey(survey=survey)


PATTERNS = {"100": 90, "010": 60, "001": 30, "110": 25, "000": 70, "111": 15, "011": 10}


def _beside_another() -> Survey:
    reports = {f"{pattern}{other}": count // 2 for pattern, count in PATTERNS.items() for other in "01"}
    return _closed(reports, yes_no(leave_out="no"))


def test_every_option_is_estimated_as_unary_encoding_does() -> None:
    survey = _closed(PATTERNS)
    definition = definition_of(survey)
    results = results_of(
        definition, snapshot_of(survey, definition), FigureOptions(confidence_level=0.9, simultaneous=False)
    )
    ones = [sum(count for pattern, count in PATTERNS.items() if pattern[place] == "1") for place in range(3)]
    expected = estimate_unary(ones, sum(PATTERNS.values()), UNARY)
    limits = expected.interval(0.9)
    shown = [item.options[1] for item in results.items]
    assert [option.moment for option in shown] == pytest.approx(list(expected.point), rel=1e-12)
    assert [option.standard_error for option in shown] == pytest.approx(list(expected.standard_error), rel=1e-12)
    assert [(option.low, option.high) for option in shown] == [
        pytest.approx(pair, rel=1e-12) for pair in zip(limits.low, limits.high, strict=True)
    ]


def test_two_options_of_which_at_most_one_is_true_are_not_related() -> None:
    context = context_of("survey-results-relate", _beside_another(), "?a=1a&b=1c")
    assert (context["chosen"].a.key, context["chosen"].b.key) == ("1a", "2")
    assert len(context["notices"]) == 1
    assert context_of("survey-results-relate", _closed(PATTERNS), "?a=1a&b=1c")["chosen"] is None


def test_an_option_predicts_nothing_of_another_one() -> None:
    query = "?outcome=1a&predictor=1c&predictor=2"
    context = context_of("survey-results-regression", _beside_another(), query)
    assert [item.key for item in context["query"].predictors] == ["2"]
    [notice] = context["notices"]
    assert "1c" in notice


def test_the_methods_write_what_all_options_cost_together() -> None:
    page = page_of("survey-results-methods", _closed(PATTERNS))
    # ln 10, of 4 for one option and 2.5 against another
    assert "2.3026" in page.split('data-formula="epsilon_of_all"')[1].split("</p>")[0]


def test_others_of_the_same_epsilon_have_that_of_the_whole_answer() -> None:
    survey = _closed(PATTERNS)
    assert nats(context_of("survey-results-plan", survey)["loss"].epsilon) == "2.31"
    above, designs, _below = page_of("survey-results-plan", survey).partition(
        '<table class="lined" data-table="designs">'
    )
    assert designs
    assert "2.31" in numbers_in(words_of(above.rpartition("<details")[2]))


def test_the_methods_relate_it_to_another_question() -> None:
    survey = _beside_another()
    definition = definition_of(survey)
    worked = pair_worked(definition.items, snapshot_of(survey, definition), 0.95)
    assert worked is not None
    assert (worked.a.key, worked.b.key) == ("1a", "2")
    assert pair_worked(definition.items[:3], snapshot_of(survey, definition), 0.95) is None


def test_how_far_all_reports_go_stands_beside_what_one_says() -> None:
    survey = _closed(PATTERNS)
    item = definition_of(survey).items[0]
    assert (largest_factor(item), numbers_in(odds_sentence(item))) == ("4", ["10"])
    reveals = page_of("survey-results-bayes", survey)
    for page in (page_of("survey-results-question", survey, number=1), reveals):
        assert odds_sentence(item) in words_of(page)
    assert numbers_in(reveals.split('id="report-head">')[1].split("</h2>")[0]) == ["4"]
    assert {"1.39", "2.31"} <= set(numbers_in(words_of(reveals)))


def _people(studied: Studied, n: int) -> list[Codes]:
    """Return the reports on each option of n people, each of whom has one."""
    chosen = studied.generator.choice(len(SHARES), size=n, p=SHARES)
    return [studied.sent(1, (chosen == place).astype(np.int64)) for place in range(len(SHARES))]


def _study(studied: Studied, n: int) -> Sequence[bool]:
    definition, snapshot = studied.told(_people(studied, n))
    results = results_of(definition, snapshot, FigureOptions(simultaneous=False))
    return [holds(item.options[1], share) for item, share in zip(results.items, SHARES, strict=True)]


def test_a_survey_of_known_shares_finds_them() -> None:
    studied = Studied.of(one_by_option())
    assert _study(studied, 4000) == [True, True, True]


@pytest.mark.studies
def test_intervals_of_options_hold_the_shares_as_often_as_they_should() -> None:
    studied = Studied.of(one_by_option())
    held_as_said(lambda: _study(studied, 300))
