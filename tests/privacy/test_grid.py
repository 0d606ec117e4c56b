"""Designs for a mean whose reports stand for values: windows, one bit, scrambling, an unrelated number."""

import math
from fractions import Fraction

import pytest

from surveys.privacy.designs import (
    GridMean,
    OutsideLimitsError,
    direct,
    family_of,
    from_matrix,
    grid_of,
    k_ary,
    named,
    number_window,
    scrambled_mean,
    unrelated_mean,
    warner,
    with_chance,
)

# One bit, more often 1 the larger the number is.
RISING = [Fraction(1, 4) + Fraction(code, 12) for code in range(7)]
BIT = GridMean(tuple(range(0, 14, 2)), (-6, 18), from_matrix([[1 - entry for entry in RISING], RISING]))


def windowed(low: int, high: int, k: int, truth: str, window: int) -> GridMean:
    grid = grid_of(number_window(k, truth, k, window), low, high)
    assert grid is not None
    return grid


HOURS = windowed(0, 24, 4, "3/5", 3)
SCRAMBLED = scrambled_mean([0, 1, 2, 4], ["1/2", 1, 2], ["1/4", "1/2", "1/4"])
DESIGNS = [
    HOURS,
    windowed(-1, 1, 9, "3/10", 4),
    BIT,
    SCRAMBLED,
    with_chance(SCRAMBLED, "2/3"),
    unrelated_mean([0, 1, 2, 5], "7/10", ["2/5", "3/10", "1/5", "1/10"]),
]


@pytest.mark.parametrize("grid", DESIGNS)
def test_the_expected_value_of_a_report_is_the_truth_between_grid_values_too(grid: GridMean) -> None:
    for part in (Fraction(0), Fraction(1, 7), Fraction(1, 2), Fraction(9, 10), Fraction(1)):
        value = grid.low + part * (grid.high - grid.low)
        column = grid.column(value)
        assert sum(column) == 1
        mean = sum(v * p for v, p in zip(grid.values, column, strict=True))
        assert mean == value
        square = sum(v * v * p for v, p in zip(grid.values, column, strict=True))
        assert grid.variance(value) == square - value**2


def test_a_value_that_is_none_for_its_report_is_refused() -> None:
    """The twin of the last test: one value moved by a millionth makes the mean another."""
    values = (HOURS.values[0] + Fraction(1, 10**6), *HOURS.values[1:])
    with pytest.raises(ValueError, match=r"^values .*0.*1"):
        GridMean(HOURS.truths, values, HOURS.design)


@pytest.mark.parametrize("grid", DESIGNS)
def test_epsilon_is_that_of_all_pairs_of_columns(grid: GridMean) -> None:
    columns = [grid.column(grid.low + (grid.high - grid.low) * Fraction(step, 12)) for step in range(13)]
    odds = [
        p / q if q else (math.inf if p else 1)
        for one in columns
        for other in columns
        for p, q in zip(one, other, strict=True)
    ]
    if math.isinf(grid.epsilon):
        assert max(odds) == math.inf
        assert any(grid.excluded)
    else:
        # Between grid values columns mix two: the ends of the grid and what is between never exceed it.
        assert math.log(max(odds)) <= grid.epsilon
        assert not any(grid.excluded)


def test_the_smallest_windows_are_the_designs_that_are_known() -> None:
    bit = windowed(0, 24, 2, "1/2", 1)
    assert bit.design.matrix == warner("3/4").matrix
    assert bit.column(6) == (Fraction(5, 8), Fraction(3, 8))
    # The bit's own estimate: L + (U−L)(z − d)/c.
    assert bit.values == (-12, 36)
    five = windowed(0, 4, 5, "1/2", 1)
    assert five.design.matrix == k_ary(5, "1/2").matrix
    inverse = k_ary(5, "1/2").inverse
    assert five.values == tuple(sum(x * row[j] for x, row in enumerate(inverse)) for j in range(5))


def test_scrambling_proves_what_no_factor_leads_from() -> None:
    products = tuple(sorted({a * f for a in (0, 1, 2, 4) for f in (Fraction(1, 2), 1, 2)}))
    mean = Fraction(9, 8)
    assert SCRAMBLED.values == tuple(product / mean for product in products)
    assert SCRAMBLED.epsilon == math.inf
    by_product = dict(zip(products, SCRAMBLED.excluded, strict=True))
    assert by_product[0] == (1, 2, 4)  # a reported 0 proves 0
    assert by_product[1] == (0, 4)
    assert by_product[8] == (0, 1, 2)


def test_scrambling_has_the_published_variance() -> None:
    """Eichhorn & Hayre (1983): the variance of z/μ at the truth x is x²γ², γ the factors' coefficient of variation."""
    square = Fraction(1, 4) / 4 + Fraction(1, 2) + Fraction(4, 4)
    gamma = square / Fraction(9, 8) ** 2 - 1
    for answer in SCRAMBLED.truths:
        assert SCRAMBLED.variance(answer) == answer**2 * gamma


def test_with_some_chance_scrambling_has_a_finite_epsilon() -> None:
    grid = with_chance(SCRAMBLED, "2/3")
    m = SCRAMBLED.design.m
    rare = Fraction(1, 3) / m
    assert max(grid.design.odds) == (Fraction(2, 3) + rare) / rare  # a product of 0 is certain for 0
    assert grid.epsilon == pytest.approx(math.log(1 + 2 * m))


