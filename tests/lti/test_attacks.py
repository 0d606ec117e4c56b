"""Launches under attack: nobody comes in by a message, a state or an address that is not theirs."""

import hmac
import json
import re
import time
from typing import Any
from urllib.parse import urlencode

import pytest
from django.core import signing
from django.http import HttpResponse
from django.test import Client
from joserfc.jwk import KeySet
from joserfc.util import urlsafe_b64encode
from pytest_django import Settings

from surveys import middleware
from surveys.accounts.services import sign_in
from surveys.common import servers
from surveys.lti.services import launching
from surveys.models import Survey, Tries, WaitingScore
from tests.accounts.conftest import Clock, clock
from tests.credit.receipts import closed_with_credit, make_receipt
from tests.factories import make_draft, make_open
from tests.lti.platform import (
    CLIENT,
    HERE,
    LAUNCH,
    LOGIN,
    LTI,
    Platform,
    begin,
    deep_linking,
    launch,
    new_key,
    platform,
)

__all__ = ["clock", "platform"]

pytestmark = pytest.mark.django_db
COOKIE, LOGIN_COOKIE = "lti", "lti-login"


@pytest.fixture
def survey(platform: Platform) -> Survey:
    """A survey that a registered platform launches."""
    platform.row()
    return closed_with_credit()


def _custom(survey: Survey) -> dict[str, Any]:
    return {f"{LTI}custom": {"survey": survey.code}}


def _refused(response: HttpResponse) -> str:
    """Return why a launch went no further; "" where it did."""
    if response.status_code == 302:
        return ""
    assert response.status_code in {400, 404, 503}
    assert not any(cookie.value for cookie in response.cookies.values())
    return str(response.context["why"])


@pytest.mark.parametrize(
    ("claims", "why"),
    [
        ({"iss": "https://other.example"}, "unproven"),
        ({"iss": None}, "unproven"),
        ({"aud": "another-client"}, "unproven"),
        ({"aud": [CLIENT, "another-client"]}, "unproven"),
        ({"aud": [CLIENT, "another-client"], "azp": "another-client"}, "unproven"),
        ({"aud": None}, "unproven"),
        ({"azp": "another-client"}, "unproven"),
        ({"exp": int(time.time()) - 120}, "unproven"),
        ({"exp": None}, "unproven"),
        ({"iat": int(time.time()) + 3600}, "unproven"),
        ({"iat": None}, "unproven"),
        ({"nonce": "another"}, "unproven"),
        ({"nonce": None}, "unproven"),
        ({"sub": None}, "unproven"),
        ({"sub": ""}, "unproven"),
        ({"sub": 7}, "unproven"),
        ({"sub": "s" * 256}, "no-subject"),
        ({"sub": "a\0b"}, "no-subject"),
        ({f"{LTI}deployment_id": "unknown"}, "unknown"),
        ({f"{LTI}deployment_id": None}, "unknown"),
        ({f"{LTI}deployment_id": ["deployment-1"]}, "unknown"),
        ({f"{LTI}version": "1.1"}, "unproven"),
        ({f"{LTI}version": None}, "unproven"),
        ({f"{LTI}message_type": "LtiSubmissionReviewRequest"}, "unproven"),
        ({f"{LTI}message_type": None}, "unproven"),
        ({f"{LTI}message_type": ["LtiResourceLinkRequest"]}, "unproven"),
        ({f"{LTI}target_link_uri": "https://other.example/lti/launch/"}, "unproven"),
        ({f"{LTI}target_link_uri": None}, "unproven"),
        ({f"{LTI}resource_link": None}, "unproven"),
        ({f"{LTI}resource_link": {"title": "none"}}, "unproven"),
    ],
)
def test_a_message_made_for_another_place_browser_or_time_launches_nothing(
    client: Client, platform: Platform, survey: Survey, claims: dict[str, Any], why: str
) -> None:
    assert _refused(launch(client, platform, **_custom(survey))) == ""
    assert _refused(launch(client, platform, **(_custom(survey) | claims))) == why


