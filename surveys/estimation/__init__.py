"""What can be learned from randomized reports."""

from surveys.privacy.listing import Listing, offer

# What others may import from here; docs/api.md describes it.
PUBLIC: Listing = {
    "One question": {
        "prevalence": ("estimate_prevalence", "PrevalenceEstimate"),
        "unary": ("estimate_unary", "UnaryEstimate"),
        "bayes": ("posterior_prevalence", "PrevalencePosterior"),
        "beta": ("BetaDistribution",),
        "intervals.interval": ("Interval", "ScalarInterval"),
        "intervals.coverage": ("least_coverage",),
        "diagnostics": ("Misfit",),
        "poisoning": ("poisoning_band", "PoisoningBand"),
    },
    "Designs with two groups": {
        "two_groups.models": (
            "estimate_unrelated_unknown",
            "estimate_cheating_detection",
            "estimate_lie_detector",
            "UnrelatedUnknownEstimate",
            "CheatingDetectionEstimate",
            "LieDetectorEstimate",
        ),
        "two_groups.estimate": ("ParameterEstimate", "TwoGroupMisfit"),
    },
    "Respondents who do not follow the instructions": {
        "adherence.anchor": (
            "estimate_anchored",
            "estimate_anchored_weighted",
            "AnchoredEstimate",
            "AnchoredShare",
        ),
        "adherence.logistic": ("fit_logistic_anchored", "AnchoredFit"),
        "adherence.arms": ("estimate_arms", "estimate_extended_crosswise", "ArmsEstimate"),
        "adherence.fixed_reports": ("estimate_fixed_reports", "FixedReportEstimate"),
        "adherence.attention": ("attention_curve", "AttentionCurve"),
    },
    "List experiments": {
        "list_experiment.types": ("estimate_list", "ListEstimate"),
        "list_experiment.design_effect": ("find_design_effect", "DesignEffectTest"),
        "list_experiment.denial": ("estimate_denial", "DenialEstimate"),
        "list_experiment.double": ("estimate_double_list", "DoubleListEstimate"),
        "list_experiment.combined": ("combine_with_direct", "CombinedListEstimate"),
        "list_experiment.regression": ("fit_list", "ListFit"),
    },
    "Groups and pairs of questions": {
        "association.difference": ("difference_of", "Difference"),
        "association.equality": ("EqualityTest",),
        "association.groups": ("compare_groups", "GroupComparison", "Pair"),
        "association.joint": ("estimate_joint", "JointEstimate"),
        "association.odds": ("OddsRatio",),
        "association.correlation": ("CorrelationEstimate",),
        "association.within": ("MeanWithin",),
        "association.independence": ("test_independence", "IndependenceTest"),
        "regression.correlation": ("correlate", "CorrelationMatrix"),
    },
    "Regression": {
        "regression.logistic": ("fit_logistic", "LogisticFit"),
        "regression.randomized_predictors": ("fit_logistic_randomized_predictors", "RandomizedPredictorsFit"),
        "regression.trait_predictor": ("fit_on_trait", "TraitFit"),
        "regression.two_groups": ("fit_logistic_two_groups", "TwoGroupFit"),
        "regression.linear": ("fit_linear", "LinearFit"),
        "regression.normal_linear": ("fit_linear_normal", "NormalLinearFit", "NormalMisfit"),
        "regression.covariance": ("Limits",),
        "regression.testing": ("LikelihoodRatioTest",),
    },
    "Numbers": {
        "numbers": ("estimate_mean", "estimate_distribution", "MeanEstimate", "DistributionEstimate"),
        "stated_mean": ("estimate_stated_mean", "StatedMeanEstimate"),
        "stated_distribution": ("estimate_stated_distribution", "StatedDistributionEstimate"),
        "grid_mean": (
            "estimate_grid_mean",
            "estimate_unrelated_number",
            "GridMeanEstimate",
            "UnrelatedNumberEstimate",
            "UnrelatedMean",
        ),
        "scales": ("estimate_scale", "ScaleEstimate"),
    },
    "Weights": {
        "weighting.raking": ("Margin", "rake", "RakedWeights"),
        "weighting.trimming": ("trim_weights", "TrimmedWeights"),
        "weighting.design_based": ("estimate_weighted", "estimate_weighted_total", "WeightedEstimate"),
        "weighting.means": ("estimate_weighted_grid_mean", "WeightedMean"),
        "weighting.sample": ("SampleDesign",),
    },
    "Planning": {
        "planning.precision": ("expected_half_width", "expected_mean_half_width", "mean_sample_size"),
        "planning.power": ("power",),
        "planning.size": ("sample_size",),
        "planning.comparison": ("compare_designs", "DesignPrecision"),
        "planning.arms": ("plan_arms", "ArmsPlan"),
        "planning.lists": ("list_plan", "independent_items", "ListPlan"),
        "planning.two_groups": (
            "unrelated_unknown_plan",
            "cheating_detection_plan",
            "lie_detector_plan",
            "TwoGroupPlan",
        ),
    },
    "Estimates from releases": {
        "released.histogram": ("estimate_released_histogram", "ReleasedEstimate"),
        "released.options": ("estimate_released_options", "ReleasedOptions"),
        "released.numbers": (
            "estimate_released_total",
            "estimate_released_mean",
            "estimate_released_variance",
            "ReleasedTotal",
            "ReleasedMean",
            "ReleasedVariance",
        ),
        "learning.table": ("ReleasedTable",),
        "learning.logistic": ("fit_released_logistic", "expect_logistic_precision", "ReleasedLogisticFit"),
        "learning.linear": ("fit_released_linear", "expect_linear_precision", "ReleasedLinearFit"),
        "learning.precision": ("ReleasePrecision",),
        "learning.correlation": ("correlate_released", "ReleasedCorrelations"),
        "learning.synthetic": ("draw_synthetic_rows",),
    },
}

__getattr__, __dir__ = offer(__name__, PUBLIC)
