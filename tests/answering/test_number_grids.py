"""A number on a grid, sent through a window or multiplied by a factor: rounded, reported by the matrix, stored."""

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from django.test import Client

from surveys.answering.services.collecting import InvalidSubmission, new_nonce
from surveys.answering.services.perturbing import perturb
from surveys.answering.words.designs import chance_line, most_telling, odds, proofs
from surveys.answering.words.own_chance import why_not_coins
from surveys.answering.words.sent import report_words
from surveys.common.selectors import definition_of, draft_of
from surveys.models import Response, Survey
from surveys.privacy.designs import GridMean
from surveys.questionnaire.definition import Definition
from surveys.questionnaire.question import Question
from tests.answering.parts import part, plain_spaces
from tests.factories import make_draft, make_open, number_mean, number_window, scrambled_number
from tests.pages import text_of, words_of
from tests.privacy.chance import exact_outcomes

pytestmark = pytest.mark.django_db

# Four grid values 0, 4, 8, 12 and two reports near each: v from −6 to 18 in steps of 8·3/5.
SMALL: dict[str, Any] = {"parameters": {"truth": [1, 2], "grid": 4, "window": 2}}
WINDOW, SCRAMBLED = number_window(), scrambled_number()
BOTH = pytest.mark.parametrize("draft", [WINDOW, SCRAMBLED], ids=["window", "scrambled"])


def _definition(draft: Question) -> Definition:
    return draft_of(make_draft(draft))


def _grid(draft: Question) -> GridMean:
    grid = _definition(draft).items[0].grid
    assert grid is not None
    return grid


def _words(survey: Survey, rest: str = "") -> str:
    return words_of(text_of(Client().get(f"/s/{survey.code}/{rest}")))


@pytest.mark.parametrize("draft", [number_window(**SMALL), SCRAMBLED], ids=["window", "scrambled"])
@pytest.mark.parametrize("value", ["0", "1.5", "3", "4", "7.5", "11.5", "12"])
def test_every_draw_together_is_the_column_of_the_number(draft: Question, value: str) -> None:
    definition, number, grid = _definition(draft), Fraction(value), _grid(draft)

    def sent(below: Callable[[int], int]) -> str:
        return perturb(definition=definition, truths=[number], randbelow=below)

    reached, undecided = exact_outcomes(sent, 2)
    assert undecided == 0
    assert reached == {str(code): share for code, share in enumerate(grid.column(number)) if share}
    # The twin: a number one step higher has another column.
    assert grid.column(number) != grid.column(number + Fraction(1, 2) if number < 12 else Fraction(23, 2))


@pytest.mark.parametrize("value", [Fraction(-1), Fraction(25, 2), Fraction(1, 3), 9, -1])
@BOTH
def test_what_is_no_number_of_the_question_is_refused(draft: Question, value: Fraction | int) -> None:
    with pytest.raises(InvalidSubmission, match="Question 1"):
        perturb(definition=_definition(draft), truths=[value])


@pytest.mark.parametrize(
    ("draft", "cells", "labels", "reports", "first"),
    [
        (WINDOW, 8, "0 1.5 3 4.5 6 7.5 9 10.5 12", 12, Fraction(-21, 2)),
        (SCRAMBLED, 4, "0 3 6 9 12", 7, Fraction(-48, 7)),
    ],
    ids=["window", "scrambled"],
)
def test_the_browser_gets_the_matrix_the_cells_and_what_reports_are_called(
    draft: Question, cells: int, labels: str, reports: int, first: Fraction
) -> None:
    definition = _definition(draft)
    (known,) = definition.browser["questions"]
    item = definition.items[0]
    assert known["columns"] == item.design.columns
    assert known["range"] == {"low": "0", "high": "12", "step": "0.5", "steps": 24, "cells": cells}
    assert item.labels == tuple(f"{label} hours" for label in labels.split())
    assert len(set(known["reports"])) == reports
    assert _grid(draft).values[0] == first
    # Its name says that nobody meant it.
    assert known["reports"][0].startswith(f"{item.report_labels[0]}, ")


def test_one_bit_goes_to_the_browser_without_cells() -> None:
    (known,) = _definition(number_mean()).browser["questions"]
    assert known == {
        "items": 1,
        "canSkip": True,
        "reports": ("0 hours", "12 hours"),
        "denominator": 4,
        "columns": ((3, 1), (1, 3)),
        "range": {"low": "0", "high": "12", "step": "0.5", "steps": 24},
    }


@pytest.mark.parametrize(
    ("draft", "label", "number", "chances"),
    [
        (WINDOW, "4.5 hours", "3 hours", (Fraction(1, 6), Fraction(1, 24))),
        (SCRAMBLED, "−6.9 hours", "0 hours", (Fraction(4, 7), Fraction(1, 14))),
    ],
    ids=["window", "scrambled"],
)
def test_the_page_shows_the_report_that_tells_most_and_how_often_it_comes(
    draft: Question, label: str, number: str, chances: tuple[Fraction, Fraction]
) -> None:
    survey = make_open(draft)
    definition = definition_of(survey)
    item = definition.items[0]
    (entry,) = odds(item)
    assert (entry.label, entry.number) == (label, number)
    assert (entry.when_true, entry.when_not) == chances
    assert max(item.design.odds) == chances[0] / chances[1]
    page = _words(survey)
    for words in (chance_line(item), part("_hundreds", definition, mode="device"), part("_odds_grid", definition)):
        assert plain_spaces(words) in page


