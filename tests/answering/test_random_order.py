"""Random order on respondents' pages: the server sends what is written, and names no question by a number."""

import re

import pytest
from django.test import Client

from tests.factories import crosswise, make_open, one_of, plain, triangular, yes_no
from tests.pages import text_of, words_of

pytestmark = pytest.mark.django_db
_NUMBERED = re.compile(r"questions? \d+(?! question)", re.IGNORECASE)


def _promise(address: str) -> str:
    """Return what stands before the first question, and before the form without a script."""
    page = text_of(Client().get(address))
    practice = page[page.index('id="practice"') : page.index("</section>", page.index('id="checks"'))]
    return words_of(page[: page.index("<noscript>")] + practice)


def test_before_the_questions_none_is_called_by_a_number_that_the_phone_has_yet_to_draw() -> None:
    questions = [yes_no("Did you copy?"), plain(), one_of(), plain(text="Which subject?")]
    assert _NUMBERED.search(_promise(f"/s/{make_open(*questions).code}/"))
    promise = _promise(f"/s/{make_open(*questions, random_order=True).code}/")
    assert not _NUMBERED.search(promise)
    assert "Chance hides your answers, except to 2 questions" in promise
    assert "2 questions are not protected: they say so, and are sent as they are." in promise
    assert "Where chance protects least:" in promise
    assert "Harmless, with the chances of one of the questions." in promise


def test_what_proves_something_is_said_without_a_number_too() -> None:
    promise = _promise(f"/s/{make_open(triangular(), yes_no(), random_order=True).code}/")
    assert not _NUMBERED.search(promise)
    assert "Some reports prove something about the true answer, as their questions say." in promise
    assert "Some questions are different: there a report can prove the answer." in promise


def test_what_holds_for_every_flip_is_said_at_each_that_may_be_the_first() -> None:
    questions = [crosswise("A?"), yes_no("B?"), yes_no("C?"), plain()]
    pages = [text_of(Client().get(f"/s/{make_open(*questions, random_order=drawn).code}/")) for drawn in (False, True)]
    assert [page.count("The flip is final.") for page in pages] == [1, 2]


def test_pages_without_a_script_ask_in_the_written_order_and_say_nothing_of_it() -> None:
    survey = make_open(yes_no("A?"), one_of(text="B?", random_order=True), random_order=True, server_mode_allowed=True)
    for place in ("own-coin/", "server/"):
        page = words_of(text_of(Client().get(f"/s/{survey.code}/{place}")))
        assert page.index("Question 1 of 2") < page.index("A?") < page.index("Question 2 of 2") < page.index("B?")
        assert "random" not in page.lower()
