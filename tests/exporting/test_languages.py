"""What files and the ethics packet say of a survey in several languages."""

import json

import pytest
from django.urls import reverse

from tests.factories import fill, make_draft, make_open, one_of, yes_no
from tests.models.test_translations import BOTH, GERMAN
from tests.pages import owner_of, page_of, words_of

pytestmark = pytest.mark.django_db


def test_the_json_file_holds_all_translations_as_they_are_frozen() -> None:
    survey = make_open(yes_no(), one_of(), translations=BOTH)
    fill(survey, {"01": 30, "12": 30})
    response = owner_of(survey).get(reverse("survey-export-json", args=[survey.code]))
    content = b"".join(response.streaming_content) if response.streaming else response.content
    assert json.loads(content)["definition"]["translations"] == BOTH


def test_the_packet_shows_every_text_beside_what_it_is_called() -> None:
    packet = words_of(page_of("survey-ethics", make_open(yes_no(), one_of(), translations=BOTH)))
    shown = packet[packet.index("In other languages") :]
    for words in BOTH.values():
        for text, said in words.items():
            assert f"{' '.join(text.split())} {' '.join(said.split())}" in shown


def test_the_packet_of_a_draft_says_what_is_missing_and_without_languages_nothing_of_them() -> None:
    draft = make_draft(yes_no(), one_of(), translations={"de": {"How often?": GERMAN["How often?"]}})
    assert words_of(page_of("survey-ethics", draft)).count("Missing: the survey cannot open.") == 3
    assert "In other languages" not in page_of("survey-ethics", make_draft())
