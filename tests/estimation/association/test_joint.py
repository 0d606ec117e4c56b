import math
from itertools import product as pairs

import numpy as np
import pytest
from scipy import optimize, stats

from surveys.estimation.association.joint import JointEstimate, estimate_joint, product
from surveys.estimation.prevalence import estimate_prevalence
from surveys.privacy.designs import Design, forced_response, from_matrix, k_ary, warner

DIRECT = warner(1)
THREE_REPORTS = from_matrix([["1/2", "1/8"], ["1/4", "1/4"], ["1/4", "5/8"]])


def log_likelihood(joint: JointEstimate, cells: np.ndarray) -> float:
    reported = np.array(joint.cells.design.matrix, dtype=float) @ np.ravel(cells)
    counts = joint.cells.counts
    return float((counts[counts > 0] * np.log(reported[counts > 0])).sum())


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (forced_response("1/3", "1/5"), warner("3/4")),
        (k_ary(3, "1/2", ["1/2", "1/3", "1/6"]), warner("1/5")),
        (warner("3/4"), THREE_REPORTS),
    ],
)
def test_cells_and_covariance_are_unbiased_exactly(a: Design, b: Design) -> None:
    # The expectation over every possible sequence of 2 pairs of reports.
    truth = np.arange(1, a.k * b.k + 1) / np.arange(1, a.k * b.k + 1).sum()
    reported = np.kron(np.array(a.matrix, dtype=float), np.array(b.matrix, dtype=float)) @ truth
    mean, second, stated = 0.0, 0.0, 0.0
    for reports in pairs(range(reported.size), repeat=2):
        table = np.bincount(reports, minlength=reported.size).reshape(a.m, b.m)
        chance, estimate = reported[list(reports)].prod(), estimate_joint(table, a, b)
        mean += chance * estimate.point.ravel()
        second += chance * np.outer(estimate.point, estimate.point)
        stated += chance * estimate.covariance
    assert mean == pytest.approx(truth, rel=1e-12)
    assert stated == pytest.approx(second - np.outer(mean, mean), rel=1e-10, abs=1e-14)


def test_the_cells_of_two_warner_questions_are_those_worked_by_hand() -> None:
    # P⁻¹ = [[1.5, −.5], [−.5, 1.5]] on either side of the table of shares.
    joint = estimate_joint([[40, 20], [10, 30]], warner("3/4"), warner("3/4"))
    inverse = np.array([[1.5, -0.5], [-0.5, 1.5]])
    assert joint.point == pytest.approx(inverse @ np.array([[0.4, 0.2], [0.1, 0.3]]) @ inverse.T)
    assert joint.n == 100
    assert joint.standard_error.shape == (2, 2)
    assert joint.standard_error.ravel() == pytest.approx(np.sqrt(np.diagonal(joint.covariance)))


def test_the_cells_add_up_to_the_marginal_prevalences() -> None:
    table = np.array([[40, 20, 11], [10, 30, 9]])
    joint = estimate_joint(table, forced_response(), k_ary(3, "1/2"))
    a, b = joint.marginals
    assert joint.point.sum(axis=1) == pytest.approx(a.point)
    assert joint.point.sum(axis=0) == pytest.approx(b.point)
    assert a.counts.tolist() == [71, 49]
    assert b.design == k_ary(3, "1/2")
    # The covariance of sums is the sum of covariances.
    over_b = np.kron(np.eye(2), np.ones(3))
    assert over_b @ joint.covariance @ over_b.T == pytest.approx(a.covariance)


def test_two_questions_are_one_question_about_pairs() -> None:
    a, b = forced_response(), k_ary(3, "1/2")
    joint = estimate_joint([[40, 20, 11], [10, 30, 9]], a, b)
    one = estimate_prevalence([40, 20, 11, 10, 30, 9], product(a, b))
    assert joint.point.ravel() == pytest.approx(one.point)
    assert joint.covariance == pytest.approx(one.covariance)
    assert joint.constrained.ravel() == pytest.approx(one.constrained)
    assert joint.misfit.p_value == one.misfit.p_value
    interval, flat = joint.interval(0.9, simultaneous=True), one.interval(0.9, simultaneous=True)
    assert interval.low.shape == interval.outside.shape == (2, 3)
    assert interval.low.ravel() == pytest.approx(flat.low)
    assert interval.high.ravel() == pytest.approx(flat.high)
    assert (interval.method, interval.confidence_level, interval.simultaneous) == ("likelihood_ratio", 0.9, True)
    interval, flat = joint.interval(method="wald"), one.interval(method="wald")
    assert interval.low.ravel() == pytest.approx(flat.low)
    assert (interval.method, interval.confidence_level, interval.simultaneous) == ("wald", 0.95, False)


