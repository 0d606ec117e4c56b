"""A scrambled number: rounded to the grid, multiplied by a factor, told as what chance made, and what a 0 proves."""

from collections.abc import Callable
from fractions import Fraction
from html import unescape

import pytest
from django.test import Client

from surveys.answering.services.collecting import InvalidSubmission, new_nonce
from surveys.answering.services.perturbing import perturb
from surveys.answering.words.designs import chance_line, odds, proofs
from surveys.answering.words.own_chance import why_not_coins
from surveys.answering.words.sent import told
from surveys.common.selectors import definition_of, draft_of
from surveys.models import Response
from surveys.models.definition import Definition
from tests.factories import make_draft, make_open, scrambled_number
from tests.pages import text_of
from tests.privacy.chance import exact_outcomes

pytestmark = pytest.mark.django_db

ONLY_FACTORS = {"parameters": {"truth": [1, 1], "grid": 5, "factors": 2}, "accepts_infinite": True}


def _definition(**changes: object) -> Definition:
    return draft_of(make_draft(scrambled_number(**changes)))


@pytest.mark.parametrize("value", ["0", "1.5", "3", "7.5", "12"])
def test_every_draw_together_is_the_column_of_the_number(value: str) -> None:
    definition, number = _definition(), Fraction(value)

    def sent(below: Callable[[int], int]) -> str:
        return perturb(definition=definition, truths=[number], randbelow=below)

    reached, undecided = exact_outcomes(sent, 2)
    assert undecided == 0
    grid = definition.items[0].grid
    assert grid is not None
    assert reached == {str(code): share for code, share in enumerate(grid.column(number)) if share}
    # The twin: a number one step higher has another column.
    assert grid.column(number) != grid.column(number + Fraction(1, 2) if number < 12 else Fraction(23, 2))


@pytest.mark.parametrize("value", [Fraction(-1), Fraction(25, 2), Fraction(1, 3), 5])
def test_what_is_no_number_of_the_question_is_refused(value: Fraction | int) -> None:
    with pytest.raises(InvalidSubmission, match="Question 1"):
        perturb(definition=_definition(), truths=[value])


def test_the_browser_gets_the_matrix_the_cells_and_what_reports_are_called() -> None:
    definition = _definition()
    (known,) = definition.browser["questions"]
    item = definition.items[0]
    assert known["columns"] == item.design.columns
    assert known["range"] == {"low": "0", "high": "12", "step": "0.5", "steps": 24, "cells": 4}
    assert item.labels == ("0 hours", "3 hours", "6 hours", "9 hours", "12 hours")
    grid = item.grid
    assert grid is not None
    assert len(set(known["reports"])) == 7
    assert known["reports"][0] == "−6.9 hours, made by chance"
    assert float(grid.values[0]) == pytest.approx(-6.86, abs=0.01)


def test_the_page_says_of_the_report_that_tells_most_how_often_it_comes(client: Client) -> None:
    survey = make_open(scrambled_number())
    page = unescape(text_of(client.get(f"/s/{survey.code}/")))
    item = definition_of(survey).items[0]
    (entry,) = odds(item)
    assert (entry.label, entry.number) == ("−6.9 hours", "0 hours")
    assert (entry.when_true, entry.when_not) == (Fraction(4, 7), Fraction(1, 14))
    assert max(item.design.odds) == entry.when_true / entry.when_not == 8
    assert "If your number rounds to 0 hours" in page
    assert "57.1 of 100 phones send “−6.9 hours”" in page
    assert "7.1 of 100 phones send “−6.9 hours”" in page
    assert chance_line(item) in page
    assert "multiplies the rounded number by a whole number from 1 to 2" in page
    assert "changes anyone’s odds at most 8‑fold" in page
    assert " near " not in page.replace("comes near the true mean", "")


def test_what_is_told_of_a_report_is_how_often_chance_alone_sends_it() -> None:
    question = _definition().questions[0]
    found = told(question)
    assert {share for share, _rest in found["often"]} == {"7.1 of 100"}
    assert "by chance alone, whatever their owner’s number is." in found["often"][6][1]
    assert len(found["follows"]) == len(found["lit"]) == 7


def test_no_coins_can_make_it_and_the_page_says_so(client: Client) -> None:
    survey = make_open(scrambled_number())
    why = why_not_coins(definition_of(survey).questions[0])
    assert why == "Question 1: its chances are too fine to be made with coins and a die."
    assert why in unescape(text_of(client.get(f"/s/{survey.code}/own-coin/")))


def test_without_a_script_the_server_rounds_and_reports_it(client: Client) -> None:
    survey = make_open(scrambled_number(), server_mode_allowed=True)
    page = unescape(text_of(client.get(f"/s/{survey.code}/server/")))
    assert "one of the two nearest of 5 values. If that is 0 hours" in page
    assert "this server stores “−6.9 hours” 57.1 times of 100; if not, 7.1 times." in page
    sent = {"mode": "server", "nonce": new_nonce(), "answer-1": "7.5"}
    assert client.post(f"/s/{survey.code}/server/", sent).status_code == 303
    (stored,) = Response.objects.values_list("reports", flat=True)
    assert stored in set("0123456")


def test_only_reports_that_there_are_are_taken(client: Client) -> None:
    survey = make_open(scrambled_number())
    for report in ("7", "00", "z"):
        response = client.post(f"/s/{survey.code}/", {"mode": "device", "nonce": new_nonce(), "reports": report})
        assert response.status_code == 400
    assert not Response.objects.exists()


def test_without_other_chance_the_promise_says_what_each_report_rules_out(client: Client) -> None:
    survey = make_open(scrambled_number(**ONLY_FACTORS))
    item = definition_of(survey).items[0]
    found = proofs(item)
    # The products are 0, 1, 2, 3, 4, 6 and 8 steps: the sixth one comes of 3 steps alone.
    assert found[0].ruled_out == ("a number from “3 hours” to “12 hours”",)
    assert found[5].ruled_out == ("a number from “0 hours” to “6 hours”", "“12 hours”")
    # The 0 is the likeliest of five reports that leave one value of the grid.
    excluded = item.grid.excluded if item.grid else ()
    assert [len(each) for each in excluded].count(4) == 5
    assert not any(proof.truth for proof in found)  # a number is rounded: that 0 is left proves no number
    page = unescape(text_of(client.get(f"/s/{survey.code}/")))
    assert "if not, 0. No number that can be sent tells more." in page
    assert "proves that your true answer is not a number from “3 hours” to “12 hours”: ε is infinite." in page
    assert "If your number rounds to 0 hours" in page


def test_the_receipt_says_the_value_and_that_chance_made_it(client: Client) -> None:
    survey = make_open(scrambled_number())
    client.post(f"/s/{survey.code}/", {"mode": "device", "nonce": new_nonce(), "reports": "0"})
    assert "−6.9 hours, made by chance" in unescape(text_of(client.get(f"/s/{survey.code}/receipt/")))
