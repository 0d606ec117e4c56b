"""Those who send the same reports whatever is true. Statistical tests have a fixed seed."""

from functools import reduce

import numpy as np
import pytest
import scipy
from scipy import stats

from surveys.estimation.adherence.arms import estimate_extended_crosswise
from surveys.estimation.adherence.fixed_reports import FixedReportEstimate, estimate_fixed_reports
from surveys.privacy.designs import crosswise, k_ary, unrelated_question, warner
from surveys.privacy.designs.plain import direct

D = warner("3/4")
MATRIX = np.array(D.matrix, dtype=float)


def simulate(rng: np.random.Generator, share: float, truths: np.ndarray, n: int) -> np.ndarray:
    """Draw a table of reports to items with two answers, of which a share are No to everything."""
    items = truths.ndim
    reported = reduce(np.kron, [MATRIX] * items) @ truths.ravel() * (1 - share)
    reported[0] += share
    return rng.multinomial(n, reported).reshape((2,) * items)


def independent(*prevalences: float) -> np.ndarray:
    return reduce(np.multiply.outer, [np.array([1 - one, one]) for one in prevalences])


TRUTHS = independent(0.15, 0.3, 0.2)
TABLE = simulate(np.random.default_rng(21), 0.2, TRUTHS, 1_200)


def log_likelihood(table: np.ndarray, share: float, prevalences: np.ndarray) -> float:
    """Of independent truths."""
    cells = (1 - share) * reduce(np.kron, [MATRIX @ [1 - one, one] for one in prevalences])
    cells[0] += share
    return float(scipy.special.xlogy(table.ravel(), cells).sum())


def brute_force(table: np.ndarray, held: dict[int, float]) -> tuple[float, np.ndarray]:
    """The highest log-likelihood with some of the share and the prevalences held, and where."""
    items = table.ndim
    free = [place for place in range(items + 1) if place not in held]

    def whole(values: np.ndarray) -> np.ndarray:
        place = np.zeros(items + 1)
        place[free] = values
        for index, value in held.items():
            place[index] = value
        return place

    optima = [
        scipy.optimize.minimize(
            lambda values: -log_likelihood(table, whole(values)[0], whole(values)[1:]),
            np.full(len(free), start),
            bounds=[(1e-9, 1 - 1e-9)] * len(free),
            options={"ftol": 1e-14, "gtol": 1e-9},
        )
        for start in (0.1, 0.4)
    ]
    best = min(optima, key=lambda result: result.fun)
    return -best.fun, whole(best.x)


ESTIMATE = estimate_fixed_reports([TABLE], [[D] * 3], [0] * 3)


def test_no_other_share_and_independent_truths_are_likelier() -> None:
    height, place = brute_force(TABLE, {})
    assert ESTIMATE.log_likelihood == pytest.approx(height, abs=1e-6)
    assert ESTIMATE.share == pytest.approx(place[0], abs=1e-5)
    assert [ESTIMATE.prevalence(item) for item in range(3)] == pytest.approx(place[1:], abs=1e-5)
    assert ESTIMATE.truths == pytest.approx(independent(*place[1:]), abs=1e-5)
    assert ESTIMATE.prevalence(1, 0) == pytest.approx(1 - place[2], abs=1e-5)


def test_the_test_has_half_of_the_usual_p_value() -> None:
    height, place = brute_force(TABLE, {0: 0.0})
    statistic = 2 * (ESTIMATE.log_likelihood - height)
    assert ESTIMATE.test.statistic == pytest.approx(statistic, abs=1e-5)
    assert ESTIMATE.test.p_value == pytest.approx(stats.chi2.sf(statistic, 1) / 2, rel=1e-4)
    assert [ESTIMATE.uncorrected(item) for item in range(3)] == pytest.approx(place[1:], abs=1e-5)
    # Whoever says No to everything makes the prevalences look smaller.
    assert all(ESTIMATE.uncorrected(item) < ESTIMATE.prevalence(item) for item in range(3))


def test_limits_are_where_the_profile_has_fallen_far_enough() -> None:
    fallen = stats.chi2.ppf(0.9, 1) / 2
    interval = ESTIMATE.interval(0.9)
    for limit in (interval.low, interval.high):
        assert ESTIMATE.log_likelihood - brute_force(TABLE, {0: limit})[0] == pytest.approx(fallen, abs=1e-4)
    interval = ESTIMATE.prevalence_interval(1, confidence_level=0.9)
    for limit in (interval.low, interval.high):
        assert ESTIMATE.log_likelihood - brute_force(TABLE, {2: limit})[0] == pytest.approx(fallen, abs=1e-4)
    assert (interval.method, interval.confidence_level) == ("profile", 0.9)


