"""Stochastic gradient descent with noise (DP-SGD), and what it costs: by Rényi privacy, or by its loss itself.

In each step every response takes part by its own coin of probability q, gradients are clipped at C, and normal noise of
standard deviation σC is added to their sum. Neighbours add or remove one response, so that nothing here is a release of
a survey that shows how many answered. Nor may a step be divided by the number of responses: noise divided by n is
narrower for n than for n − 1 and distinguishes them, whatever σ is. It is divided by a public number.

The Rényi divergence of order α of a step is ln A/(α − 1), A = E[(1 − q + q·exp((2z − 1)/(2σ²)))^α] over z normal with
standard deviation σ; the other direction has no more, as Mironov, Talwar & Zhang (2019) show. It is formed as a sum
over a grid, which errs by less than any digit of a float for such a function. It turns into (ε, δ) as in Canonne,
Kamath & Steinke (2020), Proposition 12, at the best of many orders.

The privacy loss of a step is ln(1 − q + q·exp((2z − 1)/(2σ²))) with z from the mixture of N(0, σ²) and N(1, σ²), or
minus that with z from N(0, σ²): somebody is removed, or added. It is put on a grid so that the step's δ(ε), which has a
closed form, is exact at the grid's points and a straight line in e^ε between them, never below the convex curve; so the
losses of T steps, which are added by a Fourier transform, lead to no less than their δ. What is above the grid counts
as failing, and what lies beyond the transform (by Chernoff's bound) is added to δ. It is computed in floats: more than
nine digits of δ are not to be had.

References
----------
Abadi, Chu, Goodfellow, McMahan, Mironov, Talwar & Zhang (2016), Deep learning with differential privacy.
Mironov, Talwar & Zhang (2019), Rényi differential privacy of the sampled Gaussian mechanism.
Doroshenko, Ghazi, Kamath, Kumar & Manurangsi (2022), Connect the dots: tighter discrete approximations of privacy loss
distributions.
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import special

from surveys.learn.learners.losses import TrainingLoss
from surveys.privacy.rationals import whole_number

Floats = npt.NDArray[np.float64]

_ORDERS: tuple[float, ...] = (*(1 + tenth / 10 for tenth in range(1, 100)), *range(11, 64), 128, 256, 512, 1024)
"""Those that are customary, so that figures compare with other accountants'; the best of all orders gains 1e-4 of ε."""

