"""Below the arms in the editor stands how probably ways of asking will be told apart: the core's own numbers."""

import math
from collections.abc import Callable

import pytest
from django.urls import reverse

from surveys.editor.forms.editor import SurveyEditor
from surveys.editor.words import comparison_words
from surveys.estimation.planning.arms import plan_arms
from surveys.estimation.planning.precision import expected_half_width
from surveys.estimation.planning.two_groups import (
    TwoGroupPlan,
    cheating_detection_plan,
    lie_detector_plan,
    unrelated_unknown_plan,
)
from surveys.models import Survey
from surveys.privacy.designs import direct, forced_response
from surveys.questionnaire.question import Question
from tests.factories import make_draft, mangat, plain, unrelated, warner, yes_no
from tests.pages import owner_of, text_of

pytestmark = pytest.mark.django_db
THREE = [{"name": "Coins", "weight": 2}, {"name": "Directly", "weight": 1}, {"name": "Neither", "weight": 1}]
PLAIN = {"design": "plain", "parameters": {}, "leave_out": "no"}


def _editor(survey: Survey) -> SurveyEditor:
    response = owner_of(survey).get(reverse("survey-edit", args=[survey.code]))
    editor: SurveyEditor = response.context["editor"]
    # What the page says of a comparison is what the words of it are.
    sentences = [comparison_words(compared) for compared in editor.comparisons]
    assert [sentence for sentence in sentences if sentence not in text_of(response)] == []
    return editor


def _draft(**changes: object) -> Survey:
    same = {"quantity": 1}
    return make_draft(
        yes_no("Did you cheat?", arms=[1], **same),
        yes_no("Did you cheat?", arms=[2], **(PLAIN | same)),
        plain(),
        arms=THREE,
        **changes,
    )


def test_power_and_how_many_are_needed_are_the_cores_at_the_answers_expected() -> None:
    [compared] = _editor(_draft(expected_n=400, expected_share=30)).comparisons
    plan = plan_arms(forced_response(), direct(), 0.3, 0.2, first_share=2 / 3)
    assert (compared.first.number, compared.second.number, compared.n) == (1, 2, 300)
    assert (compared.share, compared.other) == (0.3, pytest.approx(0.2))
    assert (compared.power, compared.needed) == (pytest.approx(plan.power(300)), plan.sample_size(power=0.8))


_HALVES = [{"name": "One", "weight": 1}, {"name": "Other", "weight": 1}]


def _pair(ask: Callable[..., Question], first: object, second: object) -> list[Question]:
    return [
        ask(arms=[arm], quantity=1, leave_out="no", parameters=parameters)
        for arm, parameters in enumerate((first, second), start=1)
    ]


@pytest.mark.parametrize(
    ("asked", "plan"),
    [
        (
            _pair(unrelated, {"p": [7, 10], "q": [1, 4]}, {"p": [1, 2], "q": [1, 4]}),
            unrelated_unknown_plan("7/10", "1/2", "1/4"),
        ),
        (
            _pair(yes_no, {"truth": [1, 2], "yes": [1, 4]}, {"truth": [1, 2], "yes": [3, 4]}),
            cheating_detection_plan("1/8", "3/8", 0, no1="3/8", no2="1/8"),
        ),
        (_pair(mangat, {"p": [7, 10]}, {"p": [3, 10]}), lie_detector_plan("7/10", "3/10", 1)),
    ],
    ids=["unrelated", "forced", "mangat"],
)
def test_two_arms_that_tell_a_second_share_are_planned_together(asked: list[Question], plan: TwoGroupPlan) -> None:
    [both] = _editor(make_draft(*asked, arms=_HALVES, expected_n=100, expected_share=30)).two_arms
    assert both.half_width == pytest.approx(expected_half_width(n=100, design=plan, prevalence=0.3))
    assert (both.arms.first.number, both.arms.second.number, both.n) == (1, 2, 100)


def test_the_arms_are_planned_by_their_weights() -> None:
    asked = _pair(unrelated, {"p": [7, 10], "q": [1, 4]}, {"p": [3, 10], "q": [1, 4]})
    [both] = _editor(make_draft(*asked, plain(), arms=THREE, expected_n=400, expected_share=30)).two_arms
    plan = unrelated_unknown_plan("7/10", "3/10", "1/4", "2/3")
    assert both.half_width == pytest.approx(expected_half_width(n=300, design=plan, prevalence=0.3))
    assert both.n == 300


def test_arms_that_tell_one_share_only_are_not_planned_for_two() -> None:
    for asked in (
        _pair(warner, {"p": [3, 4]}, {"p": [2, 3]}),
        _pair(mangat, {"p": [3, 4]}, {"p": [3, 4]}),
    ):
        editor = _editor(make_draft(*asked, arms=_HALVES))
        assert (len(editor.comparisons), editor.two_arms) == (1, [])


def test_an_arm_with_nothing_protected_says_so_where_the_others_have_a_total() -> None:
    editor = _editor(_draft())
    assert editor.arm_totals == [pytest.approx(math.log(3)), 0, 0]
    assert editor.epsilon == pytest.approx(math.log(3))


def test_what_is_compared_with_nothing_is_not_spoken_of() -> None:
    apart = make_draft(yes_no(arms=[1]), yes_no("Or this?", arms=[2]), arms=THREE[:2])
    assert [_editor(survey).comparisons for survey in (apart, make_draft(yes_no()))] == [[], []]
