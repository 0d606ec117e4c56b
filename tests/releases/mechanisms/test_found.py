"""Every mechanism is offered, and drawn from counts alone."""

import pytest

from surveys.models import Mechanism
from surveys.releases.mechanisms import PLANS
from tests.factories import yes_no
from tests.releases.asked import terms_of


def test_every_mechanism_is_offered_by_the_name_that_is_stored() -> None:
    assert {name: plan.name for name, plan in PLANS.items()} == {each.value: each for each in Mechanism}


def test_a_plan_is_not_drawn_before_anything_is_counted() -> None:
    plan = terms_of(yes_no(), "laplace_histogram", n=0)
    with pytest.raises(ValueError, match="n must be counted"):
        plan.draw([0, 0])
