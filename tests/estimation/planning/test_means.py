import math

import numpy as np
import pytest

from surveys.estimation import (
    estimate_mean,
    estimate_stated_mean,
    expected_half_width,
    expected_mean_half_width,
    mean_sample_size,
)
from surveys.privacy.designs import Design, forced_response, k_ary

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


@pytest.mark.parametrize("design", [COINS, SPINNER])
def test_the_number_that_is_enough_is_enough_and_one_fewer_is_not(design: Design) -> None:
    enough = mean_sample_size(part=0.1, design=design)
    half_widths = [expected_mean_half_width(n=n, design=design, low=0, high=1) for n in (enough - 1, enough)]
    assert half_widths[1] <= 0.1 < half_widths[0]


@pytest.mark.parametrize("wrong", [{"n": 0}, {"low": 12}, {"high": math.nan}, {"confidence_level": 1}])
def test_what_makes_no_plan_is_refused(wrong: dict[str, float]) -> None:
    fields = {"n": 30, "low": 0, "high": 12, "confidence_level": 0.95} | wrong
    with pytest.raises(ValueError, match="must be"):
        expected_mean_half_width(design=COINS, **fields)  # type: ignore[arg-type]
