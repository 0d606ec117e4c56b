"""Every mechanism is offered."""

from surveys.models import Mechanism
from surveys.releases.mechanisms import PLANS


def test_every_mechanism_is_offered_by_the_name_that_is_stored() -> None:
    assert {name: offer.name for name, offer in PLANS.items()} == {each.value: each for each in Mechanism}
