from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveys.estimation.regression.correlation import CorrelationMatrix, correlate, nearest_correlation
from surveys.privacy.designs import Design, forced_response, from_matrix, k_ary, kuk, unrelated_question, warner
from tests.estimation.regression.data import Floats, column
from tests.golden import cases
from tests.property_profile import examples

KUK_OF_ONE = kuk("3/4", "1/5")
DESIGNS: dict[str, list[Design | None]] = {
    "rrcor_warner_warner_direct": [warner("4/5"), warner("3/4"), None, None],
    "rrcor_forced_uqt_kuk_direct": [forced_response("3/4"), unrelated_question("7/10", "2/5"), KUK_OF_ONE, None],
}


def pair(n: int, rho: float, designs: tuple[Design, Design], rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Reports of two yes/no truths, each Yes with probability 0.4, whose correlation is rho."""
    both = 0.16 + rho * 0.24
    truths = rng.choice(4, size=n, p=[0.2 + both, 0.4 - both, 0.4 - both, both])
    chances = [np.array(design.matrix[1], dtype=float) for design in designs]
    first, second = (chance[truth] for chance, truth in zip(chances, (truths // 2, truths % 2), strict=True))
    return (rng.random(n) < first).astype(float), (rng.random(n) < second).astype(float)


@pytest.mark.parametrize("case", cases("regression", "rrcor"), ids=lambda case: case["id"])
def test_rrreg_agrees_up_to_its_clipping_at_one(case: dict) -> None:
    columns = [column(name) for name in case["inputs"]["vars"]]
    expected = np.array(case["outputs"]["r"])
    correlation = correlate(columns, DESIGNS[case["id"]])
    assert np.minimum(correlation.point, 1) == pytest.approx(expected, rel=1e-10)
    # RRreg prints a plain 1 where the estimate lies beyond it; we keep what it was.
    beyond = (expected == 1) & ~np.eye(4, dtype=bool)
    assert (correlation.point[beyond] > 1).all()
    assert beyond.sum() == (4 if case["id"].startswith("rrcor_forced") else 0)
    assert (np.diagonal(correlation.point) == 1).all()
    assert (np.diagonal(correlation.standard_errors) == 0).all()
    assert correlation.n == 800


def test_direct_columns_have_pearsons_correlation_in_any_unit() -> None:
    x, v = column("x1"), column("v")
    correlation = correlate([x * 1e180, v * 1e-180 + 5e-180, x + v], [None] * 3)
    assert correlation.point == pytest.approx(np.corrcoef([x, v, x + v]), rel=1e-10)
    assert correlation.point.tolist() == correlation.point.T.tolist()


def test_a_card_more_adds_reports_and_no_bias() -> None:
    # All 3 × 2 reports of two certain truths, in their exact proportions: 25 rows stand for probabilities of 1/25.
    two_cards = kuk("4/5", "1/5", 2)
    reds_if_no, reds_if_yes = [0] * 16 + [1] * 8 + [2], [2] * 16 + [1] * 8 + [0]
    correlation = correlate([reds_if_no + reds_if_yes, [0] * 25 + [1] * 25], [two_cards, None])
    assert correlation.point[0, 1] == pytest.approx(1.0, rel=1e-12)


def test_a_design_without_chance_changes_nothing() -> None:
    x, z, k = column("x1"), column("z_true"), column("k_true")
    identity = from_matrix([[1, 0], [0, 1]])
    of_three = from_matrix([[1, 0, 0], [0, 1, 0], [0, 0, 1]])
    direct, designed = correlate([x, z, k], [None] * 3), correlate([x, z, k], [None, identity, of_three])
    assert designed.point == pytest.approx(direct.point, rel=1e-10)
    assert designed.standard_errors == pytest.approx(direct.standard_errors, rel=1e-10)


def test_codes_of_several_answers_count_as_numbers() -> None:
    # All 9 pairs of truth and report of a k-ary design, as often as its matrix says, beside the truth itself.
    design = k_ary(3)
    truths = np.repeat([0, 1, 2], 6 * 5)
    reports = np.concatenate([np.repeat([0, 1, 2], np.roll([20, 5, 5], truth)) for truth in (0, 1, 2)])
    correlation = correlate([reports, truths], [design, None])
    assert correlation.point[0, 1] == pytest.approx(1, rel=1e-12)
    assert np.corrcoef(reports, truths)[0, 1] == pytest.approx(0.5)


def test_standard_errors_are_those_of_the_jackknife() -> None:
    columns, designs = [column("y_warner"), column("x1"), column("v")], [warner("4/5"), None, None]
    correlation = correlate(columns, designs)
    keep = ~np.eye(800, dtype=bool)
    left_out = np.array([correlate([values[rows] for values in columns], designs).point for rows in keep])
    jackknife = np.sqrt(799 / 800 * ((left_out - left_out.mean(axis=0)) ** 2).sum(axis=0))
    assert correlation.standard_errors == pytest.approx(jackknife, rel=0.02, abs=1e-12)


def test_a_straight_line_has_no_standard_error() -> None:
    correlation = correlate([column("x1"), 3 - 2 * column("x1")], [None, None])
    assert correlation.point[0, 1] == pytest.approx(-1)
    assert correlation.standard_errors[0, 1] == pytest.approx(0, abs=1e-12)


def test_an_interval_is_the_point_and_z_standard_errors_within_one() -> None:
    correlation = correlate(
        [column("y_forced"), column("y_uqt"), column("v")], [*DESIGNS["rrcor_forced_uqt_kuk_direct"][:2], None]
    )
    interval = correlation.interval(0.9)
    assert interval.low[0, 2] == pytest.approx(
        correlation.point[0, 2] - 1.6448536 * correlation.standard_errors[0, 2], rel=1e-7
    )
    assert interval.high[0, 2] == pytest.approx(
        correlation.point[0, 2] + 1.6448536 * correlation.standard_errors[0, 2], rel=1e-7
    )
    assert interval.high[0, 1] == 1
    assert (interval.confidence_level, interval.method) == (0.9, "wald")
    assert correlation.interval().low[0, 2] < interval.low[0, 2]
    turned = correlate(
        [column("y_forced"), 1 - column("y_uqt")], [forced_response("3/4"), unrelated_question("7/10", "3/5")]
    )
    assert turned.interval().low[0, 1] == -1


@pytest.mark.slow
@pytest.mark.parametrize("rho", [0.0, 0.6, 0.9])
def test_the_interval_covers_what_it_says(rho: float) -> None:
    designs = (warner("4/5"), warner("3/4"))
    rng = np.random.default_rng(17)
    hits = 0
    for _ in range(1000):
        interval = correlate(pair(300, rho, designs, rng), designs).interval()
        hits += bool(interval.low[0, 1] <= rho <= interval.high[0, 1])
    # 4.9 binomial standard deviations (0.0069) about 95%: one run in a million leaves them.
    assert hits / 1000 == pytest.approx(0.95, abs=0.034)


@pytest.mark.slow
def test_without_the_variance_that_chance_adds_the_interval_would_miss() -> None:
    # The planted fault: correlations of the reports themselves.
    designs = (warner("4/5"), warner("3/4"))
    rng = np.random.default_rng(17)
    hits = 0
    for _ in range(100):
        interval = correlate(pair(300, 0.6, designs, rng), [None, None]).interval()
        hits += bool(interval.low[0, 1] <= 0.6 <= interval.high[0, 1])
    assert hits == 0


def test_an_estimate_far_beyond_one_has_an_interval_at_one() -> None:
    point = np.array([[1, 1.6, -1.6], [1.6, 1, 0], [-1.6, 0, 1]])
    interval = CorrelationMatrix(100, point, np.full((3, 3), 0.1)).interval()
    assert interval.low[0].tolist()[1:] == [1, -1]
    assert interval.high[0].tolist()[1:] == [1, -1]


def test_the_standard_error_of_direct_columns_is_that_of_pearsons_influence() -> None:
    a, b = np.array([1.0, 2, 4, 7, 3]), np.array([2.0, 1, 5, 6, 6])
    za, zb = (a - a.mean()) / a.std(), (b - b.mean()) / b.std()
    r = np.corrcoef(a, b)[0, 1]
    influence = za * zb - r * (za**2 + zb**2) / 2
    correlation = correlate([a, b], [None, None])
    assert correlation.standard_errors[0, 1] == pytest.approx(np.sqrt((influence**2).sum() / 20), rel=1e-12)


def test_two_rows_are_enough_and_exact_numbers_welcome() -> None:
    correlation = correlate([[Fraction(1, 3), Fraction(1, 2)], [3, 2]], [None, None])
    assert correlation.point[0, 1] == pytest.approx(-1)


def test_a_column_far_from_zero_is_no_less_exact() -> None:
    x, v = column("x1"), column("v")
    far, near = correlate([x + 1e9, v], [None, None]), correlate([x, v], [None, None])
    assert far.point == pytest.approx(near.point, rel=1e-5)


def test_columns_that_all_stay_the_same_have_no_correlations() -> None:
    correlation = correlate([np.full(7, 0.1), np.full(7, 1 / 3)], [None, None])
    assert np.isnan(correlation.point).all()
    assert np.isnan(correlation.constrained).all()


def test_what_rounding_leaves_beyond_one_is_cut() -> None:
    for entry in (1.5, -1.5):
        assert nearest_correlation(np.array([[1, entry], [entry, 1]]), 0)[0, 1] == np.sign(entry)


def test_truths_that_do_not_seem_to_vary_have_no_correlation() -> None:
    fewer_than_chance = np.array([1.0] + [0] * 19)
    correlation = correlate(
        [fewer_than_chance, np.arange(20.0), np.arange(20.0) ** 2, np.ones(20)], [forced_response(), None, None, None]
    )
    defined = np.zeros((4, 4), dtype=bool)
    defined[1:3, 1:3] = True
    for array in (correlation.point, correlation.standard_errors, correlation.constrained, correlation.interval().low):
        assert (np.isfinite(array) == defined).all()
    assert correlation.constrained[1, 2] == pytest.approx(correlation.point[1, 2])


def test_the_constrained_matrix_is_one_of_correlations() -> None:
    case = cases("regression", "rrcor_forced")[0]
    correlation = correlate([column(name) for name in case["inputs"]["vars"]], DESIGNS[case["id"]])
    constrained = correlation.constrained
    assert np.linalg.eigvalsh(correlation.point).min() < -0.01
    assert np.linalg.eigvalsh(constrained).min() > -1e-9
    assert (np.diagonal(constrained) == 1).all()
    assert np.abs(constrained).max() == 1
    assert constrained == pytest.approx(constrained.T, abs=1e-12)


def test_the_nearest_correlation_matrix_of_higham() -> None:
    # Higham (2002), section 4: the distance is 0.528.
    given_ = np.array([[1.0, 1, 0], [1, 1, 1], [0, 1, 1]])
    nearest = nearest_correlation(given_)
    assert nearest == pytest.approx(np.array([[1, 0.7607, 0.1573], [0.7607, 1, 0.7607], [0.1573, 0.7607, 1]]), abs=5e-5)
    assert np.linalg.norm(given_ - nearest) == pytest.approx(0.5278, abs=5e-5)
    assert given_[0, 1] == 1
    # One projection is a step towards it.
    once = nearest_correlation(given_, 1)
    assert nearest[0, 1] < once[0, 1] < 1


@examples(30)
@given(st.lists(st.floats(-1.5, 1.5), min_size=3, max_size=3), st.lists(st.floats(-1, 1), min_size=3, max_size=3))
def test_no_correlation_matrix_is_nearer(entries: list[float], others: list[float]) -> None:
    upper = np.triu_indices(3, 1)
    given_, other = np.eye(3), np.eye(3)
    given_[upper], other[upper] = entries, others
    given_, other = (
        np.maximum(given_, given_.T) + np.minimum(given_, given_.T),
        np.maximum(other, other.T) + np.minimum(other, other.T),
    )
    np.fill_diagonal(given_, 1)
    np.fill_diagonal(other, 1)
    nearest = nearest_correlation(given_)
    assert np.linalg.eigvalsh(nearest).min() > -1e-6
    if np.linalg.eigvalsh(other).min() >= 0:
        assert np.linalg.norm(given_ - nearest) <= np.linalg.norm(given_ - other) + 1e-6


def test_a_correlation_matrix_is_its_own_nearest() -> None:
    correlation = correlate([column("x1"), column("v"), column("x2")], [None] * 3)
    assert correlation.constrained == pytest.approx(correlation.point, abs=1e-9)


def test_results_cannot_be_changed() -> None:
    correlation = correlate([column("x1"), column("v")], [None, None])
    for array in (correlation.point, correlation.standard_errors, correlation.constrained, correlation.interval().high):
        assert not array.flags.writeable


@pytest.mark.parametrize(
    ("columns", "designs", "message"),
    [
        (
            [[1, 2]],
            [None],
            "^columns .*Design.*None",
        ),
        (
            [[1, 2], [2, 1]],
            [None],
            "^columns .*Design.*None",
        ),
        (None, None, "^columns and designs"),
        ([[1, 2], [2, 1]], None, "^columns and designs"),
        (None, [None, None], "^columns and designs"),
        ([[1, 2], [2, 1]], [None, "warner"], r"^design of columns\[1\]"),
        ([[1, 2], "a"], [None, None], r"^columns\[1\] .*real"),
        ([[1, 2], [[1], [1, 2]]], [None, forced_response()], r"^columns\[1\] .*real"),
        ([[1, 2], [2, 1, 3]], [None, None], r"^columns .*2.*got \[2, 3\]"),
        ([[1], [2]], [None, None], r"^columns .*2.*got \[1\]"),
        ([[1, 2], [2, np.nan]], [None, None], r"^columns\[1\] .*sequence"),
        ([[1, 2], []], [None, None], r"^columns\[1\] .*sequence"),
        ([[[1, 2]], [2, 1]], [None, None], r"^columns\[0\]"),
        ([[1, 2], [2, 1]], [None, forced_response()], r"^columns\[1\] .*0.*1"),
        ([[1, 0], [0, 1]], [None, from_matrix([["1/2", "1/4", 0], ["1/2", "3/4", 1]])], "do not determine"),
    ],
)
def test_what_cannot_be_correlated_is_refused(columns: list, designs: list, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        correlate(columns, designs)
