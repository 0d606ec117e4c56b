"""Where each formula comes from, by the names that docs/theory.md uses."""

from django import template
from django.utils.translation import gettext as _

from surveys.models import designs
from surveys.privacy.designs import Design

register = template.Library()

_REFERENCES = (
    ("Blair, Imai & Zhou (2015)", "Design and analysis of the randomized response technique, JASA 110."),
    ("Chaudhuri & Mukerjee (1988)", "Randomized Response: Theory and Techniques, Dekker."),
    ("Cheu, Smith & Ullman (2021)", "Manipulation attacks in local differential privacy, IEEE S&P."),
    (
        "Clopper & Pearson (1934)",
        "The use of confidence or fiducial limits illustrated in the case of the binomial, Biometrika 26.",
    ),
    ("Ding, Kulkarni & Yekhanin (2017)", "Collecting telemetry data privately, NeurIPS."),
    ("Duchi, Jordan & Wainwright (2018)", "Minimax optimal procedures for locally private estimation, JASA 113."),
    ("Dwork, McSherry, Nissim & Smith (2006)", "Calibrating noise to sensitivity in private data analysis, TCC."),
    ("Fieller (1954)", "Some problems in interval estimation, JRSS B 16."),
    ("Goodman (1965)", "On simultaneous confidence intervals for multinomial proportions, Technometrics 7."),
    ("Holm (1979)", "A simple sequentially rejective multiple test procedure, Scandinavian J. Statistics 6."),
    (
        "van den Hout & van der Heijden (2002)",
        "Randomized response, statistical disclosure control and misclassification: a review, "
        "International Statistical Review 70.",
    ),
    (
        "van den Hout, van der Heijden & Gilchrist (2007)",
        "The logistic regression model with response variables subject to randomized response, CSDA 51.",
    ),
    ("Kairouz, Oh & Viswanath (2015)", "The composition theorem for differential privacy, ICML."),
    (
        "Newcombe (1998)",
        "Interval estimation for the difference between independent proportions, Statistics in Medicine 17.",
    ),
    ("Owen (1988)", "Empirical likelihood ratio confidence intervals for a single functional, Biometrika 75."),
    (
        "Susko (2013)",
        "Likelihood ratio tests with boundary constraints using data-dependent degrees of freedom, Biometrika 100.",
    ),
    (
        "Wang, Blocki, Li & Jha (2017)",
        "Locally differentially private protocols for frequency estimation, USENIX Security.",
    ),
    ("Wasserman & Zhou (2010)", "A statistical framework for differential privacy, JASA 105."),
    ("Wilson (1927)", "Probable inference, the law of succession, and statistical inference, JASA 22."),
    ("Winkler & Franklin (1979)", "Warner's randomized response model: a Bayesian approach, JASA 74."),
    (
        "Zou & Donner (2008)",
        "Construction of confidence limits about effect measures: a general approach, Statistics in Medicine 27.",
    ),
)


@register.simple_tag
def citation(design: Design) -> str:
    """Return who a design is from, in square brackets."""
    found = designs.find(design.name)
    return f"[{found.citation}]" if found and found.citation else ""


@register.simple_tag
def references() -> tuple[tuple[str, str], ...]:
    """Return all sources cited on the page."""
    of_designs = (reference for design in designs.every() for reference in design.references)
    return tuple(sorted({*_REFERENCES, *of_designs}, key=lambda reference: reference[0].removeprefix("van den ")))


@register.filter
def interval_source(method: str) -> str:
    """Say what an interval method does, and who it is from."""
    return {
        "wilson": _("All λ that a score test does not reject [Wilson 1927]: m ± h."),
        "clopper_pearson": _(
            "Exact: quantiles of Beta distributions, Beta(p; a, b) being that of p; its coverage is never below the "
            "level [Clopper & Pearson 1934]."
        ),
    }[method]
