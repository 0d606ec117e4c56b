"""Opening a survey with questions that are sent as they are."""

import pytest
from django.core.exceptions import ValidationError
from django.urls import reverse

from surveys.common.selectors import definition_of
from surveys.course.services import open_survey
from surveys.models import State, Survey
from surveys.privacy.designs import total_epsilon
from tests.factories import make_draft, make_open, plain, triangular, yes_no
from tests.pages import owner_of, words_of

pytestmark = pytest.mark.django_db


def _page(survey: Survey) -> str:
    return words_of(owner_of(survey).get(reverse("survey-open", args=[survey.code])).content.decode())


def test_a_survey_with_nothing_to_protect_is_not_opened() -> None:
    draft = make_draft(plain())
    with pytest.raises(ValidationError, match="needs at least one question that chance protects"):
        open_survey(survey=draft, typed=draft.code)
    assert owner_of(draft).post(reverse("survey-open", args=[draft.code])).status_code == 422


def test_they_are_listed_and_never_added_to_epsilon() -> None:
    draft = make_draft(yes_no(), plain(), plain(text="Which subject?", options=("Law", "Arts")))
    definition = definition_of(draft)
    assert definition.unprotected == (2, 3)
    assert definition.proving == ()
    assert definition.epsilon == definition.bounded_epsilon == total_epsilon([definition.items[0].design.epsilon])
    assert "ε = 1.10 in all" in _page(draft)
    assert "2 questions are not protected: questions 2 and 3 are sent as they are." in _page(draft)
    assert "∞" not in _page(draft)
    assert open_survey(survey=draft).state == State.OPEN


def test_a_proof_beside_them_is_the_other_questions() -> None:
    survey = make_open(triangular(), plain())
    assert definition_of(survey).proving == (1,)


@pytest.mark.parametrize(
    "text", ["What is your religion?", "Were you ever abused at home?", "Did you take drugs this year?"]
)
def test_a_sensitive_one_opens_only_when_the_code_is_typed(text: str) -> None:
    draft = make_draft(yes_no(), plain(text=text))
    with pytest.raises(ValidationError, match="A sensitive answer is sent as it is"):
        open_survey(survey=draft)
    assert "Question 2 is sensitive and sent as it is" in _page(draft)
    client = owner_of(draft)
    assert client.post(reverse("survey-open", args=[draft.code]), {"code": "EXAM"}).status_code == 422
    assert client.post(reverse("survey-open", args=[draft.code]), {"code": draft.code.lower()}).status_code == 302


def test_what_is_not_sensitive_needs_nothing_typed() -> None:
    assert 'id="id_code"' not in _page(make_draft(yes_no(), plain()))
