"""One option of several, each reported by itself: one choice becomes a report an option."""

import re
from fractions import Fraction
from html import unescape
from itertools import pairwise

import pytest
from django.test import Client

from surveys.answering.selectors import coin_questions
from surveys.answering.services import perturbing, simulating
from surveys.answering.services.collecting import new_nonce
from surveys.answering.words.designs import epsilon_of, odds, odds_factor
from surveys.answering.words.promise import odds_line
from surveys.answering.words.sent import report_words
from surveys.common.selectors import definition_of
from surveys.models import Response, Survey
from surveys.models.simulated import People, TrueShares, people_of
from tests.answering.parts import part, plain_spaces
from tests.factories import make_draft, make_open, one_by_option, several_of, yes_no
from tests.pages import words_of

pytestmark = pytest.mark.django_db
# Chance leaves nearly everything alone: 38 of 40 reports are the truth.
CLEAR = {"truth": [9, 10], "yes": [1, 2]}


@pytest.fixture
def survey() -> Survey:
    return make_open(one_by_option(leave_out="visibly"), server_mode_allowed=True)


def _server(survey: Survey, **fields: str) -> tuple[int, str]:
    data = {"mode": "server", "nonce": new_nonce()} | fields
    response = Client().post(f"/s/{survey.code}/server/", data, follow=True)
    return response.status_code, unescape(response.content.decode())


def test_the_server_asks_once_and_sends_every_option_through_the_randomizer(
    survey: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = re.findall(r'name="(answer-[^"]+)" value="(.)"', Client().get(f"/s/{survey.code}/server/").content.decode())
    assert names == [("answer-1", "0"), ("answer-1", "1"), ("answer-1", "2")]
    drawn: list[int] = []

    def middle(bound: int) -> int:
        drawn.append(bound)
        return bound // 2

    monkeypatch.setitem(perturbing.perturb.__kwdefaults__, "randbelow", middle)
    assert _server(survey, **{"answer-1": "2"})[0] == 200
    # Of 6 the first 5 are No where the option is not the one, 2 where it is.
    assert (Response.objects.get().reports, drawn) == ("001", [6, 6, 6])


@pytest.mark.parametrize("chosen", ["", "3", "-", "00", "²"])
def test_what_is_no_option_is_refused_with_the_number_of_the_question(survey: Survey, chosen: str) -> None:
    _status, page = _server(survey, **{"answer-1": chosen})
    assert re.findall(r'href="#(answer-1[^"]*)"', page) == ["answer-1"]
    assert not Response.objects.exists()


def test_an_answer_an_option_is_nothing_that_the_page_has(survey: Survey) -> None:
    assert _server(survey, **{"answer-1a": "1", "answer-1": "0"})[0] == 400
    assert not Response.objects.exists()


def test_all_of_them_are_left_out_together(survey: Survey) -> None:
    assert _server(survey, **{"leave-1": "1", "answer-1": "2"})[0] == 200
    assert Response.objects.get().reports == "---"


@pytest.mark.parametrize("reports", ["000", "011", "111"])
def test_chance_may_report_any_number_of_options(survey: Survey, reports: str) -> None:
    tapped = {f"item-1{letter}": report for letter, report in zip("abc", reports, strict=True)}
    data = {"mode": "own_coin", "nonce": new_nonce()} | tapped
    assert Client().post(f"/s/{survey.code}/", data).status_code == 303
    assert Response.objects.get().reports == reports


def test_the_promise_counts_one_answer_and_its_odds_whatever_the_number_of_options() -> None:
    for options in (["A", "B"], [f"Option {number}" for number in range(20)]):
        survey = make_open(one_by_option(options=options))
        definition = definition_of(survey)
        assert odds_factor(definition.losses) == "10"
        assert epsilon_of(definition.losses) == "ε\u00a0≤\u00a02.31"
        (entry,) = odds(definition.items[0])
        assert (entry.when_true, entry.when_not) == (Fraction(2, 3), Fraction(1, 6))
        page = words_of(Client().get(f"/s/{survey.code}/").content.decode())
        assert plain_spaces(odds_line(definition)) in page
        for name in ("_headline", "_label_total", "_odds", "_label_epsilon"):
            assert part(name, definition, options=len(options)) in page


def test_with_real_coins_the_true_answer_to_each_option_is_explained(survey: Survey) -> None:
    (one,), (any_number,) = (definition_of(each).questions for each in (survey, make_open(several_of())))
    assert (one.answers.one_true, any_number.answers.one_true) == (True, False)
    assert part("_throws", definition_of(survey)) in words_of(
        Client().get(f"/s/{survey.code}/own-coin/").content.decode()
    )


def test_what_is_sent_is_compared_with_phones_of_whom_an_option_is_and_is_not(survey: Survey) -> None:
    often = report_words(definition_of(survey).questions[0])["often"]
    assert [share.split()[0] for share, _rest in often] == ["33.3", "16.7"]


def test_the_phone_gets_one_group_of_buttons(survey: Survey) -> None:
    page = Client().get(f"/s/{survey.code}/").content.decode()
    step = page[page.index('id="question-1"') : page.index('id="once-1"')]
    assert step.count('role="radiogroup"') == 1
    assert re.findall(r'value="(\d)" data-option="([^"]+)"', step) == [("1", "Never"), ("1", "Once"), ("1", "Often")]


def test_the_lab_takes_no_option_for_a_question_of_its_own(survey: Survey) -> None:
    assert coin_questions(definition_of(survey)) == []
    assert coin_questions(definition_of(make_open(yes_no()))) != []


def test_simulated_people_have_one_option_each() -> None:
    survey = make_open(one_by_option(parameters=CLEAR))
    definition = definition_of(survey)
    thirds = tuple((1 - share, share) for share in (Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)))
    people = people_of(definition.questions[0], TrueShares(thirds), 300)
    assert people == People(((150, 150), (200, 100), (250, 50)))
    seen: list[list[object]] = []
    perturb = perturbing.perturb

    def looking(*, truths: list[object], **rest: object) -> str:
        seen.append(truths)
        return perturb(truths=truths, **rest)  # type: ignore[arg-type]

    left = [people]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(simulating, "perturb", looking)
        for number in (120, 180):
            _reports, left = simulating.draw(definition=definition, left=left, number=number)
    assert {sum(truths) for truths in seen} == {1}  # type: ignore[arg-type]
    assert [sum(column) for column in zip(*seen, strict=True)] == [150, 100, 50]  # type: ignore[arg-type]
    assert left == [People(((0, 0), (0, 0), (0, 0)))]
    # In no order: chance takes the people.
    assert any(one != other for one, other in pairwise(seen))


def test_shares_of_simulated_people_add_up_over_the_options() -> None:
    question = definition_of(make_draft(one_by_option())).questions[0]
    half = (Fraction(1, 2), Fraction(1, 2))
    with pytest.raises(ValueError, match="question 1: shares must be 3 numbers"):
        people_of(question, TrueShares((half, half, half)), 100)
