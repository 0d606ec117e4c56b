"""Two lists, A and B: who gets the sensitive item in the one gets the other without it.

Both lists estimate the same prevalence, τ_A from the first group's A less the second's, τ_B from the second group's B
less the first's. Their mean is the first group's mean of (A − B)/2 less the second's, so that its variance is that of
within-person differences: what a person counts on both lists alike drops out of it.

References
----------
Droitcour, Caspar, Hubbard, Parsley, Visscher & Ezzati (1991), The item count technique as a method of indirect
questioning: a review of its development and a case study application.
Glynn (2013), What can we learn with statistical truth serum? Design and analysis of the list experiment.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from surveys.estimation.intervals.interval import ScalarInterval
from surveys.estimation.list_experiment.arms import CountChannel, ListDesigns, list_channels, plain_designs
from surveys.estimation.list_experiment.welch import WelchEstimate, welch_sum
from surveys.estimation.validation import Floats, integer_array, require_counts


@dataclass(frozen=True, slots=True)
class DoubleListEstimate:
    """The prevalence from two lists answered by the same people.

    Attributes
    ----------
    mean : WelchEstimate
        (τ_A + τ_B)/2.
    by_a, by_b : WelchEstimate
        τ_A and τ_B.
    apart : WelchEstimate
        τ_A − τ_B, which is 0 if neither list changes what people count.
    """

    mean: WelchEstimate
    by_a: WelchEstimate
    by_b: WelchEstimate
    apart: WelchEstimate

    @property
    def point(self) -> float:
        """The estimated prevalence, which is unbiased and may leave [0, 1]."""
        return self.mean.point

    @property
    def standard_error(self) -> float:
        """The standard error of the point estimate; NaN where a group has a single member."""
        return self.mean.standard_error

    @property
    def apart_p_value(self) -> float:
        """Welch's test that both lists find the same prevalence."""
        return self.apart.p_value(0.0)

    def interval(self, confidence_level: float = 0.95) -> ScalarInterval:
        """Return Welch's interval for the prevalence, cut to [0, 1]."""
        return self.mean.interval(confidence_level, 0.0, 1.0)


def estimate_double_list(
    sensitive_in_a: npt.ArrayLike,
    sensitive_in_b: npt.ArrayLike,
    *,
    designs_a: ListDesigns | None = None,
    designs_b: ListDesigns | None = None,
) -> DoubleListEstimate:
    """Estimate the prevalence from two lists that everybody answers, one of them with the sensitive item.

    Parameters
    ----------
    sensitive_in_a : array of integers, reports of A × reports of B
        How often each pair of reports came from those whose list A holds the sensitive item.
    sensitive_in_b : array of integers, reports of A × reports of B
        The same of those whose list B holds it.
    designs_a, designs_b : pairs of Designs, optional
        Of each list without and with the sensitive item, as for `estimate_list`.

    Returns
    -------
    DoubleListEstimate
        With `point`, `standard_error`, `interval`, and `apart_p_value`, the test whether both lists agree.

    Raises
    ------
    ValueError
        Naming the argument that is not as above.

    Examples
    --------
    >>> from surveys.estimation import estimate_double_list
    >>> in_a = [[5, 10, 2], [12, 30, 11], [8, 25, 15], [1, 6, 9]]
    >>> in_b = [[6, 12, 5, 1], [10, 28, 20, 5], [3, 12, 22, 8]]
    >>> estimate = estimate_double_list(in_a, in_b)
    >>> round(estimate.point, 3)
    0.327
    """
    tables = [_table(sensitive_in_a, "sensitive_in_a"), _table(sensitive_in_b, "sensitive_in_b")]
    if designs_a is None:
        designs_a = plain_designs(tables[1].shape[0] - 1)
    if designs_b is None:
        designs_b = plain_designs(tables[0].shape[1] - 1)
    (a_without, a_with), (b_without, b_with) = list_channels(designs_a), list_channels(designs_b)
    in_a = _scored(tables[0], a_with, b_without, "sensitive_in_a")
    in_b = _scored(tables[1], a_without, b_with, "sensitive_in_b")
    return DoubleListEstimate(
        mean=_contrast(in_a, in_b, 0.5, -0.5),
        by_a=_contrast(in_a, in_b, 1.0, 0.0),
        by_b=_contrast(in_a, in_b, 0.0, -1.0),
        apart=_contrast(in_a, in_b, 1.0, 1.0),
    )


_Scored = tuple[npt.NDArray[np.int64], Floats, Floats]


def _table(counts: npt.ArrayLike, name: str) -> npt.NDArray[np.int64]:
    table = integer_array(counts)
    if table is None or table.ndim != 2:
        raise ValueError(f"{name} must be a table of integers, reports of A in rows and of B in columns")
    return require_counts(table, name)


def _scored(table: npt.NDArray[np.int64], a: CountChannel, b: CountChannel, name: str) -> _Scored:
    """Return the counts of pairs of reports, and what either report of a pair says."""
    if table.shape != (len(a.matrix), len(b.matrix)):
        raise ValueError(f"{name} must have {len(a.matrix)} × {len(b.matrix)} numbers, got {table.shape}")
    if table[~a.matrix.any(axis=1)].any() or table[:, ~b.matrix.any(axis=1)].any():
        raise ValueError(f"{name} must hold no report that nobody of this group can send")
    return table.ravel(), np.repeat(a.scores, len(b.matrix)), np.tile(b.scores, len(a.matrix))


def _contrast(first: _Scored, second: _Scored, of_a: float, of_b: float) -> WelchEstimate:
    """Return the first group's mean of weighted scores less the second's."""
    return welch_sum([(first[0], of_a * first[1] + of_b * first[2]), (second[0], -of_a * second[1] - of_b * second[2])])
