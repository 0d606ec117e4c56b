"""What cannot be released is refused by name, beside the field that it is about, and nothing is charged."""

import math
import re
from fractions import Fraction
from typing import Any

import pytest

from surveys.models import Budget, LedgerEntry, Mechanism, Release
from surveys.models.budget import REASON_LENGTH
from surveys.releases.families.options import invalid
from surveys.releases.ledger.services import set_budget
from surveys.releases.mechanisms.laplace_histogram import LaplaceHistogramPlan
from surveys.releases.mechanisms.most_common import MostCommonPlan
from surveys.releases.refusals import Why
from surveys.releases.services.request import micro_epsilon, pico_delta, stated_reason
from tests.factories import fill, make_admin, make_budget, make_draft, make_open, numbers_of, several_of, yes_no
from tests.releases.refused import refusing
from tests.releases.setting import HALF, check, first, make_release, ready_survey

pytestmark = pytest.mark.django_db

NO_EPSILON = [
    0,
    -1,
    Fraction(-1, 2),
    Fraction(1, 3),
    "1/3",
    Fraction(1, 10_000_000),
    "0.0000001",
    Fraction(10_000_001, 1_000_000),
    10**5000,
    -(10**5000),
    0.5,
    math.nan,
    math.inf,
    "1e400",
    "nan",
    "-0",
    "abc",
    "",
    True,
    None,
]
NO_DELTA = [
    Fraction(-1, 2),
    -(10**5000),
    Fraction(1, 3),
    Fraction(1, 10**13),
    Fraction(2, 1000),
    1,
    1e-6,
    math.nan,
    math.inf,
    "1e-6",
    False,
    None,
]


def _short(value: object) -> str:
    return "huge" if isinstance(value, int) and abs(value) > 10 else str(value)[:12]


def _written() -> tuple[object, ...]:
    return (
        list(Budget.objects.order_by("pk").values()),
        list(LedgerEntry.objects.order_by("pk").values()),
        list(Release.objects.values()),
    )


@pytest.mark.parametrize("epsilon", NO_EPSILON, ids=_short)
def test_what_is_no_epsilon_is_refused_and_nothing_is_charged(epsilon: object) -> None:
    survey = ready_survey()
    before = _written()
    with refusing(Why.INVALID_EPSILON, match="ε") as refused:
        make_release(survey, epsilon=epsilon)
    with refusing(Why.INVALID_EPSILON, match="ε"):
        set_budget(survey=survey, total_epsilon=epsilon, reason="More.", user=make_admin())
    assert (refused.value.field, _written()) == ("epsilon", before)


@pytest.mark.parametrize("delta", NO_DELTA, ids=_short)
def test_what_is_no_delta_is_refused_and_nothing_is_charged(delta: object) -> None:
    survey = ready_survey()
    before = _written()
    with refusing(Why.INVALID_DELTA, match="δ") as refused:
        make_release(survey, delta=delta)
    with refusing(Why.INVALID_DELTA, match="δ"):
        set_budget(survey=survey, total_epsilon=HALF, total_delta=delta, reason="More.", user=make_admin())
    assert (refused.value.field, _written()) == ("delta", before)


def test_amounts_are_exact_to_the_last_unit() -> None:
    assert (micro_epsilon("0.000001"), micro_epsilon(10)) == (1, 10_000_000)
    assert (pico_delta("0.000000000001"), pico_delta(0), pico_delta("0.001")) == (1, 0, 10**9)


@pytest.mark.parametrize(
    "reason", ["", "  \n\t ", "a\x00b", "bell\x07", "half \udce9", "x" * (REASON_LENGTH + 1)], ids=ascii
)
def test_a_reason_that_nobody_can_read_is_refused(reason: str) -> None:
    survey = ready_survey()
    before = _written()
    with refusing(Why.NO_REASON) as refused:
        make_release(survey, reason=reason)
    with refusing(Why.NO_REASON):
        set_budget(survey=survey, total_epsilon=HALF, reason=reason, user=make_admin())
    assert (refused.value.field, _written()) == ("reason", before)


def test_a_reason_may_be_as_long_as_its_column() -> None:
    assert len(stated_reason("é" * REASON_LENGTH)) == REASON_LENGTH


def _refusals() -> list[tuple[str, Why, str, str]]:
    return [
        ("too dear", Why.BUDGET_TOO_SMALL, "epsilon", r"ε = 0\.2 "),
        ("unknown mechanism", Why.UNKNOWN_MECHANISM, "mechanism", "'gaussian'"),
        ("a list as mechanism", Why.UNKNOWN_MECHANISM, "mechanism", "'laplace_histogram'"),
        ("no question", Why.NO_QUESTION, "questions", ""),
        ("one question twice", Why.NO_QUESTION, "questions", ""),
        ("a question too many", Why.NO_SUCH_QUESTION, "questions", ""),
        ("too few answers", Why.TOO_FEW_ANSWERS, "questions", r"\b9 .*\b10\b"),
        ("nobody answered", Why.TOO_FEW_ANSWERS, "questions", r"\b0 .*\b10\b"),
        ("no budget", Why.NO_BUDGET, "questions", ""),
        ("draft", Why.NOT_OPENED, "questions", ""),
        ("delta for nothing", Why.INVALID_DELTA, "delta", "δ"),
        ("a millionth for two", Why.INVALID_EPSILON, "epsilon", "ε"),
    ]


