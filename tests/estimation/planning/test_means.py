import math
from fractions import Fraction

import numpy as np
import pytest

from surveys.estimation.numbers import estimate_mean
from surveys.estimation.planning.precision import expected_half_width, expected_mean_half_width, mean_sample_size
from surveys.estimation.stated_mean import estimate_stated_mean
from surveys.privacy.designs import Design, family_of, forced_response, k_ary, number_window
from tests.privacy.test_grid import windowed

COINS, SPINNER = forced_response(), k_ary(3)


def test_a_mean_of_two_ends_is_planned_as_a_share_of_one_half_on_the_numbers_scale() -> None:
    of_share = expected_half_width(n=50, design=COINS, prevalence=0.5, confidence_level=0.9)
    assert expected_mean_half_width(n=50, design=COINS, low=-3, high=9, confidence_level=0.9) == pytest.approx(
        12 * of_share
    )


@pytest.mark.parametrize(("design", "shares"), [(COINS, [0.5, 0.5]), (SPINNER, [0.45, 0.45, 0.1])])
def test_the_plan_is_the_half_width_of_walds_interval_for_the_expected_counts(
    design: Design, shares: list[float]
) -> None:
    n = 12_000
    counts = np.rint(np.array(design.matrix, dtype=float) @ shares * n).astype(int)
    estimate = estimate_stated_mean if design.k == 3 else estimate_mean
    interval = estimate(counts, design, 0, 12).interval(0.95, "wald")
    planned = expected_mean_half_width(n=n, design=design, low=0, high=12)
    assert (interval.high - interval.low) / 2 == pytest.approx(planned, rel=1e-3)


@pytest.mark.parametrize("design", [COINS, SPINNER, number_window(9, "1/2")])
def test_the_number_that_is_enough_is_enough_and_one_fewer_is_not(design: Design) -> None:
    enough = mean_sample_size(part=0.1, design=design)
    half_widths = [expected_mean_half_width(n=n, design=design, low=0, high=1) for n in (enough - 1, enough)]
    assert half_widths[1] <= 0.1 < half_widths[0]


@pytest.mark.parametrize("wrong", [{"n": 0}, {"low": 12}, {"high": math.nan}, {"confidence_level": 1}])
def test_what_makes_no_plan_is_refused(wrong: dict[str, float]) -> None:
    fields = {"n": 30, "low": 0, "high": 12, "confidence_level": 0.95} | wrong
    with pytest.raises(ValueError, match="must be"):
        expected_mean_half_width(design=COINS, **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("epsilon", "half_widths"),
    [
        ("1/4", (24.9, 29.0, 30.4)),
        ("1/2", (12.7, 14.0, 14.5)),
        ("1", (6.7, 6.7, 6.8)),
        ("3/2", (4.9, 4.4, 4.4)),
        ("2", (4.1, 3.4, 3.4)),
        ("3", (3.4, 2.6, 2.5)),
        ("4", (3.2, 2.4, 2.2)),
        ("6", (3.1, 2.3, 2.1)),
    ],
)
def test_the_half_widths_of_the_theory_are_those_of_the_core(epsilon: str, half_widths: tuple[float, ...]) -> None:
    """With 1,000 responses at 95%, for numbers spread evenly from 0 to 100."""
    wished, close, window = Fraction(epsilon), Fraction(9999, 10_000), family_of("number_window")
    designs = [
        family_of("forced_response").at_epsilon(wished, close=close),
        window.at_epsilon(wished, 3, close=close, window=1),
        window.at_epsilon(wished, 9, close=close, window=4),
    ]
    planned = [expected_mean_half_width(n=1_000, design=design, low=0, high=100) for design in designs]
    assert planned == pytest.approx(half_widths, abs=0.051)


def test_a_window_is_planned_for_numbers_spread_evenly() -> None:
    window = windowed(0, 1, 9, "1/2", 4)
    columns = np.array([[float(p) for p in window.column(Fraction(step, 20))] for step in range(21)]).mean(axis=0)
    values = np.array([float(value) for value in window.values])
    deviation = math.sqrt(columns @ values**2 - (columns @ values) ** 2)
    ours = expected_mean_half_width(n=500, design=window.design, low=0, high=1)
    assert ours == pytest.approx(1.959963984540054 * deviation / math.sqrt(500), rel=1e-12)
