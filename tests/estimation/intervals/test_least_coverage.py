import numpy as np
import pytest

from surveys.estimation.intervals import coverage
from surveys.estimation.intervals.binomial import METHODS
from surveys.estimation.intervals.coverage import least_coverage
from surveys.estimation.intervals.mapped import MAPPED_METHODS
from surveys.privacy.designs import Design, forced_response, k_ary, kuk, triangular
from tests.estimation.coverage_tables import FAIR, FORCED, K_ARY, TRIANGULAR, Case, coverages

INSIDE = np.linspace(0.0005, 0.9995, 500)
RARELY_FORCED = forced_response("999/1000", "1/2")


@pytest.mark.parametrize("case", [FAIR, FORCED, TRIANGULAR, K_ARY], ids=lambda case: case.title)
@pytest.mark.parametrize("method", MAPPED_METHODS)
def test_no_share_is_in_the_interval_more_rarely_and_the_one_named_as_rarely(case: Case, method: str) -> None:
    for n in (2, 10, 30):
        least, share = least_coverage(case.design, n, 0.95, method)
        beside = np.clip([share - 1e-9, share + 1e-9], 0, 1)
        assert least <= min(coverages(case, n, method, INSIDE.tolist())) + 1e-9
        assert least == pytest.approx(min(coverages(case, n, method, beside.tolist())), abs=1e-6)


def test_clopper_pearsons_hold_as_often_as_they_say_at_every_level() -> None:
    for level in (0.8, 0.95, 0.999):
        assert least_coverage(triangular("1/4"), 40, level, "clopper_pearson")[0] >= level
        assert least_coverage(triangular("1/4"), 40, level, "wilson")[0] < level


@pytest.mark.parametrize("design", [forced_response(), RARELY_FORCED, triangular("1/4"), k_ary(4, "1/2")], ids=repr)
def test_with_many_responses_it_is_that_of_fewer_to_three_thousandths(
    design: Design, monkeypatch: pytest.MonkeyPatch
) -> None:
    coverages = {method: least_coverage(design, 6_000, 0.95, method)[0] for method in METHODS}
    monkeypatch.setattr(coverage, "MOST", 6_000)
    least_coverage.cache_clear()
    exact = {method: least_coverage(design, 6_000, 0.95, method)[0] for method in METHODS}
    least_coverage.cache_clear()
    assert coverages == pytest.approx(exact, abs=0.003)


def test_thousands_of_reports_of_either_kind_are_enough_for_every_method() -> None:
    assert {least_coverage(forced_response(), 10**9, 0.95, method) for method in MAPPED_METHODS} == {(0.95, 0.5)}


def test_a_design_whose_reports_depend_on_several_shares_is_refused() -> None:
    with pytest.raises(ValueError, match="design kuk"):
        least_coverage(kuk("7/10", "3/10", 2), 10, 0.95, "wilson")
    with pytest.raises(ValueError, match=r"^method"):
        least_coverage(forced_response(), 10, 0.95, "bootstrap")
