"""Private learning: models from counts, each with what it costs and how good it is known to be.

Learners for releases are exact: integers and Fractions on the way of the data. Those of `lab` are for simulated people
and loaded when they are first asked for; no release imports them.
"""

from importlib import import_module
from typing import Any

from surveys.privacy.learning.domain import CodedItem, ModelTerm, PatternDomain
from surveys.privacy.learning.gradient import GradientPerturbation, NoisyGradients
from surveys.privacy.learning.hypotheses import HypothesisChoice, HypothesisLearner, loss_table, parameter_grid
from surveys.privacy.learning.joint import NoisyJointTable
from surveys.privacy.learning.learner import Learner, LearningCertificate
from surveys.privacy.learning.losses import (
    GeneralLinearLoss,
    LinearLoss,
    LogisticLoss,
    SquaredLoss,
    TrainingLoss,
    hinge_loss,
)
from surveys.privacy.learning.output import OutputPerturbation
from surveys.privacy.learning.reference import mean_loss, projected_descent
from surveys.privacy.learning.risk import EmpiricalRisk

_LAB = {
    "ContinuousExponential": "chains",
    "ObjectivePerturbation": "objective",
    "RegularizedExponential": "chains",
    "StochasticGradient": "stochastic",
    "TwoLayerLoss": "network",
}

__all__ = [
    "CodedItem",
    "ContinuousExponential",
    "EmpiricalRisk",
    "GeneralLinearLoss",
    "GradientPerturbation",
    "HypothesisChoice",
    "HypothesisLearner",
    "Learner",
    "LearningCertificate",
    "LinearLoss",
    "LogisticLoss",
    "ModelTerm",
    "NoisyGradients",
    "NoisyJointTable",
    "ObjectivePerturbation",
    "OutputPerturbation",
    "PatternDomain",
    "RegularizedExponential",
    "SquaredLoss",
    "StochasticGradient",
    "TrainingLoss",
    "TwoLayerLoss",
    "hinge_loss",
    "loss_table",
    "mean_loss",
    "parameter_grid",
    "projected_descent",
]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - any class of the lab
    if name not in _LAB:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.lab.{_LAB[name]}"), name)
