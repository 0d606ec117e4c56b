"""The race: five private learners on the same simulated answers, and what slides' formulas would really spend.

Learners run in floats, on many draws at once, with the constants that their own objects tell. Each has the ridge, or
the step, at which its own bound is least, from public numbers. Densities are summed over a grid, which needs no chain.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache

import numpy as np
import numpy.typing as npt
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from surveys.charts import Axis, IntervalChart, IntervalRow, Table, Tick
from surveys.learn.forms import Pick, Slider, counted
from surveys.learn.learners.chains import ContinuousExponential, RegularizedExponential
from surveys.learn.learners.gradient import GradientPerturbation
from surveys.learn.learners.losses import LogisticLoss
from surveys.learn.learners.objective import ObjectivePerturbation
from surveys.learn.learners.output import OutputPerturbation
from surveys.learn.page import Chapter, LabPage, Numbers, SeededChance, Shown, Values
from surveys.numbers.words import four_digits, in_formula, whole_number
from surveys.privacy.accounting.gaussian import analytic_gaussian_sigma
from surveys.privacy.adjacency import NeighbouringRelation
from surveys.privacy.learning.domain import CodedItem, PatternDomain
from surveys.privacy.mechanisms.mechanism import Norm, Sensitivity

Floats = npt.NDArray[np.float64]
LOSS, DOMAIN = (
    LogisticLoss(),
    PatternDomain(outcome=CodedItem(name="y", codes=2), predictors=(CodedItem(name="x", codes=2),)),
)
DIMENSION, RADIUS, DELTA = DOMAIN.dimension, 2.0, Fraction(1, 10**6)
_TRUTH = np.array([-0.6, 1.2])
_STEPS, _RUNS, _DRAWS = 200, 60, 400
_GRID, _NEWTON = 121, 8
_LEAST = 1e-7
# So many standard deviations of a density about its peak, and of one that its ridge alone holds.
_NEAR, _FAR = 12.0, 7.0
_RIDGES = np.geomspace(1e-5, 10, 400)
# Of a sum of slopes of at most 1: (2L)².
_REPLACED = Sensitivity(Fraction(4), Norm.L2_SQUARED, NeighbouringRelation.REPLACE_ONE)


@dataclass(frozen=True, slots=True)
class Finish:
    """How much more risk a learner's parameters have than the best: the mean, the middle 90 of 100, and the bound."""

    mean: float
    low: float
    high: float
    bound: float
    spent: float  # ε by the proof of the noise that was drawn


@dataclass(frozen=True)
class LearningTrack:
    """One simulated data set."""

    n: int

    @cached_property
    def table(self) -> tuple[Floats, Floats, Floats]:
        """The features and the outcome of each pattern, and its share of the answers."""
        rows = [(x, y) for y in DOMAIN.targets for x in DOMAIN.features]
        x, y = np.array([x for x, _y in rows], dtype=np.float64), np.array([y for _x, y in rows], dtype=np.float64)
        chances = 1 / (1 + np.exp(-y * (x @ _TRUTH))) / len(DOMAIN.features)
        return x, y, SeededChance(self.n).generator.multinomial(self.n, chances) / self.n

    def risks(self, theta: Floats) -> Floats:
        """Return the mean loss at each of many parameters."""
        x, y, weights = self.table
        return np.asarray(LOSS.values(theta @ x.T, y) @ weights)

    def gradients(self, theta: Floats) -> Floats:
        x, y, weights = self.table
        return np.asarray((LOSS.slopes(theta @ x.T, y) * weights) @ x)

    def bends(self, theta: Floats) -> Floats:
        """Return its second derivatives."""
        x, y, weights = self.table
        p = np.abs(LOSS.slopes(theta @ x.T, y))
        return np.asarray(np.einsum("bc,cp,cq->bpq", p * (1 - p) * weights, x, x))

    def minima(self, ridge: float = 1e-9, tilts: Floats | float = 0.0, rows: int = 1) -> Floats:
        """Return where the tilted, regularised risk is least: Newton's method."""
        theta = np.zeros((rows, DIMENSION))
        for _turn in range(_NEWTON):
            bends = self.bends(theta) + ridge * np.eye(DIMENSION)
            slopes = self.gradients(theta) + ridge * theta + tilts
            theta = theta - np.linalg.solve(bends, slopes[:, :, np.newaxis])[:, :, 0]
        return theta

    @cached_property
    def best(self) -> Floats:
        """The parameters of least risk."""
        return self.minima()

    def excess(self, theta: Floats) -> Floats:
        """Return how much more risk parameters have."""
        return np.asarray(self.risks(theta) - self.risks(self.best))

    def density(self, factor: float, ridge: float = 0.0, bound: float = math.inf) -> tuple[Floats, Floats]:
        """Return excess risks on a grid, and the probabilities ∝ exp(−factor·(risk + ridge/2·‖θ‖²))."""
        centre = self.minima(max(ridge, 1e-9))
        peaks, axes = np.linalg.eigh(self.bends(centre)[0] + ridge * np.eye(DIMENSION))
        widest = 2 * bound if math.isfinite(bound) else _FAR / math.sqrt(factor * ridge)
        reach = np.minimum(_NEAR / np.sqrt(factor * peaks), widest)
        along = np.linspace(-1, 1, _GRID)
        theta = centre + np.stack(np.meshgrid(*(along * wide for wide in reach)), axis=-1).reshape(-1, 2) @ axes.T
        squares, excess = (theta**2).sum(axis=1), self.excess(theta)
        heights = np.where(squares > bound**2, -np.inf, -factor * (excess + ridge / 2 * squares))
        chances = np.exp(heights - heights.max())
        return excess, np.asarray(chances / chances.sum())


