import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from surveys.estimation.association.independence import test_independence
from surveys.estimation.prevalence import estimate_prevalence
from surveys.estimation.validation import (
    LARGEST_N,
    as_float,
    as_list,
    integer_array,
    level,
    report_counts,
    require_design,
    responses,
    share,
    share_inside,
    whole_numbers,
)
from surveys.privacy.designs import forced_response

COINS = forced_response()


@pytest.mark.parametrize("counts", [[3, 4], (3, 4), np.array([3, 4], dtype=np.uint8), [np.int64(3), 4]])
def test_integers_of_any_kind_are_counts(counts: object) -> None:
    array = report_counts(counts, 2)
    assert (array.tolist(), array.dtype) == ([3, 4], np.int64)
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 0


@pytest.mark.parametrize(
    "counts",
    [
        [True, 3],
        [np.True_, 3],
        np.array([True, False]),
        [3.0, 4.0],
        [[1, 2], [3]],
        [np.zeros((2, 2)), np.zeros((2, 3))],
        None,
        "34",
        5,
        [2**63, 1],
        [LARGEST_N + 1, 0],
        [-LARGEST_N - 1, 0],
        np.array([2**64 - 1, 1], dtype=np.uint64),
    ],
    ids=repr,
)
def test_what_are_no_integers_is_refused_by_name(counts: object) -> None:
    with pytest.raises(ValueError, match=r"^ones .*2"):
        whole_numbers(counts, 2, "ones")


def test_counts_sum_to_a_million_billions_at_most_and_do_not_overflow() -> None:
    assert report_counts([LARGEST_N - 1, 1], 2).sum() == LARGEST_N
    with pytest.raises(ValueError, match=r"^counts .*0.*1"):
        report_counts([LARGEST_N, 1], 2)
    with pytest.raises(ValueError, match=r"^counts must"):
        estimate_prevalence([2**63 - 1] * 2, COINS)
    # Their sum is 2^64 + 1, which is 1 for an int64.
    with pytest.raises(ValueError, match=r"^counts .*0"):
        report_counts([2**49] * 2**15 + [1], 2**15 + 1)
    with pytest.raises(ValueError, match=r"^table .*0"):
        test_independence([[LARGEST_N, 0], [0, 1]])


@pytest.mark.parametrize("table", [[[True, 3], [4, 5]], [[1, 2], [3]], [[1, 2], 3], None])
def test_a_table_of_something_else_is_refused_by_name(table: object) -> None:
    with pytest.raises(ValueError, match=r"^table must"):
        test_independence(table)


def test_the_limits_themselves_are_integers() -> None:
    assert integer_array([LARGEST_N, -LARGEST_N]).tolist() == [LARGEST_N, -LARGEST_N]
    assert integer_array([[1, 2], [3, 4]]).shape == (2, 2)
    assert [responses(n) for n in (1, LARGEST_N, np.int32(5))] == [1, LARGEST_N, 5]
    for n in (0, LARGEST_N + 1, 10**400, True, 1.5, None, math.inf):
        with pytest.raises(ValueError, match=rf"^n .* 1 to {LARGEST_N}"):
            responses(n)


@pytest.mark.parametrize("written", [0.95, Fraction(19, 20), np.float64(0.95)])
def test_a_level_is_a_float_whatever_it_was(written: object) -> None:
    assert level(written) == 0.95
    assert type(level(written)) is float


@pytest.mark.parametrize("written", [None, "0.95", True, [0.95], Decimal("0.95"), 0, 1, math.nan, 10**400])
def test_what_is_no_level_is_refused_by_name(written: object) -> None:
    with pytest.raises(ValueError, match=r"^confidence_level"):
        level(written)


@pytest.mark.parametrize(
    "method", ["wilson", "clopper_pearson", "jeffreys", "agresti_coull", "wald", "likelihood_ratio", "bootstrap"]
)
def test_every_interval_takes_an_exact_level(method: str) -> None:
    estimate = estimate_prevalence([30, 20], COINS)
    exact = estimate.interval(Fraction(9, 10), method, simultaneous=True)
    assert exact.low.tolist() == estimate.interval(0.9, method, simultaneous=True).low.tolist()
    assert type(exact.confidence_level) is float
    with pytest.raises(ValueError, match=r"^confidence_level"):
        estimate.interval("0.9", method)


def test_shares_include_their_ends_or_do_not() -> None:
    assert [share(end, "share") for end in (0, 1)] == [0, 1]
    for end in (0, 1):
        with pytest.raises(ValueError, match=r"^power .*0.*1"):
            share_inside(end, "power")
    for wrong in (-0.1, 1.1, math.nan, "0.5", True):
        with pytest.raises(ValueError, match=r"^share .*0.*1"):
            share(wrong, "share")


def test_what_no_float_can_hold_is_nan() -> None:
    assert [as_float(value) for value in (3, Fraction(1, 4), -1e300)] == [3, 0.25, -1e300]
    assert all(math.isnan(as_float(value)) for value in (10**400, math.inf, True, "1", None, 1j, [1]))


def test_a_list_is_what_holds_several() -> None:
    assert as_list((1, 2)) == [1, 2]
    assert as_list(np.array([1, 2])) == [1, 2]
    assert [as_list(single) for single in ("12", 12, None, np.array(12), {1: 2})] == [None] * 5


@pytest.mark.parametrize("wrong", [None, "x", 3, [COINS]])
def test_what_is_no_design_is_refused_by_name(wrong: object) -> None:
    assert require_design(COINS) is COINS
    with pytest.raises(ValueError, match=r"^design .*Design"):
        estimate_prevalence([1, 2], wrong)
