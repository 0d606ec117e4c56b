"""How many responses a survey needs."""

import math

from surveys.estimation.intervals.binomial import normal_quantile
from surveys.estimation.planning.deviation import Plan, Prevalence, deviation
from surveys.estimation.planning.power import planned_test
from surveys.estimation.validation import LARGEST_N, as_float, share_inside

SAME = 1e-5
"""A standard deviation of what one response contributes that is smaller is 0, but for rounding."""


def sample_size(
    *,
    design: Plan,
    prevalence: Prevalence,
    half_width: float | None = None,
    confidence_level: float = 0.95,
    power: float | None = None,
    null_prevalence: Prevalence | None = None,
    other_prevalence: Prevalence | None = None,
    alternative: str = "two-sided",
    significance: float = 0.05,
    option: int = 1,
    method: str = "normal",
) -> int:
    """Return the smallest number of responses that gives a margin of error or a power; of two groups, in each.

    For a margin of error h it is the smallest n with z·s/√n ≤ h, for a power the smallest n whose `power` is at least
    the one wanted. By the exact method power goes up and down with n: then it is the n from which on it stays.

    Parameters
    ----------
    design, prevalence, option
        As for `expected_half_width` and `power`.
    half_width : float, optional
        The expected margin of error wanted, at the confidence level.
    confidence_level : float, optional
        Of the planned interval.
    power : float, optional
        The power wanted, instead of a margin of error, for the test described by what follows.
    null_prevalence, other_prevalence, alternative, significance, method
        As for `power`.

    Returns
    -------
    int
        The number of responses; of each group where there are two.

    Raises
    ------
    ValueError
        If not exactly one of half_width and power is given, if all reports would be the same, so that they tell nothing
        of how they vary, or naming the argument that makes no plan.

    Examples
    --------
    >>> from surveys.estimation import sample_size
    >>> from surveys.privacy import forced_response, warner
    >>> sample_size(design=forced_response(), prevalence=0.3, half_width=0.06)
    1025
    >>> sample_size(design=warner("3/4"), prevalence=0.2, null_prevalence=0.1, power=0.8)
    676
    """
    if (half_width is None) == (power is None):
        raise ValueError("exactly one of half_width and power must be given")
    if half_width is not None:
        scatter = deviation(design, prevalence, option)
        if scatter < SAME:
            raise ValueError("prevalence must not make all reports the same: no half-width can be planned from them")
        return for_half_width(half_width, normal_quantile(confidence_level) * scatter)
    target = share_inside(power, "power")
    return planned_test(
        design=design,
        prevalence=prevalence,
        null_prevalence=null_prevalence,
        other_prevalence=other_prevalence,
        alternative=alternative,
        significance=significance,
        option=option,
        method=method,
    ).sample_size(target)


def for_half_width(half_width: float, at_one_response: float) -> int:
    """Return the smallest number of responses that brings the margin of error down to the one wanted."""
    wanted = as_float(half_width)
    if not wanted > 0:
        raise ValueError(f"half_width must be above 0, got {half_width!r}")
    if not at_one_response / math.sqrt(LARGEST_N) <= wanted:
        raise ValueError(f"half_width is too small, {LARGEST_N} responses do not do: {half_width!r}")
    about = math.ceil((at_one_response / wanted) ** 2)
    # The square can be a rounding error beyond a whole number: what counts is the margin of error itself.
    return next(n for n in range(max(1, about - 1), LARGEST_N + 1) if at_one_response / math.sqrt(n) <= wanted)
