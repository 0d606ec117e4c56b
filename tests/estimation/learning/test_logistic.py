from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from scipy import optimize, stats
from scipy.special import expit

from surveys.estimation.learning import climbing, likelihood, logistic
from surveys.estimation.learning.climbing import climb_tables
from surveys.estimation.learning.likelihood import noisy_counts
from surveys.estimation.learning.logistic import (
    ReleasedLogisticFit,
    expect_logistic_precision,
    fit_released_logistic,
    truth_model,
)
from surveys.estimation.learning.table import ReleasedTable
from surveys.estimation.released.noise import CountNoise
from surveys.privacy.designs import Design, direct, forced_response, k_ary, kuk, warner
from surveys.privacy.mechanisms.gaussian import DiscreteGaussian
from tests.estimation.learning.released_data import MUCH, NO_NOISE, Population, laplace
from tests.estimation.learning.test_likelihood import written_out
from tests.estimation.regression.data import Floats
from tests.estimation.regression.latent_data import survey

COINS, MILD = forced_response(), warner("9/10")
PAIR = Population((MILD, MILD), (-0.5, 1.0), (0.6, 0.4), (2,))


def counted(columns: list[Floats], shape: tuple[int, ...]) -> Floats:
    counts = np.zeros(shape, dtype=np.int64)
    np.add.at(counts, tuple(columns), 1)
    return counts


@pytest.mark.parametrize(("seed", "n", "answers"), [(5, 2000, (2, 3)), (7, 4000, (2, 2, 2))])
def test_without_noise_it_is_the_fit_to_the_reports_themselves(seed: int, n: int, answers: tuple[int, ...]) -> None:
    asked = survey(seed, n, answers)
    counts = counted([asked.y, *asked.predictors], (2, *answers))
    fit, expected = (
        fit_released_logistic(ReleasedTable(counts, n, (asked.design, *asked.designs), NO_NOISE)),
        asked.fit(),
    )
    assert fit.converged
    assert fit.exact
    assert fit.n == n
    assert fit.coefficients == pytest.approx(expected.coefficients, abs=1e-6)
    assert fit.standard_errors() == pytest.approx(expected.standard_errors("expected"), rel=1e-6)
    assert fit.truths == pytest.approx(expected.truths[0], abs=1e-6)
    assert fit.precision.released == pytest.approx(fit.precision.without_noise, rel=1e-6)


def test_without_noise_a_plain_group_is_a_known_predictor() -> None:
    asked = survey(6, 3000, (2, 2), groups=3)
    group = (asked.x @ [1, 2]).astype(np.int64)
    counts = counted([asked.y, *asked.predictors, group], (2, 2, 2, 3))
    designs = (asked.design, *asked.designs, None)
    fit = fit_released_logistic(ReleasedTable(counts, 3000, designs, NO_NOISE)).coefficients
    expected = asked.fit().coefficients
    assert fit[[0, 3, 4, 1, 2]] == pytest.approx(expected, abs=1e-6)


def test_it_is_the_maximum_of_the_likelihood_written_out() -> None:
    noise, counts = laplace(2), np.array([[9, 3], [2, 7]])
    fit = fit_released_logistic(ReleasedTable(counts, 20, (direct(), MILD), noise))
    matrix = np.kron(np.eye(2), np.array(MILD.matrix, dtype=float))
    start = written_out(counts.ravel(), matrix @ fit.fitted.ravel(), 20, noise)

    def height(place: Floats) -> float:
        # The model of two answers and two is any joint distribution.
        truths = np.exp(np.append(place, 0.0))
        return written_out(counts.ravel(), matrix @ (truths / truths.sum()), 20, noise)

    logits = np.log(fit.fitted.ravel()[:3] / fit.fitted.ravel()[3])
    best = optimize.minimize(lambda place: -height(place), logits, method="Nelder-Mead", options={"maxfev": 25})
    assert height(logits) == pytest.approx(start, abs=1e-10)
    assert -best.fun <= start + 1e-9
    assert fit.log_likelihood == pytest.approx(start + stats.poisson.logpmf(20, 20), abs=1e-9)


