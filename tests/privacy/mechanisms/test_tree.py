import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveys.privacy.accounting.gaussian import gaussian_variance
from surveys.privacy.adjacency import NeighbouringRelation
from surveys.privacy.loss import PrivacyLoss
from surveys.privacy.mechanisms.mechanism import Norm
from surveys.privacy.mechanisms.tree import TreeCounts, best_branching, least_squares_weights, tree_levels
from tests.privacy.chance import FALSE_ALARM_RATE, seeded
from tests.privacy.mechanisms.conformance import MechanismConformance
from tests.privacy.mechanisms.neighbours import DataSet

REPLACE, ADD = NeighbouringRelation.REPLACE_ONE, NeighbouringRelation.ADD_OR_REMOVE_ONE


class TreeConformance(MechanismConformance):
    """Small trees: every node's count within so many of any true one."""

    largest_n = 1
    sensitivity_n = 5
    within = 2

    def statistic(self, mechanism: TreeCounts, data: DataSet) -> Sequence[int]:
        one, two, three = data.counts
        return data.counts if mechanism.branching == 3 else (one + two, three, *data.counts)

    def outputs(self, mechanism: TreeCounts) -> list[tuple[int, ...]]:
        counts = range(-self.within, self.largest_n + self.within + 1)
        return list(product(counts, repeat=len(mechanism.nodes)))

    def error(self, mechanism: TreeCounts, output: tuple[int, ...], data: DataSet) -> Fraction:
        one, two, _three = data.counts
        first, second = mechanism.cumulated(output, data.n)
        return max(abs(first - one), abs(second - one - two))


class TestTreeOfOneLevel(TreeConformance):
    outside = 1e-3
    within = 5

    def mechanisms(self) -> list[TreeCounts]:
        return [
            TreeCounts(epsilon=Fraction(3), relation=REPLACE, length=3, branching=3),
            TreeCounts(epsilon=Fraction(3, 2), relation=ADD, length=3, branching=3),
        ]


class TestTreeOfTwoLevels(TreeConformance):
    outside = 1e-2

    def mechanisms(self) -> list[TreeCounts]:
        return [
            TreeCounts(epsilon=Fraction(10), relation=REPLACE, length=3, branching=2),
            TreeCounts(epsilon=Fraction(5), relation=ADD, length=3, branching=2),
        ]

    def audited(self, mechanism: TreeCounts) -> float:
        return 0.2  # more than ε = 5 so few draws can never show

    def at(self, mechanism: TreeCounts, n: int) -> tuple[TreeCounts, DataSet]:
        # At ε = 10 most noise is 0, and whether it is shared is seldom seen.
        return super().at(replace(mechanism, epsilon=Fraction(1)), n)


class TestGaussianTreeOfTwoLevels(TreeConformance):
    outside = 1e-2

    def mechanisms(self) -> list[TreeCounts]:
        delta = Fraction(1, 50)
        return [
            TreeCounts(epsilon=Fraction(10), delta=delta, relation=REPLACE, length=3, branching=2),
            TreeCounts(epsilon=Fraction(6), delta=delta, relation=ADD, length=3, branching=2),
        ]

    def attained(self, mechanism: TreeCounts) -> float:
        return 0.9  # less by the grid of variances, and by outputs beyond those looked at

    def audited(self, mechanism: TreeCounts) -> float:
        return 0.1


def tree(**other: object) -> TreeCounts:
    return TreeCounts(**{"epsilon": Fraction(1), "relation": REPLACE, "length": 9, "branching": 3, **other})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("length", "branching", "levels"),
    [
        (4, 4, [[(0, 1), (1, 2), (2, 3), (3, 4)]]),
        (2, 2, [[(0, 1), (1, 2)]]),
        (5, 2, [[(0, 4), (4, 5)], [(0, 2), (2, 4), (4, 5)], [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)]]),
        (5, 3, [[(0, 3), (3, 5)], [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)]]),
    ],
)
def test_a_tree_has_runs_of_codes_down_to_single_ones(
    length: int, branching: int, levels: list[list[tuple[int, int]]]
) -> None:
    assert [list(level) for level in tree_levels(length, branching)] == levels


@pytest.mark.parametrize("relation", [REPLACE, ADD])
def test_each_level_costs_what_a_histogram_of_all_responses_does(relation: NeighbouringRelation) -> None:
    moved = 2 if relation is REPLACE else 1
    for length, branching, levels in ((9, 9, 1), (9, 3, 2), (9, 2, 4)):
        mechanism = tree(relation=relation, length=length, branching=branching)
        assert (mechanism.sensitivity.value, mechanism.sensitivity.norm) == (levels * moved, Norm.L1)
        assert mechanism.noise.rate == pytest.approx(1 / (levels * moved))  # type: ignore[union-attr]


def test_gaussian_noise_is_that_of_as_many_changed_counts() -> None:
    mechanism = tree(delta=Fraction(1, 10**6))
    variance = gaussian_variance(1, Fraction(1, 10**6), 4)
    assert mechanism.noise.variance_parameter == variance  # type: ignore[union-attr]
    assert (mechanism.sensitivity.value, mechanism.sensitivity.norm) == (4, Norm.L2_SQUARED)
    assert mechanism.concentrated is not None
    assert mechanism.concentrated.rho == 4 / (2 * variance)
    assert mechanism.loss == PrivacyLoss(Fraction(1), Fraction(1, 10**6))
    assert tree().concentrated is None


