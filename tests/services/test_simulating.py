"""Simulated respondents go the way of real ones."""

from fractions import Fraction

import pytest

from surveys import selectors
from surveys.models import Response
from surveys.services.simulating import _truths, simulate
from tests.factories import make_open, one_of, yes_no

pytestmark = pytest.mark.django_db


def test_every_simulated_respondent_is_stored_once() -> None:
    survey = make_open(yes_no(), one_of())
    shares = [[Fraction(7, 10), Fraction(3, 10)], [Fraction(1, 3)] * 3]
    assert list(simulate(survey=survey, respondents=1001, shares=shares)) == [500, 1000, 1001]
    assert selectors.response_count(survey) == 1001
    # Ten are left behind, as the survey's minimum wants it while more may come.
    assert Response.objects.count() == 10
    tally = selectors.tally_of(survey, items=2)
    assert (tally.n, tally.n_by_mode()) == (1001, {"device": 1001})
    assert set(map(tuple, tally.patterns)) == {(first, second) for first in range(2) for second in range(3)}


def test_a_group_is_answered_in_where_one_is_given() -> None:
    survey = make_open()
    group = survey.groups.create(slug="north", name="North")
    list(simulate(survey=survey, respondents=30, shares=[[Fraction(1, 2)] * 2], group=group))
    assert set(selectors.tally_of(survey, items=1).groups.tolist()) == {group.pk}


def test_the_true_shares_hold_as_exactly_as_whole_people_allow() -> None:
    truths = _truths(10, [Fraction(1, 3)] * 3, 3, 1)
    assert sorted(truths.count(answer) for answer in range(3)) == [3, 3, 4]
    assert _truths(400, [Fraction(7, 10), Fraction(3, 10)], 2, 1).count(1) == 120


@pytest.mark.parametrize("shares", [[Fraction(1)], [Fraction(1, 2), Fraction(1, 3)], [Fraction(3, 2), Fraction(-1, 2)]])
def test_shares_that_are_none_are_refused(shares: list[Fraction]) -> None:
    with pytest.raises(ValueError, match="question 1: shares"):
        next(simulate(survey=make_open(), respondents=5, shares=[shares]))


def test_shares_are_needed_for_every_question_and_somebody_must_answer() -> None:
    with pytest.raises(ValueError, match="shares must be given for 1"):
        next(simulate(survey=make_open(), respondents=5, shares=[]))
    with pytest.raises(ValueError, match="respondents"):
        next(simulate(survey=make_open(), respondents=0, shares=[[Fraction(1, 2)] * 2]))
