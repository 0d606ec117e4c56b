"""Sentences with a promise or a warning that the pages of these walks show, each held here alone."""

from html import unescape

import pytest
from django.test import Client

from surveys.answering.words.scripts import browser_words
from surveys.questionnaire.question import Question
from tests.factories import crosswise, make_open, yes_no
from tests.pages import text_of

SAID = [
    (yes_no(), "", "You declined, so nothing was sent or stored. You can close this page."),
    (yes_no(), "server/", "You need to trust this server for a moment"),
    (yes_no(), "", "they can’t. Every report can come from either answer, so a report proves nothing."),
    (crosswise(), "", "An invented person. Nothing here is about you."),
]


@pytest.mark.django_db
@pytest.mark.parametrize(("question", "place", "sentence"), SAID, ids=[sentence for *_, sentence in SAID])
def test_a_page_says(question: Question, place: str, sentence: str) -> None:
    survey = make_open(question, consent="Freely.", server_mode_allowed=True)
    assert sentence in unescape(text_of(Client().get(f"/s/{survey.code}/{place}")))


@pytest.mark.parametrize("name", ["notSent", "offline", "gaveUp", "stopped"])
def test_what_was_not_sent_is_still_there(name: str) -> None:
    assert "Your reports are still here" in str(browser_words()[name])
