"""An unrelated number: chosen in the head, tapped as a plain number, without a device, by any door."""

import re
from fractions import Fraction
from html import unescape

import pytest
from django.test import Client

from surveys.answering.services.collecting import InvalidSubmission, new_nonce
from surveys.answering.services.perturbing import Tapped, perturb
from surveys.answering.words.designs import innocuous_numbers, most_telling, odds, proofs
from surveys.answering.words.own_chance import possible_with_coins
from surveys.answering.words.practice import example, practice
from surveys.answering.words.sent import report_words
from surveys.common.selectors import definition_of, draft_of
from surveys.models import Response
from surveys.questionnaire.definition import Definition
from tests.answering.parts import part
from tests.factories import make_draft, make_open, unrelated_number
from tests.pages import text_of, words_of
from tests.privacy.chance import exact_outcomes

pytestmark = pytest.mark.django_db
UNEVEN = {"p": [1, 2], "grid": 10, "weights": [[1, 20], [3, 20], *[[1, 10]] * 8]}


def _definition(**changes: object) -> Definition:
    return draft_of(make_draft(unrelated_number(**changes)))


def test_the_browser_gets_no_matrix_and_no_field_for_a_number() -> None:
    (known,) = _definition().browser["questions"]
    assert known == {"items": 1, "canSkip": True, "reports": tuple("0123456789")}


def test_what_is_tapped_is_the_report_and_no_number_is_rounded() -> None:
    definition = _definition()
    item = definition.items[0]
    assert item.labels[:2] == ("0 days", "1 days")
    assert perturb(definition=definition, truths=[Tapped("7")]) == "7"
    with pytest.raises(InvalidSubmission, match="question 1"):
        perturb(definition=definition, truths=[Tapped("a")])


@pytest.mark.parametrize("parameters", [{"p": [1, 2], "grid": 10}, UNEVEN])
def test_made_up_people_tap_with_the_chances_of_the_matrix(parameters: dict[str, object]) -> None:
    definition = _definition(parameters=parameters)
    reached, undecided = exact_outcomes(lambda below: perturb(definition=definition, truths=[4], randbelow=below), 1)
    assert undecided == 0
    column = [row[4] for row in definition.items[0].design.matrix]
    assert reached == {str(code): share for code, share in enumerate(column) if share}


def test_the_page_says_how_often_a_number_is_tapped_and_whose_it_can_be(client: Client) -> None:
    survey = make_open(unrelated_number())
    item = definition_of(survey).items[0]
    assert odds(item) == []
    entry = most_telling(item)
    assert (entry.label, entry.number) == ("4", "4 days")
    assert (entry.when_true, entry.when_not) == (Fraction(11, 20), Fraction(1, 20))
    assert max(item.design.odds) == entry.when_true / entry.when_not
    page = unescape(text_of(client.get(f"/s/{survey.code}/")))
    for name in ("_hundreds", "_odds"):
        assert part(name, definition_of(survey), mode="device") in words_of(page)
    assert innocuous_numbers(item) in page
    # Nothing on it is made by chance, and no field takes a number.
    assert 'type="number"' not in page
    assert "columns" not in page


def test_the_number_that_the_innocuous_one_is_most_rarely_tells_most() -> None:
    entry = most_telling(_definition(parameters=UNEVEN).items[0])
    assert (entry.label, entry.when_true, entry.when_not) == ("0", Fraction(21, 40), Fraction(1, 40))


def test_what_is_said_of_a_report_is_how_often_others_tap_it() -> None:
    words = report_words(_definition(parameters=UNEVEN).questions[0])
    numbers = [re.findall(r"\d+(?:\.\d+)?", rest) for _often, rest in words["often"][:2]]
    assert numbers == [["100", "0", "52.5", "100", "2.5"], ["100", "1", "57.5", "100", "7.5"]]
    assert words["lit"] == []
    assert proofs(_definition().items[0]) == []


def test_it_is_practised_on_somebody_else_s_answers(client: Client) -> None:
    survey = make_open(unrelated_number())
    practised = practice(definition_of(survey))
    assert (practised.design.name, practised.design.m) == ("unrelated_question", 2)
    assert example(practised).because in unescape(text_of(client.get(f"/s/{survey.code}/")))


@pytest.mark.parametrize(
    ("door", "to", "field"), [("own-coin/", "", "item"), ("server/", "server/", "answer")], ids=["own_coin", "server"]
)
def test_without_a_script_the_same_number_is_tapped(client: Client, door: str, to: str, field: str) -> None:
    survey = make_open(unrelated_number(), server_mode_allowed=True)
    assert possible_with_coins(definition_of(survey))
    page = unescape(text_of(client.get(f"/s/{survey.code}/{door}")))
    assert innocuous_numbers(definition_of(survey).items[0]) in page
    assert page.count(f'name="{field}-1"') == 11  # ten numbers, and to skip
    sent = {"mode": field.replace("item", "own_coin").replace("answer", "server"), "nonce": new_nonce()}
    client.post(f"/s/{survey.code}/{to}", sent)
    assert not Response.objects.exists()
    assert client.post(f"/s/{survey.code}/{to}", sent | {f"{field}-1": "7"}).status_code == 303
    assert list(Response.objects.values_list("mode", "reports")) == [(sent["mode"], "7")]


def test_the_receipt_shows_the_number_as_it_was_tapped(client: Client) -> None:
    survey = make_open(unrelated_number())
    client.post(f"/s/{survey.code}/", {"mode": "device", "nonce": new_nonce(), "reports": "7"})
    page = unescape(text_of(client.get(f"/s/{survey.code}/receipt/")))
    assert "drawn at random" not in page
    assert ">7<" in page.replace("<bdi>", "").replace("</bdi>", "").replace("\n", "")
