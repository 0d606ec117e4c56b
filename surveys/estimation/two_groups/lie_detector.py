"""The stochastic lie detector: how many of those to whom the statement applies say so.

People to whom it does not apply answer truthfully with probability p and say Yes otherwise; people to whom it applies
say Yes with probability t whatever the instruction: λ = πt + (1−π)(1−p). At p = 1 the line shows πt, at p = 0 it shows
πt + 1 − π. (Cheating detection with p turned around: carriers who say so, others, and carriers who lie.)
"""

from surveys.estimation.two_groups.estimate import ParameterEstimate, TwoGroupEstimate, fit
from surveys.estimation.two_groups.line import LineModel, Quantity, two_groups
from surveys.estimation.validation import Counts

MODEL = LineModel(
    {"prevalence": Quantity((1, -1, 1)), "truthful_share": Quantity((0, 0, 1), (1, -1, 1))},
    corners=((0, 0), (1, 0), (1, 1)),
)


class LieDetectorEstimate(TwoGroupEstimate):
    """The prevalence, and how many of those it counts answer truthfully."""

    __slots__ = ()

    @property
    def truthful_share(self) -> ParameterEstimate:
        """t: of those to whom the statement applies, the share that says so."""
        return self.parameters[1]


def estimate_lie_detector(counts1: Counts, counts2: Counts, p1: object, p2: object) -> LieDetectorEstimate:
    """Estimate the prevalence and how many of those it counts answer truthfully.

    π̂ = 1 + (λ̂₂−λ̂₁)/(p₂−p₁) with variance (V₁ + V₂)/(p₁−p₂)², and t̂ = [λ̂₂(1−p₁) − λ̂₁(1−p₂)]/D with
    D = λ̂₂ − λ̂₁ + p₂ − p₁ and, by the delta method, variance
    (p₁−p₂)²[V₁(p₂+λ̂₂−1)² + V₂(p₁+λ̂₁−1)²]/D⁴, where V = λ̂(1−λ̂)/(n−1).

    Parameters
    ----------
    counts1, counts2 : pair of integers
        How many of each group reported No, and Yes.
    p1, p2 : exact probabilities
        Of the instruction to answer truthfully in each group; they must differ.

    References
    ----------
    Moshagen, Musch & Erdfelder (2012), A stochastic lie detector.
    """
    return LieDetectorEstimate(*fit(two_groups(counts1, counts2, p1, p2), MODEL))