@pytest.mark.parametrize(("draft", "share"), [(WINDOW, "4.2"), (SCRAMBLED, "7.1")], ids=["window", "scrambled"])
def test_what_is_said_of_a_report_is_how_often_others_send_it(draft: Question, share: str) -> None:
    question = _definition(draft).questions[0]
    words = report_words(question)
    assert {often.split()[0] for often, _rest in words["often"]} == {share}
    for (_often, rest), label in zip(words["often"], question.first.report_labels, strict=True):
        assert label in rest
    assert len(words["follows"]) == len(words["lit"]) == question.design.m


@BOTH
def test_no_coins_can_make_it_and_the_page_says_so(draft: Question) -> None:
    survey = make_open(draft)
    why = why_not_coins(definition_of(survey).questions[0])
    assert why.startswith("Question 1")
    assert why in _words(survey, "own-coin/")
    assert 'href="own-coin/"' not in text_of(Client().get(f"/s/{survey.code}/"))


@BOTH
def test_without_a_script_the_server_rounds_and_reports_it(client: Client, draft: Question) -> None:
    survey = make_open(draft, server_mode_allowed=True)
    definition = definition_of(survey)
    assert part("_server_odds_grid", definition) in _words(survey, "server/")
    sent = {"mode": "server", "nonce": new_nonce(), "answer-1": "7.5"}
    assert client.post(f"/s/{survey.code}/server/", sent).status_code == 303
    (stored,) = Response.objects.values_list("reports", flat=True)
    assert stored in set("0123456789ab"[: definition.items[0].design.m])


@pytest.mark.parametrize(("draft", "report"), [(WINDOW, "b"), (SCRAMBLED, "0")], ids=["window", "scrambled"])
def test_the_receipt_gives_the_value_and_that_chance_made_it(client: Client, draft: Question, report: str) -> None:
    survey = make_open(draft)
    client.post(f"/s/{survey.code}/", {"mode": "device", "nonce": new_nonce(), "reports": report})
    page = words_of(text_of(client.get(f"/s/{survey.code}/receipt/")))
    definition = definition_of(survey)
    assert definition.items[0].words(report) in page
    assert part("_need_not_be_true", definition) in page


@BOTH
def test_only_reports_that_there_are_are_taken(client: Client, draft: Question) -> None:
    survey = make_open(draft)
    beyond = "0123456789abc"[_definition(draft).items[0].design.m]
    for report in (beyond, "00", "z"):
        response = client.post(f"/s/{survey.code}/", {"mode": "device", "nonce": new_nonce(), "reports": report})
        assert response.status_code == 400
    assert not Response.objects.exists()


def test_where_epsilon_is_infinite_each_report_says_what_it_rules_out() -> None:
    window: dict[str, Any] = {"parameters": {"truth": [1, 1], "grid": 4, "window": 2}, "accepts_infinite": True}
    factors: dict[str, Any] = {"parameters": {"truth": [1, 1], "grid": 5, "factors": 2}, "accepts_infinite": True}
    definition, scrambled = _definition(number_window(**window)), _definition(scrambled_number(**factors))
    assert _ends(definition, 0) == [["4 hours", "12 hours"]]
    # The products are 0, 1, 2, 3, 4, 6 and 8 steps: the sixth one comes of 3 steps alone.
    assert (_ends(scrambled, 0), _ends(scrambled, 5)) == (
        [["3 hours", "12 hours"]],
        [["0 hours", "6 hours"], ["12 hours"]],
    )
    # The 0 is the likeliest of five reports that leave one value of the grid.
    grid = scrambled.items[0].grid
    assert [len(each) for each in (grid.excluded if grid else ())].count(4) == 5
    entry = most_telling(scrambled.items[0])
    assert (entry.number, entry.when_not) == ("0 hours", Fraction(0))
    for each in (definition, scrambled):
        assert not any(proof.truth for proof in proofs(each.items[0]))  # that a rounded one is left proves no number
        assert each.proving == (1,)


def _ends(definition: Definition, report: int) -> list[list[str]]:
    """Return the numbers named in what a report rules out."""
    ruled_out = proofs(definition.items[0])[report].ruled_out
    return [[label.partition("”")[0] for label in words.split("“")[1:]] for words in ruled_out]


def test_simulated_people_stand_at_the_grid_s_values() -> None:
    definition = _definition(number_window(**SMALL))
    draws = iter(range(20))
    drawn = Counter(perturb(definition=definition, truths=[0], randbelow=lambda _bound: next(draws)) for _ in range(20))
    assert drawn == {"0": 7, "1": 7, "2": 2, "3": 2, "4": 2}