def _lengths(scale: float) -> Floats:
    """Draw vectors of density ∝ exp(−‖b‖/scale)."""
    generator = SeededChance(1).generator
    ways = generator.standard_normal((_DRAWS, DIMENSION))
    lengths = generator.gamma(DIMENSION, scale, size=(_DRAWS, 1))
    return np.asarray(ways / np.linalg.norm(ways, axis=1, keepdims=True) * lengths)


def _finish(excess: Floats, chances: Floats | None, bound: float, spent: float) -> Finish:
    weights = np.full(len(excess), 1 / len(excess)) if chances is None else chances
    order = np.argsort(excess)
    below = np.cumsum(weights[order])
    places = np.minimum(len(excess) - 1, np.searchsorted(below, (0.05, 0.95)))
    low, high = excess[order][places].tolist()
    return Finish(float(weights @ excess), low, high, bound, spent)


def exponential(track: LearningTrack, epsilon: Fraction, *, slide: bool) -> Finish:
    """Draw with η = ε/(4LR); without the mechanism's 2, ε/(2LR)."""
    used = epsilon * (2 if slide else 1)
    learner = ContinuousExponential(n=track.n, lipschitz=LOSS.lipschitz, radius=Fraction(2), epsilon=used)
    excess, chances = track.density(learner.k, bound=RADIUS)
    return _finish(excess, chances, learner.utility(DIMENSION), float(used))


def output(track: LearningTrack, epsilon: Fraction, *, slide: bool) -> Finish:
    """Add noise of scale 2L/(nΛε); inverted, Λ/(4Lε)."""
    square = DIMENSION * (DIMENSION + 1) * (2 / (track.n * float(epsilon))) ** 2
    bounds = (0.25 + _RIDGES) / 2 * square / _RIDGES**2 + _RIDGES * RADIUS**2 / 2
    ridge = float(_RIDGES[bounds.argmin()])
    learner = OutputPerturbation(n=track.n, ridge=Fraction(ridge), dimension=DIMENSION, epsilon=epsilon)
    scale = ridge / (4 * float(epsilon)) if slide else learner.mean_norm / DIMENSION
    excess = track.excess(track.minima(ridge) + _lengths(scale))
    return _finish(excess, None, float(bounds.min()), float(learner.shift) / scale)


def objective(track: LearningTrack, epsilon: Fraction, *, slide: bool) -> Finish:
    """Tilt by noise for ε′ = ε − 2·ln(1 + c/(nΛ)); without the logarithm, for ε. The Jacobian costs ln(1 + c/(nΛ))."""
    square = 4 * DIMENSION * (DIMENSION + 1) / track.n**2
    ridge = math.sqrt(2 * square) / (float(epsilon) * RADIUS)
    learner = ObjectivePerturbation(n=track.n, ridge=Fraction(ridge), epsilon=epsilon)
    used = float(epsilon) if slide else learner.effective_epsilon
    total_ridge = ridge + (0 if slide else learner.added_ridge)
    excess = track.excess(track.minima(total_ridge, _lengths(2 / used) / track.n, rows=_DRAWS))
    spent = used + math.log1p(0.25 / (track.n * total_ridge))
    return _finish(excess, None, square / used**2 / total_ridge + total_ridge * RADIUS**2 / 2, spent)


