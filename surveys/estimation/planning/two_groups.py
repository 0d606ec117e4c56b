"""Plans for designs that give two groups different probabilities and so show one thing more than the prevalence.

The plan has to assume that other thing; the analysis will estimate it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from surveys.estimation.two_groups.line import EndWeights, LineModel, require_identified, to_ends, weights_at
from surveys.estimation.two_groups.models import MODELS, forced_weights
from surveys.privacy.rationals import probability

_HALF = Fraction(1, 2)


@dataclass(frozen=True, slots=True)
class TwoGroupPlan:
    """Two groups whose probability of Yes mixes the same two shares with weights of their own.

    Attributes
    ----------
    model : Model
        What the two shares, the line's ends, mean.
    ends : callable
        From a prevalence to the line's heights at p = 0 and p = 1, given what the plan assumes.
    weights : pair of pairs of Fraction
        Of the two ends in the Yes-rate of the first and of the second group.
    first_share : Fraction
        The share of all respondents who are in the first group.
    """

    model: LineModel
    ends: Callable[[float], tuple[float, float]]
    weights: tuple[EndWeights, EndWeights]
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
        in_estimate = self.model.quantities["prevalence"].weights(to_ends(*self.weights))
        variance = third = 0.0
        for weight, (weight_0, weight_1), share in zip(
            in_estimate, self.weights, (self.first_share, 1 - self.first_share), strict=True
        ):
            rate = float(weight_0) * at_0 + float(weight_1) * at_1
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

    Returns
    -------
    TwoGroupPlan
        For `expected_half_width`, `power` and `sample_size`, as their `design`.

    Raises
    ------
    ValueError
        Naming the argument that is not as above.

    References
    ----------
    Greenberg, Abul-Ela, Simmons & Horvitz (1969), The unrelated question randomized response model.

    Examples
    --------
    >>> from surveys.estimation import expected_half_width, unrelated_unknown_plan
    >>> plan = unrelated_unknown_plan("7/10", "3/10", "1/4")
    >>> round(expected_half_width(n=1000, design=plan, prevalence=0.2), 3)
    0.069
    """
    return two_group_plan("unrelated_unknown", _at(p1, p2), innocuous, first_share, other_name="innocuous")


def cheating_detection_plan(
    p1: object, p2: object, always_no: object, first_share: object = _HALF, *, no1: object = 0, no2: object = 0
) -> TwoGroupPlan:
    """Return the plan of `estimate_cheating_detection`.

    Parameters
    ----------
    p1, p2 : exact probabilities
        Of the instruction to say Yes in each group.
    always_no : exact probability
        The share of respondents assumed to say No whatever the coin says; with the prevalence at most 1.
    first_share : exact probability, optional
        As for `unrelated_unknown_plan`.
    no1, no2 : exact probabilities, optional
        Of the instruction to say No in each group.

    Returns
    -------
    TwoGroupPlan
        For `expected_half_width`, `power` and `sample_size`, as their `design`.

    Raises
    ------
    ValueError
        Naming the argument that is not as above.

    References
    ----------
    Clark & Desharnais (1998), Honest answers to embarrassing questions.

    Examples
    --------
    >>> from surveys.estimation import cheating_detection_plan, expected_half_width
    >>> plan = cheating_detection_plan("1/4", "3/4", "1/10")
    >>> round(expected_half_width(n=1000, design=plan, prevalence=0.2), 3)
    0.067
    """
    weights = forced_weights(p1, no1, 1), forced_weights(p2, no2, 2)
    return two_group_plan("cheating_detection", weights, always_no, first_share, other_name="always_no")


def lie_detector_plan(p1: object, p2: object, truthful_share: object, first_share: object = _HALF) -> TwoGroupPlan:
    """Return the plan of `estimate_lie_detector`.

    Parameters
    ----------
    p1, p2 : exact probabilities
        Of the instruction to answer truthfully in each group; not equal.
    truthful_share : exact probability
        Of those to whom the statement applies, the share assumed to say so.
    first_share : exact probability, optional
        As for `unrelated_unknown_plan`.

    Returns
    -------
    TwoGroupPlan
        For `expected_half_width`, `power` and `sample_size`, as their `design`.

    Raises
    ------
    ValueError
        Naming the argument that is not as above.

    References
    ----------
    Moshagen, Musch & Erdfelder (2012), A stochastic lie detector.

    Examples
    --------
    >>> from surveys.estimation import expected_half_width, lie_detector_plan
    >>> plan = lie_detector_plan("1/6", "5/6", "4/5")
    >>> round(expected_half_width(n=1000, design=plan, prevalence=0.2), 3)
    0.078
    """
    return two_group_plan("lie_detector", _at(p1, p2), truthful_share, first_share, other_name="truthful_share")


def two_group_plan(
    name: str,
    weights: tuple[EndWeights, EndWeights],
    other: object,
    first_share: object = _HALF,
    *,
    other_name: str = "other",
) -> TwoGroupPlan:
    """Return the plan of `estimate_two_groups`, of a model by its name.

    Parameters
    ----------
    name : str
        Of `surveys.estimation.two_groups.models.MODELS`.
    weights : pair of pairs of Fraction
        Of the two ends in the Yes-rate of each group.
    other : exact probability
        What is assumed besides the prevalence: the innocuous question's rate, the share that always says No, or how
        many of those to whom the statement applies say so.
    first_share : exact probability, optional
        The share of all respondents who are in the first group, strictly between 0 and 1.
    other_name : str, optional
        What an error calls it.

    Raises
    ------
    ValueError
        Naming what makes no plan.
    """
    assumed, share = float(probability(other, other_name)), probability(first_share, "first_share")
    if not 0 < share < 1:
        raise ValueError(f"first_share must be strictly between 0 and 1, got {share}")
    return TwoGroupPlan(MODELS[name], partial(_ENDS[name], assumed), require_identified(*weights), share)


def _at(p1: object, p2: object) -> tuple[EndWeights, EndWeights]:
    return weights_at(probability(p1, "p1")), weights_at(probability(p2, "p2"))


def _with_innocuous(innocuous: float, prevalence: float) -> tuple[float, float]:
    return innocuous, prevalence


def _with_cheaters(always_no: float, prevalence: float) -> tuple[float, float]:
    others = 1 - always_no
    if not prevalence <= others + 1e-12:
        raise ValueError(f"prevalence and always_no must add up to at most 1, got the prevalence {prevalence!r}")
    return prevalence, others


def _with_liars(truthful_share: float, prevalence: float) -> tuple[float, float]:
    admitted = prevalence * truthful_share
    return admitted + 1 - prevalence, admitted


_ENDS: Mapping[str, Callable[[float, float], tuple[float, float]]] = {
    "unrelated_unknown": _with_innocuous,
    "cheating_detection": _with_cheaters,
    "lie_detector": _with_liars,
}
"""The line's heights at p = 0 and p = 1, from what is assumed besides the prevalence and the prevalence."""

EVERYBODY_FOLLOWS: Mapping[str, int] = {"cheating_detection": 0, "lie_detector": 1}
"""The values of the further parameters, in models of nonadherence, if everybody follows the instructions."""
