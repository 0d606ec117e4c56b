"""The second factor: a code is good once, guessing gets slower, and weakening it needs the password too."""

import re

import pytest
from django.core import mail
from django.core.exceptions import ValidationError
from django.http.response import HttpResponseBase
from django.test import Client
from django.urls import reverse
from django_otp.plugins.otp_static.models import StaticToken
from django_otp.plugins.otp_totp.models import TOTPDevice
from pytest_django import DjangoCaptureOnCommitCallbacks

from surveys.accounts.services.credentials import code_is_right, new_key, recovery_code_is_right, turn_on
from surveys.models import RecoveryCodes, SignIn
from tests.accounts.conftest import Clock
from tests.accounts.people import (
    ACCOUNT,
    CODE,
    allow_the_next_code,
    app_code,
    blamed,
    code_of,
    is_signed_in,
    person,
    sign_in,
    subject_of,
    with_second_factor,
    wrong_code,
)
from tests.factories import PASSWORD
from tests.pages import text_of

pytestmark = pytest.mark.django_db

SET_UP, OTHER_CODES, OFF = "/account/two-factor/", "/account/two-factor/codes/", "/account/two-factor/off/"


def _set_up(client: Client, **changes: str) -> HttpResponseBase:
    """Set the second factor up as a person does."""
    client.get(SET_UP)
    fields = {"code": app_code(client.session["second_factor_key"]), "password": PASSWORD} | changes
    return client.post(SET_UP, fields)


def test_setting_up_shows_the_secret_twice_and_ten_codes_once(client: Client, clock: Clock) -> None:
    client.force_login(person())
    page = text_of(client.get(SET_UP))
    assert "<svg" in page
    assert "otpauth://totp/Deniable%3Aada?secret=" in page
    secret = re.search(r'class="secret">([A-Z2-7 ]+)<', page)
    assert secret is not None
    assert secret[1].replace(" ", "") in page.split("otpauth://")[1]
    codes = re.findall(r"<li><code>([A-Z2-9]{4}-[A-Z2-9]{4}-[A-Z2-9]{4})</code></li>", text_of(_set_up(client)))
    assert len(set(codes)) == 10
    assert "second_factor_key" not in client.session
    for again in (client.get(SET_UP), client.get(ACCOUNT), client.post(SET_UP, {})):
        assert not any(code in text_of(again) for code in codes)
    assert client.get(ACCOUNT).context["codes_left"] == 10


def test_looking_at_the_page_stores_no_second_factor_and_shows_one_secret(client: Client) -> None:
    client.force_login(person())
    secrets = {re.findall(r"secret=(\w+)", text_of(client.get(SET_UP)))[0] for _ in range(3)}
    assert len(secrets) == 1
    assert not TOTPDevice.objects.exists()


@pytest.mark.parametrize(
    "changes", [{"code": "000000"}, {"code": "abc"}, {"code": "١٢٣٤٥٦"}, {"code": ""}, {"password": "wrong"}]
)
def test_a_wrong_code_or_password_sets_nothing_up(client: Client, clock: Clock, changes: dict[str, str]) -> None:
    client.force_login(person())
    clock.advance(minutes=1)
    assert blamed(_set_up(client, **changes)) == list(changes)
    assert not TOTPDevice.objects.exists()


def test_the_code_that_set_it_up_does_not_sign_in(client: Client, clock: Clock) -> None:
    user = person()
    client.force_login(user)
    _set_up(client)
    thief = Client()
    sign_in(thief)
    thief.post(CODE, {"code": code_of(user)})
    assert not is_signed_in(thief)
    clock.advance(minutes=1)
    thief.post(CODE, {"code": code_of(user)})
    assert is_signed_in(thief)


def test_setting_up_ends_the_other_sign_ins_and_renews_this_one(client: Client, clock: Clock) -> None:
    user, other = person(), Client()
    other.force_login(user)
    client.force_login(user)
    before = client.cookies["sessionid"].value
    _set_up(client)
    # The others are gone, not only refused.
    assert SignIn.objects.count() == 1
    assert is_signed_in(client)
    assert not is_signed_in(other)
    assert client.cookies["sessionid"].value != before


def test_a_second_one_is_not_set_up_beside_the_first(clock: Clock) -> None:
    """Two pages may be open at once."""
    user, keys = person(), [new_key(), new_key()]
    turn_on(user=user, key=keys[0], code=app_code(keys[0]))
    with pytest.raises(ValidationError):
        turn_on(user=user, key=keys[1], code=app_code(keys[1]))
    assert TOTPDevice.objects.get().key == keys[0]


