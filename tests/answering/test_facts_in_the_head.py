"""Plain pages and the receipt where facts in the head stand for chance: they claim neither more nor less than holds."""

import re

import pytest
from django.test import Client

from surveys.answering.words.promise import chance_is_added, needs_a_throw, odds_line
from surveys.common.selectors import definition_of
from surveys.models import Survey
from surveys.questionnaire.question import Question
from tests.answering.parts import define, part, plain_spaces
from tests.answering.printed import questions_of
from tests.factories import crosswise, make_open, one_of, triangular, unrelated, yes_no
from tests.pages import words_of

pytestmark = pytest.mark.django_db

OTHER_FACT = {"innocuous": "Is your door’s number odd?", "innocuous_source": "A count of doors."}
BY_CHANCE, MIXED = [yes_no()], [yes_no(), crosswise()]
IN_THE_HEAD = [crosswise(), crosswise(parameters={"p": [1, 3]}, details=OTHER_FACT)]
# What no page speaks of where nothing but facts in heads makes chance.
_OF_THROWS = re.compile(
    r"throw again|throw where|what to throw|of your throw|real coins|own coins|coin flip", re.IGNORECASE
)


def words(survey: Survey, rest: str = "") -> str:
    return words_of(Client().get(f"/s/{survey.code}/{rest}").content.decode())


@pytest.mark.parametrize(
    ("asked", "chance", "thrown"),
    [(IN_THE_HEAD, "head", False), (MIXED, "both", True), (BY_CHANCE, "device", True)],
)
def test_plain_pages_speak_of_the_chance_that_there_is(asked: list[Question], chance: str, thrown: bool) -> None:
    survey = make_open(*asked, server_mode_allowed=True)
    definition = definition_of(survey)
    assert (chance_is_added(definition), needs_a_throw(definition)) == (chance, thrown)
    by_server, by_coin = words(survey, "server/"), words(survey, "own-coin/")
    assert part("_server_label", definition, door=f"/s/{survey.code}/") in by_server
    for page in (by_server, by_coin):
        assert ("in your head" in page.lower()) == (chance != "device")
        assert bool(_OF_THROWS.search(page)) == thrown
        assert plain_spaces(odds_line(definition)) in page
    without_throw = part("_throws", define(crosswise())).rpartition(". ")[2]
    assert by_coin.count(without_throw) == sum(question.in_the_head for question in definition.questions)


def test_without_a_script_nobody_is_sent_to_throw_where_nothing_is_thrown() -> None:
    html = Client().get(f"/s/{make_open(*IN_THE_HEAD).code}/").content.decode()
    assert not _OF_THROWS.search(words_of(html[html.index("<noscript>") : html.index("</noscript>")]))


def test_a_fact_is_never_called_known_to_nobody_else() -> None:
    survey = make_open(unrelated(), triangular(), server_mode_allowed=True)
    for rest in ("own-coin/", "server/", ""):
        assert not re.search("only you can|nobody can see which", words(survey, rest), re.IGNORECASE)


@pytest.mark.parametrize("mode", ["server", "own_coin"])
@pytest.mark.parametrize("questions", [IN_THE_HEAD, MIXED, BY_CHANCE], ids=["in the head", "mixed", "by chance"])
def test_the_receipt_says_what_happened(client: Client, questions: list[Question], mode: str) -> None:
    survey = make_open(*questions, server_mode_allowed=True)
    address = f"/s/{survey.code}/"
    door = address if mode == "own_coin" else f"{address}server/"
    html = client.get(f"{address}own-coin/" if mode == "own_coin" else door).content.decode()
    hidden = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', html))
    fields = dict.fromkeys(re.findall(r'type="radio" name="([^"]+)"', html), "1")
    text = words_of(client.post(door, hidden | fields, follow=True).content.decode())
    assert part("_receipt_facts", definition_of(survey), mode=mode) in text


def test_a_throw_that_does_not_count_is_repeated_without_those_before_it() -> None:
    survey = make_open(one_of([f"Option {number}" for number in range(5)], leave_out="no"))
    (printed,) = questions_of(Client().get(f"/s/{survey.code}/own-coin/").content.decode())
    later = [action for table in printed.tables[1:] for _outcome, action in table.rows]
    assert [action for action in later if "repeat" in action] != []
    assert not any("throw again" in action for action in later)