@pytest.mark.parametrize("audience", [CLIENT, [CLIENT]])
def test_a_message_for_this_tool_alone_needs_no_authorized_party(
    client: Client, platform: Platform, survey: Survey, audience: object
) -> None:
    assert _refused(launch(client, platform, **_custom(survey), aud=audience)) == ""
    assert _refused(launch(client, platform, **_custom(survey), aud=[CLIENT, "more"], azp=CLIENT)) == ""


# Signatures.


def _by_hand(header: dict[str, Any], claims: dict[str, Any], secret: bytes | None = None) -> str:
    """Return a token that no library would make."""
    text = ".".join(urlsafe_b64encode(json.dumps(part).encode()).decode() for part in (header, claims))
    signature = hmac.digest(secret, text.encode(), "sha256") if secret else b""
    return f"{text}.{urlsafe_b64encode(signature).decode()}"


def _launch_by_hand(
    client: Client, platform: Platform, survey: Survey, header: dict[str, Any], secret: bytes | None = None
) -> str:
    location = begin(client, platform)
    form = platform.message(location, **_custom(survey))
    token = _by_hand(header, platform.claims(location, **_custom(survey)), secret)
    return _refused(client.post(LAUNCH, form | {"id_token": token}))


@pytest.mark.parametrize("alg", ["none", "None", "nOnE", ""])
def test_a_message_without_a_signature_launches_nothing(
    client: Client, platform: Platform, survey: Survey, alg: str
) -> None:
    assert _launch_by_hand(client, platform, survey, {"alg": alg, "kid": "first"}) == "unproven"


@pytest.mark.parametrize("as_secret", ["its public key", "a published secret"])
def test_a_message_signed_with_what_is_public_launches_nothing(
    client: Client, platform: Platform, survey: Survey, as_secret: str
) -> None:
    secret = platform.key.as_pem(private=False)
    if as_secret == "a published secret":
        secret = _publish_secret(platform)
    assert _launch_by_hand(client, platform, survey, {"alg": "HS256", "kid": "first"}, secret) == "unproven"


def _publish_secret(platform: Platform) -> bytes:
    secret = b"known to everybody" * 2
    platform.published = {"keys": [{"kty": "oct", "kid": "first", "k": urlsafe_b64encode(secret).decode()}]}
    return secret