def _refused_request(case: str) -> dict[str, Any]:
    survey = ready_survey({"00": 60, "11": 60}, yes_no(), yes_no("Twice?"))
    request: dict[str, Any] = {
        "survey": survey,
        "questions": [first(survey)],
        "mechanism": Mechanism.LAPLACE_HISTOGRAM,
        "epsilon": HALF,
    }
    match case:
        case "too dear":
            make_release(survey, epsilon=Fraction(8, 10))
        case "unknown mechanism":
            request["mechanism"] = "gaussian"
        case "a list as mechanism":
            request["mechanism"] = ["laplace_histogram"]
        case "no question":
            request["questions"] = []
        case "one question twice":
            request["questions"] = [first(survey), first(survey)]
        case "a question too many":
            request["questions"] = [first(survey), survey.question_count + 1]
        case "delta for nothing":
            request["delta"] = Fraction(1, 10**6)
        case "a millionth for two":
            request |= {"questions": numbers_of(survey), "epsilon": Fraction(1, 10**6)}
        case _:
            other = make_draft() if case == "draft" else make_open()
            if case == "too few answers":
                fill(other, {"0": 5, "1": 4, "-": 20})
            if case != "no budget":
                make_budget(other)
            request |= {"survey": other, "questions": [first(other)]}
    return request


@pytest.mark.parametrize(("case", "code", "field", "words"), _refusals(), ids=[case for case, *_ in _refusals()])
def test_a_refused_release_charges_and_stores_nothing(case: str, code: Why, field: str, words: str) -> None:
    request = _refused_request(case)
    before = _written()
    with refusing(code, match=words) as shown:
        check(**request)
    with refusing(code, match=words) as refused:
        make_release(**request)
    assert (shown.value.field, refused.value.field, _written()) == (field, field, before)


def test_a_question_that_does_not_suit_is_refused_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MostCommonPlan, "unsuitable", lambda asked: f"Unsuitable: {asked.text}")
    survey = ready_survey({"000": 60}, several_of())
    before = _written()
    with refusing(Why.UNSUITABLE_QUESTION, match=f"Unsuitable: {re.escape(several_of().text)}") as refused:
        make_release(survey, mechanism=Mechanism.MOST_COMMON)
    assert (refused.value.field, _written()) == ("questions", before)


def test_an_option_that_cannot_be_is_refused_beside_its_field(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(*_: object) -> dict[str, Any]:
        raise invalid("share", "A share is between 0 and 1.")

    monkeypatch.setattr(LaplaceHistogramPlan, "read_options", wrong)
    survey = ready_survey()
    before = _written()
    with refusing(Why.INVALID_OPTION, match="between 0 and 1") as refused:
        make_release(survey, options={"share": "2"})
    assert (refused.value.field, _written()) == ("share", before)


def test_parameters_that_a_mechanism_does_not_take_are_refused_before_anything_is_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuses(*_: object) -> None:
        raise ValueError("bound must be above 0, got 0.")

    monkeypatch.setattr(LaplaceHistogramPlan, "mechanism", property(refuses))
    survey = ready_survey()
    before = _written()
    with refusing(Why.CANNOT_BE_DRAWN, match=r": bound .* 0\. ") as refused:
        make_release(survey)
    assert (refused.value.field, _written()) == ("mechanism", before)


def test_a_delta_is_asked_for_by_mechanisms_that_need_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LaplaceHistogramPlan, "uses_delta", True)
    survey = ready_survey({"00": 60, "11": 60}, yes_no(), yes_no("Twice?"), delta=Fraction(1, 10**6))
    for delta in (Fraction(0), Fraction(1, 10**12)):
        with refusing(Why.INVALID_DELTA, match="δ"):
            make_release(survey, questions=numbers_of(survey), delta=delta)
    with refusing(Why.DELTA_TOO_SMALL, match=r"δ = 0\.000001 ") as refused:
        make_release(survey, delta=Fraction(2, 10**6))
    assert refused.value.field == "delta"
    release = make_release(survey, questions=numbers_of(survey), delta=Fraction(3, 10**12))
    assert list(release.parts.values_list("pico_delta", flat=True)) == [2, 1]


@pytest.mark.parametrize("turning", [*map(chr, range(0x202A, 0x202F)), *map(chr, range(0x2066, 0x206A))], ids=ascii)
def test_a_reason_that_turns_the_text_around_is_refused_by_the_name_of_the_character(turning: str) -> None:
    with refusing(Why.NO_REASON, match=rf"U\+{ord(turning):04X} [A-Z-]+ "):
        stated_reason(f"yearly{turning}troper")


def test_a_reason_may_be_in_any_language() -> None:
    assert stated_reason("תקציב שנתי 2026 السنوي") == "תקציב שנתי 2026 السنوي"
