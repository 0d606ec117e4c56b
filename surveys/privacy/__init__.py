"""How answers are randomized, and what that costs."""

from surveys.privacy.listing import Listing, offer

# What others may import from here; docs/api.md describes it.
PUBLIC: Listing = {
    "Designs": {
        "designs.design": ("Design", "from_matrix"),
        "designs.plain": ("direct",),
        "designs.two_answer": ("warner", "forced_response", "mangat"),
        "designs.innocuous": ("unrelated_question", "crosswise", "triangular"),
        "designs.kuk": ("kuk",),
        "designs.k_ary": ("k_ary", "k_ary_at"),
        "designs.unary": ("optimized_unary", "symmetric_unary", "UnaryDesign"),
        "designs.registry": ("named",),
    },
    "Designs for the mean of a number": {
        "designs.grid": ("number_window", "GridMean"),
        "designs.scrambling": ("scrambled_number", "scrambled_mean", "with_chance"),
        "designs.unrelated_number": ("unrelated_number", "unrelated_mean"),
        "designs.registry": ("grid_of",),
    },
    "Reports": {
        "randomness": ("draw_report",),
        "batch": ("perturb_many",),
    },
    "Guarantees": {
        "loss": ("PrivacyLoss", "ConcentratedLoss"),
        "adjacency": ("NeighbouringRelation", "Counted"),
        "designs.odds": ("total_epsilon",),
        "accounting.hypothesis_testing": ("best_advantage", "tradeoff", "posterior_bound"),
        "accounting.error_region": ("error_region", "ErrorRegion"),
    },
    "Noise and choices": {
        "mechanisms.laplace": ("DiscreteLaplace",),
        "mechanisms.gaussian": ("DiscreteGaussian",),
        "mechanisms.cauchy": ("CauchyNoise",),
        "mechanisms.exponential": ("ExponentialMechanism",),
        "mechanisms.permute_and_flip": ("PermuteAndFlip",),
    },
    "Mechanisms of releases": {
        "mechanisms.histogram": ("LaplaceHistogram", "GaussianHistogram"),
        "mechanisms.one_count": ("OneCount",),
        "mechanisms.tree": ("TreeCounts", "best_branching"),
        "mechanisms.choice": ("ScoredMechanism",),
        "mechanisms.most_common": ("MostCommon", "FlippedMostCommon"),
        "mechanisms.top": ("TopAnswers",),
        "mechanisms.quantile": ("Quantile", "QuantileScore"),
        "mechanisms.price": ("BestPrice",),
        "mechanisms.total": ("BoundedTotal",),
        "mechanisms.mean": ("BoundedMean", "NoisyMean"),
        "mechanisms.variance": ("BoundedVariance", "NoisyVariance"),
        "mechanisms.reported_numbers": (
            "numbers_of_limits",
            "numbers_of_bands",
            "undisguised_numbers",
            "ReportedNumbers",
        ),
        "mechanisms.bounds": ("ApproximateBounds", "signed_log_bins", "FoundBounds"),
        "mechanisms.instability": ("OrderedAnswers", "Jump"),
        "mechanisms.smooth_median": ("SmoothMedian",),
        "mechanisms.stable_median": ("StableMedian",),
        "mechanisms.median_grid": ("ReleasedMedian",),
        "mechanisms.stable_mode": ("StableMode", "ReleasedMode"),
        "mechanisms.mechanism": ("Sensitivity", "Norm", "ErrorBound"),
    },
    "Accounting": {
        "accounting.composition": ("compose", "compose_advanced", "group_privacy"),
        "accounting.optimal": ("optimal_epsilon", "optimal_delta"),
        "accounting.unequal": ("advanced_epsilon", "optimal_epsilon_of"),
        "accounting.concentrated": (
            "concentrated_from_pure",
            "concentrated_from_gaussian",
            "compose_concentrated",
            "concentrated_epsilon",
            "concentrated_delta",
        ),
        "accounting.gaussian": ("gaussian_variance", "gaussian_delta", "analytic_gaussian_sigma"),
        "accounting.subsampling": ("subsampled_loss", "Sampling"),
        "accounting.local_central": (
            "local_then_central",
            "local_then_central_k_ary",
            "local_then_central_delta",
        ),
        "accounting.design_central": ("design_then_central",),
    },
    "Learning": {
        "learning.domain": ("CodedItem", "PatternDomain", "ModelTerm"),
        "learning.joint": ("NoisyJointTable",),
        "learning.prediction": ("PredictorChoice",),
        "learning.learner": ("NoisyLearner", "CandidateLearner", "LearningCertificate"),
    },
}

__getattr__, __dir__ = offer(__name__, PUBLIC)
