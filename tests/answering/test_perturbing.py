"""Truths of every kind through the real randomizer."""

from fractions import Fraction

import pytest

from surveys.answering.services.collecting import InvalidSubmission
from surveys.answering.services.perturbing import Tapped, Truth, perturb
from surveys.common.selectors import definition_of, draft_of
from tests import factories

pytestmark = pytest.mark.django_db


def _perturb(question: factories.Question, *truths: Truth, draws: tuple[int, ...] = ()) -> str:
    definition = draft_of(factories.make_draft(question))
    left = list(draws)
    return perturb(definition=definition, truths=truths, randbelow=lambda _: left.pop(0))


def test_every_option_of_several_gets_a_coin_of_its_own() -> None:
    # Below 4: 0 sends No, 3 sends Yes, 1 and 2 pass the truth on.
    assert _perturb(factories.several_of(), 1, 1, 0, draws=(0, 1, 3)) == "011"


@pytest.mark.parametrize(
    ("value", "draws", "report"),
    [("7.5", (14, 1), "1"), ("7.5", (15, 1), "0"), ("0", (0, 1), "0"), ("12", (23, 1), "1"), ("12", (23, 0), "0")],
)
def test_a_number_is_rounded_to_an_end_in_proportion_and_then_perturbed(
    value: str, draws: tuple[int, ...], report: str
) -> None:
    assert _perturb(factories.number_mean(), Fraction(value), draws=draws) == report


def test_not_saying_a_number_is_one_more_answer_where_that_is_protected() -> None:
    assert _perturb(factories.number_mean(**factories.PROTECTED), 2, draws=(5,)) == "2"


@pytest.mark.parametrize("value", [Fraction(-1), Fraction(121, 10), Fraction(1, 3), 0, 1, 3, Tapped("1")])
def test_what_is_no_number_of_the_question_is_refused(value: Truth) -> None:
    with pytest.raises(InvalidSubmission, match=r"[Qq]uestion 1\b") as refused:
        _perturb(factories.number_mean(**factories.PROTECTED), value)
    assert refused.value.field == "answer-1"


def test_what_is_tapped_where_the_head_adds_chance_is_the_report() -> None:
    assert _perturb(factories.crosswise(), Tapped("1")) == "1"


@pytest.mark.parametrize("report", ["2", "x", ""])
def test_a_tap_that_no_control_sends_is_refused(report: str) -> None:
    with pytest.raises(InvalidSubmission):
        _perturb(factories.crosswise(), Tapped(report))


def test_a_tap_never_stands_in_for_the_phones_chance() -> None:
    with pytest.raises(InvalidSubmission):
        _perturb(factories.yes_no(), Tapped("1"))


def test_a_survey_of_every_kind_and_design_gives_one_report_an_item() -> None:
    definition = definition_of(factories.make_open(*factories.every_kind()))
    truths: list[Truth] = [item.range.low if item.range else 1 for item in definition.items]
    assert definition.misfit(perturb(definition=definition, truths=truths)) == ""
    assert [item.key for item in definition.items[5:8]] == ["6a", "6b", "6c"]
