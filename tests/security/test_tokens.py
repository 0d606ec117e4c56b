"""No invitation's token, nor an address that one was mailed to, is in the database, to its files' last byte."""

import re
from pathlib import Path
from smtplib import SMTPRecipientsRefused

import pytest
from django.core import mail
from django.core.mail.backends.locmem import EmailBackend
from django.db import connection
from django.test import Client
from django.urls import reverse

from surveys.models import Survey
from surveys.responses.services import erasing
from surveys.responses.services.folding import fold
from surveys.sharing.services import new_batch
from tests.factories import make_open, make_user, send
from tests.pages import owner_of

pytestmark = pytest.mark.usefixtures("transactional_db")

CANARY = "canary-7f31"


def _everything() -> bytes:
    """Return every byte of SQLite's files, or every row of every table."""
    if connection.vendor == "sqlite":
        name = str(connection.settings_dict["NAME"])
        return b"".join(path.read_bytes() for path in (Path(name), Path(name + "-wal")) if path.exists())
    found = []
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f'SELECT CAST(t AS text) FROM "{table}" t')  # noqa: S608 - the database's own names
            found += [row[0] for row in cursor.fetchall()]
    return "\n".join(found).encode()


def _traces(texts: list[str]) -> list[str]:
    everything = _everything().lower()
    return [text for text in texts if text.lower().encode() in everything]


@pytest.fixture
def survey() -> Survey:
    return make_open(by_invitation=True, minimum_n=5, title="Canary survey")


@pytest.mark.sqlite
def test_no_token_and_no_batch_is_ever_stored_and_a_planted_one_is_found(survey: Survey) -> None:
    client, batch = Client(), new_batch()
    client.force_login(survey.owner)
    fields = {"number": "12", "batch": batch}
    page = client.post(reverse("survey-invitations", args=[survey.code]), fields).content.decode()
    client.post(reverse("survey-invitations-csv", args=[survey.code]), fields)
    tokens = re.findall(r"/i/([A-Z2-9]{26})/", page)
    assert len(tokens) == 12
    searched = [*tokens, batch]
    assert _traces(["Canary survey"]) == ["Canary survey"]
    assert _traces(searched) == []
    for token in tokens[:8]:
        send(survey, "1", token=token)
    assert _traces(searched) == []
    fold(survey=survey)
    assert erasing._vacuum(60)
    assert erasing._empty_the_journal()
    assert _traces(searched) == []

    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE planted (leak text)")
        cursor.execute("INSERT INTO planted VALUES (%s)", [tokens[3]])
    try:
        assert _traces(searched) == [tokens[3]]
    finally:
        with connection.cursor() as cursor:
            cursor.execute("DROP TABLE planted")


@pytest.mark.sqlite
def test_the_token_of_a_role_is_never_stored_either_nor_is_the_address_once_somebody_took_it(survey: Survey) -> None:
    owner, member, anonymous = Client(), Client(), Client()
    owner.force_login(survey.owner)
    member.force_login(make_user("canary-member"))
    asked = {"action": "invite", "to": "canary-address@example.org", "roles": ["editor"]}
    owner.post(reverse("survey-people", args=[survey.code]), asked)
    (link,) = re.findall(r"/invited/link/[\w-]+/", str(mail.outbox[-1].body))
    token = link.split("/")[-2]
    assert _traces(["canary-member", "canary-address", token]) == ["canary-member", "canary-address"]
    anonymous.get(link, follow=True)
    member.get(link)
    member.post(link, {"answer": "yes"})
    assert survey.memberships.get().user.get_username() == "canary-member"
    assert erasing._vacuum(60)
    assert erasing._empty_the_journal()
    assert _traces(["canary-member", "canary-address", token]) == ["canary-member"]


def test_an_address_that_an_invitation_is_mailed_to_is_in_no_file_session_or_log(
    survey: Survey, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    def refuse_one(_self: object, messages: list[mail.EmailMessage]) -> int:
        if messages[0].to == [f"{CANARY}-refused@example.org"]:
            raise SMTPRecipientsRefused({messages[0].to[0]: (550, f"{CANARY}-refused@example.org".encode())})
        return send_messages(_self, messages)

    send_messages = EmailBackend.send_messages
    monkeypatch.setattr(EmailBackend, "send_messages", refuse_one)
    client = owner_of(survey)
    address = reverse("survey-invitations-mail", args=[survey.code])
    for typed, status in [
        (f"{CANARY}-bad@", 422),
        (f"{CANARY}-sent@example.org\n{CANARY}-refused@example.org", 200),
        (f"{CANARY}-refused@example.org", 200),
        (f"{CANARY}-again@example.org", 302),
    ]:
        assert client.post(address, {"addresses": typed, "batch": new_batch()}).status_code == status
    assert survey.invitations.count() == len(mail.outbox) == 2
    assert [name for name in (*client.session.keys(), *map(str, client.session.values())) if CANARY in name] == []
    assert _traces(["Canary survey", CANARY]) == ["Canary survey"]
    assert CANARY not in "".join([*capfd.readouterr(), caplog.text])
    assert caplog.text.count("could not be sent: SMTPRecipientsRefused") == 2
    assert CANARY not in client.get(reverse("survey-invitations", args=[survey.code])).content.decode()
