"""Weights that meet known margins, and weights that were trimmed."""

import math

import numpy as np
import pytest
from scipy import optimize

from surveys.estimation.weighting.raking import Margin, heaviest, rake
from surveys.estimation.weighting.trimming import trim_weights

ROWS = np.arange(40)
SEX = Margin("sex", (ROWS * 3 + ROWS // 7) % 2, [520, 480])
YEAR = Margin("year", (ROWS * 5 + ROWS // 4) % 3, [300, 450, 250])
WEIGHTS = 1 + ((ROWS * 11) % 7) / 4
ONES = np.ones(40, dtype=int)


def test_all_margins_are_met_and_the_weights_are_those_of_r() -> None:
    raked = rake(ONES, [SEX, YEAR], WEIGHTS)
    for margin in (SEX, YEAR):
        assert margin.sums(raked.weights) == pytest.approx(margin.targets, rel=1e-9)
    # R package survey 4.1-1: rake() of these rows, summary(weights()).
    assert raked.weights.min() == pytest.approx(10.1275902621, rel=1e-9)
    assert raked.weights.max() == pytest.approx(56.0376415397, rel=1e-9)
    assert np.median(raked.weights) == pytest.approx(19.4307825080, rel=1e-9)
    assert (raked.n, raked.margins) == (40, (SEX, YEAR))


def test_a_published_table_is_raked_and_post_stratified_to_its_printed_weights() -> None:
    """Kalton & Flores-Cervantes (2003), Weighting methods, Journal of Official Statistics 19.

    The example as R package survey prints it in tests/kalton.Rout.save; a row a category of the first variable.
    """
    sample = np.array([[20, 40, 40], [50, 140, 310], [100, 50, 50], [30, 100, 70]])
    population = np.array([[80, 40, 55], [60, 150, 340], [170, 60, 200], [55, 165, 125]])
    first, second = (place.ravel() for place in np.indices(sample.shape))
    margins = [Margin("a", first, population.sum(axis=1)), Margin("b", second, population.sum(axis=0))]
    raked = rake(sample.ravel(), margins).weights.reshape(sample.shape)
    printed = [[1.81, 1.45, 2.02], [1.08, 0.87, 1.21], [2.20, 1.76, 2.45], [1.83, 1.47, 2.04]]
    assert np.abs(raked - printed).max() <= 0.005 + 1e-9
    crossing = rake(sample.ravel(), [Margin("a and b", 3 * first + second, population.ravel())])
    printed = [[4.00, 1.00, 1.38], [1.20, 1.07, 1.10], [1.70, 1.20, 4.00], [1.83, 1.65, 1.79]]
    assert np.abs(crossing.weights.reshape(sample.shape) - printed).max() <= 0.005 + 1e-9


def test_the_factors_are_products_of_one_for_each_category_and_so_closest_to_the_given_weights() -> None:
    """Raking minimises Σ w·ln(w/d) − w + d among weights that meet the margins: here its dual, by another optimizer."""
    raked = rake(ONES, [SEX, YEAR], WEIGHTS)
    indicators = np.hstack([np.eye(m.targets.size)[m.categories] for m in (SEX, YEAR)])
    targets = np.concatenate([SEX.targets, YEAR.targets])

    def dual(factors: np.ndarray) -> tuple[float, np.ndarray]:
        weights = WEIGHTS * np.exp(indicators @ factors)
        return weights.sum() - targets @ factors, indicators.T @ weights - targets

    optimum = optimize.minimize(dual, np.full(5, 1.5), jac=True, method="BFGS", options={"gtol": 1e-9})
    assert raked.weights == pytest.approx(WEIGHTS * np.exp(indicators @ optimum.x), rel=1e-7)


def test_one_margin_is_post_stratification_at_once() -> None:
    raked = rake(ONES, [SEX], WEIGHTS)
    assert raked.rounds == 1
    sums = SEX.sums(WEIGHTS)
    assert raked.weights == pytest.approx(WEIGHTS * (SEX.targets / sums)[SEX.categories], rel=1e-12)


def test_a_row_of_several_respondents_is_as_many_rows_of_one() -> None:
    counts = np.array([3, 1, 2, 4])
    first, second = Margin("a", [0, 0, 1, 1], [0.6, 0.4]), Margin("b", [0, 1, 0, 1], [0.5, 0.5])
    together = rake(counts, [first, second])
    rows = np.repeat(np.arange(4), counts)
    apart = rake(np.ones(10, dtype=int), [Margin(m.name, m.categories[rows], m.targets) for m in (first, second)])
    assert apart.weights == pytest.approx(together.weights[rows], rel=1e-8)
    assert apart.effective_n == pytest.approx(together.effective_n, rel=1e-8)
    assert counts @ together.weights == pytest.approx(1)


def test_the_effective_number_is_kishs() -> None:
    assert rake([10, 30], [Margin("a", [0, 1], [30, 10])]).effective_n == pytest.approx(40**2 / (10 * 9 + 30 / 9))
    assert rake([10, 30], [Margin("a", [0, 1], [1, 3])]).effective_n == pytest.approx(40)


@pytest.mark.parametrize(
    ("margins", "message"),
    [
        (
            [Margin("year", [0, 0, 1, 1], [5, 5, 1])],
            "^margin year: .*2.* 1;",
        ),
        (
            [Margin("sex", [0, 0, 1, 1], [5, 5]), Margin("year", [0, 1, 0, 1], [6, 5])],
            "year .*sex: .*11, not 10",
        ),
        # Everybody of sex 0 is in year 0, so that these margins cannot be met.
        (
            [Margin("sex", [0, 0, 1, 1], [6, 4]), Margin("year", [0, 0, 0, 1], [3, 7])],
            "50 rounds .*sex .*1",
        ),
        ([Margin("sex", [0, 1], [5, 5])], "sex: categories .*4.*got 2"),
        ([], "^margins"),
    ],
)
def test_margins_that_cannot_be_met_are_named(margins: list[Margin], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        rake([1, 2, 1, 1], margins, most_rounds=50)


def test_a_category_of_rows_that_nobody_sent_is_empty_too() -> None:
    with pytest.raises(ValueError, match=r"^margin sex: .*category 1"):
        rake([5, 0], [Margin("sex", [0, 1], [5, 5])])


@pytest.mark.parametrize("targets", [[5, 0], [5, math.nan], [], 5, [5, math.inf], [5, -1]])
def test_targets_are_numbers_above_0(targets: object) -> None:
    with pytest.raises(ValueError, match=r"^margin sex: targets .*0"):
        Margin("sex", np.array([0, 0]), targets)  # type: ignore[arg-type]


@pytest.mark.parametrize("categories", [[0, 2], [0, -1], [0.0, 1.0], [[0, 1]]])
def test_categories_are_codes_of_the_targets(categories: object) -> None:
    with pytest.raises(ValueError, match=r"^margin sex: categories .*0.*1"):
        Margin("sex", categories, np.array([1, 1]))  # type: ignore[arg-type]


@pytest.mark.parametrize("weights", [[1, 2], [1, 2, 0, 1], [1, 2, math.nan, 1], "1234"])
def test_weights_are_numbers_above_0_one_a_row(weights: object) -> None:
    with pytest.raises(ValueError, match=r"^weights .*4.*0"):
        rake([1, 1, 1, 1], [Margin("sex", [0, 0, 1, 1], [1, 1])], weights)  # type: ignore[arg-type]


def test_trimming_is_that_of_r_and_says_how_many_and_how_much() -> None:
    mean = WEIGHTS.mean()
    trimmed = trim_weights(WEIGHTS, ONES, largest=2.2 / mean, smallest=1.2 / mean)
    # R package survey 4.1-1: trimWeights(upper = 2.2, lower = 1.2, strict = TRUE) of these rows.
    theirs = [1.2, 2.02608695652174, 1.27608695652174, 2.2, 1.52608695652174, 2.2, 1.77608695652174, 1.2]
    assert trimmed.weights[:8] == pytest.approx(theirs, rel=1e-12)
    assert trimmed.weights.sum() == pytest.approx(WEIGHTS.sum(), rel=1e-12)
    assert trimmed.trimmed == int(((WEIGHTS > 2.2) | (WEIGHTS < 1.2)).sum()) == 17
    assert trimmed.moved == pytest.approx((WEIGHTS.clip(1.2, 2.2) - WEIGHTS).sum() * -1, rel=1e-12)
    assert trimmed.effective_n > 36.942224362060664  # before


def test_who_gets_beyond_the_range_by_what_others_lose_is_trimmed_too() -> None:
    weights, counts = np.array([10.0, 1.9, 1.0]), [1, 2, 3]
    trimmed = trim_weights(weights, counts, largest=1.5)
    mean = 16.8 / 6
    assert trimmed.weights[0] == pytest.approx(1.5 * mean)
    assert trimmed.weights @ counts == pytest.approx(16.8)
    assert trimmed.weights.max() <= 1.5 * mean * (1 + 1e-12)
    again = trim_weights(np.array([10.0, 2.6, 0.2]), counts, largest=1.2)
    assert again.trimmed == 3  # the two of 2.6 come to exceed 1.2 times the mean only after the first is cut
    assert trim_weights(np.ones(3), counts, largest=2).trimmed == 0


@pytest.mark.parametrize(
    ("largest", "smallest", "message"),
    [
        (1, 0, "^largest .*1.*got 1"),
        (math.nan, 0, "^largest .*1"),
        (math.inf, 0, "^largest .*1"),
        (2, 1, "^smallest .*0.*1.*got 1"),
        (2, -0.1, "^smallest .*0.*1"),
        (1.01, 0.99, "leave nobody"),
    ],
)
def test_a_range_that_is_none_is_refused(largest: float, smallest: float, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        trim_weights(np.array([1.0, 3.0]), [1, 1], largest=largest, smallest=smallest)


def test_the_heaviest_are_the_fewest_who_carry_half_of_the_weight_those_of_one_weight_together() -> None:
    assert heaviest(np.array([40 / 185, 160 / 15]), np.array([185, 15])) == (15, pytest.approx(0.8))
    # Ten of them carry 30 of 110, so that those of the next weight belong to them.
    assert heaviest(np.array([0.5, 3, 1.5]), np.array([100, 10, 20])) == (30, pytest.approx(60 / 110))
    assert heaviest(np.array([1, 3, 4]), np.array([60, 10, 10])) == (20, pytest.approx(70 / 130))
    assert heaviest(np.ones(3), np.array([5, 5, 5])) == (15, pytest.approx(1))
