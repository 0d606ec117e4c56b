"""Three models that ask two groups with different probabilities, to learn one more thing than the prevalence.

In all three the probability of Yes mixes two shares, with weights that a group's probabilities give. Where there is one
chance p, that is a straight line in p: two groups are two points on it, and the line is read off at its ends.

Unrelated question whose own Yes-rate nobody knows: with probability p a respondent meets the sensitive question, else
an innocuous one, so λ = pπ + (1−p)q. At p = 1 the line shows the prevalence π, at p = 0 the innocuous rate q.

Cheating detection: with probability p a respondent is instructed to say Yes, with probability s to say No, else to
answer truthfully, so λ = (1−p−s)π + p(π + β). Those to whom the statement applies (π) say Yes unless instructed to say
No, honest others (β) only when instructed to, and cheaters (γ = 1−π−β) never. Where nobody is instructed to say No this
is λ = π + βp, the design of Clark and Desharnais: at p = 0 the line shows π, at p = 1 it shows π + β. With s above 0 no
report proves anything, and the same two shares are mixed with the weights 1−p−s and p.

Stochastic lie detector: people to whom the statement does not apply answer truthfully with probability p and say Yes
otherwise; people to whom it applies say Yes with probability t whatever the instruction: λ = πt + (1−π)(1−p). At p = 1
the line shows πt, at p = 0 it shows πt + 1 − π. (Cheating detection with p turned around: carriers who say so, others,
and carriers who lie.)
"""

from collections.abc import Mapping
from fractions import Fraction

from surveys.estimation.two_groups.estimate import ParameterEstimate, TwoGroupEstimate, fit
from surveys.estimation.two_groups.line import EndWeights, LineModel, Quantity, mixed_groups, two_groups
from surveys.estimation.validation import Counts
from surveys.privacy.rationals import probability

UNRELATED_UNKNOWN = LineModel(
    {"prevalence": Quantity((0, 0, 1)), "innocuous_rate": Quantity((0, 1, 0))},
    corners=((0, 0), (1, 0), (1, 1), (0, 1)),
)
CHEATING_DETECTION = LineModel(
    {
        "prevalence": Quantity((0, 1, 0)),
        "honest_no": Quantity((0, -1, 1)),
        "always_no": Quantity((1, 0, -1)),
    },
    corners=((0, 0), (1, 1), (0, 1)),
)
LIE_DETECTOR = LineModel(
    {"prevalence": Quantity((1, -1, 1)), "truthful_share": Quantity((0, 0, 1), (1, -1, 1))},
    corners=((0, 0), (1, 0), (1, 1)),
)

MODELS: Mapping[str, LineModel] = {
    "unrelated_unknown": UNRELATED_UNKNOWN,
    "cheating_detection": CHEATING_DETECTION,
    "lie_detector": LIE_DETECTOR,
}

BESIDES: Mapping[str, str] = {
    "unrelated_unknown": "innocuous_rate",
    "cheating_detection": "always_no",
    "lie_detector": "truthful_share",
}
"""The name of the parameter that each model estimates besides the prevalence, and a plan has to assume."""


def estimate_two_groups(
    name: str, counts1: Counts, counts2: Counts, weights1: EndWeights, weights2: EndWeights
) -> TwoGroupEstimate:
    """Return the estimate of a model by its name, from the weights with which the groups mix its two shares.

    Parameters
    ----------
    name : str
        Of `MODELS`.
    counts1, counts2 : pair of integers
        How many of each group reported No, and Yes.
    weights1, weights2 : pairs of Fraction
        In the Yes-rate of each group the weights of the two ends of the model's line; at one probability p, 1−p and p.

    Raises
    ------
    ValueError
        If there is no such model, or the weights are multiples of each other: then the groups tell one thing only.
    """
    if name not in MODELS:
        raise ValueError(f"name must be one of {', '.join(MODELS)}, got {name!r}")
    return TwoGroupEstimate(*fit(mixed_groups(counts1, counts2, weights1, weights2), MODELS[name]))


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

    Returns
    -------
    UnrelatedUnknownEstimate
        With `prevalence` and `innocuous_rate`, each with `point`, `standard_error` and `interval`.

    Raises
    ------
    ValueError
        Naming the argument that is not as above.

    References
    ----------
    Greenberg, Abul-Ela, Simmons & Horvitz (1969), The unrelated question randomized response model.

    Examples
    --------
    >>> from surveys.estimation import estimate_unrelated_unknown
    >>> estimate = estimate_unrelated_unknown([350, 150], [250, 250], "7/10", "3/10")
    >>> [round(estimate.prevalence.point, 3), round(estimate.innocuous_rate.point, 3)]
    [0.15, 0.65]
    """
    return UnrelatedUnknownEstimate(*fit(two_groups(counts1, counts2, p1, p2), UNRELATED_UNKNOWN))


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

    Returns
    -------
    CheatingDetectionEstimate
        With `prevalence`, `honest_no` and `always_no`, each with `point`, `standard_error` and `interval`.

    Raises
    ------
    ValueError
        Naming the argument that is not as above.

    References
    ----------
    Clark & Desharnais (1998), Honest answers to embarrassing questions: detecting cheating in the randomized response
    model.

    Examples
    --------
    >>> from surveys.estimation import estimate_cheating_detection
    >>> estimate = estimate_cheating_detection([700, 300], [300, 700], "1/6", "5/6")
    >>> [round(share.point, 3) for share in (estimate.prevalence, estimate.honest_no, estimate.always_no)]
    [0.2, 0.6, 0.2]
    """
    weights = forced_weights(p1, no1, 1), forced_weights(p2, no2, 2)
    return CheatingDetectionEstimate(*fit(mixed_groups(counts1, counts2, *weights), CHEATING_DETECTION))


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

    Returns
    -------
    LieDetectorEstimate
        With `prevalence` and `truthful_share`, each with `point`, `standard_error` and `interval`.

    Raises
    ------
    ValueError
        Naming the argument that is not as above.

    References
    ----------
    Moshagen, Musch & Erdfelder (2012), A stochastic lie detector.

    Examples
    --------
    >>> from surveys.estimation import estimate_lie_detector
    >>> estimate = estimate_lie_detector([180, 320], [420, 180], "3/10", "9/10")
    >>> [round(estimate.prevalence.point, 3), round(estimate.truthful_share.point, 3)]
    [0.433, 0.562]
    """
    return LieDetectorEstimate(*fit(two_groups(counts1, counts2, p1, p2), LIE_DETECTOR))