def gradient(track: LearningTrack, epsilon: Fraction, *, slide: bool) -> Finish:
    """Add noise for sums that a replaced answer moves by 2L; for L alone, half of it."""
    learner = GradientPerturbation(steps=_STEPS, sensitivity=_REPLACED, epsilon=epsilon, delta=DELTA)
    sigma, generator = learner.sigma / (2 if slide else 1), SeededChance(2).generator
    size = math.sqrt(1 + DIMENSION * (sigma / track.n) ** 2)
    theta, total = np.zeros((_RUNS, DIMENSION)), np.zeros((_RUNS, DIMENSION))
    noise = sigma / track.n * generator.standard_normal((_STEPS, _RUNS, DIMENSION))
    for step in range(_STEPS):
        total += theta / _STEPS
        theta = theta - RADIUS / (size * math.sqrt(_STEPS)) * (track.gradients(theta) + noise[step])
        theta *= np.minimum(1, RADIUS / np.maximum(np.linalg.norm(theta, axis=1, keepdims=True), 1e-9))
    spent = _epsilon_of(sigma / math.sqrt(_STEPS) / 2) if slide else float(epsilon)
    return _finish(track.excess(total), None, RADIUS * size / math.sqrt(_STEPS), spent)


def regularized(track: LearningTrack, epsilon: Fraction, *, slide: bool) -> Finish:
    """Draw from the density ∝ exp(−k(f + μ/2·‖θ‖²)); with a plus there is none, and nothing bounds what is spent."""
    sigma = analytic_gaussian_sigma(float(epsilon), float(DELTA))
    mu = math.sqrt(8 * DIMENSION) * sigma / (track.n * RADIUS)
    learner = RegularizedExponential(n=track.n, lipschitz=LOSS.lipschitz, mu=Fraction(mu), epsilon=epsilon, delta=DELTA)
    excess, chances = track.density(learner.k, ridge=mu)
    bound = learner.utility(DIMENSION) + mu * RADIUS**2 / 2
    return _finish(excess, chances, bound, math.inf if slide else float(epsilon))


def _epsilon_of(sigma: float) -> float:
    """Return ε of normal noise of this standard deviation, for what moves by 1: the analytic σ turned round."""
    low, high = 1e-3, 200.0
    for _halving in range(30):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if analytic_gaussian_sigma(middle, float(DELTA)) > sigma else (low, middle)
    return high


LEARNERS: dict[str, Callable[..., Finish]] = {
    "exponential": exponential,
    "output": output,
    "objective": objective,
    "gradient": gradient,
    "regularized": regularized,
}
_NAMES = {
    "exponential": gettext_lazy("exponential mechanism"),
    "output": gettext_lazy("output perturbation"),
    "objective": gettext_lazy("objective perturbation"),
    "gradient": gettext_lazy("gradient perturbation"),
    "regularized": gettext_lazy("regularized exponential mechanism"),
}
_RATES = {
    "exponential": "d/(nε)",
    "output": "(d/(nε))^⅔",
    "objective": "d/(nε)",
    "gradient": "√(d·ln(1/δ))/(nε) + 1/√T",
    "regularized": "√(d·ln(1/δ))/(nε)",
}


@lru_cache(maxsize=8)
def track_of(n: int) -> LearningTrack:
    return LearningTrack(n)


@lru_cache(maxsize=512)
def _finish_of(learner: str, n: int, epsilon: Fraction, slide: bool) -> Finish:
    return LEARNERS[learner](track_of(n), epsilon, slide=slide)


