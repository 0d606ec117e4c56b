from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize

from surveys.estimation.likelihood import simplex_maximum
from surveys.estimation.prevalence import estimate_prevalence
from surveys.privacy.designs import Design, from_matrix, k_ary, kuk, optimized_unary
from tests.golden import cases
from tests.property_profile import examples


def exact_design(matrix: list[list[float]]) -> Design:
    """The design of a golden case, whose floats have columns that sum to 1 only nearly."""
    rows = [[Fraction(entry) for entry in row] for row in matrix[:-1]]
    return from_matrix([*rows, [1 - sum(column) for column in zip(*rows, strict=True)]])


def mean_log_likelihood(prevalence: np.ndarray, counts: np.ndarray, design: Design) -> float:
    reported = np.array(design.matrix, dtype=float) @ prevalence
    seen = counts > 0
    return float((counts[seen] * np.log(reported[seen])).sum() / counts.sum())


def left_to_gain(prevalence: np.ndarray, shares: np.ndarray, matrix: np.ndarray) -> float:
    """An upper bound: the gradient of a concave function is at most 1 everywhere at its maximum on the simplex."""
    seen = shares > 0
    return float((matrix[seen].T @ (shares[seen] / (matrix[seen] @ prevalence))).max() - 1)


@pytest.mark.parametrize("case", cases("derived", "simplex_mle"), ids=lambda case: case["id"])
def test_the_constrained_estimate_equals_the_derived_one(case: dict) -> None:
    expected = case["outputs"]
    if "mle_exact_active_set" in expected:
        kept, other = case["inputs"]["P"][0][:2]
        design = k_ary(len(case["inputs"]["counts"]), Fraction(kept - other))
        values = expected["mle_exact_active_set"]
    else:
        design, values = exact_design(case["inputs"]["P"]), expected["mle_em"]
    counts = np.array(case["inputs"]["counts"])
    estimate = estimate_prevalence(counts, design)
    assert estimate.constrained == pytest.approx(values, rel=1e-10, abs=1e-12)
    assert estimate.point == pytest.approx(expected["moment"], rel=1e-10, abs=1e-12)
    best = mean_log_likelihood(estimate.constrained, counts, design) * counts.sum()
    assert best == pytest.approx(expected["loglik"], rel=1e-12)
    general = simplex_maximum(counts / counts.sum(), np.array(design.matrix, dtype=float))
    assert left_to_gain(general, counts / counts.sum(), np.array(design.matrix, dtype=float)) <= 1e-12


@pytest.mark.parametrize("weighted", [False, True])
def test_the_exact_solution_for_k_answers_is_where_the_likelihood_is_largest(weighted: bool) -> None:
    generator = np.random.default_rng(20_267)
    for _ in range(100):
        k = int(generator.integers(3, 7))
        parts = [int(part) for part in generator.integers(0, 5, k)]
        weights = [Fraction(part + (i == 0), sum(parts) + 1) for i, part in enumerate(parts)] if weighted else None
        design = k_ary(k, Fraction(1, 3), weights)
        counts = generator.multinomial(int(generator.integers(1, 60)), generator.dirichlet(np.ones(k) / 2))
        exact = estimate_prevalence(counts, design).constrained
        assert left_to_gain(exact, counts / counts.sum(), np.array(design.matrix, dtype=float)) <= 1e-12
        assert exact.sum() == pytest.approx(1)
        assert exact.min() >= 0


