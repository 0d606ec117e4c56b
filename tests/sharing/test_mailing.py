"""Invitations that are mailed: one to each address, none shown, and what was not sent is gone again."""

import re
import smtplib
from collections.abc import Callable

import pytest
from django.core import mail
from django.core.exceptions import ValidationError
from django.core.mail.backends import locmem
from django.db import connection
from django.http import HttpResponse
from django.test import Client, override_settings
from django.urls import reverse

from surveys import asgi
from surveys.answering.selectors import invitation_state
from surveys.course.services import close_survey, pause_survey
from surveys.drafts.services.groups import add_group
from surveys.drafts.services.surveys import NotAllowedNow
from surveys.models import Invitation, Survey, Tries
from surveys.models.invitation import token_hashes
from surveys.sharing import services
from surveys.sharing.services import invite, mail_invitations, new_batch
from tests.factories import make_draft, make_open, make_user, send
from tests.pages import owner_of, page_of, text_of

pytestmark = pytest.mark.django_db

ADDRESSES = [f"pupil.{letter}@example.org" for letter in "abcdefgh"]


@pytest.fixture
def survey() -> Survey:
    return make_open(by_invitation=True, minimum_n=5)


def _mail(survey: Survey, addresses: list[str] = ADDRESSES, *, batch: str = "") -> list[str]:
    return mail_invitations(
        survey=survey, by=survey.owner, addresses=addresses, batch=batch or new_batch(), start="https://survey.example"
    )


def _post(survey: Survey, typed: str, *, batch: str = "", client: Client | None = None, **fields: str) -> HttpResponse:
    address = reverse("survey-invitations-mail", args=[survey.code])
    sender = client or owner_of(survey)
    response = sender.post(address, {"addresses": typed, "batch": batch or new_batch(), **fields})
    assert isinstance(response, HttpResponse)
    return response


