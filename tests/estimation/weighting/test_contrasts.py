"""Weighted differences, lists and anchors of clusters and strata: R's figures, and what they come to without any."""

import math
from collections.abc import Sequence

import numpy as np
import pytest

from surveys.estimation.adherence.anchor import estimate_anchored
from surveys.estimation.association.difference import difference_of
from surveys.estimation.list_experiment.types import estimate_list
from surveys.estimation.prevalence import estimate_prevalence
from surveys.estimation.weighting.contrasts import (
    WeightedContrast,
    anchor_terms,
    estimate_weighted_contrast,
    list_terms,
    share_term,
)
from surveys.estimation.weighting.design_based import estimate_weighted
from surveys.estimation.weighting.means import MeanTerm, grid_term
from surveys.estimation.weighting.raking import Margin, rake
from surveys.privacy.designs import crosswise, direct, forced_response
from tests.estimation.weighting.reference import DRAWN, FIGURES, ONES, ROWS, WEIGHTS

COINS, CARDS = forced_response(), crosswise("4/5")
ARM, GROUP = ROWS["arm"], ROWS["group"]
NOT_HERE = 255


def _in(member: np.ndarray, reports: np.ndarray = ROWS["coin"]) -> np.ndarray:
    return np.where(member, reports, NOT_HERE)


SHARES = share_term(_in(ARM == 0), COINS), share_term(_in(ARM == 1), direct())
LISTS = list_terms(_in(ARM == 0, ROWS["list"]), _in(ARM == 1, ROWS["list"]), (direct(4), direct(5)))
ANCHORED, ATTENTIVE = anchor_terms(ROWS["y"], ROWS["anchor"], CARDS, CARDS)
DIFFERENCE = 1.0, -1.0


def _of_r(terms: Sequence[MeanTerm], coefficients: Sequence[float] = DIFFERENCE) -> WeightedContrast:
    return estimate_weighted_contrast(terms, coefficients, ONES, WEIGHTS, **DRAWN)


@pytest.mark.parametrize(
    ("name", "terms", "coefficients"),
    [
        ("arms", SHARES, DIFFERENCE),
        ("groups", [share_term(_in((ARM == 0) & (group == GROUP)), COINS) for group in (0, 1)], DIFFERENCE),
        (
            "twice",
            [
                share_term(_in((arm == ARM) & (group == GROUP)), (COINS, direct())[arm])
                for group in (0, 1)
                for arm in (0, 1)
            ],
            (1, -1, -1, 1),
        ),
        ("list", LISTS, DIFFERENCE),
        ("anchored", [ANCHORED], [1]),
        ("attentive", [ATTENTIVE], [1]),
    ],
)
def test_points_and_errors_are_those_of_r(name: str, terms: Sequence[MeanTerm], coefficients: Sequence[float]) -> None:
    contrast = _of_r(terms, coefficients)
    assert (contrast.point, contrast.standard_error) == pytest.approx(FIGURES[name], rel=1e-11)
    assert contrast.degrees_of_freedom == 14
    # The twin: as if respondents had been drawn one by one.
    alone = estimate_weighted_contrast(terms, coefficients, ONES, WEIGHTS)
    assert alone.standard_error != pytest.approx(FIGURES[name][1], rel=1e-3)


@pytest.mark.parametrize(("name", "terms"), [("raked.arms", SHARES), ("raked.list", LISTS)])
def test_arms_that_were_each_raked_have_the_errors_of_r(name: str, terms: Sequence[MeanTerm]) -> None:
    margin = Margin("sex in each arm", 2 * ARM + ROWS["sex"], np.array([80.0, 120.0, 80.0, 120.0]))
    raked = rake(ONES, [margin], WEIGHTS).weights
    contrast = estimate_weighted_contrast(terms, DIFFERENCE, ONES, raked, margins=[margin], **DRAWN)
    assert (contrast.point, contrast.standard_error) == pytest.approx(FIGURES[name], rel=1e-10)


