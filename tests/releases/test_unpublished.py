"""A release that is not published is nowhere outside the admin site."""

import pytest
from django.test import Client
from django.urls import reverse

from surveys.releases.selectors.doors import index_key
from tests.factories import make_admin, make_user
from tests.releases.setting import make_release, ready_survey

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("visitor", ["anonymous", "stranger", "owner", "admin"])
def test_an_unpublished_release_is_there_for_nobody(visitor: str) -> None:
    release, client = make_release(ready_survey()), Client()
    people = {"stranger": make_user, "owner": lambda: release.survey.owner, "admin": make_admin}
    if visitor in people:
        client.force_login(people[visitor]())
    kinds = ("json", "embed", "svg", "png", "synthetic", "opendp", "registry")
    for name in ("release", *(f"release-{kind}" for kind in kinds)):
        assert client.get(reverse(name, args=[release.pk])).status_code == 404
    # Nor does a list say that there are any.
    for name in ("release-index", "release-index-json"):
        assert client.get(reverse(name, args=[index_key(release.survey)])).status_code == 404
