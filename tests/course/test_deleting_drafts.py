"""Drafts deleted several at a time from the list, all or none; and those that nobody has touched, by themselves."""

import datetime as dt
from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.contrib.messages import get_messages
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from surveys.course import services
from surveys.course.services import archive_survey, begin_next_version, close_survey, delete_untouched, open_survey
from surveys.documents.services.creating import duplicate, restore_version
from surveys.documents.starters import STARTERS, start_from
from surveys.drafts.selectors import document_of
from surveys.drafts.services.groups import add_group
from surveys.drafts.services.surveys import NotAllowedNow, save_draft
from surveys.drafts.services.translating import translate_draft
from surveys.models import Lesson, Role, SavedVersion, Survey
from surveys.people.services import invite_person
from surveys.sharing.services import invite, new_batch
from tests.course.states import member_of
from tests.factories import make_budget, make_draft, make_open, make_user, rewrite, yes_no
from tests.pages import owner_of, signed_in, text_of, words_of
from tests.rehearsing.rehearsals import rehearse

pytestmark = pytest.mark.django_db

ADDRESS = "/surveys/delete-drafts/"
LATER = timezone.now() + dt.timedelta(days=366)


@pytest.fixture
def owner() -> User:
    return make_user()


def _ask(client: Client, *drafts: Survey) -> HttpResponse:
    response = client.get(ADDRESS, {"draft": [draft.code for draft in drafts]})
    assert isinstance(response, HttpResponse)
    return response


def _delete(client: Client, *drafts: Survey) -> str:
    """Delete them, and return how the list then says what came of it."""
    response = client.post(ADDRESS, {"draft": [draft.code for draft in drafts]})
    assert (response.status_code, response["Location"]) == (302, reverse("survey-list"))
    return [str(message.level_tag) for message in get_messages(response.wsgi_request)][-1]


def test_the_list_offers_drafts_that_the_reader_may_delete_and_nothing_else(owner: User) -> None:
    mine = make_draft(owner=owner)
    make_open(owner=owner)
    shared = make_draft()
    client = member_of(shared, Role.EDITOR, user=owner)
    page = text_of(client.get(reverse("survey-list")))
    assert page.count('name="draft"') == 1
    assert f'form="drafts" name="draft" value="{mine.code}"' in page
    assert f'id="drafts" action="{ADDRESS}"' in page
    mine.delete()
    assert 'id="drafts"' not in text_of(client.get(reverse("survey-list")))


def test_what_is_selected_is_named_and_only_then_deleted(owner: User) -> None:
    first, second, third = (make_draft(owner=owner, title=title) for title in ("One", "Two", "Three"))
    client = owner_of(first)
    page = _ask(client, first, second)
    assert vars(page)["context"]["drafts"] == [first, second]
    assert "Three" not in text_of(page)
    assert Survey.objects.count() == 3
    assert _delete(client, first, second) == "success"
    assert list(Survey.objects.all()) == [third]


@pytest.mark.parametrize("what", ["opened", "foreign", "shared", "gone", "none", "rehearsal"])
def test_with_one_that_may_not_be_deleted_nothing_is_and_no_more_is_said(owner: User, what: str) -> None:
    draft, other = make_draft(owner=owner), make_draft(title="Somebody else’s")
    client = owner_of(draft)
    if what == "opened":
        other = make_open(owner=owner)
    elif what == "shared":
        member_of(other, Role.EDITOR, user=owner)
    elif what == "rehearsal":
        other = make_draft(owner=owner, rehearsal_of=draft)
    elif what == "gone":
        Survey.objects.filter(pk=other.pk).delete()
    chosen = [] if what == "none" else [draft, other]
    before = Survey.objects.count()
    assert _ask(client, *chosen).status_code == 302
    assert _delete(client, *chosen) == "warning"
    assert Survey.objects.count() == before


def test_of_somebody_elses_draft_not_even_the_title_is_said(owner: User) -> None:
    mine, other = make_draft(owner=owner), make_draft(title="Somebody else’s")
    client = owner_of(mine)
    said = [client.get(ADDRESS, {"draft": [mine.code, code]}, follow=True) for code in (other.code, "NSCH22")]
    assert words_of(text_of(said[0])) == words_of(text_of(said[1]))


def test_one_that_the_ledger_keeps_keeps_all_and_is_named(owner: User) -> None:
    first, kept = make_draft(owner=owner), make_draft(owner=owner, title="Charged")
    make_budget(kept)
    with pytest.raises(NotAllowedNow, match="“Charged”"):
        services.delete_drafts(surveys=[first, kept])
    assert Survey.objects.count() == 2
    assert _delete(owner_of(first), first, kept) == "warning"
    assert Survey.objects.count() == 2