_GRID_OF_SIGMA, _REACH = 16, 15
_LOSS_STEP, _FARTHEST_SIGMA = 1e-4, 9
_BEYOND = 1e-12
"""The probability of losses that the transform of all steps does not hold."""
_HALVINGS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class StochasticGradient:
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

    Examples
    --------
    >>> from surveys.learn.learners import StochasticGradient
    >>> learner = StochasticGradient(rate=0.01, sigma=1.0, steps=1000)
    >>> round(learner.epsilon(delta=1e-5), 4)
    2.1014
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
        if not 1 < order < math.inf:
            raise ValueError(f"order must be above 1, got {order!r}")
        rate, sigma = float(self.rate), float(self.sigma)
        width = sigma / _GRID_OF_SIGMA
        z = np.arange(-_REACH * sigma, order + _REACH * sigma, width)
        with np.errstate(divide="ignore"):  # at q = 1 everybody is in the batch
            ratio = np.logaddexp(np.log1p(-rate), math.log(rate) + (2 * z - 1) / (2 * sigma**2))
        exponents = order * ratio - (z / sigma) ** 2 / 2
        most = float(exponents.max())
        total: float = most + math.log(float(np.exp(exponents - most).sum()) * width / (sigma * math.sqrt(2 * math.pi)))
        return self.steps * max(0.0, total) / (order - 1)

    def epsilon(self, *, delta: float, accounting: str = "rdp") -> float:
        """Return the ε at this δ, of all steps together: by Rényi privacy, or by their privacy loss ("pld").

        The latter is smaller. It is infinite for a δ that is not above what is cut off: 1e-12, or a little more.
        """
        if not 0 < delta < 1:
            raise ValueError(f"delta must be between 0 and 1, both excluded, got {delta!r}")
        if accounting == "pld":
            return max(self._epsilon_of_losses(delta, removed=removed) for removed in (True, False))
        if accounting != "rdp":
            raise ValueError(f"accounting must be rdp or pld, got {accounting!r}")
        return max(
            0.0,
            min(
                self.renyi_divergence(order) + math.log1p(-1 / order) - math.log(delta * order) / (order - 1)
                for order in _ORDERS
            ),
        )

    def _epsilon_of_losses(self, delta: float, *, removed: bool) -> float:
        losses, masses, failing = self._losses_of_a_step(removed=removed)
        rates = np.geomspace(1e-3, 1e3, 200)
        # Chernoff: how far the sum of all losses goes up, and down, but for so little.
        highest, lowest = (
            float(
                min((self.steps * _log_mean(masses, sign * rate * losses) - math.log(_BEYOND)) / rate for rate in rates)
            )
            for sign in (1, -1)
        )
        size = 2 ** math.ceil(math.log2((highest + lowest) / _LOSS_STEP + 2))
        once = np.bincount(np.arange(losses.size) % size, masses, size)
        together = np.maximum(np.fft.irfft(np.fft.rfft(once) ** self.steps, size), 0.0)
        first = self.steps * losses[0]
        turn = math.ceil((-lowest - first) / _LOSS_STEP)
        total, chances = first + _LOSS_STEP * (turn + np.arange(size)), np.roll(together, -turn)
        surely = 2 * _BEYOND - math.expm1(self.steps * math.log1p(-failing))
        low, high = 0.0, highest
        if surely > delta:
            return math.inf
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            above = total > middle
            spent = surely - float(chances[above] @ np.expm1(middle - total[above]))
            low, high = (middle, high) if spent > delta else (low, middle)
        return high

    def _losses_of_a_step(self, *, removed: bool) -> tuple[Floats, Floats, float]:
        """Return losses on a grid, their probabilities, and that of a loss above them all."""
        rate, sigma = float(self.rate), float(self.sigma)
        reach = 1 + _FARTHEST_SIGMA * sigma
        ends = [_loss_at(z, rate, sigma) for z in (1 - reach, reach)]
        first, last = ends if removed else (-ends[1], -ends[0])
        ends_of_grid = math.floor(first / _LOSS_STEP), math.ceil(last / _LOSS_STEP) + 1
        losses = _LOSS_STEP * np.arange(*ends_of_grid, dtype=np.float64)
        odds = (np.expm1(losses if removed else -losses) + rate) / rate
        with np.errstate(divide="ignore"):
            z = sigma**2 * np.log(np.maximum(odds, 0.0)) + 1 / 2
        side = -1 if removed else 1
        without, with_one = special.ndtr(side * z / sigma), special.ndtr(side * (z - 1) / sigma)
        mixed, likelier = (1 - rate) * without + rate * with_one, np.exp(losses)
        deltas = mixed - likelier * without if removed else without - likelier * mixed
        slopes = np.diff(deltas) / np.diff(likelier)
        bends = np.diff(slopes, prepend=(deltas[0] - 1) / likelier[0], append=0.0)
        return losses, np.maximum(likelier * bends, 0.0), max(float(deltas[-1]), 0.0)

    def train(
        self,
        loss: TrainingLoss,
        table: tuple[Floats, Floats, npt.NDArray[np.int64]],
        start: Floats,
        step_length: float,
        generator: np.random.Generator,  # noqa: TID251 - simulated people
        *,
        expected_size: float,
    ) -> Floats:
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
            The source of randomness.
        expected_size : float
            N, about how many people there are, above 0: sums are divided by q·N. It is public, so it must not be
            counted from the table, which neighbours do not have as long as each other.
        """
        if not 0 < expected_size < math.inf:
            raise ValueError(f"expected_size must be above 0, got {expected_size!r}")
        features, outcomes, counts = table
        theta, divisor = np.array(start, dtype=np.float64), self.rate * expected_size
        for _ in range(self.steps):
            gradients = loss.gradients(theta, features, outcomes)
            lengths = np.maximum(np.linalg.norm(gradients, axis=1), self.clip)
            taken = generator.binomial(counts, self.rate) * self.clip / lengths
            noise = self.sigma * self.clip * generator.standard_normal(theta.size)
            theta -= step_length * (taken @ gradients + noise) / divisor
        return theta


def _loss_at(z: float, rate: float, sigma: float) -> float:
    """Return ln(1 − q + q·exp((2z − 1)/(2σ²)))."""
    tilt = (2 * z - 1) / (2 * sigma**2)
    return max(tilt, 0.0) + math.log((1 - rate) * math.exp(-max(tilt, 0.0)) + rate * math.exp(min(tilt, 0.0)))


def _log_mean(masses: Floats, exponents: Floats) -> float:
    most = float(exponents.max())
    return most + math.log(float(masses @ np.exp(exponents - most)))
