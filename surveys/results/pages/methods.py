"""The tab of methods: which questions it shows, and the formulas of pairs and of regression with their numbers."""

import math
from dataclasses import dataclass
from typing import Any

from django import template
from django.http import QueryDict
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from surveys.privacy.designs import Design
from surveys.questionnaire import designs
from surveys.questionnaire.definition import Definition
from surveys.results.figures.methods import QuestionMethods, WorkedExample, methods_of
from surveys.results.figures.relate import PairWorked, groups_worked, pair_worked
from surveys.results.formulas import (
    brackets,
    call,
    chain,
    equation,
    fraction,
    hat,
    letter,
    power,
    result,
    root,
    row,
    sub,
    sum_of,
)
from surveys.results.report import Report

register = template.Library()

# What is asked for, from the query string.


MOST_ITEMS = 12
"""So many items' formulas fit on one page; of more, one question is shown at a time."""


@dataclass(frozen=True, slots=True)
class MethodsOptions:
    """The number of one question, or None for all; `notices` say what was asked for and does not exist."""

    question: int | None
    notices: tuple[str, ...]


def parse_methods(query: QueryDict, definition: Definition) -> MethodsOptions:
    """Read `question`; what is unknown becomes the default, with a notice that names it."""
    default = None if len(definition.items) <= MOST_ITEMS else 1
    asked = query.get("question", "")
    if not asked:
        return MethodsOptions(default, ())
    if asked in {str(question.number) for question in definition.questions}:
        return MethodsOptions(int(asked), ())
    return MethodsOptions(
        default,
        (
            _("Question “%(question)s” not found in this survey, so there are no formulas to show.")
            % {"question": asked[:40]},
        ),
    )


# The page.


def build(report: Report) -> dict[str, Any]:
    """Show the formulas of all questions, or of one, and of what is computed from several."""
    chosen = parse_methods(report.query, report.definition)
    wanted, items = report.options.wanted, report.definition.items
    questions = methods_of(report.definition, report.snapshot, wanted, question=chosen.question)
    return {
        "chosen": chosen,
        "wanted": wanted,
        "questions": questions,
        "two_answers": _first_with_two_answers(questions),
        "groups": groups_worked(report.definition, report.snapshot, report.group_names, wanted),
        "pair": pair_worked(items, report.snapshot, wanted.confidence_level),
        "notices": list(chosen.notices),
    }


def _first_with_two_answers(questions: tuple[QuestionMethods, ...]) -> object:
    """Return the first answer worked through that belongs to a question with two, for what needs such a one."""
    examples = (item.main for question in questions for item in question.items if item.design.k == 2)
    return next((worked for worked in examples if worked), None)


# The formulas of two questions related, and of regression, with a survey's numbers put in.


_LAMBDA, _PI = hat("λ"), hat("π")


@register.simple_tag
def joint_formula(pair: PairWorked) -> SafeString:
    """Write one cell of a joint distribution as a sum over the pairs of reports."""
    terms = sum_of(row(weight, "·", share) for weight, share in pair.terms)
    return equation(
        "joint",
        sub(_PI, "AB"),
        row(brackets(power(sub("P", 1), row("−", 1)), "⊗", power(sub("P", 2), row("−", 1))), _LAMBDA),
        terms,
        result(pair.point),
    )


@register.simple_tag
def kept_formula(pair: PairWorked) -> SafeString:
    """Write which distributions a likelihood-ratio interval is over: those whose likelihood is high enough."""
    loss = row(2, brackets(call("ℓ", sub("π", "c")), "−", call("ℓ", "π")))
    return equation("kept_z", power("z", 2), power(result(pair.z), 2), result(pair.z**2)) + equation(
        "kept", row(loss, "≤", power("z", 2))
    )


@register.simple_tag
def conditional_formula(pair: PairWorked) -> SafeString:
    """Write the share of the second answer among those with the first."""
    conditional = pair.conditional
    symbol = fraction(sub("π", "ij"), row("∑", sub("π", "ih")))
    if conditional is None:
        return equation("conditional", sub("π", row("j", "|", "i")), symbol)
    among, cell, share = conditional
    parts = fraction(cell, row(*sum_of(result(part) for part in among)))
    return equation("conditional", sub("π", row("j", "|", "i")), symbol, parts, result(share))


@register.simple_tag
def odds_formula(pair: PairWorked) -> SafeString:
    """Write the odds ratio of two questions with two answers each."""
    symbol = fraction(row(sub("π", "11"), sub("π", "00")), row(sub("π", "10"), sub("π", "01")))
    if pair.odds_ratio is None:
        return equation("odds_ratio", letter("OR"), symbol)
    neither, second, first, both = pair.constrained
    numbers = fraction(row(both, "·", neither), row(first, "·", second))
    return equation("odds_ratio", letter("OR"), symbol, numbers, result(pair.odds_ratio))