@pytest.mark.parametrize(
    "meanwhile",
    [lambda draft: open_survey(survey=draft), lambda draft: Survey.objects.filter(pk=draft.pk).delete()],
    ids=["opened", "deleted"],
)
def test_one_that_is_opened_or_deleted_meanwhile_keeps_all(
    owner: User, monkeypatch: pytest.MonkeyPatch, meanwhile: Callable[[Survey], object]
) -> None:
    first, second = make_draft(owner=owner), make_draft(owner=owner)

    def late(*, surveys: list[Survey]) -> None:
        meanwhile(second)
        services.delete_drafts(surveys=surveys)

    monkeypatch.setattr("surveys.course.views.delete_drafts", late)
    assert _delete(owner_of(first), first, second) == "warning"
    assert Survey.objects.filter(pk=first.pk).exists()


def test_a_stranger_is_asked_to_sign_in() -> None:
    assert reverse("login") in Client().get(ADDRESS)["Location"]
    assert _delete(signed_in(), make_draft()) == "warning"
    assert Survey.objects.count() == 1


# Drafts made from a template that nobody has touched.


def _started(language: str = "en", starter: int = 0) -> Survey:
    return start_from(STARTERS[starter], owner=make_user(), language=language)


def _swept(now: dt.datetime = LATER) -> list[str]:
    return [survey.code for survey in delete_untouched(now=now)]


@pytest.mark.parametrize("language", ["en", "de", "es"])
@pytest.mark.parametrize("starter", range(len(STARTERS)))
def test_a_templates_draft_that_nobody_has_touched_goes_after_a_year_and_once(language: str, starter: int) -> None:
    draft = _started(language, starter)
    assert _swept(timezone.now() + dt.timedelta(days=364)) == []
    assert _swept() == [draft.code]
    assert _swept() == []
    assert not Survey.objects.exists()


def _typed(draft: Survey) -> None:
    save_draft(survey=draft, questions=[yes_no()])


def _typed_and_restored(draft: Survey) -> None:
    _typed(draft)
    version = SavedVersion.objects.get(survey=draft, number=1)
    restore_version(survey=draft, version=version, revision=2, by=draft.owner)
    Survey.objects.filter(pk=draft.pk).update(updated_at=draft.updated_at)


def _invited(draft: Survey) -> None:
    rewrite(draft, 0, by_invitation=True)
    invite(survey=draft, number=1, batch=new_batch())


TOUCHES: dict[str, Callable[[Survey], object]] = {
    "typed": _typed,
    "typed and restored": _typed_and_restored,
    "typed by hand": lambda draft: rewrite(draft, 0, title="Typed"),
    "translated": lambda draft: translate_draft(survey=draft, code="de", words={draft.title: "Titel"}, revision=1),
    "opened": lambda draft: open_survey(survey=draft, typed=draft.code),
    "archived": lambda draft: archive_survey(survey=draft),
    "with a group": lambda draft: add_group(survey=draft, name="Monday"),
    "with an invitation": _invited,
    "with a member": lambda draft: member_of(draft, Role.EDITOR),
    "with somebody asked": lambda draft: invite_person(survey=draft, by=draft.owner, to="somebody", roles=["editor"]),
    "with a lesson": lambda draft: Lesson.objects.create(survey=draft),
    "with a budget": make_budget,
    "being rehearsed": rehearse,
}


@pytest.mark.parametrize("touch", TOUCHES)
def test_a_draft_that_somebody_has_touched_stays_for_ever(touch: str) -> None:
    draft = _started()
    TOUCHES[touch](draft)
    assert _swept(LATER + dt.timedelta(days=10_000)) == []
    assert Survey.objects.filter(pk=draft.pk).exists()


def test_what_was_typed_imported_copied_or_follows_another_stays() -> None:
    typed = make_draft()
    duplicate(survey=typed, owner=typed.owner)
    begin_next_version(survey=close_survey(survey=make_open()))
    assert _swept() == []
    assert Survey.objects.count() == 4


def test_a_change_that_comes_between_keeps_the_draft(monkeypatch: pytest.MonkeyPatch) -> None:
    draft = _started()
    monkeypatch.setattr(services, "is_as_started", lambda survey: bool(add_group(survey=survey, name="Late")))
    assert _swept() == []
    assert Survey.objects.filter(pk=draft.pk).exists()


def test_one_that_fails_keeps_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    drafts = [_started(), _started()]
    delete = services.delete_draft

    def failing(*, survey: Survey) -> None:
        delete(survey=survey)
        if survey == drafts[0]:
            raise ValueError

    monkeypatch.setattr(services, "delete_draft", failing)
    assert _swept() == [drafts[1].code]
    assert list(Survey.objects.all()) == [drafts[0]]
    assert document_of(drafts[0])["questions"]
