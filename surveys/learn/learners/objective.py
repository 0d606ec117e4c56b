"""Objective perturbation, as published: the exact minimum of a risk that is tilted at random.

What is minimised is J(θ) + b·θ/n, with b of density ∝ exp(−(ε'/(2L))·‖b‖). Where one response is replaced, the b that
lead to the same minimum differ by at most 2L in length, which costs ε', and their densities by the Jacobian as well.
The published proof bounds that by (1 + c/(nΛ))², so ε' = ε − 2·ln(1 + c/(nΛ)); where nothing would be left, the ridge
is raised until this bound costs ε/2.

*The Jacobian costs half of that.* It is the determinant of B + s·xxᵀ, with s from 0 to c and x no longer than 1 the
response that neighbours do not share, and B ⪰ nΛI what they do share. That is det B·(1 + s·xᵀB⁻¹x), from 1 to
1 + c/(nΛ) times det B for either neighbour, so the two differ by a factor of 1 + c/(nΛ) at most. So without the
logarithm ε + ln(1 + c/(nΛ)) bounds what is spent, which can be three times what is said; with it, what is spent is at
most ε − ln(1 + c/(nΛ)).

The proof needs the exact minimum of a linear model, without constraints: a certified one would need noise of its own,
and is output perturbation.

References
----------
Chaudhuri, Monteleoni & Sarwate (2011), Differentially private empirical risk minimization, Algorithm 2.
Kifer, Smith & Thakurta (2012), Private convex empirical risk minimization and high-dimensional regression: the
determinant with one response more.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from surveys.learn.learners.reference import projected_descent
from surveys.learn.learners.risk import EmpiricalRisk
from surveys.privacy.loss import PrivacyLoss
from surveys.privacy.rationals import positive, whole_number

_NATS_OF_GAP = 36
"""Descent ends within e⁻³⁶, about 2e-16, of how far from the minimum it began: a step shrinks that by 1 − Λ/(c + Λ)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectivePerturbation:
    """The minimum of a tilted risk.

    Parameters
    ----------
    n : int
        How many responses there are.
    ridge : Fraction
        Λ, above 0.
    epsilon : Fraction
        Above 0, in nats.
    curvature : Fraction
        c of the loss.
    lipschitz : Fraction
        L of the loss.

    Examples
    --------
    >>> from surveys.learn.learners import ObjectivePerturbation
    >>> learner = ObjectivePerturbation(n=1000, ridge="1/100", epsilon=1)
    >>> round(learner.effective_epsilon, 5)
    0.95061
    """

    n: int
    ridge: Fraction
    epsilon: Fraction
    curvature: Fraction = Fraction(1, 4)
    lipschitz: Fraction = Fraction(1)

    def __post_init__(self) -> None:
        whole_number(self.n, "n", 1)
        for name in ("ridge", "epsilon", "curvature", "lipschitz"):
            object.__setattr__(self, name, positive(getattr(self, name), name))

    @property
    def loss(self) -> PrivacyLoss:
        """What it costs with real numbers."""
        return PrivacyLoss(self.epsilon)

    @property
    def _left(self) -> float:
        """What the published bound of the Jacobian leaves of ε with the ridge as it is."""
        return float(self.epsilon) - 2 * math.log1p(self.curvature / (self.n * self.ridge))

    @property
    def effective_epsilon(self) -> float:
        """ε', which the noise is for."""
        return self._left if self._left > 0 else float(self.epsilon / 2)

    @property
    def added_ridge(self) -> float:
        """What is added to the ridge: c/(n(e^(ε/4) − 1)) − Λ where nothing would be left of ε, else 0."""
        if self._left > 0:
            return 0.0
        return float(self.curvature / self.n) / math.expm1(self.epsilon / 4) - float(self.ridge)

    def fit(
        self,
        risk: EmpiricalRisk,
        counts: Sequence[int],
        generator: np.random.Generator,  # noqa: TID251 - simulated people
    ) -> npt.NDArray[np.float64]:
        """Return parameters of simulated people.

        Parameters
        ----------
        risk : EmpiricalRisk
            With this n and ridge, and a loss of a linear model with this c and L at most, L for all parameters: tilted
            by long noise, a minimum can be anywhere.
        counts : sequence of int
            How often each pattern was reported.
        generator : numpy.random.Generator
            The source of randomness.
        """
        loss = risk.training_loss
        loss.require("objective perturbation", "linear_model", "lipschitz", "smoothness")
        if loss.radius is not None:
            raise ValueError(f"training_loss must not be bounded for objective perturbation, got {loss!r}")
        smoothness, lipschitz = loss.smoothness or Fraction(0), loss.lipschitz or Fraction(0)
        if (risk.n, risk.ridge) != (self.n, self.ridge) or smoothness > self.curvature or lipschitz > self.lipschitz:
            raise ValueError("risk must have this n and ridge, and a loss of this curvature and Lipschitz constant")
        direction = generator.standard_normal(risk.domain.dimension)
        length = generator.gamma(risk.domain.dimension, 2 * float(self.lipschitz) / self.effective_epsilon)
        tilt = direction * (length / math.sqrt(float(direction @ direction)) / self.n)
        ridge = risk.ridge + Fraction(self.added_ridge)
        steps = math.ceil(_NATS_OF_GAP * (smoothness + ridge) / ridge)
        return projected_descent(replace(risk, ridge=ridge), counts, steps=steps, tilt=tilt)
