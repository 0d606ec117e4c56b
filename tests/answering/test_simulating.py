"""Simulated respondents go the way of real ones."""

from fractions import Fraction

import pytest

from surveys.answering.services.simulating import draw, simulate
from surveys.common.selectors import definition_of
from surveys.common.totals import response_count
from surveys.models import Response
from surveys.models.simulated import People, TrueShares, apportion_people, people_of
from surveys.questionnaire.asked_question import AskedQuestion
from surveys.responses.selectors.tally import tally_of
from tests.factories import PROTECTED, make_draft, make_open, number_mean, one_of, several_of, yes_no

pytestmark = pytest.mark.django_db
HALF = Fraction(1, 2)


def test_every_simulated_respondent_is_stored_once() -> None:
    survey = make_open(yes_no(), one_of())
    shares = [[Fraction(7, 10), Fraction(3, 10)], [Fraction(1, 3)] * 3]
    assert list(simulate(survey=survey, respondents=1001, shares=shares)) == [500, 1000, 1001]
    assert response_count(survey) == 1001
    # Ten are left behind, as the survey's minimum wants it while more may come.
    assert Response.objects.count() == 10
    tally = tally_of(survey, items=2)
    assert (tally.n, tally.n_by_mode()) == (1001, {"device": 1001})
    assert set(map(tuple, tally.patterns)) == {(first, second) for first in range(2) for second in range(3)}


def test_a_group_is_answered_in_where_one_is_given() -> None:
    survey = make_open()
    group = survey.groups.create(slug="north", name="North")
    list(simulate(survey=survey, respondents=30, shares=[[Fraction(1, 2)] * 2], group=group))
    assert set(tally_of(survey, items=1).groups.tolist()) == {group.pk}


def test_the_true_shares_hold_as_exactly_as_whole_people_allow() -> None:
    assert sorted(apportion_people([Fraction(1, 3)] * 3, 10)) == [3, 3, 4]
    assert apportion_people([Fraction(7, 10), Fraction(3, 10)], 400) == (280, 120)
    # Of two equal remainders, one is rounded up.
    assert sum(apportion_people([HALF, HALF], 7)) == 7


@pytest.mark.parametrize("shares", [[Fraction(1)], [Fraction(1, 2), Fraction(1, 3)], [Fraction(3, 2), Fraction(-1, 2)]])
def test_shares_that_are_none_are_refused(shares: list[Fraction]) -> None:
    with pytest.raises(ValueError, match="question 1: shares"):
        next(simulate(survey=make_open(), respondents=5, shares=[shares]))


def test_shares_are_needed_for_every_question_and_somebody_must_answer() -> None:
    with pytest.raises(ValueError, match=r"shares .* 1"):
        next(simulate(survey=make_open(), respondents=5, shares=[]))
    with pytest.raises(ValueError, match="respondents"):
        next(simulate(survey=make_open(), respondents=0, shares=[[Fraction(1, 2)] * 2]))


def _question(*questions: object) -> AskedQuestion:
    return definition_of(make_draft(*questions)).questions[0]  # type: ignore[arg-type]


def test_who_leaves_a_question_out_is_taken_off_before_the_answers_are_shared_out() -> None:
    people = people_of(_question(yes_no()), TrueShares(((Fraction(3, 4), Fraction(1, 4)),), Fraction(1, 5)), 100)
    assert people == People(((60, 20),), leaving=20)
    assert (people.answering, people.share(0, 1)) == (80, 0.25)


def test_leaving_out_under_protection_is_one_more_truth() -> None:
    shares = TrueShares(((Fraction(3, 4), Fraction(1, 4)),), Fraction(1, 5))
    assert people_of(_question(yes_no(**PROTECTED)), shares, 100) == People(((60, 20, 20),))


def test_a_question_that_cannot_be_left_out_is_left_out_by_nobody() -> None:
    with pytest.raises(ValueError, match="question 1: cannot"):
        people_of(_question(one_of()), TrueShares(((HALF, HALF, Fraction(0)),), HALF), 10)


def test_each_option_of_several_needs_shares_of_its_own() -> None:
    with pytest.raises(ValueError, match=r"question 1: .* 3 items"):
        people_of(_question(several_of()), TrueShares(((HALF, HALF),)), 10)


def test_all_people_are_drawn_once_in_however_many_steps() -> None:
    definition = definition_of(make_draft(yes_no(), one_of(), number_mean(leave_out="no")))
    left = [People(((30, 10),), leaving=5), People(((20, 20, 5),)), People(((45, 0),))]
    reports: list[str] = []
    for number in (20, 1, 24):
        drawn, left = draw(definition=definition, left=left, number=number)
        assert len(drawn) == number
        reports += drawn
    # Whoever leaves a question out is seen to.
    assert sum(report[0] == "-" for report in reports) == 5
    assert [people.leaving + people.answering for people in left] == [0, 0, 0]


def test_nobody_is_drawn_who_is_not_there() -> None:
    definition = definition_of(make_draft())
    with pytest.raises(ValueError, match="larger than population"):
        draw(definition=definition, left=[People(((3, 1),))], number=5)


def test_whom_chance_takes_first_is_chance() -> None:
    """Of 20 people one is Yes: she comes first in one of 20 draws (false alarm below 1e-6)."""
    definition = definition_of(make_draft())
    first = sum(
        draw(definition=definition, left=[People(((19, 1),))], number=1)[1][0].answers[0][1] == 0 for _ in range(2000)
    )
    # Binomial(2000, 1/20): mean 100, standard deviation 9.7.
    assert 52 <= first <= 150
