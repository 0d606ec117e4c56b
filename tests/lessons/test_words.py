"""What a lesson claims of the draws of phones, and promises them, word for word and only here."""

import pytest
from django.test import Client

from surveys.learn.pages import lab_pages
from surveys.lessons.charts import class_shown
from surveys.lessons.selectors import LessonStep
from tests.lessons.lesson import taught
from tests.pages import text_of, words_of


@pytest.mark.parametrize(
    ("page", "seeds", "begins", "ends"),
    [
        ("coin", [1], "1 phone found ", ", and the true value is 30"),
        ("coin", [1, 1], "All 2 phones found ", ", and the true value is 30"),
        ("coin", [1, 2, 3], "3 phones found ", ", and the true value is 30"),
        # Where nothing is aimed at, there is no true value.
        ("floats", [1, 2], "2 phones ", ""),
    ],
)
def test_a_picture_of_the_class_says_what_phones_found(page: str, seeds: list[int], begins: str, ends: str) -> None:
    shown = class_shown(LessonStep(1, 5, page=lab_pages()[page]), seeds)
    assert shown is not None
    title = shown.charts[0].title
    assert title.startswith(begins)
    assert title.endswith(ends)
    assert ("true value" in title) == bool(ends)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("at", "sentence"),
    [
        (0, "This page follows the big screen automatically. No account, no name."),
        (1, "Only the number of your draw is sent. The draw contains no real people."),
        (2, "Answer on this phone. It may change your answer at random before sending it."),
    ],
)
def test_phones_are_promised_it_in_these_words(at: int, sentence: str) -> None:
    assert sentence in words_of(text_of(Client().get(f"/lesson/{taught(at=at).code}/")))
