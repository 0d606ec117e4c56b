"""The prevalences of the true answers, estimated from the counts of the reports.

References
----------
Chaudhuri & Mukerjee (1988), Randomized Response: Theory and Techniques.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from surveys.estimation.affine import affine_map
from surveys.estimation.diagnostics import Misfit, misfit_of
from surveys.estimation.intervals.general import GENERAL_METHODS, general_interval
from surveys.estimation.intervals.interval import Interval
from surveys.estimation.intervals.mapped import MAPPED_METHODS, mapped_interval
from surveys.estimation.likelihood import most_likely
from surveys.estimation.moments import moment_covariance
from surveys.estimation.validation import Counts, Floats, read_only, report_counts, require_design
from surveys.privacy.designs.design import Design


@dataclass(frozen=True, slots=True, eq=False)
class PrevalenceEstimate:
    """Estimated prevalences of the k true answers of one question.

    Attributes
    ----------
    counts : array of m integers
        What was observed.
    design : Design
        The design it was observed through.
    point : array of k floats
        The moment estimate: unbiased, sums to 1, and may leave [0, 1].
    covariance : array of k × k floats
        Its estimated covariance, NaN for a single response.
    constrained : array of k floats
        The maximum likelihood estimate among distributions.
    """

    counts: npt.NDArray[np.int64]
    design: Design
    point: Floats
    covariance: Floats
    constrained: Floats

    @property
    def n(self) -> int:
        """The number of responses."""
        return int(self.counts.sum())

    @property
    def observed(self) -> Floats:
        """The observed proportions of the (randomized) reports."""
        return self.counts / self.n

    @property
    def standard_error(self) -> Floats:
        """Standard errors of the moment estimate; NaN where there is none."""
        return np.sqrt(np.maximum(np.diagonal(self.covariance), 0.0))

    @property
    def misfit(self) -> Misfit:
        """The test whether any prevalences at all could have led to these counts."""
        return misfit_of(self.counts, self.design, self.constrained)

    @property
    def interval_methods(self) -> tuple[str, ...]:
        """The methods that this design has an interval by, the default first."""
        return interval_methods(self.design)

    def interval(
        self, confidence_level: float = 0.95, method: str | None = None, simultaneous: bool = False
    ) -> Interval:
        """Return a confidence interval for each option's prevalence, cut to [0, 1].

        Where each report depends on one prevalence only, the methods are six binomial ones, and ``"bootstrap"``.
        Elsewhere they are ``"likelihood_ratio"``, ``"wald"`` and ``"bootstrap"``. ``"wald"`` takes the
        multinomial variance for Kuk's design too, not the one that its standard error is from.

        All designs have ``"confidence_sequence"``: computed after each report, or after some, these intervals hold at
        all looks together with the confidence level, whatever ends the survey. They are wider.

        A binomial interval looks at one option's reports only: at a low confidence level, or where the counts misfit,
        the constrained estimate of an option among three or more can lie outside it.

        Parameters
        ----------
        confidence_level : float
            Of each option's interval by itself, or of all together.
        method : str, optional
            ``"wilson"``, ``"clopper_pearson"``, ``"jeffreys"``, ``"agresti_coull"``, ``"wald"``,
            ``"likelihood_ratio"``, ``"bootstrap"`` or ``"confidence_sequence"``. By default, it is ``"wilson"`` where
            that exists, else ``"likelihood_ratio"``.
        simultaneous : bool
            Whether all options' intervals are to hold at once: by Bonferroni's inequality, over the k options, or over
            one where there are two, whose intervals mirror each other. With Wilson's these are Goodman's intervals.

        Raises
        ------
        ValueError
            If the confidence level is not between 0 and 1, or this design has no interval by this method.

        References
        ----------
        Goodman (1965), On simultaneous confidence intervals for multinomial proportions.
        Robbins (1970), Statistical methods related to the law of the iterated logarithm.
        """
        methods = self.interval_methods
        chosen = methods[0] if method is None else method
        if chosen not in methods:
            raise ValueError(f"method must be one of {', '.join(methods)} for this design, got {method!r}")
        number = self.design.k if simultaneous and self.design.k > 2 else 1
        line = affine_map(self.design)
        if line is not None and chosen in MAPPED_METHODS:
            interval = mapped_interval(self.counts, self.n, line, confidence_level, chosen, number=number)
        else:
            interval = general_interval(
                self.counts, self.design, self.constrained, confidence_level, chosen, number=number
            )
        return interval


def interval_methods(design: Design) -> tuple[str, ...]:
    """Return the methods that a design has an interval by, the default first."""
    return GENERAL_METHODS if affine_map(design) is None else (*MAPPED_METHODS, "bootstrap")


def estimate_prevalence(counts: Counts, design: Design) -> PrevalenceEstimate:
    """Estimate how frequent each true answer is.

    With λ̂ the observed proportions and L the design's left inverse (the inverse of a square matrix), the moment
    estimate is π̂ = Lλ̂ and its covariance L(diag λ̂ − λ̂λ̂ᵀ)Lᵀ/(n−1), which is unbiased. Kuk's design has a variance of
    its own.

    Parameters
    ----------
    counts : sequence of m integers
        How often each report was received.
    design : Design
        The design, the same for all of these reports.

    Returns
    -------
    PrevalenceEstimate
        With `point`, `standard_error`, `constrained` and `interval`, one entry a true answer.

    Raises
    ------
    ValueError
        If the counts are not m integers of at least 0 that sum to 1 at least and 10^15 at most, or the design's
        reports do not determine the prevalences.

    Examples
    --------
    >>> from surveys.estimation import estimate_prevalence
    >>> from surveys.privacy import crosswise
    >>> estimate = estimate_prevalence([112, 198], crosswise("1/4"))
    >>> estimate.point.round(3).tolist()
    [0.777, 0.223]
    >>> estimate.standard_error.round(3).tolist()
    [0.055, 0.055]
    >>> interval = estimate.interval()
    >>> [round(float(interval.low[1]), 3), round(float(interval.high[1]), 3)]
    [0.12, 0.332]
    """
    observed = report_counts(counts, require_design(design).m)
    n = int(observed.sum())
    shares = observed / n
    weights = np.array(design.left_inverse, dtype=np.float64)
    point = weights @ shares
    of_kuk = design.name == "kuk"
    covariance = kuk_covariance(shares, n, design) if of_kuk else moment_covariance(weights, shares, n)
    constrained = most_likely(shares, design, point)
    return PrevalenceEstimate(observed, design, read_only(point), read_only(covariance), read_only(constrained))


# The variance of Kuk's estimate, which more than one card a respondent makes smaller.


def kuk_covariance(shares: Floats, n: int, design: Design) -> Floats:
    """Return the estimated covariance of the estimated prevalences of No and Yes.

    With φ the share of red among all rn cards, c and d its slope and offset, and π̂ = (φ − d)/c, the variance is
    V = φ(1−φ)/((rn−1)c²) + (1 − 1/r)·π̂(1−π̂)/(n−1). The second term is there because the cards of one respondent
    come from the same deck. Where so few reds came up (or so many) that π̂ is outside [0, 1], that term is negative and
    V no variance, in places below 0: there it is the multinomial one of all designs, which is unbiased. NaN for a
    single response.

    The field uses this formula, and so does RRreg. It is too small by an error of the order 1/n²: with r = 3, decks of
    .8 and .3, a prevalence of .3 and n = 6 the variance is .0783 and the mean of V .0712. Wald intervals are from the
    covariance of all designs instead.

    Parameters
    ----------
    shares : array of r + 1 floats
        Observed proportions of 0, 1, …, r reds.
    n : int
        The number of responses.
    design : Design
        Kuk's, with r draws.

    References
    ----------
    Kuk (1990), Asking sensitive questions indirectly; Heck & Moshagen (2018), RRreg.
    """
    draws = design.m - 1
    reds = np.arange(design.m) / draws
    red_if_no, red_if_yes = reds @ np.array(design.matrix, dtype=np.float64)
    slope = red_if_yes - red_if_no
    red = float(reds @ shares)
    yes = (red - red_if_no) / slope
    if n > 1 and (draws == 1 or 0 <= yes <= 1):
        of_cards = red * (1 - red) / ((draws * n - 1) * slope**2)
        variance = of_cards + (1 - 1 / draws) * yes * (1 - yes) / (n - 1)
        return np.array([[variance, -variance], [-variance, variance]])
    return moment_covariance(np.array(design.left_inverse, dtype=np.float64), shares, n)
