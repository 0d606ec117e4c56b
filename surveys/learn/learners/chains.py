"""Draws from densities ∝ exp(−risk) by Markov chains: the continuous and the regularized exponential mechanism.

A chain comes close to its density and never there. If all its draws are within τ in total variation of a density that
is (ε, δ)-private, they are (ε, δ + (1 + e^ε)τ)-private: Pr(E) ≤ τ + e^ε·(Pr'(E) + τ) + δ for any event E, as either
neighbour's draws may be off. τ is not known, and what diagnostics say of it is no proof. All chains start at 0, the
same for every data set, and R̂ is the plain split R̂, not the rank-normalized one: below 1.01 it says that halves of
chains look alike, which chains that have not left the same neighbourhood yet do too.

*Exponential.* Over a ball of radius R, density ∝ exp(−η·Σℓ) with η = ε/(4LR): 2R is the diameter, and the 2 is that of
the exponential mechanism. That is private for every loss with this L, convex or not; a convex one has the `utility`.
For least squares, Σ(z − y)²/2, it is normal with the *precision* η·XᵀX, cut off at the ball
(one slide prints the precision as covariance).

*Regularized.* Density ∝ exp(−k(f + μ/2·‖θ‖²)), with a minus, f the mean of convex G-Lipschitz losses: here the proof
itself needs them convex. Between neighbours it is
as hard to tell apart as two normal variables moved by (2G/n)·√(k/μ). With σ the analytic one at sensitivity 1,
k = μn²/(4G²σ²) makes that 1/σ.

References
----------
Gopi, Lee & Liu (2022), Private convex optimization via exponential mechanism, Theorem 4.
Gelman, Carlin, Stern, Dunson, Vehtari & Rubin (2013), Bayesian Data Analysis, 3rd ed., section 11.4: split R̂.
Vehtari, Gelman, Simpson, Carpenter & Bürkner (2021), Rank-normalization, folding, and localization: why below 1.01.
"""

import math
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from surveys.learn.learners.reference import as_floats
from surveys.learn.learners.risk import EmpiricalRisk
from surveys.privacy.accounting.gaussian import analytic_gaussian_sigma
from surveys.privacy.learning.learner import chance_of_failing
from surveys.privacy.loss import PrivacyLoss
from surveys.privacy.rationals import positive, whole_number

Floats = npt.NDArray[np.float64]
LogDensity = Callable[[Floats], Floats]

_WANTED_ACCEPTANCE = 0.3
_CONVERGED = 1.01


@dataclass(frozen=True, slots=True, eq=False)
class MarkovDraws:
    """Where several chains have been, after their warm-up.

    Attributes
    ----------
    draws : array of shape (steps, chains, parameters)
        The parameters of each chain after each move.
    acceptance : float
        The share of moves that were made.
    """

    draws: Floats
    acceptance: float

    @property
    def last(self) -> Floats:
        """The last parameters of each chain: as good as independent."""
        return np.asarray(self.draws[-1])

    @property
    def r_hat(self) -> float:
        """The largest plain split R̂ of all parameters: 1 where halves of chains cannot be distinguished."""
        half = len(self.draws) // 2
        parts = np.concatenate([self.draws[:half], self.draws[half : 2 * half]], axis=1)
        within = parts.var(axis=0, ddof=1).mean(axis=0)
        between = parts.mean(axis=0).var(axis=0, ddof=1)
        return float(np.sqrt((half - 1) / half + between / within).max())

    @property
    def has_converged(self) -> bool:
        """Whether R̂ is below 1.01, as is usually asked for."""
        return self.r_hat < _CONVERGED


def draw_by_metropolis(
    log_density: LogDensity,
    dimension: int,
    generator: np.random.Generator,  # noqa: TID251 - simulated people
    *,
    chains: int = 64,
    steps: int = 2000,
    width: float = 1.0,
) -> MarkovDraws:
    """Return draws of a density, by chains that all start at 0 and walk at random.

    Parameters
    ----------
    log_density : callable
        Of rows of parameters, up to a constant; −∞ outside of where it lives.
    dimension : int
        How many parameters there are.
    generator : numpy.random.Generator
        The source of randomness.
    chains, steps : int
        How many chains, and how long they are: as much is walked before to find the width of a move.
    width : float
        Of the first moves.
    """
    whole_number(chains, "chains", 2), whole_number(steps, "steps", 4)
    theta = np.zeros((chains, dimension))
    height, kept, accepted = log_density(theta), np.empty((steps, chains, dimension)), 0.0
    for step in range(-steps, steps):
        tried = theta + width * generator.standard_normal(theta.shape)
        tried_height = log_density(tried)
        moves = np.log(generator.random(chains)) < tried_height - height
        theta, height = np.where(moves[:, None], tried, theta), np.where(moves, tried_height, height)
        if step < 0:
            width *= math.exp((float(moves.mean()) - _WANTED_ACCEPTANCE) / math.sqrt(step + steps + 1))
        else:
            kept[step] = theta
            accepted += float(moves.mean()) / steps
    return MarkovDraws(kept, accepted)


