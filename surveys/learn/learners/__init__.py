"""Private learners that no release uses, for simulated people: exact ones, and published ones with real numbers."""

from surveys.privacy.listing import Listing, offer

# What others may import from here; docs/api.md describes it.
PUBLIC: Listing = {
    "Exact learners": {
        "risk": ("EmpiricalRisk", "RiskMinimiser"),
        "losses": ("LogisticLoss", "SquaredLoss", "GeneralLinearLoss", "hinge_loss"),
        "hypotheses": ("HypothesisLearner", "HypothesisChoice", "loss_table", "parameter_grid"),
        "output": ("OutputPerturbation",),
        "gradient": ("GradientPerturbation", "NoisyGradients"),
    },
    "Learners with real numbers": {
        "objective": ("ObjectivePerturbation",),
        "stochastic": ("StochasticGradient",),
        "chains": ("RiskDensity", "ContinuousExponential", "RegularizedExponential", "MarkovDraws"),
        "network": ("TwoLayerLoss",),
    },
}

__getattr__, __dir__ = offer(__name__, PUBLIC)