def test_refitting_the_published_numbers_gives_the_same_to_the_last_bit() -> None:
    one, other = (
        fit_released_logistic(ReleasedTable([[40, 10], [15, 18]], 90, (MILD, MILD), laplace(1))) for _ in range(2)
    )
    assert one.coefficients.tolist() == other.coefficients.tolist()
    for method in ("wald", "bootstrap"):
        first, second = one.interval(method=method), other.interval(method=method)
        assert first.low.tolist() == second.low.tolist()
        assert first.high.tolist() == second.high.tolist()


ROUNDS = 120
TOO_FEW = stats.binom.ppf(1e-6, ROUNDS, 0.95)
"""Fewer intervals than this hold the truth once in a million, if each does with 95%."""


@cache
def fits(n: int, noise: CountNoise, design: Design = MILD) -> list[ReleasedLogisticFit]:
    """Fits to simulated releases, reading their reports by some design."""
    return [fit_released_logistic(table) for table in PAIR.tables(n, noise, ROUNDS, seed=11, designs=(design, design))]


def hits(fits: list[ReleasedLogisticFit], kind: str = "released") -> int:
    """How often estimate ± 1.96 of such standard errors holds the last coefficient."""
    away = [abs(fit.coefficients[-1] - PAIR.coefficients[-1]) / getattr(fit.precision, kind)[-1] for fit in fits]
    return int((np.array(away) <= stats.norm.ppf(0.975)).sum())


@pytest.mark.slow
def test_intervals_cover_and_the_estimate_is_about_right() -> None:
    fitted = fits(1000, MUCH)
    assert all(fit.regular for fit in fitted)
    assert hits(fitted) >= TOO_FEW
    assert hits(fitted) == sum(bool(fit.interval().low[-1] <= 1.0 <= fit.interval().high[-1]) for fit in fitted)
    errors = np.array([(fit.coefficients - PAIR.coefficients) / fit.standard_errors() for fit in fitted])
    # A bias of a tenth of a standard error is small beside 4.9 standard errors of the mean.
    assert np.abs(errors.mean(axis=0)).max() < 0.1 + 4.9 / np.sqrt(ROUNDS)


def test_ignoring_the_noise_would_cover_too_little() -> None:
    # The planted fault: standard errors as if the counts were exact.
    assert hits(fits(1000, MUCH), "without_noise") < TOO_FEW


@pytest.mark.parametrize("design", [direct(), warner("19/20")], ids=["truths", "half the chance"])
@pytest.mark.slow
def test_ignoring_the_design_would_cover_too_little(design: Design) -> None:
    # The planted faults: reports taken for truths, and a design with too little chance.
    assert hits(fits(4000, laplace(4))) >= TOO_FEW
    assert hits(fits(4000, laplace(4), design)) < TOO_FEW


def test_precision_names_what_chance_and_noise_cost() -> None:
    [table] = PAIR.tables(2000, laplace("1/4"), 1, seed=2)
    precision = fit_released_logistic(table).precision
    assert (precision.released > 1.1 * precision.without_noise).all()
    assert (precision.without_noise > precision.direct).all()
    assert precision.half_widths(0.9) == pytest.approx(1.6448536 * precision.released)


def test_expected_widths_need_no_data() -> None:
    designs, noise = (COINS, k_ary(3, "3/4"), None), DiscreteGaussian(Fraction(36))
    population = Population(designs, (-0.5, 0.8, -0.4, 0.6), (0.2, 0.2, 0.2, 0.15, 0.1, 0.15), (3, 2))
    expected = expect_logistic_precision(population.truths, n=4000, designs=designs, noise=noise)
    assert expected.coefficients == pytest.approx(population.coefficients, abs=1e-9)
    errors = np.array(
        [fit_released_logistic(table).coefficients for table in population.tables(4000, noise, 60, seed=8)]
    )
    # A standard deviation of 60 is known to 9%; five times that.
    assert errors.std(axis=0, ddof=1) == pytest.approx(expected.released, rel=0.45)
    # Logistic regression of direct answers has the textbook's covariance.
    rows, joint = population.rows, population.truths.reshape(2, -1)
    spread = 4000 * joint[0] * joint[1] / joint.sum(axis=0)
    textbook = np.linalg.inv((rows * spread[:, np.newaxis]).T @ rows)
    assert expected.direct == pytest.approx(np.sqrt(np.diagonal(textbook)), rel=1e-6)


