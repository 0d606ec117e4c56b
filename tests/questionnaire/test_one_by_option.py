"""One option of several, each reported by itself: what it costs does not depend on how many there are."""

import math
from fractions import Fraction

import pytest

from surveys.common.selectors import definition_of
from surveys.drafts.services.surveys import QuestionRefused
from surveys.models import Survey
from surveys.privacy.designs import UnaryDesign
from surveys.questionnaire.asked_question import AskedQuestion
from surveys.questionnaire.kinds import prefer_not_to_say, suitable_designs
from surveys.questionnaire.question import Question
from tests.factories import PROTECTED, make_draft, one_by_option, one_of, several_of, yes_no

pytestmark = pytest.mark.django_db


def _asked(draft: Question) -> AskedQuestion:
    return definition_of(make_draft(draft)).questions[0]


@pytest.mark.parametrize("number", [2, 3, 20])
def test_all_its_reports_together_are_a_unary_report(number: int) -> None:
    asked = _asked(one_by_option(options=[f"Option {place}" for place in range(number)]))
    unary = UnaryDesign(number, p=Fraction(2, 3), q=Fraction(1, 6))
    assert [(item.option, item.labels) for item in asked.items] == [
        (f"Option {place}", ("No", "Yes")) for place in range(number)
    ]
    assert {item.design.matrix for item in asked.items} == {unary.bit.matrix}
    assert [loss.odds for loss in asked.losses] == [unary.odds] == [10]
    assert asked.epsilon == unary.epsilon == pytest.approx(math.log(10), rel=1e-15)


def test_of_several_that_can_be_true_each_costs_its_own() -> None:
    options = [f"Option {place}" for place in range(5)]
    asked = _asked(several_of(options, parameters={"truth": [1, 2], "yes": [1, 3]}))
    assert [loss.odds for loss in asked.losses] == [4] * 5
    assert asked.epsilon == pytest.approx(5 * math.log(4), rel=1e-15)


def test_what_a_response_costs_is_the_sum_over_its_questions() -> None:
    definition = definition_of(make_draft(one_by_option(), yes_no(), one_by_option("Which is the last?")))
    assert definition.epsilon == pytest.approx(math.log(10 * 3 * 10), rel=1e-15)
    assert len(definition.items) == 3 + 1 + 3


@pytest.mark.parametrize("design", ["forced_response", "warner"])
def test_designs_of_two_answers_are_for_each_option(design: str) -> None:
    assert suitable_designs("one_of") == ("k_ary", "plain", "forced_response", "warner")
    parameters = {"p": [3, 4]} if design == "warner" else {"truth": [1, 2], "yes": [1, 2]}
    asked = _asked(one_by_option(design=design, parameters=parameters))
    assert (len(asked.items), asked.first.design.k, asked.losses[0].odds) == (3, 2, 9)
    at_once = _asked(one_of())
    assert (len(at_once.items), at_once.first.design.k) == (1, 3)


@pytest.mark.parametrize(
    ("changes", "field", "words"),
    [
        ({"leave_out": "protected"}, "leave_out", ""),
        # ε of one option is 3.7, of two that differ 7.3.
        ({"design": "warner", "parameters": {"p": [39, 40]}}, "parameters", " 7.33, "),
        ({"parameters": {"truth": [1, 2], "yes": [0, 1]}}, "parameters", "prove"),
        # One report would prove of an option what several prove of the answer.
        ({"parameters": {"truth": [1, 2], "yes": [1, 1]}, "accepts_infinite": True}, "parameters", ""),
        ({"design": "crosswise", "parameters": {"p": [1, 4]}}, "design", ""),
        ({"options": ["One", "one"]}, "options", ""),
    ],
)
def test_what_would_not_protect_or_cannot_be_asked_is_refused(
    changes: dict[str, object], field: str, words: str
) -> None:
    with pytest.raises(QuestionRefused) as refused:
        make_draft(one_by_option(**changes))
    assert words in " ".join(refused.value.message_dict[field])
    assert not Survey.objects.exists()


def test_not_saying_is_protected_by_designs_for_all_options_at_once() -> None:
    assert suitable_designs("one_of", "protected") == ("k_ary",)
    assert _asked(one_of(**PROTECTED)).first.labels[-1] == prefer_not_to_say()