@st.composite
def shares_and_matrices(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    """Any counts through any matrix, zeros and unequal columns included."""
    k = draw(st.integers(2, 6))
    m = draw(st.integers(k, 9))
    parts = draw(st.lists(st.lists(st.integers(0, 9), min_size=m, max_size=m).filter(any), min_size=k, max_size=k))
    matrix = np.array([np.array(column) / sum(column) for column in parts]).T
    counts = np.array(draw(st.lists(st.integers(0, 100_000), min_size=m, max_size=m)))
    counts[~matrix.any(axis=1)] = 0
    counts[np.flatnonzero(matrix.any(axis=1))[0]] += 1
    return counts / counts.sum(), matrix


@examples(150)
@given(shares_and_matrices())
def test_nothing_is_left_to_gain_whatever_the_counts_and_the_matrix(given_: tuple[np.ndarray, np.ndarray]) -> None:
    maximum = simplex_maximum(*given_)
    assert left_to_gain(maximum, *given_) <= 1e-12
    assert maximum.min() >= 0
    assert maximum.sum() == pytest.approx(1, abs=1e-12)


def test_at_the_boundary_it_needs_few_steps_where_em_needs_millions() -> None:
    shares, matrix = np.array([0.45, 0.3, 0.25]), np.full((3, 3), 0.25) + np.eye(3) / 4
    assert left_to_gain(simplex_maximum(shares, matrix, max_steps=20), shares, matrix) <= 1e-13
    by_em = np.full(3, 1 / 3)
    for _ in range(2_000):
        by_em *= matrix.T @ (shares / (matrix @ by_em))
    assert left_to_gain(by_em, shares, matrix) > 1e-7


def test_clipping_and_renormalising_would_be_less_likely() -> None:
    counts, design = np.array([450, 300, 150, 20]), k_ary(4, "1/2")
    estimate = estimate_prevalence(counts, design)
    clipped = np.clip(estimate.point, 0, None) / np.clip(estimate.point, 0, None).sum()
    assert mean_log_likelihood(clipped, counts, design) < mean_log_likelihood(estimate.constrained, counts, design)


def test_a_general_design_is_solved_where_the_moment_estimate_is_no_distribution() -> None:
    design = from_matrix([["7/10", "1/10", "3/20"], ["1/5", "4/5", "3/20"], ["1/10", "1/10", "7/10"]])
    counts = np.array([80, 15, 5])
    estimate = estimate_prevalence(counts, design)
    assert estimate.point.min() < 0
    best = mean_log_likelihood(estimate.constrained, counts, design)
    for other in np.random.default_rng(20_268).dirichlet(np.ones(3), 2_000):
        assert mean_log_likelihood(other, counts, design) <= best + 1e-12


def test_a_design_that_lies_more_than_chance_is_solved_too() -> None:
    # Three answers, each never reported truthfully: the lines fall.
    half = Fraction(1, 2)
    design = from_matrix([[0, half, half], [half, 0, half], [half, half, 0]])
    estimate = estimate_prevalence([80, 15, 5], design)
    assert estimate.point.min() < 0
    # Nobody's truth is the first answer; the other two then divide as 5 to 15.
    assert estimate.constrained == pytest.approx([0, 0.25, 0.75], abs=1e-12)


@pytest.mark.parametrize("counts", [[250, 180, 70], [90, 10, 0], [1, 0, 9]])
def test_two_answers_with_three_reports_are_not_clipped_but_maximised(counts: list[int]) -> None:
    design = kuk("4/5", "1/5", 2)
    estimate = estimate_prevalence(counts, design)
    observed = np.array(counts)

    def minus(yes: float) -> float:
        return -mean_log_likelihood(np.array([1 - yes, yes]), observed, design)

    searched = optimize.minimize_scalar(minus, bounds=(0, 1), method="bounded", options={"xatol": 1e-10})
    assert estimate.constrained[1] == pytest.approx(searched.x, abs=1e-7)
    assert -minus(estimate.constrained[1]) >= -searched.fun - 1e-14


def test_where_all_reports_speak_for_neither_answer_any_share_is_the_likeliest_and_one_half_is_given() -> None:
    estimate = estimate_prevalence([0, 10, 0], kuk("4/5", "1/5", 2))
    assert estimate.constrained == pytest.approx([0.5, 0.5])
    assert (estimate.interval().low.tolist(), estimate.interval().high.tolist()) == ([0, 0], [1, 1])


def test_the_moment_estimate_of_more_reports_than_truths_is_not_the_likeliest_even_where_it_is_a_distribution() -> None:
    design, counts = kuk("4/5", "1/5", 2), np.array([250, 180, 70])
    estimate = estimate_prevalence(counts, design)
    assert (estimate.point > 0).all()
    assert mean_log_likelihood(estimate.point, counts, design) < mean_log_likelihood(
        estimate.constrained, counts, design
    )


def test_whole_reports_of_bits_have_a_likelihood_of_their_own() -> None:
    design = optimized_unary(1, 3).design
    counts = np.random.default_rng(20_269).multinomial(2_000, np.array(design.matrix, float) @ [0.7, 0.3, 0])
    estimate = estimate_prevalence(counts, design)
    assert left_to_gain(estimate.constrained, counts / 2_000, np.array(design.matrix, float)) <= 1e-12
    assert estimate.constrained == pytest.approx([0.7, 0.3, 0], abs=0.1)


def test_it_stops_at_the_number_of_steps_allowed() -> None:
    shares, matrix = np.array([0.5, 0.3, 0.2]), np.array([[0.9, 0.1], [0.05, 0.3], [0.05, 0.6]])
    assert left_to_gain(simplex_maximum(shares, matrix, max_steps=1), shares, matrix) > 1e-8
    assert simplex_maximum(shares, matrix, max_steps=0) == pytest.approx([0.5, 0.5])
