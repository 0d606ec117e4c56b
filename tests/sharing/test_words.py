"""What those who share a survey are warned of, word for word and only here."""

from collections.abc import Callable

import pytest

from surveys.models import Survey
from surveys.sharing.services import invite, new_batch
from tests.factories import make_draft, make_open
from tests.pages import page_of, words_of

pytestmark = pytest.mark.django_db


def _invited() -> Survey:
    survey = make_open(by_invitation=True, minimum_n=5)
    invite(survey=survey, number=12, batch=new_batch())
    return survey


@pytest.mark.parametrize(
    ("page", "make", "sentence"),
    [
        ("survey-preview", make_open, "Nothing can be sent from here."),
        (
            "survey-share",
            make_draft,
            "Anyone who gets the link can answer. If each person should answer only once, choose “by invitation",
        ),
        (
            "survey-groups",
            make_open,
            "People in a group read the group’s name before they answer.",
        ),
        (
            "survey-groups",
            make_open,
            "The group is stored with each answer and isn’t randomized. Keep groups large",
        ),
        (
            "survey-groups",
            _invited,
            "This survey takes answers by invitation only, so these links don’t work on their own. Choose the",
        ),
        ("survey-invitations", _invited, "fewer than 5 of 12 invitations"),
        (
            "survey-invitations",
            _invited,
            "While answers come in, used invitations are counted in steps of 5, so that this page never shows a single "
            "invitation being used.",
        ),
        (
            "survey-invitations",
            _invited,
            "You can see, print or download the links only once, right after you create them. After that, we can’t "
            "show them to anyone, not even to you.",
        ),
    ],
)
def test_pages_of_sharing_warn_in_these_words(page: str, make: Callable[[], Survey], sentence: str) -> None:
    assert sentence in words_of(page_of(page, make()))
