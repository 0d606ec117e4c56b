"""Opening a survey with questions that are sent as they are."""

import pytest
from django.core.exceptions import ValidationError
from django.urls import reverse

from surveys.common.selectors import definition_of
from surveys.course.services import open_survey
from surveys.models import State
from surveys.privacy.designs import total_epsilon
from tests.factories import make_draft, make_open, plain, triangular, yes_no
from tests.pages import owner_of, page_of

pytestmark = pytest.mark.django_db


def test_a_survey_with_nothing_to_protect_is_not_opened() -> None:
    draft = make_draft(plain())
    with pytest.raises(ValidationError):
        open_survey(survey=draft, typed=draft.code)
    assert owner_of(draft).post(reverse("survey-open", args=[draft.code])).status_code == 422


def test_they_are_listed_and_never_added_to_epsilon() -> None:
    draft = make_draft(yes_no(), plain(), plain(text="Which subject?", options=("Law", "Arts")))
    definition = definition_of(draft)
    assert definition.unprotected == (2, 3)
    assert definition.proving == ()
    assert definition.epsilon == definition.bounded_epsilon == total_epsilon([definition.items[0].design.epsilon])
    page = page_of("survey-open", draft)
    assert "ε = 1.10 in all" in page
    assert "∞" not in page
    assert open_survey(survey=draft).state == State.OPEN


def test_a_proof_beside_them_is_the_other_questions() -> None:
    survey = make_open(triangular(), plain())
    assert definition_of(survey).proving == (1,)


@pytest.mark.parametrize(
    "text", ["What is your religion?", "Were you ever abused at home?", "Did you take drugs this year?"]
)
def test_a_sensitive_one_opens_only_when_the_code_is_typed(text: str) -> None:
    draft = make_draft(yes_no(), plain(text=text))
    with pytest.raises(ValidationError) as refused:
        open_survey(survey=draft)
    assert list(refused.value.message_dict) == ["code"]
    client = owner_of(draft)
    assert client.get(reverse("survey-open", args=[draft.code])).context["sensitive"] == (2,)
    assert client.post(reverse("survey-open", args=[draft.code]), {"code": "EXAM"}).status_code == 422
    assert client.post(reverse("survey-open", args=[draft.code]), {"code": draft.code.lower()}).status_code == 302


def test_what_is_not_sensitive_needs_nothing_typed() -> None:
    assert 'id="id_code"' not in page_of("survey-open", make_draft(yes_no(), plain()))
