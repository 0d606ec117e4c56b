"""A question that is sent as it is: said before the start, at the question and beside its answer; stored as tapped."""

from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.test import Client

from surveys.answering.services.collecting import new_nonce
from surveys.answering.words.designs import proofs
from surveys.answering.words.practice import for_browser, practice
from surveys.answering.words.promise import odds_line
from surveys.common.selectors import definition_of
from surveys.models import Response, Survey
from surveys.questionnaire.question import Question
from tests.answering.parts import part
from tests.factories import (
    crosswise,
    make_draft,
    make_open,
    number_bands,
    number_mean,
    plain,
    scale,
    several_of,
    yes_no,
)
from tests.pages import text_of, words_of

pytestmark = pytest.mark.django_db


def _words(address: str) -> str:
    return words_of(text_of(Client().get(address)))


def _label(survey: Survey) -> str:
    return part("_sent_as_it_is", definition_of(survey), 2)


def test_it_is_said_before_anything_is_asked_and_at_the_question() -> None:
    survey = make_open(yes_no("Did you copy?"), plain())
    definition, label = definition_of(survey), _label(survey)
    page = _words(f"/s/{survey.code}/")
    promise, _, questions = page.partition("Start survey")
    for name in ("_headline", "_unprotected"):
        assert part(name, definition) in promise
    assert part("_headline", definition_of(make_open(yes_no()))) not in page
    assert questions.count(label) == 2  # once more in the form without a script
    assert questions.index("Which year are you in?") < questions.index(label) < questions.index("First year")


@pytest.mark.parametrize("place", ["own-coin/", "server/"])
def test_the_plain_forms_say_so_too(place: str) -> None:
    survey = make_open(yes_no(), plain(), server_mode_allowed=True)
    page = _words(f"/s/{survey.code}/{place}")
    assert part("_unprotected", definition_of(survey)) in page
    assert page.count(_label(survey)) == 1


def test_what_is_tapped_is_stored_in_every_mode() -> None:
    survey = make_open(yes_no(), plain(leave_out="visibly"), server_mode_allowed=True)
    sent: list[tuple[str, dict[str, Any]]] = [
        ("", {"mode": "device", "reports": "12"}),
        ("", {"mode": "own_coin", "item-1": "0", "item-2": "1"}),
        ("server/", {"mode": "server", "answer-1": "1", "answer-2": "0"}),
        ("server/", {"mode": "server", "answer-1": "1", "answer-2": "-"}),
    ]
    for place, fields in sent:
        response = Client().post(f"/s/{survey.code}/{place}", {"nonce": new_nonce(), **fields})
        assert response.status_code == 303
    stored = {reports[1] for reports in Response.objects.values_list("reports", flat=True)}
    assert stored == {"2", "1", "0", "-"}


def test_an_answer_that_is_missing_is_asked_for() -> None:
    survey = make_open(yes_no(), plain())
    response = Client().post(f"/s/{survey.code}/", {"mode": "own_coin", "nonce": new_nonce(), "item-1": "0"})
    assert list(response.context["problems"]) == ["item-2"]
    assert not Response.objects.exists()


def test_a_phone_draws_nothing_for_it_and_names_no_chance() -> None:
    definition = definition_of(make_open(yes_no(), plain()))
    asked = for_browser(definition)["questions"]
    assert "columns" in asked[0]
    assert "columns" not in asked[1]
    assert asked[1]["lit"] == []
    assert {share for share, _rest in asked[1]["often"]} == {""}
    assert proofs(definition.items[1]) == []


def test_the_practice_is_with_a_question_that_chance_protects() -> None:
    assert practice(definition_of(make_open(plain(), crosswise()))).in_the_head
    assert practice(definition_of(make_open(plain(), yes_no()))).design.name == "forced_response"


def test_a_draft_that_protects_nothing_can_be_looked_at() -> None:
    assert odds_line(definition_of(make_draft(plain()))) == ""


_NO_CHANCE: dict[str, Any] = {"design": "plain", "parameters": {}}


@pytest.mark.parametrize(
    "draft",
    [
        several_of(**_NO_CHANCE),
        number_mean(**_NO_CHANCE),
        number_bands(**_NO_CHANCE),
        plain(leave_out="protected"),
        plain(tuple("ABCDEFGHI")),
        scale(points=9, **_NO_CHANCE),
        plain(parameters={"truth": [1, 2]}),
    ],
    ids=["several", "mean", "bands", "protected skipping", "nine options", "nine points", "a coin"],
)
def test_what_would_single_people_out_or_needs_chance_is_refused(draft: Question) -> None:
    with pytest.raises(ValidationError):
        make_draft(yes_no(), draft)


@pytest.mark.parametrize("draft", [plain(tuple("ABCDEFGH")), scale(points=8, **_NO_CHANCE), yes_no(**_NO_CHANCE)])
def test_few_answers_may_be_asked_for(draft: Question) -> None:
    assert definition_of(make_open(yes_no("Did you copy?"), draft)).unprotected == (2,)