def test_a_share_alone_is_the_weighted_estimate() -> None:
    contrast = _of_r([SHARES[0]], [1])
    estimate = estimate_weighted(SHARES[0].reports, ONES, COINS, WEIGHTS, **DRAWN)
    assert contrast.point == pytest.approx(estimate.point[1])
    assert contrast.standard_error**2 == pytest.approx(estimate.covariance[1, 1])
    interval = estimate.interval()
    assert (contrast.interval().low, contrast.interval().high) == pytest.approx((interval.low[1], interval.high[1]))


def test_rows_may_stand_for_many() -> None:
    terms = [share_term([0, 1, 255, 255], COINS), share_term([255, 255, 0, 1], direct())]
    counts, weights = [30, 20, 80, 20], [1.0, 2.0, 1.0, 3.0]
    together = estimate_weighted_contrast(terms, DIFFERENCE, counts, weights)
    each = [
        share_term(np.repeat(term.reports, counts), design)
        for term, design in zip(terms, (COINS, direct()), strict=True)
    ]
    apart = estimate_weighted_contrast(each, DIFFERENCE, np.ones(150, dtype=int), np.repeat(weights, counts))
    assert (together.point, together.standard_error) == pytest.approx((apart.point, apart.standard_error))


def test_without_weights_they_are_the_unweighted_differences() -> None:
    reports = np.array([0, 1, 255, 255]), np.array([255, 255, 0, 1])
    counts = [260, 240, 310, 190]
    contrast = estimate_weighted_contrast([share_term(each, COINS) for each in reports], DIFFERENCE, counts)
    plain = difference_of(estimate_prevalence(counts[:2], COINS), estimate_prevalence(counts[2:], COINS), 1)
    assert contrast.point == pytest.approx(plain.point)
    # n/(n−1) is that of all, and not that of each arm.
    assert contrast.standard_error == pytest.approx(plain.standard_error, rel=2e-3)
    assert contrast.p_value() == pytest.approx(plain.p_value, abs=2e-3)
    ours, theirs = contrast.interval(), plain.interval(method="agresti_coull")
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=2e-3)


def test_without_weights_a_list_has_the_difference_in_means() -> None:
    control, treatment = [80, 132, 222, 66], [60, 123, 200, 90, 34]
    rows = np.repeat([0, 1, 2, 3, 0, 1, 2, 3, 4], 1)
    terms = list_terms(
        np.where(np.arange(9) < 4, rows, NOT_HERE), np.where(np.arange(9) < 4, NOT_HERE, rows), (direct(4), direct(5))
    )
    contrast = estimate_weighted_contrast(terms, DIFFERENCE, control + treatment, between=(0, 1))
    plain = estimate_list(control, treatment)
    assert contrast.point == pytest.approx(plain.point)
    assert contrast.standard_error == pytest.approx(plain.standard_error, rel=2e-3)
    assert (contrast.low, contrast.high) == (0, 1)
    low, high = plain.difference.limits(0.95)
    assert (contrast.interval().low, contrast.interval().high) == pytest.approx((max(low, 0), high), abs=0.01)


def test_without_weights_an_anchor_corrects_as_it_does() -> None:
    table = [[148, 425], [311, 1116]]
    terms = anchor_terms([0, 0, 1, 1], [0, 1, 0, 1], crosswise("3/20"), crosswise("3/20"))
    plain = estimate_anchored(table, crosswise("3/20"), crosswise("3/20"))
    for term, expected in zip(terms, (plain.prevalence, plain.attentive), strict=True):
        contrast = estimate_weighted_contrast([term], [1], np.ravel(table))
        assert contrast.point == pytest.approx(expected.point)
        assert contrast.standard_error == pytest.approx(expected.standard_error, rel=1e-9)
        ours, theirs = contrast.interval(), expected.interval()
        assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=0.01)


