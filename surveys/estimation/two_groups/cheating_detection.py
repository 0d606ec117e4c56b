"""Cheating detection: forced answers, with a share of respondents who say No whatever the coin says.

With probability p a respondent is instructed to say Yes, with probability s to say No, else to answer truthfully:
λ = (1−p−s)π + p(π + β). Those to whom the statement applies (π) say Yes unless instructed to say No, honest others (β)
only when instructed to, and cheaters (γ = 1−π−β) never. Where nobody is instructed to say No this is λ = π + βp, the
design of Clark and Desharnais: at p = 0 the line shows π, at p = 1 it shows π + β. With s above 0 no report proves
anything, and the same two shares are mixed with the weights 1−p−s and p.
"""

from fractions import Fraction

from surveys.estimation.two_groups.estimate import ParameterEstimate, TwoGroupEstimate, fit
from surveys.estimation.two_groups.line import EndWeights, LineModel, Quantity, mixed_groups
from surveys.estimation.validation import Counts
from surveys.privacy.rationals import probability

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


def forced_weights(p: object, no: object, number: int) -> EndWeights:
    """Return the weights of π and of π + β in a group's Yes-rate; ValueError naming the probability and the group."""
    to_yes, to_no = probability(p, f"p{number}"), probability(no, f"no{number}")
    if not to_yes + to_no <= 1:
        raise ValueError(f"p{number} and no{number} must add up to at most 1, got {to_yes} and {to_no}")
    return Fraction(1) - to_yes - to_no, to_yes


def estimate_cheating_detection(
    counts1: Counts, counts2: Counts, p1: object, p2: object, *, no1: object = 0, no2: object = 0
) -> CheatingDetectionEstimate:
    """Estimate who answers Yes, who honestly No, and who says No whatever the coin.

    Where nobody is instructed to say No, π̂ = (p₂λ̂₁ − p₁λ̂₂)/(p₂−p₁) with variance (p₂²V₁ + p₁²V₂)/(p₁−p₂)²,
    β̂ = (λ̂₂−λ̂₁)/(p₂−p₁) with variance (V₁ + V₂)/(p₁−p₂)², γ̂ = 1 − π̂ − β̂ with variance
    [(1−p₂)²V₁ + (1−p₁)²V₂]/(p₁−p₂)², where V = λ̂(1−λ̂)/(n−1). In general, with t = 1−p−s and D = t₁p₂ − t₂p₁,
    π̂ = (p₂λ̂₁ − p₁λ̂₂)/D and π̂ + β̂ = (t₁λ̂₂ − t₂λ̂₁)/D.
    The prevalence among all lies between π̂ (no cheater has it) and π̂ + γ̂ (every cheater has it).

    Parameters
    ----------
    counts1, counts2 : pair of integers
        How many of each group reported No, and Yes.
    p1, p2 : exact probabilities
        Of the instruction to say Yes in each group.
    no1, no2 : exact probabilities, optional
        Of the instruction to say No in each group. The two groups' probabilities must not be multiples of each other:
        t₁p₂ ≠ t₂p₁.

    References
    ----------
    Clark & Desharnais (1998), Honest answers to embarrassing questions: detecting cheating in the randomized response
    model.
    """
    weights = forced_weights(p1, no1, 1), forced_weights(p2, no2, 2)
    return CheatingDetectionEstimate(*fit(mixed_groups(counts1, counts2, *weights), MODEL))
