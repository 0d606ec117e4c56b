"""A list experiment among people who were also asked directly.

People who say Yes when asked directly have the sensitive item; the list shows how many of the others have it:
π = d + (1 − d)·τ, with d the share of direct Yes and τ the difference in means among those who said No. That nobody
says Yes falsely shows in τ = 1 among those who said Yes (placebo test I); that the list does not change direct answers,
in the same share of Yes in both arms (placebo test II).

References
----------
Aronow, Coppock, Crawford & Green (2015), Combining list experiment and direct question estimates of sensitive behavior
prevalence.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from surveys.estimation.intervals.binomial import normal_quantile
from surveys.estimation.intervals.interval import ScalarInterval
from surveys.estimation.list_experiment.arms import ListDesigns, list_arm, list_channels, plain_designs
from surveys.estimation.list_experiment.welch import WelchEstimate, welch_sum
from surveys.estimation.validation import Counts, as_list


@dataclass(frozen=True, slots=True)
class CombinedListEstimate:
    """The prevalence from direct answers and lists together.

    Attributes
    ----------
    point, standard_error : float
        d + (1 − d)τ, which may leave [0, 1], and the root of (1−τ)²d(1−d)/(n−1) + (1−d)²V(τ).
    direct : WelchEstimate
        d, the share that says Yes when asked directly.
    among_no : WelchEstimate
        τ, the difference in means among those who say No when asked directly.
    by_list : WelchEstimate
        The difference in means among all, which takes no account of direct answers.
    among_yes : WelchEstimate
        The difference in means among those who say Yes: 1 if they tell the truth.
    effect_on_direct : WelchEstimate
        The treatment arm's share of direct Yes less the control arm's: 0 if the list changes no direct answer.
    """

    point: float
    standard_error: float
    direct: WelchEstimate
    among_no: WelchEstimate
    by_list: WelchEstimate
    among_yes: WelchEstimate
    effect_on_direct: WelchEstimate

    def interval(self, confidence_level: float = 0.95) -> ScalarInterval:
        """Return Wald's interval for the prevalence, cut to [0, 1]."""
        half = normal_quantile(confidence_level) * self.standard_error
        low, high = self.point - half, self.point + half
        outside = high < 0 or low > 1
        low, high = np.clip([low, high], 0.0, 1.0).tolist()
        return ScalarInterval(low, high, confidence_level, "wald", outside)

    @property
    def false_yes_p_value(self) -> float:
        """Placebo test I, that the list finds the item with all who say Yes directly."""
        return self.among_yes.p_value(1.0)

    @property
    def effect_on_direct_p_value(self) -> float:
        """Placebo test II, that the list changes no direct answer."""
        return self.effect_on_direct.p_value(0.0)


def combine_with_direct(
    control: Sequence[Counts], treatment: Sequence[Counts], *, designs: ListDesigns | None = None
) -> CombinedListEstimate:
    """Estimate the prevalence from lists and direct answers of the same people.

    Direct answers are taken as they are, and every Yes among them as true.

    Parameters
    ----------
    control, treatment : pairs of sequences of integers
        As for `estimate_list`, first of those who say No when asked directly, then of those who say Yes.
    designs : pair of Designs, optional
        As for `estimate_list`.

    Returns
    -------
    CombinedListEstimate
        With `point`, `standard_error` and `interval`, and what lists and direct answers say by themselves.

    Raises
    ------
    ValueError
        As `estimate_list`, or where somebody is missing: each arm needs both direct answers.

    Examples
    --------
    >>> from surveys.estimation import combine_with_direct
    >>> control = [[10, 60, 80, 50], [5, 30, 45, 20]]
    >>> treatment = [[8, 55, 80, 50, 7], [1, 6, 32, 42, 19]]
    >>> estimate = combine_with_direct(control, treatment)
    >>> round(estimate.point, 3)
    0.41
    """
    pairs = []
    for given, name in ((control, "control"), (treatment, "treatment")):
        if len(as_list(given) or ()) != 2:
            raise ValueError(f"{name} must be a pair, the counts of those who say No directly and of those who say Yes")
        pairs.append((given[0], given[1]))
    if designs is None:
        designs = plain_designs(len(as_list(control[0]) or ()) - 1)
    of_control, of_treatment = list_channels(designs)
    at_no, at_yes = (
        (
            list_arm(pairs[0][answer], of_control, f"control: {direct_answer}").counts,
            list_arm(pairs[1][answer], of_treatment, f"treatment: {direct_answer}").counts,
        )
        for answer, direct_answer in enumerate(("No", "Yes"))
    )
    scores = -of_control.scores, of_treatment.scores
    among_no, among_yes, by_list = (
        welch_sum(list(zip(counts, scores, strict=True)))
        for counts in (at_no, at_yes, (at_no[0] + at_yes[0], at_no[1] + at_yes[1]))
    )
    direct_counts = [np.array([no.sum(), yes.sum()]) for no, yes in zip(at_no, at_yes, strict=True)]
    answer = np.array([0.0, 1.0])
    direct = welch_sum([(direct_counts[0] + direct_counts[1], answer)])
    share, others = direct.point, among_no.point
    variance = ((1 - others) * direct.standard_error) ** 2 + ((1 - share) * among_no.standard_error) ** 2
    return CombinedListEstimate(
        point=share + (1 - share) * others,
        standard_error=math.sqrt(variance),
        direct=direct,
        among_no=among_no,
        by_list=by_list,
        among_yes=among_yes,
        effect_on_direct=welch_sum([(direct_counts[1], answer), (direct_counts[0], -answer)]),
    )
