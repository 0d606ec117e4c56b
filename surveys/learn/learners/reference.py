"""Projected gradient descent: what no noise would give, in floats and never in a release."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from surveys.learn.learners.risk import EmpiricalRisk
from surveys.privacy.rationals import whole_number

Floats = npt.NDArray[np.float64]


def projected_descent(
    risk: EmpiricalRisk,
    counts: Sequence[int],
    *,
    steps: int = 2000,
    radius: float | None = None,
    lasso: float = 0,
    tilt: Floats | float = 0,
) -> Floats:
    """Return parameters of about the least regularised risk.

    Parameters
    ----------
    risk : EmpiricalRisk
        With a smooth loss, steps have the length 1/(c + Λ). Else the t-th has 1/√t, and the mean of all parameters is
        returned.
    counts : sequence of int
        How often each pattern was reported; they sum to n.
    steps : int
        How many.
    radius : float, optional
        Parameters are kept no longer.
    lasso : float
        What the sum of the parameters' sizes is multiplied by: after each step all shrink towards 0 by a constant.
    tilt : array, optional
        A vector whose product with the parameters is added to the risk.
    """
    smoothness = risk.training_loss.smoothness
    x, y, weights = as_floats(risk, counts)
    theta, total = np.zeros(x.shape[1]), np.zeros(x.shape[1])
    for step in range(1, whole_number(steps, "steps", 1) + 1):
        eta = step**-0.5 if smoothness is None else 1 / float(smoothness + risk.ridge)
        gradient = (weights * risk.training_loss.slopes(x @ theta, y)) @ x + float(risk.ridge) * theta + tilt
        theta = theta - eta * gradient
        theta = np.sign(theta) * np.maximum(np.abs(theta) - eta * lasso, 0)
        if radius is not None:
            theta = theta * min(1.0, radius / max(float(np.linalg.norm(theta)), 1e-300))
        total += theta
    return theta if smoothness is not None else total / steps


def as_floats(risk: EmpiricalRisk, counts: Sequence[int]) -> tuple[Floats, Floats, Floats]:
    """Return the features and the outcome of each pattern, and its share of the responses."""
    received = risk.domain.read_counts(counts, risk.n)
    features, outcomes = zip(*risk.rows, strict=True)
    return (
        np.array(features, dtype=np.float64),
        np.array(outcomes, dtype=np.float64),
        np.array(received, dtype=np.float64) / risk.n,
    )
