"""The numeric unrelated question as a survey stores it: a k-ary design whose spinner is an innocuous number."""

import math
from fractions import Fraction

import pytest

from surveys.privacy.designs import family_of, grid_of, k_ary, named, unrelated_mean, unrelated_number

WEIGHTS = ("2/5", "3/10", "1/5", "1/10")
EVEN = [Fraction(1, 10)] * 10


@pytest.mark.parametrize(
    ("k", "p", "weights"), [(10, "1/2", None), (4, "7/10", WEIGHTS), (36, "1/10", None), (2, 1, ("1/2", "1/2"))]
)
def test_it_is_the_published_design_on_the_same_values(k: int, p: object, weights: tuple[str, ...] | None) -> None:
    design = unrelated_number(k, p, k, weights)
    shares = weights or [Fraction(1, k)] * k
    published = unrelated_mean([Fraction(5, 2) * code for code in range(k)], p, shares)
    grid = grid_of(design, 0, Fraction(5, 2) * (k - 1))
    assert grid is not None
    assert (grid.truths, grid.values, grid.design.matrix) == (
        published.truths,
        published.values,
        published.design.matrix,
    )
    kept, rarest = Fraction(p), min(map(Fraction, shares))  # type: ignore[arg-type]
    if kept < 1:
        assert max(design.odds) == 1 + kept / ((1 - kept) * rarest)
    stored = {"p": list(kept.as_integer_ratio()), "grid": k}
    if weights:
        stored["weights"] = [list(Fraction(share).as_integer_ratio()) for share in weights]  # type: ignore[assignment]
    assert named("unrelated_number", k, stored) == design


def test_another_distribution_would_be_found() -> None:
    """The twin of the last test: shares in another order make another matrix."""
    assert unrelated_number(4, "7/10", 4, WEIGHTS[::-1]).matrix != k_ary(4, "7/10", WEIGHTS).matrix


def test_its_mean_and_variance_are_the_published_ones() -> None:
    """Greenberg et al. (1971): λ = pμ + (1 − p)μ_Y, and Var z = pσ² + (1 − p)σ_Y² + p(1 − p)(μ − μ_Y)²."""
    p, grid = Fraction(1, 2), grid_of(unrelated_number(10, "1/2"), 0, 9)
    assert grid is not None
    truths = [Fraction(number) for number in (0, 1, 1, 2, 5, 9)]
    mean = sum(truths, Fraction(0)) / len(truths)
    spread = sum(((truth - mean) ** 2 for truth in truths), Fraction(0)) / len(truths)
    of_digits, spread_of_digits = Fraction(9, 2), Fraction(33, 4)
    published = p * spread + (1 - p) * spread_of_digits + p * (1 - p) * (mean - of_digits) ** 2
    assert grid.spread(truths) == published / p**2
    assert grid.values == tuple((z - (1 - p) * of_digits) / p for z in range(10))


def test_a_number_that_the_innocuous_one_never_is_proves_itself() -> None:
    grid = grid_of(unrelated_number(3, "1/2", 3, ("1/2", "1/2", 0)), 0, 2)
    assert grid is not None
    assert grid.epsilon == math.inf
    assert grid.excluded == ((), (), (0, 1))


def test_turned_to_an_epsilon_it_is_just_below_it() -> None:
    for epsilon, k, others in ((1, 10, {}), (2, 4, {"grid": 4, "weights": WEIGHTS})):
        bound = family_of("unrelated_number").at_epsilon(epsilon, k, **others)
        assert 0.99 * epsilon <= bound.epsilon <= epsilon
    assert family_of("unrelated_number").options_at(1, 5) == {}


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"p": 0}, "^p .*0"),
        ({"grid": 9}, "^grid .*10.*got 9"),
        ({"weights": ["1/2", "1/2"]}, "^weights .*10"),
        ({"weights": ["1/5"] * 10}, "^weights .*10.*1"),
        ({"weights": []}, "^weights .*10"),
    ],
)
def test_what_makes_no_design_is_refused_by_name(wrong: dict[str, object], words: str) -> None:
    fields: dict[str, object] = {"p": "1/2", "grid": 10}
    with pytest.raises(ValueError, match=words):
        unrelated_number(10, **(fields | wrong))  # type: ignore[arg-type]


def test_there_are_at_most_36_values() -> None:
    with pytest.raises(ValueError, match=r"^grid .*2.*36"):
        unrelated_number(37, "1/2")


def test_the_half_widths_of_the_theory_are_those_of_the_core() -> None:
    """With 1,000 responses at 95%, for numbers spread evenly over ten values from 0 to 100."""
    for epsilon, expected in zip((1, 2, 3), (13.5, 5.1, 3.0), strict=True):
        design = family_of("unrelated_number").at_epsilon(epsilon, 10, close=Fraction(9999, 10_000))
        grid = grid_of(design, 0, 100)
        assert grid is not None
        assert 1.96 * math.sqrt(grid.spread(grid.truths) / 1000) == pytest.approx(expected, abs=0.051)


def test_a_wrong_mean_of_the_innocuous_number_is_a_bias_of_as_much_at_one_half() -> None:
    """μ̂ is off by (1 − p)/p times the error of the mean that is taken as known."""
    supposed, real = (
        grid_of(unrelated_number(2, "1/2"), 0, 1),
        grid_of(unrelated_number(2, "1/2", 2, ("2/5", "3/5")), 0, 1),
    )
    assert supposed is not None
    assert real is not None
    for truth in (0, 1):
        mean = sum(v * p for v, p in zip(supposed.values, real.column(truth), strict=True))
        assert mean - truth == Fraction(3, 5) - Fraction(1, 2)