@dataclass(frozen=True, slots=True, kw_only=True)
class RiskDensity:
    """Parameters with the density ∝ exp(−k·risk).

    Parameters
    ----------
    n : int
        How many responses there are.
    lipschitz : Fraction
        L, above 0.
    epsilon : Fraction
        Above 0, in nats.
    """

    n: int
    lipschitz: Fraction
    epsilon: Fraction

    def __post_init__(self) -> None:
        whole_number(self.n, "n", 1)
        for parameter in fields(self):
            if parameter.name != "n":
                object.__setattr__(self, parameter.name, positive(getattr(self, parameter.name), parameter.name))

    @property
    @abstractmethod
    def k(self) -> float:
        """What the mean loss, regularised if it is, is multiplied by."""

    def utility(self, dimension: int) -> float:
        """Return how much more of that than the best a draw has, on average at most: d over k.

        For a convex set and risk the mean of k·risk beyond its smallest is at most d, as along every ray from the
        best point it is at most a Gamma variable of shape d. For the exponential mechanism that is O(L·R·d/(nε)): one
        slide lacks the factor d.
        """
        return whole_number(dimension, "dimension", 1) / self.k

    @property
    def bound(self) -> float:
        """How long parameters are at most."""
        return math.inf

    def regularised(self, risk: EmpiricalRisk) -> EmpiricalRisk:
        """Return the risk of a draw: here as it is, its ridge being a loss of its own, known to all."""
        return risk

    def draw(
        self,
        risk: EmpiricalRisk,
        counts: Sequence[int],
        generator: np.random.Generator,  # noqa: TID251 - simulated people
        *,
        chains: int = 64,
        steps: int = 2000,
    ) -> MarkovDraws:
        """Return what chains draw for simulated people."""
        regularised, loss = self.regularised(risk), risk.training_loss
        # Convexity is for the utility, and for the proof of the regularized one.
        loss.require("the exponential mechanism", "lipschitz", "convex")
        if risk.n != self.n or (loss.lipschitz or 0) > self.lipschitz:
            raise ValueError("risk must have this n, and a loss of this Lipschitz constant at most")
        if loss.radius is not None and not self.bound <= loss.radius:
            raise ValueError(f"training_loss must be bounded by the longest parameters, {self.bound}, got {loss!r}")
        x, y, weights = as_floats(risk, counts)
        factor, ridge, bound = self.k, float(regularised.ridge), self.bound

        def log_density(theta: Floats) -> Floats:
            squares = (theta**2).sum(axis=1)
            risks = loss.values(theta @ x.T, y) @ weights + ridge / 2 * squares
            return np.where(squares > bound**2, -np.inf, -factor * risks)

        width = min(bound, 1 / math.sqrt(factor * ridge)) if ridge else bound
        return draw_by_metropolis(
            log_density, risk.domain.dimension, generator, chains=chains, steps=steps, width=width
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ContinuousExponential(RiskDensity):
    """Parameters in a ball, those of smaller total loss more likely.

    Parameters
    ----------
    n, lipschitz, epsilon
        As of a `RiskDensity`.
    radius : Fraction
        R, above 0.
    """

    radius: Fraction

    @property
    def loss(self) -> PrivacyLoss:
        """What an exact draw costs."""
        return PrivacyLoss(self.epsilon)

    @property
    def eta(self) -> Fraction:
        """η = ε/(2L·2R)."""
        return self.epsilon / (4 * self.lipschitz * self.radius)

    @property
    def k(self) -> float:
        """What the mean loss is multiplied by: ηn."""
        return float(self.eta * self.n)

    @property
    def bound(self) -> float:
        """How long parameters are at most: R."""
        return float(self.radius)


@dataclass(frozen=True, slots=True, kw_only=True)
class RegularizedExponential(RiskDensity):
    """Parameters anywhere, those of smaller mean loss and smaller length more likely.

    Parameters
    ----------
    n, lipschitz, epsilon
        As of a `RiskDensity`; its L is G.
    mu : Fraction
        μ, above 0.
    delta : Fraction
        Between 0 and 1, both excluded.
    """

    mu: Fraction
    delta: Fraction

    def __post_init__(self) -> None:
        RiskDensity.__post_init__(self)
        chance_of_failing(self.delta)

    @property
    def loss(self) -> PrivacyLoss:
        """What an exact draw costs."""
        return PrivacyLoss(self.epsilon, self.delta)

    @property
    def k(self) -> float:
        """What the regularised mean loss is multiplied by: k = μn²/(4G²σ²)."""
        sigma = analytic_gaussian_sigma(float(self.epsilon), float(self.delta))
        return float(self.mu * self.n**2 / (4 * self.lipschitz**2)) / sigma**2

    def regularised(self, risk: EmpiricalRisk) -> EmpiricalRisk:
        """Return the risk with the ridge μ; it has none of its own."""
        if risk.ridge:
            raise ValueError("risk must have no ridge of its own")
        return replace(risk, ridge=self.mu)
