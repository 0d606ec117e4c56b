import numpy as np
import pytest

from surveys.estimation.list_experiment.denial import estimate_denial
from surveys.estimation.list_experiment.types import estimate_list
from tests.estimation.list_experiment.population import COIN, TOGETHER, ListPopulation

ESTIMATE = estimate_list([8, 132, 222, 227], [19, 123, 229, 219, 34])


def test_the_right_shares_of_denial_give_back_the_prevalence() -> None:
    denied = TOGETHER.types.copy()
    for y, share in ((3, 0.4), (0, 0.2)):
        denied[0, y] += share * denied[1, y]
        denied[1, y] *= 1 - share
    reported = ListPopulation(denied).reported(COIN)
    seen = estimate_list(*(np.rint(part * 10**12).astype(int) for part in reported), designs=COIN)
    assert seen.point < 0.27
    denial = estimate_denial(seen, ceiling=0.4, floor=0.2)
    assert denial.point == pytest.approx(0.3, abs=1e-9)
    assert denial.lowest == pytest.approx(seen.point)
    assert denial.largest == pytest.approx(seen.point + denied[0, 3] + denied[0, 0], abs=1e-9)
    assert denial.lowest < denial.point < denial.largest


def test_nobody_denying_is_the_difference_in_means() -> None:
    denial = estimate_denial(ESTIMATE, ceiling=0.0)
    assert (denial.point, denial.standard_error) == pytest.approx((ESTIMATE.point, ESTIMATE.standard_error))
    assert denial.interval().high == pytest.approx(ESTIMATE.interval().high, abs=1e-3)


def test_bounds_reach_from_the_lower_limit_of_none_to_the_upper_limit_of_all() -> None:
    denial = estimate_denial(ESTIMATE, ceiling=0.5, floor=0.5)
    bounds = denial.bounds_interval(0.9)
    assert bounds.low == 0.0
    assert bounds.high == pytest.approx(denial.largest + 1.6448536 * denial.largest_standard_error)
    assert (bounds.outside, bounds.method, bounds.confidence_level) == (False, "wald", 0.9)


def test_the_standard_error_is_of_a_sum_of_types() -> None:
    denial = estimate_denial(ESTIMATE, ceiling=0.5)
    weights = np.array([0, 0, 0, 0, 1, 1, 1, 2.0])
    assert denial.standard_error == pytest.approx(np.sqrt(weights @ ESTIMATE.types_covariance @ weights))


@pytest.mark.parametrize("share", [1, -0.1, float("nan"), True, "half"])
def test_what_is_no_share_of_deniers_is_refused(share: object) -> None:
    with pytest.raises(ValueError, match=r"^floor .*0.*1"):
        estimate_denial(ESTIMATE, ceiling=0.1, floor=share)  # type: ignore[arg-type]
