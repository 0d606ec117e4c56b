"""Making an account: by invitation, or by asking where that is allowed; a visitor never learns who has one."""

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.core.exceptions import ValidationError
from django.test import Client

from surveys.accounts.services.sign_up import invite_instructor
from surveys.models import SignUpInvitation
from tests.accounts.conftest import Clock
from tests.accounts.people import blamed, is_signed_in, link_in_mail, person, plain, sign_in, subject_of
from tests.factories import PASSWORD
from tests.pages import client_of, text_of

pytestmark = pytest.mark.django_db

SIGN_UP, SENT = "/sign-up/", "/sign-up/sent/"
NEW = {"username": "grace", "password1": PASSWORD, "password2": PASSWORD}


@pytest.fixture
def _open(settings: object) -> None:
    settings.SIGN_UP = "open"  # type: ignore[attr-defined]


def _invited(email: str = "grace@example.org") -> str:
    invite_instructor(email=email)
    return link_in_mail()


def test_by_invitation_only_the_page_is_closed_and_sends_nothing(client: Client) -> None:
    for response in (client.get(SIGN_UP), client.post(SIGN_UP, {"email": "grace@example.org"})):
        assert response.status_code == 403
    assert mail.outbox == []


def test_an_invited_person_makes_their_account_and_is_signed_in(client: Client) -> None:
    link = _invited()
    assert "<bdi>grace@example.org</bdi>" in text_of(client.get(link))
    client.post(link, NEW)
    assert is_signed_in(client)
    user = User.objects.get()
    assert (user.username, user.email, user.is_staff) == ("grace", "grace@example.org", False)
    assert user.check_password(PASSWORD)


def test_looking_at_a_link_does_not_use_it_and_making_an_account_does() -> None:
    """Some mail programs open links before anybody does."""
    link = _invited()
    for _ in range(3):
        assert Client().get(link).status_code == 200
    Client().post(link, NEW)
    for response in (Client().get(link), Client().post(link, NEW | {"username": "other"})):
        assert response.status_code == 410
    assert User.objects.count() == 1


def test_an_invitation_is_good_for_seven_days(client: Client, clock: Clock) -> None:
    link = _invited()
    clock.advance(days=6.99)
    assert client.get(link).status_code == 200
    clock.advance(days=0.02)
    assert client.get(link).status_code == 410
    assert client.post(link, NEW).status_code == 410
    assert not User.objects.exists()


@pytest.mark.parametrize("token", ["A" * 26, "x", "%00", "é", "A" * 3000])
def test_a_token_that_nobody_sent_is_refused(client: Client, token: str) -> None:
    _invited()
    assert client.get(f"/sign-up/{token}/").status_code == 410
    assert client.post(f"/sign-up/{token}/", NEW).status_code == 410


def test_of_the_token_only_a_keyed_hash_is_stored(settings: object) -> None:
    link = _invited()
    token = link.split("/")[-2]
    (row,) = SignUpInvitation.objects.values_list()
    assert token not in str(row)
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "new", [settings.SECRET_KEY]  # type: ignore[attr-defined]
    assert Client().get(link).status_code == 200
    settings.SECRET_KEY_FALLBACKS = []  # type: ignore[attr-defined]
    assert Client().get(link).status_code == 410


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"username": ""}, "username"),
        ({"username": "ADA"}, "username"),
        ({"username": "two words"}, "username"),
        ({"username": "ada@example.org"}, "username"),
        ({"username": "x" * 151}, "username"),
        ({"password1": "", "password2": ""}, "password1"),
        ({"password2": "something else"}, "password2"),
        ({"password1": "short", "password2": "short"}, "password1"),
        ({"password1": "1q2w3e4r5t6y", "password2": "1q2w3e4r5t6y"}, "password1"),
        ({"password1": "grace@example.org", "password2": "grace@example.org"}, "password1"),
    ],
)
def test_what_is_wrong_is_named_and_the_link_stays_good(client: Client, changes: dict[str, str], field: str) -> None:
    person("ada")
    link = _invited()
    response = client.post(link, NEW | changes)
    assert (response.status_code, blamed(response)[0]) == (422, field)
    assert not User.objects.filter(email="grace@example.org").exists()
    client.post(link, NEW)
    assert is_signed_in(client)


