"""Lists of statements: what they may be, and which two of them can be compared."""

from typing import Any

import pytest
from django.core.exceptions import ValidationError

from surveys.common.selectors import definition_of
from surveys.course.services import open_survey
from surveys.drafts.services.surveys import QuestionRefused
from surveys.questionnaire import kinds
from surveys.questionnaire.lists import pair_with, pairs_of
from surveys.questionnaire.question import Question
from tests.factories import INNOCUOUS, SENSITIVE, item_count, make_draft, make_open, scale, two_lists, yes_no

pytestmark = pytest.mark.django_db

ARMS = [{"name": "Short", "weight": 1}, {"name": "Long", "weight": 1}]
THREE = [*ARMS, {"name": "Third", "weight": 1}]
DIRECT: dict[str, Any] = {"design": "plain", "parameters": {}}
LONG = (*INNOCUOUS, SENSITIVE)


def test_the_answer_is_how_many_hold_from_none_to_all() -> None:
    kind = kinds.named("item_count")
    assert kind.of(INNOCUOUS, {}).labels == ("0", "1", "2", "3")
    assert kinds.suitable_designs("item_count") == ("k_ary", "plain")
    assert kinds.suitable_designs("item_count", "protected") == ()


@pytest.mark.parametrize(
    ("question", "field"),
    [
        (item_count(INNOCUOUS[:1]), "options"),
        (item_count(("I ski", " i SKI")), "options"),
        (item_count(leave_out="protected"), "leave_out"),
        (item_count([f"Statement {n}" for n in range(8)], **DIRECT), "design"),
        (item_count(design="warner", parameters={"p": [3, 4]}), "design"),
    ],
)
def test_what_is_no_list_is_refused(question: Question, field: str) -> None:
    with pytest.raises(QuestionRefused) as refused:
        make_draft(question)
    assert set(refused.value.message_dict) == {field}


def test_two_lists_that_differ_by_one_statement_are_a_pair_in_whatever_order_they_stand() -> None:
    short, long = two_lists()
    survey = make_open(item_count((SENSITIVE, *reversed(INNOCUOUS)), arms=[2], quantity=1), yes_no(), short, arms=ARMS)
    definition = definition_of(survey)
    (pair,) = pairs_of(definition)
    assert (pair.control.number, pair.treatment.number, pair.items, pair.sensitive) == (3, 1, 3, SENSITIVE)
    assert [pair_with(question, definition) for question in definition.questions] == [pair, None, pair]
    assert long.options == tuple(LONG)


@pytest.mark.parametrize(
    ("questions", "numbers"),
    [
        ([item_count()], "1"),
        ([item_count(arms=[1]), item_count(LONG, arms=[2])], "1"),
        ([item_count(arms=[1], quantity=1), scale(arms=[2], quantity=1)], "1"),
        ([*two_lists(), item_count((*LONG, "I fly"), arms=[3], quantity=1)], "1 to 3"),
        ([item_count(arms=[1], quantity=1), item_count(arms=[2], quantity=1)], "1 and 2"),
        ([item_count(arms=[1], quantity=1), item_count((*LONG, "I fly"), arms=[2], quantity=1)], "1 and 2"),
        (
            [item_count(arms=[1], quantity=1), item_count((*INNOCUOUS[1:], "I fly", "I ski"), arms=[2], quantity=1)],
            "1 and 2",
        ),
    ],
)
def test_lists_that_cannot_be_compared_are_not_opened(questions: list[Question], numbers: str) -> None:
    draft = make_draft(*questions, yes_no(), arms=THREE)
    with pytest.raises(ValidationError, match=rf"[Qq]uestions? {numbers} "):
        open_survey(survey=draft)
    draft.refresh_from_db()
    assert draft.is_draft


def test_a_plain_list_alone_does_not_make_a_survey() -> None:
    draft = make_draft(*two_lists(**DIRECT), arms=ARMS)
    with pytest.raises(ValidationError):
        open_survey(survey=draft)
    draft.refresh_from_db()
    assert draft.is_draft


def test_who_is_asked_a_list_may_be_asked_directly_too_and_in_no_other_way() -> None:
    beside = make_draft(*two_lists(), yes_no("Cheated?", quantity=1, **DIRECT), arms=ARMS)
    (pair,) = pairs_of(definition_of(beside))
    assert pair.direct is not None
    assert pair.direct.text == "Cheated?"
    in_one_arm = make_draft(*two_lists(), yes_no("Cheated?", arms=[1], quantity=1, **DIRECT), arms=ARMS)
    assert pairs_of(definition_of(in_one_arm))[0].direct is None
    for other in (yes_no("Cheated?", quantity=1), yes_no("Cheated?", arms=[2], quantity=1, **DIRECT)):
        asked = [yes_no("Cheated?", quantity=1, arms=[1, 2], **DIRECT), other]
        with pytest.raises(QuestionRefused) as refused:
            make_draft(*two_lists(), *asked, arms=ARMS)
        assert list(refused.value.message_dict) == ["quantity"]
