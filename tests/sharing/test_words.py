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
        ("survey-share", make_draft, "A link that somebody passes on opens the survey to others too."),
        ("survey-groups", make_open, "Members read the name of their group before they answer."),
        ("survey-groups", make_open, "It is stored with each answer, without chance."),
        ("survey-groups", _invited, "so these links by themselves open nothing."),
        ("survey-invitations", _invited, "fewer than 5 of 12 invitations"),
        (
            "survey-invitations",
            _invited,
            "In steps of 5 while answers come in, so that nobody sees a single one being used.",
        ),
        ("survey-invitations", _invited, "You see the links once, right after making them"),
    ],
)
def test_pages_of_sharing_warn_in_these_words(page: str, make: Callable[[], Survey], sentence: str) -> None:
    assert sentence in words_of(page_of(page, make()))