@register.simple_tag
def correlation_formulas(pair: PairWorked) -> SafeString:
    """Write the correlation φ, and its limits on the scale of artanh."""
    first, second = sub("π", row("1", "+")), sub("π", row("+", "1"))
    symbol = fraction(
        row(sub("π", "11"), "−", first, second),
        root(first, brackets(1, "−", first), second, brackets(1, "−", second)),
    )
    if pair.correlation is None:
        return equation("correlation", "φ", symbol)
    phi, error, limits = pair.correlation
    _neither, only_second, only_first, both = pair.constrained
    a, b = only_first + both, only_second + both
    numbers = fraction(
        row(both, "−", row(a, "·", b)),
        root(a, "·", brackets(1, "−", a), "·", b, "·", brackets(1, "−", b)),
    )
    formulas = equation("correlation", "φ", symbol, numbers, result(phi))
    if error is None or limits is None:
        return formulas
    reach = pair.z * error / (1 - phi**2)
    formulas += equation(
        "correlation_reach",
        "h",
        fraction(row("z", "·", "SE"), row(1, "−", power("φ", 2))),
        fraction(row(pair.z, "·", error), row(1, "−", power(result(phi), 2))),
        result(reach),
    )
    for name, sign, limit in zip(("low", "high"), ("−", "+"), limits, strict=True):
        formulas += equation(
            f"correlation_{name}",
            sub("φ", name),
            call("tanh", row(call("artanh", "φ"), sign, "h")),
            call("tanh", row(result(math.atanh(phi)), sign, result(reach))),
            result(limit),
        )
    return mark_safe(formulas)  # noqa: S308 - each of them is escaped already


@register.simple_tag
def likelihood_formula(worked: WorkedExample | None) -> SafeString:
    """Write the likelihood that a regression maximises, and with numbers the probability of a reported outcome."""
    formulas = equation(
        "regression",
        letter("ℓ"),
        chain(
            row("∑", sub("n", "sr"), "ln", row("∑", sub("γ", "s"), brackets("z"))),
            row("·", sub("∏", "j"), sub("P", "j"), brackets(sub("r", "j"), ",", sub("z", "j"))),
            row("·", sub("μ", "sr"), brackets("z")),
        ),
    ) + equation(
        "regression_odds",
        sub("σ", "sz"),
        fraction(1, row(1, "+", power("e", row("−", brackets(sub("b", 0), "+", "xβ", "+", "∑", sub("b", "jz")))))),
    )
    if worked is None:
        return mark_safe(formulas)  # noqa: S308 - each of them is escaped already
    formulas += equation(
        "regression_report",
        row(sub("μ", "sr"), brackets("z")),
        row("d", "+", "c", sub("σ", "sz")),
        row(worked.offset, "+", worked.slope, "·", sub("σ", "sz")),
    )
    return mark_safe(formulas)  # noqa: S308 - each of them is escaped already


# Where each formula comes from, by the names that docs/theory/ uses.


_REFERENCES = (
    ("Blair, Imai & Zhou (2015)", "Design and analysis of the randomized response technique, JASA 110."),
    ("Chaudhuri & Mukerjee (1988)", "Randomized Response: Theory and Techniques, Dekker."),
    ("Cheu, Smith & Ullman (2021)", "Manipulation attacks in local differential privacy, IEEE S&P."),
    (
        "Clopper & Pearson (1934)",
        "The use of confidence or fiducial limits illustrated in the case of the binomial, Biometrika 26.",
    ),
    (
        "Cover & Ordentlich (1996)",
        "Universal portfolios with side information, IEEE Transactions on Information Theory 42.",
    ),
    ("Ding, Kulkarni & Yekhanin (2017)", "Collecting telemetry data privately, NeurIPS."),
    ("Duchi, Jordan & Wainwright (2018)", "Minimax optimal procedures for locally private estimation, JASA 113."),
    ("Dwork, McSherry, Nissim & Smith (2006)", "Calibrating noise to sensitivity in private data analysis, TCC."),
    ("Fieller (1954)", "Some problems in interval estimation, JRSS B 16."),
    ("Firth (1993)", "Bias reduction of maximum likelihood estimates, Biometrika 80."),
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
        "Robbins (1970)",
        "Statistical methods related to the law of the iterated logarithm, Annals of Mathematical Statistics 41.",
    ),
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
    registered = designs.find(design.name)
    return f"[{registered.citation}]" if registered and registered.citation else ""


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
            "Exact: quantiles of Beta distributions, where Beta(p; a, b) is the p-quantile. The coverage is "
            "never below the confidence level [Clopper & Pearson 1934]."
        ),
        "confidence_sequence": _(
            "All λ whose log-likelihood is at most s below its maximum, ℓ(λc). M is the mean likelihood over all "
            "λ that the design allows, by Jeffreys’ prior. All looks hold together with at least this level "
            "[Robbins 1970]. The interval is about r times as wide as for one look."
        ),
    }[method]
