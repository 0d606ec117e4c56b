"""Draws how much risk private learners add: `python -m tests.learning_curves` writes docs/pictures/learning.svg.

Each point is the mean of 200 simulated surveys. Learners run in floats, on all surveys at once, with the constants that
their own objects tell; each has the ridge, or the step, at which its own bound is least, from public numbers.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from xml.sax.saxutils import escape

import numpy as np
import numpy.typing as npt
import scipy

from surveys.learn.learners.chains import ContinuousExponential, RegularizedExponential, draw_by_metropolis
from surveys.learn.learners.gradient import GradientPerturbation
from surveys.learn.learners.losses import LogisticLoss
from surveys.learn.learners.objective import ObjectivePerturbation
from surveys.learn.learners.output import OutputPerturbation
from surveys.learn.learners.stochastic import StochasticGradient
from surveys.privacy.accounting.gaussian import analytic_gaussian_sigma
from surveys.privacy.learning.domain import CodedItem, PatternDomain

PICTURE = Path(__file__).resolve().parent.parent / "docs" / "pictures" / "learning.svg"
Floats = npt.NDArray[np.float64]
ROUNDS, RADIUS, DELTA, LOSS = 200, 2.0, Fraction(1, 10**6), LogisticLoss()
STEPS, RATE = 4_000, 0.1
ALONG = {
    "n": [(n, 3, Fraction(1)) for n in (300, 1_000, 3_000, 10_000, 30_000, 100_000)],
    "d": [(10_000, d, Fraction(1)) for d in (2, 3, 4, 5, 6, 7)],
    "ε": [(10_000, 3, Fraction(epsilon)) for epsilon in ("0.1", "0.2", "0.5", "1", "2", "5")],
}
TITLES = {"n": "answers n", "d": "coefficients d", "ε": "ε"}


@dataclass(frozen=True)
class Surveys:
    """Simulated surveys of n answers, to an outcome and d − 1 questions of two answers each."""

    n: int
    d: int
    epsilon: Fraction

    @cached_property
    def table(self) -> tuple[Floats, Floats]:
        """The features and the outcome of each pattern."""
        asked = [CodedItem(name=f"{place}", codes=2) for place in range(self.d)]
        domain = PatternDomain(outcome=asked[0], predictors=tuple(asked[1:]))
        rows = [(x, y) for y in domain.targets for x in domain.features]
        return np.array([x for x, _ in rows], dtype=np.float64), np.array([y for _, y in rows], dtype=np.float64)

    @cached_property
    def counts(self) -> npt.NDArray[np.int64]:
        x, y = self.table
        theta = np.zeros(self.d)
        theta[:2] = -0.6, 1.2
        chances = scipy.special.expit(y * (x @ theta)) / (len(y) / 2)
        generator = np.random.default_rng([self.n, self.d, round(100 * self.epsilon)])
        return generator.multinomial(self.n, chances, size=ROUNDS)

    def risks(self, theta: Floats) -> Floats:
        """The mean loss of each survey at its own parameters."""
        x, y = self.table
        return (LOSS.values(theta @ x.T, y) * self.counts).sum(axis=1) / self.n

    def gradients(self, theta: Floats, taken: npt.NDArray[np.int64] | None = None) -> Floats:
        """The sums of the gradients of who takes part."""
        x, y = self.table
        return np.asarray((LOSS.slopes(theta @ x.T, y) * (self.counts if taken is None else taken)) @ x)

    def minima(self, ridge: float = 1e-9, tilts: Floats | float = 0.0) -> Floats:
        """Where the tilted, regularised risk of each is least: Newton's method."""
        (x, y), theta = self.table, np.zeros((ROUNDS, self.d))
        for _ in range(12):
            p = np.abs(LOSS.slopes(theta @ x.T, y))
            bends = np.einsum("bc,cp,cq->bpq", self.counts * p * (1 - p) / self.n, x, x) + ridge * np.eye(self.d)
            slopes = self.gradients(theta) / self.n + ridge * theta + tilts
            theta = theta - np.linalg.solve(bends, slopes[:, :, np.newaxis])[:, :, 0]
        assert np.abs(self.gradients(theta) / self.n + ridge * theta + tilts).max() < 1e-6
        return theta

    @cached_property
    def least(self) -> Floats:
        return self.risks(self.minima())

    def excess(self, theta: Floats) -> float:
        return float((self.risks(theta) - self.least).mean())

    @property
    def chance(self) -> np.random.Generator:
        return np.random.default_rng([1, self.n, self.d, round(100 * self.epsilon)])

    def lengths(self, scale: float) -> Floats:
        """Vectors of density ∝ exp(−‖b‖/scale)."""
        generator = self.chance
        ways = generator.standard_normal((ROUNDS, self.d))
        lengths = generator.gamma(self.d, scale, size=(ROUNDS, 1))
        return np.asarray(ways / np.linalg.norm(ways, axis=1, keepdims=True) * lengths)

    def walk(self, factor: float, ridge: float, bound: float) -> Floats:
        """One draw for each survey from the density ∝ exp(−factor·risk), a chain each."""

        def log_density(theta: Floats) -> Floats:
            squares = (theta**2).sum(axis=1)
            risks = self.risks(theta) + ridge / 2 * squares
            return np.where(squares > bound**2, -np.inf, -factor * risks)

        width = min(RADIUS, 3 / math.sqrt(factor))
        drawn = draw_by_metropolis(log_density, self.d, self.chance, chains=ROUNDS, steps=1500, width=width)
        return drawn.last