def test_what_two_arms_have_in_common_is_taken_out_of_their_difference() -> None:
    # The same reports in both arms of each cluster: the difference is 0 in all of them.
    clusters, first = np.repeat(np.arange(6), 4), np.tile([True, True, False, False], 6)
    reports = np.array([[0, 0] * 2, [0, 1] * 2, [1, 1] * 2, [1, 1] * 2, [1, 0] * 2, [0, 0] * 2]).ravel()
    terms = [
        share_term(np.where(first, reports, NOT_HERE), COINS),
        share_term(np.where(first, NOT_HERE, reports), COINS),
    ]
    shared = estimate_weighted_contrast(terms, DIFFERENCE, np.ones(24, dtype=int), clusters=clusters)
    assert shared.point == 0
    assert shared.standard_error == pytest.approx(0, abs=1e-12)
    assert math.isnan(shared.p_value()) or shared.p_value() > 0.99
    assert shared.interval().high == pytest.approx(0, abs=1e-6)
    apart = estimate_weighted_contrast(terms, DIFFERENCE, np.ones(24, dtype=int))
    assert apart.interval().high > 0.5


def test_a_quotient_of_nobody_has_no_limits() -> None:
    # The anchor's reports look as if fewer than nobody were attentive.
    corrected, attentive = anchor_terms([0, 1, 1, 0], [0, 1, 1, 1], CARDS, CARDS)
    contrast = estimate_weighted_contrast([corrected, attentive], DIFFERENCE, [10, 40, 30, 20])
    assert math.isnan(contrast.point)
    assert math.isnan(contrast.standard_error)
    assert math.isnan(contrast.p_value())
    assert (contrast.interval().low, contrast.interval().high) == (-1, 1)
    alone = estimate_weighted_contrast([corrected], [1], [10, 40, 30, 20]).interval()
    assert (alone.low, alone.high, alone.outside) == (0, 1, False)


def test_wald_limits_are_t_errors_and_are_cut() -> None:
    contrast = _of_r(LISTS)
    wald = contrast.interval(0.95, "wald")
    # qt(.975, 14) of R.
    half = 2.144786687916928 * contrast.standard_error
    assert (wald.low, wald.high) == pytest.approx((contrast.point - half, contrast.point + half))
    assert contrast.interval().method == "mover"
    narrow = estimate_weighted_contrast(LISTS, DIFFERENCE, ONES, WEIGHTS, between=(0.9, 1), **DRAWN)
    assert narrow.interval(0.8).outside
    # 2·pt(−x, 14) of R for x of the two figures.
    assert contrast.p_value() == pytest.approx(0.01438, abs=5e-5)


def test_a_mean_through_a_window_is_a_term_too() -> None:
    with pytest.raises(ValueError, match="grid"):
        grid_term([0], "no grid")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("wrong", "names"),
    [
        (lambda: _of_r(SHARES, [1]), "coefficients"),
        (lambda: _of_r(SHARES, [1, 0]), "coefficients"),
        (lambda: _of_r([], []), "coefficients"),
        (lambda: estimate_weighted_contrast(SHARES, DIFFERENCE, ONES, between=(1, 0)), "between"),
        (lambda: _of_r(SHARES).interval(method="wilson"), "method"),
        (lambda: share_term([0], COINS, 2), "option"),
        (lambda: MeanTerm([0], np.array([1.0]), 0, 1), "stands_for"),
        (lambda: MeanTerm([0], np.array([[np.nan, 1.0]]), 0, 1), "stands_for"),
        (lambda: MeanTerm([0], np.array([[1.0, 1.0]]), 1, 1), "low"),
        (lambda: anchor_terms([0, 2], [0, 1], CARDS, CARDS), "reports"),
        (lambda: anchor_terms([0, 1], [0], CARDS, CARDS), "anchor_reports"),
        (lambda: list_terms([0], [0], (direct(3), direct(5))), "designs"),
        (lambda: _of_r([share_term(np.full(len(ONES), 255), COINS)], [1]), "at least one answer"),
    ],
)
def test_what_is_wrong_is_named(wrong: object, names: str) -> None:
    with pytest.raises(ValueError, match=names):
        wrong()  # type: ignore[operator]
