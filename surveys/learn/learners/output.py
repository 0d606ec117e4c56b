"""Output perturbation: the minimum of a strongly convex risk, with noise for how far one response moves it.

With a convex L-Lipschitz loss and a ridge Λ, replacing one of n responses moves the minimum by at most 2L/(nΛ), whether
the loss is smooth or not: a smooth one is needed to certify a minimum, and for the utility. The textbook adds a real
vector of density ∝ exp(−(nΛε/(2L))·‖b‖), whose length has a Gamma distribution of shape d and *scale* 2L/(nΛε) (one
slide has it inverted). Here is that mechanism's accuracy, for plans; and a release without any float:

1. A point within τ of the exact minimum is found, and τ certified (`risk`).
2. It is rounded to a public grid of step s, which moves it by at most s√d/2.
3. Counted in steps, neighbours then differ by integers of length at most (2L/(nΛ) + 2τ)/s + √d. Each gets discrete
   Gaussian noise for this length; or discrete Laplace noise for √d times it, which bounds the sum of their sizes, and
   needs no δ.

References
----------
Chaudhuri, Monteleoni & Sarwate (2011), Differentially private empirical risk minimization, Algorithm 1.
Wu, Li, Kumar, Chaudhuri, Jha & Naughton (2017), Bolt-on differential privacy for scalable stochastic gradient descent.
"""

import math
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from scipy import special

from surveys.learn.learners.noise import analytic_variance, require_accountable
from surveys.learn.learners.risk import SMALLEST_GRADIENT, EmpiricalRisk, RiskMinimiser, Vector
from surveys.privacy.decimals import float_not_below
from surveys.privacy.learning.learner import LearningCertificate, NoisyLearner
from surveys.privacy.loss import ConcentratedLoss
from surveys.privacy.mechanisms.gaussian import DiscreteGaussian
from surveys.privacy.mechanisms.histogram import Noise
from surveys.privacy.mechanisms.laplace import DiscreteLaplace
from surveys.privacy.mechanisms.mechanism import ErrorBound, Norm, Randbelow, Sensitivity
from surveys.privacy.rationals import positive, root_not_below, whole_number