Point = tuple[float, float]
"""The mean excess risk, and the theorem's bound on it."""


def exponential(of: Surveys) -> Point:
    learner = ContinuousExponential(n=of.n, lipschitz=Fraction(1), radius=Fraction(2), epsilon=of.epsilon)
    return of.excess(of.walk(learner.k, 0.0, RADIUS)), learner.utility(of.d)


def output(of: Surveys) -> Point:
    square = of.d * (of.d + 1) * (2 / (of.n * float(of.epsilon))) ** 2

    def bound(ridge: float) -> float:
        return (0.25 + ridge) / 2 * square / ridge**2 + ridge * RADIUS**2 / 2

    ridge = min(np.geomspace(1e-5, 10, 400), key=bound)
    learner = OutputPerturbation(n=of.n, ridge=Fraction(float(ridge)), dimension=of.d, epsilon=of.epsilon)
    return of.excess(of.minima(ridge) + of.lengths(learner.mean_norm / of.d)), bound(ridge)


def objective(of: Surveys) -> Point:
    square = 4 * of.d * (of.d + 1) / of.n**2
    ridge = math.sqrt(2 * square) / (float(of.epsilon) * RADIUS)
    learner = ObjectivePerturbation(n=of.n, ridge=Fraction(ridge), epsilon=of.epsilon)
    strength = ridge + learner.added_ridge
    bound = square / learner.effective_epsilon**2 / strength + strength * RADIUS**2 / 2
    return of.excess(of.minima(strength, of.lengths(2 / learner.effective_epsilon) / of.n)), bound


def in_ball(theta: Floats) -> Floats:
    return np.asarray(theta * np.minimum(1, RADIUS / np.maximum(np.linalg.norm(theta, axis=1, keepdims=True), 1e-9)))


def gradient(of: Surveys) -> Point:
    learner = GradientPerturbation(steps=STEPS, sensitivity=Fraction(2), epsilon=of.epsilon, delta=DELTA)
    sigma, generator, theta, total = learner.sigma, of.chance, np.zeros((ROUNDS, of.d)), 0.0
    size = math.sqrt(1 + of.d * (sigma / of.n) ** 2)
    for _ in range(STEPS):
        total = total + theta / STEPS
        noisy = of.gradients(theta) + sigma * generator.standard_normal(theta.shape)
        theta = in_ball(theta - RADIUS / (size * math.sqrt(STEPS)) * noisy / of.n)
    return of.excess(np.asarray(total)), RADIUS * size / math.sqrt(STEPS)


def stochastic(of: Surveys) -> Point:
    def spent(sigma: float) -> float:
        return StochasticGradient(rate=RATE, sigma=sigma, steps=STEPS).epsilon(delta=1e-6) - float(of.epsilon)

    sigma = float(scipy.optimize.brentq(spent, 0.3, 1000, xtol=1e-3))
    # n stands for the public number of people that sums are divided by.
    generator, theta, total, expected = of.chance, np.zeros((ROUNDS, of.d)), 0.0, RATE * of.n
    size = math.sqrt(1 + 1 / expected + of.d * (sigma / expected) ** 2)
    for _ in range(STEPS):
        total = total + theta / STEPS
        taken = generator.binomial(of.counts, RATE)
        noisy = of.gradients(theta, taken) + sigma * generator.standard_normal(theta.shape)
        theta = in_ball(theta - RADIUS / (size * math.sqrt(STEPS)) * noisy / expected)
    return of.excess(np.asarray(total)), RADIUS * size / math.sqrt(STEPS)


def regularized(of: Surveys) -> Point:
    sigma = analytic_gaussian_sigma(float(of.epsilon), float(DELTA))
    mu = math.sqrt(8 * of.d) * sigma / (of.n * RADIUS)
    learner = RegularizedExponential(n=of.n, lipschitz=Fraction(1), mu=Fraction(mu), epsilon=of.epsilon, delta=DELTA)
    return of.excess(of.walk(learner.k, mu, math.inf)), learner.utility(of.d) + mu * RADIUS**2 / 2


LEARNERS: dict[str, tuple[str, str, Callable[[Surveys], Point]]] = {
    "Exponential mechanism": ("ε", "d/(nε)", exponential),
    "Output perturbation": ("ε", "(d/(nε))^⅔", output),
    "Objective perturbation": ("ε", "d/(nε)", objective),
    "Gradient perturbation": ("ε, δ", "√(d·ln(1/δ))/(nε) + 1/√T", gradient),
    "DP-SGD": ("ε, δ, add or remove", "√(d·ln(1/δ))/(nε) + 1/√T", stochastic),
    "Regularized exponential": ("ε, δ", "√(d·ln(1/δ))/(nε)", regularized),
}