def test_the_fit_is_held_against_all_tables() -> None:
    n = TABLE.sum()
    saturated = float(scipy.special.xlogy(TABLE, TABLE / n).sum())
    assert ESTIMATE.fit_test.statistic == pytest.approx(2 * (saturated - ESTIMATE.log_likelihood))
    assert ESTIMATE.fit_test.degrees_of_freedom == 7 - 4
    assert ESTIMATE.fit_test.p_value == pytest.approx(stats.chi2.sf(ESTIMATE.fit_test.statistic, 3))


def test_pairs_of_truths_may_interact_where_there_are_four_items() -> None:
    # No three of the truths interact: the table is a product of functions of pairs.
    codes = np.indices((2,) * 4)
    effects = -2.2 * codes.sum(axis=0) + 2.0 * codes[0] * codes[1] + 1.5 * codes[2] * codes[3]
    truths = np.exp(effects) / np.exp(effects).sum()
    cells = (reduce(np.kron, [MATRIX] * 4) @ truths.ravel()) * 0.85
    cells[0] += 0.15
    table = np.rint(cells * 10**9).astype(int).reshape((2,) * 4)
    estimate = estimate_fixed_reports([table], [[D] * 4], [0] * 4, order=2)
    assert estimate.share == pytest.approx(0.15, abs=1e-5)
    assert estimate.truths == pytest.approx(truths, abs=1e-5)
    assert estimate.fit_test.degrees_of_freedom == 15 - 11
    # Taken for independent, they seem to have a class of another size.
    assert abs(estimate_fixed_reports([table], [[D] * 4], [0] * 4).share - 0.15) > 0.01


# The doping question of survey C, "one" first, in the arms with p = .2 and .8: data set `doping` of the R package RRsp1
# 1.0 (Cruyff), whose function sp_one fits this model.
ARMS, DESIGNS = [[192, 270], [324, 129]], [[crosswise("1/5")], [crosswise("4/5")]]


def test_truths_that_hardly_occur_leave_the_limits_where_they_are() -> None:
    """Some shares of truths go to 0 here; a climb that begins at 1e-12 of them ended far below the maximum."""
    designs = [crosswise("1/4"), crosswise("1/4"), unrelated_question("7/10", "1/4")]
    table = np.array([[[0, 80], [60, 60]], [[100, 0], [0, 200]]])
    estimate = estimate_fixed_reports([table], [designs], [1, 1, 0], 2)
    matrix = reduce(np.kron, [np.array(design.matrix, dtype=float) for design in designs])
    codes = np.indices((2, 2, 2)).reshape(3, -1)
    effects = np.column_stack([*codes, codes[0] * codes[1], codes[0] * codes[2], codes[1] * codes[2]])
    fixed = np.arange(8) == 6

    def profile(share: float) -> float:
        def lost(beta: np.ndarray) -> float:
            cells = share * fixed + (1 - share) * matrix @ scipy.special.softmax(effects @ beta)
            return -float(scipy.special.xlogy(table.ravel(), cells).sum())

        starts = np.random.default_rng(7).normal(size=(4, 6))
        return -min(scipy.optimize.minimize(lost, start, method="BFGS").fun for start in starts)

    limits = estimate.interval(0.9)
    assert estimate.share == limits.low == 0
    assert estimate.log_likelihood == pytest.approx(profile(0.0), abs=1e-3)
    fallen = 2 * (estimate.log_likelihood - profile(limits.high))
    assert fallen == pytest.approx(stats.norm.ppf(0.95) ** 2, abs=0.01)


def test_one_sayers_of_the_extended_crosswise_model_have_a_closed_form() -> None:
    estimate = estimate_fixed_reports(ARMS, DESIGNS, [0])
    first, second = 270 / 462, 129 / 453  # "none or both", which no one-sayer reports
    assert estimate.share == pytest.approx(1 - first - second, abs=1e-8)
    assert estimate.prevalence(0) == pytest.approx((first / (first + second) - 0.8) / -0.6, abs=1e-8)
    plain = estimate_extended_crosswise(*ARMS, "1/5")
    assert estimate.uncorrected(0) == pytest.approx(plain.point[1], abs=1e-8)
    # Two arms and two parameters: all the misfit of the design goes to the class.
    assert estimate.test.statistic == pytest.approx(plain.fit.statistic, abs=1e-6)
    assert (estimate.fit_test.degrees_of_freedom, estimate.fit_test.p_value) == (0, 1)


def test_no_class_is_found_where_there_is_none() -> None:
    # More reports of other patterns than independent truths lead to, rather than fewer.
    estimate = estimate_fixed_reports([ARMS[0][::-1], ARMS[1][::-1]], DESIGNS[::-1], [0])
    assert (estimate.share, estimate.test.statistic, estimate.test.p_value) == (0, 0, 1)
    assert estimate.interval().low == 0


