"""Every kind of question with every mechanism: it suits, or the reason is said in words that name the question."""

import math

import pytest

from surveys.models import Mechanism
from surveys.questionnaire.asked_question import AskedQuestion
from surveys.releases.mechanisms import PLANS
from tests.factories import number_bands, scale
from tests.releases.asked import ALONE, all_drafts, asked_as

ASKED = asked_as(*all_drafts())

ONE_ANSWER = {"yes_no", "one_of", "scale", "number_bands"}
ORDERED = {"scale", "number_bands"}
SUITABLE = {
    Mechanism.LAPLACE_HISTOGRAM: (ONE_ANSWER | {"several_of", "number_mean"}, True),
    Mechanism.GAUSSIAN_HISTOGRAM: (ONE_ANSWER | {"several_of", "number_mean"}, True),
    Mechanism.ONE_COUNT: (ONE_ANSWER, True),
    Mechanism.TREE_COUNTS: (ORDERED, False),
    Mechanism.MOST_COMMON: (ONE_ANSWER | {"several_of"}, True),
    Mechanism.PERMUTE_AND_FLIP: (ONE_ANSWER | {"several_of"}, True),
    Mechanism.TOP: (ONE_ANSWER | {"several_of"}, True),
    Mechanism.QUANTILE: (ORDERED, True),
    Mechanism.BEST_PRICE: ({"number_bands"}, True),
    Mechanism.TOTAL: (ORDERED | {"number_mean"}, True),
    Mechanism.MEAN: (ORDERED | {"number_mean"}, True),
    Mechanism.VARIANCE: (ORDERED, True),
    Mechanism.BOUNDS: ({"number_bands"}, True),
    Mechanism.SMOOTH_MEDIAN: (ORDERED, False),
    Mechanism.STABLE_MODE: (ONE_ANSWER, False),
    Mechanism.STABLE_MEDIAN: (ORDERED, False),
    Mechanism.JOINT_TABLE: (ONE_ANSWER | {"number_mean"}, True),
    Mechanism.FIGURES_BY_GROUP: (ONE_ANSWER | {"number_mean"}, True),
    Mechanism.BEST_PREDICTOR: (ONE_ANSWER | {"number_mean"}, True),
}
"""Which kinds suit, and whether “prefer not to say” may be one of the answers."""


def suits(mechanism: str, asked: AskedQuestion) -> bool:
    kinds, protected = SUITABLE[Mechanism(mechanism)]
    two_reports = mechanism == Mechanism.ONE_COUNT and asked.design.m == 2
    if mechanism not in ALONE and asked.protects and asked.epsilon == math.inf:
        return False
    # What is reported option by option suits as if several could be true.
    kind = "several_of" if len(asked.items) > 1 else asked.kind
    return kind in kinds and (protected or not asked.protects_leaving_out) and not two_reports


def test_every_mechanism_is_offered() -> None:
    assert set(PLANS) == set(Mechanism.values) == set(SUITABLE)


@pytest.mark.parametrize("asked", ASKED, ids=lambda asked: f"{asked.kind}-{asked.design.name}-{asked.leave_out}")
@pytest.mark.parametrize("mechanism", PLANS)
def test_a_question_suits_or_is_refused_by_name(mechanism: str, asked: AskedQuestion) -> None:
    why = PLANS[mechanism].unsuitable(asked)
    if suits(mechanism, asked):
        assert why == ""
    else:
        assert asked.text in why
        assert why.endswith(".")


def _bands(*edges: int) -> AskedQuestion:
    return asked_as(number_bands(details={"edges": [[edge, 1] for edge in edges], "unit": "€"}))[0]


def test_no_price_is_below_zero() -> None:
    assert "start below 0" in PLANS["best_price"].unsuitable(_bands(-5, 0, 5, 10))
    assert PLANS["best_price"].unsuitable(_bands(0, 5, 10)) == ""


@pytest.mark.parametrize("mechanism", ["variance", "stable_median", "tree_counts"])
@pytest.mark.parametrize("asked", [_bands(0, 5, 10), asked_as(scale(points=2))[0]], ids=["bands", "scale"])
def test_two_numbers_are_too_few(mechanism: str, asked: AskedQuestion) -> None:
    assert "only two numbers" in PLANS[mechanism].unsuitable(asked)
