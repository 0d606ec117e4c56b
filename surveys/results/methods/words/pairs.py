"""The formulas of two questions related, and of regression, with a survey's numbers put in."""

import math

from django import template
from django.utils.safestring import SafeString, mark_safe

from surveys.results.methods.figures import WorkedExample
from surveys.results.methods.words.mathml import (
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
from surveys.results.relate.figures import PairWorked

register = template.Library()

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
    found = pair.conditional
    symbol = fraction(sub("π", "ij"), row("∑", sub("π", "ih")))
    if found is None:
        return equation("conditional", sub("π", row("j", "|", "i")), symbol)
    among, cell, share = found
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
