"""Combinations of the true answers to several randomized questions, and what their reports tell about them."""

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from surveys.estimation.regression.rows import codes
from surveys.estimation.validation import Floats, require_design
from surveys.privacy.designs.design import Design


def report_codes(
    reports: Sequence[npt.ArrayLike], designs: Sequence[Design], n: int, name: str = "reports"
) -> list[npt.NDArray[np.int64]]:
    """Return the reports to each question as n codes, or refuse those that are none."""
    checked = []
    for number, (given, design) in enumerate(zip(reports, designs, strict=True)):
        report = codes(given, require_design(design, f"designs[{number}]").m, f"{name}[{number}]")
        if report.size != n:
            raise ValueError(f"{name}[{number}] must have {n} entries, as y has, got {report.size}")
        checked.append(report)
    return checked


def truth_likelihoods(reports: Sequence[npt.NDArray[np.int64]], designs: Sequence[Design], n: int) -> Floats:
    """Return, for each of n rows and each combination of true answers, the probability of the row's reports."""
    likelihoods = np.ones((n, 1))
    for report, design in zip(reports, designs, strict=True):
        of_report = np.array(design.matrix, dtype=np.float64)[report]
        likelihoods = (likelihoods[:, :, np.newaxis] * of_report[:, np.newaxis, :]).reshape(n, -1)
    return likelihoods


def indicators(shape: tuple[int, ...]) -> Floats:
    """Return, for each combination of true answers, for each question, which answer but the first it has."""
    combinations = math.prod(shape)
    answers = np.indices(shape).reshape(len(shape), combinations)
    effects = [answer[:, np.newaxis] == np.arange(1, k) for answer, k in zip(answers, shape, strict=True)]
    return np.hstack([np.empty((combinations, 0)), *effects]).astype(np.float64)