def test_expected_widths_of_some_items_are_those_of_their_marginal() -> None:
    truths = np.full((2, 2, 3), 1 / 12)
    designs, noise = (COINS, MILD, k_ary(3, "1/2")), laplace(1)
    precision = expect_logistic_precision(truths, n=1000, designs=designs, noise=noise, outcome=1, predictors=[2])
    assert precision.released.shape == (3,)
    exact = expect_logistic_precision(np.full((2, 3), 1 / 6), n=1000, designs=designs[1:], noise=noise)
    assert precision.without_noise == pytest.approx(exact.without_noise)
    assert (precision.released > exact.released).all()


@pytest.mark.parametrize(
    "truths", [[[0.5, 0.0], [0.0, 0.5]], [[0.5, 0.0], [0.5, 0.0]]], ids=["certain outcome", "nobody"]
)
def test_truths_without_an_odds_ratio_are_refused(truths: list[list[float]]) -> None:
    with pytest.raises(ValueError, match=r"^truths"):
        expect_logistic_precision(truths, n=1000, designs=(COINS, COINS), noise=laplace(1))


def test_where_nothing_is_known_the_interval_is_the_whole_line() -> None:
    # Sixty answers under fair coins.
    fit = fit_released_logistic(ReleasedTable([[16, 15], [14, 17]], 60, (COINS, COINS), laplace("1/4")))
    limits = fit.interval()
    assert not fit.regular
    assert limits.method == "bootstrap"
    assert fit.interval().undetermined.tolist()[1]
    assert (limits.low[1], limits.high[1]) == (-np.inf, np.inf)
    # A clear effect is determined.
    [clear] = PAIR.tables(4000, laplace(1), 1, seed=4)
    assert not fit_released_logistic(clear).interval().undetermined.any()


def test_an_answer_that_nobody_seems_to_have_has_no_coefficient() -> None:
    # Fewer reports of code 2 than chance alone sends.
    counts = [[260, 120, 60], [130, 250, 60]]
    fit = fit_released_logistic(ReleasedTable(counts, 880, (MILD, k_ary(3, "1/2")), NO_NOISE))
    assert fit.truths[2] == 0
    assert np.isnan(fit.coefficients[2])
    assert np.isfinite(fit.coefficients[:2]).all()
    assert np.isinf(fit.standard_errors()[2])
    assert not fit.regular
    assert fit.interval().undetermined.tolist() == [False, False, True]
    wald = fit.interval(method="wald")
    assert (wald.low[2], wald.high[2]) == (-np.inf, np.inf)
    assert np.isinf([fit.precision.released[2], fit.precision.direct[2]]).all()


def test_the_bootstrap_is_about_walds_interval_where_both_serve() -> None:
    [table] = PAIR.tables(4000, laplace(1), 1, seed=4)
    fit = fit_released_logistic(table)
    wald, bootstrap = fit.interval(), fit.interval(method="bootstrap")
    assert (wald.method, wald.confidence_level) == ("wald", 0.95)
    assert bootstrap.low == pytest.approx(wald.low, abs=0.08)
    assert bootstrap.high == pytest.approx(wald.high, abs=0.08)
    assert (fit.interval(0.5, "bootstrap").high < bootstrap.high).all()
    # The largest of 399 replicates is no limit of a tail of one in a thousand.
    assert np.isfinite(fit.interval(0.995, "bootstrap").high).all()
    for silent in (fit.interval(0.998, "bootstrap"), replace(fit, converged=False).interval(0.9, "bootstrap")):
        assert np.isneginf(silent.low).all()
        assert np.isposinf(silent.high).all()


