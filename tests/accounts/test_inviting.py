"""Admins invite in the admin site or at the command line; the link is shown or mailed, and never again."""

import io
import re

import pytest
from django.core import mail
from django.core.mail.backends.locmem import EmailBackend
from django.core.management import CommandError, call_command
from django.test import Client
from django_otp.plugins.otp_static.models import StaticToken
from django_otp.plugins.otp_totp.models import TOTPDevice
from pytest_django import DjangoCaptureOnCommitCallbacks

from surveys.models import SignUpInvitation
from tests.accounts.people import code_of, is_signed_in, link_in_mail, person, sign_in, with_second_factor
from tests.factories import PASSWORD, make_admin
from tests.pages import client_of, text_of

pytestmark = pytest.mark.django_db

ADD = "/admin/surveys/signupinvitation/add/"
LIST = "/admin/surveys/signupinvitation/"


@pytest.fixture
def admin() -> Client:
    return client_of(make_admin("root"))


def _broken(*_args: object) -> int:
    raise OSError("no route to the mail server of grace@example.org")


def test_an_admin_invites_and_reads_the_link_once(admin: Client) -> None:
    response = admin.post(ADD, {"email": "grace@example.org", "note": "Statistics II"})
    page = text_of(response)
    link = re.search(r"<code>http://testserver(/sign-up/\w{26}/)</code>", page)
    assert link is not None
    assert "no-store" in response["Cache-Control"]
    assert "<bdi>grace@example.org</bdi>" in page
    assert link[1] == link_in_mail()
    assert "Statistics II" not in str(mail.outbox[0].body)
    listed = text_of(admin.get(LIST))
    assert all(words in listed for words in ("grace@example.org", "Statistics II", "root", "valid"))
    token = link[1].split("/")[2]
    invitation = SignUpInvitation.objects.get()
    for address in (LIST, f"{LIST}{invitation.pk}/change/", f"{LIST}{invitation.pk}/history/", "/admin/"):
        assert token not in text_of(admin.get(address))


def test_the_list_tells_what_became_of_the_link(admin: Client) -> None:
    admin.post(ADD, {"email": "grace@example.org", "note": ""})
    Client().post(link_in_mail(), {"username": "grace", "password1": PASSWORD, "password2": PASSWORD})
    assert "used" in text_of(admin.get(LIST))


def test_an_invitation_is_withdrawn_by_deleting_it(admin: Client) -> None:
    admin.post(ADD, {"email": "grace@example.org", "note": ""})
    admin.post(f"{LIST}{SignUpInvitation.objects.get().pk}/delete/", {"post": "yes"})
    assert Client().get(link_in_mail()).status_code == 410


@pytest.mark.parametrize("email", ["", "x", "ADA@example.org"])
def test_an_address_that_cannot_be_is_refused_by_name(admin: Client, email: str) -> None:
    person("ada")
    form = admin.post(ADD, {"email": email, "note": ""}).context["adminform"].form
    assert list(form.errors) == ["email"]
    assert not SignUpInvitation.objects.exists()


def test_when_the_mail_fails_the_admin_hands_the_link_over(
    admin: Client, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(EmailBackend, "send_messages", _broken)
    page = text_of(admin.post(ADD, {"email": "grace@example.org", "note": ""}))
    assert re.search(r"/sign-up/\w{26}/", page)
    # What is logged names nobody.
    assert "OSError" in caplog.text
    assert "grace" not in caplog.text


def test_instructors_invite_nobody() -> None:
    client = client_of(person())
    assert client.post(ADD, {"email": "grace@example.org"}).status_code == 302
    assert not SignUpInvitation.objects.exists()


def _command(*arguments: str) -> str:
    out = io.StringIO()
    call_command("invite_instructor", *arguments, stdout=out, stderr=out)
    return out.getvalue()


def test_the_command_prints_the_link_and_mails_it(settings: object) -> None:
    settings.SITE_ADDRESS = "https://survey.example.org"  # type: ignore[attr-defined]
    printed = _command("grace@example.org", "--note", "Statistics II")
    link = re.search(r"https://survey\.example\.org(/sign-up/\w{26}/)", printed)
    assert link is not None
    assert link[0] in str(mail.outbox[0].body)
    assert SignUpInvitation.objects.get().note == "Statistics II"
    assert Client().get(link[1]).status_code == 200


def test_the_command_may_leave_the_mail_out() -> None:
    assert "/sign-up/" in _command("grace@example.org", "--no-mail")
    assert mail.outbox == []


def test_the_command_prints_the_link_and_more_when_the_mail_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    sent = _command("grace@example.org")
    monkeypatch.setattr(EmailBackend, "send_messages", _broken)
    printed = _command("grace@example.org")
    assert "/sign-up/" in printed
    assert re.sub(r"\w{26}", "", printed) != re.sub(r"\w{26}", "", sent)


def test_the_command_refuses_what_is_no_address_and_who_has_an_account() -> None:
    person("ada")
    for address in ("nonsense", "ada@example.org"):
        with pytest.raises(CommandError):
            _command(address)
    assert not SignUpInvitation.objects.exists()


def test_an_admin_removes_a_lost_second_factor_and_its_owner_gets_a_mail(
    admin: Client, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    with_second_factor("ada")
    device = TOTPDevice.objects.get()
    listed = "/admin/surveys/secondfactor/"
    for address in (listed, f"{listed}{device.pk}/change/"):
        page = text_of(admin.get(address))
        assert "ada" in page
        assert device.key not in page
    assert admin.get(f"{listed}add/").status_code == 403
    assert admin.get(f"{listed}{device.pk}/config/").status_code in {302, 404}
    with django_capture_on_commit_callbacks(execute=True):
        admin.post(f"{listed}{device.pk}/delete/", {"post": "yes"})
    assert not TOTPDevice.objects.exists()
    assert not StaticToken.objects.exists()
    assert mail.outbox[-1].to == ["ada@example.org"]
    client = Client()
    sign_in(client)
    assert is_signed_in(client)


def test_no_page_of_the_admin_shows_recovery_codes(admin: Client) -> None:
    user, _ = with_second_factor("ada")
    assert admin.get("/admin/otp_static/staticdevice/").status_code == 404
    assert code_of(user)
