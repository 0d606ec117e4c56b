"""From a wanted accuracy to the smallest ε that promises it; no report is read for it."""

import re
from dataclasses import replace
from fractions import Fraction
from typing import Any, TypeAlias

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from surveys.models import Mechanism, Survey
from surveys.models.units import MICRO
from surveys.privacy.loss import PrivacyLoss
from surveys.releases.families.plan import LARGEST_EPSILON, POINTS
from surveys.releases.ledger.services import set_budget
from surveys.releases.mechanisms import PLANS
from surveys.releases.refusals import Why
from surveys.releases.services import wanted
from surveys.releases.services.wanted import smallest_count, units_for
from tests.factories import fill, make_open, number_bands, number_mean, numbers_of, one_of, scale, yes_no
from tests.releases.asked import ALONE, MILLIONTH, terms_of
from tests.releases.refused import refusing
from tests.releases.setting import check, epsilon_for

N = 1000
KINDS = [yes_no(leave_out="no"), one_of(), scale(), number_mean(leave_out="no"), number_bands()]
YES_NO, ONE_OF, SCALE, MEAN, BANDS = range(5)


@pytest.fixture
def survey(db: None) -> Survey:
    survey = make_open(*KINDS)
    fill(survey, {"00000": N // 2, "11111": N // 2})
    return survey


def _asked(survey: Survey, *kinds: int) -> list[int]:
    questions = numbers_of(survey)
    return [questions[kind] for kind in kinds]


def _epsilon(survey: Survey, mechanism: str, *kinds: int, **changes: Any) -> Fraction:
    fields: dict[str, Any] = {"delta": MILLIONTH * 2 if PLANS[mechanism].uses_delta else Fraction(0)}
    return epsilon_for(survey=survey, questions=_asked(survey, *kinds), mechanism=mechanism, **(fields | changes))


Wanted: TypeAlias = tuple[str, tuple[int, ...], Fraction, str, dict[str, str]]
"""A mechanism, the questions, how accurate each of them is to be in which unit, and the options."""

CASES: list[Wanted] = [
    ("laplace_histogram", (YES_NO,), Fraction(20), "answers", {}),
    ("laplace_histogram", (YES_NO, ONE_OF, MEAN), Fraction(5), POINTS, {}),
    ("gaussian_histogram", (ONE_OF, SCALE), Fraction(5, 2), POINTS, {}),
    ("tree_counts", (SCALE, BANDS), Fraction(5), POINTS, {}),
    ("one_count", (ONE_OF,), Fraction(30), "answers", {"answer": "2"}),
    ("most_common", (ONE_OF,), Fraction(50), "people", {}),
    ("top", (SCALE,), Fraction(10), POINTS, {"how_many": "3"}),
    ("quantile", (SCALE, BANDS), Fraction(3), POINTS, {"share": "1/2"}),
    ("best_price", (BANDS,), Fraction(100_000), "price", {}),
    ("total", (MEAN,), Fraction(250), "total", {}),
    ("mean", (MEAN,), Fraction(1, 4), "number", {}),
    ("variance", (SCALE,), Fraction(1, 2), "square", {}),
    ("bounds", (BANDS,), Fraction(12), "answers", {}),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0])
def test_it_is_enough_for_every_part_and_hardly_more_than_that(survey: Survey, case: Wanted) -> None:
    mechanism, kinds, least, unit, options = case
    epsilon = _epsilon(survey, mechanism, *kinds, wanted=least, unit=unit, options=options)
    assert (epsilon * MICRO).denominator == 1
    assert 0 < epsilon <= LARGEST_EPSILON
    parts = len(kinds)

    def worst(of_all: Fraction) -> float:
        each = Fraction(int(of_all * MICRO) // parts, MICRO)
        terms = [
            terms_of(KINDS[kind], mechanism, epsilon=each, n=N, delta=MILLIONTH * 2 / parts, **options)
            for kind in kinds
        ]
        return max(part.accuracy().size(unit) for part in terms)

    assert worst(epsilon) <= least
    assert worst(epsilon * Fraction(98, 100)) > least


def test_the_release_that_is_checked_then_is_as_accurate(survey: Survey) -> None:
    asked = _asked(survey, YES_NO, ONE_OF)
    epsilon = epsilon_for(
        survey=survey, questions=asked, mechanism="laplace_histogram", wanted=Fraction(10), unit="answers"
    )
    set_budget(survey=survey, total_epsilon=epsilon, reason="For the tests.", user=survey.owner)
    terms = check(survey=survey, questions=asked, mechanism="laplace_histogram", epsilon=epsilon)
    assert max(part.accuracy().at_most for part in terms.plans) <= 10


def test_no_report_is_read(survey: Survey) -> None:
    with CaptureQueriesContext(
        connection,
    ) as queries:
        _epsilon(survey, "laplace_histogram", YES_NO, wanted=Fraction(10), unit="answers")
    counting = [query["sql"] for query in queries if "surveys_patterncount" in query["sql"]]
    assert len(counting) == 1
    # The only statement about responses counts those that are not left out.
    assert counting[0].count("<> '-'") == 2
    assert "GROUP BY" not in counting[0]


REFUSED: list[tuple[dict[str, Any], str, str]] = [
    ({"wanted": Fraction(1), "unit": "people"}, "wanted", "ε = 10"),
    ({"wanted": Fraction(0), "unit": "people"}, "wanted", "0"),
    ({"wanted": 0.5, "unit": "people"}, "wanted", "0"),
    ({"wanted": float("nan"), "unit": "people"}, "wanted", "0"),
    ({"wanted": Fraction(1), "unit": "number"}, "unit", "unit"),
]


@pytest.mark.parametrize(("changes", "field", "words"), REFUSED)
def test_what_cannot_be_wanted_is_refused_by_name(
    survey: Survey, changes: dict[str, Any], field: str, words: str
) -> None:
    with refusing(Why.INVALID_OPTION, match=words) as refused:
        _epsilon(survey, "most_common", ONE_OF, **changes)
    assert refused.value.field == field


@pytest.mark.parametrize(
    ("mechanism", "unit"), [("smooth_median", "number"), ("stable_median", "number"), ("stable_mode", "refusal")]
)
def test_what_no_epsilon_promises_for_all_data_is_refused(survey: Survey, mechanism: str, unit: str) -> None:
    options = {"bound": "1"} if mechanism == "stable_median" else {}
    with refusing(Why.INVALID_OPTION, match="ε = 10") as refused:
        _epsilon(survey, mechanism, SCALE, wanted=Fraction(1), unit=unit, options=options)
    assert refused.value.field == "wanted"


def test_what_a_release_needs_is_needed_here_too(survey: Survey) -> None:
    wrong = [
        ("mean", (YES_NO,), {"unit": "number"}, "questions"),
        ("quantile", (SCALE,), {"unit": "rank"}, "share"),
        ("gaussian_histogram", (ONE_OF,), {"unit": "answers", "delta": Fraction(0)}, "delta"),
        ("laplace_histogram", (), {"unit": "answers"}, "questions"),
    ]
    for mechanism, kinds, changes, field in wrong:
        with refusing(Why.INVALID_OPTION) as refused:
            _epsilon(survey, mechanism, *kinds, wanted=Fraction(1), **changes)
        assert refused.value.field == field


def test_nobody_has_answered_yet(db: None) -> None:
    survey = make_open(yes_no())
    with refusing(Why.INVALID_OPTION, match=re.escape(yes_no().text)) as refused:
        _epsilon(survey, "laplace_histogram", 0, wanted=Fraction(1), unit="answers")
    assert refused.value.field == "questions"


def test_the_smallest_is_reached_wherever_it_is() -> None:
    assert [smallest_count(lambda x, least=least: x >= least, 100) for least in range(1, 101)] == list(range(1, 101))


@pytest.mark.parametrize(("least", "rounded"), [(1_234_567, 1_240_000), (12, 12), (9_999_999, 10_000_000)])
def test_epsilon_is_rounded_up_so_that_it_can_be_typed(least: int, rounded: int) -> None:
    assert wanted._rounded(least, 1, lambda units: units >= least) == Fraction(rounded, MICRO)


def test_it_is_not_rounded_where_that_would_be_too_little_or_too_much() -> None:
    assert wanted._rounded(1_234_567, 1, lambda units: units == 1_234_567) == Fraction(1_234_567, MICRO)


@pytest.mark.parametrize(
    "mechanism", [name for name in ALONE if name not in {"smooth_median", "stable_mode", "stable_median"}]
)
def test_no_bound_grows_with_epsilon(mechanism: str) -> None:
    start = terms_of(number_bands(), mechanism)
    bounds = []
    for step in range(1, 40):
        loss = PrivacyLoss(Fraction(step**2, 200), start.loss.delta)
        bounds.append(replace(start, loss=loss, n=N).accuracy(0.95).at_most)
    assert bounds == sorted(bounds, reverse=True)


def test_every_mechanism_says_in_which_units() -> None:
    assert units_for(PLANS["laplace_histogram"]) == ("answers", POINTS)
    assert units_for(PLANS["mean"]) == ("number",)
    assert all(units_for(PLANS[name]) for name in Mechanism.values)
