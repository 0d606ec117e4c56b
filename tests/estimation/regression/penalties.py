"""Penalties for regressions without a maximum, compared by simulation: how often limits hold, how long and how far off.

One predictor of two answers, known or randomized: every likelihood is looked up on a grid of both coefficients, all
studies of a setting at once, so that no climb can miss a hill. ``python -m tests.estimation.coverage_tables`` writes
the table into docs/coverage.md; test_penalties.py, run by ``make studies``, finds it again.

References
----------
Firth (1993), Bias reduction of maximum likelihood estimates.
Greenland & Mansournia (2015), Penalization, bias reduction, and default priors in logistic and related categorical and
survival regressions.
Gelman, Jakulin, Pittau & Su (2008), A weakly informative default prior distribution for logistic and other regression
models.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy import special

STUDIES = 2_000
EFFECT = 1.0
"""The true log odds ratio."""
LEAST = 0.94
"""What limits must hold in every setting, to three standard deviations of the simulation."""
FEW = 20
"""Of fewer studies without a maximum nothing is said."""
FALL = float(special.ndtri(0.975) ** 2 / 2)
INTERCEPTS = np.linspace(-10.0, 6.0, 81)
SLOPES = np.linspace(-13.0, 13.0, 131)
LARGEST_ERROR = np.log(1_000)
DESIGNS = {"two fair coins": (0.25, 0.5), "truth in 3 of 4": (0.125, 0.75)}
"""How often a report is Yes: the first number and, from people whose true answer is Yes, the second one more."""
KINDS = {"even group": 0.5, "small group": 0.125, "randomized": 0.4}
"""How many have the predictor."""
PAIRS = tuple(pair for pair in product(DESIGNS, KINDS) if pair != ("truth in 3 of 4", "small group"))
Grid = np.ndarray
ETAS = np.stack(np.broadcast_arrays(INTERCEPTS[:, np.newaxis], INTERCEPTS[:, np.newaxis] + SLOPES))
"""The log odds without, and with, the predictor at each place of the grid."""


@dataclass(frozen=True)
class Setting:
    """What is studied."""

    share: float  # of Yes among people without the predictor
    n: int
    design: str
    kind: str

    def __str__(self) -> str:
        return f"{self.share:g}, {self.n}, {self.design}, {self.kind}"

    @property
    def truths(self) -> tuple[float, float]:
        """How often the true answer is Yes without, and with, the predictor."""
        other = special.expit(special.logit(self.share) + EFFECT)
        return self.share, float(other)


SETTINGS = tuple(Setting(share, n, *pair) for pair in PAIRS for n in (300, 1_000) for share in (0.02, 0.05, 0.2))


def jeffreys(etas: Grid, setting: Setting) -> Grid:
    """Return half the logarithm of the expected information's determinant, but for a constant: each group has one."""
    offset, slope = DESIGNS[setting.design]
    yes = special.expit(etas)
    reported = offset + slope * yes
    information: Grid = (slope * yes * (1 - yes)) ** 2 / (reported * (1 - reported))
    return np.log(information).sum(axis=0) / 2


def log_f(etas: Grid, setting: Setting) -> Grid:
    """Return the logarithm of the log-F(1, 1) density of the odds ratio's logarithm; the intercept has none."""
    del setting
    slope = etas[1] - etas[0]
    return slope / 2 - np.logaddexp(0, slope)


def cauchy(etas: Grid, setting: Setting) -> Grid:
    """Return that of Cauchy densities, 2.5 wide for a predictor with two values and 10 for the centred intercept."""
    slope = etas[1] - etas[0]
    centre = etas[0] + KINDS[setting.kind] * slope
    return -np.log1p((slope / 2.5) ** 2) - np.log1p((centre / 10) ** 2)


PENALTIES: dict[str, Callable[[Grid, Setting], Grid]] = {"Jeffreys": jeffreys, "log-F(1, 1)": log_f, "Cauchy": cauchy}
USED = "Jeffreys"


