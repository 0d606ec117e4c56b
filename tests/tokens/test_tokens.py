"""Access tokens: what they open is what their maker could download, for one survey, until they end."""

import datetime as dt
import json
import logging
import re
from http.cookies import SimpleCookie
from io import BytesIO
from zipfile import ZipFile

import pytest
from django.conf import LazySettings
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from surveys.accounts.services.credentials import set_password
from surveys.accounts.services.sign_in import TRIES_A_WINDOW
from surveys.common.views import PROBLEM
from surveys.course.services import purge_survey
from surveys.models import AccessToken, Membership, Role, Survey, WaitingMail
from surveys.people.services import change_roles, leave, remove_person, transfer_survey
from surveys.tokens.services import MOST_TOKENS, forget_ended_tokens, make_token
from tests.factories import make_admin, make_open, make_user, send, settle
from tests.pages import client_of, owner_of
from tests.security.addresses.dump import changed, dump
from tests.security.addresses.setting import Setting
from tests.security.test_addresses import ROWS
from tests.tokens.programs import READ, closed_survey, read, token_of

pytestmark = pytest.mark.django_db

WRONG = f"deniable_{'0' * 64}"
WITHOUT_TOKEN = 'Bearer realm="Deniable"'
WITH_WRONG_TOKEN = f'{WITHOUT_TOKEN}, error="invalid_token"'


