import math
from fractions import Fraction

import numpy as np
import pytest

from surveys.estimation.numbers import estimate_mean
from surveys.estimation.planning.means import compare_means
from surveys.estimation.planning.precision import expected_half_width, expected_mean_half_width, mean_sample_size
from surveys.estimation.stated_mean import estimate_stated_mean
from surveys.privacy.designs import Design, forced_response, k_ary, number_window, window_mean
from surveys.privacy.designs.grid import even_grid

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


def test_a_window_is_planned_for_numbers_spread_evenly_as_designs_are_compared() -> None:
    window = window_mean(0, 1, reports=12, window=4, odds=4)
    evenly = [(value, Fraction(1, 21)) for value in even_grid(0, 100, 21)]
    compared = compare_means(epsilon=math.log(4), low=0, high=100, n=500, numbers=evenly, reports=12)
    theirs = next(row for row in compared if row.name == "piecewise")
    ours = expected_mean_half_width(n=500, design=theirs.grid.design, low=0, high=100)
    assert ours == pytest.approx(theirs.half_width, rel=1e-12)
    # The same once more, from the columns alone.
    columns = np.array([[float(p) for p in window.column(Fraction(step, 20))] for step in range(21)]).mean(axis=0)
    values = np.array([float(value) for value in window.values])
    deviation = math.sqrt(columns @ values**2 - (columns @ values) ** 2)
    ours = expected_mean_half_width(n=500, design=window.design, low=0, high=1)
    assert ours == pytest.approx(1.959963984540054 * deviation / math.sqrt(500), rel=1e-12)
