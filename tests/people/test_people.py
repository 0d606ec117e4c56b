"""The people of a survey: asked by its owner, taking part only after a yes, found out about by nobody."""

import datetime as dt
import re

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from surveys.drafts.services.surveys import NotAllowedNow
from surveys.models import Membership, Role, RoleInvitation, Survey
from surveys.people import selectors
from surveys.people import services as service
from surveys.people.words import role_name, role_says
from tests.factories import make_draft, make_user
from tests.pages import client_of, owner_of, text_of
from tests.people.asking import act, ask, link_in_mail, masked, member_of, page_of, roles_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def survey() -> Survey:
    return make_draft(owner=make_user("olga", email="olga@example.org"), title="Exams")


@pytest.fixture
def owner(survey: Survey) -> Client:
    return owner_of(survey)


def test_a_person_asked_by_name_finds_it_says_yes_and_has_the_roles(survey: Survey, owner: Client) -> None:
    ada, address = make_user("ada"), reverse("survey-detail", args=[survey.code])
    ask(owner, survey, "ada", "editor", "releaser")
    client = client_of(ada)
    assert client.get(address).status_code == 404
    assert roles_in(survey, ada) == []
    waiting = text_of(client.get(reverse("invited")))
    assert "olga" in waiting
    assert "Exams" in waiting
    response = client.get(reverse("invited-by-name", args=[survey.code]))
    invitation, page = response.context["invitation"], text_of(response)
    assert (invitation.ownership, list(invitation.roles)) == (False, ["editor", "releaser"])
    assert [role_says(role) in page for role in Role] == [role in invitation.roles for role in Role]
    client.post(reverse("invited-by-name", args=[survey.code]), {"answer": "yes"})
    assert roles_in(survey, ada) == ["editor", "releaser"]
    assert client.get(address).status_code == 200
    assert client.get(reverse("survey-results", args=[survey.code])).status_code == 403
    assert not RoleInvitation.objects.exists()
    # The owner sees who was given what, by whom and when.
    [entry] = owner.get(reverse("survey-people", args=[survey.code])).context["entries"]
    for given in entry.member.memberships:
        assert given.invited_by == survey.owner
        assert re.search(
            rf"{role_name(given.role)} [^<]*{given.created_at:%Y}[^<]*<bdi>olga</bdi>", page_of(owner, survey)
        )


def test_whoever_declines_is_asked_no_more_and_the_owner_sees_no_difference(survey: Survey, owner: Client) -> None:
    ada = make_user("ada")
    ask(owner, survey, "ada")
    owner.get(reverse("survey-people", args=[survey.code]))
    before = masked(page_of(owner, survey))
    client = client_of(ada)
    client.post(reverse("invited-by-name", args=[survey.code]), {"answer": "no"})
    assert masked(page_of(owner, survey)) == before
    assert not client.get(reverse("invited")).context["waiting"]
    assert client.get(reverse("invited-by-name", args=[survey.code])).status_code == 404
    assert roles_in(survey, ada) == []


def test_asking_a_name_that_nobody_has_cannot_be_told_from_asking_one_that_somebody_has(survey: Survey) -> None:
    make_user("xavier.a")
    make_user("asleep.c", is_active=False)
    answers, queries = {}, {}
    for name in ("xavier.a", "nobody.b", "asleep.c"):
        with transaction.atomic():
            client = owner_of(survey)
            with CaptureQueriesContext(
                connection,
            ) as captured:
                answered = ask(client, survey, name)
            pages = (answered.status_code, answered["Location"], page_of(client, survey), page_of(client, survey))
            again = ask(client, survey, name)
            answers[name] = masked(repr((pages, again.content)), name)
            queries[name] = [re.sub(r"'[^']*'|\d+|NULL", "?", query["sql"]) for query in captured]
            transaction.set_rollback(True)
    assert answers["xavier.a"] == answers["nobody.b"] == answers["asleep.c"]
    # Nor by the work that it makes.
    assert queries["xavier.a"] == queries["nobody.b"] == queries["asleep.c"]


def test_an_account_that_is_made_later_under_that_name_was_not_asked(survey: Survey, owner: Client) -> None:
    ask(owner, survey, "future")
    future = make_user("future")
    assert not selectors.waiting_for(future).exists()
    assert client_of(future).get(reverse("invited-by-name", args=[survey.code])).status_code == 404


