"""What asks for the same in different arms, beside each other on a question's page: every number is the core's."""

import pytest

from surveys.common.selectors import definition_of
from surveys.course.services import close_survey
from surveys.estimation import estimate_arms, estimate_prevalence
from surveys.estimation.association.difference import difference_of
from surveys.models import Survey
from surveys.privacy.designs import direct, forced_response
from surveys.responses.selectors.snapshot import snapshot_of
from surveys.results.figures.intervals import FigureOptions
from surveys.results.question.figures import compare_arms
from tests.factories import fill, make_open, one_of, yes_no
from tests.pages import page_of

pytestmark = pytest.mark.django_db
TWO = [{"name": "Coins", "weight": 1}, {"name": "Directly", "weight": 1}]
PLAIN = {"design": "plain", "parameters": {}, "leave_out": "no"}


def _survey(counts: dict[str, int]) -> Survey:
    survey = make_open(
        yes_no("Have you cheated?", arms=[1], quantity=1),
        yes_no("Have you cheated?", arms=[2], quantity=1, **PLAIN),
        one_of(text="Asked of both?"),
        arms=TWO,
    )
    fill(survey, counts)
    return close_survey(survey=survey)


def test_differences_the_test_and_one_share_for_all_are_the_cores() -> None:
    survey = _survey({"1-00": 70, "0-00": 90, "-101": 30, "-001": 120})
    definition = definition_of(survey)
    compared = compare_arms(definition.questions[0], definition, snapshot_of(survey, definition), FigureOptions())
    assert compared is not None
    coins, plainly = estimate_prevalence([90, 70], forced_response()), estimate_prevalence([120, 30], direct())
    difference, arms = difference_of(coins, plainly, 1), estimate_arms([[90, 70], [120, 30]], [coins.design, direct()])
    (pair,) = compared.differences
    limits = arms.interval(0.95)
    assert [answer.result.n for answer in compared.answers] == [160, 150]
    assert (pair.point, pair.interval) == (difference.constrained, difference.interval(0.95))
    assert pair.p_value == difference.equality_test().exact_p_value
    together = compared.together
    assert together is not None
    assert (together.low, together.high, together.fits) == (limits.low[1], limits.high[1], arms.fit.p_value)
    page = page_of("survey-results-question", survey, number=2)
    assert "The same, asked otherwise" in page
    assert "A higher estimate is no proof of a better one" in page
    # 3/8 of 160 less a fifth.
    assert "Asked by question 1, 18 more of 100 than by question 2" in page


def test_what_was_not_answered_as_it_should_be_is_shown_and_compared_with_nothing() -> None:
    # Of 160 who throw two coins a quarter say Yes whatever is true: 10 are too few.
    survey = _survey({"1-00": 10, "0-00": 150, "-101": 30, "-001": 120})
    definition = definition_of(survey)
    compared = compare_arms(definition.questions[0], definition, snapshot_of(survey, definition), FigureOptions())
    assert compared is not None
    assert [answer.result.odd for answer in compared.answers] == [True, False]
    assert (compared.differences, compared.together) == ((), None)
    page = page_of("survey-results-question", survey, number=2)
    assert "none to trust" in page
    assert "more of 100 than by question" not in page


@pytest.mark.parametrize(("coins", "plainly"), [(27, 60), (30, 90), (40, 5), (90, 100)])
def test_the_difference_lies_in_its_interval(coins: int, plainly: int) -> None:
    survey = _survey({"1-00": coins, "0-00": 160 - coins, "-101": plainly, "-001": 150 - plainly})
    definition = definition_of(survey)
    compared = compare_arms(definition.questions[0], definition, snapshot_of(survey, definition), FigureOptions())
    assert compared is not None
    for pair in compared.differences:
        assert pair.interval.low <= pair.point <= pair.interval.high
    assert compared.differences or any(answer.result.odd for answer in compared.answers)


def test_of_several_pairs_together_each_interval_is_wider() -> None:
    survey = make_open(
        *(yes_no(arms=[arm], quantity=1) for arm in (1, 2, 3)),
        arms=[{"name": name, "weight": 1} for name in "ABC"],
    )
    fill(survey, {"1--0": 40, "0--0": 60, "-1-1": 50, "-0-1": 50, "--12": 60, "--02": 40})
    definition, closed = definition_of(survey), close_survey(survey=survey)
    one, all_of_them = (
        compare_arms(definition.questions[0], definition, snapshot_of(closed, definition), wanted)
        for wanted in (FigureOptions(), FigureOptions(simultaneous=True))
    )
    assert one is not None
    assert all_of_them is not None
    for alone, together in zip(one.differences, all_of_them.differences, strict=True):
        assert together.interval.low < alone.interval.low < alone.interval.high < together.interval.high
        assert alone.p_value == together.p_value


def test_who_left_it_out_is_counted_beside_who_answered() -> None:
    survey = _survey({"1-00": 70, "0-00": 90, "--00": 12, "-101": 30, "-001": 120})
    assert "160, 12 left it out" in page_of("survey-results-question", survey, number=1)


def test_where_an_arm_has_too_few_or_nothing_asks_for_the_same_nothing_is_compared() -> None:
    survey = _survey({"1-00": 70, "0-00": 90, "-101": 4, "-001": 3})
    assert "asked otherwise" not in page_of("survey-results-question", survey, number=1)
    survey = _survey({"1-00": 70, "0-00": 90, "-101": 30, "-001": 120})
    assert "asked otherwise" not in page_of("survey-results-question", survey, number=3)
