"""The mathematics beside the bare numpy step it cannot do without: `python -m tests.load.kernels`."""

# ruff: noqa: T201 - a script that prints its measurements
import os
import statistics
import time
from collections.abc import Callable
from fractions import Fraction

# One thread, so that CPU seconds are what one request would wait.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

from surveys.estimation.intervals.mapped import MAPPED_METHODS
from surveys.estimation.prevalence import estimate_prevalence
from surveys.estimation.regression.logistic import fit_logistic
from surveys.estimation.released.histogram import estimate_released_histogram
from surveys.privacy.batch import perturb_many
from surveys.privacy.designs import Design, forced_response, k_ary
from surveys.privacy.mechanisms.laplace import DiscreteLaplace

ROUNDS = 15
ANSWERS = 1_000_000
ROWS = 100_000
RNG = np.random.default_rng(1)


def main() -> None:
    estimation()
    release()
    regression()
    perturbation("fair coins", forced_response())
    perturbation("5 options", k_ary(5))


def estimation() -> None:
    """Print what an estimate with every interval costs beside the one pass over the answers."""
    design = k_ary(5)
    codes = RNG.integers(0, 5, size=ANSWERS)

    def estimate() -> object:
        prevalence = estimate_prevalence(np.bincount(codes, minlength=5), design)
        return [prevalence.interval(0.95, method) for method in MAPPED_METHODS]

    beside(f"estimate of {ANSWERS:,} answers with all intervals", estimate, lambda: np.bincount(codes), "bincount", 3)


def release() -> None:
    """Print how long the interval of a released share of a million answers takes."""
    taken = []
    for _ in range(ROUNDS):
        estimate = estimate_released_histogram([200_000] * 5, ANSWERS, k_ary(5), DiscreteLaplace(Fraction(1, 100), 2))
        taken.append(seconds(estimate.interval))
    print(
        f"interval of a released share, {ANSWERS:,} answers: {statistics.median(taken):.3f} s of CPU (of {ROUNDS} "
        f"rounds {min(taken):.3f} to {max(taken):.3f}; at most 1 wanted)"
    )


def regression() -> None:
    """Print how long a logistic regression with all four standard errors takes."""
    x = np.column_stack([np.ones(ROWS), RNG.normal(size=ROWS), RNG.random(ROWS) < 0.4])
    yes = 1 / (1 + np.exp(-x @ [-0.7, 0.5, 0.5]))
    reports = (RNG.random(ROWS) < 0.25 + 0.5 * yes).astype(np.int64)
    design = forced_response()

    def fit() -> object:
        model = fit_logistic(reports, x, design)
        return [model.standard_errors(kind) for kind in ("observed", "expected", "opg", "sandwich")]

    fit()
    taken = [seconds(fit) for _ in range(ROUNDS)]
    print(
        f"logistic regression, 3 coefficients on {ROWS:,} rows, all standard errors: {statistics.median(taken):.3f} s "
        f"of CPU (of {ROUNDS} rounds {min(taken):.3f} to {max(taken):.3f}; at most 0.1 wanted)"
    )


def perturbation(name: str, design: Design) -> None:
    """Print what the cryptographic source costs beside numpy's generator: in the same code, and as numpy is used."""
    codes = RNG.integers(0, design.k, size=ANSWERS)
    cumulated = np.cumsum(np.array(design.matrix, dtype=np.float64), axis=0)

    def plain_numpy() -> object:
        draws = RNG.random(ANSWERS)
        reports = np.zeros(ANSWERS, dtype=np.uint8)
        for row in cumulated[:-1]:
            reports += draws >= row[codes]
        return reports

    def secure() -> object:
        return perturb_many(codes, design)

    title = f"perturbing {ANSWERS:,} answers by os.urandom ({name})"
    beside(title, secure, lambda: perturb_many(codes, design, RNG.bytes), "the same by numpy's generator", 5)
    beside(title, secure, plain_numpy, "numpy's floats", 5)


def beside(name: str, kernel: Callable[[], object], bare: Callable[[], object], bare_name: str, wanted: float) -> None:
    """Print the ratio of two kernels' CPU seconds, measured one after the other in each round."""
    kernel(), bare()
    rounds = [(seconds(kernel), seconds(bare)) for _ in range(ROUNDS)]
    ratio = statistics.median(ours / theirs for ours, theirs in rounds)
    ours, theirs = (statistics.median(column) * 1e3 for column in zip(*rounds, strict=True))
    print(f"{name}: {ours:.2f} ms, {ratio:.2f} × {bare_name} ({theirs:.2f} ms; at most {wanted:g} wanted)")


def seconds(kernel: Callable[[], object]) -> float:
    begin = time.process_time()
    kernel()
    return time.process_time() - begin


if __name__ == "__main__":
    main()
