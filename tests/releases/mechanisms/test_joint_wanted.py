"""From a wanted half-width of a model's first coefficient to ε, from public numbers only: nothing is counted for it."""

import json
import math
from fractions import Fraction
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from surveys.models import Mechanism, Survey
from surveys.numbers.words import round_up
from surveys.releases.families.plan import COEFFICIENT
from surveys.releases.mechanisms import PLANS, joint_table
from surveys.releases.refusals import Why
from surveys.releases.services.wanted import units_for
from tests.factories import fill, make_admin, make_budget, make_open, number_mean, one_of, yes_no
from tests.releases.people import DRANK, in_order
from tests.releases.refused import refusing
from tests.releases.setting import check, epsilon_for, spent
from tests.releases.steps import look, text_of

pytestmark = pytest.mark.django_db

JOINT: dict[str, Any] = {"mechanism": Mechanism.JOINT_TABLE, "options": {"outcome": "1"}}
WANTED = JOINT | {"unit": COEFFICIENT}


def _survey(*, numbers: bool = False) -> Survey:
    first = number_mean(leave_out="no") if numbers else yes_no(leave_out="no")
    survey = make_open(first, yes_no(DRANK, leave_out="no"))
    fill(survey, {"00": 400, "01": 300, "10": 300, "11": 400})
    make_budget(survey, 10, Fraction(1, 1000))
    return survey


def _half_width(survey: Survey, epsilon: Fraction, delta: Fraction = Fraction(0)) -> float:
    [part] = check(survey=survey, questions=in_order(survey), epsilon=epsilon, delta=delta, **JOINT).plans
    return part.expected_half_widths(0.95)[0]


@pytest.mark.parametrize(
    ("numbers", "wanted", "delta"),
    [
        (False, Fraction(13, 10), Fraction(0)),
        (False, Fraction(1), Fraction(1, 10**6)),
        (True, Fraction(4), Fraction(0)),
    ],
)
def test_the_epsilon_is_enough_and_hardly_more_than_that(numbers: bool, wanted: Fraction, delta: Fraction) -> None:
    survey = _survey(numbers=numbers)
    epsilon = epsilon_for(survey=survey, questions=in_order(survey), **WANTED, wanted=wanted, delta=delta)
    assert _half_width(survey, epsilon, delta) <= wanted
    assert _half_width(survey, Fraction(int(epsilon * 970_000), 10**6), delta) > wanted


def test_no_report_is_read_for_it() -> None:
    survey = _survey()
    with CaptureQueriesContext(connection) as queries:
        epsilon_for(survey=survey, questions=in_order(survey), **WANTED, wanted=Fraction(13, 10))
    counting = [query["sql"] for query in queries if "surveys_patterncount" in query["sql"]]
    assert len(counting) == 1
    assert counting[0].count("<> '-'") == 4
    assert "GROUP BY" not in counting[0]


def test_the_form_finds_it_and_shows_what_it_is_of(staff: Client) -> None:
    survey = _survey()
    sent = {"questions": in_order(survey), "mechanism": Mechanism.JOINT_TABLE}
    page = look(staff, survey, **sent, outcome="1", epsilon="", wanted="1.3", unit=COEFFICIENT)
    epsilon = epsilon_for(survey=survey, questions=in_order(survey), **WANTED, wanted=Fraction(13, 10))
    [part] = page.context["cost"].parts
    assert page.context["cost"].terms.epsilon == epsilon
    assert [words for words in (f"“{DRANK}”", "±1.3") if words not in part.plan.expectation_says()] == []
    assert part.plan.expectation_says() in text_of(page)
    # The three costs: of the report, of this release, and for the truth.
    costs = (part.plan.local_epsilon, part.alone.central.epsilon, part.alone.epsilon)
    assert costs == (pytest.approx(2 * math.log(3)), epsilon, pytest.approx(part.plan.truth_epsilon))
    refused = look(staff, survey, **sent, outcome="1", epsilon="", wanted="0.1", unit=COEFFICIENT)
    assert list(refused.context["form"].errors) == ["wanted"]
    assert spent(survey) == 0


def test_the_command_takes_it_and_says_widths_and_all_three_costs(capsys: pytest.CaptureFixture[str]) -> None:
    survey = _survey()
    make_admin("ada")
    asked = ["--mechanism=joint_table", "--question=1", "--question=2", "--outcome=1", "--user=ada", "--reason=Test."]
    asked += ["--accuracy=1.3", "--unit=coefficient", "--dry-run"]
    call_command("release", survey.code, *asked, "--json")
    data = json.loads(capsys.readouterr().out)
    [part] = data["parts"]
    [half] = part["expected_half_widths"]
    assert 1.29 < half <= 1.3
    assert (
        part["truth_epsilon"]
        < float(Fraction(data["epsilon"]))
        < part["local_epsilon"]
        == pytest.approx(2 * math.log(3))
    )
    call_command("release", survey.code, *asked)
    words = capsys.readouterr().out
    [terms] = check(survey=survey, questions=in_order(survey), epsilon=Fraction(data["epsilon"]), **JOINT).plans
    assert terms.expectation_says() in words
    assert [epsilon for epsilon in (2.19723, part["truth_epsilon"]) if f"ε = {round_up(epsilon, 6)}" not in words] == []


def test_what_takes_too_long_to_work_out_is_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(joint_table, "MOST_REPLICATED", 3)
    survey = _survey()
    with refusing(Why.INVALID_OPTION, match="ε") as refused:
        epsilon_for(survey=survey, questions=in_order(survey), **WANTED, wanted=Fraction(1))
    assert refused.value.field == "unit"


def test_only_a_model_has_coefficients() -> None:
    assert units_for(PLANS[Mechanism.JOINT_TABLE]) == ("answers", COEFFICIENT)
    survey = make_open(one_of())
    fill(survey, {"0": 20})
    with refusing(Why.INVALID_OPTION) as refused:
        epsilon_for(
            survey=survey, questions=in_order(survey), mechanism="most_common", unit=COEFFICIENT, wanted=Fraction(1)
        )
    assert refused.value.field == "unit"
