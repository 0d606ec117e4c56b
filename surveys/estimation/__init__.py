"""What can be learned from randomized reports: pure mathematics on counts, never on a queryset."""

from surveys.estimation.association import (
    Difference,
    GroupComparison,
    IndependenceTest,
    JointEstimate,
    compare_groups,
    estimate_joint,
    test_independence,
)
from surveys.estimation.bayes import PrevalencePosterior, posterior_prevalence
from surveys.estimation.beta import BetaDistribution
from surveys.estimation.numbers import DistributionEstimate, MeanEstimate, estimate_distribution, estimate_mean
from surveys.estimation.patterns import item_counts
from surveys.estimation.planning import (
    DesignPrecision,
    TwoGroupPlan,
    cheating_detection_plan,
    compare_designs,
    expected_half_width,
    expected_mean_half_width,
    lie_detector_plan,
    mean_sample_size,
    power,
    sample_size,
    unrelated_unknown_plan,
)
from surveys.estimation.poisoning import PoisoningBand, poisoning_band
from surveys.estimation.prevalence import PrevalenceEstimate, estimate_prevalence
from surveys.estimation.regression import (
    CorrelationMatrix,
    LinearFit,
    LogisticFit,
    RandomizedPredictorsFit,
    UnrelatedUnknownFit,
    correlate,
    fit_linear,
    fit_logistic,
    fit_logistic_randomized_predictors,
    fit_logistic_unrelated_unknown,
)
from surveys.estimation.released import ReleasedEstimate, estimate_released_histogram
from surveys.estimation.sampling import SamplingDistribution, direct_sampling, sampling_distribution
from surveys.estimation.scales import ScaleEstimate, estimate_scale
from surveys.estimation.stated_distribution import StatedDistributionEstimate, estimate_stated_distribution
from surveys.estimation.stated_mean import StatedMeanEstimate, estimate_stated_mean
from surveys.estimation.two_groups import (
    CheatingDetectionEstimate,
    LieDetectorEstimate,
    UnrelatedUnknownEstimate,
    estimate_cheating_detection,
    estimate_lie_detector,
    estimate_unrelated_unknown,
)
from surveys.estimation.unary import UnaryEstimate, estimate_unary

__all__ = [
    "BetaDistribution",
    "CheatingDetectionEstimate",
    "CorrelationMatrix",
    "DesignPrecision",
    "Difference",
    "DistributionEstimate",
    "GroupComparison",
    "IndependenceTest",
    "JointEstimate",
    "LieDetectorEstimate",
    "LinearFit",
    "LogisticFit",
    "MeanEstimate",
    "PoisoningBand",
    "PrevalenceEstimate",
    "PrevalencePosterior",
    "RandomizedPredictorsFit",
    "ReleasedEstimate",
    "SamplingDistribution",
    "ScaleEstimate",
    "StatedDistributionEstimate",
    "StatedMeanEstimate",
    "TwoGroupPlan",
    "UnaryEstimate",
    "UnrelatedUnknownEstimate",
    "UnrelatedUnknownFit",
    "cheating_detection_plan",
    "compare_designs",
    "compare_groups",
    "correlate",
    "direct_sampling",
    "estimate_cheating_detection",
    "estimate_distribution",
    "estimate_joint",
    "estimate_lie_detector",
    "estimate_mean",
    "estimate_prevalence",
    "estimate_released_histogram",
    "estimate_scale",
    "estimate_stated_distribution",
    "estimate_stated_mean",
    "estimate_unary",
    "estimate_unrelated_unknown",
    "expected_half_width",
    "expected_mean_half_width",
    "fit_linear",
    "fit_logistic",
    "fit_logistic_randomized_predictors",
    "fit_logistic_unrelated_unknown",
    "item_counts",
    "lie_detector_plan",
    "mean_sample_size",
    "poisoning_band",
    "posterior_prevalence",
    "power",
    "sample_size",
    "sampling_distribution",
    "test_independence",
    "unrelated_unknown_plan",
]
