"""Random arms: what they may be, and what the respondents of each are asked and store."""

from collections import Counter
from itertools import product
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from surveys.common.selectors import definition_of
from surveys.drafts.services.surveys import QuestionRefused
from surveys.models import Survey
from surveys.questionnaire.arms import Arm, check_arms, draw_arm
from surveys.questionnaire.question import Question
from tests.factories import crosswise, make_draft, make_open, one_of, rewrite, several_of, yes_no

pytestmark = pytest.mark.django_db
TWO = [{"name": "Coins", "weight": 2}, {"name": "Spinner", "weight": 1}]
SPINNER: dict[str, Any] = {"design": "k_ary", "parameters": {"truth": [1, 2]}}


def _questions() -> list[Question]:
    return [
        several_of(arms=[2]),
        yes_no(arms=[1], quantity=1),
        yes_no("Have you cheated?", arms=[2], quantity=1, **SPINNER),
        one_of(),
    ]


@pytest.mark.parametrize(
    "arms",
    [
        "",
        [{"name": "A"}],
        [{"name": "A", "weight": True}, {"name": "B", "weight": 1}],
        [{"name": " ", "weight": 1}, {"name": "B", "weight": 1}],
        [{"name": "A", "weight": 1}],
        [{"name": str(number), "weight": 1} for number in range(9)],
        [{"name": "A", "weight": 0}, {"name": "B", "weight": 1}],
        [{"name": "A", "weight": 1001}, {"name": "B", "weight": 1}],
        [{"name": "A", "weight": 1}, {"name": "a ", "weight": 1}],
    ],
)
def test_what_are_no_arms_is_refused(arms: object) -> None:
    with pytest.raises(ValidationError):
        check_arms(arms)


def test_none_and_eight_arms_are_taken() -> None:
    check_arms([])
    check_arms([{"name": str(number), "weight": number} for number in range(1, 9)])


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"arms": [3]}, "arms"),
        ({"arms": [0]}, "arms"),
        ({"arms": [2, 1]}, "arms"),
        ({"arms": [1, 1]}, "arms"),
        ({"arms": ["1"]}, "arms"),
        ({"arms": "1"}, "arms"),
        ({"arms": [1], "quantity": 1}, "quantity"),
        ({"quantity": 2}, "quantity"),
    ],
)
def test_a_question_in_arms_that_there_are_not_or_twice_is_refused(changes: dict[str, Any], field: str) -> None:
    with pytest.raises(QuestionRefused) as refused:
        make_draft(*_questions(), yes_no("Another?", **changes), arms=TWO)
    assert field in refused.value.message_dict
    assert not Survey.objects.exists()


def test_an_arm_that_is_asked_nothing_is_refused() -> None:
    with pytest.raises(ValidationError, match="Arm 2 "):
        make_draft(yes_no(arms=[1]), arms=TWO)


def test_one_fact_serves_what_asks_for_the_same_in_different_arms_and_nothing_else() -> None:
    make_draft(crosswise(arms=[1], quantity=1), crosswise("Or this?", arms=[2], quantity=1), arms=TWO)
    with pytest.raises(QuestionRefused, match="same innocuous question"):
        make_draft(crosswise(arms=[1]), crosswise("Or this?", arms=[2]), arms=TWO)


def test_each_integer_below_the_sum_of_weights_belongs_to_one_arm_as_many_as_it_weighs() -> None:
    arms = [Arm(1, "a", 3), Arm(2, "b", 1), Arm(3, "c", 4)]
    below: list[int] = []

    def counted(value: int) -> int:
        drawn = draw_arm(arms, lambda bound: below.append(bound) or value)
        return drawn.number

    assert Counter(map(counted, range(8))) == {1: 3, 2: 1, 3: 4}
    assert set(below) == {8}


def test_an_arm_meets_its_questions_alone_numbered_from_one() -> None:
    definition = definition_of(make_open(*_questions(), arms=TWO))
    coins, spinner = definition.in_arm(1), definition.in_arm(2)
    assert [question.text for question in coins.questions] == [yes_no().text, one_of().text]
    assert [item.key for item in coins.items] == ["1", "2"]
    assert [item.key for item in spinner.items] == ["1a", "1b", "1c", "2", "3"]
    assert [item.number for item in spinner.items] == [0, 1, 2, 3, 4]
    assert definition.columns == (2, 2, 2, 2, 2, 3, 2)
    assert definition.version == coins.version


def test_the_loss_is_that_of_the_arm_that_costs_most() -> None:
    definition = definition_of(make_open(*_questions(), arms=TWO))
    assert definition.epsilon == definition.in_arm(2).epsilon > definition.in_arm(1).epsilon
    assert definition.bounded_epsilon == definition.in_arm(2).bounded_epsilon


def test_reports_of_an_arm_are_stored_with_its_code_and_read_again() -> None:
    definition = definition_of(make_open(*_questions(), arms=TWO))
    coins, spinner = definition.in_arm(1), definition.in_arm(2)
    assert coins.stored("12") == "---1-20"
    assert spinner.stored("01012") == "010-121"
    for mine, reports in ((coins, "12"), (spinner, "01012"), (coins, "-0")):
        stored = mine.stored(reports)
        assert definition.misfit(stored) == ""
        assert definition.arm_of(stored) == mine
        assert mine.reports_here(stored) == reports


def test_of_all_texts_of_a_small_survey_exactly_those_fit_that_an_arm_can_send() -> None:
    definition = definition_of(make_open(yes_no(arms=[1]), yes_no("B?", arms=[2], leave_out="no"), arms=TWO))
    fitting = {text for text in map("".join, product("-012", repeat=3)) if not definition.misfit(text)}
    assert fitting == {"0-0", "1-0", "--0", "-01", "-11"}
    assert definition.misfit("0-")
    assert definition.misfit("0-00")


def test_without_arms_nothing_changes() -> None:
    definition = definition_of(make_open(yes_no()))
    assert definition.columns == (2,)
    assert definition.stored("1") == definition.reports_here("1") == "1"
    assert definition.arm_of("1") is definition is definition.all_arms
    assert "arms" not in definition.content
    assert not {"arms", "quantity"} & definition.content["questions"][0].keys()


def test_arms_are_part_of_what_is_frozen() -> None:
    plain, dealt = make_draft(yes_no()), make_draft(yes_no(), arms=TWO)
    assert definition_of(dealt).content["arms"] == TWO
    assert definition_of(plain).content.keys() < definition_of(dealt).content.keys()
    opened = make_open(yes_no(), arms=TWO)
    with pytest.raises(IntegrityError, match="frozen"), transaction.atomic():
        rewrite(opened, 0, arms=())
    rewrite(dealt, 0, arms=())