def test_a_code_is_good_once(clock: Clock) -> None:
    user, _ = with_second_factor()
    code = code_of(user)
    first, second = Client(), Client()
    for client in (first, second):
        sign_in(client)
        client.post(CODE, {"code": code})
    assert is_signed_in(first)
    assert not is_signed_in(second)


def test_spaces_in_a_code_do_not_matter(client: Client, clock: Clock) -> None:
    user, _ = with_second_factor()
    sign_in(client)
    code = code_of(user)
    client.post(CODE, {"code": f" {code[:3]} {code[3:]} "})
    assert is_signed_in(client)


@pytest.mark.parametrize("steps", [-1, 1])
def test_a_clock_half_a_minute_wrong_does_no_harm_but_a_minute_does(client: Client, clock: Clock, steps: int) -> None:
    user, _ = with_second_factor()
    sign_in(client)
    client.post(CODE, {"code": code_of(user, 2 * steps)})
    assert not is_signed_in(client)
    allow_the_next_code(user)
    client.post(CODE, {"code": code_of(user, steps)})
    assert is_signed_in(client)


@pytest.mark.parametrize("direction", [-1, 1])
def test_no_row_of_accepted_codes_moves_the_window(clock: Clock, direction: int) -> None:
    """Whoever could walk it would use codes of an hour ago, or have codes read off a phone for an hour ahead."""
    user, _ = with_second_factor()
    device = TOTPDevice.objects.get()
    for steps in range(1, 6):
        code = app_code(device.key, direction * steps)
        allow_the_next_code(user)
        assert code_is_right(user=user, code=code) is (steps == 1)
        # Backwards a later step is no used one only when time has gone on.
        clock.advance(minutes=1 if direction < 0 else 0)
    assert TOTPDevice.objects.get().drift == 0


@pytest.mark.parametrize(
    "code", ["", "abc", "+12345", "12345", "1234567", "１２３４５６", "1_2345", "-00001", "1e5", "\x00"]
)
def test_what_is_no_code_is_refused(client: Client, clock: Clock, code: str) -> None:
    with_second_factor()
    sign_in(client)
    response = client.post(CODE, {"code": code})
    assert blamed(response) == ["code"]
    assert not is_signed_in(client)


def test_guessing_gets_slower_with_every_wrong_code(client: Client, clock: Clock) -> None:
    user, _ = with_second_factor()
    sign_in(client)
    waits = []
    for _ in range(6):
        client.post(CODE, {"code": wrong_code(user)})
        # While the wait lasts not even the right one is looked at.
        response = client.post(CODE, {"code": code_of(user)})
        assert response.status_code == 429
        waits.append(int(response["Retry-After"]))
        clock.advance(minutes=waits[-1] / 60)
    assert waits == [2, 3, 5, 9, 17, 33]
    assert not is_signed_in(client)
    client.post(CODE, {"code": code_of(user)})
    assert is_signed_in(client)


def test_codes_that_failed_while_the_clock_was_ahead_keep_nobody_waiting(client: Client, clock: Clock) -> None:
    user, _ = with_second_factor()
    right = clock.now
    clock.advance(days=1)
    sign_in(client)
    client.post(CODE, {"code": wrong_code(user)})
    clock.now = right
    sign_in(client)
    assert client.post(CODE, {"code": code_of(user)})["Retry-After"] == "2"
    clock.advance(minutes=2 / 60)
    client.post(CODE, {"code": code_of(user)})
    assert is_signed_in(client)


def test_three_wrong_codes_behind_the_right_password_are_mailed_to_its_owner(client: Client, clock: Clock) -> None:
    user, _ = with_second_factor()
    sign_in(client)
    for number in range(4):
        assert len(mail.outbox) == (1 if number == 3 else 0)
        allow_the_next_code(user)
        client.post(CODE, {"code": wrong_code(user)})
    assert [message.subject for message in mail.outbox] == [subject_of("code_refused")]
    assert mail.outbox[0].to == ["ada@example.org"]


def test_a_recovery_code_is_good_once_however_it_is_written(clock: Clock) -> None:
    user, codes = with_second_factor()
    for written, accepted in (
        (codes[0], True),
        (codes[0], False),
        (codes[1].lower().replace("-", ""), True),
        (f" {codes[2].replace('-', ' ')} ", True),
        ("AAAA-AAAA-AAAA", False),
        (codes[3], True),
    ):
        client = Client()
        sign_in(client)
        allow_the_next_code(user)
        client.post(CODE, {"recovery": written})
        assert is_signed_in(client) is accepted, written
    assert StaticToken.objects.count() == 6
    bodies = [str(message.body) for message in mail.outbox if message.subject == subject_of("recovery_used")]
    assert len(bodies) == 4
    assert re.findall(r"\d+", bodies[-1]) == ["6"]


