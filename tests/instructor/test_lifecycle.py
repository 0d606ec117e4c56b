"""Opening, pausing, resuming and closing, each said before it is done."""

import pytest
from django.urls import reverse

from surveys.models import State, Survey
from surveys.services.surveys import close_survey, create_survey, pause_survey
from tests.factories import fill, make_draft, make_open, make_user
from tests.instructor.editing import owner_of, text_of

pytestmark = pytest.mark.django_db


def _state(survey: Survey) -> str:
    return Survey.objects.get(pk=survey.pk).state


def _post(survey: Survey, name: str) -> str:
    return text_of(owner_of(survey).post(reverse(name, args=[survey.code]), follow=True))


def test_before_opening_the_page_says_that_the_design_freezes_and_opens_nothing() -> None:
    survey = make_draft()
    page = text_of(owner_of(survey).get(reverse("survey-open", args=[survey.code])))
    assert "Opening freezes the design" in page
    assert "Freeze and open" in page
    assert _state(survey) == State.DRAFT


def test_opening_accepts_answers() -> None:
    survey = make_draft()
    assert "Open: answers are being accepted." in _post(survey, "survey-open")
    assert _state(survey) == State.OPEN


def test_a_survey_without_questions_is_not_opened_and_says_why() -> None:
    survey = create_survey(owner=make_user(), title="Empty")
    response = owner_of(survey).post(reverse("survey-open", args=[survey.code]))
    assert response.status_code == 422
    page = text_of(response)
    assert "<title>Error: Open" in page
    assert "at least one question" in page
    assert _state(survey) == State.DRAFT


def test_a_survey_is_paused_and_resumed() -> None:
    survey = make_open()
    assert "Paused" in _post(survey, "survey-pause")
    assert _state(survey) == State.PAUSED
    assert "Open: answers" in _post(survey, "survey-open")
    assert _state(survey) == State.OPEN


def test_before_closing_the_page_says_that_it_is_for_good() -> None:
    survey = make_open()
    fill(survey, {"1": 3})
    page = text_of(owner_of(survey).get(reverse("survey-close", args=[survey.code])))
    assert "A closed survey never opens again. 3 answers came in." in page
    assert "The results stay hidden: they need 10 answers." in page
    assert _state(survey) == State.OPEN


def test_closing_is_for_good() -> None:
    survey = make_open()
    assert "Closed: the results are final." in _post(survey, "survey-close")
    assert "cannot become Open" in _post(survey, "survey-open")
    assert _state(survey) == State.CLOSED


@pytest.mark.parametrize("name", ["survey-pause", "survey-close"])
def test_a_draft_can_be_neither_paused_nor_closed(name: str) -> None:
    survey = make_draft()
    assert "cannot become" in _post(survey, name)
    assert _state(survey) == State.DRAFT


NEXT = {
    "draft": "survey-open",
    "open": "survey-share",
    "enough": "survey-results",
    "paused": "survey-open",
    "closed": "survey-results",
}


@pytest.mark.parametrize("stage", NEXT)
def test_the_page_of_a_survey_names_the_next_sensible_step(stage: str) -> None:
    survey = make_draft() if stage == "draft" else make_open()
    if stage == "enough":
        fill(survey, {"1": 10})
    if stage == "paused":
        pause_survey(survey=survey)
    if stage == "closed":
        close_survey(survey=survey)
    page = text_of(owner_of(survey).get(reverse("survey-detail", args=[survey.code])))
    next_step = page.split('id="next-title"')[1].split("</section>")[0]
    assert reverse(NEXT[stage], args=[survey.code]) in next_step


def test_a_draft_without_questions_is_sent_to_the_editor() -> None:
    survey = create_survey(owner=make_user(), title="Empty")
    for name in ("survey-results", "survey-figures", "survey-share", "survey-open"):
        assert owner_of(survey).get(reverse(name, args=[survey.code])).status_code == 200
    preview = owner_of(survey).get(reverse("survey-preview", args=[survey.code]))
    assert preview["Location"] == reverse("survey-edit", args=[survey.code])
    assert "Write questions" in text_of(owner_of(survey).get(reverse("survey-detail", args=[survey.code])))
