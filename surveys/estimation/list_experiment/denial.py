"""What the prevalence would be if some whom the list would give away denied the sensitive item.

People who have all J innocuous items and the sensitive one give it away by the count J + 1 (the ceiling), and people
who have the sensitive item alone may fear to (the floor). If a share c of the first count J and a share f of the second
count 0, they look like people without it: Pr(J, 1) is estimated as 1 − c times what it is, and Pr(0, 1) as 1 − f times.
So

    π(c, f) = π̂ + c/(1−c)·Pr̂(J, 1) + f/(1−f)·Pr̂(0, 1),

which is linear in the estimated types. Whatever c and f, nobody can have denied who does not look like somebody with
all or none of the innocuous items and without the sensitive one: π ≤ π̂ + Pr̂(J, 0) + Pr̂(0, 0).

References
----------
Blair & Imai (2012), Statistical analysis of list experiments.
"""

from dataclasses import dataclass

import numpy as np

from surveys.estimation.intervals.binomial import normal_quantile
from surveys.estimation.intervals.interval import ScalarInterval
from surveys.estimation.list_experiment.types import ListEstimate
from surveys.estimation.moments import delta_error
from surveys.estimation.validation import as_float


@dataclass(frozen=True, slots=True)
class DenialEstimate:
    """The prevalence under assumed shares of denial, and the largest that such denial can hide.

    Attributes
    ----------
    ceiling, floor : float
        c and f: of those with all, and with none, of the innocuous items and the sensitive one, the share that denies.
    point, standard_error : float
        π(c, f); the standard error is NaN where an arm has a single respondent.
    lowest, lowest_standard_error : float
        The prevalence if nobody denies: the difference in means.
    largest, largest_standard_error : float
        The prevalence if everybody denies who looks as those do who deny.
    """

    ceiling: float
    floor: float
    point: float
    standard_error: float
    lowest: float
    lowest_standard_error: float
    largest: float
    largest_standard_error: float

    def interval(self, confidence_level: float = 0.95) -> ScalarInterval:
        """Return Wald's interval for the prevalence under these shares of denial, cut to [0, 1]."""
        half = normal_quantile(confidence_level) * self.standard_error
        return _cut_interval(self.point - half, self.point + half, confidence_level)

    def bounds_interval(self, confidence_level: float = 0.95) -> ScalarInterval:
        """Return an interval that holds the prevalence at least so often, however many deny, cut to [0, 1]."""
        z = normal_quantile(confidence_level)
        return _cut_interval(
            self.lowest - z * self.lowest_standard_error,
            self.largest + z * self.largest_standard_error,
            confidence_level,
        )


def estimate_denial(estimate: ListEstimate, *, ceiling: float, floor: float = 0.0) -> DenialEstimate:
    """Return the prevalence if these shares of those whom the list would give away, or nearly so, denied.

    Parameters
    ----------
    estimate : ListEstimate
        From both arms' reports, taken as if nobody denied.
    ceiling, floor : float
        c and f, at least 0 and below 1. Data do not tell them: without covariates the types that are seen have as many
        shares as the reports have, whatever c and f are.

    Returns
    -------
    DenialEstimate
        With `point` and `interval` under these shares, and `bounds_interval`.

    Raises
    ------
    ValueError
        Naming the share that is none.

    Examples
    --------
    >>> from surveys.estimation import estimate_denial, estimate_list
    >>> estimate = estimate_list([8, 132, 222, 227], [9, 78, 172, 184, 139])
    >>> [round(estimate.point, 3), round(estimate_denial(estimate, ceiling=0.1).point, 3)]
    [0.495, 0.521]
    """
    of_all, of_none = _denied_share(ceiling, "ceiling"), _denied_share(floor, "floor")
    seen = np.zeros((3, *estimate.types.shape))
    seen[:, 1] = 1.0
    seen[1, 1, [-1, 0]] += [of_all / (1 - of_all), of_none / (1 - of_none)]
    seen[2, 0, [-1, 0]] = 1.0
    rows = seen.reshape(3, -1)
    points = (rows @ estimate.types.ravel()).tolist()
    errors = [delta_error(row, estimate.types_covariance) for row in rows]
    return DenialEstimate(of_all, of_none, points[1], errors[1], points[0], errors[0], points[2], errors[2])


def _denied_share(value: object, name: str) -> float:
    share = as_float(value)
    if not 0 <= share < 1:
        raise ValueError(f"{name} must be at least 0 and below 1, got {value!r}")
    return share


def _cut_interval(low: float, high: float, confidence_level: float) -> ScalarInterval:
    outside = high < 0 or low > 1
    low, high = np.clip([low, high], 0.0, 1.0).tolist()
    return ScalarInterval(low, high, confidence_level, "wald", outside)
