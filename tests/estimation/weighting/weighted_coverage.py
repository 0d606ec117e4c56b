"""How often intervals of weighted shares hold, by simulation: many samples at once, several remedies beside each other.

``python -m tests.estimation.coverage_tables`` writes the tables into docs/coverage.md; test_weighted_coverage.py, run
by ``make studies``, finds them again.

References
----------
Korn & Graubard (1998), Confidence intervals for proportions with small expected number of positive counts.
Franco, Little, Louis & Slud (2019), Comparative study of confidence intervals for proportions in complex sample
surveys.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy import special

SAMPLES = 10_000
LEVEL = 0.95
LEAST = 0.94
"""What an interval must hold in every setting, to three standard deviations of the simulation."""
Z = float(special.ndtri(0.5 + LEVEL / 2))
DESIGNS = {"direct": (0.0, 1.0), "5% forced each way": (0.05, 0.9), "two fair coins": (0.25, 0.5)}
"""How often a report is Yes: the first number and, for who has the answer, the second one more."""

Limits = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Drawn:
    """Samples, one in each row; a column holds people of one weight, and of one cluster where there are any."""

    weights: np.ndarray
    counts: np.ndarray
    yes: np.ndarray
    truth: float  # of the weighted share of Yes among all reports
    slope: float
    clustered: bool = False
    margins: np.ndarray | None = None  # the indicators of each column's categories that weights were raked to


@dataclass(frozen=True)
class Figures:
    """Of each sample the share of Yes among reports, its variance by linearization, and what sizes are made of."""

    share: np.ndarray
    variance: np.ndarray
    smoothed: np.ndarray  # the variance, had two of each column's people reported half Yes and half No besides
    n: np.ndarray
    kish: np.ndarray
    freedom: np.ndarray

    @property
    def scatter(self) -> np.ndarray:
        """The variance of one report."""
        return self.share * (1 - self.share)

    def size(self, least: np.ndarray | float = 0.0) -> np.ndarray:
        """The number of reports that tell as much, with a variance of at least this; Kish's where none differ."""
        variance = np.maximum(self.variance, least)
        size = np.divide(self.scatter, variance, out=self.kish.copy(), where=(variance > 0) & (self.scatter > 0))
        return size * (Z / special.stdtrit(self.freedom, 0.5 + LEVEL / 2)) ** 2


def figures_of(drawn: Drawn) -> Figures:
    """Return what `estimate_weighted` finds in each sample, with a share of reports in the place of one of truths."""
    weights, counts, yes = drawn.weights, drawn.counts, drawn.yes
    people = weights * counts
    population = people.sum(axis=1, keepdims=True)
    share = (weights * yes).sum(axis=1, keepdims=True) / population
    explained = np.zeros_like(weights)
    if drawn.margins is not None:
        known, residual = drawn.margins, weights * (yes - counts * share)
        normal = np.einsum("ik,si,il->skl", known, people, known)
        inverse = np.linalg.pinv(normal, hermitian=True, rcond=1e-10)
        explained = np.einsum("skl,sl->sk", inverse, residual @ known) @ known.T
    of_yes, of_no = 1 - share - explained, share + explained
    n, squares = counts.sum(axis=1), yes * of_yes**2 + (counts - yes) * of_no**2
    variance, freedom = n / (n - 1) * (weights**2 * squares).sum(axis=1), n - 1
    if drawn.clustered:
        number = weights.shape[1]
        totals = weights * (yes * of_yes - (counts - yes) * of_no)
        variance, freedom = number / (number - 1) * (totals**2).sum(axis=1), np.full(len(n), number - 1.0)
    total = population[:, 0]
    return Figures(
        share[:, 0],
        variance / total**2,
        (weights * people * (squares + 1) / (counts + 4)).sum(axis=1) / total**2,
        n,
        total**2 / (weights * people).sum(axis=1),
        freedom,
    )


def _wilson(share: np.ndarray, n: np.ndarray) -> Limits:
    centre, half = share * n + Z**2 / 2, Z * np.sqrt(n * share * (1 - share) + Z**2 / 4)
    return (centre - half) / (n + Z**2), (centre + half) / (n + Z**2)


def _agresti_coull(share: np.ndarray, n: np.ndarray) -> Limits:
    centre = (share * n + Z**2 / 2) / (n + Z**2)
    half = Z * np.sqrt(centre * (1 - centre) / (n + Z**2))
    return centre - half, centre + half


def _clopper_pearson(share: np.ndarray, n: np.ndarray) -> Limits:
    yes, tail = share * n, (1 - LEVEL) / 2
    with np.errstate(invalid="ignore"):
        low, high = special.betaincinv(yes, n - yes + 1, tail), special.betaincinv(yes + 1, n - yes, 1 - tail)
    return np.where(yes > 0, low, 0.0), np.where(share < 1, high, 1.0)


