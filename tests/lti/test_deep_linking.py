"""An instructor adds a survey to a course: the page, the signed link, and the one address that it may be sent to."""

import re
import time
from html import unescape
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client
from joserfc import jwt
from joserfc.jwk import KeySet

from surveys.common.content_policy import origin_of, source_of
from surveys.models import Survey
from tests.credit.receipts import open_with_credit
from tests.factories import make_draft, make_open
from tests.lti.platform import (
    CLIENT,
    DEEP_LINK,
    DEPLOYMENT,
    DL,
    HERE,
    KEYS,
    LAUNCH,
    LTI,
    Platform,
    deep_linking,
    launch,
    platform,
)
from tests.pages import text_of

__all__ = ["platform"]

pytestmark = pytest.mark.django_db


@pytest.fixture
def survey(platform: Platform) -> Survey:
    """A survey that gives credit, and a registered platform that asks for a link."""
    platform.row()
    return open_with_credit()


def _directives(response: HttpResponse) -> dict[str, str]:
    return dict(part.split(" ", 1) for part in response["Content-Security-Policy"].split("; "))


def _token(page: str) -> str:
    (token,) = re.findall(r'name="JWT" value="([^"]+)"', page)
    return token


def _said(client: Client, token: str) -> dict[str, Any]:
    """Return what a response says, checked with the keys that the tool publishes."""
    keys = KeySet.import_key_set(client.get(KEYS).json())
    return jwt.decode(token, keys, algorithms=["RS256"]).claims


def test_the_page_answers_with_a_signed_link_to_the_survey(client: Client, platform: Platform, survey: Survey) -> None:
    assert launch(client, platform, **deep_linking(platform))["Location"] == DEEP_LINK
    assert client.get(DEEP_LINK).status_code == 200
    page = client.post(DEEP_LINK, {"code": survey.code.lower()})
    said = _said(client, _token(text_of(page)))
    assert said.pop("exp") - said.pop("iat") == 300
    assert len(said.pop("nonce")) >= 43
    assert said == {
        "iss": CLIENT,
        "aud": platform.address,
        f"{LTI}deployment_id": DEPLOYMENT,
        f"{LTI}message_type": "LtiDeepLinkingResponse",
        f"{LTI}version": "1.3.0",
        f"{DL}data": "opaque: 42",
        f"{DL}content_items": [
            {
                "type": "ltiResourceLink",
                "title": survey.title,
                "url": HERE + LAUNCH,
                "custom": {"survey": survey.code},
                "lineItem": {"scoreMaximum": 1, "label": survey.title, "resourceId": survey.code},
                "window": {"targetName": "_blank"},
            }
        ],
    }


def test_the_form_goes_to_the_return_address_of_the_platform_and_nowhere_else(
    client: Client, platform: Platform, survey: Survey
) -> None:
    launch(client, platform, **deep_linking(platform))
    typed = client.get(DEEP_LINK)
    assert _directives(typed)["form-action"] == "'self'"
    page = client.post(DEEP_LINK, {"code": survey.code})
    assert _directives(page)["form-action"] == f"{platform.address}/return%3Bnow"
    (address,) = re.findall(r'<form[^>]* action="([^"]+)"', text_of(page))
    assert unescape(address) == f"{platform.address}/return;now?course=4"
    # Both are shown in a frame of the platform's too, and in no other one.
    for each in (typed, page):
        assert _directives(each)["frame-ancestors"] == platform.address
        assert "X-Frame-Options" not in each


def test_without_data_nothing_is_sent_back(client: Client, platform: Platform, survey: Survey) -> None:
    launch(client, platform, **deep_linking(platform, data=None))
    said = _said(client, _token(text_of(client.post(DEEP_LINK, {"code": survey.code}))))
    assert f"{DL}data" not in said


@pytest.mark.usefixtures("survey")
def test_a_survey_without_credit_is_refused_in_its_field(client: Client, platform: Platform) -> None:
    launch(client, platform, **deep_linking(platform))
    for code in ("", "NOSUCH", "A\0B", "A" * 13, make_open().code, make_draft(credit=True).code):
        page = client.post(DEEP_LINK, {"code": code})
        assert (page.status_code, list(page.context["form"].errors)) == (422, ["code"])
        assert b"JWT" not in page.content


@pytest.mark.usefixtures("survey")
@pytest.mark.parametrize(
    "settings",
    [
        {"deep_link_return_url": None},
        {"deep_link_return_url": "http://moodle.example.org/"},
        {"deep_link_return_url": "javascript:alert(1)"},
        {"deep_link_return_url": "https://a;b/"},
        {"deep_link_return_url": "https://a b/"},
        {"deep_link_return_url": "https://*/"},
        {"deep_link_return_url": "https://[::1]/"},
        {"deep_link_return_url": "https://example.org:99999/"},
        {"accept_types": ["link"]},
        {"accept_types": None},
        {"data": 7},
        {"data": "".join(chr(0x4E00 + number) for number in range(4000))},
    ],
)
def test_a_request_that_no_link_can_answer_is_refused(
    client: Client, platform: Platform, settings: dict[str, Any]
) -> None:
    response = launch(client, platform, **deep_linking(platform, **settings))
    assert (response.status_code, response.context["why"]) == (400, "unproven")


def test_what_goes_into_a_policy_begins_no_other_directive() -> None:
    assert (
        source_of("https://a.example.org/x;script-src *,y z?q=1;2")
        == "https://a.example.org/x%3Bscript-src%20*%2Cy%20z"
    )
    assert origin_of("https://A.example.org:8443/x") == "https://a.example.org:8443"
    assert origin_of("https://somebody@a.example.org/x") == "https://a.example.org"
    for address in ("https://a_b/", "https://ä.example/", "https://[::1]/", "x", ""):
        with pytest.raises(ValueError, match="policy"):
            origin_of(address)


def test_the_keys_are_the_same_for_everybody_and_hold_nothing_private(client: Client, platform: Platform) -> None:
    assert client.get(KEYS).json() == {"keys": []}
    platform.row()
    answered = client.get(KEYS)
    (key,) = answered.json()["keys"]
    assert set(key) == {"kty", "n", "e", "kid", "use", "alg"}
    assert (key["kty"], key["use"], key["alg"], len(key["kid"])) == ("RSA", "sig", "RS256", 43)
    assert Client().get(KEYS).content == answered.content
    assert set(answered["Cache-Control"].split(", ")) == {"max-age=600", "public"}
    assert not answered.cookies


def test_a_response_is_of_this_moment(client: Client, platform: Platform, survey: Survey) -> None:
    launch(client, platform, **deep_linking(platform))
    token = _token(text_of(client.post(DEEP_LINK, {"code": survey.code})))
    assert abs(_said(client, token)["iat"] - time.time()) < 60
