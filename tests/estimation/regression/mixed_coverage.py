"""How often the intervals of a random intercept, and of a coefficient beside it, hold what is true.

``python -m tests.estimation.regression.mixed_coverage`` simulates all settings and prints the rows of `FOUND`, which
docs/coverage.md shows; test_mixed_coverage.py finds them again.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np

from surveys.estimation.regression.mixed import MixedFit, fit_logistic_mixed
from surveys.estimation.regression.random_intercept import nodes_of
from tests.estimation.regression.data import Floats, sigmoid
from tests.estimation.regression.repeated import long

SAMPLES = 2_000
INTERCEPTS, SLOPE = np.array([-1.0, -0.5, 0.0, 0.5]), 0.7
PATTERNS = np.array(list(product((0.0, 1.0), repeat=5)))
"""Reports to four items, and the predictor."""


@dataclass(frozen=True)
class Setting:
    """So many people, half of them with the predictor, and Pr(report Yes) by the truth."""

    name: str
    n: int
    ends: tuple[float, float]
    sigma: float

    def probabilities(self) -> Floats:
        """Return how probable each pattern is."""
        nodes, weights = nodes_of(self.sigma, 4)
        eta = (INTERCEPTS + SLOPE * PATTERNS[:, 4:])[:, :, np.newaxis] + self.sigma * nodes
        yes = self.ends[0] + (self.ends[1] - self.ends[0]) * sigmoid(eta)
        reported = np.where(PATTERNS[:, :4, np.newaxis] == 1, yes, 1 - yes)
        return reported.prod(axis=1) @ weights / 2

    def fits(self, samples: int = SAMPLES) -> Iterator[MixedFit]:
        """Fit so many samples; the seed is fixed."""
        generator = np.random.default_rng([96, self.n, round(10 * self.sigma)])
        y, x, people = long(PATTERNS[:, :4], PATTERNS[:, 4])
        design = self.ends[1] - self.ends[0], self.ends[0]
        for counts in generator.multinomial(self.n, self.probabilities(), size=samples):
            yield fit_logistic_mixed(y, x, design, people, weights=np.repeat(counts, 4))


@dataclass(frozen=True)
class Coverage:
    """What a setting came to, as shares of all samples: a fit without a maximum has no coefficient to hold."""

    setting: Setting
    sigma: float
    coefficient: float
    rejected: float
    at_0: float
    unfinished: float

    @classmethod
    def of(cls, setting: Setting, samples: int = SAMPLES) -> "Coverage":
        """Simulate a setting."""
        rows = []
        for fit in setting.fits(samples):
            limits = fit.interval()
            rows.append(
                [
                    fit.sigma_test(setting.sigma).p_value >= 0.05,
                    limits.low[-1] <= SLOPE <= limits.high[-1],
                    fit.sigma_test().p_value < 0.05,
                    fit.sigma == 0,
                    not fit.converged,
                ]
            )
        return cls(setting, *np.mean(rows, axis=0).round(4).tolist())

    def __str__(self) -> str:
        figures = (self.sigma, self.coefficient, self.rejected, self.at_0, self.unfinished)
        cells = " | ".join(f"{figure:.3f}" for figure in figures)
        return f"| {self.setting.name} | {self.setting.n} | {self.setting.sigma:g} | {cells} |"


SETTINGS = tuple(Setting("4 of 5 tell the truth", 500, (0.1, 0.9), sigma) for sigma in (0.0, 0.5, 1.0))
FOUND = (
    "| 4 of 5 tell the truth | 500 | 0 | 0.959 | 0.955 | 0.042 | 0.528 | 0.000 |",
    "| 4 of 5 tell the truth | 500 | 0.5 | 0.949 | 0.954 | 0.502 | 0.057 | 0.000 |",
    "| 4 of 5 tell the truth | 500 | 1 | 0.952 | 0.949 | 1.000 | 0.000 | 0.000 |",
)


def table() -> str:
    """Return the table of docs/coverage.md."""
    head = (
        "| design | n | σ | σ held | coefficient held | σ = 0 rejected | σ̂ is 0 | no maximum |\n" + "|---" * 8 + "|\n"
    )
    return head + "\n".join(FOUND)


if __name__ == "__main__":
    for each in SETTINGS:
        print(Coverage.of(each), flush=True)  # noqa: T201
