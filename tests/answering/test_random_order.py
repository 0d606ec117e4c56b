"""Random order on respondents' pages: the server sends what is written, and names no question by a number."""

import re

import pytest
from django.test import Client

from surveys.answering.words.grids import least_protected
from surveys.answering.words.promise import is_first_flip, odds_line
from surveys.common.selectors import definition_of
from tests.answering.parts import part
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
    survey = make_open(*questions, random_order=True)
    promise, definition = _promise(f"/s/{survey.code}/"), definition_of(survey)
    assert not _NUMBERED.search(promise)
    shown = least_protected(definition)
    assert shown
    assert shown.whose
    for words in (shown.whose, part("_headline", definition), part("_unprotected", definition)):
        assert words in promise


def test_what_proves_something_is_said_without_a_number_too() -> None:
    survey = make_open(triangular(), yes_no(), random_order=True)
    promise = _promise(f"/s/{survey.code}/")
    assert not _NUMBERED.search(promise)
    assert odds_line(definition_of(survey)) in promise


def test_what_holds_for_every_flip_is_said_at_each_that_may_be_the_first() -> None:
    questions = [crosswise("A?"), yes_no("B?"), yes_no("C?"), plain()]
    surveys = [make_open(*questions, random_order=drawn) for drawn in (False, True)]
    first = [[is_first_flip(each, asked) for each in asked.questions] for asked in map(definition_of, surveys)]
    assert first == [[False, True, False, False], [False, True, True, False]]
    # What is said at the first flip alone makes its line longer than that of another with the same chances.
    lines = [re.findall(r'id="once-[23]">(.*?)</p>', text_of(Client().get(f"/s/{each.code}/"))) for each in surveys]
    assert [one == other for one, other in lines] == [False, True]


def test_pages_without_a_script_ask_in_the_written_order_and_say_nothing_of_it() -> None:
    survey = make_open(yes_no("A?"), one_of(text="B?", random_order=True), random_order=True, server_mode_allowed=True)
    for place in ("own-coin/", "server/"):
        page = words_of(text_of(Client().get(f"/s/{survey.code}/{place}")))
        assert page.index("Question 1 of 2") < page.index("A?") < page.index("Question 2 of 2") < page.index("B?")
        assert not re.search(r"\brandom\b|\border\b", page.lower())
