from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
from scipy import optimize, special, stats

from surveys.estimation.list_experiment.arms import list_channels, plain_designs
from surveys.estimation.list_experiment.mixture import ListMixture, count_probabilities
from surveys.estimation.list_experiment.regression import ListFit, fit_list, type_likelihoods
from surveys.estimation.list_experiment.types import estimate_list
from surveys.privacy.designs import direct
from tests.estimation.list_experiment.population import COIN, SAME_COIN, ListPopulation
from tests.golden import cases

(PATTERNS,) = cases("list_experiments", "race_patterns")
RACE = np.array(PATTERNS["inputs"]["rows"])
NAMES = {"south": 2, "male": 3, "college": 4}


def race_x(names: list[str]) -> np.ndarray:
    return np.column_stack([np.ones(len(RACE)), *(RACE[:, NAMES[name]] for name in names)])


def race_fit(names: list[str], **options: object) -> ListFit:
    return fit_list(RACE[:, 1], RACE[:, 0], race_x(names), items=3, weights=RACE[:, 5], **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("case", cases("list_experiments", "ml_"), ids=lambda case: case["id"])
def test_the_maximum_and_its_standard_errors_equal_the_r_packages(case: dict) -> None:
    fit, theirs = race_fit(case["inputs"]["predictors"], by_item=case["inputs"]["by_item"]), case["outputs"]
    assert fit.converged
    # The package's EM algorithm stops early, and where the likelihood is flat it is still on its way.
    flat = case["inputs"]["by_item"]
    assert fit.log_likelihood >= theirs["log_likelihood"] - 1e-6
    assert fit.log_likelihood == pytest.approx(theirs["log_likelihood"], abs=1e-3)
    assert fit.estimates == pytest.approx(np.array(theirs["estimates"]), abs=0.2 if flat else 3e-4)
    assert fit.standard_errors() == pytest.approx(np.array(theirs["se"]), rel=0.2 if flat else 1e-3)


def log_likelihood_of(
    sent: np.ndarray, arm: np.ndarray, x: np.ndarray, z: np.ndarray, form: dict
) -> Callable[[np.ndarray], float]:
    """The log-likelihood of rows of weight 1, written with scipy's distributions one truth after the other."""
    channels = list_channels(form["designs"])
    p, q = x.shape[1], z.shape[1]

    def value(parameters: np.ndarray) -> float:
        rates = special.expit(x @ parameters[:p])
        first = special.expit(z @ parameters[p : p + q])
        second = special.expit(z @ parameters[p + q : p + 2 * q]) if form["by_item"] else first
        theta = parameters[-1] if form["dispersed"] else 0.0
        total = 0.0
        for row in range(len(sent)):
            of_row = 0.0
            for has, share, mu in ((0, 1 - rates[row], first[row]), (1, rates[row], second[row])):
                for y in range(4):
                    count = (
                        stats.betabinom.pmf(y, 3, mu / theta, (1 - mu) / theta)
                        if theta > 1e-9
                        else stats.binom.pmf(y, 3, mu)
                    )
                    of_row += share * count * channels[arm[row]].matrix[sent[row], y + has * arm[row]]
            total += float(form["weights"][row]) * np.log(of_row)
        return total

    return value


@pytest.mark.parametrize("by_item", [False, True])
@pytest.mark.parametrize("counts", ["binomial", "beta_binomial"])
def test_scores_and_informations_are_the_derivatives_of_an_independent_likelihood(by_item: bool, counts: str) -> None:
    generator = np.random.default_rng(5)
    n, dispersed = 8, counts == "beta_binomial"
    arm = np.arange(n) % 2
    sent = np.array([generator.integers(4 + code) for code in arm])
    x, z = np.column_stack([np.ones(n), generator.standard_normal(n)]), np.ones((n, 1))
    weights = generator.integers(1, 4, n).astype(float)
    model = ListMixture(type_likelihoods(sent, arm, list_channels(COIN)), x, z, weights, by_item, dispersed)
    place = np.concatenate([[-0.4, 0.7, 0.3], [0.9] if by_item else [], [0.2] if dispersed else []])
    form = {"designs": COIN, "by_item": by_item, "dispersed": dispersed, "weights": weights}
    value = log_likelihood_of(sent, arm, x, z, form)
    here = model.at(place)
    assert here.log_likelihood == pytest.approx(value(place), rel=1e-12)
    step = 1e-5 * np.eye(place.size)
    slope = [(value(place + move) - value(place - move)) / 2e-5 for move in step]
    assert here.score() == pytest.approx(np.array(slope), rel=1e-6, abs=1e-7)
    bend = [(model.at(place - move).score() - model.at(place + move).score()) / 2e-5 for move in step]
    assert here.observed() == pytest.approx(np.array(bend), rel=1e-6, abs=1e-7)
    assert (np.linalg.eigvalsh(here.definite()) > 0).all()
    assert (np.linalg.eigvalsh(here.opg()) > -1e-12).all()


def test_the_beta_binomial_is_scipys_and_reaches_below_the_binomial() -> None:
    mu = np.array([[0.3, 0.6]])
    for theta in (0.0, 0.25, 2.0):
        counts, _, possible = count_probabilities(4, mu, 1 - mu, theta)
        for z in range(2):
            law = stats.betabinom(4, mu[0, z] / theta, (1 - mu[0, z]) / theta) if theta else stats.binom(4, mu[0, z])
            assert counts[0, z] == pytest.approx(law.pmf(np.arange(5)))
        assert possible
    below, _, possible = count_probabilities(4, mu, 1 - mu, -0.05)
    assert possible
    assert below.sum(axis=2) == pytest.approx(1.0)
    variance = below[0] @ np.arange(5) ** 2 - (below[0] @ np.arange(5)) ** 2
    # J·μ(1−μ)(1 + (J−1)·ρ), ρ = θ/(1 + θ).
    assert variance == pytest.approx(4 * mu[0] * (1 - mu[0]) * (1 - 3 * 0.05 / 0.95))
    assert not count_probabilities(4, mu, 1 - mu, -0.2)[2]


def test_no_start_of_an_independent_optimiser_leads_higher() -> None:
    fit = race_fit(["south"], counts="beta_binomial")
    form = {"designs": plain_designs(3), "by_item": False, "dispersed": True, "weights": RACE[:, 5]}
    assert fit.converged
    model = ListMixture(
        type_likelihoods(RACE[:, 1], RACE[:, 0], list_channels(form["designs"])),
        race_x(["south"]),
        race_x(["south"]),
        RACE[:, 5].astype(float),
        by_item=False,
        dispersed=True,
    )
    best = max(
        -optimize.minimize(
            lambda place: -model.at(place).log_likelihood,
            start,
            method="Nelder-Mead",
            options={"maxiter": 3000, "maxfev": 3000, "xatol": 1e-7, "fatol": 1e-9},
        ).fun
        for start in ([0.0, 0, 0, 0, 0.1], [-2.0, 1, 1, 0, 0.3])
    )
    assert fit.log_likelihood >= best - 1e-6
    assert fit.log_likelihood == pytest.approx(best, abs=1e-3)


def draw_rows(designs: tuple, n: int = 4000) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Reports, arms and weights of a population whose counts are binomial, as expected."""
    types = np.outer([0.7, 0.3], stats.binom.pmf(np.arange(4), 3, 0.6))
    parts = ListPopulation(types).reported(designs)
    sent = np.concatenate([np.arange(part.size) for part in parts])
    return sent, np.repeat([0, 1], [part.size for part in parts]), n * np.concatenate(parts)


@pytest.mark.parametrize("designs", [plain_designs(3), COIN, SAME_COIN])
def test_expected_reports_give_back_the_prevalence_whatever_the_coin(designs: tuple) -> None:
    sent, arm, weights = draw_rows(designs)
    kept = weights > 0
    fit = fit_list(sent[kept], arm[kept], np.ones((kept.sum(), 1)), designs=designs, weights=weights[kept])
    assert fit.prevalence == pytest.approx(0.3, abs=1e-6)
    assert special.expit(fit.count_coefficients) == pytest.approx(np.array([[0.6]]), abs=1e-6)
    assert fit.prevalence_error() == pytest.approx(0.3 * 0.7 * fit.standard_errors()[0], rel=1e-5)
    interval, limits = fit.prevalence_interval(), fit.interval()
    assert (interval.low, interval.high) == pytest.approx((special.expit(limits.low[0]), special.expit(limits.high[0])))
    assert fit.dispersion == 0
    assert not fit.separated


def test_a_coin_costs_precision_and_the_model_wins_some_over_the_difference() -> None:
    plain, coin = (draw_rows(designs) for designs in (plain_designs(3), COIN))
    errors = [
        fit_list(sent, arm, np.ones((sent.size, 1)), designs=designs, weights=weights).prevalence_error()
        for (sent, arm, weights), designs in ((plain, plain_designs(3)), (coin, COIN))
    ]
    counts = [np.rint(plain[2][plain[1] == code]).astype(int) for code in (0, 1)]
    assert errors[0] < estimate_list(*counts).standard_error
    assert errors[0] < errors[1]


def test_a_likelihood_ratio_test_compares_with_the_fit_without_the_column() -> None:
    fit = race_fit(["south"])
    test = fit.likelihood_ratio_test(1)
    nested = fit_list(RACE[:, 1], RACE[:, 0], race_x([]), count_X=race_x(["south"]), items=3, weights=RACE[:, 5])
    assert nested.estimates.size == 3
    assert test.statistic == pytest.approx(2 * (fit.log_likelihood - nested.log_likelihood), abs=1e-8)
    assert (test.degrees_of_freedom, test.p_value < 0.05) == (1, True)
    with pytest.raises(ValueError, match="leave one predictor"):
        fit.likelihood_ratio_test([0, 1])


def test_reports_that_are_told_together_are_as_probable_as_all_of_them() -> None:
    classes = ([0, 1, 2, 0], [0, 1, 2, 0, 1])
    counts = np.array([257, 334, 409, 303, 311, 386])
    fit = fit_list([0, 1, 2] * 2, [0] * 3 + [1] * 3, np.ones((6, 1)), items=3, weights=counts, together=classes)

    def height(parameters: np.ndarray) -> float:
        share, mu = special.expit(parameters)
        innocuous = stats.binom.pmf(np.arange(-1, 5), 3, mu)
        parts = innocuous[1:5], (1 - share) * innocuous[1:] + share * innocuous[:5]
        grouped = [np.bincount(groups, part) for groups, part in zip(classes, parts, strict=True)]
        return float(counts @ np.log(np.concatenate(grouped)))

    best = max(
        (optimize.minimize(lambda place: -height(place), start) for start in ((-1, 0), (1, 0.5))),
        key=lambda optimum: -optimum.fun,
    )
    assert fit.log_likelihood == pytest.approx(-best.fun, abs=1e-7)
    assert fit.estimates == pytest.approx(best.x, abs=1e-3)
    alone = race_fit(["south"], together=(range(4), range(5)))
    assert alone.estimates == pytest.approx(race_fit(["south"]).estimates)


def test_rows_of_weight_3_are_three_rows_and_of_weight_0_none() -> None:
    sent, arm = np.array([0, 1, 1, 2, 0, 1, 2, 3, 1]), np.array([0, 0, 0, 0, 1, 1, 1, 1, 1])
    weights = np.array([3, 5, 2, 4, 1, 4, 4, 2, 0])
    fit = partial(fit_list, items=2)
    one = fit(sent, arm, np.ones((9, 1)), weights=weights)
    many = fit(np.repeat(sent, weights), np.repeat(arm, weights), np.ones((weights.sum(), 1)))
    assert one.estimates == pytest.approx(many.estimates, abs=1e-7)
    assert one.standard_errors() == pytest.approx(many.standard_errors(), rel=1e-6)
    assert one.fitted.size == 9


def test_of_many_rows_some_tell_where_the_maximum_is_and_all_where_exactly() -> None:
    weights = np.array([120, 480, 560, 240, 60, 440, 560, 400, 140])
    sent, arm = np.concatenate([np.arange(4), np.arange(5)]), np.repeat([0, 1], [4, 5])
    few = fit_list(sent, arm, np.ones((9, 1)), items=3, weights=weights)
    many = fit_list(np.repeat(sent, weights), np.repeat(arm, weights), np.ones((weights.sum(), 1)), items=3)
    assert many.estimates == pytest.approx(few.estimates, abs=1e-7)


def test_where_everybody_has_the_item_there_are_no_standard_errors() -> None:
    fit = fit_list([0, 1, 2, 1, 2, 3], [0, 0, 0, 1, 1, 1], np.ones((6, 1)), items=2, weights=[30, 60, 30, 30, 60, 30])
    assert fit.separated
    assert not fit.converged
    assert np.isnan(fit.standard_errors()).all()
    assert fit.prevalence > 0.99
    assert np.isnan(fit.prevalence_interval().high)
    both = fit_list(
        [0, 1, 2, 1, 2, 3],
        [0, 0, 0, 1, 1, 1],
        np.ones((6, 1)),
        items=2,
        weights=[30, 60, 30, 30, 60, 30],
        counts="beta_binomial",
    )
    assert not both.converged


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"items": None}, "items and designs"),
        ({"designs": COIN}, "items and designs"),
        ({"items": 0}, "^items"),
        ({"counts": "poisson"}, "^counts"),
        ({"items": 1, "reports": [0, 1, 1, 2], "counts": "beta_binomial"}, "single innocuous item"),
        ({"treated": [0, 0, 1, 2]}, "^treated"),
        ({"treated": [0, 0, 1]}, "^treated .*4"),
        ({"treated": [0, 0, 0, 0]}, "nobody .*treatment arm"),
        ({"weights": [0, 0, 1, 1]}, "nobody .*control arm"),
        ({"reports": [0, 3, 1, 2]}, "^reports .*0.*2.*0"),
        ({"reports": [0, 4, 1, 2]}, "^reports"),
        ({"X": [[1, 0], [1, 0], [1, 0], [1, 1]]}, "control arm it"),
        ({"X": [[1, 0], [1, 1], [1, 1], [1, 1]]}, "treatment arm it"),
        ({"count_X": [[1, 0], [1, 0], [1, 0], [1, 1]]}, "control arm it"),
        ({"X": [[1], [1]]}, "^X .*4"),
        ({"together": ([0, 1], [0, 1, 2, 3])}, "^together .*3"),
        ({"together": ([0, 1, 3], [0, 1, 2, 3])}, "without a gap"),
    ],
)
def test_what_tells_no_regression_is_refused(change: dict, message: str) -> None:
    given = {"reports": [0, 1, 1, 2], "treated": [0, 0, 1, 1], "X": [[1], [1], [1], [1]], "items": 2} | change
    sent, treated, x = (given.pop(name) for name in ("reports", "treated", "X"))
    with pytest.raises(ValueError, match=message):
        fit_list(sent, treated, x, **given)


def test_a_report_that_nobody_can_send_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^reports"):
        fit_list([0, 3, 1, 2], [0, 0, 1, 1], np.ones((4, 1)), designs=(direct(4), direct(4)))
