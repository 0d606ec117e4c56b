"""One question asked in several arms, each with its own design, of people with the same prevalences.

The arms' reports are so many more reports of one design: its matrix is theirs below each other, each weighted with
its arm's share of the responses. So one estimate serves all, and the reports have more freedom than the prevalences:
what is left tests whether the same prevalences fit all arms. The extended crosswise model is the simplest case.

References
----------
Heck, Hoffmann & Moshagen (2018), Detecting nonadherence without loss in efficiency: a simple extension of the
crosswise model.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt
import scipy

from surveys.estimation.association.independence import chi_square_p_value
from surveys.estimation.intervals.binomial import normal_quantile
from surveys.estimation.intervals.general import general_interval
from surveys.estimation.intervals.interval import Interval, cut_interval, each_level
from surveys.estimation.likelihood import simplex_maximum
from surveys.estimation.moments import moment_covariance
from surveys.estimation.regression.testing import LikelihoodRatioTest
from surveys.estimation.validation import Counts, Floats, as_list, read_only, report_counts, require_design
from surveys.privacy.designs import crosswise
from surveys.privacy.designs.design import Design
from surveys.privacy.rationals import probability

ARMS_METHODS = ("likelihood_ratio", "wald")


@dataclass(frozen=True, slots=True, eq=False)
class ArmsEstimate:
    """The k prevalences that all arms share.

    Attributes
    ----------
    counts : tuple of arrays of integers
        How often each report was received, one array an arm.
    designs : tuple of Design
        The arms' designs.
    stacked : Design
        Which arm and which report as the reports of one design.
    point : array of k floats
        A moment estimate: unbiased, sums to 1, and may leave [0, 1].
    covariance : array of k × k floats
        Its estimated covariance, given the sizes of the arms: unbiased; NaN where an arm has a single response.
    constrained : array of k floats
        The maximum likelihood estimate among distributions.
    """

    counts: tuple[npt.NDArray[np.int64], ...]
    designs: tuple[Design, ...]
    stacked: Design
    point: Floats
    covariance: Floats
    constrained: Floats

    @property
    def n(self) -> int:
        """The number of responses in all arms."""
        return int(sum(counts.sum() for counts in self.counts))

    @property
    def standard_error(self) -> Floats:
        """Standard errors of the moment estimate; NaN where there is none."""
        return np.sqrt(np.maximum(np.diagonal(self.covariance), 0.0))

    @property
    def likelihood_covariance(self) -> Floats:
        """The inverse of the expected information at the maximum likelihood estimate, for large samples.

        Shares of 0 are taken to be known.
        """
        kept = np.flatnonzero(self.constrained > 0)
        information = np.zeros((kept.size, kept.size))
        for counts, design in zip(self.counts, self.designs, strict=True):
            matrix = np.array(design.matrix, dtype=np.float64)[:, kept]
            likely = matrix @ self.constrained[kept]
            matrix, likely = matrix[likely > 0], likely[likely > 0]
            information += counts.sum() * (matrix.T / likely) @ matrix
        # Shares sum to 1: they move in the directions whose entries sum to 0.
        free = scipy.linalg.null_space(np.ones((1, kept.size)))
        covariance = np.zeros((self.constrained.size, self.constrained.size))
        covariance[np.ix_(kept, kept)] = free @ np.linalg.inv(free.T @ information @ free) @ free.T
        return read_only(covariance)

    @property
    def fit(self) -> LikelihoodRatioTest:
        """G²: whether one set of prevalences fits all arms.

        It has as many degrees of freedom as there are possible reports, less one an arm, and less one fewer than there
        are shares above 0: given which are 0, this is its distribution also where the truth lies on the boundary. A
        large value says that some respondents did not follow the instructions, or that the arms are not alike. It sees
        nothing of answers that are wrong in a way that could be another prevalence's in all arms: of answers at random
        in two crosswise arms with p and 1 − p, for one.

        References
        ----------
        Susko (2013), Likelihood ratio tests with boundary constraints using data-dependent degrees of freedom.
        """
        lost, possible = 0.0, 0
        for counts, design in zip(self.counts, self.designs, strict=True):
            likely = np.array(design.matrix, dtype=np.float64) @ self.constrained
            lost += float(
                scipy.special.xlogy(counts, counts / counts.sum()).sum() - scipy.special.xlogy(counts, likely).sum()
            )
            possible += int((likely > 0).sum()) - 1
        freedom, statistic = possible - int((self.constrained > 0).sum()) + 1, max(0.0, 2 * lost)
        return LikelihoodRatioTest(statistic, freedom, chi_square_p_value(statistic, freedom) if freedom else 1.0)

    def interval(
        self, confidence_level: float = 0.95, method: str = "likelihood_ratio", simultaneous: bool = False
    ) -> Interval:
        """Return a confidence interval for each prevalence, cut to [0, 1].

        Parameters
        ----------
        confidence_level : float, optional
            Of each interval by itself, or of all together.
        method : str, optional
            ``"likelihood_ratio"``, as of `PrevalenceEstimate`, or ``"wald"``: the moment estimate ± z standard errors.
        simultaneous : bool, optional
            Whether all are to hold at once, by Bonferroni's inequality.
        """
        if method not in ARMS_METHODS:
            raise ValueError(f"method must be one of {', '.join(ARMS_METHODS)}, got {method!r}")
        number = self.stacked.k if simultaneous and self.stacked.k > 2 else 1
        if method == "wald":
            half = normal_quantile(each_level(confidence_level, number)) * self.standard_error
            return cut_interval(self.point - half, self.point + half, confidence_level, method, simultaneous=number > 1)
        counts = np.concatenate(self.counts)
        return general_interval(counts, self.stacked, self.constrained, confidence_level, method, number=number)


def estimate_arms(counts: Sequence[Counts], designs: Sequence[Design]) -> ArmsEstimate:
    """Estimate prevalences that several arms share, and test whether they do.

    With n_a of n responses in arm a, the stacked design has the rows (n_a/n)·P_a, and L is its left inverse. The moment
    estimate is Lλ̂, with the covariance Σ_a (n_a/n)²·L_a(diag λ̂_a − λ̂_aλ̂_aᵀ)L_aᵀ/(n_a − 1).

    Parameters
    ----------
    counts : sequence of sequences of integers
        How often each report was received, one sequence an arm; at least two arms, each with a response.
    designs : sequence of Design
        The arms' designs, all for the same true answers. A direct question is the identity matrix, `direct(k)`.

    Returns
    -------
    ArmsEstimate
        With `point`, `standard_error`, `interval` and `fit`, the test whether the arms agree.

    Raises
    ------
    ValueError
        If there are fewer than two arms, not one design an arm, an arm's counts are not those of its design, the
        designs differ in their true answers, or all reports together do not determine the prevalences.

    References
    ----------
    Heck, Hoffmann & Moshagen (2018), Detecting nonadherence without loss in efficiency.

    Examples
    --------
    >>> from surveys.estimation import estimate_arms
    >>> from surveys.privacy import crosswise, direct
    >>> estimate = estimate_arms([[89, 7], [112, 198]], [direct(), crosswise("1/4")])
    >>> estimate.point.round(3).tolist()
    [0.86, 0.14]
    >>> estimate.fit.p_value < 0.05
    True
    """
    arms, given = len(as_list(counts) or ()), tuple(map(require_design, as_list(designs) or ()))
    if not arms >= 2:
        raise ValueError(f"counts must hold at least two arms, got {counts!r}")
    if len(given) != arms or len({design.k for design in given}) != 1:
        raise ValueError(f"designs must be {arms} designs with the same truths, one an arm")
    observed = tuple(
        report_counts(row, design.m, f"counts of arm {arm}")
        for arm, (row, design) in enumerate(zip(counts, given, strict=True))
    )
    stacked = stack_designs(given, [int(row.sum()) for row in observed])
    n = int(sum(row.sum() for row in observed))
    weights = np.array(stacked.left_inverse, dtype=np.float64)
    parts = np.split(weights, np.cumsum([design.m for design in given])[:-1], axis=1)
    covariance = np.zeros((stacked.k, stacked.k))
    for row, part in zip(observed, parts, strict=True):
        size = int(row.sum())
        covariance += moment_covariance(part * (size / n), row / size, size)
    shares = np.concatenate(observed) / n
    constrained = simplex_maximum(shares, np.array(stacked.matrix, dtype=np.float64))
    return ArmsEstimate(
        observed, given, stacked, read_only(weights @ shares), read_only(covariance), read_only(constrained)
    )


def estimate_extended_crosswise(counts1: Counts, counts2: Counts, p1: object, p2: object | None = None) -> ArmsEstimate:
    """Estimate a prevalence from two crosswise arms, and test whether it fits both.

    Code 1 is "the same". With p₂ = 1 − p₁ an arm's reports are the other's with the codes changed round, so that
    π̂ = ((x₁ + y₂)/n + p₁ − 1)/(2p₁ − 1) with x₁ reports of "the same" in the first and y₂ of "different" in the second,
    as precise as one arm of n. Who reports one code whatever is true pushes the two arms' estimates apart.

    Parameters
    ----------
    counts1, counts2 : pair of integers
        How many of each arm reported "different", and "the same".
    p1 : exact probability
        Of a Yes to the innocuous question of the first arm.
    p2 : exact probability, optional
        Of that of the second; by default 1 − p₁.

    Returns
    -------
    ArmsEstimate
        As of `estimate_arms`.

    Raises
    ------
    ValueError
        Naming the argument that is not as above.

    References
    ----------
    Heck, Hoffmann & Moshagen (2018), Detecting nonadherence without loss in efficiency.

    Examples
    --------
    >>> from surveys.estimation import estimate_extended_crosswise
    >>> estimate = estimate_extended_crosswise([70, 130], [125, 75], "1/4")
    >>> estimate.point.round(3).tolist()
    [0.775, 0.225]
    """
    first = probability(p1, "p1")
    second = 1 - first if p2 is None else probability(p2, "p2")
    if first == second:
        raise ValueError(f"p1 and p2 must differ, or nothing is tested, got {first} twice")
    return estimate_arms([counts1, counts2], [crosswise(first), crosswise(second)])


def stack_designs(designs: Sequence[Design], sizes: Sequence[int]) -> Design:
    """Return the design whose reports are an arm and its report, the arms being drawn in proportion to their sizes."""
    n = sum(sizes)
    return Design(
        "arms",
        tuple(
            tuple(Fraction(size, n) * entry for entry in row)
            for design, size in zip(designs, sizes, strict=True)
            for row in design.matrix
        ),
    )
