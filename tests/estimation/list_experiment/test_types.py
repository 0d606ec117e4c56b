from itertools import product

import numpy as np
import pytest
from scipy import optimize

from surveys.estimation.list_experiment.arms import list_arms, plain_designs
from surveys.estimation.list_experiment.types import estimate_list, likeliest_types
from surveys.privacy.designs import direct, from_matrix, k_ary
from tests.estimation.list_experiment.population import CHANNELS, COIN, SAME_COIN, TOGETHER
from tests.golden import cases


@pytest.mark.parametrize("name", ["race", "affirm"])
def test_the_difference_in_means_and_welchs_limits_equal_r(name: str) -> None:
    (case,) = cases("list_experiments", f"{name}_difference")
    estimate, theirs = estimate_list(**case["inputs"]), case["outputs"]
    assert estimate.point == pytest.approx(theirs["means"][0] - theirs["means"][1], abs=1e-6)
    assert estimate.difference.degrees_of_freedom == pytest.approx(theirs["df"], abs=0.05)
    assert estimate.difference.limits(0.95) == pytest.approx((theirs["low"], theirs["high"]), abs=1e-7)


@pytest.mark.parametrize("name", ["race", "affirm"])
def test_the_types_equal_the_r_packages_table(name: str) -> None:
    (case,) = cases("list_experiments", f"{name}_types")
    estimate, theirs = estimate_list(**case["inputs"]), case["outputs"]
    assert estimate.types == pytest.approx(np.array([theirs["without"], theirs["with"]]), abs=5e-5)
    # The package divides by n where n − 1 is unbiased.
    assert estimate.types_standard_error == pytest.approx(np.array([theirs["without_se"], theirs["with_se"]]), abs=1e-4)
    assert (estimate.floor, estimate.ceiling) == (estimate.types[1, 0], estimate.types[1, -1])


def test_the_mean_of_unbiased_estimates_is_the_truth_and_their_covariance_is_unbiased() -> None:
    # Every sample of two respondents an arm, each sent through a coin: no rounding of simulation is left.
    control, treatment = TOGETHER.reported(COIN)
    total, outer, stated, means = 0.0, np.zeros((8, 8)), np.zeros((8, 8)), np.zeros(8)
    for first, second in product(product(range(4), repeat=2), product(range(5), repeat=2)):
        chance = control[list(first)].prod() * treatment[list(second)].prod()
        estimate = estimate_list(np.bincount(first, minlength=4), np.bincount(second, minlength=5), designs=COIN)
        total += chance
        means += chance * estimate.types.ravel()
        outer += chance * np.outer(estimate.types, estimate.types)
        stated += chance * estimate.types_covariance
        assert estimate.types[1].sum() == pytest.approx(estimate.point)
        assert estimate.types.sum() == pytest.approx(1.0)
        assert estimate.standard_error**2 == pytest.approx(estimate.types_covariance[4:, 4:].sum(), abs=1e-12)
    assert total == pytest.approx(1.0)
    assert means == pytest.approx(TOGETHER.types.ravel())
    assert stated == pytest.approx(outer - np.outer(means, means), abs=1e-12)


@pytest.mark.parametrize("name", CHANNELS)
def test_expected_reports_give_back_the_types(name: str) -> None:
    control, treatment = TOGETHER.reported(CHANNELS[name])
    counts = [np.rint(part * 10**12).astype(int) for part in (control, treatment)]
    estimate = estimate_list(*counts, designs=CHANNELS[name])
    assert estimate.types == pytest.approx(TOGETHER.types, abs=1e-9)
    assert estimate.constrained_types == pytest.approx(TOGETHER.types, abs=1e-6)
    assert (estimate.point, estimate.constrained) == pytest.approx((0.3, 0.3), abs=1e-6)


