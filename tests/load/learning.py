"""What private learning costs: `python -m tests.load.learning` prints the CPU seconds of whole releases."""

# ruff: noqa: T201 - a script that prints its measurements
import os
import statistics
from fractions import Fraction

# One thread, so that CPU seconds are what one request would wait.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

from surveys.learn.learners.gradient import GradientPerturbation
from surveys.learn.learners.hypotheses import HypothesisLearner, parameter_grid
from surveys.learn.learners.output import OutputPerturbation
from surveys.learn.learners.risk import EmpiricalRisk
from surveys.privacy.learning.domain import CodedItem, PatternDomain
from surveys.privacy.learning.joint import NoisyJointTable
from surveys.privacy.learning.learner import Learner
from tests.load.kernels import seconds

ROUNDS = 5
N = 10_000
RNG = np.random.default_rng(1)
MILLIONTH = Fraction(1, 10**6)


def domain_of(codes: int, predictors: int) -> PatternDomain:
    """Return a domain of an outcome and predictors of so many codes each."""
    items = [CodedItem(name=f"predictor {place}", codes=codes) for place in range(predictors)]
    return PatternDomain(outcome=CodedItem(name="outcome", codes=codes), predictors=items)


def main() -> None:
    """Print each learner's CPU seconds, with the terms that are found anew in each round."""
    small, large, tiny = domain_of(2, 5), domain_of(4, 5), domain_of(2, 2)
    risk = EmpiricalRisk(domain=small, n=N, ridge=Fraction(1, 100))
    for name, delta in (("discrete Laplace", Fraction(0)), ("discrete Gaussian", MILLIONTH)):
        table = NoisyJointTable(domain=large, n=30_000, epsilon=Fraction(1), delta=delta)
        print_release(f"joint table of {large.cells:,} patterns, {name}", table, 30_000, 1)
        output = OutputPerturbation.of(risk, Fraction(1), delta)
        print_release(f"logistic output perturbation, {small.cells} patterns, {name}", output, N, 3)
    for accounting in ("analytic", "concentrated"):
        descent = GradientPerturbation(
            steps=100, sensitivity=2, epsilon=Fraction(1), delta=MILLIONTH, accounting=accounting, risk=risk
        )
        print_release(f"100 steps of gradient perturbation, {small.cells} patterns, {accounting}", descent, N, 2)
    grid = parameter_grid(tiny.dimension, 3, "1/4")
    choice = HypothesisLearner.of_parameters(EmpiricalRisk(domain=tiny, n=N), grid, Fraction(1))
    print_release(f"choice among {len(grid):,} hypotheses, {tiny.cells} patterns", choice, N, 3)


def print_release(name: str, learner: Learner, n: int, wanted: float) -> None:
    """Print how long a release takes, beside what is wanted."""
    cells = learner.domain.cells if hasattr(learner, "domain") else learner.risk.domain.cells
    counts = RNG.multinomial(n, RNG.dirichlet(np.full(cells, 3.0))).tolist()
    taken = [seconds(lambda: learner.release(counts)) for _ in range(ROUNDS)]
    print(
        f"{name}: {statistics.median(taken):.3f} s of CPU (of {ROUNDS} rounds {min(taken):.3f} to {max(taken):.3f}; "
        f"at most {wanted} wanted)"
    )


if __name__ == "__main__":
    main()
