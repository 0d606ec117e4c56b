"""Risks of small domains."""

from collections.abc import Sequence
from fractions import Fraction

from surveys.learn.learners.losses import LinearLoss
from surveys.learn.learners.reference import Floats, as_floats
from surveys.learn.learners.risk import EmpiricalRisk
from surveys.privacy.learning.domain import PatternDomain


def risk_of(
    domain: PatternDomain, n: int, ridge: object = Fraction(1, 10), loss: LinearLoss | None = None
) -> EmpiricalRisk:
    return EmpiricalRisk(domain=domain, n=n, ridge=ridge, **({"training_loss": loss} if loss else {}))


def mean_loss(risk: EmpiricalRisk, counts: Sequence[int], theta: Floats) -> float:
    """Return the regularised risk of these parameters."""
    x, y, weights = as_floats(risk, counts)
    return float(weights @ risk.training_loss.values(x @ theta, y) + float(risk.ridge) / 2 * (theta @ theta))
