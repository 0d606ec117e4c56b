"""Cheating detection: forced Yes, with a share of respondents who say No whatever the coin says.

With probability p a respondent is told to say Yes, else to answer truthfully: λ = π + βp. Those to whom the statement
applies (π) say Yes either way, honest others (β) only when told to, and cheaters (γ = 1−π−β) never. At p = 0 the line
shows π, at p = 1 it shows π + β.
"""

from surveys.estimation.two_groups.estimate import ParameterEstimate, TwoGroupEstimate, fit
from surveys.estimation.two_groups.line import LineModel, Quantity, two_groups
from surveys.estimation.validation import Counts

MODEL = LineModel(
    {
        "prevalence": Quantity((0, 1, 0)),
        "honest_no": Quantity((0, -1, 1)),
        "always_no": Quantity((1, 0, -1)),
    },
    corners=((0, 0), (1, 1), (0, 1)),
)


class CheatingDetectionEstimate(TwoGroupEstimate):
    """The shares of honest Yes, honest No, and No whatever the coin; they sum to 1."""

    __slots__ = ()

    @property
    def honest_no(self) -> ParameterEstimate:
        """β: the share of respondents whose honest answer is No."""
        return self.parameters[1]

    @property
    def always_no(self) -> ParameterEstimate:
        """γ: the share of respondents who say No whatever the coin says, so that their truth stays unknown."""
        return self.parameters[2]


def estimate_cheating_detection(counts1: Counts, counts2: Counts, p1: object, p2: object) -> CheatingDetectionEstimate:
    """Estimate who answers Yes, who honestly No, and who says No whatever the coin.

    π̂ = (p₂λ̂₁ − p₁λ̂₂)/(p₂−p₁) with variance (p₂²V₁ + p₁²V₂)/(p₁−p₂)², β̂ = (λ̂₂−λ̂₁)/(p₂−p₁) with variance
    (V₁ + V₂)/(p₁−p₂)², γ̂ = 1 − π̂ − β̂ with variance [(1−p₂)²V₁ + (1−p₁)²V₂]/(p₁−p₂)², where V = λ̂(1−λ̂)/(n−1).
    The prevalence among all lies between π̂ (no cheater has it) and π̂ + γ̂ (every cheater has it).

    Parameters
    ----------
    counts1, counts2 : pair of integers
        How many of each group reported No, and Yes.
    p1, p2 : exact probabilities
        Of being told to say Yes in each group; they must differ.

    References
    ----------
    Clark & Desharnais (1998), Honest answers to embarrassing questions: detecting cheating in the randomized response
    model.
    """
    return CheatingDetectionEstimate(*fit(two_groups(counts1, counts2, p1, p2), MODEL))