def test_an_unrelated_number_is_a_k_ary_design_with_its_distribution_as_the_spinner() -> None:
    probabilities = ["2/5", "3/10", "1/5", "1/10"]
    grid = unrelated_mean([0, 1, 2, 5], "7/10", probabilities)
    assert grid.design == k_ary(4, "7/10", probabilities)
    assert grid.values[3] == (5 - Fraction(3, 10) * Fraction(12, 10)) / Fraction(7, 10)
    assert grid.epsilon == pytest.approx(math.log(1 + 0.7 / (0.3 * 0.1)))
    assert unrelated_mean([0, 1], "1/2", [1, 0]).epsilon == math.inf


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: GridMean((0, 0), (0, 1), direct()), "^truths"),
        (lambda: GridMean((0, 1, 2), (0, 1), direct()), "^truths and values .*2.*2"),
        (lambda: GridMean((0, 0.5), (0, 1), direct()), "^truths .*Fraction"),
        (lambda: windowed(1, 1, 3, "1/2", 2), "^low"),
        (lambda: scrambled_mean([1, 2], [-1, 1], ["1/2", "1/2"]), "^factors .*0"),
        (lambda: scrambled_mean(range(1, 20), [7, 11, 13], ["1/3"] * 3), "36 .*got 54"),
        (lambda: with_chance(SCRAMBLED, 1), "^truth .*0.*1.*got 1"),
        (lambda: unrelated_mean([0, 1], "1/2", [1]), "^probabilities .*2"),
    ],
)
def test_what_makes_no_design_is_refused_by_name(make, message: str) -> None:  # noqa: ANN001
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize("value", [-1, "24.1", 25, 12.5, math.nan, None, "many", True])
def test_a_number_outside_the_limits_is_refused_without_repeating_it(value: object) -> None:
    with pytest.raises(OutsideLimitsError) as refused:
        HOURS.column(value)
    assert str(refused.value) in {"value must be from 0 to 24", "value must be an exact number"}
    # Nor does the traceback show the error that does.
    assert refused.value.__suppress_context__ or refused.value.__context__ is None


# The window as a survey stores it


@pytest.mark.parametrize(("grid", "window", "truth"), [(9, 4, "1/2"), (2, 1, "3/4"), (33, 4, "1/10"), (5, 7, "1")])
def test_a_stored_window_is_the_mixture_that_it_says(grid: int, window: int, truth: str) -> None:
    design = number_window(grid, truth, grid, window)
    kept, m = Fraction(truth), grid + window - 1
    assert (design.k, design.m) == (grid, m)
    for report, row in enumerate(design.matrix):
        for code, entry in enumerate(row):
            near = kept / window if code <= report < code + window else 0
            assert entry == near + (1 - kept) / m
    if kept < 1:
        assert max(design.odds) == 1 + kept * m / ((1 - kept) * window)
    else:
        assert design.epsilon == math.inf
    rebuilt = named("number_window", grid, {"truth": list(kept.as_integer_ratio()), "grid": grid, "window": window})
    assert rebuilt == design


def test_a_stored_window_has_values_at_equal_distances() -> None:
    stored = grid_of(number_window(9, "1/2"), 0, 40)
    assert stored is not None
    assert max(stored.design.odds) == 4
    assert stored.truths == tuple(range(0, 45, 5))
    assert (stored.values[0], stored.values[-1]) == (-35, 75)


def test_reports_of_other_designs_stand_for_no_values() -> None:
    assert grid_of(k_ary(3), 0, 1) is None
    assert grid_of(direct(), 0, 1) is None
    assert grid_of(from_matrix([["1/2", "1/3"], ["1/2", "2/3"]]), 0, 1) is None


def test_a_window_turned_to_an_epsilon_is_just_below_it() -> None:
    design = family_of("number_window").at_epsilon(2, 9)
    assert 0.99 * 2 <= design.epsilon <= 2
    wide = family_of("number_window").at_epsilon(1, 5, grid=5, window=10)
    assert 0.99 <= wide.epsilon <= 1
    assert dict(wide.exact_parameters)["window"] == 10


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"truth": 0}, "^truth .*0"),
        ({"grid": 8}, "^grid .*9.*got 8"),
        ({"grid": 1}, "^grid"),
        ({"window": 0}, "^window"),
        ({"window": 29}, "^window"),
    ],
)
def test_a_stored_window_that_is_none_is_refused(wrong: dict[str, int], words: str) -> None:
    fields: dict[str, object] = {"truth": "1/2", "grid": 9, "window": 4}
    with pytest.raises(ValueError, match=words):
        number_window(9, **(fields | wrong))  # type: ignore[arg-type]


@pytest.mark.parametrize("grid", DESIGNS)
def test_the_spread_is_that_of_the_columns_of_all_numbers(grid: GridMean) -> None:
    numbers = [grid.low + (grid.high - grid.low) * Fraction(step, 7) for step in range(8)]
    column = [sum(grid.column(number)[report] for number in numbers) / 8 for report in range(grid.design.m)]
    mean = sum(v * p for v, p in zip(grid.values, column, strict=True))
    assert grid.spread(numbers) == sum((v - mean) ** 2 * p for v, p in zip(grid.values, column, strict=True))
