"""What plain pages and the receipt say where facts in the head stand for chance: neither more nor less than holds."""

import re

import pytest
from django.test import Client

from surveys.drafts.services.surveys import QuestionDraft
from tests.answering.printed import questions_of
from tests.factories import PROTECTED, crosswise, make_open, number_mean, one_of, triangular, unrelated, yes_no
from tests.pages import words_of

pytestmark = pytest.mark.django_db

OTHER_FACT = {"innocuous": "Is your door’s number odd?", "innocuous_source": "A count of doors."}
BY_CHANCE, MIXED = [yes_no()], [yes_no(), crosswise()]
IN_THE_HEAD = [crosswise(), crosswise(parameters={"p": [1, 3]}, details=OTHER_FACT)]
TRAVEL = "Your true answers travel to it"
BUT_KNOWN = "To whoever knows that fact, an answer can be plain."


def words(questions: list[QuestionDraft], rest: str = "") -> str:
    survey = make_open(*questions, server_mode_allowed=True)
    return words_of(Client().get(f"/s/{survey.code}/{rest}").content.decode())


def test_the_servers_form_says_that_it_adds_no_chance_where_all_of_it_is_in_the_head() -> None:
    text = words(IN_THE_HEAD, "server/")
    assert "No chance is added here: what you tap is stored as it is." in text
    assert "In your head. Neither this server nor your phone adds any." in text
    assert "Send what you tapped" in text
    for untrue in (TRAVEL, "On this server, before", "server flip", "this server added it", "use real coins"):
        assert untrue not in text


def test_the_servers_form_says_for_which_questions_it_adds_chance() -> None:
    text = words(MIXED, "server/")
    assert "Your true answers travel to it, but for the questions that you answer in your head" in text
    assert "What chance made of your answers, what you tap for the questions in your head" in text
    assert "On this server, before anything is stored; for some questions in your head." in text
    assert "use real coins" in text
    assert "Let the server flip and store the outcome" in text


def test_the_servers_form_adds_chance_to_every_answer_of_questions_without_facts() -> None:
    text = words(BY_CHANCE, "server/")
    assert TRAVEL + ". It adds chance at once, stores only the outcome" in text
    assert "in your head" not in text


@pytest.mark.parametrize("rest", ["own-coin/", ""], ids=["page", "noscript"])
def test_nobody_is_told_to_throw_where_nothing_is_thrown(rest: str) -> None:
    survey = make_open(*IN_THE_HEAD)
    html = Client().get(f"/s/{survey.code}/{rest}").content.decode()
    plain = words_of(html if rest else html[html.index("<noscript>") : html.index("</noscript>")])
    assert "Nothing is thrown here: answer in your head and tap what comes of it." in plain
    assert BUT_KNOWN in words_of(html)  # the promise says it above what no script replaces
    for untrue in ("hrow afresh", "You throw", "real coins", "coins of your own"):
        assert untrue not in plain


def test_where_some_questions_are_thrown_for_the_others_say_so() -> None:
    text = words(MIXED, "own-coin/")
    assert "Throw afresh for each question, where nobody sees it. Some need no throw" in text
    assert text.count("Nothing is thrown for this question.") == 1
    assert BUT_KNOWN in text


def test_where_every_question_is_thrown_for_nobody_else_can_know() -> None:
    text = words(BY_CHANCE, "own-coin/")
    assert "Throw where nobody sees it." in text
    assert "Throw afresh for each question, where nobody sees it." in words(BY_CHANCE * 2, "own-coin/")
    assert "An answer proves nothing about you: it changes anyone’s odds at most 3" in text
    assert BUT_KNOWN not in text
    assert "innocuous" not in text


def test_a_fact_is_never_said_to_be_known_to_nobody_else() -> None:
    for rest in ("own-coin/", "server/", ""):
        text = words([unrelated(), triangular()], rest)
        assert "Only you can know" not in text
        assert "Nobody can see which of the two it was" not in text


@pytest.mark.parametrize(
    ("questions", "mode", "said", "untrue"),
    [
        (IN_THE_HEAD, "server", "noted as answered by the server’s form", "the server’s chance made"),
        (IN_THE_HEAD, "own_coin", "noted as answered without a script", "real coins"),
        (MIXED, "server", "what the server’s chance made of your other answers", "made of your answers"),
        (BY_CHANCE, "own_coin", "noted as answered with real coins", "innocuous"),
        (BY_CHANCE, "server", "what the server’s chance made of your answers", "innocuous"),
    ],
)
def test_the_receipt_says_what_happened(
    client: Client, questions: list[QuestionDraft], mode: str, said: str, untrue: str
) -> None:
    survey = make_open(*questions, server_mode_allowed=True)
    address = f"/s/{survey.code}/"
    door = address if mode == "own_coin" else f"{address}server/"
    html = client.get(f"{address}own-coin/" if mode == "own_coin" else door).content.decode()
    hidden = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', html))
    fields = dict.fromkeys(re.findall(r'type="radio" name="([^"]+)"', html), "1")
    text = words_of(client.post(door, hidden | fields, follow=True).content.decode())
    assert said in text
    assert untrue not in text
    assert (BUT_KNOWN in text) == (questions is not BY_CHANCE)


def hours(high: int) -> QuestionDraft:
    return number_mean(details={"low": [0, 1], "high": [high, 1], "step": [1, 1], "unit": "h"}, **PROTECTED)


def test_whoever_would_rather_not_say_disregards_the_throw_for_rounding_alone() -> None:
    (one_step,), (more,) = (questions_of(_html(hours(high))) for high in (1, 4))
    assert "If you would rather not say, your end is “Prefer not to say”." in one_step.text
    assert "whatever the" not in one_step.text
    assert "“Prefer not to say”, whatever the throw for rounding shows." in more.text


def test_a_throw_that_does_not_count_is_repeated_without_those_before_it() -> None:
    (printed,) = questions_of(_html(one_of([f"Option {number}" for number in range(5)], leave_out="no")))
    later = [action for table in printed.tables[1:] for _outcome, action in table.rows]
    assert "does not count: repeat only this throw" in later
    assert not any("throw again" in action for action in later)


def _html(question: QuestionDraft) -> str:
    return Client().get(f"/s/{make_open(question).code}/own-coin/").content.decode()
