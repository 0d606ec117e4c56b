"""The list of a survey's published releases, which reveals nothing of the others."""

import json
from fractions import Fraction

import pytest
from django.test import Client

from surveys.models import Survey
from surveys.releases.selectors.doors import index_key
from surveys.releases.services.releasing import withdraw
from tests.factories import make_admin, make_draft, yes_no
from tests.releases.every_release import HOSTILE
from tests.releases.setting import make_release, published_release, ready_survey

pytestmark = pytest.mark.django_db

QUARTER = Fraction(1, 4)


def _addresses(survey: Survey) -> tuple[str, str]:
    return f"/r/of/{index_key(survey)}/", f"/r/of/{index_key(survey)}.json"


def test_it_lists_published_releases_only_newest_first(client: Client) -> None:
    survey = ready_survey(title=HOSTILE)
    shown = [published_release(survey, epsilon=QUARTER) for _ in range(2)]
    hidden = make_release(survey, epsilon=QUARTER)
    page, document = (client.get(address).content.decode() for address in _addresses(survey))
    assert page.index(f"/r/{shown[1].pk}/") < page.index(f"/r/{shown[0].pk}/")
    assert hidden.pk not in page + document
    assert "<script" not in page
    releases = json.loads(document)["releases"]
    assert [row["id"] for row in releases] == [shown[1].pk, shown[0].pk]
    assert releases[0] == {
        "id": shown[1].pk,
        "page": f"/r/{shown[1].pk}/",
        "document": f"/r/{shown[1].pk}.json",
        "released_on": shown[1].created_at.date().isoformat(),
        "mechanism": "laplace_histogram",
        "questions": [yes_no().text],
        "epsilon": "1/4",
        "delta": "0",
    }


def test_it_does_not_exist_where_nothing_is_published(client: Client) -> None:
    unpublished, withdrawn = ready_survey(), ready_survey()
    make_release(unpublished)
    withdraw(release=published_release(withdrawn), user=make_admin())
    keys = [index_key(unpublished), index_key(withdrawn), "0" * 16, "0", "%", index_key(make_draft()) or "draft"]
    for key in keys:
        assert [client.get(f"/r/of/{key}{end}").status_code for end in ("/", ".json")] == [404, 404]


def test_it_has_one_address(client: Client) -> None:
    survey = ready_survey()
    published_release(survey)
    key = index_key(survey)
    for other in {key.upper(), key[:-1], key + "0", survey.content_hash} - {key}:
        assert client.get(f"/r/of/{other}/").status_code == 404


def test_it_does_not_name_the_code_with_which_anybody_could_answer(client: Client) -> None:
    survey = ready_survey()
    published_release(survey)
    for address in _addresses(survey):
        assert survey.code not in client.get(address).content.decode()


def test_it_is_cached_and_the_same_for_everybody(client: Client) -> None:
    survey = ready_survey()
    published_release(survey)
    for address in _addresses(survey):
        answer = client.get(address)
        assert answer["Cache-Control"] == "public, max-age=60"
        assert not answer.cookies
        client.force_login(make_admin())
        assert client.get(address, headers={"accept-language": "ar"}).content == answer.content
        assert client.get(address, headers={"if-none-match": answer["ETag"]}).status_code == 304
        assert client.post(address).status_code == 405
        client.logout()


def test_another_survey_s_releases_are_not_in_it(client: Client) -> None:
    one, other = ready_survey(), ready_survey()
    published_release(one)
    stranger = published_release(other)
    assert stranger.pk not in client.get(_addresses(one)[0]).content.decode()