def _tokens() -> dict[str, str]:
    """Return the token in each mail, by its address."""
    return {one.to[0]: re.findall(r"/i/([A-Z2-9]{26})/", str(one.body))[0] for one in mail.outbox}


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Let the mail server refuse some addresses."""
    send_messages = locmem.EmailBackend.send_messages

    def refuse(*refused: str, error: Callable[[str], Exception]) -> None:
        def answer(backend: locmem.EmailBackend, messages: list[mail.EmailMessage]) -> int:
            if messages[0].to[0] in refused:
                raise error(messages[0].to[0])
            return int(send_messages(backend, messages))

        monkeypatch.setattr(locmem.EmailBackend, "send_messages", answer)

    return refuse


def test_each_address_gets_one_mail_with_a_link_of_its_own_that_works_once(survey: Survey) -> None:
    assert _mail(survey) == []
    assert [one.to for one in mail.outbox] == [[address] for address in ADDRESSES]
    tokens = _tokens()
    assert len(set(tokens.values())) == Invitation.objects.count() == 8
    assert f"https://survey.example/s/{survey.code}/i/{tokens[ADDRESSES[0]]}/" in mail.outbox[0].body
    send(survey, "1", token=tokens[ADDRESSES[0]])
    assert [invitation_state(survey, token) for token in tokens.values()] == ["spent", *["unused"] * 7]


def test_a_mail_names_the_survey_and_its_sender_and_speaks_the_surveys_language() -> None:
    survey, editor = make_open(by_invitation=True, title="Prüfungen <&>", language="de"), make_user()
    mail_invitations(
        survey=survey, by=editor, addresses=ADDRESSES[:1], batch=new_batch(), start="https://survey.example"
    )
    (sent,) = mail.outbox
    assert "Prüfungen <&>" in sent.body
    assert sent.body.count(editor.get_username()) == 2
    assert survey.owner.get_username() not in sent.body
    # Mailboxes show subjects to whoever looks over a shoulder.
    assert "Prüfungen" not in sent.subject
    assert "Kein Konto" in sent.body


def test_neither_a_rows_place_nor_its_transaction_tells_whom_it_was_mailed_to(survey: Survey) -> None:
    _mail(survey)
    send(survey, "1", token=_tokens()[ADDRESSES[0]])
    _mail(survey, ["late@example.org"])
    # SQLite's table is its key.
    place, transaction = ("ctid", "CAST(xmin AS text)") if connection.vendor == "postgresql" else ("token_hash", "1")
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT token_hash, {transaction} FROM surveys_invitation ORDER BY {place}")  # noqa: S608 - ours
        rows = cursor.fetchall()
    stored = [bytes(row[0]) for row in rows]
    assert len({row[1] for row in rows}) == 1
    assert stored == sorted(token_hashes(survey.pk, token)[0] for token in _tokens().values())
    assert Invitation.objects.filter(spent=True).count() == 1


def test_what_a_failing_mail_server_may_have_taken_never_works_again(
    survey: Survey, failing: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    batch, made = new_batch(), []
    monkeypatch.setattr(services, "invite", lambda **wanted: made.append(invite(**wanted)) or made[-1])
    failing(*ADDRESSES, error=OSError)
    assert _mail(survey, batch=batch) == ADDRESSES
    with pytest.raises(NotAllowedNow):
        _mail(survey, batch=batch)
    # Nor after the quarter of an hour in which the page is remembered.
    Tries.objects.all().delete()
    failing(error=OSError)
    assert _mail(survey, batch=batch) == []
    assert not set(made[0].tokens) & set(_tokens().values())
    assert {invitation_state(survey, token) for token in made[0].tokens} == {"unknown"}


def test_a_page_that_was_refused_may_send_afterwards(survey: Survey, monkeypatch: pytest.MonkeyPatch) -> None:
    batch = new_batch()
    with monkeypatch.context() as patched:
        patched.setattr(services, "MOST_IN_ALL", 7)
        with pytest.raises(ValidationError, match="at most 7"):
            _mail(survey, batch=batch)
    assert _mail(survey, batch=batch) == []
    with pytest.raises(ValidationError, match="Load the page again"):
        mail_invitations(survey=survey, by=survey.owner, addresses=ADDRESSES, batch="?", start="")


def test_what_was_mailed_is_never_shown_as_cards(survey: Survey) -> None:
    batch = new_batch()
    _mail(survey, batch=batch)
    cards = invite(survey=survey, number=len(ADDRESSES), batch=batch)
    assert not cards.repeated
    assert not set(cards.tokens) & set(_tokens().values())
    page = page_of("survey-invitations", survey)
    assert not any(text in page for text in (*_tokens().values(), *ADDRESSES))


def test_a_page_that_is_sent_twice_mails_once(survey: Survey) -> None:
    batch = new_batch()
    for _time in range(2):
        _post(survey, "\n".join(ADDRESSES), batch=batch)
    assert (len(mail.outbox), Invitation.objects.count()) == (8, 8)


@pytest.mark.parametrize(
    "typed", ["a@example.org, b@example.org", "a@example.org\r\n\r\n b@example.org ;A@example.org,"]
)
def test_addresses_may_stand_in_lines_or_between_commas_and_none_counts_twice(survey: Survey, typed: str) -> None:
    response = _post(survey, typed)
    assert response.status_code == 302
    assert [one.to[0] for one in mail.outbox] == ["a@example.org", "b@example.org"]


@pytest.mark.parametrize(
    "bad", ["nobody", "a b@example.org", "a@b", "ä@example.org", "Ann <a@example.org>", "a@exa\0mple.org"]
)
def test_a_bad_address_is_named_by_its_line_and_nothing_is_sent_or_made(survey: Survey, bad: str) -> None:
    response = _post(survey, f"\nfirst@example.org\n{bad}\n")
    (problem,) = vars(response)["context"]["problems"]
    assert response.status_code == 422
    assert problem.field_id == "id_mail_addresses"
    assert "\0" in bad or f"Line 3: change “{bad}” to" in problem.message
    assert "first@example.org" in text_of(response)
    assert (len(mail.outbox), Invitation.objects.count()) == (0, 0)


@pytest.mark.parametrize("line_end", ["\r", "\n", "\v", "\f", "\x85", "\u2028"])
def test_what_is_typed_adds_no_header_and_no_recipient(survey: Survey, line_end: str) -> None:
    assert _post(survey, f"a@example.org{line_end}Bcc: spy@example.org").status_code == 422
    _post(survey, '"spy@example.org"@example.org')
    (sent,) = mail.outbox
    assert sent.recipients() == ['"spy@example.org"@example.org']
    assert {"Bcc", "Cc"}.isdisjoint(sent.message().keys())


@pytest.mark.parametrize("typed", ["", " \n , ;", ",".join(f"a{number}@example.org" for number in range(101))])
def test_none_and_too_many_are_refused(survey: Survey, typed: str) -> None:
    assert _post(survey, typed).status_code == 422
    assert (len(mail.outbox), Invitation.objects.count()) == (0, 0)


def test_what_could_not_be_sent_is_named_once_and_its_invitation_is_gone(
    survey: Survey, failing: Callable[..., None]
) -> None:
    failing(*ADDRESSES[2:4], error=lambda to: smtplib.SMTPRecipientsRefused({to: (550, b"no such user")}))
    client = owner_of(survey)
    response = _post(survey, "\n".join(ADDRESSES), client=client)
    page = vars(response)["context"]
    assert (response.status_code, page["sent"], page["asked"]) == (200, 6, 8)
    assert page["mailing"]["addresses"].value().split() == ADDRESSES[2:4]
    assert Invitation.objects.count() == 6
    assert [invitation_state(survey, token) for token in _tokens().values()] == ["unused"] * 6
    assert not any(
        address in text_of(client.get(reverse("survey-invitations", args=[survey.code]))) for address in ADDRESSES
    )
    assert "no-store" in response["Cache-Control"]


@pytest.mark.parametrize("error", [OSError, lambda to: UnicodeEncodeError("idna", to, 0, 1, to), KeyError])
def test_of_a_mail_server_that_fails_nothing_is_left_and_no_address_is_logged(
    survey: Survey, failing: Callable[..., None], error: Callable[[str], Exception], caplog: pytest.LogCaptureFixture
) -> None:
    failing(*ADDRESSES, error=error)
    assert _mail(survey) == ADDRESSES
    assert Invitation.objects.count() == 0
    assert len(caplog.records) == 8
    assert not any("example.org" in record.getMessage() or record.exc_info for record in caplog.records)


def test_when_it_takes_too_long_the_rest_is_not_sent(survey: Survey, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "_SECONDS", -1)
    assert _mail(survey) == ADDRESSES
    assert (len(mail.outbox), Invitation.objects.count()) == (0, 0)


def test_one_person_sends_so_often_a_quarter_of_an_hour(survey: Survey, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "SENDS_A_WINDOW", 2)
    for number in range(2):
        _mail(survey, [f"a{number}@example.org"])
    with pytest.raises(ValidationError, match="15 minutes"):
        _mail(survey)
    assert (len(mail.outbox), Invitation.objects.count()) == (2, 2)


def test_invitations_of_a_group_lead_to_it(survey: Survey) -> None:
    add_group(survey=survey, name="Monday")
    _post(survey, "a@example.org", group="monday")
    assert f"/s/{survey.code}/monday/i/" in mail.outbox[0].body


def test_only_an_open_survey_by_invitation_mails_and_only_with_a_mail_server(survey: Survey) -> None:
    others = [make_open(), make_draft(by_invitation=True), pause_survey(survey=make_open(by_invitation=True))]
    for other in [*others, close_survey(survey=make_open(by_invitation=True))]:
        with pytest.raises(NotAllowedNow):
            _mail(other)
    offer = 'name="addresses"'
    assert offer in page_of("survey-invitations", survey)
    with override_settings(MAILERS={"default": {"BACKEND": "django.core.mail.backends.console.EmailBackend"}}):
        assert offer not in page_of("survey-invitations", survey)
        with pytest.raises(NotAllowedNow):
            _mail(survey)
    assert mail.outbox == []


def test_nobodys_answer_stands_in_line_behind_a_mail_server(survey: Survey) -> None:
    threads = [
        asgi._threads_for("POST", reverse(name, args=[survey.code]))
        for name in ("survey-invitations-mail", "survey-invitations", "answer")
    ]
    assert len(set(threads)) == 3
