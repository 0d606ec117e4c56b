"""Passwords: reset by a mail that only its owner reads, changed by who knows the old one; both end other sign-ins."""

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.http.response import HttpResponseBase
from django.test import Client, override_settings
from pytest_django import DjangoCaptureOnCommitCallbacks

from surveys.accounts.services import mails
from surveys.models import SignIn
from tests.accounts.conftest import Clock
from tests.accounts.people import (
    ACCOUNT,
    CODE,
    blamed,
    code_of,
    is_signed_in,
    link_in_mail,
    person,
    plain,
    sign_in,
    subject_of,
    with_second_factor,
    wrong_code,
)
from tests.factories import PASSWORD
from tests.pages import text_of

pytestmark = pytest.mark.django_db

RESET, SENT, CHANGE = "/password/reset/", "/password/reset/sent/", "/password/change/"
NEW_PASSWORD = "seven purple elephants sing"
TWICE = {"new_password1": NEW_PASSWORD, "new_password2": NEW_PASSWORD}


def _ask(email: str = "ada@example.org", **headers: str) -> str:
    Client().post(RESET, {"email": email}, **headers)  # type: ignore[arg-type]
    return link_in_mail()


def _set(client: Client, link: str, **changes: str) -> HttpResponseBase:
    """Open the link as a browser does, and choose a password."""
    opened = client.get(link, follow=True)
    if not opened.redirect_chain:
        return opened
    return client.post(opened.redirect_chain[-1][0], TWICE | changes)


def _is_set() -> bool:
    return User.objects.get(username="ada").check_password(NEW_PASSWORD)


def test_the_owner_of_the_address_sets_another_password() -> None:
    person()
    client = Client()
    _set(client, _ask())
    assert not is_signed_in(client)
    sign_in(client, password=NEW_PASSWORD)
    assert is_signed_in(client)
    sign_in(other := Client())
    assert not is_signed_in(other)


def test_a_visitor_reads_the_same_for_every_address() -> None:
    person("ada")
    person("bob", is_active=False)
    person("eve").set_unusable_password()
    User.objects.filter(username="eve").update(password="!")
    pages = set()
    for email in ("ada@example.org", "bob@example.org", "eve@example.org", "nobody@example.org"):
        response = Client().post(RESET, {"email": email}, follow=True)
        pages.add((str(response.redirect_chain), plain(response)))
    assert len(pages) == 1
    # Only who has a password to reset is sent a link.
    assert [message.to for message in mail.outbox] == [["ada@example.org"]]


def test_an_address_that_only_looks_alike_gets_no_link() -> None:
    User.objects.filter(pk=person("ada").pk).update(email="mike@example.org")
    Client().post(RESET, {"email": "mıke@example.org"})
    assert mail.outbox == []


def test_two_accounts_with_one_address_get_a_mail_each() -> None:
    for username in ("ada", "bob"):
        User.objects.filter(pk=person(username).pk).update(email="Both@example.org")
    Client().post(RESET, {"email": "both@example.org"})
    # The link is cut away: its random token may hold any three hexadecimal digits, "ada" too.
    bodies = [str(message.body).split("http")[0] for message in mail.outbox]
    assert [("ada" in body, "bob" in body) for body in sorted(bodies)] == [(True, False), (False, True)]


@pytest.mark.parametrize("address", ["ada@example.org", "ADA@Example.org"])
def test_no_sign_up_in_the_owners_name_keeps_the_link_from_them(settings: object, address: str) -> None:
    settings.SIGN_UP = "open"  # type: ignore[attr-defined]
    person()
    for _ in range(10):
        Client().post("/sign-up/", {"email": address})
    _set(Client(), _ask())
    assert _is_set()


def test_a_stranger_who_never_stops_asking_leaves_the_owner_a_good_link_at_any_time(clock: Clock) -> None:
    person()
    clock.now = clock.now.replace(minute=0, second=0)
    for _quarter in range(10):
        for _ in range(10):
            Client().post(RESET, {"email": "ada@example.org"})
        clock.advance(minutes=14)
        # The owner's own request is one too many: what the stranger asked for came to them, and is good.
        assert Client().get(_ask()).status_code == 302
        clock.advance(minutes=1)
    assert len(mail.outbox) == 3 * 10
    _set(Client(), link_in_mail())
    assert _is_set()


def test_a_link_that_there_was_no_room_for_is_not_counted(monkeypatch: pytest.MonkeyPatch, clock: Clock) -> None:
    person()
    with monkeypatch.context() as full:
        full.setattr(mails, "MOST_WAITING", 0)
        for _ in range(5):
            Client().post(RESET, {"email": "ada@example.org"})
    assert mail.outbox == []
    _set(Client(), _ask())
    assert _is_set()


def test_a_link_works_once() -> None:
    person()
    link = _ask()
    _set(Client(), link)
    assert _is_set()
    assert _set(Client(), link).status_code == 410


def test_a_link_is_good_for_an_hour(clock: Clock) -> None:
    person()
    link = _ask()
    clock.advance(minutes=59)
    assert Client().get(link).status_code == 302
    clock.advance(minutes=2)
    assert Client().get(link).status_code == 410


@pytest.mark.parametrize("what", ["signed in", "another password", "another address", "switched off"])
def test_a_link_is_worthless_after_what_happened_since(what: str) -> None:
    user = person()
    link = _ask()
    if what == "signed in":
        sign_in(Client())
    elif what == "another password":
        user.set_password("yet another long one")
        user.save()
    else:
        changes = {"email": "new@example.org"} if what == "another address" else {"is_active": False}
        User.objects.filter(pk=user.pk).update(**changes)
    assert Client().get(link).status_code == 410


