"""A platform launches the tool: what it is asked, what follows, and what is kept of a student."""

import json
import logging
from http.cookies import Morsel
from typing import Any
from urllib.parse import parse_qsl

import pytest
from django.core import signing
from django.test import Client
from pytest_django import Settings

from surveys.course.services import close_survey, pause_survey, purge_survey, seal_survey
from surveys.models import CoursePlatform, Survey, Tries, WaitingScore
from tests.credit.receipts import closed_with_credit, make_receipt, open_with_credit
from tests.lti.platform import (
    AGS,
    CLIENT,
    DEEP_LINK,
    HERE,
    LAUNCH,
    LOGIN,
    LTI,
    PERSONAL,
    SCORE,
    STUDENT,
    Platform,
    begin,
    deep_linking,
    launch,
    new_key,
    platform,
)
from tests.pages import owner_of
from tests.security.addresses.dump import changed, dump

__all__ = ["platform"]

pytestmark = pytest.mark.django_db


@pytest.fixture
def survey() -> Survey:
    return closed_with_credit()


@pytest.fixture
def _registered(platform: Platform) -> CoursePlatform:
    return platform.row()


def _of(survey: Survey, **changes: Any) -> dict[str, Any]:
    """Return the claims of a launch of this survey's activity."""
    return {f"{LTI}custom": {"survey": survey.code}, **changes}


@pytest.mark.usefixtures("_registered")
@pytest.mark.parametrize("method", ["get", "post"])
def test_a_login_asks_the_platform_who_is_there(client: Client, platform: Platform, method: str) -> None:
    response = getattr(client, method)(LOGIN, platform.login())
    address, query = response["Location"].split("?", 1)
    asked = dict(parse_qsl(query))
    state, nonce = asked.pop("state"), asked.pop("nonce")
    assert (response.status_code, address) == (302, f"{platform.address}/login")
    assert asked == {
        "scope": "openid",
        "response_type": "id_token",
        "response_mode": "form_post",
        "prompt": "none",
        "client_id": CLIENT,
        "redirect_uri": HERE + LAUNCH,
        "login_hint": "hint & more",
        "lti_message_hint": "message=1",
    }
    assert min(len(state), len(nonce)) >= 43


def test_an_address_with_a_query_keeps_it(client: Client, platform: Platform) -> None:
    platform.row(login_address=f"{platform.address}/login?site=3")
    assert begin(client, platform).startswith(f"{platform.address}/login?site=3&scope=openid")


@pytest.mark.usefixtures("_registered")
def test_a_platform_may_leave_its_client_id_out_where_one_has_its_issuer(client: Client, platform: Platform) -> None:
    assert begin(client, platform, client_id=None)
    platform.row(client_id="another")
    assert client.get(LOGIN, platform.login(client_id=None)).status_code == 400
    assert "client_id=another" in begin(client, platform, client_id="another")


def _cookies(client: Client) -> dict[str, Morsel[str]]:
    return {name: cookie for name, cookie in client.cookies.items() if cookie.value}


@pytest.mark.usefixtures("_registered")
def test_a_launch_leads_to_the_survey_that_its_link_names(client: Client, platform: Platform, survey: Survey) -> None:
    response = launch(client, platform, **_of(survey))
    assert (response.status_code, response["Location"]) == (302, f"/lti/redeem/{survey.code}/")
    page = client.get(response["Location"])
    assert page.context["redeemable"]
    assert page["X-Frame-Options"] == "DENY"


@pytest.mark.usefixtures("_registered")
def test_a_receipt_is_redeemed_for_the_student_who_was_launched(
    client: Client, platform: Platform, survey: Survey
) -> None:
    address = launch(client, platform, **_of(survey))["Location"]
    assert client.post(address, {"receipt": make_receipt(survey)})["Location"] == "?redeemed"
    assert client.get(f"{address}?redeemed").context["redeemed"]
    score = WaitingScore.objects.get()
    assert (score.survey, score.subject, score.line_item) == (survey, STUDENT, platform.line_item)
    # The next student at this device is another one.
    assert client.get(address).status_code == 403