def test_a_mail_asks_whoever_opens_its_link_once(survey: Survey, owner: Client) -> None:
    ada, bert = make_user("ada"), make_user("bert")
    answered = ask(owner, survey, "Ada@Example.org", "analyst")
    assert text_of(owner.get(answered["Location"])).count("Ada@Example.org") > 1
    (message,) = mail.outbox
    assert message.to == ["Ada@Example.org"]
    assert "Exams" not in message.subject
    assert [name for name in ("olga", "“Exams”") if name not in str(message.body)] == []
    link = link_in_mail()
    assert Client().get(link)["Location"] == f"{reverse('login')}?next={link}"
    client = client_of(ada)
    # Looking is not accepting: programs follow links in mails.
    assert "<bdi>ada</bdi>" in text_of(client.get(link))
    assert roles_in(survey, ada) == []
    assert client.post(link, {}).status_code == 400
    assert client.post(link, {"answer": "yes"})["Location"] == reverse("survey-detail", args=[survey.code])
    assert roles_in(survey, ada) == ["analyst"]
    for again in (client, client_of(bert)):
        assert again.get(link).status_code == 404
        assert again.post(link, {"answer": "yes"}).status_code == 404
    assert roles_in(survey, bert) == []


def test_the_owner_cannot_take_the_invitation_that_is_meant_for_somebody_else(survey: Survey, owner: Client) -> None:
    ask(owner, survey, "ada@example.org")
    assert 'name="answer"' not in text_of(owner.get(link_in_mail()))
    owner.post(link_in_mail(), {"answer": "yes"})
    assert not Membership.objects.exists()
    assert RoleInvitation.objects.count() == 1


@pytest.mark.parametrize("answer", ["yes", "no"])
def test_what_is_over_withdrawn_or_from_a_former_owner_is_gone(survey: Survey, owner: Client, answer: str) -> None:
    ada = make_user("ada")
    client = client_of(ada)

    def gone() -> bool:
        addresses = (reverse("invited-by-name", args=[survey.code]), link_in_mail())
        answers = {client.post(address, {"answer": answer}).status_code for address in addresses}
        return answers == {404} and roles_in(survey, ada) == [] and not selectors.waiting_for(ada).exists()

    def asked() -> None:
        RoleInvitation.objects.all().delete()
        ask(owner, survey, "ada")
        ask(owner, survey, "ada@example.org")
        assert selectors.waiting_for(ada).exists()

    asked()
    RoleInvitation.objects.update(expires_at=timezone.now() - dt.timedelta(seconds=1))
    assert gone()
    asked()
    for recipient in ("ada", "ada@example.org"):
        act(owner, survey, "withdraw", recipient=recipient)
    assert not RoleInvitation.objects.exists()
    assert gone()
    asked()
    User.objects.filter(pk=survey.owner_id).update(is_active=False)
    assert gone()
    User.objects.filter(pk=survey.owner_id).update(is_active=True)
    asked()
    Survey.objects.filter(pk=survey.pk).update(owner=make_user())
    assert gone()


@pytest.mark.parametrize(
    ("to", "roles", "field"),
    [
        ("", ["editor"], "to"),
        ("   ", ["editor"], "to"),
        ("ada", [], "roles_0"),
        ("ada", ["owner"], "roles_0"),
        ("ada", ["editor", "x"], "roles_0"),
        ("@", ["editor"], "to"),
        ("ada@", ["editor"], "to"),
        ("a@b\nBcc: all@example.org", ["editor"], "to"),
        ("a" * 300, ["editor"], "to"),
        ("olga", ["editor"], "to"),
        ("OLGA", ["editor"], "to"),
        ("olga@example.org", ["editor"], "to"),
        ("bert", ["analyst"], "to"),
        ("asked", ["analyst"], "to"),
        ("ASKED", ["analyst"], "to"),
        ("a\x00b", ["editor"], "to"),
    ],
)
def test_what_cannot_be_asked_is_refused_by_name_and_stores_and_sends_nothing(
    survey: Survey, owner: Client, to: str, roles: list[str], field: str
) -> None:
    member_of(survey, "editor", username="bert")
    ask(owner, survey, "asked")
    response = act(owner, survey, "invite", to=to, roles=roles)
    assert response.status_code == 422
    assert [problem.field_id for problem in response.context["problems"]] == [f"id_{field}"]
    assert RoleInvitation.objects.count() == 1
    assert mail.outbox == []


