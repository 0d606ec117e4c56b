"""Whether anybody's count of innocuous items depended on the list: some type's share would be below 0.

If a respondent's Y is the same whichever list is asked, all shares Pr(Y=y, Z=z) are at least 0. Their moment estimates
may be below by chance. For either z, the shares that could come out below 0 at all are compared with the nearest ones
that are not, in the metric of their covariance Σ (Kudô 1963):

    λ = min over θ ≥ 0 of (π̂ − θ)ᵀΣ⁻¹(π̂ − θ),

whose largest tail, at θ = 0, is Σ w_k·Pr(χ²_k ≥ λ), with w_k the probability that k shares are 0 in the nearest point
to a draw from N(0, Σ). Shares clearly above 0 hide those below: by generalized moment selection (Andrews & Soares 2010)
such as are more than √ln n standard errors above 0 take no part. The smaller of the two p-values counts twice
(Bonferroni), as all shares together have a singular covariance.

References
----------
Blair & Imai (2012), Statistical analysis of list experiments.
Andrews & Soares (2010), Inference for parameters defined by moment inequalities using generalized moment selection.
Kudô (1963), A multivariate analogue of the one-sided test.
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy

from surveys.estimation.diagnostics import LEVEL
from surveys.estimation.list_experiment.arms import ListArms
from surveys.estimation.list_experiment.types import ListEstimate, type_weights
from surveys.estimation.regression.scoring import clearly_positive
from surveys.estimation.validation import Floats, read_only

DRAWS = 2_000
"""From so many draws the weights are known with a standard error of 0.011 at most."""
_SEED = 2012
NEGLIGIBLE = 1e-9
"""A standard error, or the fall of an estimate below 0, that is smaller is rounding."""


@dataclass(frozen=True, slots=True, eq=False)
class DesignEffectTest:
    """The test of no design effect.

    Attributes
    ----------
    statistics, p_values : array of 2 floats
        λ and its p-value for the types without, and with, the sensitive item.
    tested : array of 2 × (J + 1) booleans
        Which types' shares took part.
    p_value : float
        Twice the smaller of the two, at most 1; NaN where an arm has a single respondent.
    """

    statistics: Floats
    p_values: Floats
    tested: npt.NDArray[np.bool_]
    p_value: float

    @property
    def suspicious(self) -> bool:
        """Whether the lists probably changed what people counted, or the lists were not what was analysed."""
        return self.p_value <= LEVEL


def find_design_effect(estimate: ListEstimate, *, selection: bool = True) -> DesignEffectTest:
    """Test that nobody's count of innocuous items depends on the list.

    Parameters
    ----------
    estimate : ListEstimate
        From both arms' reports.
    selection : bool, optional
        Whether shares clearly above 0 are dropped. Without it the test has its level just as well, and less power.

    Returns
    -------
    DesignEffectTest
        With `p_value` of the whole test.

    Examples
    --------
    >>> from surveys.estimation import estimate_list, find_design_effect
    >>> estimate = estimate_list([8, 132, 222, 227], [19, 123, 229, 219, 34])
    >>> round(find_design_effect(estimate, selection=False).p_value, 3)
    0.155
    """
    n = estimate.arms.control.n + estimate.arms.treatment.n
    errors, shape = estimate.types_standard_error, estimate.types.shape
    statistics, p_values = np.zeros(2), np.ones(2)
    tested = falling_types(estimate.arms).reshape(shape)
    if np.isnan(errors).any():
        nothing = read_only(np.full(2, np.nan))
        return DesignEffectTest(nothing, nothing, read_only(tested), math.nan)
    if selection:
        tested &= estimate.types <= math.sqrt(math.log(n)) * errors
    for z in range(2):
        columns = np.flatnonzero(tested[z])
        places = columns + z * shape[1]
        covariance = estimate.types_covariance[np.ix_(places, places)]
        statistics[z], p_values[z] = orthant_test(estimate.types[z, columns], covariance)
    return DesignEffectTest(
        read_only(statistics), read_only(p_values), read_only(tested), min(1.0, 2 * float(p_values.min()))
    )


def falling_types(arms: ListArms) -> npt.NDArray[np.bool_]:
    """Tell which types' estimated shares can be below 0 for some reports.

    Of plain counts, not those of none and of all items: they are the shares of a report.
    """
    of_control, of_treatment = type_weights(arms.items)
    reports = of_control @ arms.control.channel.weights, of_treatment @ arms.treatment.channel.weights
    least: Floats = reports[0].min(axis=1) + reports[1].min(axis=1)
    return least < -NEGLIGIBLE


def orthant_test(point: Floats, covariance: Floats) -> tuple[float, float]:
    """Return λ and its p-value for normal estimates that should not be below 0.

    Of directions in which nothing varies nothing is asked, unless an estimate is below 0 without varying at all.
    """
    if not (point < -NEGLIGIBLE).any():
        return 0.0, 1.0
    if (np.diagonal(covariance)[point < -NEGLIGIBLE] < NEGLIGIBLE**2).any():
        return math.inf, 0.0
    variances, axes = np.linalg.eigh(covariance)
    varies = clearly_positive(variances)
    to_unit = (axes[:, varies] / np.sqrt(variances[varies])).T
    statistic = scipy.optimize.nnls(to_unit, to_unit @ point)[1] ** 2
    # The seed is fixed, so that the same answers always have the same p-value.
    generator = np.random.default_rng(_SEED)  # noqa: TID251 - approximates weights; nothing is protected by it
    draws = generator.standard_normal((DRAWS, int(varies.sum())))
    at_zero = [draw.size - np.count_nonzero(scipy.optimize.nnls(to_unit, draw)[0]) for draw in draws]
    weights = np.bincount(np.maximum(at_zero, 0), minlength=draws.shape[1] + 1) / DRAWS
    return float(statistic), float(weights @ scipy.special.chdtrc(np.arange(weights.size), statistic))
