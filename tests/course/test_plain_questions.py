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
    assert "ε = 1.10 in total" in page
    assert "∞" not in page
    assert open_survey(survey=draft).state == State.OPEN


def test_a_proof_beside_them_is_the_other_questions() -> None:
    survey = make_open(triangular(), plain())
    assert definition_of(survey).proving == (1,)