def test_the_constrained_cells_are_the_likeliest_of_all() -> None:
    joint = estimate_joint([[30, 15], [14, 21]], forced_response(), warner("3/4"))
    assert joint.point.min() < 0
    assert joint.constrained.min() >= 0
    assert joint.constrained.sum() == pytest.approx(1)
    best = log_likelihood(joint, joint.constrained)
    for cells in np.random.default_rng(20_271).dirichlet(np.ones(4), 2_000):
        assert log_likelihood(joint, cells) <= best + 1e-9


def test_answers_to_both_that_no_truths_explain_are_a_misfit() -> None:
    # Two fair coins each: at least 1 in 16 sends any pair.
    assert estimate_joint([[500, 250], [249, 1]], forced_response(), forced_response()).misfit.suspicious
    assert not estimate_joint([[400, 250], [250, 100]], forced_response(), forced_response()).misfit.suspicious


def test_a_conditional_share_is_a_cell_divided_by_its_row_or_column() -> None:
    joint = estimate_joint([[400, 200], [150, 250]], forced_response(), warner("3/4"))
    row, column = joint.conditional(1, 0), joint.conditional(1, 0, given="b")
    assert row.point == pytest.approx(joint.point[1, 0] / joint.point[1].sum())
    assert column.point == pytest.approx(joint.point[1, 0] / joint.point[:, 0].sum())
    assert row.constrained == pytest.approx(joint.constrained[1, 0] / joint.constrained[1].sum())
    assert (row.among, column.among) == ((2, 3), (0, 2))
    assert row.parts.tolist() == column.parts.tolist() == [0, 0, 1, 0]


def test_the_error_of_a_conditional_share_is_that_of_the_delta_method() -> None:
    joint = estimate_joint([[400, 200, 100], [150, 250, 80]], forced_response(), k_ary(3, "3/5"))
    step, gradient = 1e-6, []
    for code in range(6):
        up, down = (np.ravel(joint.point) + sign * step * (np.arange(6) == code) for sign in (1, -1))
        gradient.append((up[4] / up[3:].sum() - down[4] / down[3:].sum()) / (2 * step))
    share = joint.conditional(1, 1)
    assert share.standard_error == pytest.approx(math.sqrt(gradient @ joint.covariance @ gradient), rel=1e-8)
    wald = share.interval(0.9, "wald")
    half = stats.norm.ppf(0.95) * share.standard_error
    assert [wald.low, wald.high] == pytest.approx([share.point - half, min(1, share.point + half)])
    assert (wald.method, wald.confidence_level) == ("wald", 0.9)


def test_a_conditional_share_without_chance_has_the_binomial_likelihood_interval() -> None:
    # Asked directly, only those with the first answer say anything about the share among them.
    interval = estimate_joint([[37, 12], [5, 46]], DIRECT, DIRECT).conditional(0, 1).interval()
    drop = stats.chi2.ppf(0.95, 1) / 2
    highest = stats.binom.logpmf(12, 49, 12 / 49)
    for limit in (interval.low, interval.high):
        assert stats.binom.logpmf(12, 49, limit) == pytest.approx(highest - drop, rel=1e-6)
    assert interval.low < 12 / 49 < interval.high
    assert (interval.method, interval.outside) == ("likelihood_ratio", False)
    assert interval.confidence_level == 0.95


@pytest.mark.parametrize("table", [[[600, 400], [350, 650]], [[40, 10], [12, 30]]])
def test_the_limits_of_a_conditional_share_are_found_by_a_search_over_all_distributions_too(table: list) -> None:
    # Distributions of truths: at these limits none of their shares is 0.
    joint = estimate_joint(table, forced_response("19/20"), warner("19/20"))
    best, drop = log_likelihood(joint, joint.constrained), stats.chi2.ppf(0.95, 1) / 2
    interval = joint.conditional(1, 1).interval()
    for limit in (interval.low, interval.high):
        # A = Yes has share a, B among the others share s, B among A the limit.
        def lacking(free: np.ndarray, share: float = limit) -> float:
            a, s = 1 / (1 + np.exp(-free))
            return -log_likelihood(joint, np.array([(1 - a) * (1 - s), (1 - a) * s, a * (1 - share), a * share]))

        optimum = optimize.minimize(lacking, [0.0, 0.0], method="Nelder-Mead", options={"xatol": 1e-10, "fatol": 1e-12})
        assert best + optimum.fun == pytest.approx(drop, abs=1e-6)