@dataclass(frozen=True)
class Studies:
    """The counts of studies, one a row, in the order 00, 01, 10, 11 of the predictor's report and of the outcome's."""

    setting: Setting
    counts: Grid

    @classmethod
    def of(cls, setting: Setting, generator: np.random.Generator, studies: int) -> "Studies":
        """Draw so many studies."""
        offset, slope = DESIGNS[setting.design]
        with_it, (low, high) = KINDS[setting.kind], setting.truths
        if setting.kind == "randomized":
            truths = np.array([(1 - with_it) * (1 - low), (1 - with_it) * low, with_it * (1 - high), with_it * high])
            return cls(setting, generator.multinomial(setting.n, channel(setting) @ truths, studies))
        sizes = np.array([round((1 - with_it) * setting.n), round(with_it * setting.n)])
        yes = generator.binomial(sizes, offset + slope * np.array([low, high]), (studies, 2))
        return cls(setting, np.stack([sizes - yes, yes], axis=2).reshape(studies, 4))

    def sensible(self) -> np.ndarray:
        """Tell which have a finite maximum that pages show (`BoundedFit.usable`)."""
        offset, slope = DESIGNS[self.setting.design]
        n = self.setting.n
        if self.setting.kind != "randomized":
            of_group = self.counts.reshape(-1, 2, 2)
            share = of_group[:, :, 1] / of_group.sum(axis=2)
            yes = (share - offset) / slope
            inside = (yes > 0) & (yes < 1)
            spread = np.where(inside, yes * (1 - yes), np.nan) * slope
            return inside.all(axis=1) & ((share * (1 - share) / n / spread**2).max(axis=1) < LARGEST_ERROR**2)
        back = np.linalg.inv(channel(self.setting))
        share = self.counts / n
        truths = share @ back.T
        inside = (truths > 0).all(axis=1)
        of_truths = np.array([[-1.0, 1, 0, 0], [1, -1, -1, 1]]) / np.where(inside[:, np.newaxis], truths, 1)[:, None]
        slopes = of_truths @ back
        means = np.einsum("sij,sj->si", slopes, share)
        covariance = np.einsum("sij,skj,sj->sik", slopes, slopes, share) - np.einsum("si,sk->sik", means, means)
        return inside & (np.linalg.eigvalsh(covariance / n)[:, -1] < LARGEST_ERROR**2)

    def profiles(self, penalties: Sequence[Grid], block: int = 100) -> Iterator[list[Grid]]:
        """Return, for some studies at a time, the profile of the slope under each penalty."""
        offset, slope = DESIGNS[self.setting.design]
        reported = offset + slope * special.expit(ETAS)
        logs = np.log(np.stack([1 - reported[0], reported[0], 1 - reported[1], reported[1]])).reshape(4, -1)
        for first in range(0, len(self.counts), block):
            counts = self.counts[first : first + block].astype(float)
            randomized = self.setting.kind == "randomized"
            heights = latent_heights(counts, reported, self.setting) if randomized else counts @ logs
            heights = heights.reshape(-1, *ETAS.shape[1:])
            yield [highest(heights + penalty) for penalty in penalties]


def highest(heights: Grid) -> Grid:
    """Return the highest of each column of each study, by the parabola through it and its neighbours."""
    top = heights.argmax(axis=1, keepdims=True).clip(1, heights.shape[1] - 2)
    before, here, after = (np.take_along_axis(heights, top + side, axis=1)[:, 0] for side in (-1, 0, 1))
    bend, slope = 2 * here - before - after, (after - before) / 2
    rise = np.divide(slope**2, 2 * bend, out=np.zeros_like(bend), where=bend > np.abs(slope))
    return np.maximum(here + rise, np.maximum(before, after))


def channel(setting: Setting) -> Grid:
    """Return how probable each pair of reports is under each pair of true answers."""
    offset, slope = DESIGNS[setting.design]
    one = np.array([[1 - offset, 1 - offset - slope], [offset, offset + slope]])
    return np.kron(one, one)


def latent_heights(counts: Grid, reported: Grid, setting: Setting) -> Grid:
    """Return the log-likelihood on the grid, where the predictor's true share is as the reports make it likeliest."""
    offset, slope = DESIGNS[setting.design]
    says = np.array([offset, offset + slope])
    # Pr(both reports) without, and with, the predictor.
    outcome = np.stack([1 - reported, reported], axis=1)
    predictor = np.stack([1 - says, says], axis=1)
    given = (predictor[:, :, np.newaxis, np.newaxis, np.newaxis] * outcome[:, np.newaxis]).reshape(2, 4, 1, -1)
    without, difference = given[0], given[1] - given[0]
    parts = counts.T[:, :, np.newaxis]
    share = np.full((len(counts), without.shape[2]), KINDS[setting.kind])
    for _ in range(6):
        likelihood = without + share * difference
        relative = difference / likelihood
        share = (share + (parts * relative).sum(axis=0) / (parts * relative**2).sum(axis=0)).clip(0.0, 1.0)
    heights: Grid = (parts * np.log(without + share * difference)).sum(axis=0)
    return heights