def test_whoever_is_asked_without_a_role_is_led_to_the_first_of_them(survey: Survey, owner: Client) -> None:
    response = act(owner, survey, "invite", to="ada", roles=[])
    [problem], page = response.context["problems"], text_of(response)
    assert problem.field_id == "id_roles_0"
    assert '<a href="#id_roles_0">' in page
    assert 'id="id_roles_0"' in page
    assert f'id="id_roles_error">{problem.message}<' in page
    member = member_of(survey, "editor", username="bert")
    page = text_of(act(owner, survey, "change", person="bert", roles=[]))
    assert f'<a href="#id_{member.pk}_roles_0">' in page


def test_fifty_people_are_the_most_and_neither_mailbox_is_filled(
    survey: Survey, owner: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "MOST_PEOPLE", 3)
    member_of(survey)
    ask(owner, survey, "first")
    ask(owner, survey, "second")
    assert [problem.field_id for problem in ask(owner, survey, "third").context["problems"]] == ["id_to"]
    assert RoleInvitation.objects.count() == 2
    for _ in range(2):
        monkeypatch.setattr(service, "MOST_PEOPLE", 50)
        RoleInvitation.objects.all().delete()
        ask(owner, survey, "ada@example.org")
    assert len(mail.outbox) == 2
    act(owner, survey, "withdraw", recipient="ada@example.org")
    ask(owner, survey, "ada@example.org")
    act(owner, survey, "withdraw", recipient="ada@example.org")
    assert ask(owner, survey, "ADA@example.org").status_code == 422
    monkeypatch.setattr(service, "MAILS_FROM_ONE", 4)
    assert ask(owner, survey, "other@example.org").status_code == 422
    assert len(mail.outbox) == 3


def test_an_invitation_whose_mail_is_not_sent_is_not_kept(survey: Survey, owner: Client, settings: object) -> None:
    settings.MAILERS = {"default": {"BACKEND": "tests.people.test_people.Broken"}}  # type: ignore[attr-defined]
    assert ask(owner, survey, "ada@example.org").status_code == 422
    assert not RoleInvitation.objects.exists()


class Broken:
    """A mail server that is not there."""

    def __init__(self, **_options: object) -> None: ...

    def send_messages(self, _messages: object) -> int:
        raise ConnectionRefusedError


def test_of_two_answers_to_one_link_the_second_is_refused(survey: Survey, owner: Client) -> None:
    ask(owner, survey, "ada@example.org")
    seen_twice = [RoleInvitation.objects.select_related("invited_by").get() for _ in range(2)]
    service.accept_roles(invitation=seen_twice[0], user=make_user())
    late = make_user()
    with pytest.raises(NotAllowedNow):
        service.accept_roles(invitation=seen_twice[1], user=late)
    assert Membership.objects.count() == 1


def test_the_database_keeps_to_the_rules_too(survey: Survey) -> None:
    ada = make_user()
    wrong: tuple[dict[str, object], ...] = (
        {"recipient": "nothing"},
        {"recipient": "both", "editor": True, "user": ada, "token_hash": b"x" * 16},
    )
    for fields in wrong:
        with transaction.atomic(), pytest.raises(IntegrityError):
            RoleInvitation.objects.create(survey=survey, invited_by=survey.owner, **fields)
    for role in ("owner", ""):
        with transaction.atomic(), pytest.raises(IntegrityError):
            Membership.objects.create(survey=survey, user=ada, role=role)
    Membership.objects.create(survey=survey, user=ada, role=Role.EDITOR)
    with transaction.atomic(), pytest.raises(IntegrityError):
        Membership.objects.create(survey=survey, user=ada, role=Role.EDITOR)


def test_the_token_is_stored_as_a_keyed_hash_alone(survey: Survey, owner: Client, settings: object) -> None:
    ask(owner, survey, "ada@example.org")
    token = link_in_mail().split("/")[-2]
    row = RoleInvitation.objects.get()
    assert token not in repr(RoleInvitation.objects.values_list())
    assert len(bytes(row.token_hash or b"")) == 16
    # Another key knows nothing of it; while keys are rotated, the link works.
    earlier = settings.SECRET_KEY  # type: ignore[attr-defined]
    settings.SECRET_KEY = "another" * 10  # type: ignore[attr-defined]
    with pytest.raises(RoleInvitation.DoesNotExist):
        selectors.waiting_behind(token)
    settings.SECRET_KEY_FALLBACKS = [earlier]  # type: ignore[attr-defined]
    assert selectors.waiting_behind(token) == row