@pytest.mark.parametrize(
    "link", ["/password/reset/MQ/x-y/", "/password/reset/x/x/", "/password/reset/%00/set-password/"]
)
def test_a_link_that_nobody_sent_is_refused(link: str) -> None:
    person()
    assert Client().get(link).status_code == 410
    assert Client().post(link, TWICE).status_code == 410


def test_the_page_is_shown_at_an_address_without_the_token(client: Client) -> None:
    person()
    link = _ask()
    response = client.get(link, follow=True)
    assert link.split("/")[-2] not in response.redirect_chain[-1][0]
    assert link.split("/")[-2] not in text_of(response)


def test_a_session_of_an_earlier_day_is_not_in_the_way(client: Client) -> None:
    """A browser may bring a key that has ended: it gets a new one."""
    person()
    client.cookies["sessionid"] = "abcdefghijklmnopqrstuvwxyz012345"
    _set(client, _ask())
    assert _is_set()
    assert client.cookies["sessionid"].value != "abcdefghijklmnopqrstuvwxyz012345"


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"new_password1": ""}, "new_password1"),
        ({"new_password2": "something else"}, "new_password2"),
        ({"new_password1": "short", "new_password2": "short"}, "new_password2"),
    ],
)
def test_a_password_that_cannot_be_is_refused_and_the_link_stays_good(changes: dict[str, str], field: str) -> None:
    person()
    link, client = _ask(), Client()
    refused = _set(client, link, **changes)
    assert (refused.status_code, blamed(refused)) == (422, [field])
    _set(client, link)
    assert _is_set()


def test_a_reset_ends_every_sign_in_and_leaves_the_second_factor_on(clock: Clock) -> None:
    user, _ = with_second_factor()
    client = Client()
    sign_in(client)
    client.post(CODE, {"code": code_of(user)})
    assert is_signed_in(client)
    _set(Client(), _ask())
    assert not is_signed_in(client)
    clock.advance(minutes=1)
    sign_in(client, password=NEW_PASSWORD)
    assert not is_signed_in(client)
    client.post(CODE, {"code": code_of(user)})
    assert is_signed_in(client)


def test_a_reset_lifts_the_throttling_at_once_and_keeps_strangers_from_closing_it_again(clock: Clock) -> None:
    person()
    for _ in range(11):
        sign_in(Client(), password="wrong")
    owner = Client()
    assert sign_in(owner).status_code == 429
    _set(owner, _ask())
    elsewhere = Client()
    sign_in(elsewhere, password=NEW_PASSWORD)
    assert is_signed_in(elsewhere)
    for _ in range(15):
        sign_in(Client(), password="wrong")
    sign_in(owner, password=NEW_PASSWORD)
    assert is_signed_in(owner)


def test_a_reset_lets_one_more_code_be_tried_and_forgets_no_wrong_one(clock: Clock) -> None:
    """The owner gets in at once; whoever reads their mail gets one guess for each reset."""
    user, _ = with_second_factor()
    thief = Client()
    sign_in(thief)
    for _ in range(5):
        thief.post(CODE, {"code": wrong_code(user)})
        clock.advance(minutes=1)
    thief.post(CODE, {"code": wrong_code(user)})
    client = Client()
    _set(client, _ask())
    sign_in(client, password=NEW_PASSWORD)
    client.post(CODE, {"code": wrong_code(user)})
    response = client.post(CODE, {"code": code_of(user)})
    assert (response.status_code, response["Retry-After"]) == (429, "65")


@override_settings(SITE_ADDRESS="https://survey.example.org", ALLOWED_HOSTS=["survey.example.org", "other.example.org"])
def test_no_host_header_gets_into_a_mail() -> None:
    person()
    for host in ("survey.example.org", "survey.example.org:8080", "other.example.org"):
        mail.outbox.clear()
        assert Client().post(RESET, {"email": "ada@example.org"}, HTTP_HOST=host).status_code == 302
        assert "https://survey.example.org/password/reset/" in str(mail.outbox[0].body)
    forwarded = {"HTTP_HOST": "survey.example.org", "HTTP_X_FORWARDED_HOST": "evil.example"}
    assert "evil" not in str(mail.outbox[0].body)
    assert Client().post(RESET, {"email": "x@example.org"}, **forwarded).status_code == 302  # type: ignore[arg-type]
    assert Client().post(RESET, {"email": "ada@example.org"}, HTTP_HOST="evil.example").status_code == 400


def test_a_change_needs_the_old_password_and_ends_the_other_sign_ins(
    client: Client, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    user, other = person(), Client()
    for one in (client, other):
        one.force_login(user)
    before = client.cookies["sessionid"].value
    refused = client.post(CHANGE, TWICE | {"password": "wrong"})
    assert refused.status_code == 422
    assert blamed(refused) == ["password"]
    assert is_signed_in(other)
    with django_capture_on_commit_callbacks(execute=True):
        assert client.post(CHANGE, TWICE | {"password": PASSWORD})["Location"] == ACCOUNT
    assert is_signed_in(client)
    assert client.cookies["sessionid"].value != before
    # The others are gone, not only refused.
    assert SignIn.objects.count() == 1
    assert not is_signed_in(other)
    assert [message.subject for message in mail.outbox] == [subject_of("password_changed")]
    sign_in(other, password=NEW_PASSWORD)
    assert is_signed_in(other)


def test_the_old_password_is_guessed_no_faster_than_at_the_sign_in_page(client: Client, clock: Clock) -> None:
    client.force_login(person())
    for _ in range(10):
        client.post(CHANGE, TWICE | {"password": "wrong"})
    assert blamed(client.post(CHANGE, TWICE | {"password": PASSWORD})) == ["password"]
    assert User.objects.get().check_password(PASSWORD)
