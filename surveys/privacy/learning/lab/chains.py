"""Draws from densities ∝ exp(−risk) by Markov chains: the continuous and the regularized exponential mechanism.

A chain comes close to its density and never there. By how much its draws are off in total variation would have to be
added to δ; what diagnostics say of it is no proof, and it is shown.

*Exponential.* Over a ball of radius R, density ∝ exp(−η·Σℓ) with η = ε/(4LR): 2R is the diameter, and the 2 is that of
the exponential mechanism. For least squares, Σ(z − y)²/2, it is normal with the *precision* η·XᵀX, cut off at the ball
(one slide prints the precision as covariance).

*Regularized.* Density ∝ exp(−k(f + μ/2·‖θ‖²)), with a minus, f the mean of G-Lipschitz losses. Between neighbours it is
as hard to tell apart as two normal variables moved by (2G/n)·√(k/μ). With σ the analytic one at sensitivity 1,
k = μn²/(4G²σ²) makes that 1/σ.

References
----------
Gopi, Lee & Liu (2022), Private convex optimization via exponential mechanism, Theorem 4.
Vehtari, Gelman, Simpson, Carpenter & Bürkner (2021), Rank-normalization, folding, and localization: an improved R̂.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from surveys.privacy.accounting.gaussian import analytic_gaussian_sigma
from surveys.privacy.learning.lab import LabLearner
from surveys.privacy.learning.learner import chance_of_failing
from surveys.privacy.learning.reference import as_floats
from surveys.privacy.learning.risk import EmpiricalRisk
from surveys.privacy.loss import PrivacyLoss
from surveys.privacy.rationals import positive, whole_number

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

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
    acceptance : float
        The share of moves that were made.
    """

    draws: "Floats"
    acceptance: float

    @property
    def last(self) -> "Floats":
        """The last parameters of each chain: as good as independent."""
        import numpy as np  # noqa: PLC0415 - the lab alone needs numpy

        return np.asarray(self.draws[-1])

    @property
    def r_hat(self) -> float:
        """The largest split R̂ of all parameters: 1 where halves of chains cannot be told from each other."""
        import numpy as np  # noqa: PLC0415 - the lab alone needs numpy

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
    log_density: "LogDensity",
    dimension: int,
    generator: "np.random.Generator",  # noqa: TID251 - simulated people
    *,
    chains: int = 64,
    steps: int = 2000,
    width: float = 1.0,
) -> MarkovDraws:
    """Return draws of a density, by chains that walk at random from points around 0.

    Parameters
    ----------
    log_density : callable
        Of rows of parameters, up to a constant; −∞ outside of where it lives.
    dimension : int
        How many parameters there are.
    generator : numpy.random.Generator
        The source of chance.
    chains, steps : int
        How many chains, and how long they are: as much is walked before to find the width of a move.
    width : float
        Of the first moves.
    """
    import numpy as np  # noqa: PLC0415 - the lab alone needs numpy

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
class ContinuousExponential(LabLearner):
    """Parameters in a ball, those of smaller total loss more likely.

    Parameters
    ----------
    n : int
        How many responses there are.
    lipschitz, radius : Fraction
        L and R, above 0.
    epsilon : Fraction
        Above 0, in nats.
    """

    n: int
    lipschitz: Fraction
    radius: Fraction
    epsilon: Fraction

    def __post_init__(self) -> None:
        whole_number(self.n, "n", 1)
        for name in ("lipschitz", "radius", "epsilon"):
            object.__setattr__(self, name, positive(getattr(self, name), name))

    @property
    def loss(self) -> PrivacyLoss:
        """What an exact draw costs."""
        return PrivacyLoss(self.epsilon)

    @property
    def eta(self) -> Fraction:
        """η = ε/(2L·2R)."""
        return self.epsilon / (4 * self.lipschitz * self.radius)

    def utility(self, dimension: int) -> float:
        """Return how much more mean loss than the best in the ball a draw has, on average at most: d/(ηn).

        It is O(L·R·d/(nε)): one slide lacks the factor d. For a convex set and loss the mean of ηΣℓ beyond its smallest
        is at most d, as along every ray from the best point it is at most a Gamma variable of shape d.
        """
        return float(whole_number(dimension, "dimension", 1) / (self.eta * self.n))

    def draw(
        self,
        risk: EmpiricalRisk,
        counts: Sequence[int],
        generator: "np.random.Generator",  # noqa: TID251 - simulated people
        *,
        chains: int = 64,
        steps: int = 2000,
    ) -> MarkovDraws:
        """Return what chains draw for simulated people; the ridge is a loss of its own, known to all."""
        import numpy as np  # noqa: PLC0415 - the lab alone needs numpy

        mean_losses, factor, radius = _mean_losses(risk, counts, self.n, self.lipschitz), self.eta * self.n, self.radius

        def log_density(theta: "Floats") -> "Floats":
            outside = (theta**2).sum(axis=1) > float(radius) ** 2
            return np.where(outside, -np.inf, -float(factor) * mean_losses(theta))

        return draw_by_metropolis(
            log_density, risk.domain.dimension, generator, chains=chains, steps=steps, width=float(radius)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RegularizedExponential(LabLearner):
    """Parameters anywhere, those of smaller mean loss and smaller length more likely.

    Parameters
    ----------
    n : int
        How many responses there are.
    lipschitz : Fraction
        G, above 0.
    mu : Fraction
        μ, above 0.
    epsilon : Fraction
        Above 0, in nats.
    delta : Fraction
        Between 0 and 1, both excluded.
    """

    n: int
    lipschitz: Fraction
    mu: Fraction
    epsilon: Fraction
    delta: Fraction

    def __post_init__(self) -> None:
        whole_number(self.n, "n", 1)
        for name in ("lipschitz", "mu", "epsilon", "delta"):
            object.__setattr__(self, name, positive(getattr(self, name), name))
        chance_of_failing(self.delta)

    @property
    def loss(self) -> PrivacyLoss:
        """What an exact draw costs."""
        return PrivacyLoss(self.epsilon, self.delta)

    @property
    def k(self) -> float:
        """What the regularised mean loss is multiplied by: μn²/(4G²σ²)."""
        sigma = analytic_gaussian_sigma(float(self.epsilon), float(self.delta))
        return float(self.mu * self.n**2 / (4 * self.lipschitz**2)) / sigma**2

    def utility(self, dimension: int) -> float:
        """Return how much more regularised mean loss than the best a draw has, on average at most: d/k."""
        return whole_number(dimension, "dimension", 1) / self.k

    def draw(
        self,
        risk: EmpiricalRisk,
        counts: Sequence[int],
        generator: "np.random.Generator",  # noqa: TID251 - simulated people
        *,
        chains: int = 64,
        steps: int = 2000,
    ) -> MarkovDraws:
        """Return what chains draw for simulated people; the risk's own ridge is 0, as μ is in its place."""
        if risk.ridge:
            raise ValueError("risk must have no ridge of its own")
        mean_losses, k, mu = _mean_losses(risk, counts, self.n, self.lipschitz), self.k, float(self.mu)

        def log_density(theta: "Floats") -> "Floats":
            penalised: Floats = mean_losses(theta) + mu / 2 * (theta**2).sum(axis=1)
            return -k * penalised

        width = 1 / math.sqrt(k * mu)
        return draw_by_metropolis(
            log_density, risk.domain.dimension, generator, chains=chains, steps=steps, width=width
        )


def _mean_losses(risk: EmpiricalRisk, counts: Sequence[int], n: int, lipschitz: Fraction) -> "LogDensity":
    """Return the mean loss, and the ridge, of every row of parameters."""
    import numpy as np  # noqa: PLC0415 - the lab alone needs numpy

    risk.training_loss.require("the exponential mechanism", "lipschitz", "convex")
    if risk.n != n or (risk.training_loss.lipschitz or 0) > lipschitz:
        raise ValueError("risk must have this n, and a loss of this Lipschitz constant at most")
    x, y, weights = as_floats(risk, counts)
    ridge = float(risk.ridge)

    def mean_losses(theta: "Floats") -> "Floats":
        losses: Floats = risk.training_loss.values(theta @ x.T, y) @ weights
        return np.asarray(losses + ridge / 2 * (theta**2).sum(axis=1))

    return mean_losses