@pytest.mark.parametrize("designs", [plain_designs(3), COIN, SAME_COIN])
def test_the_constrained_types_have_the_highest_likelihood(designs: tuple) -> None:
    treatment = [19, 123, 229, 219, 34]
    control = [8, 132, 222, 227, 0][: designs[0].m]
    arms = list_arms(control, treatment, designs)

    def minus_log_likelihood(logits: np.ndarray) -> float:
        shares = np.exp(logits - logits.max())
        shares /= shares.sum()
        total = 0.0
        for arm, first in ((arms.control, np.add(shares[:4], shares[4:])), (arms.treatment, None)):
            counts = np.append(shares[:4], 0) + np.insert(shares[4:], 0, 0) if first is None else first
            total -= float(arm.counts @ np.log(np.maximum(arm.channel.matrix @ counts, 1e-300)))
        return total

    types = likeliest_types(arms)
    ours = minus_log_likelihood(np.log(np.maximum(types, 1e-300)))
    theirs = min(
        optimize.minimize(minus_log_likelihood, start, method="BFGS").fun for start in (np.zeros(8), np.arange(8) / 4)
    )
    # Where a share is 0 its logit runs away, and the other optimiser gives up on the way.
    assert ours == pytest.approx(theirs, abs=0.01)
    assert ours <= theirs + 1e-9
    assert types.min() >= 0
    assert types.sum() == pytest.approx(1.0)


def test_an_estimate_beyond_what_is_possible_is_shown_raw_and_limited() -> None:
    estimate = estimate_list([0, 10, 30], [20, 15, 5, 0])
    assert estimate.point < 0
    assert estimate.limited == 0
    assert estimate.interval().outside
    assert (estimate.interval().low, estimate.interval().high) == (0, 0)
    assert estimate_list([40, 0, 0], [0, 10, 30, 0]).limited == 1
    assert estimate_list([5, 5, 5], [3, 5, 5, 2]).limited == estimate_list([5, 5, 5], [3, 5, 5, 2]).point


def test_one_respondent_leaves_no_standard_error_and_no_variation_no_width() -> None:
    assert np.isnan(estimate_list([1, 0], [3, 4, 2]).standard_error)
    still = estimate_list([0, 5], [0, 5, 0])
    assert (still.standard_error, still.difference.degrees_of_freedom) == (0.0, np.inf)
    assert (still.interval().low, still.interval().high) == (0.0, 0.0)
    assert np.isnan(still.difference.p_value(0.0))


@pytest.mark.parametrize(
    ("control", "treatment", "designs", "message"),
    [
        ([5], [5, 5], None, "^control .*number"),
        (7, [5, 5, 5], None, "^control .*number"),
        ([5, 5], [5, 5], None, "^treatment .*3"),
        ([5, 5, 5], [5, 5, 5], None, "^treatment .*4"),
        ([5, 5], [5, 5, -1], None, "^treatment"),
        ([0, 0], [5, 5, 1], None, "^control .*0.*1"),
        ([5, 5], [5, 5, 5], (direct(2),), "^designs"),
        ([5, 5], [5, 5, 5], [direct(2), direct(3)], "^designs"),
        ([5, 5], [5, 5, 5], (direct(2), None), "^designs: .*treatment.*Design"),
        ([5, 5], [5, 5, 5], (direct(2), direct(4)), r"J \+ 1 or J \+ 2"),
        ([5, 5], [5, 5], (direct(2), direct(2)), "J at least 1"),
        ([5, 5, 1], [5, 5, 5], (direct(3), direct(3)), "^control .*report"),
        (
            [5, 5, 5],
            [5, 5],
            (k_ary(3, "1/2"), from_matrix([["1/2", "1/3", "1/4"], ["1/2", "2/3", "3/4"]])),
            "not determine",
        ),
    ],
)
def test_what_are_no_two_lists_is_refused(control: object, treatment: object, designs: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        estimate_list(control, treatment, designs=designs)  # type: ignore[arg-type]


def test_a_design_of_all_counts_serves_the_control_arm_as_well() -> None:
    plain = estimate_list([8, 132, 222, 227], [19, 123, 229, 219, 34])
    same = estimate_list([8, 132, 222, 227, 0], [19, 123, 229, 219, 34], designs=(direct(5), direct(5)))
    assert same.types == pytest.approx(plain.types)
    assert same.standard_error == pytest.approx(plain.standard_error)
