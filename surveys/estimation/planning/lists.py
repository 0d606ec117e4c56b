"""Plans for list experiments: how precise they will be, what they cost, and whom they give away.

The plan has to assume how many of the innocuous items people have.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from surveys.estimation.list_experiment.arms import CountChannel, ListDesigns, list_channels, plain_designs
from surveys.estimation.list_experiment.types import counts_of_types
from surveys.estimation.validation import Floats, as_float, as_list, read_only, share, share_inside

_HALF = Fraction(1, 2)


@dataclass(frozen=True, slots=True, eq=False)
class ListPlan:
    """A list with the sensitive item for some respondents, and without it for the others.

    Attributes
    ----------
    counts : array of 2 × (J + 1) floats
        The distribution of the count of innocuous items without and with the sensitive item.
    control, treatment : CountChannel
        How the counts of either arm become reports.
    treatment_share : float
        The share of all respondents who get the list with the sensitive item.
    """

    counts: Floats
    control: CountChannel
    treatment: CountChannel
    treatment_share: float

    @property
    def k(self) -> int:
        """The number of possible true answers to the sensitive item."""
        return 2

    def moments(self, prevalence: float) -> tuple[float, float]:
        """Return n times the variance of the difference in means, and n² times its third central moment."""
        variance = third = 0.0
        for sign, size, (second, skew) in zip(
            (-1, 1), (1 - self.treatment_share, self.treatment_share), self._arm_moments(prevalence), strict=True
        ):
            variance += second / size
            third += sign * skew / size**2
        return variance, third

    def _reported(self, prevalence: float) -> tuple[Floats, Floats]:
        """Return the probabilities of either arm's reports."""
        types = (np.array([[1 - prevalence], [prevalence]]) * self.counts).ravel()
        of_control, of_treatment = counts_of_types(self.counts.shape[1] - 1)
        return self.control.matrix @ of_control @ types, self.treatment.matrix @ of_treatment @ types

    def _arm_moments(self, prevalence: float) -> list[tuple[float, float]]:
        """Return the variance and the third central moment of what a report of either arm says."""
        moments = []
        for channel, reported in zip((self.control, self.treatment), self._reported(prevalence), strict=True):
            deviations = channel.scores - channel.scores @ reported
            moments.append((float(reported @ deviations**2), float(reported @ deviations**3)))
        return moments


def list_plan(
    counts: Sequence[float] | Floats,
    *,
    counts_with: Sequence[float] | Floats | None = None,
    designs: ListDesigns | None = None,
    treatment_share: object = _HALF,
) -> ListPlan:
    """Return the plan of `estimate_list`, for `expected_half_width`, `power` and `sample_size`.

    Parameters
    ----------
    counts : sequence of J + 1 probabilities
        How many of the J innocuous items people are assumed to have, from none to all; `independent_items` gives them.
    counts_with : sequence of J + 1 probabilities, optional
        The same of those with the sensitive item, where that is another distribution.
    designs : pair of Designs, optional
        Through which the counts will be sent, as for `estimate_list`.
    treatment_share : number, optional
        The share of respondents who get the list with the sensitive item, strictly between 0 and 1.

    Returns
    -------
    ListPlan
        For the functions named above, as their `design`.

    Raises
    ------
    ValueError
        Naming the argument that makes no plan.

    Examples
    --------
    >>> from surveys.estimation import independent_items, list_plan, sample_size
    >>> plan = list_plan(independent_items([0.5, 0.3, 0.7]))
    >>> sample_size(design=plan, prevalence=0.2, half_width=0.1)
    1153
    """
    without = _distribution(counts, "counts")
    having = without if counts_with is None else _distribution(counts_with, "counts_with")
    if designs is None:
        designs = plain_designs(without.size - 1)
    control, treatment = list_channels(designs)
    if not without.size == having.size == len(control.weights):
        raise ValueError(f"counts and counts_with must have {len(control.weights)} probabilities, as designs have")
    part = share_inside(treatment_share, "treatment_share")
    return ListPlan(read_only(np.stack([without, having])), control, treatment, part)


def independent_items(shares: Sequence[float] | Floats) -> Floats:
    """Return the distribution of the count of items that hold independently of each other with these shares.

    Parameters
    ----------
    shares : sequence of J floats
        How many people have each item, from 0 to 1.

    Returns
    -------
    array of J + 1 floats
        The probabilities of 0 to J items.

    Raises
    ------
    ValueError
        If a share is none.

    Examples
    --------
    >>> from surveys.estimation import independent_items
    >>> independent_items([0.5, 0.5]).tolist()
    [0.25, 0.5, 0.25]
    """
    distribution = np.ones(1)
    for given in as_list(shares) or ():
        item_share = share(given, "shares")
        distribution = np.convolve(distribution, [1 - item_share, item_share])
    if distribution.size < 2:
        raise ValueError("shares must be one for each item, at least one")
    return distribution


def _distribution(values: object, name: str) -> Floats:
    numbers = [as_float(value) for value in as_list(values) or ()]
    if not (len(numbers) >= 2 and all(number >= 0 for number in numbers) and abs(sum(numbers) - 1) < 1e-9):
        raise ValueError(f"{name} must be two or more probabilities that sum to 1, got {values!r}")
    return np.array(numbers)
