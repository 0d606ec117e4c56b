"""Risks of small domains."""

from fractions import Fraction

from surveys.learn.learners.losses import LinearLoss
from surveys.learn.learners.risk import EmpiricalRisk
from surveys.privacy.learning.domain import PatternDomain


def risk_of(
    domain: PatternDomain, n: int, ridge: object = Fraction(1, 10), loss: LinearLoss | None = None
) -> EmpiricalRisk:
    return EmpiricalRisk(domain=domain, n=n, ridge=ridge, **({"training_loss": loss} if loss else {}))
