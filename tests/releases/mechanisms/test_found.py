"""Every mechanism is offered, and makes nothing of what another mechanism drew."""

import pytest

from surveys.models import Mechanism
from surveys.releases.mechanisms import OFFERS
from surveys.releases.selectors.reading import reading_of
from tests.releases.setting import published_release, ready_survey

pytestmark = pytest.mark.django_db


def test_every_mechanism_is_offered_by_the_name_that_is_stored() -> None:
    assert {name: offer.name for name, offer in OFFERS.items()} == {each.value: each for each in Mechanism}


COUNTING = {Mechanism.LAPLACE_HISTOGRAM, Mechanism.GAUSSIAN_HISTOGRAM, Mechanism.ONE_COUNT}


@pytest.mark.parametrize("mechanism", sorted(set(Mechanism.values) - COUNTING))
def test_a_finder_refuses_the_draw_of_another_mechanism(mechanism: str) -> None:
    [part] = reading_of(published_release(ready_survey())).parts
    with pytest.raises(TypeError, match="mechanism must"):
        OFFERS[mechanism].finding(part.terms, part.part.output)


def test_counts_are_not_read_from_a_choice() -> None:
    [part] = reading_of(published_release(ready_survey(), mechanism=Mechanism.MOST_COMMON)).parts
    with pytest.raises(TypeError, match="one_count"):
        OFFERS[Mechanism.ONE_COUNT].finding(part.terms, part.part.output)
