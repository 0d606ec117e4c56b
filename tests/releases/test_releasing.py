"""A release is charged, drawn and stored in one step, or refused with nothing charged."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any
from uuid import uuid4

import pytest
from django.db.models import QuerySet

from surveys.models import Budget, Mechanism, Release, Survey
from surveys.services import releasing
from surveys.services.surveys import close_survey, pause_survey
from tests.factories import fill, make_admin, make_budget, make_draft, make_open, one_of, yes_no
from tests.releases.setting import HALF, first, make_release, ready_survey, spent

pytestmark = pytest.mark.django_db


def test_a_release_charges_exactly_its_epsilon() -> None:
    survey = ready_survey()
    make_release(survey, epsilon=Fraction(1, 8))
    assert spent(survey) == 125_000


def test_a_release_says_who_drew_what_under_which_terms() -> None:
    survey, user = ready_survey(), make_admin()
    release = make_release(survey, user=user)
    release.refresh_from_db()
    assert (release.created_by, release.n, release.relation, release.published) == (user, 100, "REPLACE_ONE", False)
    assert release.parameters == {
        "epsilon": "1/2",
        "sensitivity": "1",
        "item": 0,
        "content_hash": survey.content_hash,
        "spent": "1/2",
    }


def test_the_noise_is_added_to_the_counts_of_the_reports() -> None:
    release = make_release(ready_survey({"0": 70, "1": 30}, epsilon=10), epsilon=Fraction(10))
    errors = [noisy - count for noisy, count in zip(release.output["noisy_counts"], (70, 30), strict=True)]
    # Pr(|noise| > 10) at ε/Δ = 5 is below 1e-23.
    assert max(map(abs, errors)) <= 10


def test_the_most_common_answer_is_stored_as_one_choice() -> None:
    survey = ready_survey({"0": 10, "1": 10, "2": 480}, one_of(), epsilon=10)
    release = make_release(survey, mechanism=Mechanism.MOST_COMMON, epsilon=Fraction(10))
    assert (release.output, release.parameters["sensitivity"]) == ({"index": 2, "label": "Often"}, "1")


def test_answers_left_out_are_not_counted() -> None:
    survey = ready_survey({"0": 15, "1": 15, "-": 50})
    assert make_release(survey).n == 30


def test_the_second_question_is_counted_by_its_own_reports() -> None:
    survey = ready_survey({"00": 40, "02": 160}, yes_no(), one_of(), epsilon=10)
    question = survey.questions.get(position=2)
    release = make_release(survey, question=question, mechanism=Mechanism.MOST_COMMON, epsilon=Fraction(10))
    assert (release.output["label"], release.parameters["item"]) == ("Often", 1)


@pytest.mark.parametrize("close", [pause_survey, close_survey])
def test_a_survey_that_collects_no_more_can_be_released(close: Callable[..., Survey]) -> None:
    survey = close(survey=ready_survey())
    assert make_release(survey).n == 100


NO_EPSILON = [
    0,
    Fraction(-1, 2),
    Fraction(1, 3),
    Fraction(1, 10_000_000),
    Fraction(10_000_001, 1_000_000),
    0.5,
    math.nan,
    math.inf,
    "1e400",
    "abc",
    True,
    None,
]


@pytest.mark.parametrize("epsilon", NO_EPSILON, ids=repr)
def test_what_is_no_epsilon_is_refused_and_nothing_is_charged(epsilon: object) -> None:
    survey = ready_survey()
    with pytest.raises(releasing.InvalidEpsilon, match="ε"):
        make_release(survey, epsilon=epsilon)
    with pytest.raises(releasing.InvalidEpsilon, match="ε"):
        releasing.set_budget(survey=survey, total_epsilon=epsilon, user=make_admin())
    assert (spent(survey), Release.objects.count(), Budget.objects.get().total_micro_epsilon) == (0, 0, 1_000_000)


def _refusals() -> list[tuple[str, type[releasing.Refused], str]]:
    return [
        ("too dear", releasing.BudgetTooSmall, "ε = 0.2 left"),
        ("unknown mechanism", releasing.UnknownMechanism, "'gaussian'"),
        ("another survey's question", releasing.ForeignQuestion, "another survey"),
        ("too few answers", releasing.TooFewAnswers, "9 answers.*from 10"),
        ("no budget", releasing.NoBudget, "no privacy budget"),
        ("draft", releasing.NotOpened, "draft"),
    ]


def _refused_request(case: str) -> dict[str, Any]:
    survey = ready_survey()
    request: dict[str, Any] = {
        "survey": survey,
        "question": first(survey),
        "mechanism": Mechanism.LAPLACE_HISTOGRAM,
        "epsilon": HALF,
    }
    if case == "too dear":
        Budget.objects.update(spent_micro_epsilon=800_000)
    elif case == "unknown mechanism":
        request["mechanism"] = "gaussian"
    elif case == "another survey's question":
        request["question"] = first(ready_survey())
    else:
        other = make_draft() if case == "draft" else make_open()
        if case == "too few answers":
            fill(other, {"0": 5, "1": 4, "-": 20})
        if case != "no budget":
            make_budget(other)
        request |= {"survey": other, "question": first(other)}
    return request


@pytest.mark.parametrize(("case", "error", "words"), _refusals(), ids=[case for case, *_ in _refusals()])
def test_a_refused_release_charges_and_stores_nothing(case: str, error: type[releasing.Refused], words: str) -> None:
    request = _refused_request(case)
    before = list(Budget.objects.order_by("pk").values())
    with pytest.raises(error, match=words):
        releasing.check(**request)
    with pytest.raises(error, match=words):
        releasing.release(**request, user=make_admin(), request_key=uuid4())
    assert (list(Budget.objects.order_by("pk").values()), Release.objects.count()) == (before, 0)


def test_the_same_request_again_is_refused_by_name_and_charged_once() -> None:
    survey, key = ready_survey(), uuid4()
    made = make_release(survey, request_key=key)
    with pytest.raises(releasing.DuplicateRequest, match=made.pk):
        make_release(survey, request_key=key)
    assert (spent(survey), Release.objects.count()) == (500_000, 1)


def test_the_same_request_again_is_a_duplicate_even_when_the_budget_is_empty() -> None:
    survey, key = ready_survey(), uuid4()
    made = make_release(survey, request_key=key, epsilon=Fraction(1))
    with pytest.raises(releasing.DuplicateRequest) as refused:
        make_release(survey, request_key=key, epsilon=Fraction(1))
    assert refused.value.release_id == made.pk


def test_one_request_for_two_surveys_is_refused_by_the_unique_key(monkeypatch: pytest.MonkeyPatch) -> None:
    key = uuid4()
    make_release(ready_survey(), request_key=key)
    other = ready_survey()
    # As if the first were committed between the look and the insert.
    original = releasing.Release.objects.filter

    def sees_none(**lookups: object) -> QuerySet[Release]:
        return original(pk="") if "request_key" in lookups else original(**lookups)

    monkeypatch.setattr(releasing.Release.objects, "filter", sees_none)
    with pytest.raises(releasing.DuplicateRequest):
        make_release(other, request_key=key)
    assert spent(other) == 0


def test_a_failing_draw_gives_the_charge_back() -> None:
    survey = ready_survey()

    def broken(_bound: int) -> int:
        raise OSError

    with pytest.raises(OSError):  # noqa: PT011 - no message to match
        make_release(survey, randbelow=broken)
    assert (spent(survey), Release.objects.count()) == (0, 0)


def test_the_last_of_the_budget_can_be_spent_to_the_millionth() -> None:
    survey = ready_survey()
    make_release(survey, epsilon=Fraction(999_999, 1_000_000))
    make_release(survey, epsilon=Fraction(1, 1_000_000))
    with pytest.raises(releasing.BudgetTooSmall, match="ε = 0 left"):
        make_release(survey, epsilon=Fraction(1, 1_000_000))
    assert spent(survey) == 1_000_000


def test_a_budget_grows_and_shrinks_down_to_what_is_spent() -> None:
    survey, user = ready_survey(), make_admin()
    make_release(survey)
    releasing.set_budget(survey=survey, total_epsilon=Fraction(3), user=user)
    budget = releasing.set_budget(survey=survey, total_epsilon=HALF, user=user)
    assert (budget.total_epsilon, budget.remaining_epsilon) == (HALF, 0)


def test_a_budget_below_what_is_spent_is_refused() -> None:
    survey = ready_survey()
    make_release(survey)
    with pytest.raises(releasing.BudgetBelowSpent, match=r"ε = 0\.5 of this budget is spent"):
        releasing.set_budget(survey=survey, total_epsilon=Fraction(499_999, 1_000_000), user=make_admin())
    assert Budget.objects.get().total_micro_epsilon == 1_000_000


def test_publishing_and_withdrawing_change_nothing_else() -> None:
    survey, user = ready_survey(), make_admin()
    release = make_release(survey)
    rows = [Release.objects.values().get()]
    releasing.publish(release=release, user=user)
    rows.append(Release.objects.values().get())
    releasing.withdraw(release=release, user=user)
    rows.append(Release.objects.values().get())
    assert [row.pop("published") for row in rows] == [False, True, False]
    assert rows[0] == rows[1] == rows[2]
    assert spent(survey) == 500_000


@pytest.mark.parametrize(
    ("epsilon", "text"), [(Fraction(1, 2), "0.5"), (Fraction(10), "10"), (Fraction(1, 1_000_000), "0.000001")]
)
def test_epsilon_is_written_without_rounding(epsilon: Fraction, text: str) -> None:
    assert releasing.decimal(epsilon) == text


def test_an_epsilon_that_six_decimals_cannot_write_is_refused() -> None:
    with pytest.raises(ValueError, match="millionths"):
        releasing.decimal(Fraction(1, 3))
