"""The estimated parameters of a two-group model.

References
----------
Greenberg, Abul-Ela, Simmons & Horvitz (1969), The unrelated question randomized response model.
Zou & Donner (2008), Construction of confidence limits about effect measures: a general approach (MOVER).
Perlman (1969), One-sided testing problems in multivariate analysis.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from surveys.estimation.diagnostics import LEVEL
from surveys.estimation.intervals.binomial import binomial_limits, normal_quantile
from surveys.estimation.intervals.interval import ScalarInterval
from surveys.estimation.two_groups.likelihood import likelihood_limits, misfit_p_value, most_likely_ends
from surveys.estimation.two_groups.line import LineModel, Quantity, TwoGroups
from surveys.estimation.validation import Floats, read_only


@dataclass(frozen=True, slots=True, eq=False)
class ParameterEstimate:
    """One parameter of a two-group model.

    Attributes
    ----------
    name : str
        What it is.
    point : float
        The moment estimate, which may leave [0, 1]; NaN for a share of nobody.
    standard_error : float
        From unbiased variances where the parameter is linear in the Yes-rates, else by the delta method; NaN where a
        group has a single response.
    constrained : float
        The maximum likelihood estimate among what the model can give; NaN for a share of nobody.
    groups, model, ends
        What was observed, the model, and its most likely line: what an interval needs.
    """

    name: str
    point: float
    standard_error: float
    constrained: float
    groups: TwoGroups
    model: LineModel
    ends: tuple[float, float]

    def interval(self, confidence_level: float = 0.95, method: str | None = None) -> ScalarInterval:
        """Return a confidence interval, cut to [0, 1].

        Parameters
        ----------
        confidence_level : float, optional
            Of this interval by itself.
        method : str, optional
            A binomial method such as ``"wilson"``, whose limits for the two Yes-rates are combined by MOVER (for
            parameters that are linear in them; the default there), ``"likelihood_ratio"`` (for all; the default for a
            quotient, whose own distribution is skew), or ``"wald"`` for comparison.
        """
        quantity = self.model.quantities[self.name]
        if method is None:
            method = "wilson" if quantity.linear else "likelihood_ratio"
        if method == "likelihood_ratio":
            limits = likelihood_limits(self.groups, self.model, quantity, self.ends, confidence_level)
            return ScalarInterval(*limits, confidence_level, method)
        if method == "wald":
            half = normal_quantile(confidence_level) * self.standard_error
            low, high = self.point - half, self.point + half
        elif quantity.linear:
            low, high = mover_limits(self.groups, quantity, confidence_level, method)
        else:
            raise ValueError(f"method must be likelihood_ratio or wald for the {self.name}, got {method!r}")
        outside = high < 0 or low > 1
        low, high = np.clip([low, high], 0.0, 1.0).tolist()
        return ScalarInterval(low, high, confidence_level, method, outside)


@dataclass(frozen=True, slots=True)
class TwoGroupMisfit:
    """Whether the model can give what the two groups reported.

    Attributes
    ----------
    outside : bool
        Whether the moment estimates are impossible, as chance alone often makes them.
    deviance : float
        Twice the log-likelihood that the model's best parameters lack.
    p_value : float
        An upper bound, for large groups, of the probability of so large a deviance if the model holds.
    """

    outside: bool
    deviance: float
    p_value: float

    @property
    def suspicious(self) -> bool:
        """Whether the respondents probably did something else than the model says."""
        return self.p_value <= LEVEL


@dataclass(frozen=True, slots=True, eq=False)
class TwoGroupEstimate:
    """All parameters of a two-group model; those of the prevalence also directly.

    Attributes
    ----------
    parameters : tuple of ParameterEstimate
        The prevalence first.
    covariance : array of floats
        Of the moment estimates, in this order: unbiased for linear parameters, by the delta method for others.
    misfit : TwoGroupMisfit
        Whether the model can give such reports.
    """

    parameters: tuple[ParameterEstimate, ...]
    covariance: Floats
    misfit: TwoGroupMisfit

    @property
    def prevalence(self) -> ParameterEstimate:
        """The share of respondents to whom the sensitive statement applies."""
        return self.parameters[0]

    @property
    def point(self) -> float:
        """The moment estimate of the prevalence; it may leave [0, 1]."""
        return self.prevalence.point

    @property
    def standard_error(self) -> float:
        """The standard error of the prevalence, NaN where a group has a single response."""
        return self.prevalence.standard_error

    @property
    def constrained(self) -> float:
        """The maximum likelihood estimate of the prevalence among what the model can give."""
        return self.prevalence.constrained

    def interval(self, confidence_level: float = 0.95, method: str | None = None) -> ScalarInterval:
        """Return a confidence interval for the prevalence, as `ParameterEstimate.interval` does."""
        return self.prevalence.interval(confidence_level, method)


def fit(groups: TwoGroups, model: LineModel) -> tuple[tuple[ParameterEstimate, ...], Floats, TwoGroupMisfit]:
    """Return the estimated parameters of a model, their covariance and the misfit."""
    ends, best = groups.ends, most_likely_ends(groups, model)
    jacobian = np.array([gradient(quantity, groups) for quantity in model.quantities.values()])
    covariance = jacobian @ np.diag(groups.rate_variances()) @ jacobian.T
    # NaN times 0 is NaN: one group of one leaves no standard error at all.
    errors = np.sqrt(np.diagonal(covariance))
    parameters = tuple(
        ParameterEstimate(name, float(quantity.at(ends)), float(error), float(quantity.at(best)), groups, model, best)
        for (name, quantity), error in zip(model.quantities.items(), errors, strict=True)
    )
    outside = not model.possible(ends)
    lacking = groups.log_likelihood(ends) - groups.log_likelihood(best) if outside else 0.0
    misfit = TwoGroupMisfit(outside, 2 * lacking, misfit_p_value(2 * lacking))
    return parameters, read_only(covariance), misfit


def gradient(quantity: Quantity, groups: TwoGroups) -> tuple[float, float]:
    """Return the derivatives of a parameter by the two Yes-rates, NaN where it is a share of nobody."""
    ends = groups.ends
    value = quantity.at(ends)
    if not isinstance(value, Fraction):
        return math.nan, math.nan
    below = quantity.denominator[0] + quantity.denominator[1] * ends[0] + quantity.denominator[2] * ends[1]
    first, second = (
        (above - value * under) / below
        for above, under in zip(quantity.numerator[1:], quantity.denominator[1:], strict=True)
    )
    (a, b), (c, d) = groups.to_ends
    return float(first * a + second * c), float(first * b + second * d)


def mover_limits(groups: TwoGroups, quantity: Quantity, confidence_level: float, method: str) -> tuple[float, float]:
    """Return limits for a weighted sum of the Yes-rates from limits for each of them.

    The distances from the estimate to the separate limits add like standard errors. Where one weight is 0, the
    limits are those of the other rate, mapped.
    """
    low = high = 0.0
    for weight, rate, (no, yes) in zip(gradient(quantity, groups), groups.rates, groups.counts, strict=True):
        limits = binomial_limits(np.array([yes]), int(no + yes), confidence_level, method)
        ends = sorted(weight * (float(limit[0]) - float(rate)) for limit in limits)
        low += ends[0] ** 2
        high += ends[1] ** 2
    point = float(quantity.at(groups.ends))
    return point - math.sqrt(low), point + math.sqrt(high)
