import numpy as np
import pytest

from surveys.estimation.adherence.attention import attention_curve, dilute_design
from surveys.estimation.prevalence import estimate_prevalence
from surveys.privacy.designs import crosswise, k_ary

# The example of cmBound in the R package cWise: 198 of 310 report "the same", p = 1/4.
COUNTS, LAMBDA = [112, 198], 198 / 310
SHARES = ["1", "9/10", "7/10", "1/2"]


def test_the_curve_of_the_crosswise_design_is_that_of_the_formula() -> None:
    curve = attention_curve(COUNTS, crosswise("1/4"), SHARES)
    gamma = np.array([float(share) for share in curve.attentive])
    assert curve.point() == pytest.approx(0.5 + (LAMBDA - 0.5) / (gamma * -0.5))
    assert curve.point(0) == pytest.approx(1 - curve.point())
    assert curve.constrained() == pytest.approx(curve.point().clip(0, 1))
    errors = [estimate.standard_error[1] for estimate in curve.estimates]
    assert errors == pytest.approx(np.sqrt(LAMBDA * (1 - LAMBDA) / 309) / (gamma * 0.5))


def test_cwise_takes_a_smaller_variance_for_less_attention() -> None:
    # cmBound: (π(1−π) + p(1−p)/(2p−1)²)/((n−1)γ²) with the corrected π, where the reports' own variance belongs.
    estimate = attention_curve(COUNTS, crosswise("1/4"), ["7/10"]).estimates[0]
    corrected = estimate.point[1]
    theirs = np.sqrt((corrected * (1 - corrected) + 3 / 16 / 0.25) / (309 * 0.49))
    assert theirs < 0.97 * estimate.standard_error[1]
    reports = np.random.default_rng(5).binomial(310, LAMBDA, size=200_000) / 310
    # The standard deviation of 200,000 draws is known to 1%.
    assert np.std((reports - 0.5) / (0.7 * -0.5)) == pytest.approx(estimate.standard_error[1], rel=0.01)


def test_everybody_attentive_is_the_estimate_as_it_was() -> None:
    curve = attention_curve(COUNTS, crosswise("1/4"), SHARES)
    interval, plain = curve.interval(), estimate_prevalence(COUNTS, crosswise("1/4")).interval()
    assert (interval.low[0], interval.high[0]) == (plain.low[1], plain.high[1])
    assert (np.diff(interval.high - interval.low)[:1] > 0).all()
    wald = curve.interval(confidence_level=0.9, method="wald")
    assert (wald.method, wald.confidence_level, wald.outside.tolist()) == ("wald", 0.9, [False] * 4)


def test_others_may_prefer_a_report_and_answers_may_be_many() -> None:
    diluted = dilute_design(k_ary(3, "1/2"), "4/5", ["1/2", "1/4", "1/4"])
    truths = np.array([0.2, 0.3, 0.5])
    reports = np.array(diluted.matrix, dtype=float) @ truths
    expected = 0.8 * np.array(k_ary(3, "1/2").matrix, dtype=float) @ truths + 0.2 * np.array([0.5, 0.25, 0.25])
    assert reports == pytest.approx(expected)
    curve = attention_curve([60, 70, 70], k_ary(3, "1/2"), ["4/5"], ["1/2", "1/4", "1/4"])
    assert curve.estimates[0].design == diluted


def test_what_is_no_share_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^attentive"):
        attention_curve(COUNTS, crosswise("1/4"), [])
    with pytest.raises(ValueError, match=r"^attentive .*0"):
        attention_curve(COUNTS, crosswise("1/4"), ["0"])
    with pytest.raises(ValueError, match=r"^attentive .*0.*1"):
        attention_curve(COUNTS, crosswise("1/4"), ["3/2"])
    with pytest.raises(ValueError, match=r"^random_reports .*2"):
        attention_curve(COUNTS, crosswise("1/4"), ["1/2"], ["1/2"])
    with pytest.raises(ValueError, match=r"^option"):
        attention_curve(COUNTS, crosswise("1/4"), ["1/2"]).point(2)


@pytest.mark.studies
def test_the_interval_at_the_right_share_holds_what_it_says_and_at_a_wrong_one_it_does_not() -> None:
    # 2,000 studies of 800 with π = .15, γ = 3/4. At a true coverage of .95 one run in 20,000 leaves .93 to .97.
    rate = 0.75 * (0.25 * 0.15 + 0.75 * 0.85) + 0.25 / 2
    same = np.random.default_rng(472).binomial(800, rate, 2_000)
    held = np.zeros((2_000, 2))
    for study, count in enumerate(same.tolist()):
        interval = attention_curve([800 - count, count], crosswise("1/4"), ["3/4", "1"]).interval()
        held[study] = (interval.low <= 0.15) & (interval.high >= 0.15)
    right, wrong = held.mean(axis=0)
    assert 0.93 < right < 0.97
    assert wrong < 0.7
