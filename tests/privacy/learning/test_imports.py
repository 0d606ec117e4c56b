from tests.privacy.test_imports import modules_after

RELEASES = """
import sys
from surveys.privacy.learning.domain import CodedItem, PatternDomain
from surveys.privacy.learning.joint import NoisyJointTable
from surveys.privacy.learning.prediction import PredictorChoice
domain, n = PatternDomain(outcome=CodedItem(name="y", codes=2), predictors=[]), 10
for learner, counts in (
    (NoisyJointTable(domain=domain, n=n, epsilon=1), [4, 6]),
    (PredictorChoice(n=n, epsilon=1, outcome=(0, 1), predictors=(((0, 1),), ((0, 1),))), [1, 2, 0, 1, 2, 0, 1, 3]),
):
    learner.certificate(learner.release(counts)), learner.utility
print(*sys.modules)
"""


def test_releases_need_neither_numpy_nor_the_lab() -> None:
    loaded = modules_after(RELEASES)
    assert "surveys.privacy.learning.joint" in loaded
    assert loaded.isdisjoint({"numpy", "scipy", "django"})
    assert not any(name.startswith("surveys.learn") for name in loaded)
