import math

import numpy as np
import pytest
from scipy import stats

from surveys.estimation.affine import affine_map
from surveys.estimation.diagnostics import LEVEL, Misfit, goodness_of_fit
from surveys.estimation.prevalence import estimate_prevalence
from surveys.privacy.designs import Design, forced_response, from_matrix, k_ary, kuk, warner

THREE_TENTHS_BY_CHANCE = forced_response("4/10", "1/2")
MIXING = from_matrix([["7/10", "1/10", "3/20"], ["1/5", "4/5", "3/20"], ["1/10", "1/10", "7/10"]])


def misfit_of(counts: list[int] | np.ndarray, design: Design) -> Misfit:
    return estimate_prevalence(counts, design).misfit


def test_ten_yes_of_a_hundred_are_suspicious_where_chance_alone_gives_thirty() -> None:
    misfit = misfit_of([90, 10], THREE_TENTHS_BY_CHANCE)
    assert misfit.suspicious
    assert misfit
    assert misfit.p_value == pytest.approx(2 * stats.binom.cdf(10, 100, 0.3), rel=1e-10)
    assert misfit.suspicious_options == (0, 1)
    assert math.isnan(misfit.fit)


def test_twenty_five_yes_of_a_hundred_are_not() -> None:
    misfit = misfit_of([75, 25], THREE_TENTHS_BY_CHANCE)
    assert not misfit.suspicious
    assert not misfit
    assert misfit.suspicious_options == ()


def test_too_many_yes_are_suspicious_too() -> None:
    misfit = misfit_of([10, 90], THREE_TENTHS_BY_CHANCE)
    assert misfit.suspicious
    assert misfit.too_many[1] == pytest.approx(stats.binom.sf(89, 100, 0.7), rel=1e-10)


def test_an_option_reported_less_often_than_the_spinner_shows_it_is_named() -> None:
    misfit = misfit_of([60, 58, 2], k_ary(3, "1/2"))
    assert misfit.suspicious_options == (2,)
    assert misfit.p_value == pytest.approx(6 * stats.binom.cdf(2, 120, 1 / 6), rel=1e-10)


def test_a_direct_question_cannot_misfit() -> None:
    assert misfit_of([100, 0], warner(1)).p_value == 1


@pytest.mark.parametrize("design", [THREE_TENTHS_BY_CHANCE, warner("1/4"), forced_response("9/10", "1/10")], ids=str)
@pytest.mark.parametrize("n", [10, 30, 300])
def test_false_alarms_are_rare_at_the_edge_where_they_are_likeliest(n: int, design: Design) -> None:
    for edge in (min(design.matrix[1]), max(design.matrix[1])):
        alarm = sum(
            stats.binom.pmf(yes, n, float(edge)) for yes in range(n + 1) if misfit_of([n - yes, yes], design).suspicious
        )
        assert alarm <= LEVEL


@pytest.mark.parametrize("design", [kuk("4/5", "1/5", 2), MIXING], ids=["kuk", "mixing"])
def test_false_alarms_are_rare_where_the_fit_is_tested_too(design: Design) -> None:
    # Exactly, over all samples of 40 reports that happen at all; on the boundary and inside.
    n, matrix = 40, np.array(design.matrix, dtype=float)
    samples = np.array([(a, b, n - a - b) for a in range(n + 1) for b in range(n + 1 - a)])
    truths = [np.eye(design.k)[0], np.full(design.k, 1 / design.k)]
    probability = np.array([stats.multinomial.pmf(samples, n, matrix @ truth) for truth in truths])
    likely = (probability > 1e-9).any(axis=0)
    alarms = np.array([misfit_of(sample, design).suspicious for sample in samples[likely]])
    assert (probability[:, likely] @ alarms + (1 - probability[:, likely].sum(axis=1)) <= LEVEL).all()


def test_designs_with_other_shapes_are_tested_as_well() -> None:
    design = from_matrix([["1/2", "1/6"], ["1/4", "1/6"], ["1/4", "2/3"]])
    assert misfit_of([15, 55, 30], design).suspicious_options == (1,)
    assert affine_map(design) is None


def test_counts_within_every_edge_can_still_fit_no_prevalences() -> None:
    # From all No to all Yes the three probabilities go from .6, .3, .1 to .2, .4, .4: the last two rise together.
    design = from_matrix([["3/5", "1/5"], ["3/10", "2/5"], ["1/10", "2/5"]])
    misfit = misfit_of([500, 400, 100], design)
    assert min(misfit.too_few.min(), misfit.too_many.min()) > 0.1
    assert misfit.suspicious
    assert misfit.suspicious_options == ()
    assert not misfit_of([500, 325, 175], design).suspicious


def test_the_fit_is_pearsons_with_a_degree_of_freedom_for_each_report_that_no_prevalence_explains() -> None:
    design, counts = kuk("4/5", "1/5", 2), np.array([250, 180, 70])
    estimate = estimate_prevalence(counts, design)
    expected = 500 * np.array(design.matrix, dtype=float) @ estimate.constrained
    theirs = stats.chisquare(counts, expected, ddof=1)
    assert estimate.misfit.fit == pytest.approx(theirs.pvalue, rel=1e-10)
    # Where a prevalence is 0 it explains nothing: one degree more.
    counts = np.array([330, 158, 12])
    estimate = estimate_prevalence(counts, design)
    assert estimate.constrained[1] == 0
    theirs = stats.chisquare(counts, 500 * np.array(design.matrix, dtype=float) @ estimate.constrained)
    assert estimate.misfit.fit == pytest.approx(theirs.pvalue, rel=1e-10)


def test_where_the_prevalences_reproduce_the_counts_nothing_is_left_to_test() -> None:
    assert misfit_of([40, 30, 30], MIXING).fit == 1


def test_the_fit_is_one_test_more_to_account_for() -> None:
    misfit = misfit_of([335, 154, 11], kuk("4/5", "1/5", 2))
    smallest = min(misfit.too_few.min(), misfit.too_many.min(), misfit.fit)
    assert 0.01 < smallest < 1 / 7
    assert misfit.p_value == pytest.approx(7 * smallest, rel=1e-12)


@pytest.mark.parametrize(("n", "tested"), [(124, False), (125, True), (126, True)])
def test_few_expected_reports_are_not_tested_for_fit(n: int, tested: bool) -> None:
    # With everybody's truth No, 4 of 100 are expected to draw two reds.
    design = kuk("4/5", "1/5", 2)
    p_value = goodness_of_fit(np.array([n, 0, 0]), design, np.array([1.0, 0.0]))
    assert math.isnan(p_value) is not tested


@pytest.mark.parametrize("n", [10**7, 2**31 + 2, 2**32 + 60, 10**12])
def test_billions_of_reports_are_tested_exactly_too(n: int) -> None:
    # Three tenths say Yes by chance alone; fewer than that by four standard deviations.
    yes = int(0.3 * n - 4 * math.sqrt(0.21 * n))
    misfit = misfit_of([n - yes, yes], THREE_TENTHS_BY_CHANCE)
    assert misfit.suspicious
    assert misfit.too_few[1] == pytest.approx(stats.binom.cdf(yes, n, 0.3), rel=1e-6)
    assert misfit.too_many[0] == pytest.approx(misfit.too_few[1], rel=1e-6)
    assert [misfit.too_few[0], misfit.too_many[1]] == pytest.approx([1, 1])
    assert not misfit_of([n // 2, n - n // 2], THREE_TENTHS_BY_CHANCE).suspicious
