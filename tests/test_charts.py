"""From numbers to geometry."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveys.charts import interval_row

SHARES = st.floats(0, 1)


def test_lengths_are_percentages_of_the_row() -> None:
    row = interval_row(low=0.09, high=0.53, point=0.31, raw=0.405)
    assert (row.low, row.high, row.width, row.point, row.raw) == ("9.00%", "53.00%", "44.00%", "31.00%", "40.50%")


@given(st.tuples(SHARES, SHARES).map(sorted), SHARES, SHARES)
def test_a_band_never_leaves_its_track(limits: list[float], point: float, raw: float) -> None:
    row = interval_row(low=limits[0], high=limits[1], point=point, raw=raw)
    low, width, high = (float(length.rstrip("%")) for length in (row.low, row.width, row.high))
    assert 0 <= low <= high <= 100
    assert low + width == pytest.approx(high, abs=0.011)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -0.01, 1.01])
@pytest.mark.parametrize("name", ["low", "high", "point", "raw"])
def test_a_number_that_is_no_share_is_refused_by_name(name: str, bad: float) -> None:
    good = {"low": 0.1, "high": 0.9, "point": 0.5, "raw": 0.5}
    with pytest.raises(ValueError, match=f"^{name} must be"):
        interval_row(**(good | {name: bad}))


def test_limits_the_wrong_way_round_are_refused() -> None:
    with pytest.raises(ValueError, match="low must be at most high"):
        interval_row(low=0.6, high=0.5, point=0.5, raw=0.5)