@pytest.mark.usefixtures("_registered")
def test_a_receipt_is_refused_in_its_field_and_nothing_waits(
    client: Client, platform: Platform, survey: Survey
) -> None:
    address, receipt = launch(client, platform, **_of(survey))["Location"], make_receipt(survey)
    for typed in ("", "x", "A" * 427, "A" * 1001, make_receipt(closed_with_credit())):
        page = client.post(address, {"receipt": typed})
        assert (page.status_code, list(page.context["form"].errors)) == (422, ["receipt"])
    client.post(address, {"receipt": receipt})
    launch(client, platform, **_of(survey))
    assert client.post(address, {"receipt": receipt}).status_code == 422
    assert WaitingScore.objects.count() == 1


@pytest.mark.usefixtures("_registered")
def test_whoever_has_signed_in_here_is_a_student_like_any_other(platform: Platform, survey: Survey) -> None:
    browser = owner_of(survey)
    address = launch(browser, platform, **_of(survey))["Location"]
    page = browser.get(address)
    assert survey.owner.get_username().encode() not in page.content
    assert browser.post(address, {"receipt": make_receipt(survey)}).status_code == 302
    assert WaitingScore.objects.get().subject == STUDENT


@pytest.mark.usefixtures("_registered")
def test_before_the_survey_has_closed_the_page_says_so_and_takes_nothing(client: Client, platform: Platform) -> None:
    survey = open_with_credit()
    address = launch(client, platform, **_of(survey))["Location"]
    page = client.get(address)
    assert not page.context["redeemable"]
    assert b"<form" not in page.content
    # Nor does it lead to the questions: the platform knows when somebody opened it.
    assert f"/s/{survey.code}".encode() not in page.content
    assert client.post(address, {"receipt": make_receipt(survey)}).status_code == 422
    assert not WaitingScore.objects.exists()


@pytest.mark.usefixtures("_registered")
def test_no_page_of_a_launch_leads_to_the_questions(client: Client, platform: Platform) -> None:
    """The platform keeps when who came: the answers that came in then would be theirs."""
    survey = open_with_credit()
    pages = [client.get(f"/lti/redeem/{survey.code}/"), launch(client, platform, **_of(survey, exp=1))]
    for change in (None, pause_survey, close_survey, seal_survey, purge_survey):
        if change is not None:
            change(survey=Survey.objects.get(pk=survey.pk))
        pages.append(client.get(launch(client, platform, **_of(survey))["Location"]))
    launch(client, platform, **deep_linking(platform))
    pages.append(client.get(DEEP_LINK))
    pages.append(client.post(DEEP_LINK, {"code": survey.code}))
    assert [page.status_code for page in pages] == [403, 400, *[200] * 7]
    for page in pages:
        assert b"/s/" not in page.content


@pytest.mark.parametrize("https", [True, False])
@pytest.mark.usefixtures("_registered")
def test_what_the_browser_keeps_is_of_these_pages_alone_and_for_an_hour(
    client: Client, platform: Platform, survey: Survey, settings: Settings, https: bool
) -> None:
    settings.SESSION_COOKIE_SECURE = https
    begun = client.get(LOGIN, platform.login())
    (there,) = begun.cookies.values()
    (back,) = (cookie for cookie in launch(client, platform, **_of(survey)).cookies.values() if cookie.value)
    # The first comes back with a form of the platform's; the second is for a window of its own.
    for cookie, seconds, samesite in ((there, 600, "None" if https else "Lax"), (back, 3600, "Lax")):
        assert (cookie["path"], cookie["max-age"], cookie["httponly"]) == ("/lti/", seconds, True)
        assert (cookie["samesite"], bool(cookie["secure"])) == (samesite, https)
    assert signing.loads(back.value, salt="deniable.lti-Launch") == {
        "platform": CoursePlatform.objects.get().pk,
        "subject": STUDENT,
        "line_item": platform.line_item,
        "survey": survey.code,
    }


