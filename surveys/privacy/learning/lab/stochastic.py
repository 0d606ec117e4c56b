"""Stochastic gradient descent with noise (DP-SGD), and what it costs by Rényi privacy.

In each step every response takes part by its own coin of probability q, gradients are clipped at C, and normal noise of
standard deviation σC is added to their sum. Neighbours add or remove one response, so that nothing here is a release of
a survey that shows how many answered.

The Rényi divergence of order α of a step is ln A/(α − 1), A = E[(1 − q + q·exp((2z − 1)/(2σ²)))^α] over z normal with
standard deviation σ; the other direction has no more, as Mironov, Talwar & Zhang (2019) show. It is formed as a sum
over a grid, which errs by less than any digit of a float for such a function. It turns into (ε, δ) as in Canonne,
Kamath & Steinke (2020), Proposition 12, at the best of many orders.

References
----------
Abadi, Chu, Goodfellow, McMahan, Mironov, Talwar & Zhang (2016), Deep learning with differential privacy.
Mironov, Talwar & Zhang (2019), Rényi differential privacy of the sampled Gaussian mechanism.
"""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from surveys.privacy.learning.lab import LabLearner
from surveys.privacy.learning.losses import TrainingLoss
from surveys.privacy.rationals import whole_number

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]

_ORDERS: tuple[float, ...] = (*(1 + tenth / 10 for tenth in range(1, 100)), *range(11, 64), 128, 256, 512, 1024)
"""Those that are customary, so that figures compare with other accountants'; the best of all orders gains 1e-4 of ε."""

_GRID_OF_SIGMA, _REACH = 16, 15


@dataclass(frozen=True, slots=True, kw_only=True)
class StochasticGradient(LabLearner):
    """So many noisy steps on random parts of the responses.

    Parameters
    ----------
    rate : float
        q, above 0, at most 1.
    sigma : float
        σ, of the noise in units of C; at least 0.2.
    steps : int
        T.
    clip : float
        C.
    """

    rate: float
    sigma: float
    steps: int
    clip: float = 1.0

    def __post_init__(self) -> None:
        if not 0 < self.rate <= 1:
            raise ValueError(f"rate must be above 0 and at most 1, got {self.rate!r}")
        if not 0.2 <= self.sigma < math.inf:
            raise ValueError(f"sigma must be at least 0.2, got {self.sigma!r}")
        whole_number(self.steps, "steps", 1)
        if not 0 < self.clip < math.inf:
            raise ValueError(f"clip must be above 0, got {self.clip!r}")

    def renyi_divergence(self, order: float) -> float:
        """Return the Rényi divergence of this order of all steps; the order is above 1."""
        import numpy as np  # noqa: PLC0415 - the lab alone needs numpy

        if not 1 < order < math.inf:
            raise ValueError(f"order must be above 1, got {order!r}")
        rate, sigma = float(self.rate), float(self.sigma)
        width = sigma / _GRID_OF_SIGMA
        z = np.arange(-_REACH * sigma, order + _REACH * sigma, width)
        with np.errstate(divide="ignore"):  # at q = 1 nobody is left out
            ratio = np.logaddexp(np.log1p(-rate), math.log(rate) + (2 * z - 1) / (2 * sigma**2))
        exponents = order * ratio - (z / sigma) ** 2 / 2
        most = float(exponents.max())
        total: float = most + math.log(float(np.exp(exponents - most).sum()) * width / (sigma * math.sqrt(2 * math.pi)))
        return self.steps * max(0.0, total) / (order - 1)

    def epsilon(self, *, delta: float) -> float:
        """Return the ε at this δ, of all steps together."""
        if not 0 < delta < 1:
            raise ValueError(f"delta must be between 0 and 1, both excluded, got {delta!r}")
        return max(
            0.0,
            min(
                self.renyi_divergence(order) + math.log1p(-1 / order) - math.log(delta * order) / (order - 1)
                for order in _ORDERS
            ),
        )

    def train(
        self,
        loss: TrainingLoss,
        table: "tuple[Floats, Floats, npt.NDArray[np.int64]]",
        start: "Floats",
        step_length: float,
        generator: "np.random.Generator",  # noqa: TID251 - simulated people
    ) -> "Floats":
        """Return the parameters after all steps.

        Parameters
        ----------
        loss : TrainingLoss
            Any, with gradients in floats.
        table : tuple of arrays
            The features of each pattern, a row each; its outcome; and how many simulated people have it.
        start : array
            The first parameters.
        step_length : float
            What the mean noisy gradient is multiplied by.
        generator : numpy.random.Generator
            The source of chance.
        """
        import numpy as np  # noqa: PLC0415 - the lab alone needs numpy

        features, outcomes, counts = table
        theta, expected = np.array(start, dtype=np.float64), self.rate * counts.sum()
        for _ in range(self.steps):
            gradients = loss.gradients(theta, features, outcomes)
            lengths = np.maximum(np.linalg.norm(gradients, axis=1), self.clip)
            taken = generator.binomial(counts, self.rate) * self.clip / lengths
            noise = self.sigma * self.clip * generator.standard_normal(theta.size)
            theta -= step_length * (taken @ gradients + noise) / expected
        return theta
