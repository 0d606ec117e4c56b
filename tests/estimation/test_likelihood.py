from fractions import Fraction

import numpy as np
import pytest

from surveys.estimation import estimate_prevalence
from surveys.estimation.likelihood import expectation_maximization
from surveys.privacy.designs import Design, from_matrix, k_ary
from tests.golden import cases


def exact_design(matrix: list[list[float]]) -> Design:
    """The design of a golden case, whose floats have columns that sum to 1 only nearly."""
    rows = [[Fraction(entry) for entry in row] for row in matrix[:-1]]
    return from_matrix([*rows, [1 - sum(column) for column in zip(*rows, strict=True)]])


def mean_log_likelihood(prevalence: np.ndarray, counts: np.ndarray, design: Design) -> float:
    reported = np.array(design.matrix, dtype=float) @ prevalence
    seen = counts > 0
    return float((counts[seen] * np.log(reported[seen])).sum() / counts.sum())


@pytest.mark.parametrize("case", cases("derived", "simplex_mle"), ids=lambda case: case["id"])
def test_the_constrained_estimate_equals_the_derived_one(case: dict) -> None:
    expected = case["outputs"]
    if "mle_exact_active_set" in expected:
        kept, other = case["inputs"]["P"][0][:2]
        design = k_ary(len(case["inputs"]["counts"]), Fraction(kept - other))
        values, tolerance = expected["mle_exact_active_set"], 1e-10
    else:
        design, values, tolerance = exact_design(case["inputs"]["P"]), expected["mle_em"], 1e-10
    estimate = estimate_prevalence(case["inputs"]["counts"], design)
    assert estimate.constrained == pytest.approx(values, rel=tolerance, abs=1e-12)
    assert estimate.point == pytest.approx(expected["moment"], rel=1e-10, abs=1e-12)


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
        # The gradient of the concave mean log-likelihood is at most 1 everywhere at its maximum on the simplex.
        matrix, seen = np.array(design.matrix, dtype=float), counts > 0
        gradient = matrix[seen].T @ (counts[seen] / counts.sum() / (matrix[seen] @ exact))
        assert gradient.max() <= 1 + 1e-12
        assert exact.sum() == pytest.approx(1)
        assert exact.min() >= 0


def test_clipping_and_renormalising_would_be_less_likely() -> None:
    counts, design = np.array([450, 300, 150, 20]), k_ary(4, "1/2")
    estimate = estimate_prevalence(counts, design)
    clipped = np.clip(estimate.point, 0, None) / np.clip(estimate.point, 0, None).sum()
    assert mean_log_likelihood(clipped, counts, design) < mean_log_likelihood(estimate.constrained, counts, design)


def test_a_general_design_is_solved_by_em_where_the_moment_estimate_is_no_distribution() -> None:
    design = from_matrix([["7/10", "1/10", "3/20"], ["1/5", "4/5", "3/20"], ["1/10", "1/10", "7/10"]])
    counts = np.array([80, 15, 5])
    estimate = estimate_prevalence(counts, design)
    assert estimate.point.min() < 0
    best = mean_log_likelihood(estimate.constrained, counts, design)
    for other in np.random.default_rng(20_268).dirichlet(np.ones(3), 2_000):
        assert mean_log_likelihood(other, counts, design) <= best + 1e-10


def test_a_design_that_lies_more_than_chance_is_solved_by_em() -> None:
    # Three answers, each never reported truthfully: the lines fall.
    half = Fraction(1, 2)
    design = from_matrix([[0, half, half], [half, 0, half], [half, half, 0]])
    estimate = estimate_prevalence([80, 15, 5], design)
    assert estimate.point.min() < 0
    # Nobody's truth is the first answer; the other two then divide as 5 to 15.
    assert estimate.constrained == pytest.approx([0, 0.25, 0.75], abs=1e-4)


def test_em_stops_at_the_number_of_iterations_allowed() -> None:
    matrix = np.array([[0.6, 0.4], [0.4, 0.6]])
    once = expectation_maximization(np.array([0.7, 0.3]), matrix, max_iterations=1)
    assert once == pytest.approx([0.54, 0.46])
    assert expectation_maximization(np.array([0.7, 0.3]), matrix)[0] == pytest.approx(1, abs=1e-6)
