"""How many people are of each type: so many innocuous items, with or without the sensitive one.

With Y the count of innocuous items and Z the sensitive item, the arms' distribution functions F₀ and F₁ of the true
counts give Pr(Y=y, Z=1) = F₀(y) − F₁(y) and Pr(Y=y, Z=0) = F₁(y) − F₀(y−1). The sum of the first over y is the
difference of the arms' means.

References
----------
Glynn (2013), What can we learn with statistical truth serum? Design and analysis of the list experiment.
Blair & Imai (2012), Statistical analysis of list experiments.
"""

from dataclasses import dataclass

import numpy as np

from surveys.estimation.intervals.interval import ScalarInterval
from surveys.estimation.likelihood import simplex_maximum
from surveys.estimation.list_experiment.arms import ListArms, ListDesigns, list_arms
from surveys.estimation.list_experiment.welch import WelchEstimate, welch_sum
from surveys.estimation.validation import Counts, Floats, read_only


@dataclass(frozen=True, slots=True, eq=False)
class ListEstimate:
    """The prevalence of the sensitive item, and of each type of respondent, from both arms' reports.

    Attributes
    ----------
    arms : ListArms
        What was reported, and through which designs.
    difference : WelchEstimate
        The treatment arm's mean count less the control arm's.
    types : array of 2 × (J + 1) floats
        Pr(Y=y, Z=z) in row z and column y: unbiased, sums to 1, and may leave [0, 1].
    types_covariance : array of 2(J + 1) × 2(J + 1) floats
        Its unbiased covariance, row by row; NaN where an arm has a single respondent.
    constrained_types : array of 2 × (J + 1) floats
        The maximum likelihood estimate among distributions.
    """

    arms: ListArms
    difference: WelchEstimate
    types: Floats
    types_covariance: Floats
    constrained_types: Floats

    @property
    def point(self) -> float:
        """The estimated prevalence, which is unbiased and may leave [0, 1]."""
        return self.difference.point

    @property
    def limited(self) -> float:
        """The estimate limited to [0, 1]."""
        return min(1.0, max(0.0, self.point))

    @property
    def constrained(self) -> float:
        """The maximum likelihood estimate of the prevalence when no type is rarer than never."""
        return float(self.constrained_types[1].sum())

    @property
    def standard_error(self) -> float:
        """The standard error of the point estimate; NaN where an arm has a single respondent."""
        return self.difference.standard_error

    @property
    def types_standard_error(self) -> Floats:
        """The standard errors of the types' shares."""
        errors: Floats = np.sqrt(np.maximum(np.diagonal(self.types_covariance), 0.0))
        return errors.reshape(self.types.shape)

    @property
    def ceiling(self) -> float:
        """Pr(Y=J, Z=1): how many would have to count all items, and so to say Yes."""
        return float(self.types[1, -1])

    @property
    def floor(self) -> float:
        """Pr(Y=0, Z=1): how many count 1 because of the sensitive item alone."""
        return float(self.types[1, 0])

    def interval(self, confidence_level: float = 0.95) -> ScalarInterval:
        """Return Welch's interval for the prevalence, cut to [0, 1]."""
        return self.difference.interval(confidence_level, 0.0, 1.0)


def estimate_list(control: Counts, treatment: Counts, *, designs: ListDesigns | None = None) -> ListEstimate:
    """Estimate how many have the sensitive item, by the difference in means, and how many are of each type.

    Parameters
    ----------
    control, treatment : sequences of integers
        How often each report came in either arm; without designs the report is the count, 0 to J in the control arm and
        0 to J + 1 in the treatment arm.
    designs : pair of Designs, optional
        Through which the counts were sent: the control arm's for J + 1 or J + 2 counts, the treatment arm's for J + 2.

    Returns
    -------
    ListEstimate
        With `point`, `standard_error` and `interval` of the sensitive item, and `types`, the shares of all types of
        respondents.

    Raises
    ------
    ValueError
        Naming the argument that is not as above, or where the reports do not determine the counts.

    Examples
    --------
    >>> from surveys.estimation import estimate_list
    >>> estimate = estimate_list([8, 132, 222, 227], [19, 123, 229, 219, 34])
    >>> [round(estimate.point, 3), round(estimate.standard_error, 3)]
    [0.068, 0.05]
    """
    arms = list_arms(control, treatment, designs)
    difference = welch_sum(
        [
            (arms.treatment.counts, arms.treatment.channel.scores),
            (arms.control.counts, -arms.control.channel.scores),
        ]
    )
    types, covariance = arms.linear(*type_weights(arms.items))
    shape = 2, arms.items + 1
    return ListEstimate(
        arms,
        difference,
        read_only(types.reshape(shape)),
        read_only(covariance),
        read_only(likeliest_types(arms).reshape(shape)),
    )


def type_weights(items: int) -> tuple[Floats, Floats]:
    """Return what the shares of the control and of the treatment arm's true counts add to those of the types."""
    up_to = np.tri(items + 1)
    below = up_to - np.eye(items + 1)
    of_treatment = np.hstack([up_to, np.zeros((items + 1, 1))])
    return np.vstack([-below, up_to]), np.vstack([of_treatment, -of_treatment])


def counts_of_types(items: int) -> tuple[Floats, Floats]:
    """Return which true count each type has in the control and in the treatment arm, one column a type."""
    innocuous, all_of_them = np.eye(items + 1), np.eye(items + 2)
    return np.hstack([innocuous, innocuous]), np.hstack([all_of_them[:, :-1], all_of_them[:, 1:]])


def likeliest_types(arms: ListArms) -> Floats:
    """Return the shares of the types under which both arms' reports are likeliest.

    Arm and report together are one report of a respondent's type, with the arms' sizes as the probabilities of either.
    """
    sizes = np.array([arms.control.n, arms.treatment.n], dtype=np.float64)
    shares = sizes / sizes.sum()
    of_control, of_treatment = counts_of_types(arms.items)
    matrix = np.vstack(
        [
            shares[0] * arms.control.channel.matrix @ of_control,
            shares[1] * arms.treatment.channel.matrix @ of_treatment,
        ]
    )
    observed = np.concatenate([shares[0] * arms.control.observed, shares[1] * arms.treatment.observed])
    return simplex_maximum(observed, matrix)
