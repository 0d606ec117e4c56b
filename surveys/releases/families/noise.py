"""The noise of a release: each source exactly, by what it was added to or decided."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from surveys.privacy.mechanisms.exponential import Selection
from surveys.privacy.mechanisms.gaussian import DiscreteGaussian
from surveys.privacy.mechanisms.laplace import DiscreteLaplace
from surveys.privacy.mechanisms.stability import StabilityTest


@dataclass(frozen=True, slots=True)
class Source:
    """One source of noise.

    Attributes
    ----------
    on : str
        What it was added to, or what it decided.
    family : str
        The name of its distribution.
    parameters : mapping
        Those of the distribution, exactly, as the public JSON has them.
    moved : Fraction or None
        How far one changed response moves what the noise was added to: in steps and L1 for counts and sums, squared in
        L2 for Gaussian noise, the largest change of a score for choices. None where the noise by itself does not make
        the release private.
    """

    on: str
    family: str
    parameters: Mapping[str, str | int]
    moved: Fraction | None = None

    def document(self) -> dict[str, Any]:
        return {"on": self.on, "family": self.family, **self.parameters}


def laplace(on: str, noise: DiscreteLaplace, grid: Fraction = Fraction(1)) -> Source:
    """Pr(X = x steps) ∝ exp(−|x|/scale)."""
    sensitivity = Fraction(noise.sensitivity)
    parameters = {"scale": str(sensitivity / noise.epsilon), "grid": str(grid)}
    return Source(on, "discrete_laplace", parameters, sensitivity)


def gaussian(on: str, noise: DiscreteGaussian, changed: Fraction) -> Source:
    """Pr(X = x) ∝ exp(−x²/(2σ²)); `changed` is the squared L2 sensitivity."""
    parameters = {"variance_parameter": str(noise.variance_parameter), "grid": "1"}
    return Source(on, "discrete_gaussian", parameters, changed)


def on_each_count(mechanism: Any) -> list[Source]:  # noqa: ANN401 - any that draws noisy counts
    """Return the noise of noisy counts: each count has its own."""
    if isinstance(mechanism.noise, DiscreteGaussian):
        return [gaussian("each count", mechanism.noise, mechanism.sensitivity.value)]
    return [laplace("each count", mechanism.noise)]


def stability(test: StabilityTest) -> Source:
    """Discrete Laplace noise on the number of reports that keep a result, and the threshold it must exceed."""
    noise = laplace("stability", test.noise)
    return Source(noise.on, noise.family, {**noise.parameters, "threshold": test.threshold})


def choice(one: Selection, family: str = "exponential_mechanism", rounds: int = 1) -> Source:
    """Pr(candidate) ∝ exp(rate·score), or the same of its coin, the candidates in a random order."""
    parameters: dict[str, str | int] = {"rate": str(one.epsilon / (2 * one.sensitivity)), "rounds": rounds}
    return Source("choice", family, parameters, Fraction(one.sensitivity))
