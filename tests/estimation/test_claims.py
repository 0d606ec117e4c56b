import math

import pytest

from surveys.estimation.association.within import mean_within
from surveys.estimation.claims import (
    FigureOptions,
    estimate_number,
    has_no_width,
    known_or_none,
    rarely_holds,
    share_at,
    with_interval,
)
from surveys.estimation.intervals.coverage import least_coverage
from surveys.estimation.intervals.interval import ScalarInterval
from surveys.estimation.prevalence import estimate_prevalence
from surveys.privacy.designs import from_matrix, k_ary, warner

WARNER = warner("3/4")
THREE = k_ary(3, "3/5")


def test_a_method_that_does_not_exist_gives_way_to_the_first() -> None:
    assert FigureOptions("wald").one_of(["wilson", "wald"]) == "wald"
    assert FigureOptions("wald").one_of(["likelihood_ratio"]) == "likelihood_ratio"


def test_what_cannot_hold_at_every_look_has_the_usual_method() -> None:
    assert (FigureOptions("wald").at_every_look, FigureOptions("wald").at_one_look) == (False, "wald")
    sequence = FigureOptions("confidence_sequence")
    assert (sequence.at_every_look, sequence.at_one_look) == (True, "wilson")


def test_intervals_that_hold_at_once_are_each_wider() -> None:
    assert FigureOptions(simultaneous=False).each(5) == 0.95
    assert FigureOptions().each(5) == pytest.approx(0.99)


@pytest.mark.parametrize(
    ("forged", "n", "taken"), [(None, 300, 3), (None, 20, 1), (None, 0, 0), (7, 300, 7), (400, 300, 300), (0, 300, 0)]
)
def test_of_n_reports_so_many_are_taken_to_be_forged(forged: int | None, n: int, taken: int) -> None:
    assert FigureOptions(forged=forged).forged_of(n) == taken


@pytest.mark.parametrize(
    ("method", "limits", "error", "outside", "known"),
    [
        ("wilson", (0.3, 0.3), 0.0, False, False),  # a score interval of no width is one
        ("wald", (0.3, 0.3), 0.0, False, True),
        ("wald", (0.0, 0.0), 0.1, True, False),  # cut to what is possible
        ("wald", (0.0, 0.0), 0.0, True, True),
        ("welch", (0.2, 0.4), 0.05, False, False),
        ("fitted", (0.3, 0.3), None, False, True),
        ("fitted", (0.3, 0.4), 0.0, False, False),
    ],
)
def test_no_variation_is_no_certainty(
    method: str, limits: tuple[float, float], error: float | None, outside: bool, known: bool
) -> None:
    assert has_no_width(method, *limits, error, outside=outside) is known


def test_an_interval_that_holds_too_rarely_is_named_with_the_share() -> None:
    least, share = least_coverage(WARNER, 10, 0.95, "wald")
    assert least < 1 - 1.4 * 0.05
    assert rarely_holds(WARNER, 10, "wald", 0.95) == (least, share)
    assert rarely_holds(WARNER, 10, "clopper_pearson", 0.95) is None


def test_of_reports_that_depend_on_several_shares_nothing_is_known() -> None:
    uneven = from_matrix([["7/10", "1/10", "3/20"], ["1/5", "4/5", "3/20"], ["1/10", "1/10", "7/10"]])
    assert rarely_holds(uneven, 10, "wald", 0.95) is None


def test_a_mean_is_told_with_its_interval() -> None:
    mean = mean_within(estimate_prevalence([30, 50, 20], THREE), [1, 2, 3])
    estimate = estimate_number(mean, FigureOptions("no such method"))
    limits = mean.interval(0.95, mean.interval_methods[0])
    assert (estimate.moment, estimate.estimate, estimate.low, estimate.high) == (
        mean.point,
        mean.constrained,
        limits.low,
        limits.high,
    )
    assert estimate.claimed


def test_without_limits_nothing_is_excluded_and_nothing_claimed() -> None:
    unknown = ScalarInterval(math.nan, math.nan, 0.95, "wald", outside=False)
    interval = with_interval(0.2, 0.2, math.nan, unknown, (0.0, 1.0))
    assert (interval.estimate, interval.low, interval.high, interval.standard_error) == (None, 0.0, 1.0, None)
    assert not interval.claimed
    assert known_or_none(math.nan) is None


@pytest.mark.parametrize(
    ("counts", "method", "outside", "no_width", "claimed"),
    [
        ([70, 30], "wilson", False, False, True),
        ([100, 0], "wilson", True, False, False),
        ([100, 0], "wald", True, True, False),
    ],
)
def test_a_share_is_claimed_where_its_interval_is_one(
    counts: list[int], method: str, outside: bool, no_width: bool, claimed: bool
) -> None:
    estimate = estimate_prevalence(counts, WARNER)
    interval = share_at(1, estimate, estimate.interval(0.95, method))
    assert (interval.outside, interval.no_width, interval.claimed) == (outside, no_width, claimed)
    assert interval.estimate == float(estimate.constrained[1])
