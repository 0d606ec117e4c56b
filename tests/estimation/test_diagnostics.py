import numpy as np
import pytest
from scipy import stats

from surveys.estimation import estimate_prevalence
from surveys.estimation.affine import affine_map
from surveys.estimation.diagnostics import LEVEL, misfit_of
from surveys.privacy.designs import Design, forced_response, from_matrix, k_ary, warner

THREE_TENTHS_BY_CHANCE = forced_response("4/10", "1/2")


def test_ten_yes_of_a_hundred_are_suspicious_where_chance_alone_gives_thirty() -> None:
    misfit = estimate_prevalence([90, 10], THREE_TENTHS_BY_CHANCE).misfit
    assert misfit.suspicious
    assert misfit.p_value == pytest.approx(2 * stats.binom.cdf(10, 100, 0.3), rel=1e-10)
    assert misfit.suspicious_options == (0, 1)


def test_twenty_five_yes_of_a_hundred_are_not() -> None:
    misfit = estimate_prevalence([75, 25], THREE_TENTHS_BY_CHANCE).misfit
    assert not misfit.suspicious
    assert misfit.suspicious_options == ()


def test_too_many_yes_are_suspicious_too() -> None:
    misfit = estimate_prevalence([10, 90], THREE_TENTHS_BY_CHANCE).misfit
    assert misfit.suspicious
    assert misfit.too_many[1] == pytest.approx(stats.binom.sf(89, 100, 0.7), rel=1e-10)


def test_an_option_reported_less_often_than_the_spinner_shows_it_is_named() -> None:
    misfit = estimate_prevalence([60, 58, 2], k_ary(3, "1/2")).misfit
    assert misfit.suspicious_options == (2,)
    assert misfit.p_value == pytest.approx(6 * stats.binom.cdf(2, 120, 1 / 6), rel=1e-10)


def test_a_direct_question_cannot_misfit() -> None:
    assert estimate_prevalence([100, 0], warner(1)).misfit.p_value == 1


@pytest.mark.parametrize("design", [THREE_TENTHS_BY_CHANCE, warner("1/4"), forced_response("9/10", "1/10")], ids=str)
@pytest.mark.parametrize("n", [10, 30, 300])
def test_false_alarms_are_rare_at_the_edge_where_they_are_likeliest(n: int, design: Design) -> None:
    for edge in (min(design.matrix[1]), max(design.matrix[1])):
        alarm = sum(
            stats.binom.pmf(yes, n, float(edge))
            for yes in range(n + 1)
            if misfit_of(np.array([n - yes, yes]), design).suspicious
        )
        assert alarm <= LEVEL


def test_designs_with_other_shapes_are_tested_as_well() -> None:
    design = from_matrix([["1/2", "1/6"], ["1/4", "1/6"], ["1/4", "2/3"]])
    assert misfit_of(np.array([15, 55, 30]), design).suspicious_options == (1,)
    assert affine_map(design) is None
