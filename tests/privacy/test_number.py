"""Questions whose answer is a number: one bit for the mean, bands for the distribution."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveys.privacy.designs import (
    Bands,
    OneBitMean,
    OutsideLimitsError,
    forced_response,
    k_ary,
    kuk,
    mangat,
    warner,
)
from surveys.privacy.randomness import draw_number_report
from tests.privacy.chance import exact_outcomes

HOURS = OneBitMean(0, 24, forced_response())
AGES = Bands(("18", "30", "50", "65", "99.5"), k_ary(4))


@given(st.fractions(0, 24, max_denominator=4))
def test_a_report_of_the_mean_has_exactly_its_probability(value: Fraction) -> None:
    outcomes, undecided = exact_outcomes(lambda randbelow: draw_number_report(HOURS, value, randbelow), depth=2)
    assert undecided == 0
    assert tuple(outcomes.get(report, 0) for report in (0, 1)) == HOURS.column(value)


@given(st.fractions(-7, 24, max_denominator=100))
def test_the_mean_estimated_from_one_report_is_the_number_itself(value: Fraction) -> None:
    question = OneBitMean(-7, 24, warner("2/3"))
    weights = question.design.left_inverse[1]
    share = sum(weight * entry for weight, entry in zip(weights, question.column(value), strict=True))
    assert -7 + 31 * share == value


@given(st.fractions(0, 24, max_denominator=50), st.fractions(0, 24, max_denominator=50))
def test_no_two_numbers_are_told_apart_better_than_the_two_limits(one: Fraction, other: Fraction) -> None:
    odds = [a / b for a, b in zip(HOURS.column(one), HOURS.column(other), strict=True)]
    assert max(odds) <= 3
    assert max(a / b for a, b in zip(HOURS.column(24), HOURS.column(0), strict=True)) == 3
    assert HOURS.epsilon == pytest.approx(math.log(3), rel=1e-15)


def test_the_limits_may_be_written_down() -> None:
    question = OneBitMean("0.5", "3/2", forced_response())
    assert (question.low, question.high) == (Fraction(1, 2), Fraction(3, 2))
    assert question == OneBitMean(Fraction(1, 2), Fraction(3, 2), forced_response())


def test_the_limits_are_reported_as_the_two_answers_are() -> None:
    assert (HOURS.share(0), HOURS.share(6), HOURS.share(24)) == (0, Fraction(1, 4), 1)
    assert HOURS.column(0) == (Fraction(3, 4), Fraction(1, 4))
    assert OneBitMean(0, 1, mangat("1/2")).epsilon == math.inf
    assert len(OneBitMean(0, 1, kuk("1/2", "1/4", draws=3)).column("1/2")) == 4


@pytest.mark.parametrize("value", [-1, "24.1", 25, 12.5, math.nan, None, "many", True])
def test_a_number_outside_the_limits_is_refused_without_repeating_it(value: object) -> None:
    with pytest.raises(OutsideLimitsError) as refused:
        draw_number_report(HOURS, value)
    assert str(refused.value) in {"value must be from 0 to 24", "value must be an exact number"}
    # Nor does the traceback show the error that does.
    assert refused.value.__suppress_context__ or refused.value.__context__ is None
    with pytest.raises(OutsideLimitsError):
        HOURS.column(value)


@pytest.mark.parametrize("value", [17, "99.51", 20.0])
def test_a_number_outside_the_bands_is_refused_without_repeating_it(value: object) -> None:
    with pytest.raises(OutsideLimitsError, match=r"^value must be (from 18 to 199/2|an exact number)$"):
        draw_number_report(AGES, value)


@pytest.mark.parametrize(("low", "high"), [(1, 1), (2, 1)])
def test_the_low_limit_is_below_the_high_one(low: int, high: int) -> None:
    with pytest.raises(ValueError, match=rf"^low .*{low} and {high}"):
        OneBitMean(low, high, forced_response())


@pytest.mark.parametrize("name", ["low", "high"])
def test_the_limits_are_exact_numbers(name: str) -> None:
    limits = {"low": 0, "high": 1} | {name: 0.5}
    with pytest.raises(ValueError, match=rf"^{name} .*Fraction"):
        OneBitMean(**limits, design=forced_response())


def test_one_bit_has_two_answers() -> None:
    with pytest.raises(ValueError, match=r"^design .*3"):
        OneBitMean(0, 1, k_ary(3))


@pytest.mark.parametrize(
    ("value", "band"), [(18, 0), ("29.99", 0), (30, 1), (49, 1), (50, 2), (65, 3), (99, 3), ("99.5", 3)]
)
def test_a_band_holds_its_lower_edge_and_the_last_one_both(value: object, band: int) -> None:
    assert AGES.code(value) == band


def test_a_band_is_reported_as_an_answer_is() -> None:
    outcomes, _ = exact_outcomes(lambda randbelow: draw_number_report(AGES, 40, randbelow), depth=1)
    assert tuple(outcomes[report] for report in range(4)) == AGES.column(40) == tuple(row[1] for row in k_ary(4).matrix)
    assert AGES.epsilon == k_ary(4).epsilon


def test_bands_know_their_limits() -> None:
    assert (AGES.low, AGES.high) == (18, Fraction(199, 2))


@pytest.mark.parametrize(
    ("edges", "complaint"),
    [
        ((0, 1), "^edges .*2.*got 2"),
        ((0, 1, 2, 3), "^edges .*2.*got 4"),
        ((0, 1, 1), "^edges"),
        ((0, 2, 1), "^edges"),
        ((0, 0.5, 1), "^edges .*Fraction"),
    ],
)
def test_edges_that_make_no_bands_are_refused(edges: tuple[object, ...], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        Bands(edges, forced_response())


def test_the_default_source_draws_numbers_too() -> None:
    assert {draw_number_report(HOURS, 12) for _ in range(100)} == {0, 1}  # fails once in 10^29
    assert {draw_number_report(AGES, 20) for _ in range(200)} == {0, 1, 2, 3}  # fails once in 10^11