def test_a_secret_that_is_public_would_be_enough_if_secret_algorithms_were_allowed(
    client: Client, platform: Platform, survey: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = _publish_secret(platform)
    monkeypatch.setattr(servers, "_ALGORITHMS", (*servers._ALGORITHMS, "HS256"))
    assert _launch_by_hand(client, platform, survey, {"alg": "HS256", "kid": "first"}, secret) == ""


def test_a_key_that_the_platform_does_not_have_launches_nothing(
    client: Client, platform: Platform, survey: Survey
) -> None:
    platform.published = dict(KeySet([new_key("first")]).as_dict(private=False))
    assert _refused(launch(client, platform, **_custom(survey))) == "unproven"
    # Nor does the key that it had before.
    servers._kept.clear()
    platform.published = None
    old = platform.key
    platform.key = new_key("second")
    assert _refused(launch(client, platform, **_custom(survey))) == ""
    platform.published, platform.key = platform.keys(), old
    assert _refused(launch(client, platform, **_custom(survey))) == "unproven"


# State, nonce, browser.


def test_a_launch_counts_once_even_with_the_same_cookie(client: Client, platform: Platform, survey: Survey) -> None:
    form, cookie = _message_and_cookie(client, platform, survey)
    assert _refused(client.post(LAUNCH, form)) == ""
    client.cookies[LOGIN_COOKIE] = cookie
    assert _refused(client.post(LAUNCH, form)) == "stale"


def _message_and_cookie(client: Client, platform: Platform, survey: Survey) -> tuple[dict[str, str], str]:
    form = platform.message(begin(client, platform), **_custom(survey))
    return form, client.cookies[LOGIN_COOKIE].value


@pytest.mark.parametrize("minutes", [1, 9])
def test_nor_in_the_next_window_of_tries_nor_after_somebody_signed_in(
    client: Client, platform: Platform, survey: Survey, clock: Clock, minutes: int
) -> None:
    # A minute before a window ends; the other clocks of this test do not matter.
    clock.now = clock.now.replace(minute=14)
    form, cookie = _message_and_cookie(client, platform, survey)
    client.post(LAUNCH, form)
    clock.advance(minutes=minutes)
    Client().post("/sign-in/", {"username": "nobody", "password": "wrong"})
    client.cookies[LOGIN_COOKIE] = cookie
    assert _refused(client.post(LAUNCH, form)) == "stale"
    Tries.objects.all().delete()
    assert _refused(client.post(LAUNCH, form)) != "stale"


def test_a_replay_would_be_found_if_nothing_was_remembered(
    client: Client, platform: Platform, survey: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(launching, "is_first", lambda **_what: True)
    form, cookie = _message_and_cookie(client, platform, survey)
    for _ in range(2):
        client.cookies[LOGIN_COOKIE] = cookie
        assert _refused(client.post(LAUNCH, form)) == ""


def test_a_message_for_another_browser_launches_nothing(client: Client, platform: Platform, survey: Survey) -> None:
    form, cookie = _message_and_cookie(client, platform, survey)
    stranger = Client()
    assert _refused(stranger.post(LAUNCH, form)) == "stale"
    begin(stranger, platform)
    assert _refused(stranger.post(LAUNCH, form)) == "stale"
    # With the state of its own login the message says another nonce.
    own, _cookie = _message_and_cookie(stranger, platform, survey)
    assert _refused(stranger.post(LAUNCH, form | {"state": own["state"]})) == "unproven"
    for changed in ("", "x", cookie[:-1], f"x{cookie}"):
        client.cookies[LOGIN_COOKIE] = changed
        assert _refused(client.post(LAUNCH, form)) == "stale"
    client.cookies[LOGIN_COOKIE] = cookie
    assert _refused(client.post(LAUNCH, form)) == ""


def test_another_browser_would_get_in_if_the_state_was_not_compared(
    client: Client, platform: Platform, survey: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(launching, "constant_time_compare", lambda *_: True)
    form, cookie = _message_and_cookie(client, platform, survey)
    stranger = Client()
    stranger.cookies[LOGIN_COOKIE] = cookie
    assert _refused(stranger.post(LAUNCH, form | {"state": "x"})) == ""


def test_a_login_is_good_for_ten_minutes(client: Client, platform: Platform, survey: Survey, clock: Clock) -> None:
    form, _cookie = _message_and_cookie(client, platform, survey)
    clock.advance(minutes=11)
    assert _refused(client.post(LAUNCH, form)) == "stale"


def test_what_the_platform_answers_instead_of_a_message_launches_nothing(
    client: Client, platform: Platform, survey: Survey
) -> None:
    form, _cookie = _message_and_cookie(client, platform, survey)
    answered = client.post(LAUNCH, {"state": form["state"], "error": "login_required"})
    assert _refused(answered) == "stale"


# Whose score it is, and of what.


def _changed(cookie: str, **changes: str) -> str:
    """Return a cookie that says something else, with the signature that it had."""
    held = signing.loads(cookie, salt="deniable.lti-Launch")
    return f"{signing.b64_encode(json.dumps(held | changes).encode()).decode()}:{cookie.partition(':')[2]}"


def test_nobody_redeems_for_somebody_else(client: Client, platform: Platform, survey: Survey) -> None:
    address = launch(client, platform, **_custom(survey))["Location"]
    honest, receipt = client.cookies[COOKIE].value, make_receipt(survey)
    for changes in ({"subject": "student-2"}, {"line_item": "https://other.example/items/1"}, {"survey": "OTHER2"}):
        client.cookies[COOKIE] = _changed(honest, **changes)
        assert client.post(address, {"receipt": receipt}).status_code == 403
    # A cookie of the login, or one for an instructor, is none of a student.
    client.cookies[COOKIE] = signing.dumps({"subject": "student-2"}, salt="deniable.lti-login")
    assert client.post(address, {"receipt": receipt}).status_code == 403
    client.cookies[COOKIE] = honest
    form = {"receipt": receipt, "subject": "student-2", "sub": "student-2", "platform": "9", "line_item": "https://x/"}
    assert client.post(f"{address}?subject=student-2", form).status_code == 302
    assert WaitingScore.objects.get().subject == "student-1"


def test_a_subject_that_was_changed_would_be_found_if_nothing_was_signed(
    client: Client, platform: Platform, survey: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = launch(client, platform, **_custom(survey))["Location"]
    monkeypatch.setattr(
        signing.TimestampSigner, "unsign", lambda _self, value, **_: value.rpartition(":")[0].rpartition(":")[0]
    )
    client.cookies[COOKIE] = _changed(client.cookies[COOKIE].value, subject="student-2")
    client.post(address, {"receipt": make_receipt(survey)})
    assert WaitingScore.objects.get().subject == "student-2"


def test_a_launch_is_good_for_an_hour(client: Client, platform: Platform, survey: Survey, clock: Clock) -> None:
    platform_claims = {"exp": int(clock.now.timestamp()) + 300, "iat": int(clock.now.timestamp())}
    address = launch(client, platform, **_custom(survey), **platform_claims)["Location"]
    assert client.get(address).status_code == 200
    clock.advance(minutes=61)
    assert client.get(address).status_code == 403


@pytest.mark.parametrize(
    "custom", [None, [], "survey", {}, {"survey": ""}, {"survey": "NOSUCH"}, {"survey": "A\0B"}, {"survey": ["x"]}]
)
@pytest.mark.usefixtures("survey")
def test_a_link_without_a_survey_launches_nothing(client: Client, platform: Platform, custom: object) -> None:
    assert _refused(launch(client, platform, **{f"{LTI}custom": custom})) == "no-survey"


@pytest.mark.usefixtures("survey")
def test_a_survey_that_gives_no_credit_or_is_a_draft_is_none(client: Client, platform: Platform) -> None:
    for other in (make_open(), make_draft(credit=True)):
        assert _refused(launch(client, platform, **_custom(other))) == "no-survey"
        assert client.get(f"/lti/redeem/{other.code}/").status_code == 404


# Leading elsewhere.


@pytest.mark.usefixtures("survey")
@pytest.mark.parametrize(
    "changes",
    [
        {"iss": "https://other.example"},
        {"iss": None},
        {"iss": "a\0b"},
        {"client_id": "another"},
        {"target_link_uri": "https://other.example/"},
        {"target_link_uri": f"{HERE}{LAUNCH}?next=https://other.example/"},
        {"target_link_uri": f"{HERE}/"},
        {"target_link_uri": None},
    ],
)
def test_a_login_of_a_stranger_or_to_elsewhere_is_not_answered(
    client: Client, platform: Platform, changes: dict[str, str | None]
) -> None:
    for response in (client.get(LOGIN, platform.login(**changes)), client.post(LOGIN, platform.login(**changes))):
        assert _refused(response) in {"unknown", "unproven"}


@pytest.mark.usefixtures("survey")
def test_a_login_leads_to_its_platform_only(client: Client, platform: Platform) -> None:
    more = {"redirect_uri": "https://other.example/", "next": "https://other.example/", "state": "x", "nonce": "y"}
    location = client.get(f"{LOGIN}?{urlencode(platform.login() | more)}")["Location"]
    assert location.startswith(f"{platform.address}/login?")
    assert "other.example" not in location
    assert not re.search(r"[?&](state=x|nonce=y)(&|$)", location)


def test_an_address_of_a_browser_cannot_lead_the_platform_elsewhere(
    client: Client, platform: Platform, survey: Survey, settings: Settings
) -> None:
    settings.ALLOWED_HOSTS, settings.SITE_ADDRESS = ["*"], HERE
    location = client.get(LOGIN, platform.login(), headers={"Host": "other.example"})["Location"]
    assert "other.example" not in location


# Answers of a platform.


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"nothing", b'{"keys": 7}', b'{"keys": [7]}', b"[" * 100_000, b"x" * 300_000]
)
def test_whatever_a_platform_answers_a_launch_is_only_refused(
    client: Client, platform: Platform, survey: Survey, body: bytes
) -> None:
    platform.body = body
    assert _refused(launch(client, platform, **_custom(survey))) in {"away", "unproven"}


def test_a_slow_platform_is_given_up(
    client: Client, platform: Platform, survey: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(servers, "_SECONDS_FOR_ALL", 0)
    assert _refused(launch(client, platform, **_custom(survey))) == "away"


def test_no_redirect_is_followed_for_keys(client: Client, platform: Platform, survey: Survey) -> None:
    platform.status = 302
    assert _refused(launch(client, platform, **_custom(survey))) == "away"
    assert platform.asked == ["/keys"]


# Who may send what from other sites.


_OTHER_SITE = {"Origin": "https://moodle.example.org", "Sec-Fetch-Site": "cross-site"}


@pytest.mark.usefixtures("survey")
def test_from_another_site_come_a_login_and_a_launch_and_nothing_else(platform: Platform, survey: Survey) -> None:
    browser = Client(enforce_csrf_checks=True, headers=_OTHER_SITE)
    begun = browser.post(LOGIN, platform.login())
    assert begun.status_code == 302
    address = browser.post(LAUNCH, platform.message(begun["Location"], **_custom(survey)))["Location"]
    receipt = make_receipt(survey)
    for post in (address, "/lti/deep-link/", "/lti/login", "/lti/launch/x", "/LTI/LAUNCH/", "/lti/keys/"):
        assert browser.post(post, {"receipt": receipt}).status_code == 403, post
    for method in ("put", "patch", "delete"):
        assert getattr(browser, method)(LAUNCH).status_code == 403
    assert not WaitingScore.objects.exists()
    ours = {"Origin": HERE, "Sec-Fetch-Site": "same-origin"}
    assert browser.post(address, {"receipt": receipt}, headers=ours).status_code == 302


def test_a_form_of_another_site_would_redeem_if_it_was_let_in(
    platform: Platform, survey: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = f"/lti/redeem/{survey.code}/"
    monkeypatch.setattr(middleware, "_OF_PLATFORMS", {LOGIN, LAUNCH, address})
    browser = Client(enforce_csrf_checks=True, headers=_OTHER_SITE)
    begun = browser.post(LOGIN, platform.login())["Location"]
    browser.post(LAUNCH, platform.message(begun, **_custom(survey)))
    assert browser.post(address, {"receipt": make_receipt(survey)}).status_code == 302
    assert WaitingScore.objects.count() == 1


def test_a_cookie_of_an_instructor_redeems_nothing_and_that_of_a_student_links_nothing(
    client: Client, platform: Platform, survey: Survey
) -> None:
    launch(client, platform, **_custom(survey))
    assert client.get("/lti/deep-link/").status_code == 400
    assert launch(client, platform, **deep_linking(platform))["Location"] == "/lti/deep-link/"
    assert client.get(f"/lti/redeem/{survey.code}/").status_code == 403


def test_what_was_used_is_remembered_for_as_long_as_it_holds(clock: Clock) -> None:
    for seconds in (600, 900, 3600):
        name = str(seconds)
        assert sign_in.is_first(what="test", name=name, seconds=seconds)
        for _ in range(seconds // 300):
            clock.advance(minutes=4.9)
            sign_in.count_try(what="sign-in", name=str(clock.now), limit=3)
            assert not sign_in.is_first(what="test", name=name, seconds=seconds)
        assert sign_in.is_first(what="other", name=name, seconds=seconds)