def test_a_share_of_nobody_can_be_anything() -> None:
    joint = estimate_joint([[30, 20], [0, 0]], DIRECT, DIRECT)
    share = joint.conditional(1, 1)
    assert math.isnan(share.point)
    assert math.isnan(share.standard_error)
    assert math.isnan(share.constrained)
    interval = share.interval()
    assert (interval.low, interval.high) == (0, 1)
    assert math.isnan(share.interval(method="wald").low)


def test_rounding_makes_no_share_of_nobody() -> None:
    # One in four says Yes to A, as many as two fair coins alone make: exactly nobody, but for rounding.
    for yes in range(1, 60):
        joint = estimate_joint([[3 * yes, 6 * yes], [yes, 2 * yes]], forced_response(), warner("4/5"))
        share = joint.conditional(1, 1)
        assert math.isnan(share.point)
        assert math.isnan(share.standard_error)
        assert math.isnan(joint.correlation.standard_error)


def test_everybody_and_nobody_of_a_row_have_limits_of_exactly_1_and_0() -> None:
    joint = estimate_joint([[30, 20], [0, 9]], DIRECT, DIRECT)
    nobody, everybody = joint.conditional(1, 0).interval(), joint.conditional(1, 1).interval()
    assert nobody.low == 0
    assert everybody.high == 1
    assert nobody.high == pytest.approx(1 - everybody.low)
    # (1 − x)⁹ = exp(−χ²/2)
    assert nobody.high == pytest.approx(1 - math.exp(-stats.chi2.ppf(0.95, 1) / 18), rel=1e-8)


def test_a_share_of_exactly_0_or_1_lies_not_outside() -> None:
    joint = estimate_joint([[30, 20], [0, 9]], DIRECT, DIRECT)
    nobody, everybody = (joint.conditional(1, b).interval(method="wald") for b in (0, 1))
    assert (nobody.low, nobody.high, nobody.outside) == (0, 0, False)
    assert (everybody.low, everybody.high, everybody.outside) == (1, 1, False)


def test_a_share_outside_0_to_1_is_cut_and_says_so() -> None:
    joint = estimate_joint([[500, 250], [240, 10]], forced_response("9/10"), forced_response("9/10"))
    share = joint.conditional(1, 1)
    assert share.point < 0
    interval = share.interval(method="wald")
    assert (interval.low, interval.high, interval.outside) == (0, 0, True)
    above = joint.conditional(1, 0).interval(method="wald")
    assert (above.low, above.high, above.outside) == (1, 1, True)
    likely = share.interval()
    assert (likely.low, likely.high, likely.outside) == (0, 0, True)


def test_one_response_has_cells_but_no_errors() -> None:
    joint = estimate_joint([[0, 0], [0, 1]], forced_response(), forced_response())
    assert np.isnan(joint.covariance).all()
    assert joint.constrained.tolist() == [[0, 0], [0, 1]]
    share = joint.conditional(1, 1)
    assert math.isfinite(share.point)
    assert math.isnan(share.standard_error)
    assert share.interval().high == 1


@pytest.mark.parametrize(
    "table",
    [
        [[1, 2], [3]],
        [1, 2, 3, 4],
        [[1, 2, 3], [4, 5, 6]],
        [[1.0, 2.0], [3.0, 4.0]],
        [[math.nan, 1], [1, 1]],
        [[-1, 2], [3, 4]],
        [[0, 0], [0, 0]],
        [[True, False], [True, True]],
    ],
)
def test_what_is_no_table_of_counts_is_refused(table: object) -> None:
    with pytest.raises(ValueError, match=r"^table must"):
        estimate_joint(table, forced_response(), warner("3/4"))


def test_a_refused_table_is_told_its_shape() -> None:
    with pytest.raises(ValueError, match=r"^table .*2.*3"):
        estimate_joint([[1, 2], [3, 4]], forced_response(), k_ary(3, "1/2"))


def test_answers_methods_and_conditions_that_do_not_exist_are_refused() -> None:
    joint = estimate_joint([[40, 20, 11], [10, 30, 9]], forced_response(), k_ary(3, "1/2"))
    for arguments, message in (
        ((2, 0), "a must be an integer from 0 to 1, got 2"),
        ((-1, 0), "a must be an integer from 0 to 1, got -1"),
        ((0, 3), "b must be an integer from 0 to 2, got 3"),
        ((0, 0, "c"), "given must be a or b, got 'c'"),
    ):
        with pytest.raises(ValueError, match=message):
            joint.conditional(*arguments)
    with pytest.raises(ValueError, match=r"^method .*got 'wilson'"):
        joint.conditional(0, 0).interval(method="wilson")
    for method in ("likelihood_ratio", "wald"):
        with pytest.raises(ValueError, match=r"^confidence_level"):
            joint.conditional(0, 0).interval(95, method)
    with pytest.raises(ValueError, match="2 and 3"):
        _ = joint.odds_ratio
    with pytest.raises(ValueError, match="2 and 3"):
        _ = joint.correlation


