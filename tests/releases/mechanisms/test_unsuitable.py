"""What does not suit a mechanism is refused by name at every door, and charges nothing; what suits is released."""

import math
import re
from fractions import Fraction

import pytest

from surveys.models import Budget, Release, Survey
from surveys.questionnaire.question import Question
from surveys.releases.refusals import Why
from tests.factories import (
    PROTECTED,
    by_option,
    every_protected_kind,
    fill,
    make_budget,
    make_open,
    number_bands,
    number_mean,
    numbers_of,
    one_of,
    scale,
    several_of,
    yes_no,
)
from tests.releases.refused import refusing
from tests.releases.setting import HALF, check, first, make_release, ready_survey

pytestmark = pytest.mark.django_db

UNSUITABLE = {
    "several options have no one count": (several_of(leave_out="no"), "one_count", "several reports per person"),
    "limits are no answers": (number_mean(leave_out="no"), "most_common", "only one of two end values, not the number"),
    "two answers are one count": (
        yes_no(leave_out="no"),
        "one_count",
        "only two possible reports, so noisy counts of both cost no more than a count of one",
    ),
    "no order, no median": (one_of(), "quantile", "have no order"),
    "no numbers, no sum": (one_of(), "total", "are not numbers"),
    "two numbers, no variance": (number_mean(leave_out="no"), "variance", "stand for only two numbers"),
    "no bands, no price": (scale(), "best_price", "does not ask for a number in bands"),
    "a price below 0": (
        number_bands(details={"edges": [[-5, 1], [0, 1], [5, 1]], "unit": "€"}),
        "best_price",
        "start below 0, but a price cannot be negative",
    ),
    "no place for not saying": (scale(**PROTECTED), "smooth_median", "“Prefer not to say” is an answer to"),
}


def _ready(draft: Question) -> Survey:
    survey = make_open(draft)
    items = len(draft.options) if by_option(draft) else 1
    fill(survey, {"1" * items: 30})
    make_budget(survey)
    return survey


@pytest.mark.parametrize("case", UNSUITABLE)
def test_the_service_refuses_it_by_name_and_charges_nothing(case: str) -> None:
    draft, mechanism, words = UNSUITABLE[case]
    survey = _ready(draft)
    for refuse in (
        lambda: check(survey=survey, questions=[first(survey)], mechanism=mechanism, epsilon=HALF),
        lambda: make_release(survey, mechanism=mechanism),
    ):
        with refusing(Why.UNSUITABLE_QUESTION, match=re.escape(words)) as refused:
            refuse()
        assert draft.text in str(refused.value)
    assert (Budget.objects.get().spent_micro_epsilon, Release.objects.count()) == (0, 0)


def test_one_question_that_does_not_suit_refuses_all_of_them() -> None:
    survey = make_open(scale(), one_of())
    fill(survey, {"00": 30})
    make_budget(survey)
    with refusing(Why.UNSUITABLE_QUESTION, match="have no order"):
        make_release(survey, questions=numbers_of(survey), mechanism="quantile", options={"share": "1/2"})
    assert Release.objects.count() == 0


@pytest.mark.parametrize(
    ("mechanism", "options", "field"),
    [
        ("one_count", {"answer": "7"}, "answer"),
        ("one_count", {}, "answer"),
        ("top", {"how_many": "0"}, "how_many"),
        ("quantile", {"share": "1"}, "share"),
        ("most_common", {"share": "1/2"}, "share"),
    ],
)
def test_an_option_that_cannot_be_is_refused_by_its_name(mechanism: str, options: dict[str, str], field: str) -> None:
    survey = _ready(scale())
    with refusing(Why.INVALID_OPTION) as refused:
        make_release(survey, mechanism=mechanism, options=options)
    assert refused.value.field == field
    assert Budget.objects.get().spent_micro_epsilon == 0


@pytest.mark.parametrize(
    "draft", every_protected_kind(), ids=lambda draft: f"{draft.kind}-{draft.design}-{draft.leave_out}"
)
def test_noisy_counts_of_every_kind_can_be_released(draft: Question) -> None:
    assert make_release(_ready(draft)).parts.get().output.keys() == {"noisy_counts"}


class TestInfiniteLocalEpsilon:
    """Reports that can prove an answer: only the chance of the release protects."""

    @pytest.fixture
    def survey(self) -> Survey:
        always_yes = {"truth": [1, 2], "yes": [1, 1]}
        return ready_survey({"0": 20, "1": 80}, yes_no(leave_out="no", parameters=always_yes, accepts_infinite=True))

    def test_the_central_bound_alone_holds_for_the_truth(self, survey: Survey) -> None:
        terms = check(survey=survey, questions=[first(survey)], mechanism="laplace_histogram", epsilon=HALF)
        [part] = terms.plans
        assert part.report_proves
        assert part.local_epsilon == math.inf
        assert 0.5 <= part.truth_epsilon < 0.5 + 1e-9
        assert part.truth_epsilon_together_with(Fraction(1, 4)) == pytest.approx(0.75)
