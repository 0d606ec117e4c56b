"""An instructor's page: a ready lesson with one press, steps one by one, and errors that name their field."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from surveys.lessons.ready import READY
from surveys.lessons.services import keep_finding
from surveys.models import Membership, Role, Survey
from tests.factories import make_draft, make_open, make_user, one_of, yes_no
from tests.lessons.lesson import COIN, found, given, taught
from tests.pages import owner_of, text_of

pytestmark = pytest.mark.django_db


def _press(survey: Survey, action: str, **fields: object) -> str:
    """Press a button, which leads back to the page, and return what it says then."""
    address = reverse("survey-lesson", args=[survey.code])
    answered = owner_of(survey).post(address, {"action": action, **fields}, follow=True)
    assert answered.redirect_chain == [(address, 302)]
    return text_of(answered)


def _refused(survey: Survey, action: str, **fields: object) -> str:
    answered = owner_of(survey).post(reverse("survey-lesson", args=[survey.code]), {"action": action, **fields})
    assert answered.status_code == 422
    page = text_of(answered)
    assert "<title>Error:" in page
    return page


@pytest.mark.parametrize("name", READY)
def test_a_ready_lesson_is_one_press_away(name: str) -> None:
    survey = make_open(yes_no("Have you ever?"))
    first = text_of(owner_of(survey).get(reverse("survey-lesson", args=[survey.code])))
    assert all(str(lesson.title) in first for lesson in READY.values())
    page = _press(survey, "ready", name=name)
    assert f"{len(given(survey).steps)} steps, {READY[name].minutes} minutes" in page
    assert all(step.title in page for step in given(survey).steps)
    assert "Have you ever?" in page


def test_the_surveys_own_page_leads_to_it_for_those_who_may_edit() -> None:
    survey, analyst = make_open(), make_user()
    Membership.objects.create(survey=survey, user=analyst, role=Role.ANALYST)
    link = f'href="{reverse("survey-lesson", args=[survey.code])}"'
    assert link in text_of(owner_of(survey).get(reverse("survey-detail", args=[survey.code])))
    assert link not in text_of(_signed_in(analyst).get(reverse("survey-detail", args=[survey.code])))


def test_pages_and_questions_are_added_moved_set_and_removed_by_plain_forms() -> None:
    survey = make_draft(yes_no(), one_of(text="How often?"))
    _press(survey, "add", what="page:coin", minutes="4")
    _press(survey, "add", what="question:2", minutes="6")
    page = _press(survey, "up", step="2")
    assert page.index("How often?</bdi>") < page.index("How can a coin")
    page = _press(survey, "down", step="1")
    assert page.index("How can a coin") < page.index("How often?</bdi>")
    page = _press(survey, "set", step="1", minutes="12", people="10", yes="70", truth="50")
    assert "12 minutes · People: 10 · Who mean Yes: 70 of 100 · Who speak for themselves: 50 of 100" in page
    assert "2 steps, 18 minutes" in page
    _press(survey, "set", step="2", minutes="2")
    page = _press(survey, "remove", step="1")
    assert "1 step, 2 minutes" in page
    # A draft's phones wait until it is open.
    assert "Phones can follow once the survey is open." in page


@pytest.mark.parametrize(
    ("action", "fields", "place", "words"),
    [
        ("add", {"what": "", "minutes": "5"}, "id_what", "Choose a page or a question."),
        ("add", {"what": "page:none", "minutes": "5"}, "id_what", "Choose one of the pages or questions"),
        ("add", {"what": "question:9", "minutes": "5"}, "id_what", "Choose one of the pages or questions"),
        ("add", {"what": "page:coin", "minutes": "0"}, "id_minutes", "greater than or equal to 1"),
        ("set", {"step": "1", "minutes": "500"}, "step1-minutes", "less than or equal to 90"),
        ("set", {"step": "1", "minutes": "5", "yes": "33"}, "step1-yes", "in steps of 5"),
    ],
)
def test_what_cannot_be_is_said_at_its_field(action: str, fields: dict[str, str], place: str, words: str) -> None:
    survey = taught()
    before = given(survey).stored.steps
    page = _refused(survey, action, **fields)
    assert f'href="#{place}"' in page
    assert f'id="{place}"' in page
    assert words in page
    assert given(survey).stored.steps == before


def test_a_full_lesson_says_so_at_the_field(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("surveys.lessons.services.MOST_STEPS", 5)
    assert "A lesson can have 5 steps at most." in _refused(taught(), "add", what="page:coin", minutes="5")


def test_what_is_not_there_any_more_is_told() -> None:
    survey = taught()
    for action, fields in (("remove", {"step": "9"}), ("up", {"step": "x"}), ("set", {"step": "²", "minutes": "5"})):
        assert "The lesson has no such step." in _press(survey, action, **fields)
    assert "Choose one of the ready lessons." in _refused(survey, "ready", name="none")
    assert len(given(survey).steps) == 5
    address = reverse("survey-lesson", args=[survey.code])
    assert owner_of(survey).post(address, {"action": "else"}).status_code == 400


def test_a_lost_question_is_named_as_lost_and_can_be_removed() -> None:
    survey = make_draft(yes_no(), yes_no("Another?"))
    _press(survey, "add", what="question:2", minutes="5")
    survey.questions.get(position=2).delete()
    assert "This step is gone" in text_of(owner_of(survey).get(reverse("survey-lesson", args=[survey.code])))
    assert "This step is gone" not in _press(survey, "remove", step="1")


def test_what_phones_found_is_counted_and_forgotten_by_a_button() -> None:
    survey = taught()
    for seed in (4, 5):
        keep_finding(lesson=given(survey).stored, step=COIN, seed=seed)
    page = text_of(owner_of(survey).get(reverse("survey-lesson", args=[survey.code])))
    assert "2 draws of phones are kept" in page
    assert "draws of phones" not in _press(survey, "forget")
    assert found(survey) == []


def _signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client
