"""What a regression is given, checked, and its predictors made orthogonal."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from surveys.estimation.validation import Floats
from surveys.privacy.designs.design import Design

LEAST_UNIT, MOST_UNIT = 1e-100, 1e100
"""Numbers outside have squares, or sums of them, that are no finite numbers."""
Lines: TypeAlias = Design | Sequence[Design] | tuple[float | Floats, float | Floats]


@dataclass(frozen=True, slots=True, eq=False)
class Basis:
    """Predictors X = Q·R with orthogonal columns, in which no scale and no common centre hurts.

    Attributes
    ----------
    rows : array of n × p floats
        Q, whose columns have weighted mean square 1.
    to_coefficients : array of p × p floats
        R⁻¹: the coefficients of X from those of Q.
    """

    rows: Floats
    to_coefficients: Floats


def basis_of(x: Floats, weights: Floats) -> Basis:
    """Return the orthogonal basis of the columns of X, or refuse one that depends on those before it.

    Rows count by their weights, all above 0, so that a row of weight 3 is three rows also to what starts from here.
    """
    n, p = x.shape
    if not n >= p:
        raise ValueError(f"X must have at least as many rows as columns, got {n} rows and {p} columns")
    scale = np.abs(x).max(axis=0)
    if not (scale > 0).all():
        raise ValueError(f"column {int(np.argmin(scale))} of X is 0 in every row that counts")
    if not ((scale > LEAST_UNIT) & (scale < MOST_UNIT)).all():
        raise ValueError("the columns of X must be measured in units in which the squares of their numbers exist")
    r = np.asarray(np.linalg.qr(x / scale * np.sqrt(weights)[:, np.newaxis], mode="r"))
    own_part = np.abs(np.diagonal(r)) / np.sqrt((r**2).sum(axis=0))
    if not (own_part > n * np.finfo(float).eps).all():
        dependent = int(np.argmin(own_part))
        raise ValueError(f"column {dependent} of X is a linear combination of the columns before it")
    # A triangular matrix needs no pivots, and scipy would wake threads for it that wait long on a busy machine.
    to_coefficients = np.sqrt(weights.sum()) * np.linalg.inv(r) / scale[:, np.newaxis]
    # In the memory column by column, as all that follows goes along columns.
    return Basis((to_coefficients.T @ x.T).T, to_coefficients)


def real_numbers(values: object, name: str) -> Floats:
    """Return numbers of whatever type as an array of floats."""
    try:
        array = np.asarray(values)
        if array.dtype.kind in "biufO":
            return array.astype(np.float64, copy=False)
    except (TypeError, ValueError, OverflowError):
        pass
    raise ValueError(f"{name} must be real numbers, in rows of one length where there are rows")


def predictors(x: npt.ArrayLike, n: int, response: str, name: str = "X") -> Floats:
    """Return X as n × p finite floats, one row for each entry of the response."""
    array = real_numbers(x, name)
    if array.ndim != 2 or array.shape[0] != n or not array.shape[1] >= 1:
        raise ValueError(
            f"{name} must have {n} rows, as {response} has, and at least one column, got shape {array.shape}"
        )
    if not np.isfinite(array).all():
        raise ValueError(f"{name} must hold finite numbers only")
    return array


def codes(values: npt.ArrayLike, m: int, name: str) -> npt.NDArray[np.int64]:
    """Return at least one report as codes from 0 to m − 1."""
    array = real_numbers(values, name)
    if array.ndim != 1 or not array.size >= 1:
        raise ValueError(f"{name} must be a sequence of at least one code, got {values!r}")
    integers = array.astype(np.int64) if np.isfinite(array).all() else np.full(array.shape, -1)
    if not ((integers == array) & (integers >= 0) & (integers < m)).all():
        raise ValueError(f"{name} must be integer codes from 0 to {m - 1}")
    return integers


def frequency_weights(weights: npt.ArrayLike | None, n: int) -> Floats:
    """Return how often each row counts: 1 if nothing is said."""
    if weights is None:
        return np.ones(n)
    array = real_numbers(weights, "weights")
    if array.shape != (n,) or not ((array >= 0) & np.isfinite(array)).all() or not array.max() > 0:
        raise ValueError(f"weights must be {n} finite numbers of at least 0, not all of them 0")
    if not LEAST_UNIT < array.max() < MOST_UNIT:
        raise ValueError("weights must be in a unit in which their squares exist")
    return array


def report_lines(given: Lines, n: int) -> tuple[Floats, Floats]:
    """Return each row's Pr(report Yes | truth No) and Pr(report Yes | truth Yes).

    Raises
    ------
    ValueError
        If a design has more than two answers, there is not one a row, or a line is flat or leaves [0, 1].
    """
    slope, offset = _slope_and_offset(given, n)
    if slope.shape not in ((), (n,)) or offset.shape not in ((), (n,)):
        raise ValueError(f"slope and offset must be single numbers or have {n} entries, one a report")
    ends = np.stack([np.broadcast_to(offset, n), np.broadcast_to(offset + slope, n)])
    # The sum of two rounded numbers may leave [0, 1] by its rounding.
    if not ((ends >= -1e-12) & (ends <= 1 + 1e-12)).all():
        raise ValueError("offset and offset + slope must be probabilities")
    if not (slope != 0).all():
        raise ValueError("slope must not be 0: such a report would tell nothing")
    if_no, if_yes = ends.clip(0.0, 1.0)
    return if_no, if_yes


def _slope_and_offset(given: Lines, n: int) -> tuple[Floats, Floats]:
    if isinstance(given, Design):
        return np.array(float(given.slope)), np.array(float(given.offset))
    parts = list(given) if isinstance(given, Sequence | np.ndarray) else []
    designs = [part for part in parts if isinstance(part, Design)]
    if designs and len(designs) == len(parts) == n:
        # Of 100,000 rows nearly all share a few designs, whose Fractions are converted once.
        lines = {id(design): (float(design.slope), float(design.offset)) for design in _distinct(designs)}
        both = np.array([lines[id(design)] for design in designs])
        return both[:, 0], both[:, 1]
    if designs or len(parts) != 2:
        raise ValueError(f"design_or_slope_offset must be a Design, {n} Designs, or a pair (slope, offset)")
    return real_numbers(parts[0], "slope"), real_numbers(parts[1], "offset")


def _distinct(designs: list[Design]) -> list[Design]:
    """Return each object once, whatever it is equal to: comparing matrices would take longer than converting them."""
    return list({id(design): design for design in designs}.values())