@pytest.mark.usefixtures("_registered")
def test_nothing_of_a_person_or_a_course_is_stored_or_logged(
    client: Client, platform: Platform, survey: Survey, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    before = dump()
    address = launch(client, platform, **_of(survey))["Location"]
    launch(client, platform, **_of(survey, exp=1))
    after = dump()
    # All that is stored of a launch is that its nonce was used.
    assert changed(before, after) == ["surveys_tries"]
    assert "sessionid" not in client.cookies
    client.post(address, {"receipt": make_receipt(survey)})
    said = json.dumps([dump(), caplog.text, [cookie.value for cookie in client.cookies.values()]], default=repr)
    for value in ("Zebulon", "zebulon", "pictures.example", "Learner", "4711", "XYLO101", "Xylography"):
        assert value in json.dumps(PERSONAL), value
        assert value not in said
    assert STUDENT not in caplog.text
    assert "A launch was refused" in caplog.text
    assert WaitingScore.objects.get().subject == STUDENT


@pytest.mark.usefixtures("_registered")
def test_what_is_remembered_of_a_launch_is_forgotten_with_the_tries(
    client: Client, platform: Platform, survey: Survey
) -> None:
    launch(client, platform, **_of(survey))
    (row,) = Tries.objects.all()
    Tries.objects.filter(pk=row.pk).update(window=1)
    client.post("/sign-in/", {"username": "nobody", "password": "wrong"})
    assert not Tries.objects.filter(pk=row.pk).exists()


@pytest.mark.parametrize(
    "line_item", [None, "", "http://grades.example.org/1", "javascript:1", 7, "https://x/" + "y" * 500]
)
@pytest.mark.usefixtures("_registered")
def test_without_a_place_for_a_score_the_page_says_so(
    client: Client, platform: Platform, survey: Survey, line_item: object
) -> None:
    response = launch(client, platform, **_of(survey, **{AGS: {"scope": [SCORE], "lineitem": line_item}}))
    assert (response.status_code, response.context["why"]) == (400, "no-grades")


@pytest.mark.parametrize(
    "ags", [None, [], {}, {"lineitem": "https://example.org/1"}, {"scope": SCORE, "lineitem": "https://example.org/1"}]
)
@pytest.mark.usefixtures("_registered")
def test_without_leave_to_send_scores_the_page_says_so(
    client: Client, platform: Platform, survey: Survey, ags: object
) -> None:
    assert launch(client, platform, **_of(survey, **{AGS: ags})).context["why"] == "no-grades"


@pytest.mark.usefixtures("_registered")
def test_who_comes_without_a_launch_is_told_to_open_it_in_their_course(
    client: Client, platform: Platform, survey: Survey
) -> None:
    address = f"/lti/redeem/{survey.code}/"
    assert client.get(address).status_code == 403
    launch(client, platform, **_of(survey))
    assert client.get(address).status_code == 200
    # Of another survey it is no launch.
    other = closed_with_credit()
    assert client.get(f"/lti/redeem/{other.code}/").status_code == 403
    # Nor of a platform that is no longer registered.
    CoursePlatform.objects.all().delete()
    assert client.post(address, {"receipt": make_receipt(survey)}).status_code == 403


@pytest.mark.usefixtures("_registered")
def test_a_platform_that_is_away_is_waited_for_neither_long_nor_again(
    client: Client, platform: Platform, survey: Survey
) -> None:
    platform.status = 500
    for _ in range(2):
        response = launch(client, platform, **_of(survey))
        assert (response.status_code, response.context["why"]) == (503, "away")
    assert platform.asked == ["/keys"]


@pytest.mark.usefixtures("_registered")
def test_keys_are_read_again_when_a_platform_has_changed_them(
    client: Client, platform: Platform, survey: Survey
) -> None:
    launch(client, platform, **_of(survey))
    platform.key = new_key("second")
    assert launch(client, platform, **_of(survey)).status_code == 302
    launch(client, platform, **_of(survey))
    assert platform.asked == ["/keys", "/keys"]