@pytest.fixture(autouse=True)
def _one_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither a day nor a window of tries ends while a test runs."""
    now = timezone.now()
    monkeypatch.setattr(timezone, "now", lambda: now)


@pytest.fixture
def survey() -> Survey:
    return closed_survey(owner=make_user("olga", email="olga@example.org"))


@pytest.fixture
def token(survey: Survey) -> str:
    return token_of(survey)


def _analyst(survey: Survey, username: str = "ada") -> User:
    ada = make_user(username)
    Membership.objects.create(survey=survey, user=ada, role=Role.ANALYST)
    return ada


def _is_problem(response: HttpResponse, status: int) -> bool:
    described = json.loads(response.content)
    return (response.status_code, response["Content-Type"], described["status"]) == (status, PROBLEM, status)


def _body(response: HttpResponse) -> bytes:
    return b"".join(response) if response.streaming else response.content  # type: ignore[attr-defined]


def _lines(response: HttpResponse) -> list[bytes]:
    """Return all lines of a file, or of the files in it, sorted: rows come in an order of their own each time."""
    body = _body(response)
    if response["Content-Type"] != "application/zip":
        return sorted(body.splitlines())
    with ZipFile(BytesIO(body)) as files:
        return sorted(line for name in files.namelist() for line in files.read(name).splitlines())


# What a token opens.


@pytest.mark.parametrize("address", READ)
def test_a_program_reads_what_the_owner_downloads(survey: Survey, token: str, address: str) -> None:
    answered = read(survey, token, address)
    downloaded = owner_of(survey).get(reverse(address, args=[survey.code]))
    assert answered.status_code == downloaded.status_code == 200
    assert answered["Content-Type"] == downloaded["Content-Type"]
    assert _lines(answered) == _lines(downloaded)
    assert {"no-store", "private"} <= set(answered["Cache-Control"].split(", "))
    for response in (answered, downloaded):
        assert "Authorization" in response["Vary"].split(", ")
    assert not answered.cookies


def test_nothing_else_takes_notice_of_a_token(survey: Survey, token: str) -> None:
    """Every address of a survey with a right, and the pages of people, answer a token as they answer a stranger."""
    setting, opened = Setting(), set()
    for row in ROWS:
        if row.get is None or row.to == "everybody" or row.state != "draft":
            continue
        address = row.address(setting, survey)
        with_token = Client().get(address, headers={"Authorization": f"Bearer {token}"})
        without = Client().get(address)
        if row.name.rpartition(" ")[2] in READ:
            opened.add(row.name)
        elif (with_token.status_code, with_token.get("Location")) != (without.status_code, without.get("Location")):
            pytest.fail(f"{row.name}: {with_token.status_code} with a token, {without.status_code} without")
        else:
            assert without.status_code == 302
    assert opened == {"survey-document"}  # exports stand in the table with closed surveys


@pytest.mark.parametrize(
    "name", ["survey-results", "survey-export", "survey-export-codebook", "survey-ethics", "survey-tokens"]
)
def test_no_page_is_opened(survey: Survey, token: str, name: str) -> None:
    assert read(survey, token, name).status_code == 302


def test_a_token_can_be_sent_with_get_and_head_only_whatever_else_is_asked(survey: Survey, token: str) -> None:
    client = Client(enforce_csrf_checks=True)
    address = reverse("survey-export-csv", args=[survey.code])
    before = dump()
    for path in (
        address,
        reverse("survey-tokens", args=[survey.code]),
        reverse("answer", args=[survey.code]),
        "/language/",
    ):
        for method in ("POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "QUERY"):
            response = client.generic(method, path, headers={"Authorization": f"Bearer {token}", "Origin": "null"})
            assert (response.status_code, response["Allow"], response["Content-Type"]) == (405, "GET, HEAD", PROBLEM)
    assert changed(before, dump()) == []
    head = client.head(address, headers={"Authorization": f"Bearer {token}"})
    assert (head.status_code, _body(head)) == (200, b"")


def test_a_stranger_without_a_token_is_asked_for_one_or_sent_to_sign_in(survey: Survey) -> None:
    address = reverse("survey-export-csv", args=[survey.code])
    refused = Client().get(address)
    assert _is_problem(refused, 401)
    assert refused["WWW-Authenticate"] == WITHOUT_TOKEN
    browser = Client().get(address, headers={"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"})
    assert (browser.status_code, browser["Location"]) == (302, f"/sign-in/?next={address}")
    # The same for a code of nobody.
    assert Client().get(reverse("survey-export-csv", args=["NBDYXX"])).content == refused.content


# What does not open anything.


@pytest.mark.parametrize(
    "shown",
    [
        "",
        WRONG,
        "deniable_",
        "deniable_" + "A" * 64,
        "deniable_" + "٠" * 64,
        "x" * 100_000,
        "a b",
        "'; DROP TABLE surveys_accesstoken; --",
    ],
    ids=["nothing", "wrong", "short", "capitals", "digits of another script", "huge", "two words", "a statement"],
)
def test_a_wrong_token_opens_nothing(survey: Survey, token: str, shown: str) -> None:
    refused = read(survey, shown.encode().decode("latin-1"))
    assert _is_problem(refused, 401)
    assert refused["WWW-Authenticate"] == WITH_WRONG_TOKEN
    assert "no-store" in refused["Cache-Control"]


@pytest.mark.parametrize("scheme", ["Basic", "Token", "Digest", "bearer-like"])
def test_another_scheme_is_no_token(survey: Survey, token: str, scheme: str) -> None:
    refused = read(survey, token, scheme=scheme)
    assert (refused.status_code, refused["WWW-Authenticate"]) == (401, WITHOUT_TOKEN)
    # A proxy's own password does not keep the owner out.
    assert read(survey, token, scheme=scheme, client=owner_of(survey)).status_code == 200
    assert read(survey, token, scheme="bEARER").status_code == 200


def test_two_tokens_at_once_are_none(survey: Survey, token: str) -> None:
    assert read(survey, f"{token}, Bearer {token}").status_code == 401
    assert read(survey, f"{token} {token}").status_code == 401


@pytest.mark.parametrize("name", ["access_token", "token", "authorization"])
def test_a_token_in_the_address_is_none(survey: Survey, token: str, name: str) -> None:
    address = reverse("survey-export-figures-csv", args=[survey.code])
    assert Client().get(address, {name: token}).status_code == 401
    assert read(survey, WRONG, query=f"?{name}={token}").status_code == 401


def test_of_another_survey_it_says_what_it_says_of_none(survey: Survey, token: str) -> None:
    other = closed_survey(owner=survey.owner, title="Another of the same owner")
    rehearsal = make_open(owner=survey.owner, rehearsal_of=survey, code="REHEAR")
    seen = []
    for code in (other.code, rehearsal.code, make_open().code, "NBDYXX", "0", "ß"):
        response = read(code, token)
        # Which names the second in which it was sent.
        del response.headers["Expires"]
        seen.append((response.status_code, response.content, sorted(response.headers.items())))
    assert seen[0][0] == 404
    assert [each for each in seen if each != seen[0]] == []
    assert read(survey.code.lower(), token).status_code == 200


def test_who_is_signed_in_beside_it_does_not_matter(survey: Survey, token: str) -> None:
    """Neither helps a wrong token nor harms a right one; nothing of the session is read or written."""
    stranger = client_of(make_user("stranger"))
    staff = client_of(make_admin("staff"))
    assert read(survey, token, client=stranger).content == read(survey, token).content
    assert read(survey, token, client=staff).status_code == 200
    for client in (owner_of(survey), stranger):
        before = dict(client.session.items())
        refused = read(survey, WRONG, client=client)
        assert _is_problem(refused, 401)
        assert not refused.cookies
        assert dict(client.session.items()) == before
    page = owner_of(survey).get(
        reverse("survey-results", args=[survey.code]), headers={"Authorization": f"Bearer {token}"}
    )
    assert page.status_code == 302


def test_an_account_whose_cookie_is_made_up_is_nobody(survey: Survey, token: str) -> None:
    client = Client()
    client.cookies = SimpleCookie({"sessionid": "made-up", "csrftoken": "made-up", "language": "de"})
    assert read(survey, token, client=client).content == read(survey, token).content


# How tokens end.


def _ends(survey: Survey, token: str) -> bool:
    return read(survey, token).status_code == 401


def test_a_revoked_token_opens_nothing(survey: Survey, token: str) -> None:
    other, stays = closed_survey(owner=survey.owner), token_of(survey, "stays")
    made = AccessToken.objects.get(label="report")
    client = owner_of(survey)
    client.post(reverse("survey-tokens", args=[other.code]), {"revoke": made.pk})
    assert not _ends(survey, token)
    for key in ("", "x", "\0", "9" * 30, str(made.pk)):
        assert client.post(reverse("survey-tokens", args=[survey.code]), {"revoke": key}).status_code == 302
    assert _ends(survey, token)
    assert not _ends(survey, stays)


def test_a_token_is_valid_to_the_end_of_its_last_day(survey: Survey, monkeypatch: pytest.MonkeyPatch) -> None:
    token, made = token_of(survey), timezone.localdate()
    for days, ended in ((30, False), (31, True)):
        monkeypatch.setattr(timezone, "localdate", lambda days=days: made + dt.timedelta(days=days))
        assert _ends(survey, token) is ended


@pytest.mark.parametrize("lose", ["change", "remove", "leave"])
def test_a_token_ends_with_the_role_and_stays_ended_when_the_role_comes_back(survey: Survey, lose: str) -> None:
    ada = _analyst(survey)
    Membership.objects.create(survey=survey, user=ada, role=Role.EDITOR)
    token = make_token(survey=survey, maker=ada, label="ada", days=30)
    change_roles(survey=survey, by=survey.owner, person=ada, roles=[Role.ANALYST])
    assert not _ends(survey, token)
    if lose == "change":
        change_roles(survey=survey, by=survey.owner, person=ada, roles=[Role.EDITOR])
    elif lose == "remove":
        remove_person(survey=survey, by=survey.owner, person=ada)
    else:
        leave(survey=survey, user=ada)
    Membership.objects.create(survey=survey, user=ada, role=Role.ANALYST)
    assert _ends(survey, token)


@pytest.mark.parametrize("stays", [True, False])
def test_the_owners_tokens_end_with_the_ownership_and_do_not_come_back_with_it(
    survey: Survey, token: str, stays: bool
) -> None:
    owner, ada = survey.owner, _analyst(survey)
    hers = make_token(survey=survey, maker=ada, label="hers", days=30)
    transfer_survey(survey=survey, to=ada, stays=stays)
    transfer_survey(survey=survey, to=owner)
    assert _ends(survey, token)
    assert _ends(survey, hers)


def test_who_lost_the_role_meanwhile_makes_no_token(survey: Survey) -> None:
    for lost in (make_user("nobody"), _analyst(survey)):
        survey.memberships.all().delete()
        with pytest.raises(Exception, match="Only people who can see the results"):
            make_token(survey=survey, maker=lost, label="late", days=30)


def test_a_token_ends_when_its_maker_is_deactivated_in_the_admin(survey: Survey, token: str) -> None:
    client, owner = Client(), survey.owner
    client.force_login(make_admin())
    fields = {"username": owner.username, "date_joined_0": "2026-01-01", "date_joined_1": "12:00:00"}
    client.post(f"/admin/auth/user/{owner.pk}/change/", fields)
    User.objects.filter(pk=owner.pk).update(is_active=True)
    assert _ends(survey, token)


def test_while_its_maker_is_deactivated_otherwise_it_opens_nothing_and_the_night_ends_it(
    survey: Survey, token: str
) -> None:
    User.objects.filter(pk=survey.owner_id).update(is_active=False)
    assert _ends(survey, token)
    forget_ended_tokens(today=timezone.localdate())
    User.objects.filter(pk=survey.owner_id).update(is_active=True)
    assert _ends(survey, token)


@pytest.mark.parametrize("by", ["its maker", "an admin"])
def test_another_password_ends_the_tokens_of_the_account(survey: Survey, token: str, by: str) -> None:
    stays = make_token(survey=survey, maker=_analyst(survey), label="hers", days=30)
    if by == "its maker":
        set_password(user=survey.owner, password="seven purple elephants")
    else:
        client, typed = Client(), "seven purple elephants"
        client.force_login(make_admin())
        fields = {"password1": typed, "password2": typed, "usable_password": "true"}
        assert client.post(f"/admin/auth/user/{survey.owner_id}/password/", fields).status_code == 302
    assert _ends(survey, token)
    assert not _ends(survey, stays)


def test_purging_ends_all_tokens(survey: Survey, token: str) -> None:
    purge_survey(survey=survey)
    assert _ends(survey, token)
    assert not AccessToken.objects.exists()
    with pytest.raises(Exception, match="already been deleted"):
        token_of(survey)


# What is refused, and when.


def test_the_rule_of_small_numbers_is_that_of_pages(token: str) -> None:
    survey = make_open(minimum_n=5)
    token, owner = token_of(survey), owner_of(survey)
    seen = []
    for answers in range(0, 24, 3):
        for _ in range(3 if answers else 0):
            send(survey, "1")
        settle(survey)
        seen.append(read(survey, token).status_code)
        # Forty looks through a token show what forty looks at the page show.
        for name in ("survey-export-figures-csv", "survey-export-csv"):
            answered, downloaded = read(survey, token, name), owner.get(reverse(name, args=[survey.code]))
            assert answered.status_code == downloaded.status_code
            if answered.status_code == 200:
                assert _body(answered) == _body(downloaded)
            else:
                assert _is_problem(answered, 409)
                assert json.loads(answered.content)["detail"] == downloaded.content.decode().strip()
    assert set(seen) == {200, 409}


def test_wrong_tokens_are_throttled_and_right_ones_are_not(survey: Survey, token: str) -> None:
    # For codes of nobody alike.
    for code in (survey.code, "NBDYXX"):
        assert {read(code, WRONG).status_code for _ in range(TRIES_A_WINDOW)} == {401}
        refused = read(code.lower(), f"deniable_{'1' * 64}")
        assert _is_problem(refused, 429)
        assert 0 < int(refused["Retry-After"]) <= 15 * 60
    assert read(survey, token).status_code == 200
    assert read(closed_survey(), WRONG).status_code == 401


def test_a_failure_of_ours_is_said_in_json_too(
    survey: Survey, token: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.delattr("surveys.exporting.views.figures_csv")
    failed = read(survey, token, client=Client(raise_request_exception=False))
    assert _is_problem(failed, 500)
    assert json.loads(failed.content)["detail"] == f"Reference: {failed['X-Request-Id']}"
    assert token not in caplog.text


# What is stored.


def test_the_token_is_stored_nowhere_and_its_use_by_day(
    survey: Survey, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    client = owner_of(survey)
    page = client.post(reverse("survey-tokens", args=[survey.code]), {"label": "report", "days": "90"})
    (token,) = set(re.findall(r"deniable_[0-9a-f]{64}", page.content.decode()))
    assert "no-store" in page["Cache-Control"]
    with caplog.at_level(logging.DEBUG):
        assert read(survey, token).status_code == 200
        assert read("NBDYXX", token).status_code == 404
        assert read(survey, token[:-1] + "x").status_code == 401
    assert token not in str(dump())
    assert token[-20:-1] not in "".join([*capfd.readouterr(), caplog.text, *map(str, client.session.values())])
    told = WaitingMail.objects.get()
    assert (told.kind, told.to, told.context) == (
        "token_made",
        "olga@example.org",
        {"username": "olga", "code": survey.code},
    )
    made = AccessToken.objects.get()
    today = timezone.localdate()
    assert (made.made_on, made.expires_on, made.last_used_on) == (today, today + dt.timedelta(days=90), today)
    assert "deniable_" not in client.get(reverse("survey-tokens", args=[survey.code])).content.decode()


def test_another_key_in_use_leaves_tokens_valid_while_the_earlier_one_is_kept(
    survey: Survey, token: str, settings: LazySettings
) -> None:
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "another" * 8, [settings.SECRET_KEY]
    assert read(survey, token).status_code == 200
    settings.SECRET_KEY_FALLBACKS = []
    assert read(survey, token).status_code == 401


# The page.


def test_everybody_who_may_see_results_sees_and_ends_all_tokens(survey: Survey, token: str) -> None:
    address, client = reverse("survey-tokens", args=[survey.code]), Client()
    client.force_login(_analyst(survey))
    page = client.get(address)
    assert [(each.label, each.maker.username) for each in page.context["tokens"]] == [("report", "olga")]
    client.post(address, {"revoke": AccessToken.objects.get().pk})
    assert not AccessToken.objects.exists()


def test_a_name_is_taken_once_and_a_survey_has_so_many(survey: Survey, token: str) -> None:
    address, client = reverse("survey-tokens", args=[survey.code]), owner_of(survey)
    for fields, field in [
        ({"label": "report", "days": "30"}, "label"),
        ({"label": "", "days": "30"}, "label"),
        ({"label": "a\u202eb", "days": "30"}, "label"),
        ({"label": "x" * 61, "days": "30"}, "label"),
        ({"label": "new", "days": "366"}, "days"),
        ({"label": "new"}, "days"),
    ]:
        refused = client.post(address, fields)
        assert (refused.status_code, list(refused.context["form"].errors)) == (422, [field])
    for number in range(MOST_TOKENS - 1):
        token_of(survey, f"number {number}")
    assert client.post(address, {"label": "one more", "days": "30"}).status_code == 422
    assert not client.get(address).context["may_make"]
    AccessToken.objects.filter(label="report").update(expires_on=timezone.localdate() - dt.timedelta(days=1))
    assert client.post(address, {"label": "report", "days": "30"}).status_code == 200
    assert AccessToken.objects.count() == MOST_TOKENS