def test_a_link_does_not_try_out_a_list_of_names(client: Client, clock: Clock) -> None:
    person("ada")
    link = _invited()
    refusals = [client.post(link, NEW | {"username": "ada"}).context["problems"][0].message for _ in range(20)]
    assert len(set(refusals)) == 1
    # From now on not even a name that is free is looked at.
    response = client.post(link, NEW)
    assert response.status_code == 422
    assert response.context["problems"][0].message not in refusals
    assert not is_signed_in(client)


def test_a_link_to_somebody_who_got_an_account_otherwise_makes_no_second_one(client: Client) -> None:
    link = _invited()
    person("Grace")
    assert client.post(link, NEW).status_code == 410
    assert User.objects.count() == 1


def test_whoever_is_signed_in_stays_who_they_are() -> None:
    link = _invited()
    client = client_of(person("ada"))
    for response in (client.get(link), client.post(link, NEW)):
        assert (response.status_code, response["Location"]) == (302, "/account/")
    assert client.session["_auth_user_id"] == str(User.objects.get().pk)


@pytest.mark.usefixtures("_open")
def test_where_sign_up_is_open_a_mail_proves_the_address(client: Client, clock: Clock) -> None:
    assert client.post(SIGN_UP, {"email": "grace@example.org"})["Location"] == SENT
    assert not User.objects.exists()
    assert mail.outbox[0].to == ["grace@example.org"]
    link = link_in_mail()
    clock.advance(hours=23.9)
    client.post(link, NEW)
    assert is_signed_in(client)
    # Of what visitors asked for nothing stays.
    assert not SignUpInvitation.objects.exists()


@pytest.mark.usefixtures("_open")
def test_a_link_that_was_asked_for_is_good_for_a_day_and_then_forgotten(client: Client, clock: Clock) -> None:
    client.post(SIGN_UP, {"email": "grace@example.org"})
    clock.advance(hours=24.1)
    assert client.get(link_in_mail()).status_code == 410
    client.post(SIGN_UP, {"email": "other@example.org"})
    assert SignUpInvitation.objects.get().email == "other@example.org"


@pytest.mark.usefixtures("_open")
@pytest.mark.parametrize("written", ["ada@example.org", "Ada@Example.ORG"])
def test_that_an_address_is_taken_its_owner_learns_and_nobody_else(written: str) -> None:
    person("ada")
    pages = {}
    for email in (written, "grace@example.org"):
        client = Client()
        response = client.post(SIGN_UP, {"email": email}, follow=True)
        pages[email] = (response.redirect_chain, plain(response))
    assert pages[written] == pages["grace@example.org"]
    taken, free = mail.outbox
    assert taken.to == [written]
    assert (taken.subject, free.subject) == (subject_of("sign_up_taken"), subject_of("sign_up"))
    assert "/password/reset/" in str(taken.body)
    assert "ada" not in str(taken.body).replace("/password/reset/", "")
    assert "/sign-up/" in str(free.body)


@pytest.mark.usefixtures("_open")
def test_nobody_fills_another_mailbox_with_our_mails(clock: Clock) -> None:
    person("ada")
    for email in ("ada@example.org", "grace@example.org"):
        for _ in range(5):
            assert Client().post(SIGN_UP, {"email": email.upper()})["Location"] == SENT
            assert Client().post("/password/reset/", {"email": email})["Location"] == "/password/reset/sent/"
    # Three of each kind to Ada; to Grace, who has no password to reset, three about signing up.
    assert [message.to[0].lower() for message in mail.outbox] == ["ada@example.org"] * 6 + ["grace@example.org"] * 3


@pytest.mark.usefixtures("_open")
@pytest.mark.parametrize("email", ["", "x", "a@b", "a@example.org\nBcc: b@example.org", "a" * 300 + "@example.org"])
def test_what_is_no_address_is_refused(client: Client, email: str) -> None:
    response = client.post(SIGN_UP, {"email": email})
    assert (response.status_code, blamed(response)) == (422, ["email"])
    assert mail.outbox == []


def test_who_was_invited_twice_has_one_link_and_one_account(client: Client) -> None:
    first, second = _invited(), _invited("Grace@example.org")
    assert client.get(first).status_code == 410
    client.post(second, NEW)
    assert User.objects.count() == 1
    with pytest.raises(ValidationError):
        invite_instructor(email="GRACE@example.org")


def test_signing_in_follows(client: Client) -> None:
    client.post(_invited(), NEW)
    other = Client()
    sign_in(other, "grace")
    assert is_signed_in(other)
