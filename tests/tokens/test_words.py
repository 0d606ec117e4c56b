"""What the page of access tokens promises; tests/tokens/test_tokens.py shows that it holds."""

import pytest
from django.urls import reverse

from tests.pages import owner_of, page_of, text_of
from tests.tokens.programs import closed_survey

pytestmark = pytest.mark.django_db


def test_the_page_says_what_a_token_opens_and_how_it_ends() -> None:
    page = page_of("survey-tokens", closed_survey())
    assert "A token opens nothing else and can’t change anything." in page
    for end in ("loses access to the results", "changes their password", "is deactivated", "the survey is purged"):
        assert end in page


def test_a_new_token_is_said_to_be_shown_once() -> None:
    survey = closed_survey()
    made = owner_of(survey).post(reverse("survey-tokens", args=[survey.code]), {"label": "report", "days": "30"})
    assert "It won’t be shown again." in text_of(made)
    assert "It won’t be shown again." not in page_of("survey-tokens", survey)
