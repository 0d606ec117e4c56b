"""Truths of a known joint distribution, and tables of their reports as they would be published."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from surveys.estimation.learning.table import ReleasedTable, each_axis
from surveys.estimation.regression.truths import indicators
from surveys.estimation.released.noise import CountNoise, likely_noise
from surveys.privacy.designs import Design
from surveys.privacy.mechanisms.gaussian import DiscreteGaussian
from surveys.privacy.mechanisms.laplace import DiscreteLaplace
from tests.estimation.regression.data import Floats, sigmoid

NO_NOISE = DiscreteLaplace(Fraction(10_000), 2)
MUCH = DiscreteGaussian(Fraction(400))
"""About as much as 1,000 answers in four cells scatter themselves."""


def laplace(epsilon: object) -> DiscreteLaplace:
    """The noise on a table of which one response changes two counts by 1."""
    return DiscreteLaplace(Fraction(epsilon), 2)


@dataclass(frozen=True)
class Population:
    """A logistic model of the outcome, the first item, and free shares of the predictors' truths."""

    designs: tuple[Design | None, ...]
    coefficients: tuple[float, ...]
    shares: tuple[float, ...]
    shape: tuple[int, ...]

    @property
    def rows(self) -> Floats:
        return np.hstack([np.ones((len(self.shares), 1)), indicators(self.shape)])

    @property
    def truths(self) -> Floats:
        """The joint distribution of all truths."""
        yes, shares = sigmoid(self.rows @ np.array(self.coefficients)), np.array(self.shares)
        return np.concatenate([shares * (1 - yes), shares * yes]).reshape(2, *self.shape)

    @property
    def line(self) -> Floats:
        """The coefficients of the best linear predictor of the outcome's truth, 0 or 1."""
        weighted = self.rows * np.array(self.shares)[:, np.newaxis]
        return np.linalg.solve(weighted.T @ self.rows, weighted.T @ sigmoid(self.rows @ np.array(self.coefficients)))

    def tables(
        self, n: int, noise: CountNoise, rounds: int, seed: int, designs: tuple[Design | None, ...] | None = None
    ) -> list[ReleasedTable]:
        """Releases of as many surveys; read through other designs than those of the reports, if some are given."""
        generator = np.random.default_rng(seed)
        matrices = [
            np.eye(k) if design is None else np.array(design.matrix, dtype=float)
            for design, k in zip(self.designs, self.truths.shape, strict=True)
        ]
        reported = each_axis(matrices, self.truths)
        values, chances = likely_noise(noise)
        counts = generator.multinomial(n, reported.ravel(), size=rounds)
        noisy = counts + generator.choice(values, p=chances, size=counts.shape)
        return [ReleasedTable(one.reshape(reported.shape), n, designs or self.designs, noise) for one in noisy]