class Race(LabPage):
    """Five learners, one data set, one ε."""

    place = 24
    chapter = Chapter.LEARNING
    slug = "race"
    title = gettext_lazy("Which private learner loses the least?")
    source = "Chaudhuri, Monteleoni & Sarwate 2011; Bassily, Smith & Thakurta 2014; Gopi, Lee & Liu 2022"
    controls = {
        "epsilon": Slider("0.1", "5", step="0.1", initial="1", label=gettext_lazy("Privacy budget spent, ε")),
        "people": Pick(counted(300, 1000, 10_000), initial="1000", label=gettext_lazy("People")),
        "formulas": Pick(
            {"proved": gettext_lazy("as proved"), "slides": gettext_lazy("as on the slides")},
            initial="proved",
            label=gettext_lazy("Formulas"),
        ),
    }  # fmt: skip

    def numbers(self, values: Values, _chance: SeededChance) -> Numbers:
        """Let all run."""
        n, epsilon, slide = int(values["people"]), values["epsilon"], values["formulas"] == "slides"
        finishes = {name: _finish_of(name, n, epsilon, slide) for name in LEARNERS}
        audited = {name: run.spent if math.isfinite(run.spent) else None for name, run in finishes.items()}
        return {
            "epsilon": epsilon,
            "mean": {name: run.mean for name, run in finishes.items()},
            "low": {name: run.low for name, run in finishes.items()},
            "high": {name: run.high for name, run in finishes.items()},
            "bound": {name: run.bound for name, run in finishes.items()},
            # None: nothing bounds it.
            "spent": audited,
            "exponential_bound": finishes["exponential"].bound,
            "objective_spent": finishes["objective"].spent,
        }

    def show(self, values: Values, numbers: Numbers) -> Shown:
        """Draw where each finishes, and name who spends too much."""
        means, meant = numbers["mean"], numbers["epsilon"]
        order = sorted(means, key=means.__getitem__)
        cheats = [name for name, spent in numbers["spent"].items() if _is_over(spent, meant)]
        finite = [numbers["spent"][name] for name in cheats if numbers["spent"][name] is not None]
        figures = {
            "first": _NAMES[order[0]],
            "last": _NAMES[order[-1]],
            "times": in_formula(float(f"{means[order[-1]] / means[order[0]]:.2g}")),
            "n": whole_number(int(values["people"])),
            "epsilon": four_digits(meant),
            "cheats": whole_number(len(cheats)),
            "most": four_digits(max(finite, default=0.0)),
        }
        if cheats:
            title = _("%(cheats)s of 5 formulas may spend more than ε = %(epsilon)s") % figures
            sentence = _(
                "The formulas on the slides look better because their noise hides less. Among the formulas "
                "whose ε has a limit, the highest limit is ε = %(most)s."
            )
        else:
            title = _("Smallest loss: %(first)s") % figures
            sentence = _(
                "With %(n)s people and ε = %(epsilon)s, the loss of %(last)s is %(times)s times the smallest. "
                "All learners stay within their theorems’ bounds."
            )
        return Shown(sentence % figures, (_chart(numbers, title, order),))


def _is_over(spent: float | None, meant: Fraction) -> bool:
    return spent is None or spent > float(meant) * (1 + 1e-4)


def _chart(numbers: Numbers, title: str, order: list[str]) -> IntervalChart:
    rows, cells = [], []
    for name in order:
        mean, low, high, spent = (numbers[key][name] for key in ("mean", "low", "high", "spent"))
        size = in_formula(float(f"{mean:.2g}"))
        over = _is_over(spent, numbers["epsilon"])
        detail = _("may spend ε = %(spent)s") % {"spent": "∞" if spent is None else four_digits(spent)} if over else ""
        label = str(_NAMES[name])
        rows.append(
            IntervalRow(
                label,
                f"{label}: {size}. {detail}",
                size,
                mean,
                max(low, _LEAST),
                max(high, _LEAST),
                truth=numbers["bound"][name],
                detail=f"✗ {detail}" if over else "",
            )
        )
        bound = in_formula(float(f"{numbers['bound'][name]:.2g}"))
        cells.append((label, size, bound, _RATES[name], "∞" if spent is None else four_digits(spent)))
    headings = (_("Learner"), _("Loss"), _("Theorem’s bound"), _("Rate"), _("ε spent"))
    return IntervalChart(
        name="race",
        title=title,
        text=" ".join(row.says for row in rows),
        table=Table(title, headings, tuple(cells)),
        axis=_axis(),
        rows=rows,
        interval_label=_("mean and the middle 90 of 100 draws"),
        truth_label=_("the theorem’s bound"),
    )


def _axis() -> Axis:
    ticks = ((1e-6, "10⁻⁶"), (1e-4, "10⁻⁴"), (1e-2, "10⁻²"), (1.0, "1"))
    title = _("excess loss per person")
    return Axis(_LEAST, 1, tuple(Tick(value, label) for value, label in ticks), title, logarithmic=True)


PAGE = Race()
