"""An instructor's page: a ready lesson with one press, steps one by one, and errors that name their field."""

from typing import Any

import pytest
from django.urls import reverse

from surveys.common.forms import FieldProblem
from surveys.learn.pages import lab_pages
from surveys.lessons.ready import READY
from surveys.lessons.services import keep_finding
from surveys.lessons.words import controls_words, step_words
from surveys.models import Membership, Role, Survey
from tests.factories import make_draft, make_open, make_user, one_of, rewrite, yes_no
from tests.lessons.lesson import COIN, draws_of, given, taught
from tests.pages import client_of, owner_of, text_of

pytestmark = pytest.mark.django_db


def _press(survey: Survey, action: str, **fields: object) -> Any:  # noqa: ANN401 - as the client returns it
    """Press a button, which leads back to the page, and return it."""
    address = reverse("survey-lesson", args=[survey.code])
    answered = owner_of(survey).post(address, {"action": action, **fields}, follow=True)
    assert answered.redirect_chain == [(address, 302)]
    return answered


def _refused(survey: Survey, action: str, **fields: object) -> list[FieldProblem]:
    """Press a button in vain, and return what is wrong at which fields of the page."""
    answered = owner_of(survey).post(reverse("survey-lesson", args=[survey.code]), {"action": action, **fields})
    assert answered.status_code == 422
    page, problems = text_of(answered), answered.context["problems"]
    assert "<title>Error:" in page
    for problem in problems:
        if problem.field_id:
            assert f'href="#{problem.field_id}"' in page
            assert f'id="{problem.field_id}"' in page
    return list(problems)


def _shown(survey: Survey) -> list[tuple[str, int]]:
    """Return the steps of a lesson with their minutes."""
    return [(step.title, step.minutes) for step in given(survey).steps]


@pytest.mark.parametrize("name", READY)
def test_a_ready_lesson_is_one_press_away(name: str) -> None:
    survey = make_open(yes_no("Have you ever?"))
    first = text_of(owner_of(survey).get(reverse("survey-lesson", args=[survey.code])))
    assert all(str(lesson.title) in first for lesson in READY.values())
    page = _press(survey, "ready", name=name)
    lesson = page.context["lesson"]
    assert (len(lesson.steps), lesson.minutes) == (len(given(survey).steps), READY[name].minutes)
    assert all(step.title in text_of(page) for step in lesson.steps)
    assert "Have you ever?" in text_of(page)


def test_the_surveys_own_page_leads_to_it_for_those_who_may_edit() -> None:
    survey, analyst = make_open(), make_user()
    Membership.objects.create(survey=survey, user=analyst, role=Role.ANALYST)
    link = f'href="{reverse("survey-lesson", args=[survey.code])}"'
    assert link in text_of(owner_of(survey).get(reverse("survey-detail", args=[survey.code])))
    assert link not in text_of(client_of(analyst).get(reverse("survey-detail", args=[survey.code])))


def test_pages_and_questions_are_added_moved_set_and_removed_by_plain_forms() -> None:
    survey = make_draft(yes_no(), one_of(text="How often?"))
    _press(survey, "add", what="page:coin", minutes="4")
    _press(survey, "add", what="question:2", minutes="6")
    coin = str(lab_pages()["coin"].title)
    _press(survey, "up", step="2")
    assert _shown(survey) == [("How often?", 6), (coin, 4)]
    _press(survey, "down", step="1")
    assert _shown(survey) == [(coin, 4), ("How often?", 6)]
    page = _press(survey, "set", step="1", minutes="12", people="10", yes="70", truth="50")
    (first, _form), _second = page.context["entries"]
    assert {name: str(first.values[name]) for name in first.controls} == {"people": "10", "yes": "70", "truth": "50"}
    assert controls_words(first) in text_of(page)
    _press(survey, "set", step="2", minutes="2")
    _press(survey, "remove", step="1")
    assert _shown(survey) == [("How often?", 2)]


@pytest.mark.parametrize(
    ("action", "fields", "place", "named"),
    [
        ("add", {"what": "", "minutes": "5"}, "id_what", ""),
        ("add", {"what": "page:none", "minutes": "5"}, "id_what", ""),
        ("add", {"what": "question:9", "minutes": "5"}, "id_what", ""),
        ("add", {"what": "page:coin", "minutes": "0"}, "id_minutes", "1"),
        ("set", {"step": "1", "minutes": "500"}, "step1-minutes", "90"),
        ("set", {"step": "1", "minutes": "5", "yes": "33"}, "step1-yes", "5"),
    ],
)
def test_what_cannot_be_is_refused_at_its_field(action: str, fields: dict[str, str], place: str, named: str) -> None:
    survey = taught()
    before = given(survey).stored.steps
    (problem,) = _refused(survey, action, **fields)
    assert problem.field_id == place
    assert named in problem.message
    assert given(survey).stored.steps == before


def test_a_full_lesson_says_so_at_the_field(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("surveys.lessons.services.MOST_STEPS", 5)
    (problem,) = _refused(taught(), "add", what="page:coin", minutes="5")
    assert (problem.field_id, "5" in problem.message) == ("id_what", True)


def test_what_is_not_there_any_more_is_warned_of() -> None:
    survey = taught()
    for action, fields in (("remove", {"step": "9"}), ("up", {"step": "x"}), ("set", {"step": "²", "minutes": "5"})):
        page = _press(survey, action, **fields)
        assert [message.level_tag for message in page.context["messages"]] == ["warning"]
    assert len(_refused(survey, "ready", name="none")) == 1
    assert len(given(survey).steps) == 5
    address = reverse("survey-lesson", args=[survey.code])
    assert owner_of(survey).post(address, {"action": "else"}).status_code == 400


def test_a_lost_question_is_named_as_lost_and_can_be_removed() -> None:
    survey = make_draft(yes_no(), yes_no("Another?"))
    _press(survey, "add", what="question:2", minutes="5")
    rewrite(survey, 0, questions=survey.questions[:1])
    (lost,) = given(survey).steps
    page = text_of(owner_of(survey).get(reverse("survey-lesson", args=[survey.code])))
    assert step_words(lost) in page
    assert step_words(lost) not in text_of(_press(survey, "remove", step="1"))


def test_draws_of_phones_are_counted_and_forgotten_by_a_button() -> None:
    survey = taught()
    for seed in (4, 5):
        keep_finding(lesson=given(survey).stored, step=COIN, seed=seed)
    page = owner_of(survey).get(reverse("survey-lesson", args=[survey.code]))
    assert page.context["found"] == 2
    assert 'value="forget"' in text_of(page)
    assert 'value="forget"' not in text_of(_press(survey, "forget"))
    assert draws_of(survey) == []