def _of_kish(figures: Figures) -> np.ndarray:
    return figures.size(figures.scatter / figures.kish)


METHODS: dict[str, Callable[[Figures], Limits]] = {
    "Wilson, before": lambda found: _wilson(found.share, found.size()),
    "Korn–Graubard": lambda found: _clopper_pearson(found.share, found.size()),
    "Wilson, Kish": lambda found: _wilson(found.share, _of_kish(found)),
    "Agresti–Coull, Kish": lambda found: _agresti_coull(found.share, _of_kish(found)),
    "Korn–Graubard, Kish": lambda found: _clopper_pearson(found.share, _of_kish(found)),
    "Agresti–Coull, smoothed": lambda found: _agresti_coull(
        found.share, found.size(np.minimum(found.scatter / found.kish, found.smoothed))
    ),
}
BEFORE, USED = "Wilson, before", "Agresti–Coull, Kish"


@dataclass(frozen=True)
class Strata:
    """Answers to a plain question whose shares of the population are known; each sample has as many of each."""

    sizes: Sequence[int]
    shares: Sequence[float]
    yes: Sequence[float]  # of the true answers of each
    design: str = "direct"

    def __str__(self) -> str:
        parts = (_many(self.sizes), _many(self.shares), _many(self.yes), self.design)
        return "{} people, shares {}, Yes {}, {}".format(*parts)

    def draw(self, generator: np.random.Generator, samples: int) -> Drawn:
        offset, slope = DESIGNS[self.design]
        sizes, shares, truths = np.array(self.sizes, dtype=float), np.array(self.shares), np.array(self.yes)
        yes = generator.binomial(sizes.astype(int), offset + slope * truths, (samples, len(sizes))).astype(float)
        weights, counts = (np.broadcast_to(each, yes.shape) for each in (shares * sizes.sum() / sizes, sizes))
        truth = offset + slope * float(shares @ truths)
        return Drawn(weights, counts, yes, truth, slope, margins=np.eye(len(sizes)))


@dataclass(frozen=True)
class Lognormal:
    """People, or classes of people, whose weights are e to a normal variable's power; Yes may go with the weight."""

    units: int
    spread: float
    yes: float
    design: str = "direct"
    people: int = 1  # in each class
    along: float = 0.0  # how the log odds of Yes rise with a standard deviation of the log weight
    alike: float = 0.0  # the correlation of true answers within a class; above 0 classes are clusters

    def __str__(self) -> str:
        who = f"{self.units} classes of {self.people}" if self.people > 1 else f"{self.units} people"
        more = f", log odds {self.along:+g} a standard deviation" if self.along else ""
        more += f", clusters alike by {self.alike:g}" if self.alike else ""
        return f"{who}, log weights ±{self.spread:g}, Yes {self.yes:g}{more}, {self.design}"

    def draw(self, generator: np.random.Generator, samples: int) -> Drawn:
        offset, slope = DESIGNS[self.design]
        level = generator.normal(size=(samples, self.units))
        truths = self._chance(level)
        if self.alike:
            number = (1 - self.alike) / self.alike
            truths = generator.beta(truths * number, (1 - truths) * number)
        yes = generator.binomial(self.people, offset + slope * truths).astype(float)
        # In a population where everybody counts once, the log weight is normal about its variance.
        nodes, shares = np.polynomial.hermite_e.hermegauss(80)
        truth = float(shares @ self._chance(nodes + self.spread) / shares.sum())
        weights = np.exp(self.spread * level)
        counts = np.full_like(weights, self.people)
        return Drawn(weights, counts, yes, offset + slope * truth, slope, clustered=self.alike > 0)

    def _chance(self, level: np.ndarray) -> np.ndarray:
        chance: np.ndarray = special.expit(special.logit(self.yes) + self.along * level)
        return chance


def _many(values: Sequence[float]) -> str:
    return " + ".join(f"{value:.3g}" for value in values) if len(set(values)) > 1 else f"{values[0]:.3g} each"


