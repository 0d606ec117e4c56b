"""Scrambling as a survey stores it: the published design with some chance, in code units, from 0 on."""

import math
from fractions import Fraction

import pytest

from surveys.privacy.designs import family_of, grid_of, named, scrambled_mean, scrambled_number, with_chance
from surveys.privacy.designs.scrambling import products_of

CASES = [(5, 2, "1/2"), (2, 2, "3/4"), (9, 3, "1/10"), (4, 5, "7/10")]


@pytest.mark.parametrize(("grid", "factors", "truth"), CASES)
def test_it_is_the_published_design_on_the_same_grid_with_some_chance(grid: int, factors: int, truth: str) -> None:
    design = scrambled_number(grid, truth, grid, factors)
    step = Fraction(5, 2)
    published = scrambled_mean(
        [step * code for code in range(grid)], range(1, factors + 1), [Fraction(1, factors)] * factors
    )
    theirs, ours = with_chance(published, truth), grid_of(design, 0, step * (grid - 1))
    assert ours is not None
    assert (ours.truths, ours.values, ours.design.matrix) == (theirs.truths, theirs.values, theirs.design.matrix)
    m, kept = design.m, Fraction(truth)
    assert max(design.odds) == 1 + kept * m / (1 - kept)
    stored = {"truth": list(kept.as_integer_ratio()), "grid": grid, "factors": factors}
    assert named("scrambled_number", grid, stored) == design


def test_other_chances_of_the_factors_would_be_found() -> None:
    """The twin of the last test: factors that are not equally often make another matrix."""
    uneven = with_chance(scrambled_mean(range(5), (1, 2), ("1/3", "2/3")), "1/2")
    assert scrambled_number(5, "1/2").matrix != uneven.design.matrix


@pytest.mark.parametrize(("grid", "factors"), [(5, 2), (4, 3), (11, 2)])
def test_without_other_chance_its_variance_is_the_published_one(grid: int, factors: int) -> None:
    """Eichhorn & Hayre (1983): x²γ² at the truth x, which for factors 1 to f is x²(f − 1)/(3(f + 1))."""
    design = grid_of(scrambled_number(grid, 1, grid, factors), 0, 40)
    assert design is not None
    assert design.epsilon == math.inf
    for number in design.truths:
        assert design.variance(number) == number**2 * Fraction(factors - 1, 3 * (factors + 1))
    assert design.excluded[0] == design.truths[1:]  # a reported 0 proves 0


@pytest.mark.parametrize(
    ("truths", "factors", "finite"),
    [
        ((-1, 1), (-1, 1), True),
        ((-3, 3), (-2, -1, 1, 2), True),
        ((1, 2, 4), (1, 2, 4, 8), False),
        ((-1, 1), (1, 2), False),
    ],
)
def test_without_other_chance_only_the_sign_of_a_number_can_be_hidden(
    truths: tuple[int, ...], factors: tuple[int, ...], finite: bool
) -> None:
    every = len(factors) * (len(factors) + 1) // 2
    mean = scrambled_mean(truths, factors, [Fraction(code, every) for code in range(1, len(factors) + 1)])
    assert (mean.epsilon < math.inf) == finite == (not any(mean.excluded))


def test_without_other_chance_five_reports_of_seven_leave_one_grid_value() -> None:
    grid = grid_of(scrambled_number(5, 1), 0, 4)
    assert grid is not None
    left = [len(grid.truths) - len(excluded) for excluded in grid.excluded]
    assert left == [1, 1, 2, 1, 2, 1, 1]


@pytest.mark.parametrize("truth", ["1/10", "2/9", "1/4", "1/2", "1"])
def test_the_variance_is_a_square_around_a_number_near_the_middle_and_around_0_without_other_chance(truth: str) -> None:
    """With five values and factors up to 2 numbers at both ends are alike at t = 2/9, where ε is ln 3."""
    kept, grid = Fraction(truth), grid_of(scrambled_number(5, truth), 0, 4)
    assert grid is not None
    least = (1 - kept) * Fraction(16, 7) / (Fraction(10, 9) - kept)
    rests = {grid.variance(c) - (Fraction(10, 9) / kept - 1) * (c - least) ** 2 for c in range(5)}
    assert len(rests) == 1
    ends = grid.variance(4) - grid.variance(0)
    assert (ends > 0, ends == 0) == (kept > Fraction(2, 9), kept == Fraction(2, 9))
    assert kept != Fraction(2, 9) or max(grid.design.odds) == 3


def test_which_products_are_one_number_does_not_depend_on_the_step() -> None:
    assert products_of(5, 2) == (0, 1, 2, 3, 4, 6, 8)
    design = scrambled_number(5, "1/2")
    fine, coarse = grid_of(design, 0, "1/7"), grid_of(design, 0, 7000)
    assert fine is not None
    assert coarse is not None
    assert [value * 49_000 for value in fine.values] == list(coarse.values)


def test_turned_to_an_epsilon_it_is_just_below_it() -> None:
    for epsilon, others in ((1, {}), (2, {"grid": 5, "factors": 3}), (Fraction(1, 2), {"factors": 4})):
        bound = family_of("scrambled_number").at_epsilon(epsilon, 5, **others)
        assert 0.99 * float(epsilon) <= bound.epsilon <= float(epsilon)
    assert family_of("scrambled_number").options_at(1, 5) == {}


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"truth": 0}, "^truth .*0"),
        ({"grid": 4}, "^grid .*5.*got 4"),
        ({"factors": 1}, "^factors .*2.*36"),
        ({"factors": 37}, "^factors .*2.*36"),
        ({"factors": 20}, "^grid times factors .*36 .*50"),
    ],
)
def test_what_makes_no_design_is_refused_by_name(wrong: dict[str, int], words: str) -> None:
    fields: dict[str, object] = {"truth": "1/2", "grid": 5, "factors": 2}
    with pytest.raises(ValueError, match=words):
        scrambled_number(5, **(fields | wrong))  # type: ignore[arg-type]


@pytest.mark.parametrize("low", [1, -4, "1/2"])
def test_numbers_that_do_not_begin_with_0_are_refused(low: object) -> None:
    with pytest.raises(ValueError, match=r"^low .*0"):
        grid_of(scrambled_number(5, "1/2"), low, 40)


@pytest.mark.parametrize(("k", "factors", "half_widths"), [(5, 2, (13.4, 5.3, 3.3)), (9, 3, (30.3, 10.0, 5.0))])
def test_the_half_widths_of_the_theory_are_those_of_the_core(
    k: int, factors: int, half_widths: tuple[float, ...]
) -> None:
    """With 1,000 responses at 95%, for numbers spread evenly from 0 to 100."""
    numbers = [Fraction(100 * part, 20) for part in range(21)]
    for epsilon, expected in zip((1, 2, 3), half_widths, strict=True):
        design = family_of("scrambled_number").at_epsilon(epsilon, k, close=Fraction(9999, 10_000), factors=factors)
        grid = grid_of(design, 0, 100)
        assert grid is not None
        assert 1.96 * math.sqrt(grid.spread(numbers) / 1000) == pytest.approx(expected, abs=0.051)
