"""Somebody who takes part no more, with every page of the survey still open: whatever they send does nothing."""

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.test import Client
from django.urls import reverse

from surveys.accounts.services.sign_up import invite_instructor
from surveys.models import Release, SignUpInvitation, Survey
from surveys.people.services import remove_person, transfer_survey
from tests.editor.form import posted, question
from tests.factories import make_admin
from tests.security.addresses.dump import changed, dump
from tests.security.addresses.row import MAY, Row
from tests.security.addresses.setting import Setting
from tests.security.test_addresses import ROWS

pytestmark = pytest.mark.django_db


def _send(client: Client, row: Row, method: str, setting: Setting, survey: Survey) -> int:
    address = row.address(setting, survey)
    response = client.post(address, row.fields(setting, survey)) if method == "POST" else client.get(address)
    return response.status_code


def _opened(setting: Setting, visitor: str) -> list[tuple[Row, Survey]]:
    """Open every page of a survey that the visitor may, and return those that were there, with what they would send."""
    # Everybody is signed in before anything is taken back.
    setting.client(visitor)
    rows = []
    for row in ROWS:
        if row.of_a_survey and visitor in MAY[row.to] and row.get != 404:
            survey = setting.survey(row.state)
            row.prepare(setting, survey)
            with transaction.atomic():
                assert _send(
                    setting.client(visitor), row, "POST" if row.get is None else "GET", setting, survey
                ) not in {403, 404}
                transaction.set_rollback(True)
            rows.append((row, survey))
    return rows


@pytest.mark.uncounted
@pytest.mark.parametrize("role", ["editor", "analyst", "releaser", "owner"])
def test_with_every_page_open_nothing_can_be_done_after_the_removal(role: str) -> None:
    setting = Setting()
    rows = _opened(setting, role)
    person, heir = setting.people[role], User.objects.create(username="the.heir")
    for survey in {survey.pk: survey for _row, survey in rows}.values():
        if role == "owner":
            transfer_survey(survey=survey, to=heir)
        else:
            remove_person(survey=survey, by=setting.people["owner"], person=person)
    before = dump()
    answered = {
        (row.name, row.state, method): _send(setting.client(role), row, method, setting, survey)
        for row, survey in rows
        for method in ("GET", "POST")
    }
    assert {key: status for key, status in answered.items() if status != 404} == {}
    assert changed(before, dump()) == []
    assert len(rows) > 5


def test_an_editor_left_open_over_a_change_of_owner_saves_nothing_of_its_own() -> None:
    setting = Setting()
    survey, client = setting.survey("draft"), setting.client("owner")
    edit = reverse("survey-edit", args=[survey.code])
    assert client.get(edit).status_code == 200
    transfer_survey(survey=survey, to=setting.people["editor"], stays=False)
    for action in ("save", "copy", "over-1", "add", "theirs"):
        typed = posted(question(text="Written too late?"), action=action)
        assert client.post(edit, typed).status_code == 404
    assert not Survey.objects.filter(document__contains="Written too late?").exists()
    # To whoever stays as an editor the survey is open, in what they may: not in giving it away.
    transfer_survey(survey=survey, to=setting.people["owner"], stays=True)
    editor = setting.client("editor")
    assert editor.get(edit).status_code == 200
    for page in ("survey-transfer", "survey-people"):
        assert editor.post(reverse(page, args=[survey.code]), {"to": "the.heir"}).status_code == 403


def test_a_release_that_was_prepared_is_not_made_by_a_releaser_who_was_removed() -> None:
    setting = Setting()
    survey, client = setting.survey("closed"), setting.client("releaser")
    setting.budget(survey)
    assert client.get("/admin/surveys/release/add/").status_code == 200
    remove_person(survey=survey, by=survey.owner, person=setting.people["releaser"])
    before = dump()
    for fields in ({"survey": survey.pk, "epsilon": "0.5"}, {"survey": survey.pk, "step": "3", "confirm": "on"}):
        # Of one survey only: they release from no other, so the admin site is closed to them.
        assert client.post("/admin/surveys/release/add/", fields).status_code in {302, 403}
    assert changed(before, dump()) == []
    assert not Release.objects.exists()


def test_what_an_admin_invited_is_not_good_when_they_are_deactivated() -> None:
    """Else whoever is dismissed lets themselves in again by a link that they made before."""
    admin = make_admin("theadmin")
    link = invite_instructor(email="self@example.org", invited_by=admin, mail=False).link
    address = link[link.index("/sign-up/") :]
    assert Client().get(address).status_code == 200
    User.objects.filter(pk=admin.pk).update(is_active=False)
    assert Client().get(address).status_code == 410
    fields = {"username": "again", "password1": "seven purple elephants", "password2": "seven purple elephants"}
    assert Client().post(address, fields).status_code == 410
    assert not User.objects.filter(username="again").exists()
    assert SignUpInvitation.objects.get().used_at is None
