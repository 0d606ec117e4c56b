"""Planning a survey with random arms: n is that of the arms that are asked, and comparisons are the core's."""

import re
from fractions import Fraction
from urllib.parse import urlencode

import pytest
from django.http import QueryDict
from django.test.utils import ContextList

from surveys.common.selectors import definition_of
from surveys.course.services import close_survey
from surveys.drafts import figures
from surveys.estimation.planning.arms import plan_arms
from surveys.estimation.planning.precision import expected_half_width
from surveys.models import Survey
from surveys.privacy.designs import direct, forced_response
from surveys.results.pages.plan import comparison_sentence, division_sentence, parse_plan
from surveys.results.words import HIGHER_IS_NO_PROOF
from tests.factories import fill, make_open, one_of, yes_no
from tests.pages import said_on
from tests.results.seen import page_and_context, says

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


def _planned(survey: Survey, **query: object) -> tuple[str, ContextList]:
    return page_and_context("survey-results-plan", survey, f"?{urlencode(query)}")


@pytest.mark.parametrize(
    ("query", "item"), [({}, 1), ({"n": 1000, "difference": 5, "power": 90}, 1), ({"share": 12, "n": 400}, 2)]
)
def test_every_number_of_a_comparison_is_the_cores(survey: Survey, query: dict[str, object], item: int) -> None:
    page, context = _planned(survey, item=item, **query)
    share = float(str(query["share"])) / 100 if "share" in query else 0.3
    difference = float(str(query.get("difference", 10))) / 100
    designs = (COINS, direct()) if item == 1 else (direct(), COINS)
    plan = plan_arms(*designs, share, share - difference, first_share=2 / 3 if item == 1 else 1 / 3)
    n = 3 * int(str(query.get("n", 320))) // 4
    target = float(str(query.get("power", 80))) / 100
    [compared] = context["comparisons"]
    assert (compared.first.number, compared.second.number) == (item, 3 - item)
    assert (compared.divided, compared.needed) == (plan.divide(n), plan.sample_size(power=target))
    assert (compared.share, compared.other, compared.target) == pytest.approx((share, share - difference, target))
    assert compared.power == pytest.approx(plan.power(n))
    assert compared.half_width == pytest.approx(plan.half_width(n))
    assert compared.best_share == pytest.approx(plan.best_share)
    assert says(page, comparison_sentence(compared))
    assert says(page, division_sentence(compared))
    assert context["compares_plainly"]


def test_that_comparison_notices_a_plan_that_divides_people_otherwise(
    survey: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The planted fault: as if the arms were alike."""
    monkeypatch.setattr(figures, "plan_arms", lambda *designs, **how: plan_arms(*designs, **how | {"first_share": 0.5}))
    with pytest.raises(AssertionError):
        test_every_number_of_a_comparison_is_the_cores(survey, {}, 1)


def test_a_one_sided_test_needs_fewer(survey: Survey) -> None:
    [two], [one] = (
        _planned(survey, item=1, alternative=sides)[1]["comparisons"] for sides in ("two-sided", "one-sided")
    )
    plan = plan_arms(COINS, direct(), 0.3, 0.2, first_share=2 / 3)
    assert one.needed == plan.sample_size(power=0.8, alternative="greater")
    assert two.needed == plan.sample_size(power=0.8)


def test_people_are_those_in_the_arms_that_are_asked(survey: Survey) -> None:
    page, context = _planned(survey, item=1, n=1000)
    assert (context["arm_names"], context["planned"]) == ("Coins", 500)
    assert {"1,000", "500"} <= set(re.findall(r"[\d,]+", page.split('data-says="arms"')[1].split("</p>")[0]))
    assert context["precision"].half_width == pytest.approx(expected_half_width(n=500, design=COINS, prevalence=0.3))
    # Everybody is asked the third question.
    _page, context = _planned(survey, item=3, n=1000)
    assert context["planned"] == 1000


def test_the_sentence_on_higher_estimates_stands_there_once_and_nowhere_without_arms(survey: Survey) -> None:
    proof = str(HIGHER_IS_NO_PROOF)
    page, _context = _planned(survey, item=1)
    assert said_on(page).count(proof) == 1
    page, _context = _planned(survey, item=3)
    assert proof not in said_on(page)
    alone = make_open(yes_no(leave_out="no"))
    fill(alone, {"1": 12, "0": 18})
    page, context = _planned(alone)
    assert "comparisons" not in context
    assert not re.search(r"\bapart\b|\barms?\b|ways? of asking", said_on(page))


@pytest.mark.parametrize("typed", ["0", "-3", "101", "ten", "nan"])
def test_what_is_no_difference_is_named(survey: Survey, typed: str) -> None:
    items = definition_of(survey).items
    query = parse_plan(QueryDict(f"item=1&difference={typed}"), items)
    [notice] = query.notices
    assert f"“{typed}”" in notice
    assert query.difference == parse_plan(QueryDict("item=1"), items).difference == 0.1


@pytest.mark.parametrize(("difference", "other"), [(40, 0.7), (100, 1)])
def test_a_difference_that_cannot_be_downwards_is_upwards_and_one_that_cannot_be_is_as_large_as_can_be(
    survey: Survey, difference: int, other: float
) -> None:
    [compared] = _planned(survey, item=1, difference=difference)[1]["comparisons"]
    assert (compared.share, compared.other) == pytest.approx((0.3, other))


def test_as_many_are_expected_in_arms_as_their_weights_say(survey: Survey) -> None:
    definition = definition_of(survey)
    first, second, third = definition.questions
    assert [definition.asked_of(400, each) for each in definition.questions] == [200, 100, 400]
    assert definition.asked_of(400, first, second) == 300
    assert definition.variants_of(first) == (first, second)
    assert definition.variants_of(third) == ()
    assert Fraction(definition.asked_of(1, second)) == 1
