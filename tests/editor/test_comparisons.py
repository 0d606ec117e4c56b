"""Below the arms in the editor stands how probably ways of asking will be told apart: the core's own numbers."""

import re

import pytest
from django.urls import reverse

from surveys.estimation import plan_arms
from surveys.models import Survey
from surveys.privacy.designs import direct, forced_response
from tests.factories import make_draft, plain, yes_no
from tests.pages import holds, owner_of, said_on, text_of

pytestmark = pytest.mark.django_db
THREE = [{"name": "Coins", "weight": 2}, {"name": "Directly", "weight": 1}, {"name": "Neither", "weight": 1}]
PLAIN = {"design": "plain", "parameters": {}, "leave_out": "no"}
_SAYS = (
    r"Questions 1 and 2 ask for the same: if one finds ([\d.]+)% and the other ([\d.]+)%, (\d+) people tell them apart "
    r"with probability ([\d.]+)%, by the normal approximation\. For 80% you need ([\d,]+)\."
)


def _said(survey: Survey) -> str:
    return said_on(text_of(owner_of(survey).get(reverse("survey-edit", args=[survey.code]))))


def _draft(**changes: object) -> Survey:
    same = {"quantity": 1}
    return make_draft(
        yes_no("Did you cheat?", arms=[1], **same),
        yes_no("Did you cheat?", arms=[2], **(PLAIN | same)),
        plain(),
        arms=THREE,
        **changes,
    )


def test_power_and_how_many_are_needed_are_the_cores_at_the_answers_expected() -> None:
    found = re.search(_SAYS, _said(_draft(expected_n=400, expected_share=30)))
    assert found
    plan = plan_arms(forced_response(), direct(), 0.3, 0.2, first_share=2 / 3)
    wanted = (30, 20, 300, 100 * plan.power(300), plan.sample_size(power=0.8))
    assert all(holds(cell, value) for cell, value in zip(found.groups(), wanted, strict=True))


def test_an_arm_with_nothing_protected_says_so_where_the_others_have_a_total() -> None:
    words = _said(_draft())
    assert "ε 1.10 in all in the arm that costs most" in words
    assert words.count("ε 1.10 in all") == 2
    assert "No total ε yet" not in words


def test_what_is_compared_with_nothing_is_not_spoken_of() -> None:
    assert "ask for the same" not in _said(make_draft(yes_no(arms=[1]), yes_no("Or this?", arms=[2]), arms=THREE[:2]))
    assert "tell them apart" not in _said(make_draft(yes_no()))
