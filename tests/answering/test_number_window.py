"""A number through a window: rounded to the grid, reported by the matrix, and told as what chance made."""

from collections import Counter
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
from tests.factories import make_draft, make_open, number_mean, number_window
from tests.pages import text_of
from tests.privacy.chance import exact_outcomes

pytestmark = pytest.mark.django_db

# Four grid values 0, 4, 8, 12 and two reports near each: v from −6 to 18 in steps of 8·3/5.
SMALL = {"parameters": {"truth": [1, 2], "grid": 4, "window": 2}}


def _definition(**changes: object) -> Definition:
    return draft_of(make_draft(number_window(**changes)))


@pytest.mark.parametrize("value", ["0", "2.5", "4", "7.5", "11.5", "12"])
def test_every_draw_together_is_the_column_of_the_number(value: str) -> None:
    definition, number = _definition(**SMALL), Fraction(value)
    reached, undecided = exact_outcomes(
        lambda below: perturb(definition=definition, truths=[number], randbelow=below), 2
    )
    assert undecided == 0
    grid = definition.items[0].grid
    assert grid is not None
    assert reached == {str(code): share for code, share in enumerate(grid.column(number)) if share}


def test_a_number_rounded_to_the_wrong_neighbour_would_be_found() -> None:
    """The twin of the last test: the column of the number one step higher is another."""
    grid = _definition(**SMALL).items[0].grid
    assert grid is not None
    assert grid.column(Fraction("7.5")) != grid.column(8)


@pytest.mark.parametrize("value", [Fraction(-1), Fraction(25, 2), Fraction(1, 3), 4, -1])
def test_what_is_no_number_of_the_question_is_refused(value: Fraction | int) -> None:
    with pytest.raises(InvalidSubmission, match="Question 1"):
        perturb(definition=_definition(**SMALL), truths=[value])


def test_the_browser_gets_the_matrix_the_cells_and_what_reports_are_called() -> None:
    (known,) = _definition().browser["questions"]
    item = _definition().items[0]
    assert known["columns"] == item.design.columns
    assert known["range"] == {"low": "0", "high": "12", "step": "0.5", "steps": 24, "cells": 8}
    assert known["reports"][0] == "−10.5 hours, made by chance"
    assert len(set(known["reports"])) == 12
    assert item.labels == (
        "0 hours",
        "1.5 hours",
        "3 hours",
        "4.5 hours",
        "6 hours",
        "7.5 hours",
        "9 hours",
        "10.5 hours",
        "12 hours",
    )


def test_one_bit_is_told_the_browser_as_ever() -> None:
    (known,) = draft_of(make_draft(number_mean())).browser["questions"]
    assert known == {
        "items": 1,
        "canSkip": True,
        "reports": ("0 hours", "12 hours"),
        "denominator": 4,
        "columns": ((3, 1), (1, 3)),
        "range": {"low": "0", "high": "12", "step": "0.5", "steps": 24},
    }


def test_the_page_says_how_often_a_number_comes_and_that_chance_made_it(client: Client) -> None:
    survey = make_open(number_window())
    page = unescape(text_of(client.get(f"/s/{survey.code}/")))
    item = definition_of(survey).items[0]
    assert "If your number is near 4.5 hours" in page
    assert "16.7 of 100 phones send “4.5 hours”" in page
    assert "4.2 of 100 phones send “4.5 hours”" in page
    assert chance_line(item) in page
    assert "What can be sent goes from −10.5 hours to 22.5 hours" in page
    assert "changes anyone’s odds at most 4‑fold" in page
    (entry,) = odds(item)
    assert (entry.when_true, entry.when_not) == (Fraction(1, 6), Fraction(1, 24))
    assert max(item.design.odds) == entry.when_true / entry.when_not


def test_what_is_told_of_a_report_is_how_often_people_far_away_send_it() -> None:
    question = _definition().questions[0]
    found = told(question)
    assert {share for share, _rest in found["often"]} == {"4.2 of 100"}
    assert "phones whose owner’s number is nowhere near it send “22.5 hours”." in found["often"][11][1]
    assert len(found["follows"]) == len(found["lit"]) == 12


def test_no_coins_can_make_it_and_the_page_says_so(client: Client) -> None:
    survey = make_open(number_window())
    why = why_not_coins(definition_of(survey).questions[0])
    assert why == "Question 1: its chances are too fine to be made with coins and a die."
    assert why in unescape(text_of(client.get(f"/s/{survey.code}/own-coin/")))
    assert "Use real coins" not in text_of(client.get(f"/s/{survey.code}/"))


def test_without_a_script_the_server_rounds_and_reports_it(client: Client) -> None:
    survey = make_open(number_window(), server_mode_allowed=True)
    page = unescape(text_of(client.get(f"/s/{survey.code}/server/")))
    assert "From 0 hours to 12 hours, in steps of 0.5 hours." in page
    assert "Chance first rounds your number to one of the two nearest of 9 values" in page
    assert "If it is near “4.5 hours”, this server stores that 16.7 times of 100; if not, 4.2 times." in page
    sent = {"mode": "server", "nonce": new_nonce(), "answer-1": "7.5"}
    assert client.post(f"/s/{survey.code}/server/", sent).status_code == 303
    (stored,) = Response.objects.values_list("reports", flat=True)
    assert stored in set("0123456789ab")


def test_the_receipt_says_the_value_and_that_chance_made_it(client: Client) -> None:
    survey = make_open(number_window())
    client.post(f"/s/{survey.code}/", {"mode": "device", "nonce": new_nonce(), "reports": "b"})
    page = unescape(text_of(client.get(f"/s/{survey.code}/receipt/")))
    assert "22.5 hours, made by chance" in page
    assert "chance may have changed any of it" in page


def test_only_reports_that_there_are_are_taken(client: Client) -> None:
    survey = make_open(number_window())
    for report in ("c", "00", "z"):
        response = client.post(f"/s/{survey.code}/", {"mode": "device", "nonce": new_nonce(), "reports": report})
        assert response.status_code == 400
    assert not Response.objects.exists()


def test_where_epsilon_is_infinite_each_report_says_what_it_rules_out() -> None:
    definition = _definition(parameters={"truth": [1, 1], "grid": 4, "window": 2}, accepts_infinite=True)
    found = proofs(definition.items[0])
    assert next(proof.ruled_out for proof in found) == ("a number from “4 hours” to “12 hours”",)
    assert not any(proof.truth for proof in found)  # a number is rounded: that an end is left proves no number
    assert definition.proving == (1,)


def test_simulated_people_stand_at_the_grid_s_values() -> None:
    definition = _definition(**SMALL)
    draws = iter(range(20))
    drawn = Counter(perturb(definition=definition, truths=[0], randbelow=lambda _bound: next(draws)) for _ in range(20))
    assert drawn == {"0": 7, "1": 7, "2": 2, "3": 2, "4": 2}
