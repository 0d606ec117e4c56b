"""What several guarantees come to together."""

from surveys.privacy.accounting.composition import compose, compose_advanced, group_privacy
from surveys.privacy.accounting.concentrated import (
    compose_concentrated,
    concentrated_delta,
    concentrated_epsilon,
    concentrated_from_gaussian,
    concentrated_from_pure,
)
from surveys.privacy.accounting.design_central import design_then_central
from surveys.privacy.accounting.error_region import ErrorRegion, error_region
from surveys.privacy.accounting.gaussian import (
    analytic_gaussian_sigma,
    gaussian_delta,
    gaussian_epsilon,
    gaussian_variance,
)
from surveys.privacy.accounting.hypothesis_testing import best_advantage, posterior_bound, tradeoff
from surveys.privacy.accounting.local_central import (
    local_then_central,
    local_then_central_delta,
    local_then_central_k_ary,
)
from surveys.privacy.accounting.optimal import optimal_delta, optimal_epsilon
from surveys.privacy.accounting.subsampling import Sampling, subsampled_loss

__all__ = [
    "ErrorRegion",
    "Sampling",
    "analytic_gaussian_sigma",
    "best_advantage",
    "compose",
    "compose_advanced",
    "compose_concentrated",
    "concentrated_delta",
    "concentrated_epsilon",
    "concentrated_from_gaussian",
    "concentrated_from_pure",
    "design_then_central",
    "error_region",
    "gaussian_delta",
    "gaussian_epsilon",
    "gaussian_variance",
    "group_privacy",
    "local_then_central",
    "local_then_central_delta",
    "local_then_central_k_ary",
    "optimal_delta",
    "optimal_epsilon",
    "posterior_bound",
    "subsampled_loss",
    "tradeoff",
]
