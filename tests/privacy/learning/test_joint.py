from dataclasses import replace
from fractions import Fraction

import pytest

from surveys.privacy.learning.joint import NoisyJointTable
from surveys.privacy.loss import ConcentratedLoss
from surveys.privacy.mechanisms.mechanism import Norm
from tests.privacy.chance import seeded
from tests.privacy.learning.learners import CONSTANT, TWO, LearnerConformance, domain_of
from tests.privacy.mechanisms.neighbours import DataSet


class TestNoisyJointTable(LearnerConformance):
    """Of two patterns, of which one count is drawn."""

    outside = 1e-6

    def attained(self, mechanism: NoisyJointTable) -> float:
        return 0.95 if mechanism.delta else 1.0

    def mechanisms(self) -> list[NoisyJointTable]:
        return [
            NoisyJointTable(domain=CONSTANT, n=10, epsilon=Fraction(1)),
            NoisyJointTable(domain=CONSTANT, n=10, epsilon=Fraction(2), delta=Fraction(1, 1000)),
        ]

    def of_two(self, mechanism: NoisyJointTable, n: int) -> NoisyJointTable:
        return replace(mechanism, domain=TWO, n=n)

    def statistic(self, mechanism: NoisyJointTable, data: DataSet) -> list[int]:
        return [data.counts[1]]

    def outputs(self, mechanism: NoisyJointTable) -> list[tuple[int, int]]:
        return [(10 - noisy, noisy) for noisy in range(-20, 31)]

    def error(self, mechanism: NoisyJointTable, output: tuple[int, int], data: DataSet) -> int:
        return abs(output[1] - data.counts[1])


def joint(delta: object = 0) -> NoisyJointTable:
    return NoisyJointTable(domain=domain_of(2, 3), n=60, epsilon=Fraction(1), delta=delta)


def test_a_replaced_response_changes_two_counts_by_1() -> None:
    assert (joint().sensitivity.value, joint().sensitivity.norm) == (2, Norm.L1)
    gaussian = joint(Fraction(1, 10**6))
    assert (gaussian.sensitivity.value, gaussian.sensitivity.norm) == (2, Norm.L2_SQUARED)
    assert gaussian.concentrated == ConcentratedLoss(1 / gaussian.noise.variance_parameter)
    assert joint().concentrated is None


def test_every_pattern_has_noise_of_its_own() -> None:
    noisy = joint().release([5] * 12, seeded(20_311))
    assert len(noisy) == 12
    assert len(set(noisy)) > 3
    assert joint().probability(noisy, [5] * 12) > 0
    assert joint().error_bound(60, 0.95).at_most == joint().noise.error_bound(0.95, 12)


def test_a_domain_too_large_for_the_responses_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match=r"^domain .*5.*got 12 patterns"):
        replace(joint(), n=59)


def test_a_table_of_another_size_has_no_certificate() -> None:
    with pytest.raises(ValueError, match=r"^output .*12"):
        joint().certificate((5,) * 11)
