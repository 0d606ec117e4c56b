"""A prevalence corrected by an anchor question. Statistical tests have a fixed seed."""

import math

import numpy as np
import pytest
import scipy
from scipy import stats

from surveys.estimation.adherence.anchor import AnchoredEstimate, estimate_anchored, estimate_anchored_weighted
from surveys.estimation.prevalence import estimate_prevalence
from surveys.privacy.designs import crosswise, forced_response
from surveys.privacy.designs.plain import direct

# The data set `cmdata` of the R package cWise (0.0.0.9000), and what its function bc.est prints in its README:
# 2,000 respondents, both questions with p = .15, some with the weight 1.25 and the others 5.
TABLE = [[148, 425], [311, 1116]]
LIGHT, HEAVY = [[116, 338], [252, 871]], [[32, 87], [59, 245]]
P = crosswise("3/20")


def rows(table: list[list[int]]) -> tuple[list[int], list[int]]:
    pairs = [(y, anchor) for y in (0, 1) for anchor in (0, 1) for _ in range(table[y][anchor])]
    return [y for y, _ in pairs], [anchor for _, anchor in pairs]


def weighted() -> AnchoredEstimate:
    (y, anchor), (more, others) = rows(LIGHT), rows(HEAVY)
    weights = [1.25] * len(y) + [5.0] * len(more)
    return estimate_anchored_weighted(y + more, anchor + others, P, P, weights=weights)


def test_the_estimates_are_those_that_cwise_prints() -> None:
    estimate = estimate_anchored(TABLE, P, P)
    assert estimate.prevalence.point == pytest.approx(0.1053604, abs=5e-8)
    assert estimate.attentive.point == pytest.approx(0.7728571, abs=5e-8)
    # Its standard error .0208 and interval (.0649, .1394) are of 200 draws: the one is known to 5%, the others to 5% of
    # the width.
    assert estimate.prevalence.standard_error == pytest.approx(0.0208, rel=0.15)
    interval = estimate.prevalence.interval(method="bootstrap")
    assert (interval.low, interval.high) == pytest.approx((0.0649, 0.1394), abs=0.012)


def test_the_weighted_estimates_are_those_that_cwise_prints() -> None:
    estimate = weighted()
    assert estimate.prevalence.point == pytest.approx(0.1097, abs=5e-5)
    assert estimate.attentive.point == pytest.approx(0.7888, abs=5e-5)
    assert estimate.prevalence.standard_error == pytest.approx(0.0250, rel=0.15)


@pytest.mark.parametrize(
    ("known", "chance", "design", "anchor_design"),
    [
        ("0", "1/2", P, crosswise("1/5")),
        ("1", "1/2", P, P),
        ("1/10", "1/3", forced_response("1/2", "1/3"), direct()),
        ("0", "0", crosswise("4/5"), forced_response("1/4", "1/3")),
    ],
)
def test_reports_in_their_exact_proportions_give_back_the_truth(
    known: str, chance: str, design: object, anchor_design: object
) -> None:
    # 10^12 respondents, 80% attentive, 30% with a Yes truth.
    def rate(given: object, prevalence: float) -> float:
        number = eval(chance)  # noqa: S307 - a fraction of this file
        return 0.8 * float(given.offset + given.slope * prevalence) + 0.2 * number

    design_rate, anchor = rate(design, 0.3), rate(anchor_design, eval(known))  # noqa: S307 - as above
    table = 1e12 * np.outer([1 - design_rate, design_rate], [1 - anchor, anchor])
    counts = [[int(cell) for cell in row] for row in table]
    estimate = estimate_anchored(counts, design, anchor_design, anchor_prevalence=known, random_share=chance)
    assert estimate.attentive.point == pytest.approx(0.8, abs=1e-9)
    assert estimate.prevalence.point == pytest.approx(0.3, abs=1e-9)


def test_with_an_anchor_that_all_attend_to_nothing_is_corrected() -> None:
    # λ′ = 1 − p′ exactly.
    estimate = estimate_anchored([[30, 170], [120, 680]], P, P)
    assert estimate.attentive.point == pytest.approx(1)
    assert estimate.prevalence.point == pytest.approx(estimate_prevalence([200, 800], P).point[1])