@given(st.integers(2, 14), st.data())
def test_weights_are_those_of_least_squares(length: int, data: st.DataObject) -> None:
    branching = data.draw(st.integers(2, length))
    nodes = [node for level in tree_levels(length, branching) for node in level]
    held = np.array([[first <= code < end for code in range(length)] for first, end in nodes], dtype=float)
    noisy = np.array(data.draw(st.lists(st.integers(-50, 50), min_size=len(nodes), max_size=len(nodes))), dtype=float)
    n = 100.0
    # The normal equations, with Lagrange's multiplier for counts that sum to n.
    bordered = np.block([[held.T @ held, np.ones((length, 1))], [np.ones((1, length)), np.zeros((1, 1))]])
    with_n = np.linalg.solve(bordered, np.append(held.T @ noisy, n))[:length]
    without = np.linalg.solve(held.T @ held, held.T @ noisy)
    for public, counts in ((True, with_n), (False, without)):
        weights = np.array(least_squares_weights(length, branching, public), dtype=float)
        assert weights @ np.array([n, *noisy]) == pytest.approx(np.cumsum(counts)[:-1], abs=1e-8)


@pytest.mark.parametrize(("length", "branching"), [(9, 3), (7, 2), (10, 4), (5, 5)])
def test_consistent_counts_of_counts_without_noise_are_these_counts(length: int, branching: int) -> None:
    counts = [(7 * code) % 11 for code in range(length)]
    sums = tuple(np.cumsum(counts)[:-1].tolist())
    for relation in (REPLACE, ADD):
        mechanism = tree(relation=relation, length=length, branching=branching)
        assert mechanism.cumulated(mechanism.node_counts(counts), sum(counts)) == sums


@pytest.mark.parametrize(
    ("length", "gaussian", "branching"),
    [(3, True, 3), (7, True, 7), (8, True, 3), (12, True, 4), (20, True, 5), (36, True, 6)]
    + [(length, False, length) for length in (3, 12, 36)],
)
def test_the_best_branching_of_each_length(length: int, gaussian: bool, branching: int) -> None:
    # Computed as well by inverting the matrix of the normal equations for every branching from 2 to the length.
    assert best_branching(length, gaussian=gaussian) == branching


def test_a_tree_pays_for_laplace_noise_from_more_codes_than_a_survey_has() -> None:
    assert best_branching(64, gaussian=False) == 8


def test_36_codes_with_gaussian_noise_lose_almost_half_of_their_variance() -> None:
    def mean_variance(branching: int) -> float:
        cuts = least_squares_weights(36, branching, True)
        return len(tree_levels(36, branching)) * float(sum(w * w for cut in cuts for w in cut[1:]) / len(cuts))

    assert (mean_variance(36), mean_variance(6)) == pytest.approx((6.1667, 3.4762), abs=1e-4)


@pytest.mark.parametrize("delta", [Fraction(0), Fraction(1, 10**6)], ids=["laplace", "gaussian"])
def test_cumulated_counts_are_within_the_error_bound_and_not_far_within(delta: Fraction) -> None:
    mechanism, counts, randbelow = tree(delta=delta), list(range(10, 19)), seeded(7)
    true = np.cumsum(counts)[:-1]
    errors = np.array(
        [
            max(
                abs(float(one) - other)
                for one, other in zip(mechanism.cumulated(drawn, sum(counts)), true, strict=True)
            )
            for drawn in (mechanism.release(counts, randbelow) for _ in range(300))
        ]
    )
    bound = mechanism.error_bound(sum(counts), 0.9).at_most
    assert (errors <= bound).mean() >= 0.9
    assert (errors <= bound / 2).mean() < 0.9


def test_more_confidence_or_privacy_needs_a_wider_bound() -> None:
    bounds = [tree(epsilon=epsilon).error_bound(100, 0.95).at_most for epsilon in (Fraction(1, 10**6), 1, 10, 10**9)]
    assert bounds == sorted(bounds, reverse=True)
    assert bounds[0] < math.inf
    assert tree().error_bound(100, 0.99).at_most > tree().error_bound(100, 0.9).at_most


def test_draws_of_two_levels_are_independent() -> None:
    mechanism, randbelow = tree(), seeded(11)
    noise = np.array([mechanism.release([0] * 9, randbelow) for _ in range(2_000)], dtype=float)
    together = np.corrcoef(noise[:, 0], noise[:, 3])[0, 1]
    # Fisher's z at 1e-6, of which a shared noise would be far beyond.
    assert abs(math.atanh(together)) < 4.9 / math.sqrt(2_000 - 3)
    assert pytest.approx(1e-6) == FALSE_ALARM_RATE


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"epsilon": 0}, "epsilon"),
        ({"delta": 1}, "delta"),
        ({"length": 1}, "length"),
        ({"branching": 1}, "branching"),
        ({"branching": 10}, "branching"),
        ({"relation": "replace"}, "relation"),
    ],
    ids=str,
)
def test_what_is_no_tree_is_refused_by_name(wrong: dict[str, object], named: str) -> None:
    with pytest.raises(ValueError, match=f"^{named}"):
        tree(**wrong)


def test_wrong_numbers_of_counts_and_levels_are_refused() -> None:
    with pytest.raises(ValueError, match="counts must hold 9"):
        tree().release([1] * 8)
    with pytest.raises(ValueError, match="output must hold 12"):
        tree().cumulated([1] * 9, 9)
    with pytest.raises(ValueError, match="confidence_level"):
        tree().error_bound(9, 1.0)
    with pytest.raises(ValueError, match="n must be"):
        tree().error_bound(-1, 0.95)
