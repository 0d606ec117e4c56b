"""The synthetic class of 800 that the reference programs were run on."""

import csv
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from surveys.estimation.regression.two_groups import TwoGroupFit, fit_logistic_two_groups

Floats = npt.NDArray[np.float64]
_FILE = Path(__file__).parents[2] / "golden" / "synth800.csv"


@cache
def _rows() -> list[dict[str, str]]:
    with _FILE.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def column(name: str) -> Floats:
    return np.array([float(row[name]) for row in _rows()])


def predictors(formula: str = "1,x1,x2") -> Floats:
    """The columns of X, "1" for the constant one."""
    return np.column_stack([np.ones(len(_rows())) if name == "1" else column(name) for name in formula.split(",")])


def sigmoid(eta: Floats) -> Floats:
    return 1 / (1 + np.exp(-eta))


def gradient(value, at: Floats, step: float = 1e-5) -> Floats:  # noqa: ANN001 - a number or an array of the parameters
    """Central differences, one row a parameter."""
    shifts = step * np.eye(at.size)
    return np.array([(value(at + shift) - value(at - shift)) / (2 * step) for shift in shifts])


def fit_unrelated(y: Floats, x: Floats, p: object, **options: object) -> TwoGroupFit:
    """Fit reports of groups that are asked the sensitive question with these probabilities, else an unrelated one."""
    asked = np.array([float(each) for each in p])  # type: ignore[attr-defined]
    ends = np.column_stack([1 - asked, asked])
    return fit_logistic_two_groups("unrelated_unknown", y, x, ends, **options)  # type: ignore[arg-type]
