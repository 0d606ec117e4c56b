"""Plans for designs that give two groups different chances and so show one thing more than the prevalence.

The plan has to assume that other thing; the analysis will estimate it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from surveys.estimation.two_groups import cheating_detection, lie_detector, unrelated_unknown
from surveys.estimation.two_groups.line import LineModel, to_ends
from surveys.privacy.rationals import probability

_HALF = Fraction(1, 2)


@dataclass(frozen=True, slots=True)
class TwoGroupPlan:
    """Two groups whose probability of Yes is a straight line in the chance that they are given.

    Attributes
    ----------
    model : Model
        What the line's ends mean.
    ends : callable
        From a prevalence to the line's heights at p = 0 and p = 1, given what the plan assumes.
    p1, p2 : Fraction
        The chances of the first and of the second group.
    first_share : Fraction
        The share of all respondents who are in the first group.
    """

    model: LineModel
    ends: Callable[[float], tuple[float, float]]
    p1: Fraction
    p2: Fraction
    first_share: Fraction

    @property
    def k(self) -> int:
        """The number of possible true answers."""
        return 2

    def moments(self, prevalence: float) -> tuple[float, float]:
        """Return n times the variance of the estimated prevalence, and n² times its third central moment.

        They are Σ w²λ(1−λ)/share and Σ w³λ(1−λ)(1−2λ)/share² over the two groups, w being a Yes-rate's weight in the
        estimate.
        """
        at_0, at_1 = self.ends(prevalence)
        weights = self.model.quantities["prevalence"].weights(to_ends(self.p1, self.p2))
        variance = third = 0.0
        for weight, p, share in (
            (weights[0], self.p1, self.first_share),
            (weights[1], self.p2, 1 - self.first_share),
        ):
            rate = float(1 - p) * at_0 + float(p) * at_1
            scatter = max(0.0, rate * (1 - rate))  # rounding can take a certain Yes just beyond 1
            variance += float(weight**2 / share) * scatter
            third += float(weight**3 / share**2) * scatter * (1 - 2 * rate)
        return variance, third


def unrelated_unknown_plan(p1: object, p2: object, innocuous: object, first_share: object = _HALF) -> TwoGroupPlan:
    """Return the plan of `estimate_unrelated_unknown`.

    Parameters
    ----------
    p1, p2 : exact probabilities
        That a respondent of the first and of the second group gets the sensitive question; not equal.
    innocuous : exact probability
        The Yes-rate assumed for the other question.
    first_share : exact probability, optional
        The share of all respondents who are in the first group, strictly between 0 and 1.

    References
    ----------
    Greenberg, Abul-Ela, Simmons & Horvitz (1969), The unrelated question randomized response model.
    """
    rate = float(probability(innocuous, "innocuous"))
    return _plan(unrelated_unknown.MODEL, lambda prevalence: (rate, prevalence), p1, p2, first_share)


def cheating_detection_plan(p1: object, p2: object, always_no: object, first_share: object = _HALF) -> TwoGroupPlan:
    """Return the plan of `estimate_cheating_detection`.

    Parameters
    ----------
    p1, p2 : exact probabilities
        Of being told to say Yes in each group; not equal.
    always_no : exact probability
        The share of respondents assumed to say No whatever the coin says; with the prevalence at most 1.
    first_share : exact probability, optional
        As for `unrelated_unknown_plan`.

    References
    ----------
    Clark & Desharnais (1998), Honest answers to embarrassing questions.
    """
    others = float(1 - probability(always_no, "always_no"))

    def ends(prevalence: float) -> tuple[float, float]:
        if not prevalence <= others + 1e-12:
            raise ValueError(f"prevalence and always_no must add up to at most 1, got the prevalence {prevalence!r}")
        return prevalence, others

    return _plan(cheating_detection.MODEL, ends, p1, p2, first_share)


def lie_detector_plan(p1: object, p2: object, truthful_share: object, first_share: object = _HALF) -> TwoGroupPlan:
    """Return the plan of `estimate_lie_detector`.

    Parameters
    ----------
    p1, p2 : exact probabilities
        Of being told to tell the truth in each group; not equal.
    truthful_share : exact probability
        Of those to whom the statement applies, the share assumed to say so.
    first_share : exact probability, optional
        As for `unrelated_unknown_plan`.

    References
    ----------
    Moshagen, Musch & Erdfelder (2012), A stochastic lie detector.
    """
    truthful = float(probability(truthful_share, "truthful_share"))

    def ends(prevalence: float) -> tuple[float, float]:
        admitted = prevalence * truthful
        return admitted + 1 - prevalence, admitted

    return _plan(lie_detector.MODEL, ends, p1, p2, first_share)


def _plan(
    model: LineModel, ends: Callable[[float], tuple[float, float]], p1: object, p2: object, first_share: object
) -> TwoGroupPlan:
    """Return the plan, or refuse chances that tell nothing."""
    first, second, share = probability(p1, "p1"), probability(p2, "p2"), probability(first_share, "first_share")
    if first == second:
        raise ValueError(f"p1 and p2 must differ, or the groups tell nothing about each other, got {first} twice")
    if not 0 < share < 1:
        raise ValueError(f"first_share must be strictly between 0 and 1, got {share}")
    return TwoGroupPlan(model, ends, first, second, share)