def test_the_likelihood_limits_are_those_of_all_tables() -> None:
    # The profile by brute force: the likeliest four cells of which π has this value.
    counts = np.array(TABLE).ravel()
    interval = estimate_anchored(TABLE, P, P).prevalence.interval(0.9)
    best = float((counts * np.log(counts / 2000)).sum())

    def held(value: float) -> float:
        def margins(cells: np.ndarray) -> float:
            same, anchor = cells[2] + cells[3], cells[1] + cells[3]
            return (same - 0.5) - (value - 0.5) * (anchor - 0.5) / 0.35 * -0.7

        optimum = scipy.optimize.minimize(
            lambda cells: -float((counts * np.log(cells)).sum()) / 2000,
            counts / 2000,
            bounds=[(1e-6, 1)] * 4,
            constraints=[{"type": "eq", "fun": margins}, {"type": "eq", "fun": lambda cells: cells.sum() - 1}],
            options={"ftol": 1e-14},
        )
        return 2 * (best + 2000 * optimum.fun)

    for limit in (interval.low, interval.high):
        assert held(limit) == pytest.approx(stats.chi2.ppf(0.9, 1), abs=1e-3)
    assert (interval.method, interval.confidence_level, interval.outside) == ("likelihood_ratio", 0.9, False)


def test_equal_weights_change_nothing_and_a_weight_of_nothing_leaves_out() -> None:
    y, anchor = rows(TABLE)
    plain = estimate_anchored(TABLE, P, P)
    same = estimate_anchored_weighted([*y, 0], [*anchor, 0], P, P, weights=[7.0] * 2000 + [0.0])
    for name in ("prevalence", "attentive"):
        one, other = getattr(plain, name), getattr(same, name)
        assert other.point == pytest.approx(one.point)
        assert other.standard_error == pytest.approx(one.standard_error)
        assert other.interval().low == pytest.approx(one.interval().low)


def test_unequal_weights_widen_the_interval() -> None:
    plain, unequal = estimate_anchored(TABLE, P, P).prevalence, weighted().prevalence
    # About by Kish's 1 + the squared coefficient of variation of the weights.
    size = np.repeat([1.25, 5.0], [1577, 423])
    kish = math.sqrt(1 + size.var() / size.mean() ** 2)
    assert unequal.standard_error / plain.standard_error == pytest.approx(kish, rel=0.05)


def test_the_bootstrap_takes_a_generator_and_repeats_itself_without() -> None:
    share = estimate_anchored(TABLE, P, P).prevalence
    assert share.interval(method="bootstrap") == share.interval(method="bootstrap")
    drawn = [
        share.interval(method="bootstrap", generator=np.random.default_rng(seed), replicates=500).low for seed in (1, 2)
    ]
    assert drawn[0] != drawn[1]
    wald = share.interval(method="wald")
    # The error of a 2.5% quantile of 500 draws is a seventh of a standard error.
    assert drawn == pytest.approx([wald.low] * 2, abs=share.standard_error)


def test_where_nobody_seems_attentive_every_prevalence_is_kept() -> None:
    # The anchor is answered "the same" by half: γ̂ = 0.
    share = estimate_anchored([[25, 25], [25, 25]], P, P).prevalence
    assert math.isnan(share.point)
    assert math.isnan(share.constrained)
    for method in ("likelihood_ratio", "bootstrap"):
        interval = share.interval(method=method)
        assert (interval.low, interval.high) == (0, 1)


def test_an_estimate_below_nothing_is_shown_and_cut() -> None:
    estimate = estimate_anchored([[2, 8], [48, 342]], P, P)
    assert estimate.prevalence.point < 0
    assert estimate.prevalence.constrained == 0
    assert estimate.prevalence.interval(method="wald").outside
    assert estimate.prevalence.interval(method="wald").high == 0


def test_one_response_has_no_standard_error() -> None:
    assert math.isnan(estimate_anchored([[0, 0], [0, 1]], P, P).prevalence.standard_error)


