import pytest

import surveys.privacy.learning
from tests.privacy.test_imports import modules_after

RELEASES = """
import sys
from fractions import Fraction
from surveys.privacy.learning import (
    CodedItem, EmpiricalRisk, GradientPerturbation, HypothesisLearner, NoisyJointTable, OutputPerturbation,
    PatternDomain,
)
domain, n = PatternDomain(outcome=CodedItem(name="y", codes=2), predictors=[]), 10
risk = EmpiricalRisk(domain=domain, n=n, ridge=1)
for learner in (
    NoisyJointTable(domain=domain, n=n, epsilon=1),
    HypothesisLearner(domain=domain, n=n, losses=[[0, 1], [1, 0]], epsilon=1),
    OutputPerturbation.of(risk, 1),
    GradientPerturbation(steps=2, sensitivity=2, epsilon=1, delta="1/1000", risk=risk),
):
    learner.certificate(learner.release([4, 6])), learner.utility
print(*sys.modules)
"""


def test_releases_need_neither_numpy_nor_the_lab() -> None:
    loaded = modules_after(RELEASES)
    assert "surveys.privacy.learning.output" in loaded
    assert loaded.isdisjoint({"numpy", "scipy", "django"})
    assert not any(name.startswith("surveys.privacy.learning.lab") for name in loaded)


def test_every_public_name_is_there() -> None:
    for name in surveys.privacy.learning.__all__:
        assert getattr(surveys.privacy.learning, name).__name__ == name
    with pytest.raises(AttributeError, match="has no attribute 'Perceptron'"):
        _ = surveys.privacy.learning.Perceptron
