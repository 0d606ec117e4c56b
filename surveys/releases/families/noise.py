"""The noise of a release as its public JSON holds it: each source exactly, by what it was added to or decided."""

from fractions import Fraction
from typing import Any

from surveys.privacy.mechanisms.exponential import Selection
from surveys.privacy.mechanisms.gaussian import DiscreteGaussian
from surveys.privacy.mechanisms.laplace import DiscreteLaplace
from surveys.privacy.mechanisms.stability import StabilityTest

Source = dict[str, Any]


def laplace(on: str, noise: DiscreteLaplace, grid: Fraction = Fraction(1)) -> Source:
    """Pr(X = x steps) ∝ exp(−|x|/scale)."""
    return {
        "on": on,
        "family": "discrete_laplace",
        "scale": str(Fraction(noise.sensitivity) / noise.epsilon),
        "grid": str(grid),
    }


def gaussian(on: str, noise: DiscreteGaussian) -> Source:
    """Pr(X = x) ∝ exp(−x²/(2σ²))."""
    return {"on": on, "family": "discrete_gaussian", "variance_parameter": str(noise.variance_parameter), "grid": "1"}


def stability(test: StabilityTest) -> Source:
    """Discrete Laplace noise on the number of reports that keep a result, and the threshold it must exceed."""
    return {**laplace("stability", test.noise), "threshold": test.threshold}


def choice(one: Selection, family: str = "exponential_mechanism", rounds: int = 1) -> Source:
    """Pr(candidate) ∝ exp(rate·score), or the same of its coin, the candidates in a random order."""
    return {"on": "choice", "family": family, "rate": str(one.epsilon / (2 * one.sensitivity)), "rounds": rounds}
