"""The unrelated question whose own Yes-rate nobody knows.

With probability p a respondent meets the sensitive question, else an innocuous one: λ = pπ + (1−p)q. At p = 1 the
line shows the prevalence π, at p = 0 the innocuous rate q.
"""

from surveys.estimation.two_groups.estimate import ParameterEstimate, TwoGroupEstimate, fit
from surveys.estimation.two_groups.line import LineModel, Quantity, two_groups
from surveys.estimation.validation import Counts

MODEL = LineModel(
    {"prevalence": Quantity((0, 0, 1)), "innocuous_rate": Quantity((0, 1, 0))},
    corners=((0, 0), (1, 0), (1, 1), (0, 1)),
)


class UnrelatedUnknownEstimate(TwoGroupEstimate):
    """The prevalence, and the Yes-rate of the innocuous question."""

    __slots__ = ()

    @property
    def innocuous_rate(self) -> ParameterEstimate:
        """The share of respondents who would truthfully say Yes to the innocuous question."""
        return self.parameters[1]


def estimate_unrelated_unknown(counts1: Counts, counts2: Counts, p1: object, p2: object) -> UnrelatedUnknownEstimate:
    """Estimate the prevalence and the rate of the innocuous question from two groups.

    π̂ = [λ̂₁(1−p₂) − λ̂₂(1−p₁)]/(p₁−p₂) with variance [(1−p₂)²V₁ + (1−p₁)²V₂]/(p₁−p₂)², and
    q̂ = (p₂λ̂₁ − p₁λ̂₂)/(p₂−p₁) with variance [p₂²V₁ + p₁²V₂]/(p₁−p₂)², where V = λ̂(1−λ̂)/(n−1).

    Parameters
    ----------
    counts1, counts2 : pair of integers
        How many of each group reported No, and Yes.
    p1, p2 : exact probabilities
        Of meeting the sensitive question in each group; they must differ.

    References
    ----------
    Greenberg, Abul-Ela, Simmons & Horvitz (1969), The unrelated question randomized response model.
    """
    return UnrelatedUnknownEstimate(*fit(two_groups(counts1, counts2, p1, p2), MODEL))
