"""Formulas of two questions related, and of regression: computed again from the page and by the core."""

import pytest

from surveys.common.selectors import definition_of
from surveys.estimation.association.joint import estimate_joint
from tests.factories import crosswise, fill, make_open, yes_no
from tests.results.methods.mathml import read
from tests.results.methods.test_methods import formulas_of, methods_page, unequal_sides

pytestmark = pytest.mark.django_db


def test_two_questions_are_related_through_the_product_of_their_matrices() -> None:
    survey = make_open(yes_no(leave_out="no"), crosswise(leave_out="no"))
    fill(survey, {"00": 31, "01": 22, "10": 17, "11": 45})
    formulas, results = read(methods_page(survey))
    a, b = (item.design for item in definition_of(survey).items)
    joint = estimate_joint([[31, 22], [17, 45]], a, b)
    assert formulas_of(formulas, "pair")["joint"].result == pytest.approx(joint.point[1, 1])
    assert results["pair", "joint_error"] == pytest.approx((joint.standard_error[1, 1],))


def test_odds_shares_and_correlation_are_the_cores_with_these_numbers() -> None:
    survey = make_open(yes_no(leave_out="no"), crosswise(leave_out="no"))
    fill(survey, {"00": 131, "01": 112, "10": 97, "11": 125})
    formulas, _results = read(methods_page(survey, "?level=.9"))
    a, b = (item.design for item in definition_of(survey).items)
    joint = estimate_joint([[131, 112], [97, 125]], a, b)
    named = formulas_of(formulas, "pair")
    assert not list(unequal_sides(formulas))
    assert named["conditional"].result == pytest.approx(joint.conditional(1, 1).constrained)
    assert named["odds_ratio"].result == pytest.approx(joint.odds_ratio.point)
    assert named["correlation"].result == pytest.approx(joint.correlation.point)
    limits = joint.correlation.interval(0.9)
    assert named["correlation_low"].result == pytest.approx(limits.low)
    assert named["correlation_high"].result == pytest.approx(limits.high)


def test_of_too_few_people_no_share_of_an_answer_is_an_example() -> None:
    survey = make_open(yes_no(leave_out="no"), yes_no(leave_out="no"))
    fill(survey, {"00": 60, "01": 16, "10": 18, "11": 8})
    formulas, _results = read(methods_page(survey))
    assert not formulas_of(formulas, "pair")["conditional"].values


def test_the_regression_s_likelihood_sums_over_what_the_true_answers_may_be() -> None:
    survey = make_open(yes_no(leave_out="no"))
    fill(survey, {"0": 60, "1": 40})
    formulas, _results = read(methods_page(survey))
    assert {"regression", "regression_odds", "regression_report"} <= set(formulas_of(formulas, "example"))
