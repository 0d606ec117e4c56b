"""Planning a survey with random arms: n is that of the arms that are asked, and comparisons are the core's."""

import re
from fractions import Fraction

import pytest
from django.urls import reverse

from surveys.common.selectors import definition_of
from surveys.course.services import close_survey
from surveys.drafts import figures
from surveys.estimation import expected_half_width, plan_arms
from surveys.models import Survey
from surveys.privacy.designs import direct, forced_response
from tests.factories import fill, make_open, one_of, yes_no
from tests.pages import holds, owner_of, said_on, text_of

pytestmark = pytest.mark.django_db
ARMS = [{"name": "Coins", "weight": 2}, {"name": "Directly", "weight": 1}, {"name": "Neither", "weight": 1}]
PLAIN = {"design": "plain", "parameters": {}, "leave_out": "no"}
COINS = forced_response()


@pytest.fixture
def survey() -> Survey:
    survey = make_open(
        yes_no("Have you cheated?", arms=[1], quantity=1),
        yes_no("Have you cheated?", arms=[2], quantity=1, **PLAIN),
        one_of(text="Asked of all?"),
        arms=ARMS,
    )
    # 40% of 160 with coins is 30 of 100.
    fill(survey, {"1-00": 64, "0-00": 96, "-101": 20, "-001": 60, "--02": 80})
    return close_survey(survey=survey)


def _said(survey: Survey, **query: object) -> str:
    response = owner_of(survey).get(reverse("survey-results-plan", args=[survey.code]), query)
    assert response.status_code == 200
    return said_on(text_of(response))


def _numbers(sentence: str, words: str) -> tuple[str, ...]:
    found = re.search(sentence, words)
    assert found, (sentence, words)
    return found.groups()


COMPARED = (
    r"If question (\d) finds ([\d.]+)% and question (\d) ([\d.]+)%, a (\S+) test at 5% tells them apart with "
    r"probability ([\d.]+)% among ([\d,]+) people \(([\d,]+) and ([\d,]+)\)\. For ([\d.]+)% you need ([\d,]+)\. "
    r"The difference would be known to ±([\d.]+) points\. Fewest are needed where (\d+)% of these people are asked"
)


@pytest.mark.parametrize(
    ("query", "item"), [({}, 1), ({"n": 1000, "difference": 5, "power": 90}, 1), ({"share": 12, "n": 400}, 2)]
)
def test_every_number_of_a_comparison_is_the_cores(survey: Survey, query: dict[str, object], item: int) -> None:
    words = _said(survey, item=item, **query)
    assert "compared if at least 10 people give each of its answers, or nobody does" in words
    told = _numbers(COMPARED, words)
    share = float(str(query["share"])) / 100 if "share" in query else 0.3
    difference = float(str(query.get("difference", 10))) / 100
    designs = (COINS, direct()) if item == 1 else (direct(), COINS)
    plan = plan_arms(*designs, share, share - difference, first_share=2 / 3 if item == 1 else 1 / 3)
    n = 3 * int(str(query.get("n", 320))) // 4
    target = float(str(query.get("power", 80))) / 100
    assert told[0] != told[2]
    for cell, value in zip(
        told[1:2] + told[3:4] + told[5:],
        (
            100 * share,
            100 * (share - difference),
            100 * plan.power(n),
            n,
            *plan.divide(n),
            100 * target,
            plan.sample_size(power=target),
            100 * plan.half_width(n),
            100 * plan.best_share,
        ),
        strict=True,
    ):
        assert holds(cell, value), (cell, value)


def test_that_comparison_notices_a_plan_that_divides_people_otherwise(
    survey: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The planted fault: as if the arms were alike."""
    monkeypatch.setattr(figures, "plan_arms", lambda *told, **how: plan_arms(*told, **how | {"first_share": 0.5}))
    with pytest.raises(AssertionError):
        test_every_number_of_a_comparison_is_the_cores(survey, {}, 1)


def test_a_one_sided_test_needs_fewer(survey: Survey) -> None:
    two, one = (
        _numbers(COMPARED, _said(survey, item=1, alternative=sides))[10] for sides in ("two-sided", "one-sided")
    )
    plan = plan_arms(COINS, direct(), 0.3, 0.2, first_share=2 / 3)
    assert holds(one, plan.sample_size(power=0.8, alternative="greater"))
    assert holds(two, plan.sample_size(power=0.8))


def test_people_are_those_in_the_arms_that_are_asked(survey: Survey) -> None:
    words = _said(survey, item=1, n=1000)
    assert (
        "Coins : only these respondents are asked this question, and the numbers of people below are theirs." in words
    )
    assert "Of 1,000 respondents that is about 500." in words
    half_width = expected_half_width(n=500, design=COINS, prevalence=0.3)
    assert holds(_numbers(r"With 500 people expect ±([\d.]+) points", words)[0], 100 * half_width)
    # Everybody is asked the third question.
    assert "With 1,000 people expect" in _said(survey, item=3, n=1000)


def test_the_sentence_on_higher_estimates_stands_there_once_and_nowhere_without_arms(survey: Survey) -> None:
    proof = "A higher estimate is no proof of a better one"
    assert _said(survey, item=1).count(proof) == 1
    assert "Höglinger and Jann" in _said(survey, item=1)
    assert proof not in _said(survey, item=3)
    alone = make_open(yes_no(leave_out="no"))
    fill(alone, {"1": 12, "0": 18})
    words = _said(alone)
    assert not re.search(r"\bapart\b|\barms?\b|ways? of asking", words)


@pytest.mark.parametrize("typed", ["0", "-3", "101", "ten", "nan"])
def test_what_is_no_difference_is_named(survey: Survey, typed: str) -> None:
    words = _said(survey, item=1, difference=typed)
    assert "Difference: write a number of points above 0" in words
    assert "finds 30.0% and question 2 20.0%" in words


def test_a_difference_that_cannot_be_downwards_is_upwards_and_one_that_cannot_be_is_as_large_as_can_be(
    survey: Survey,
) -> None:
    assert "finds 30.0% and question 2 70.0%" in _said(survey, item=1, difference=40)
    assert "finds 30.0% and question 2 100.0%" in _said(survey, item=1, difference=100)


def test_as_many_are_expected_in_arms_as_their_weights_say(survey: Survey) -> None:
    definition = definition_of(survey)
    first, second, third = definition.questions
    assert [definition.asked_of(400, each) for each in definition.questions] == [200, 100, 400]
    assert definition.asked_of(400, first, second) == 300
    assert definition.variants_of(first) == (first, second)
    assert definition.variants_of(third) == ()
    assert Fraction(definition.asked_of(1, second)) == 1
