"""Signing in: who gets in, where they get to, and that nothing of an earlier session comes along."""

import pytest
from django.test import Client
from django.urls import reverse

from surveys.models import SignIn
from tests.accounts.conftest import Clock
from tests.accounts.people import ACCOUNT, CODE, SIGN_IN, code_of, is_signed_in, person, sign_in, with_second_factor
from tests.factories import PASSWORD, make_admin
from tests.pages import text_of

pytestmark = pytest.mark.django_db


def test_the_right_password_signs_in_and_leads_where_one_wanted_to_go(client: Client) -> None:
    person()
    assert client.get(ACCOUNT)["Location"] == f"{SIGN_IN}?next={ACCOUNT}"
    response = sign_in(client, address=ACCOUNT)
    assert (response.status_code, response["Location"]) == (302, ACCOUNT)
    assert is_signed_in(client)


@pytest.mark.parametrize(
    "address",
    ["https://evil.example/", "//evil.example/", "/\\evil.example", "javascript:alert(1)", "///evil.example", SIGN_IN],
)
@pytest.mark.parametrize("second_factor", [False, True])
def test_nobody_is_sent_to_another_site_or_round_in_a_circle(client: Client, address: str, second_factor: bool) -> None:
    user = with_second_factor()[0] if second_factor else person()
    response = sign_in(client, address=address)
    if second_factor:
        response = client.post(CODE, {"code": code_of(user)})
    assert (response.status_code, response["Location"]) == (302, reverse("survey-list"))


@pytest.mark.parametrize("address", ["x", "?x", "survey-list", "surveys.answering.views.doors.landing"])
@pytest.mark.parametrize("second_factor", [False, True])
def test_a_next_page_that_is_a_mere_word_leads_there_and_breaks_nothing(
    client: Client, address: str, second_factor: bool
) -> None:
    user = with_second_factor(is_staff=True)[0] if second_factor else person(is_staff=True)
    signed_in = sign_in(client, address=address)
    if second_factor:
        signed_in = client.post(CODE, {"code": code_of(user)})
    for response in (signed_in, client.get("/admin/login/", {"next": address})):
        assert (response.status_code, response["Location"]) == (302, address)


def test_the_session_of_before_is_not_the_session_of_after(client: Client) -> None:
    """Nobody who planted a session's key, or something in the session, has a part of what follows."""
    person()
    planted = client.session
    planted["planted"] = "by somebody else"
    planted.save()
    client.cookies["sessionid"] = planted.session_key
    before = client.cookies["sessionid"].value
    sign_in(client)
    assert client.cookies["sessionid"].value != before
    assert "planted" not in client.session
    stranger = Client()
    stranger.cookies["sessionid"] = before
    assert not is_signed_in(stranger)


def test_with_a_second_factor_each_step_has_a_session_of_its_own(client: Client) -> None:
    user, _ = with_second_factor()
    planted = client.session
    planted["planted"] = "by somebody else"
    planted.save()
    client.cookies["sessionid"] = planted.session_key
    assert sign_in(client, address=ACCOUNT)["Location"] == CODE
    half_way = client.cookies["sessionid"].value
    assert half_way != planted.session_key
    assert "planted" not in client.session
    assert not is_signed_in(client)
    assert SignIn.objects.get().user is None
    response = client.post(CODE, {"code": code_of(user)})
    assert (response.status_code, response["Location"]) == (302, ACCOUNT)
    assert client.cookies["sessionid"].value != half_way
    assert is_signed_in(client)
    # Nothing is left of the way there, and the session lasts as long as any other.
    assert "half_way" not in client.session
    assert client.session.get_expiry_age() == 8 * 3600


def test_a_key_that_a_visitor_brings_is_never_taken_over(client: Client) -> None:
    person()
    client.cookies["sessionid"] = "abcdefghijklmnopqrstuvwxyz012345"
    sign_in(client)
    assert client.cookies["sessionid"].value != "abcdefghijklmnopqrstuvwxyz012345"


def test_the_code_is_asked_for_during_ten_minutes(client: Client, clock: Clock) -> None:
    user, _ = with_second_factor()
    sign_in(client)
    clock.advance(minutes=9.9)
    assert client.get(CODE).status_code == 200
    clock.advance(minutes=0.2)
    assert client.post(CODE, {"code": code_of(user)})["Location"] == SIGN_IN
    assert not is_signed_in(client)


@pytest.mark.parametrize("what", ["another password", "switched off", "no second factor"])
def test_what_changes_between_the_steps_counts(client: Client, what: str) -> None:
    user, _ = with_second_factor()
    sign_in(client)
    code = code_of(user)
    if what == "another password":
        user.set_password("another long password")
    elif what == "switched off":
        user.is_active = False
    else:
        user.totpdevice_set.all().delete()
    user.save()
    assert client.post(CODE, {"code": code})["Location"] == SIGN_IN
    assert not is_signed_in(client)


def test_without_a_password_there_is_no_second_step(client: Client) -> None:
    with_second_factor()
    for response in (client.get(CODE), client.post(CODE, {"code": "123456"})):
        assert (response.status_code, response["Location"]) == (302, SIGN_IN)


def test_a_session_that_has_not_shown_the_second_factor_ends_at_any_page(client: Client) -> None:
    """However it came about: by a shell, or a way in that somebody adds one day."""
    user, _ = with_second_factor(is_staff=True, is_superuser=True)
    for address in ("/admin/", ACCOUNT, "/"):
        client.force_login(user)
        assert client.get(address).status_code in {200, 302}
        assert SignIn.objects.filter(user=user).count() == 0, address


def test_the_admin_site_uses_this_page_and_asks_for_the_code(client: Client) -> None:
    user, _ = with_second_factor(is_staff=True, is_superuser=True)
    way_in = client.get("/admin/surveys/release/", follow=True)
    assert way_in.redirect_chain[-1][0] == f"{SIGN_IN}?next=/admin/surveys/release/"
    posted = client.post("/admin/login/", {"username": "ada", "password": PASSWORD, "this_is_the_login_form": "1"})
    assert posted["Location"].startswith(SIGN_IN)
    sign_in(client, address="/admin/")
    assert client.get("/admin/").status_code == 302
    assert client.post(CODE, {"code": code_of(user)})["Location"] == "/admin/"
    assert client.get("/admin/").status_code == 200
    assert client.get("/admin/login/?next=//evil.example/")["Location"] == "/admin/"
    assert client.get("/admin/password_change/")["Location"] == reverse("password-change")


def test_who_is_no_staff_is_refused_and_not_sent_in_a_circle(client: Client) -> None:
    client.force_login(person())
    response = client.get("/admin/", follow=True)
    assert (response.status_code, len(response.redirect_chain)) == (403, 1)
    assert "<bdi>ada</bdi>" in text_of(response)


def test_staff_set_up_a_second_factor_first_where_that_is_demanded(client: Client, settings: object) -> None:
    admin = make_admin()
    client.force_login(admin)
    assert client.get("/admin/").status_code == 200
    settings.STAFF_SECOND_FACTOR = True  # type: ignore[attr-defined]
    for address in ("/admin/", "/surveys/", "/admin/surveys/release/"):
        assert client.get(address)["Location"] == reverse("two-factor")
    for address in ("/account/two-factor/", "/account/", "/password/change/", "/", "/s/NOSUCH/"):
        assert client.get(address).status_code in {200, 404}, address
    client.force_login(person())
    assert client.get("/surveys/new/").status_code == 200
