"""Every mechanism is offered, and makes nothing of what another mechanism drew."""

import pytest
from django.template.loader import get_template

from surveys.models import Mechanism
from surveys.releases.mechanisms import OFFERS
from surveys.releases.selectors.reading import reading_of
from tests.releases.every_release import every_release, survey_of_every_kind
from tests.releases.setting import published_release, ready_survey

pytestmark = pytest.mark.django_db


def test_every_mechanism_is_offered_by_the_name_that_is_stored() -> None:
    assert {name: offer.name for name, offer in OFFERS.items()} == {each.value: each for each in Mechanism}


def test_every_family_has_a_sentence() -> None:
    families = {
        part.finding.family
        for release in every_release(survey_of_every_kind(n=60, seed=9))
        for part in reading_of(release).parts
    }
    for family in families | {"refused"}:
        assert get_template(f"releases/found/_{family}.html")


COUNTING = {Mechanism.LAPLACE_HISTOGRAM, Mechanism.GAUSSIAN_HISTOGRAM, Mechanism.ONE_COUNT}


@pytest.mark.parametrize("mechanism", sorted(set(Mechanism.values) - COUNTING))
def test_a_finder_refuses_the_draw_of_another_mechanism(mechanism: str) -> None:
    [part] = reading_of(published_release(ready_survey())).parts
    with pytest.raises(TypeError, match="mechanism must"):
        OFFERS[mechanism].finding(part.terms, part.part.output)


def test_counts_are_not_read_from_a_choice() -> None:
    [part] = reading_of(published_release(ready_survey(), mechanism=Mechanism.MOST_COMMON)).parts
    with pytest.raises(TypeError, match="mechanism must be one_count"):
        OFFERS[Mechanism.ONE_COUNT].finding(part.terms, part.part.output)