def test_items_may_have_several_answers() -> None:
    designs = [k_ary(3, "3/5"), D, direct()]
    matrices = [np.array(design.matrix, dtype=float) for design in designs]
    truths = reduce(np.multiply.outer, [np.array(one) for one in ([0.5, 0.3, 0.2], [0.7, 0.3], [0.6, 0.4])])
    cells = (reduce(np.kron, matrices) @ truths.ravel()) * 0.9
    cells[np.ravel_multi_index((2, 0, 0), (3, 2, 2))] += 0.1
    table = np.rint(cells * 10**8).astype(int).reshape(3, 2, 2)
    estimate = estimate_fixed_reports([table], [designs], [2, 0, 0])
    assert estimate.share == pytest.approx(0.1, abs=1e-5)
    assert [estimate.prevalence(0, option) for option in range(3)] == pytest.approx([0.5, 0.3, 0.2], abs=1e-5)
    interval = estimate.prevalence_interval(0, 2)
    assert interval.low < 0.2 < interval.high


@pytest.mark.parametrize(
    ("tables", "designs", "fixed", "order", "message"),
    [
        ([TABLE], [[D] * 3], [0] * 3, 3, "cannot tell those"),
        ([[60, 40]], [[D]], [0], 1, "reports cannot tell"),
        ([[[9, 9], [9, 9]]], [[D] * 2], [0] * 2, 2, "reports cannot tell"),
        ([TABLE], [[D] * 3], [0] * 3, 4, "^order"),
        ([TABLE], [[D] * 3], [0] * 2, 1, "^fixed .*3"),
        ([TABLE], [[D] * 3], [0, 0, 2], 1, "^fixed"),
        ([TABLE], [[D] * 2], [0] * 2, 1, "^table of arm 0"),
        ([TABLE], [[]], [], 1, "^table of arm 0"),
        ([TABLE * 0], [[D] * 3], [0] * 3, 1, "^table of arm 0 .*0"),
        ([TABLE / 2], [[D] * 3], [0] * 3, 1, "^table of arm 0"),
        ([], [], [0], 1, "^tables and designs"),
        ([TABLE], [[D] * 3] * 2, [0] * 3, 1, "^tables and designs"),
        ([[5, 5], [5, 5, 5]], [[D], [k_ary(3, "1/2")]], [0], 1, "^designs"),
        ([np.ones((2,) * 11, int)], [[D] * 11], [0] * 11, 1, "^tables"),
    ],
)
def test_what_cannot_be_told_or_does_not_go_together_is_refused(
    tables: list, designs: list, fixed: list, order: int, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        estimate_fixed_reports(tables, designs, fixed, order)


def test_an_item_and_an_answer_must_be_there() -> None:
    with pytest.raises(ValueError, match="item must be"):
        ESTIMATE.prevalence(3)
    with pytest.raises(ValueError, match="option must be"):
        ESTIMATE.prevalence_interval(0, 2)


# 2,000 studies of 1,200 with three items. At a true coverage of .95 one run in 20,000 leaves .93 to .97.


def studies(share: float, number: int = 2_000) -> list[FixedReportEstimate]:
    rng = np.random.default_rng(476)
    return [estimate_fixed_reports([simulate(rng, share, TRUTHS, 1_200)], [[D] * 3], [0] * 3) for _ in range(number)]


@pytest.mark.studies
def test_intervals_hold_what_they_say_and_uncorrected_prevalences_do_not() -> None:
    estimates = studies(0.2)
    shares = [estimate.interval() for estimate in estimates]
    assert 0.93 < np.mean([one.low <= 0.2 <= one.high for one in shares]) < 0.97
    prevalences = [estimate.prevalence_interval(1) for estimate in estimates]
    assert 0.93 < np.mean([one.low <= 0.3 <= one.high for one in prevalences]) < 0.97
    # The planted fault: the class is there and is left out.
    assert (
        np.mean(
            [
                one.low <= estimate.uncorrected(1) <= one.high
                for one, estimate in zip(prevalences, estimates, strict=True)
            ]
        )
        < 0.5
    )
    assert np.mean([estimate.test.p_value <= 0.05 for estimate in estimates]) > 0.95


@pytest.mark.studies
def test_without_a_class_the_test_rejects_one_in_twenty() -> None:
    estimates = studies(0.0)
    # Half of the statistics are 0; one run in a million is off by more than 4.9 standard deviations.
    assert abs(np.mean([estimate.test.p_value <= 0.05 for estimate in estimates]) - 0.05) < 0.024
    assert abs(np.mean([estimate.share == 0 for estimate in estimates]) - 0.5) < 0.1
