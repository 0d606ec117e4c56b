"""Names and addresses: who could be taken for somebody else gets no account, on either database, by any way."""

import io
from collections.abc import Callable, Iterator

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command
from django.db import IntegrityError
from django.test import Client

from surveys.accounts.selectors import person_called
from surveys.accounts.services.sign_up import invite_instructor
from surveys.models import AccountName, Role, RoleInvitation
from surveys.models.account_names import skeleton
from surveys.people.services import invite_person
from tests.accounts.people import blamed, is_signed_in, sign_in
from tests.factories import PASSWORD, make_admin, make_draft, make_user
from tests.pages import client_of

pytestmark = pytest.mark.django_db

# One account each, however it is written.
SAME = [
    ("Ärger", "ärger"),
    ("Ärger", "ÄRGER"),
    ("Ärger", "A\u0308rger"),
    ("ada", "ＡＤＡ"),
    ("Straße", "STRASSE"),
    ("mike", "mi\u212ae"),
]
# Other accounts than the first, but too like it for a second.
ALIKE = [("bill", "bi11"), ("bill", "BiII"), ("moon", "m00n"), ("Müller", "Muller"), ("amy", "arny"), ("ișa", "işa")]
# Names of nobody at all.
ODD = [
    "mіke",
    "αda",
    "ada\u200b",
    "a\u0301\u0301da",
    "ada\u202e",
    "\u3164",
    "mıke",
    "ɡrace",
    "ada@example.org",
    "a b",
    "מורה",
]


def _by_sign_up(name: str) -> bool:
    # The invitation's link, followed as a browser does.
    link = invite_instructor(email="new@example.org", mail=False).link
    address = link[link.index("/sign-up/") :]
    return Client().post(address, {"username": name, "password1": PASSWORD, "password2": PASSWORD}).status_code == 302


def _by_admin(name: str) -> bool:
    client = client_of(make_admin("theadmin"))
    fields = {"username": name, "usable_password": "true", "password1": PASSWORD, "password2": PASSWORD}
    return client.post("/admin/auth/user/add/", fields).status_code == 302


def _by_renaming(name: str) -> bool:
    client = client_of(make_admin("theadmin"))
    other = make_user("somebody.else")
    fields = {"username": name, "date_joined_0": "2026-01-01", "date_joined_1": "00:00:00", "is_active": "on"}
    return client.post(f"/admin/auth/user/{other.pk}/change/", fields).status_code == 302


def _by_command(name: str) -> bool:
    try:
        call_command("createsuperuser", username=name, email="", interactive=False, stdout=io.StringIO())
    except CommandError:
        return False
    return True


def _by_a_program(name: str) -> bool:
    try:
        User.objects.create(username=name)
    except ValidationError:
        return False
    return True


WAYS = (_by_sign_up, _by_admin, _by_renaming, _by_command)


def _tried(names: list[str]) -> Iterator[tuple[Callable[[str], bool], str]]:
    """Return every name by the way that all others lead to, and one by each of those."""
    yield from ((_by_a_program, name) for name in names)
    yield from zip(WAYS, names, strict=False)


@pytest.mark.parametrize(
    ("way", "second"), [*_tried([two for _one, two in SAME]), *_tried([two for _one, two in ALIKE])]
)
def test_what_could_be_taken_for_a_name_is_not_had_beside_it(way: Callable[[str], bool], second: str) -> None:
    make_user(next(one for one, two in [*SAME, *ALIKE] if two == second))
    before = User.objects.count()
    assert not way(second)
    assert User.objects.exclude(username__in=("theadmin", "somebody.else")).count() == before


@pytest.mark.parametrize(("way", "name"), [*_tried(ODD)])
def test_letters_that_look_like_others_or_like_nothing_are_in_no_name(way: Callable[[str], bool], name: str) -> None:
    assert not way(name)
    assert not User.objects.filter(username=name).exists()


@pytest.mark.parametrize(("way", "name"), [*_tried(["Zoë", "josé.2", "Łukasz", "ngozi_o-k+1", "Weiß", "Nguyễn"])])
def test_names_of_people_are_had(way: Callable[[str], bool], name: str) -> None:
    assert way(name)
    assert User.objects.filter(username=name).exists()


@pytest.mark.parametrize(("first", "second"), SAME)
def test_a_name_is_recognized_however_it_is_written_wherever_somebody_is_named(first: str, second: str) -> None:
    user = make_user(first)
    sign_in(client := Client(), second)
    assert is_signed_in(client)
    survey = make_draft()
    invite_person(survey=survey, by=survey.owner, to=second, roles=[Role.EDITOR])
    assert RoleInvitation.objects.get().user == user
    call_command("transfer_survey", survey.code, to=second, stdout=io.StringIO())
    survey.refresh_from_db()
    assert survey.owner == user


@pytest.mark.parametrize(("first", "second"), ALIKE)
def test_a_name_that_is_only_like_somebodys_names_nobody(first: str, second: str) -> None:
    make_user(first)
    assert person_called(second) is None
    sign_in(client := Client(), second)
    assert not is_signed_in(client)


def test_tries_for_one_name_are_counted_together_however_it_is_written() -> None:
    make_user("Ärger")
    for turn in range(10):
        assert sign_in(Client(), ("ärger", "ÄRGER")[turn % 2], "wrong").status_code == 200
    assert sign_in(Client(), "Ärger", "wrong").status_code == 429


def test_one_may_write_ones_own_name_in_other_letters(client: Client) -> None:
    user = make_user("ada")
    user.username = "Ada"
    user.save()
    assert person_called("ADA") == user


def test_the_database_itself_holds_one_account_a_name() -> None:
    make_user("Ärger")
    other = make_user("other")
    with pytest.raises(IntegrityError):
        AccountName.objects.filter(user=other).update(skeleton=skeleton("ärger"))


def test_of_two_at_once_the_second_gets_no_account(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither saw the other's when it looked."""
    make_user("Ärger")
    monkeypatch.setattr("surveys.accounts.services.sign_up.check_free", lambda *_args, **_kwargs: None)
    with pytest.raises(ValidationError):
        User.objects.create(username="ärger")
    assert [user.username for user in User.objects.all()] == ["Ärger"]
    assert not _by_sign_up("ärger")


# Mail addresses.


@pytest.mark.parametrize(
    "address", ["mi\u212ae@example.org", "miſa@example.org", "ada@bücher.example", "ädä@example.org"]
)
def test_an_address_with_other_letters_is_refused_everywhere(settings: object, address: str) -> None:
    settings.SIGN_UP = "open"  # type: ignore[attr-defined]
    for page in ("/sign-up/", "/password/reset/"):
        assert set(blamed(Client().post(page, {"email": address}))) == {"email"}
    survey = make_draft()
    for refuse in (
        lambda: invite_person(survey=survey, by=survey.owner, to=address, roles=[Role.EDITOR]),
        lambda: invite_instructor(email=address),
        lambda: User.objects.create(username="other", email=address),
    ):
        with pytest.raises(ValidationError):
            refuse()
    assert mail.outbox == []


def test_one_address_in_other_letters_makes_no_second_account(settings: object) -> None:
    settings.SIGN_UP = "open"  # type: ignore[attr-defined]
    make_user("ada", email="Ada@Example.org")
    Client().post("/sign-up/", {"email": "aDA@eXAMPLE.ORG"})
    assert "/sign-up/" not in str(mail.outbox[0].body)
    with pytest.raises(ValidationError):
        invite_instructor(email="ADA@example.org")