def test_recovery_codes_are_stored_as_hashes_of_this_persons(clock: Clock) -> None:
    ada, codes = with_second_factor("ada")
    bob, _ = with_second_factor("bob")
    assert RecoveryCodes(user=ada).hashes_of("ABCD") != RecoveryCodes(user=bob).hashes_of("ABCD")
    stored = set(StaticToken.objects.values_list("token", flat=True))
    assert len(stored) == 20
    assert not stored & {code.replace("-", "") for code in codes}
    assert not recovery_code_is_right(user=bob, code=codes[0])


def test_recovery_codes_outlive_a_change_of_the_servers_key(settings: object, clock: Clock) -> None:
    user, codes = with_second_factor()
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "new", [settings.SECRET_KEY]  # type: ignore[attr-defined]
    assert recovery_code_is_right(user=user, code=codes[0])
    settings.SECRET_KEY_FALLBACKS = []  # type: ignore[attr-defined]
    assert not recovery_code_is_right(user=user, code=codes[1])


def test_other_codes_make_the_earlier_ones_worthless(client: Client, clock: Clock) -> None:
    user, codes = with_second_factor()
    sign_in(client)
    client.post(CODE, {"code": code_of(user)})
    clock.advance(minutes=1)
    page = text_of(client.post(OTHER_CODES, {"password": PASSWORD, "code": code_of(user)}))
    new = re.findall(r"<li><code>([A-Z2-9-]{14})</code></li>", page)
    assert len(new) == 10
    assert not recovery_code_is_right(user=user, code=codes[0])
    allow_the_next_code(user)
    assert recovery_code_is_right(user=user, code=new[0])


@pytest.mark.parametrize("page", [OFF, OTHER_CODES])
def test_weakening_it_needs_the_password_and_a_code(client: Client, clock: Clock, page: str) -> None:
    user, _ = with_second_factor()
    sign_in(client)
    client.post(CODE, {"code": code_of(user)})
    clock.advance(minutes=1)
    before = list(StaticToken.objects.values_list("pk", flat=True))
    for fields in (
        {"password": "wrong", "code": code_of(user)},
        {"password": PASSWORD, "code": wrong_code(user)},
        {"password": PASSWORD, "code": "AAAA-AAAA-AAAA"},
        {"password": PASSWORD},
        {"code": code_of(user)},
        {},
    ):
        allow_the_next_code(user)
        assert client.post(page, fields).status_code == 422, fields
    assert TOTPDevice.objects.count() == 1
    assert list(StaticToken.objects.values_list("pk", flat=True)) == before
    allow_the_next_code(user)
    # The code was not spent by the tries with a wrong password.
    assert client.post(page, {"password": PASSWORD, "code": code_of(user)}).status_code in {200, 302}
    assert list(StaticToken.objects.values_list("pk", flat=True)) != before


def test_turned_off_with_a_recovery_code_the_password_alone_signs_in(
    client: Client, clock: Clock, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    _user, codes = with_second_factor()
    sign_in(client)
    client.post(CODE, {"recovery": codes[0]})
    with django_capture_on_commit_callbacks(execute=True):
        client.post(OFF, {"password": PASSWORD, "code": codes[1]})
    assert mail.outbox[-1].subject == subject_of("second_factor_off")
    assert is_signed_in(client)
    assert not TOTPDevice.objects.exists()
    assert not RecoveryCodes.objects.exists()
    other = Client()
    sign_in(other)
    assert is_signed_in(other)
    # And can be set up again.
    assert "<svg" in text_of(client.get(reverse("two-factor")))


def test_a_session_left_open_guesses_passwords_no_faster_than_a_stranger(client: Client, clock: Clock) -> None:
    with_second_factor()
    client.force_login(person("bob"))
    for _ in range(10):
        client.post(SET_UP, {"code": "123456", "password": "wrong"})
    refused = client.post(SET_UP, {"code": "123456", "password": PASSWORD})
    assert blamed(refused) == ["password"]
    assert "8" in refused.context["problems"][0].message


def test_a_secret_is_as_long_as_the_standard_wants() -> None:
    assert len(bytes.fromhex(new_key())) == 20
    assert new_key() != new_key()


def test_nobodys_session_holds_the_secret_longer_than_it_is_needed(client: Client, clock: Clock) -> None:
    client.force_login(person())
    _set_up(client)
    assert not any("second_factor_key" in row.get_decoded() for row in SignIn.objects.all())
