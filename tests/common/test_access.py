"""The door to a survey’s pages: which codes it takes and what it says to whom; tests/security has the whole table."""

import pytest
from django.contrib.auth.models import AnonymousUser, User
from django.db import connection
from django.http import HttpResponse
from django.test import Client, RequestFactory
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from surveys.common.selectors import rights_of, survey_by_code, survey_for, surveys_of, surveys_to_release_from
from surveys.common.views import SurveyRequest, survey_page
from surveys.models import Membership, Rehearsal, Right, Role, Survey
from tests.factories import make_admin, make_draft, make_open, make_user
from tests.pages import client_of, owner_of, signed_in, text_of

pytestmark = pytest.mark.django_db

RIGHTS = {
    "editor": {Right.SEE, Right.EDIT},
    "analyst": {Right.SEE, Right.ANALYSE},
    "releaser": {Right.SEE, Right.RELEASE},
}


def _member(survey: Survey, *roles: str, **fields: object) -> User:
    user = make_user(**fields)
    Membership.objects.bulk_create(Membership(survey=survey, user=user, role=role) for role in roles)
    return user


@pytest.mark.parametrize("code", ["NQPE23", "no%20such", "x" * 200, "%00", "é", "ſ23456"])
def test_a_code_that_nobody_has_leads_to_no_page(code: str) -> None:
    assert signed_in().get(f"/surveys/{code}/").status_code == 404


def test_the_code_may_be_typed_in_small_letters() -> None:
    survey = make_draft()
    assert owner_of(survey).get(f"/surveys/{survey.code.lower()}/").status_code == 200


@pytest.mark.parametrize("roles", [["editor"], ["analyst"], ["releaser"], ["editor", "releaser"], [*Role.values]])
def test_several_roles_add_up_and_never_to_owning(roles: list[str]) -> None:
    survey = make_draft()
    rights = rights_of(user=_member(survey, *roles), survey=survey)
    assert rights == set().union(*(RIGHTS[role] for role in roles))
    assert Right.OWN not in rights


def test_the_owner_has_every_right_and_others_have_none() -> None:
    survey = make_draft()
    assert rights_of(user=survey.owner, survey=survey) == set(Right)
    for user in (make_user(), make_admin(), _member(make_draft(), *Role.values), AnonymousUser()):
        assert rights_of(user=user, survey=survey) == set()


def test_who_is_deactivated_loses_everything_at_once() -> None:
    survey = make_open()
    people = (survey.owner, _member(survey, *Role.values), make_admin())
    clients = [client_of(person) for person in people]
    User.objects.update(is_active=False)
    for person, client in zip(people, clients, strict=True):
        person.refresh_from_db()
        assert rights_of(user=person, survey=survey) == set()
        assert not surveys_to_release_from(user=person).exists()
        for address in ("/surveys/", f"/surveys/{survey.code}/", "/invited/", "/admin/"):
            assert client.get(address).status_code == 302, address


def test_a_view_gets_the_survey_and_all_rights_of_its_visitor() -> None:
    survey = make_draft()
    seen = []

    @survey_page("GET", right=Right.SEE)
    def page(request: SurveyRequest, survey: Survey) -> HttpResponse:
        seen.append((survey, request.rights))
        return HttpResponse()

    for user in (survey.owner, _member(survey, "analyst")):
        request = RequestFactory().get("/")
        request.user = user
        page(request, survey.code)
    assert seen == [(survey, set(Right)), (survey, RIGHTS["analyst"])]


def test_a_page_is_its_owners_unless_it_says_otherwise() -> None:
    survey = make_draft()
    request = RequestFactory().get("/")
    request.user = _member(survey, *Role.values)
    guarded = survey_page("GET")(lambda _request, _survey: pytest.fail("it was opened"))
    assert guarded(request, survey.code).status_code == 403


@pytest.mark.parametrize(
    ("role", "page", "named"),
    [
        ("releaser", "survey-results", "Analyst"),
        ("releaser", "survey-edit", "Editor"),
        ("analyst", "survey-open", "Editor"),
        ("editor", "survey-export", "Analyst"),
    ],
)
def test_a_member_reads_which_role_a_page_takes_and_who_gives_it(role: str, page: str, named: str) -> None:
    survey = make_draft(owner=make_user("olga"), title="Exams")
    response = client_of(_member(survey, role)).get(reverse(page, args=[survey.code]))
    assert response.status_code == 403
    text = text_of(response)
    assert "Exams" in text
    assert f"<strong>{named}</strong>" in text
    assert "<bdi>olga</bdi>" in text


def test_a_page_of_the_owner_names_no_role() -> None:
    survey = make_draft(owner=make_user("olga"))
    response = client_of(_member(survey, *Role.values)).get(reverse("survey-people", args=[survey.code]))
    assert (response.status_code, response.context["roles"]) == (403, [])
    assert "<bdi>olga</bdi>" in text_of(response)


def test_a_strangers_survey_takes_the_same_work_as_a_code_of_nobody() -> None:
    survey, stranger, work = make_draft(), make_user(), []
    for code in (survey.code, "NQPE23"):
        with CaptureQueriesContext(connection) as captured, pytest.raises(Survey.DoesNotExist):
            survey_for(user=stranger, code=code)
        work.append([query["sql"].replace(code, "CODE") for query in captured])
    assert work[0] == work[1]
    assert len(work[0]) == 1


def test_a_copy_to_rehearse_with_is_in_no_list_and_behind_no_code() -> None:
    survey = make_open()
    copy = make_open(owner=survey.owner, rehearsal_of=survey, title="Rehearsed")
    Rehearsal.objects.create(survey=copy, shares=[], left=[], respondents=10)
    with pytest.raises(Survey.DoesNotExist):
        survey_by_code(copy.code)
    assert set(surveys_of(user=survey.owner)) == {survey}
    assert set(surveys_to_release_from(user=survey.owner)) == {survey}
    assert Client().get(f"/s/{copy.code}/").status_code == 404
    assert Client().get("/join", {"code": copy.code}).status_code == 404
    client = owner_of(survey)
    assert client.get(f"/surveys/{copy.code}/results/").status_code == 200
    assert client.get(f"/surveys/{copy.code}/").status_code == 404
    assert "Rehearsed" not in text_of(client.get("/surveys/"))


def test_a_copy_belongs_to_whoever_rehearses_and_to_nobody_else() -> None:
    survey = make_open()
    editor = _member(survey, "editor")
    copy = make_open(owner=editor, rehearsal_of=survey)
    assert rights_of(user=editor, survey=copy) == set(Right)
    for other in (survey.owner, _member(survey, "editor", "analyst"), _member(copy, "analyst"), make_admin()):
        assert rights_of(user=other, survey=copy) == set()
