"""`transfer_survey CODE --to NAME`."""

import io

import pytest
from django.core.management import CommandError, call_command

from surveys.common.selectors import rights_of, survey_for
from surveys.models import Membership, Survey
from surveys.people.services import invite_person
from tests.factories import make_draft, make_open, make_user

pytestmark = pytest.mark.django_db


def _transfer(survey: Survey, to: str, *more: str) -> str:
    out = io.StringIO()
    call_command("transfer_survey", survey.code, "--to", to, *more, stdout=out)
    return out.getvalue()


def test_a_survey_whose_owner_is_gone_gets_another_who_can_do_everything() -> None:
    gone, ada = make_user("gone", is_active=False), make_user("ada")
    survey = make_open(owner=gone)
    Membership.objects.create(survey=survey, user=ada, role="analyst")
    assert _transfer(survey, "ada") == f"{survey.code} belongs to ada; before, it belonged to gone.\n"
    survey.refresh_from_db()
    assert survey.owner == ada
    assert rights_of(user=gone, survey=survey) == frozenset()
    assert not Membership.objects.exists()
    with pytest.raises(Survey.DoesNotExist):
        survey_for(user=gone, code=survey.code)


def test_the_owner_so_far_may_stay_and_what_they_asked_of_others_does_not() -> None:
    survey, ada = make_draft(), make_user("ada")
    before = survey.owner
    invite_person(survey=survey, by=before, to="bert", roles=["editor"])
    _transfer(survey, "ada", "--stays")
    assert sorted(Membership.objects.values_list("user", "role")) == [(before.pk, "analyst"), (before.pk, "editor")]
    assert not survey.role_invitations.exists()
    assert _transfer(survey, "ada")
    assert Membership.objects.count() == 2
    assert survey.owner != ada


@pytest.mark.parametrize(("to", "why"), [("nobody", "no account called 'nobody'"), ("gone", "gone is deactivated")])
def test_it_refuses_who_cannot_own_a_survey(to: str, why: str) -> None:
    make_user("gone", is_active=False)
    survey = make_draft()
    with pytest.raises(CommandError, match=why):
        _transfer(survey, to)
    assert Survey.objects.get().owner == survey.owner


def test_it_finds_neither_a_code_of_nobody_nor_a_copy_to_rehearse_with() -> None:
    survey, ada = make_draft(), make_user("ada")
    copy = make_open(owner=survey.owner, rehearsal_of=survey)
    for code in ("NQPE23", copy.code):
        with pytest.raises(CommandError):
            call_command("transfer_survey", code, "--to", ada.get_username())