@pytest.mark.parametrize("rough", [1.0, 0.0])
def test_the_shares_of_an_answer_are_those_of_the_constant_once_it_is_the_first(
    rough: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    [table] = PAIR.tables(4000, laplace(1), 1, seed=4)
    monkeypatch.setattr(logistic, "ROUGH", rough)
    fit, other = (fit_released_logistic(each) for each in (table, replace(table, counts=table.counts[:, ::-1])))
    shares, mirrored, limits = fit.shares(), other.shares(), fit.interval()
    assert limits.method == ("wald" if rough else "bootstrap")
    assert shares[0].tolist() == pytest.approx(expit([fit.coefficients[0], limits.low[0], limits.high[0]]).tolist())
    assert shares[::-1] == pytest.approx(mirrored, abs=1e-5 if rough else 0.03)
    assert (shares[:, 1] < shares[:, 0]).all()
    assert (shares[:, 0] < shares[:, 2]).all()
    # Both coefficients' own limits together would be wider.
    assert np.ptp(shares[1, 1:]) < np.ptp(expit([limits.low.sum(), limits.high.sum()]))


def test_of_an_answer_that_nobody_seems_to_have_no_share_is_known() -> None:
    fit = fit_released_logistic(ReleasedTable([[260, 120, 60], [130, 250, 60]], 880, (MILD, k_ary(3, "1/2")), NO_NOISE))
    known = fit.shares()
    assert np.isnan(known[2, 0])
    assert known[2, 1:].tolist() == [0, 1]
    assert np.ptp(known[1, 1:]) < 1


def test_a_design_with_more_reports_than_truths_can_be_read() -> None:
    population = Population((kuk("4/5", "1/5", 2), MILD), (-0.5, 1.0), (0.5, 0.5), (2,))
    [table] = population.tables(20_000, laplace(1), 1, seed=6)
    fit = fit_released_logistic(table)
    assert table.counts.shape == (3, 2)
    assert fit.coefficients == pytest.approx(population.coefficients, abs=4.9 * fit.standard_errors().max())


def test_large_tables_are_fitted_with_a_normal_sum(monkeypatch: pytest.MonkeyPatch) -> None:
    [table] = PAIR.tables(2000, laplace(1), 1, seed=4)
    exact = fit_released_logistic(table)
    monkeypatch.setattr(likelihood, "EXACT_UP_TO", 100)
    normal = fit_released_logistic(table)
    assert not normal.exact
    assert np.abs(normal.coefficients - exact.coefficients).max() < 0.01 * exact.standard_errors().min()


def test_noise_that_hides_everybody_leaves_the_whole_line_and_takes_no_memory() -> None:
    # Each count and its noise could come together in more than a hundred million ways.
    fit = fit_released_logistic(ReleasedTable([[400, -30_000], [90_000, 250]], 880, (MILD, MILD), laplace("1/1000000")))
    assert np.isnan(fit.coefficients).all()
    assert not fit.converged
    assert fit.interval().undetermined.all()
    assert np.isinf(fit.standard_errors()).all()
    assert fit.truths.sum() == pytest.approx(1)


def test_a_climb_that_is_cut_short_has_not_converged(monkeypatch: pytest.MonkeyPatch) -> None:
    [table] = PAIR.tables(2000, laplace("1/4"), 1, seed=4)
    monkeypatch.setattr(climbing, "MOST_STEPS", 1)
    fit = fit_released_logistic(table)
    assert not fit.converged
    assert not fit.regular


def test_a_step_that_never_rises_leaves_the_place_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    [table] = PAIR.tables(2000, laplace("1/4"), 1, seed=4)
    monkeypatch.setattr(climbing, "_LEAST_GAIN", 1e9)
    start = fit_released_logistic(table).place[np.newaxis].copy()
    counts = noisy_counts(table.counts.reshape(1, -1), table.n, table.noise)
    climbed = climb_tables(truth_model(table.channel, PAIR.rows), counts, start)
    assert climbed.places.tolist() == start.tolist()
    assert not climbed.converged.any()


@pytest.mark.parametrize(
    ("counts", "designs", "options", "message"),
    [
        (np.full((3, 2), 100), (k_ary(3, "1/2"), COINS), {}, "^outcome .*0.*3"),
        (
            np.full((2,) * 11, 5),
            (COINS,) * 11,
            {},
            "^predictors .*1024.*got 2048",
        ),
        (np.full((2, 2), 100), (COINS, COINS), {"predictors": [0]}, "^predictors"),
    ],
)
def test_what_cannot_be_fitted_is_refused(
    counts: Floats, designs: tuple[Design, ...], options: dict[str, object], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        fit_released_logistic(ReleasedTable(counts, int(counts.sum()), designs, laplace(1)), **options)


@pytest.mark.parametrize(
    ("level", "method", "message"),
    [(0.95, "profile", "^method"), (1.0, "bootstrap", "^confidence_level")],
)
def test_what_is_no_interval_is_refused(level: float, method: str, message: str) -> None:
    fit = fit_released_logistic(ReleasedTable([[40, 10], [15, 25]], 90, (MILD, MILD), laplace(1)))
    with pytest.raises(ValueError, match=message):
        fit.interval(level, method)
