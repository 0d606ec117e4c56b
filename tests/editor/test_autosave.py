"""The editor saves by itself while somebody types: through the same door as the button, and without a version."""

import json
import re
from typing import Any

import pytest
from django.http.response import HttpResponseBase
from django.test import Client
from django.urls import reverse

from surveys.course.services import open_survey
from surveys.drafts.services import surveys
from surveys.drafts.services.surveys import save_draft
from surveys.models import Survey
from tests.editor.form import NEW, closed, posted, question
from tests.factories import make_draft, make_user, yes_no
from tests.pages import owner_of, signed_in, text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def survey() -> Survey:
    return make_draft(yes_no("First?"), title="Before")


def _address(survey: Survey) -> str:
    return reverse("survey-edit", args=[survey.code])


def _reply(response: HttpResponseBase) -> dict[str, Any]:
    assert response.status_code == 200
    reply: dict[str, Any] = json.loads(text_of(response))
    return reply


def _type(client: Client, survey: Survey, text: str, revision: int) -> dict[str, Any]:
    typed = posted(question(text=text), title="Before", action="autosave", revision=str(revision))
    return _reply(client.post(_address(survey), typed))


def _versions(survey: Survey) -> list[tuple[int, bool]]:
    return list(survey.saved_versions.values_list("number", "automatic"))


def test_a_new_survey_is_created_once_and_goes_on_at_its_own_address() -> None:
    client = signed_in()
    key = client.get(NEW).context["editor"].key
    reply = _reply(client.post(NEW, posted(question(text="Fir?"), key=key, action="autosave")))
    survey = Survey.objects.get()
    # Nobody has kept a version of it yet.
    assert client.get(reverse("survey-versions", args=[survey.code])).context["entries"] == []
    assert reply.keys() == {"words", "revision", "address"}
    assert (reply["revision"], reply["address"]) == (1, _address(survey))
    # Its answer may get lost: the same form saves over what it stored.
    again = _reply(client.post(NEW, posted(question(text="First?"), key=key, action="autosave")))
    assert (Survey.objects.get().questions[0].text, again["revision"]) == ("First?", 2)


def test_typing_on_makes_no_version_and_saving_makes_one(survey: Survey) -> None:
    client = owner_of(survey)
    revision = 1
    for text in ("F?", "Fi?", "Fir?"):
        revision = _type(client, survey, text, revision)["revision"]
    assert revision == 4
    assert _versions(survey) == [(4, True), (1, False)]
    listed = client.get(reverse("survey-versions", args=[survey.code])).context
    assert ([version.number for version, _changes in listed["entries"]], bool(listed["unfinished"])) == ([1], True)
    # The same content: saving keeps it as a version.
    assert client.post(_address(survey), posted(question(text="Fir?"), title="Before", revision="4")).status_code == 302
    assert _versions(survey) == [(4, False), (1, False)]
    # And more: one version for a sitting.
    _type(client, survey, "More?", 4)
    client.post(_address(survey), posted(question(text="Even more?"), title="Before", revision="5"))
    assert _versions(survey) == [(6, False), (4, False), (1, False)]


def test_two_tabs_never_overwrite_each_other(survey: Survey) -> None:
    client = owner_of(survey)
    assert _type(client, survey, "By the first?", 1)["revision"] == 2
    reply = _type(client, survey, "By the second?", 1)
    assert reply.keys() == {"words"}
    survey.refresh_from_db()
    assert survey.questions[0].text == "By the first?"
    shown = client.post(_address(survey), posted(question(text="By the second?"), title="Before", revision="1"))
    conflict = shown.context["conflict"]
    assert (shown.status_code, conflict.revision, conflict.by_reader) == (409, 2, True)
    # Mine over it: what the other tab had saved by itself is a version now, and can be restored.
    over = posted(question(text="By the second?"), title="Before", revision="1", action="over-2")
    assert client.post(_address(survey), over).status_code == 302
    assert _versions(survey) == [(3, False), (2, False), (1, False)]


def test_what_somebody_else_saved_by_itself_stays_when_another_person_goes_on(survey: Survey) -> None:
    ada = make_user("ada")
    save_draft(survey=survey, questions=[yes_no("Ada's?")], revision=1, by=ada, automatic=True)
    assert _type(owner_of(survey), survey, "Mine?", 2)["revision"] == 3
    assert _versions(survey) == [(3, True), (2, False), (1, False)]


def test_restoring_keeps_what_was_saved_by_itself(survey: Survey) -> None:
    client = owner_of(survey)
    _type(client, survey, "Typed?", 1)
    client.post(reverse("survey-restore", args=[survey.code, 1]), {"revision": "2"})
    survey.refresh_from_db()
    assert survey.questions[0].text == "First?"
    assert _versions(survey) == [(3, False), (2, False), (1, False)]


def test_what_is_not_finished_is_not_stored_and_the_reason_is_reply(survey: Survey) -> None:
    client = owner_of(survey)
    typed = posted(question(text="Typed?", truth="abc"), title="Before", action="autosave")
    reply = _reply(client.post(_address(survey), typed))
    assert reply.keys() == {"words"}
    assert re.search(r"\b1: .*“abc”", reply["words"])
    survey.refresh_from_db()
    assert survey.questions[0].text == "First?"


def test_a_question_nobody_typed_into_does_not_hold_up_the_rest(survey: Survey) -> None:
    blank = question(text="", truth="7/10")
    reply = _reply(
        owner_of(survey).post(_address(survey), posted(closed(text="Typed?"), blank, title="Before", action="autosave"))
    )
    assert reply["revision"] == 2
    survey.refresh_from_db()
    assert survey.questions[0].text == "Typed?"


def test_an_opened_survey_is_not_touched(survey: Survey) -> None:
    client = owner_of(survey)
    open_survey(survey=survey)
    reply = _type(client, survey, "Late?", 1)
    assert reply.keys() == {"words"}
    survey.refresh_from_db()
    assert survey.questions[0].text == "First?"


def test_strangers_save_nothing(survey: Survey) -> None:
    typed = posted(question(text="Theirs?"), action="autosave")
    assert signed_in().post(_address(survey), typed).status_code == 404
    assert Client().post(_address(survey), typed).status_code == 302
    survey.refresh_from_db()
    assert survey.questions[0].text == "First?"


def test_typing_for_hours_drops_no_version(survey: Survey, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(surveys, "KEPT", 3)
    revision = 1
    for number in range(2 * surveys.KEPT):
        save_draft(survey=survey, questions=[yes_no(f"{number}?")], revision=revision, by=survey.owner, automatic=True)
        revision += 1
    assert _versions(survey) == [(revision, True), (1, False)]


@pytest.mark.parametrize(("action", "page"), [("rehearse", "survey-rehearse"), ("open", "survey-open")])
def test_the_ways_on_save_first(survey: Survey, action: str, page: str) -> None:
    client = owner_of(survey)
    response = client.post(_address(survey), posted(question(text="Typed?"), title="Before", action=action))
    assert response["Location"] == reverse(page, args=[survey.code])
    survey.refresh_from_db()
    assert survey.questions[0].text == "Typed?"
    refused = client.post(_address(survey), posted(question(text=""), title="Before", action=action, revision="2"))
    assert refused.status_code == 422
    survey.refresh_from_db()
    assert survey.is_draft