_ROOT_UNIT = Fraction(1, 2**20)
_STEPS_OF_SHIFT = 1024
_STEPS_OF_GAP = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputPerturbation(RiskMinimiser[Vector]):
    """The parameters at the minimum, each with its own noise, all multiples of a step.

    Parameters
    ----------
    epsilon, delta, relation, risk
        As of a `RiskMinimiser`; the risk must agree with n, the ridge and the dimension.
    n : int
        How many responses there are.
    ridge : Fraction
        Λ, above 0.
    dimension : int
        d, how many parameters there are.
    lipschitz : Fraction
        L, not below that of the loss.
    step : Fraction, optional
        s, at least 64e-24/Λ. By default, it is the largest power of 2 that is not above 2L/(nΛ)/(1024·√d), so that
        rounding costs a thousandth.

    Examples
    --------
    >>> from surveys.learn.learners import EmpiricalRisk, OutputPerturbation
    >>> from surveys.privacy import CodedItem, PatternDomain
    >>> domain = PatternDomain(
    ...     outcome=CodedItem(name="copied", codes=2), predictors=(CodedItem(name="year", codes=2),)
    ... )
    >>> risk = EmpiricalRisk(domain=domain, n=400, ridge="1/100")
    >>> learner = OutputPerturbation.of(risk, 1)
    >>> len(learner.release([120, 80, 90, 110]))
    2
    """

    n: int
    ridge: Fraction
    dimension: int
    lipschitz: Fraction = Fraction(1)
    step: Fraction | None = None

    def __post_init__(self) -> None:
        NoisyLearner.__post_init__(self)
        whole_number(self.n, "n", 1)
        whole_number(self.dimension, "dimension", 1)
        for name in ("ridge", "lipschitz"):
            object.__setattr__(self, name, positive(getattr(self, name), name))
        if self.delta:
            require_accountable(self.epsilon, 1, self.dimension)
        if self.step is None:
            finest = self.shift / _STEPS_OF_SHIFT / self._root
            object.__setattr__(self, "step", _power_not_above(finest))
        object.__setattr__(self, "step", positive(self.step, "step"))
        if not self.tolerance * self.ridge >= SMALLEST_GRADIENT:
            raise ValueError(f"step must be at least {_STEPS_OF_GAP}e-24/ridge: no nearer is a minimum certified")
        if self.risk is not None:
            self._require_agreement(self.risk)

    def _require_agreement(self, risk: EmpiricalRisk) -> None:
        mine, its = (self.n, self.ridge, self.dimension), (risk.n, risk.ridge, risk.domain.dimension)
        if mine != its:
            raise ValueError(f"risk must have the same n, ridge and dimension, got {its} for {mine}")
        loss = risk.training_loss
        loss.require("output perturbation", "lipschitz", "smoothness")
        if loss.lipschitz is None or not loss.lipschitz <= self.lipschitz:
            raise ValueError(f"lipschitz must not be below that of the loss, {loss.lipschitz}, got {self.lipschitz}")
        # J(θ*) ≤ J(0) and losses are at least 0, so Λ/2·‖θ*‖² is at most the largest loss at 0.
        at_zero = max(loss.value(Fraction(0), y) for y in risk.domain.targets)
        if loss.radius is not None and not loss.radius**2 * self.ridge >= 2 * at_zero:
            raise ValueError(f"training_loss must be bounded by the length of every minimum, got {loss.radius}")

    @classmethod
    def of(cls, risk: EmpiricalRisk, epsilon: Fraction, delta: Fraction = Fraction(0)) -> "OutputPerturbation":
        """Return the learner of this risk, with the constants of its loss."""
        risk.training_loss.require("output perturbation", "lipschitz", "smoothness")
        return cls(
            n=risk.n,
            ridge=risk.ridge,
            dimension=risk.domain.dimension,
            epsilon=epsilon,
            lipschitz=risk.training_loss.lipschitz or Fraction(0),
            delta=delta,
            risk=risk,
        )

    @property
    def shift(self) -> Fraction:
        """How far replacing one response moves the exact minimum at most, 2L/(nΛ)."""
        return 2 * self.lipschitz / (self.n * self.ridge)

    @property
    def mean_norm(self) -> float:
        """The textbook mechanism: how long its noise is on average, d·2L/(nΛε)."""
        return float(self.dimension * self.shift / self.epsilon)

    def norm_quantile(self, probability: float) -> float:
        """Return the length that the textbook mechanism's noise does not exceed with this probability."""
        if not 0 < probability < 1:
            raise ValueError(f"probability must be between 0 and 1, got {probability!r}")
        return float(self.shift / self.epsilon) * float(special.gammaincinv(self.dimension, probability))

    @property
    def concentrated(self) -> ConcentratedLoss | None:
        """The same as zero-concentrated privacy, of Gaussian noise."""
        noise = self.noise
        return noise.concentrated_loss(self.sensitivity.value) if isinstance(noise, DiscreteGaussian) else None

    @property
    def tolerance(self) -> Fraction:
        """τ: how far from the exact minimum the point found may be, a 64th of a step."""
        return self._step / _STEPS_OF_GAP

    @property
    def sensitivity(self) -> Sensitivity:
        """Of the integers: in L1, or in squared L2 for Gaussian noise; both are integers."""
        length = (self.shift + 2 * self.tolerance) / self._step + self._root
        if not self.delta:
            return Sensitivity(Fraction(math.floor(length * self._root)), Norm.L1, self.relation)
        return Sensitivity(Fraction(math.floor(length * length)), Norm.L2_SQUARED, self.relation)

    @property
    def noise(self) -> Noise:
        """What is added to each integer."""
        if not self.delta:
            return DiscreteLaplace(self.epsilon, self.sensitivity.value)
        return DiscreteGaussian(analytic_variance(self.epsilon, self.delta, self.sensitivity.value))

    @property
    def utility(self) -> float:
        """How much more regularised risk than the minimum the released parameters have, on average at most.

        (c + Λ)/2·E‖error‖² with c-smooth losses; the noise has mean 0 whatever rounding did before.
        """
        smoothness = self.minimised.training_loss.smoothness or 0
        steps = self.dimension * self.noise.variance + float((self.tolerance / self._step + self._root / 2) ** 2)
        return float((smoothness + self.ridge) / 2 * self._step**2) * steps

    def release(self, counts: Sequence[int], randbelow: Randbelow = secrets.randbelow) -> Vector:
        """Return the noisy parameters."""
        return tuple(number * self._step for number in self.noise.add_noise(self._minimum_in_steps(counts), randbelow))

    def probability(self, output: Vector, counts: Sequence[int]) -> float:
        """Return the probability of these parameters; 0 off the grid."""
        noise, minimum = self.noise, self._minimum_in_steps(counts)
        steps = [number / self._step for number in output]
        if any(step.denominator != 1 for step in steps):
            return 0.0
        return math.prod(noise.probability(int(step) - exact) for step, exact in zip(steps, minimum, strict=True))

    def error_bound(self, n: int, confidence_level: float) -> ErrorBound:
        """Return how far all parameters at once are from the exact minimum's at most; n is the learner's own."""
        whole_number(n, "n")
        steps = self.noise.error_bound(confidence_level, self.dimension) + Fraction(1, 2)
        return ErrorBound(float_not_below(steps * self._step + self.tolerance), confidence_level)

    def certificate(self, output: Vector) -> LearningCertificate:
        """Return how near the minimum the point was certified to be, and how far rounding moved it at most."""
        if len(output) != self.dimension or any((number / self._step).denominator != 1 for number in output):
            raise ValueError(f"output must be {self.dimension} multiples of {self._step}")
        return LearningCertificate(gap=self.tolerance, rounding=self._step * self._root / 2)

    def _minimum_in_steps(self, counts: Sequence[int]) -> list[int]:
        """Return the minimum in steps, each parameter rounded."""
        point, _ = self.minimised.minimum(counts, self.tolerance)
        return [round(theta / self._step) for theta in point]

    @property
    def _step(self) -> Fraction:
        return self.step or Fraction(0)

    @property
    def _root(self) -> Fraction:
        """√d, hardly rounded up."""
        return root_not_below(Fraction(self.dimension), _ROOT_UNIT)


def _power_not_above(value: Fraction) -> Fraction:
    """Return the largest power of 2 that is not above a number above 0."""
    exponent = value.numerator.bit_length() - value.denominator.bit_length()
    power = Fraction(2) ** exponent
    return power if power <= value else power / 2