@dataclass(frozen=True)
class Found:
    """Of each study: the slope of the highest place, and the outermost slopes that a likelihood-ratio test keeps."""

    slope: Grid
    low: Grid
    high: Grid

    @classmethod
    def of(cls, profile: Grid) -> "Found":
        """Read profiles on the grid, one a row; an end that is as high as the level is infinite."""
        top = profile.argmax(axis=1)
        level = profile.max(axis=1, keepdims=True) - FALL
        kept = profile >= level
        rows = np.arange(len(profile))
        first, last = kept.argmax(axis=1), profile.shape[1] - 1 - kept[:, ::-1].argmax(axis=1)
        ends = []
        for end, beyond in ((first, -1), (last, 1)):
            other = (end + beyond).clip(0, profile.shape[1] - 1)
            inner, outer = profile[rows, end], profile[rows, other]
            step = np.divide(inner - level[:, 0], inner - outer, out=np.zeros_like(inner), where=inner > outer)
            ends.append(np.where(other == end, beyond * np.inf, SLOPES[end] + beyond * step * (SLOPES[1] - SLOPES[0])))
        return cls(SLOPES[top], *ends)

    @property
    def length(self) -> np.ndarray:
        """How long the interval is, no longer than the grid."""
        return self.high.clip(SLOPES[0], SLOPES[-1]) - self.low.clip(SLOPES[0], SLOPES[-1])

    @property
    def holds(self) -> np.ndarray:
        """Whether the limits hold the truth."""
        return (self.low <= EFFECT) & (self.high >= EFFECT)


@dataclass(frozen=True)
class Compared:
    """What the penalties do in a setting."""

    setting: Setting
    without: int  # studies without a maximum that pages show
    held: dict[str, float]  # how often limits hold in all studies, penalized where there is no maximum
    length: dict[str, float]  # their mean in those alone
    bias: dict[str, float]  # the mean error there
    held_without: dict[str, float]  # how often they hold there

    def __str__(self) -> str:
        return f"| {self.setting} | {self.without} | {' | '.join(map(self._cell, PENALTIES))} |"

    def _cell(self, name: str) -> str:
        if self.without < FEW:
            return f"{self.held[name]:.3f}"
        return (
            f"{self.held[name]:.3f} · {self.held_without[name]:.2f} · {self.length[name]:.1f} · {self.bias[name]:+.1f}"
        )


def compare(place: int, studies: int = STUDIES) -> Compared:
    """Return what the penalties do in a setting; each has a seed of its own."""
    setting = SETTINGS[place]
    drawn = Studies.of(setting, np.random.default_rng([92, place]), studies)
    penalties = [np.zeros(ETAS.shape[1:]), *(of(ETAS, setting) for of in PENALTIES.values())]
    profiles = map(np.concatenate, zip(*drawn.profiles(penalties), strict=True))
    likelihood, *penalized = map(Found.of, profiles)
    sensible = drawn.sensible()
    of_name = dict(zip(PENALTIES, penalized, strict=True))
    return Compared(
        setting,
        int((~sensible).sum()),
        {name: float(np.mean(np.where(sensible, likelihood.holds, one.holds))) for name, one in of_name.items()},
        {name: _mean(one.length, ~sensible) for name, one in of_name.items()},
        {name: _mean(one.slope - EFFECT, ~sensible) for name, one in of_name.items()},
        {name: _mean(one.holds, ~sensible) for name, one in of_name.items()},
    )


def _mean(values: Grid, some: np.ndarray) -> float:
    """Return the mean of some values, NaN of few."""
    return float(np.mean(values[some])) if some.sum() >= FEW else np.nan


def least_held(studies: int) -> float:
    """Return `LEAST` less three standard deviations of a simulation of so many studies."""
    return LEAST - 3 * float(np.sqrt(LEAST * (1 - LEAST) / studies))


def compare_everywhere() -> list[Compared]:
    """Return what the penalties do in every setting."""
    return [compare(place) for place in range(len(SETTINGS))]


def table(compared: Sequence[Compared]) -> str:
    """Return the table of docs/coverage.md."""
    least = (f"{min(one.held[name] for one in compared):.3f}" for name in PENALTIES)
    rows = [
        f"| share, n, design, predictor | without | {' | '.join(PENALTIES)} |",
        "|---" * (2 + len(PENALTIES)) + "|",
        *map(str, compared),
        f"| **least** | | {' | '.join(least)} |",
    ]
    return "\n".join(rows)