FORCED, COINS = "5% forced each way", "two fair coins"
FEW, FIVE = ((185, 15), (0.2, 0.8)), ((100, 60, 30, 15, 10), (0.2,) * 5)
THREE, HALVES, TEN = ((120, 60, 20), (0.2, 0.3, 0.5)), ((1000, 30), (0.5, 0.5)), ((90, 10), (0.5, 0.5))
SETTINGS: tuple[Strata | Lognormal, ...] = (
    Strata(*FEW, (0.01, 0.01)),
    Strata(*FEW, (0.05, 0.05)),
    Strata(*FEW, (0.1, 0.1)),
    Strata(*FEW, (0.3, 0.3)),
    Strata(*FEW, (0.3, 0.05)),
    Strata(*FEW, (0.05, 0.3)),
    Strata(*FEW, (0.05, 0.05), FORCED),
    Strata(*FEW, (0.05, 0.05), COINS),
    Strata((150, 50), (0.25, 0.75), (0.05, 0.05)),
    Strata((150, 50), (0.25, 0.75), (0.02, 0.02), FORCED),
    Strata(*TEN, (0.1, 0.1)),
    Strata(*TEN, (0.3, 0.05), FORCED),
    Strata(*TEN, (0.05, 0.05), COINS),
    Strata((40, 10), (0.3, 0.7), (0.1, 0.1)),
    Strata((40, 10), (0.3, 0.7), (0.1, 0.3), COINS),
    Strata(*THREE, (0.05,) * 3),
    Strata(*THREE, (0.2, 0.1, 0.05), FORCED),
    Strata(*THREE, (0.1, 0.3, 0.6), COINS),
    Strata((300, 80, 20), (1 / 3,) * 3, (0.05,) * 3),
    Strata(*HALVES, (0.05, 0.05)),
    Strata(*HALVES, (0.5, 0.05)),
    Strata(*FIVE, (0.05,) * 5),
    Strata(*FIVE, (0.9, 0.7, 0.5, 0.3, 0.1)),
    Strata((100, 100), (0.5, 0.5), (0.9, 0.1)),
    Lognormal(50, 0.5, 0.1),
    Lognormal(50, 1, 0.1),
    Lognormal(100, 1, 0.05),
    Lognormal(100, 1.5, 0.1),
    Lognormal(200, 1, 0.05),
    Lognormal(200, 1.5, 0.05, FORCED),
    Lognormal(400, 1.5, 0.1),
    Lognormal(100, 1, 0.3, COINS),
    Lognormal(200, 1, 0.1, along=0.5),
    Lognormal(200, 1, 0.1, along=-0.5),
    Lognormal(200, 1, 0.05, FORCED, along=0.5),
    Lognormal(100, 0.5, 0.1, along=0.5),
    Lognormal(20, 0.5, 0.1, people=10),
    Lognormal(20, 1, 0.1, people=10),
    Lognormal(40, 1, 0.05, people=5),
    Lognormal(30, 1, 0.2, FORCED, people=10),
    Lognormal(20, 0.5, 0.1, people=10, alike=0.05),
    Lognormal(20, 1, 0.1, people=10, alike=0.05),
    Lognormal(40, 1, 0.05, people=5, alike=0.02),
    Lognormal(40, 0.5, 0.2, COINS, people=10, alike=0.1),
    Lognormal(30, 1, 0.2, FORCED, people=10, alike=0.05),
    Lognormal(10, 0.5, 0.2, people=20, alike=0.05),
)


@dataclass(frozen=True)
class Coverage:
    """How often each method's intervals held in a setting, and how wide they were, of true answers, cut to 0 to 1."""

    setting: Strata | Lognormal
    held: dict[str, float] = field(default_factory=dict)
    width: dict[str, float] = field(default_factory=dict)

    def __str__(self) -> str:
        cells = (f"{self.held[method]:.3f} · {self.width[method]:.3f}" for method in METHODS)
        return f"| {self.setting} | {' | '.join(cells)} |"


def coverage_in(place: int, samples: int = SAMPLES) -> Coverage:
    """Return what the methods do in a setting; each has a seed of its own."""
    setting = SETTINGS[place]
    drawn = setting.draw(np.random.default_rng([35, place]), samples)
    figures, coverage = figures_of(drawn), Coverage(setting)
    offset = DESIGNS[setting.design][0]
    for method, limits in METHODS.items():
        low, high = limits(figures)
        coverage.held[method] = float(np.mean((low - 1e-12 <= drawn.truth) & (drawn.truth <= high + 1e-12)))
        ends = ((np.array([low, high]) - offset) / drawn.slope).clip(0, 1)
        coverage.width[method] = float((ends[1] - ends[0]).mean())
    return coverage


def least_held(samples: int = SAMPLES) -> float:
    """Return `LEAST` less three standard deviations of a simulation of so many samples."""
    return LEAST - 3 * float(np.sqrt(LEAST * (1 - LEAST) / samples))


def coverage_everywhere() -> list[Coverage]:
    """Return what the methods do in every setting."""
    return [coverage_in(place) for place in range(len(SETTINGS))]


def table(coverages: Sequence[Coverage]) -> str:
    """Return the table of docs/coverage.md."""
    low = {method: [one.held[method] for one in coverages] for method in METHODS}
    wide = {method: float(np.mean([one.width[method] for one in coverages])) for method in METHODS}
    rows = [
        f"| setting | {' | '.join(METHODS)} |",
        "|---" * (1 + len(METHODS)) + "|",
        *map(str, coverages),
        "| **least · mean width** | " + " | ".join(f"{min(low[one]):.3f} · {wide[one]:.3f}" for one in METHODS) + " |",
        f"| **settings below {least_held():.3f}** | "
        + " | ".join(str(sum(held < least_held() for held in low[one])) for one in METHODS)
        + " |",
    ]
    return "\n".join(rows)
