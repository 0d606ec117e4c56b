"""Those who take part in a survey: other roles, no role, leaving, and the survey in other hands."""

import pytest
from django.db import transaction
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from surveys.common.selectors import rights_of
from surveys.drafts.services.surveys import NotAllowedNow
from surveys.models import Membership, Right, RoleInvitation, Survey
from surveys.people import services
from tests.factories import make_draft, make_open, make_user
from tests.pages import client_of, owner_of, text_of
from tests.people.asking import act, ask, member_of, roles_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def survey() -> Survey:
    return make_draft(owner=make_user("olga", email="olga@example.org"), title="Exams")


@pytest.fixture
def owner(survey: Survey) -> Client:
    return owner_of(survey)


def test_roles_are_changed_and_people_removed(survey: Survey, owner: Client) -> None:
    bert = member_of(survey, "editor", "analyst", username="bert")
    since = Membership.objects.get(user=bert, role="analyst").created_at
    act(owner, survey, "change", person="bert", roles=["analyst", "releaser"])
    assert roles_in(survey, bert) == ["analyst", "releaser"]
    assert Membership.objects.get(user=bert, role="analyst").created_at == since
    response = act(owner, survey, "change", person="bert", roles=[])
    assert (response.status_code, roles_in(survey, bert)) == (422, ["analyst", "releaser"])
    assert len(response.context["problems"]) == 1
    act(owner, survey, "remove", person="bert")
    assert roles_in(survey, bert) == []
    assert client_of(bert).get(reverse("survey-detail", args=[survey.code])).status_code == 404
    for action in ("change", "remove"):
        assert act(owner, survey, action, person="bert", roles=["editor"]).status_code == 404
        assert act(owner, survey, action, person="olga", roles=["editor"]).status_code == 404


def test_a_member_sees_their_roles_and_leaves(survey: Survey) -> None:
    bert = member_of(survey, "editor", username="bert")
    client = client_of(bert)
    address = reverse("survey-leave", args=[survey.code])
    response = client.get(address)
    assert response.context["member"].roles == ("editor",)
    assert "<bdi>olga</bdi>" in text_of(response)
    client.post(address)
    assert roles_in(survey, bert) == []
    assert client.post(address).status_code == 404


def test_somebody_who_loses_the_drafts_loses_their_rehearsals_of_it(survey: Survey, owner: Client) -> None:
    for action, fields in (("remove", {}), ("change", {"roles": ["analyst"]})):
        bert = member_of(survey, "editor", "analyst")
        copy = make_open(owner=bert, rehearsal_of=survey)
        assert Right.ANALYSE in rights_of(user=bert, survey=copy)
        # At once, even while the copy is there.
        with transaction.atomic():
            Membership.objects.filter(user=bert, role="editor").delete()
            assert rights_of(user=bert, survey=copy) == frozenset()
            transaction.set_rollback(True)
        act(owner, survey, action, person=bert.get_username(), **fields)
        assert not Survey.objects.filter(pk=copy.pk).exists()


def _offer(owner: Client, survey: Survey, to: str, **fields: str) -> HttpResponse:
    return owner.post(reverse("survey-transfer", args=[survey.code]), {"to": to, "code": survey.code} | fields)


@pytest.mark.parametrize("stays", [True, False])
def test_a_survey_is_another_persons_only_after_their_yes(survey: Survey, owner: Client, stays: bool) -> None:
    olga, bert = survey.owner, member_of(survey, "releaser", username="bert")
    ask(owner, survey, "carl")
    _offer(owner, survey, "bert", **({"stays": "on"} if stays else {}))
    client = client_of(bert)
    assert Survey.objects.get(pk=survey.pk).owner == olga
    assert reverse("invited-as-owner", args=[survey.code]) in text_of(client.get(reverse("invited")))
    invitation = client.get(reverse("invited-as-owner", args=[survey.code])).context["invitation"]
    assert (invitation.ownership, bool(invitation.roles)) == (True, stays)
    client.post(reverse("invited-as-owner", args=[survey.code]), {"answer": "yes"})
    assert Survey.objects.get(pk=survey.pk).owner == bert
    assert roles_in(survey, olga) == (["analyst", "editor"] if stays else [])
    assert roles_in(survey, bert) == []
    assert owner.get(reverse("survey-people", args=[survey.code])).status_code == (403 if stays else 404)
    assert owner.get(reverse("survey-detail", args=[survey.code])).status_code == (200 if stays else 404)
    # What olga asked of others is not for bert to answer for.
    assert not RoleInvitation.objects.exists()


def test_an_offer_is_declined_withdrawn_replaced_and_ends_with_the_membership(survey: Survey, owner: Client) -> None:
    bert, carl = member_of(survey, username="bert"), member_of(survey, username="carl")
    address = reverse("invited-as-owner", args=[survey.code])
    _offer(owner, survey, "bert")
    client_of(bert).post(address, {"answer": "no"})
    assert client_of(bert).post(address, {"answer": "yes"}).status_code == 404
    _offer(owner, survey, "bert")
    _offer(owner, survey, "carl")
    assert client_of(bert).get(address).status_code == 404
    assert client_of(carl).get(address).status_code == 200
    act(owner, survey, "withdraw", recipient="carl", offer="ownership")
    assert client_of(carl).get(address).status_code == 404
    _offer(owner, survey, "carl")
    client_of(carl).post(reverse("survey-leave", args=[survey.code]))
    assert client_of(carl).post(address, {"answer": "yes"}).status_code == 404
    assert Survey.objects.get(pk=survey.pk).owner == survey.owner


@pytest.mark.parametrize("fields", [{"to": ""}, {"to": "stranger"}, {"code": ""}, {"code": "WRONG1"}], ids=str)
def test_an_offer_is_made_to_a_member_by_typing_the_code(survey: Survey, owner: Client, fields: dict[str, str]) -> None:
    make_user("stranger")
    member_of(survey, username="bert")
    response = _offer(owner, survey, **({"to": "bert"} | fields))
    assert response.status_code == 422
    assert [problem.field_id for problem in response.context["problems"]] == [f"id_{name}" for name in fields]
    assert not RoleInvitation.objects.exists()


def test_services_refuse_whoever_is_not_the_owner_by_then(survey: Survey) -> None:
    bert = member_of(survey, username="bert")
    attempts = (
        lambda: services.invite_person(survey=survey, by=bert, to="carl", roles=["editor"]),
        lambda: services.withdraw_invitation(survey=survey, by=bert, recipient="carl", ownership=False),
        lambda: services.change_roles(survey=survey, by=bert, person=bert, roles=["releaser"]),
        lambda: services.remove_person(survey=survey, by=bert, person=bert),
        lambda: services.offer_survey(survey=survey, by=bert, to=bert, stays=True),
    )
    for attempt in attempts:
        with pytest.raises(NotAllowedNow):
            attempt()
    assert roles_in(survey, bert) == ["editor"]