def test_an_estimate_cannot_be_changed() -> None:
    table = np.array([[40, 20], [10, 30]])
    joint = estimate_joint(table, warner("3/4"), warner("3/4"))
    table[0, 0] = 0
    assert joint.n == 100
    for array in (joint.table, joint.point, joint.covariance, joint.constrained):
        with pytest.raises(ValueError, match="read-only"):
            array[0, 0] = 0


def test_what_is_no_design_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match=r"^design_a .*Design"):
        estimate_joint([[1, 2], [3, 4]], None, warner("3/4"))
    with pytest.raises(ValueError, match=r"^design_b .*Design"):
        estimate_joint([[1, 2], [3, 4]], warner("3/4"), "x")


def test_answers_are_numbered_by_any_integers() -> None:
    joint = estimate_joint([[40, 20, 11], [10, 30, 9]], forced_response(), k_ary(3, "1/2"))
    assert joint.conditional(np.uint8(1), np.int64(2)).point == joint.conditional(1, 2).point
    with pytest.raises(ValueError, match=r"^b "):
        joint.conditional(0, 1.0)


@pytest.mark.parametrize("simultaneous", [False, True])
def test_walds_intervals_are_those_of_one_question_about_pairs(simultaneous: bool) -> None:
    a, b = forced_response(), k_ary(3, "1/2")
    joint = estimate_joint([[40, 20, 11], [10, 30, 0]], a, b)
    interval = joint.interval(0.9, "wald", simultaneous=simultaneous)
    one = joint.cells.interval(0.9, "wald", simultaneous)
    assert interval.low.ravel() == pytest.approx(one.low)
    assert interval.high.ravel() == pytest.approx(one.high)
    assert interval.outside.ravel().tolist() == one.outside.tolist()
    assert interval.simultaneous == one.simultaneous == simultaneous


@pytest.mark.parametrize("simultaneous", [False, True])
def test_the_fitted_covariance_is_that_of_the_reports_which_the_constrained_estimate_leads_to(
    simultaneous: bool,
) -> None:
    a, b = forced_response(), k_ary(3, "1/2")
    joint = estimate_joint([[40, 2, 11], [10, 30, 0]], a, b)
    weights = np.linalg.inv(np.kron(np.array(a.matrix, dtype=float), np.array(b.matrix, dtype=float)))
    reported = np.linalg.inv(weights) @ joint.constrained.ravel()
    covariance = weights @ (np.diag(reported) - np.outer(reported, reported)) @ weights.T / (joint.n - 1)
    fitted = joint.fitted
    assert fitted.covariance == pytest.approx(covariance)
    assert fitted.point == pytest.approx(joint.point)
    assert fitted.constrained == pytest.approx(joint.constrained)
    interval = joint.interval(0.9, "fitted", simultaneous=simultaneous)
    half = stats.norm.ppf(1 - 0.1 / (12 if simultaneous else 2)) * np.sqrt(np.diagonal(covariance)).reshape(2, 3)
    assert interval.low == pytest.approx((joint.point - half).clip(0, 1))
    assert interval.high == pytest.approx((joint.point + half).clip(0, 1))
    assert (interval.method, interval.simultaneous) == ("fitted", simultaneous)


def test_where_most_pairs_never_came_fitted_intervals_hold_and_walds_do_not() -> None:
    # 36 cells, 100 responses, 100 tables, seed 5: on average 98 of 100 against 80 of 100.
    random = np.random.default_rng(5)
    design = k_ary(6, "1/2")
    matrix = np.array(design.matrix, dtype=float)
    truth = random.dirichlet(np.full(36, 0.2))
    reported = np.kron(matrix, matrix) @ truth
    held = {"wald": 0.0, "fitted": 0.0}
    for _ in range(100):
        joint = estimate_joint(random.multinomial(100, reported / reported.sum()).reshape(6, 6), design, design)
        for method in held:
            interval = joint.interval(0.95, method)
            low, high = interval.low.ravel() - 1e-12, interval.high.ravel() + 1e-12
            held[method] += float(((low <= truth) & (truth <= high) & ~interval.outside.ravel()).mean()) / 100
    assert held["fitted"] > 0.95
    assert held["wald"] < 0.85