def test_what_tells_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^anchor_prevalence"):
        estimate_anchored(TABLE, P, P, anchor_prevalence="1/2")
    with pytest.raises(ValueError, match=r"^anchor_reports .*2"):
        estimate_anchored_weighted([0, 1], [0], P, P, weights=[1, 1])
    with pytest.raises(ValueError, match=r"^method"):
        estimate_anchored(TABLE, P, P).prevalence.interval(method="wilson")
    with pytest.raises(ValueError, match=r"^replicates"):
        estimate_anchored(TABLE, P, P).prevalence.interval(method="bootstrap", replicates=0)


# 2,000 studies of 1,000, p = 3/20 at both questions, π = .15, 75% attentive. At a true coverage of .95 one run in
# 20,000 leaves .93 to .97.
STUDIES, N, TRUTH, ATTENTIVE = 2_000, 1_000, 0.15, 0.75


def studies(*, lasting: bool, anchor_rate: float = 0.85) -> np.ndarray:
    """Tables of studies in which attention lasts for both questions, or is drawn anew at the second."""
    rng = np.random.default_rng(473)
    design_rate = 0.15 * TRUTH + 0.85 * (1 - TRUTH)
    both = np.outer([1 - design_rate, design_rate], [1 - anchor_rate, anchor_rate])
    half = np.full(2, 0.5)
    cells = ATTENTIVE * both + (1 - ATTENTIVE) * 0.25
    if not lasting:
        margins = (ATTENTIVE * np.array(one) + (1 - ATTENTIVE) * half for one in (both.sum(axis=1), both.sum(axis=0)))
        cells = np.outer(*margins)
    return rng.multinomial(N, cells.ravel(), size=STUDIES).reshape(-1, 2, 2)


def coverage(tables: np.ndarray, method: str) -> tuple[float, float]:
    held = []
    for table in tables:
        estimate = estimate_anchored(table, P, P)
        intervals = estimate.prevalence.interval(method=method), estimate.attentive.interval(method=method)
        held.append([one.low <= truth <= one.high for one, truth in zip(intervals, (TRUTH, ATTENTIVE), strict=True)])
    prevalence, attentive = np.mean(held, axis=0)
    return float(prevalence), float(attentive)


@pytest.mark.studies
@pytest.mark.parametrize("lasting", [True, False])
@pytest.mark.parametrize("method", ["likelihood_ratio", "bootstrap", "wald"])
def test_intervals_hold_what_they_say_whether_attention_lasts_or_not(method: str, *, lasting: bool) -> None:
    for covered in coverage(studies(lasting=lasting), method):
        assert 0.93 < covered < 0.97


@pytest.mark.studies
def test_weighted_intervals_hold_what_they_say() -> None:
    # One respondent in four stands for four times as many, and has a Yes truth twice as often.
    rng, held = np.random.default_rng(474), []
    for _ in range(STUDIES):
        heavy = rng.random(N) < 0.25
        yes = rng.random(N) < np.where(heavy, 0.3, 0.15)
        attentive = rng.random(N) < ATTENTIVE
        reports = [
            np.where(attentive, rng.random(N) < rate, rng.random(N) < 0.5)
            for rate in (np.where(yes, 0.15, 0.85), np.full(N, 0.85))
        ]
        weights = np.where(heavy, 4.0, 1.0)
        interval = estimate_anchored_weighted(*reports, P, P, weights=weights).prevalence.interval()
        truth = (0.25 * 4 * 0.3 + 0.75 * 0.15) / (0.25 * 4 + 0.75)
        held.append(interval.low <= truth <= interval.high)
    assert 0.93 < np.mean(held) < 0.97


@pytest.mark.studies
def test_without_the_correction_or_with_a_wrong_anchor_the_coverage_falls() -> None:
    tables = studies(lasting=True)
    plain = [estimate_prevalence(table.sum(axis=1), P).interval() for table in tables]
    assert np.mean([one.low[1] <= TRUTH <= one.high[1] for one in plain]) < 0.2
    # One in ten has what the anchor asks, and it is taken for nobody.
    wrong = studies(lasting=True, anchor_rate=0.15 * 0.1 + 0.85 * 0.9)
    assert coverage(wrong, "likelihood_ratio")[0] < 0.8
