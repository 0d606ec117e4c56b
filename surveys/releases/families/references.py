"""Sources that several mechanisms name."""

CALIBRATED_NOISE = (
    "Dwork, McSherry, Nissim & Smith (2006)",
    "Calibrating noise to sensitivity in private data analysis, TCC.",
)
EXPONENTIAL_MECHANISM = ("McSherry & Talwar (2007)", "Mechanism design via differential privacy, FOCS.")
GEOMETRIC_NOISE = (
    "Ghosh, Roughgarden & Sundararajan (2012)",
    "Universally utility-maximizing privacy mechanisms, SIAM J. Computing 41.",
)
STABILITY = ("Dwork & Lei (2009)", "Differential privacy and robust statistics, STOC.")
BOUNDED_SUMS = ("Li, Lyu, Su & Yang (2016)", "Differential Privacy: From Theory to Practice, Morgan & Claypool.")
DISCRETE_NOISE = ("Canonne, Kamath & Steinke (2020)", "The discrete Gaussian for differential privacy, NeurIPS.")