_WIDE, _HIGH, _NAMES, _LEFT, _TOP, _GAP = 232, 96, 216, 56, 76, 28
_LOWEST, _HIGHEST = 1e-7, 1.0
_STYLE = """
    text { font: 13px system-ui, sans-serif; fill: #1c2430 }
    .says { fill: #5a6472 } .tick { fill: #5a6472; font-size: 11px }
    .paper { fill: #fff } .line { stroke: #d8dde4; fill: none }
    .found { stroke: #2f5d8a; fill: none; stroke-width: 2 } .dot { fill: #2f5d8a }
    .bound { stroke: #5a6472; fill: none; stroke-width: 1.5; stroke-dasharray: 5 4 }
    @media (prefers-color-scheme: dark) {
      text { fill: #e6eaf0 } .says, .tick { fill: #a3adba }
      .paper { fill: #12171e } .line { stroke: #2c3540 }
      .found { stroke: #8fb8e0 } .dot { fill: #8fb8e0 } .bound { stroke: #a3adba }
    }
"""


def draw() -> str:
    """Return the picture: a row a learner, a column for what changes; both axes logarithmic."""
    width = _NAMES + (_LEFT + _WIDE) * len(ALONG) + 16
    height = _TOP + (_HIGH + _GAP) * len(LEARNERS) + 24
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" role="img">',
        "  <title>How much risk private learners add, by answers, coefficients and ε</title>",
        f"  <style>{_STYLE}  </style>",
        f'  <rect class="paper" width="{width}" height="{height}"/>',
        '  <text x="16" y="24" font-weight="600">How much risk privacy adds</text>',
        f'  <text class="says" x="16" y="44">Solid: mean excess risk of {ROUNDS} simulated surveys. Dashed: the '
        "theorem’s bound, its rate on the left. Logistic loss; n = 10,000, d = 3, ε = 1 where they stay; "
        "δ = 10⁻⁶.</text>",
    ]
    for row, (name, (cost, rate, learner)) in enumerate(LEARNERS.items()):
        top = _TOP + row * (_HIGH + _GAP)
        lines += [
            f'  <text x="16" y="{top + 20}" font-weight="600">{escape(name)}</text>',
            f'  <text class="says" x="16" y="{top + 40}">costs {escape(cost)}</text>',
            f'  <text class="says" x="16" y="{top + 60}">{escape(rate)}</text>',
        ]
        for column, (what, cases) in enumerate(ALONG.items()):
            left = _NAMES + _LEFT + column * (_LEFT + _WIDE)
            lines += panel(left, top, what, cases, [learner(Surveys(*case)) for case in cases])
            if row == len(LEARNERS) - 1:
                lines.append(
                    f'  <text x="{left + _WIDE / 2}" y="{height - 8}" text-anchor="middle">{TITLES[what]}</text>'
                )
    return "\n".join([*lines, "</svg>", ""])


def panel(
    left: float, top: float, what: str, cases: list[tuple[int, int, Fraction]], points: list[Point]
) -> Iterator[str]:
    """Yield one panel."""
    values = [float(case["ndε".index(what)]) for case in cases]
    first, last = math.log(values[0]), math.log(values[-1])

    def x(value: float) -> float:
        return round(left + _WIDE * (math.log(value) - first) / (last - first), 1)

    def y(value: float) -> float:
        share = math.log(value / _LOWEST) / math.log(_HIGHEST / _LOWEST)
        return round(top + _HIGH * (1 - min(1.0, max(0.0, share))), 1)

    for tick, words in ((1e-6, "10⁻⁶"), (1e-4, "10⁻⁴"), (1e-2, "10⁻²"), (1.0, "1")):
        yield f'  <path class="line" d="M{left} {y(tick)}H{left + _WIDE}"/>'
        yield f'  <text class="tick" x="{left - 6}" y="{y(tick) + 4}" text-anchor="end">{words}</text>'
    for value in values:
        yield f'  <text class="tick" x="{x(value)}" y="{top + _HIGH + 14}" text-anchor="middle">{_number(value)}</text>'
    for kind, place in (("bound", 1), ("found", 0)):
        way = "L".join(f"{x(value)} {y(point[place])}" for value, point in zip(values, points, strict=True))
        yield f'  <path class="{kind}" d="M{way}"/>'
    for value, point in zip(values, points, strict=True):
        yield f'  <circle class="dot" cx="{x(value)}" cy="{y(point[0])}" r="3"/>'


def _number(value: float) -> str:
    return f"{value / 1000:g}k" if value >= 1000 else f"{value:g}"


def main() -> None:
    PICTURE.write_text(draw(), encoding="utf-8")


if __name__ == "__main__":
    main()
