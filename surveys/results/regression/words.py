"""What a regression says, in sentences: who has how many times the odds of whom."""

import math
from collections.abc import Callable
from dataclasses import dataclass

from django import template
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from surveys.models.asked_question import Item
from surveys.models.lists import ListPair
from surveys.numbers.words import (
    decimal,
    decimal_outwards,
    level_words,
    share_with_limits,
)
from surveys.results.regression.figures.arms import ArmsOutcome
from surveys.results.regression.figures.terms import Block, FittedShare, Regression, Term

register = template.Library()

_MOST, _LEAST = 1_000.0, 0.001
_MOST_DIGITS = 6
_FARTHEST = 500.0  # the exponential of more is no float to draw
_STANDARD_ERRORS = {
    "observed": gettext_lazy("observed information"),
    "sandwich": gettext_lazy("sandwich (robust, HC0)"),
}


@register.filter
def standard_error_name(kind: str) -> str:
    """Return a standard error as people call it."""
    return str(_STANDARD_ERRORS[kind])


def odds(coefficient: float | None) -> float:
    """Return the odds ratio of a log odds ratio."""
    return math.exp(min(_FARTHEST, max(-_FARTHEST, coefficient or 0.0)))


def answer_of(outcome: Item | ArmsOutcome, option: int) -> str:
    """Name a true answer; of several options, with the option that it is about."""
    if isinstance(outcome, ArmsOutcome):
        return outcome.answer
    return f"{outcome.option} – {outcome.labels[option]}" if outcome.option else outcome.labels[option]


@register.filter
def ratio(coefficient: float | None) -> str:
    """2.72 for 1: an odds ratio by its logarithm; a dash where there is none."""
    if coefficient is None:
        return "–"
    value = odds(coefficient)
    if value > _MOST:
        return _("more than 1,000")
    return _("less than 0.001") if value < _LEAST else decimal(value, _digits(value))


@register.filter
def signed_decimal(value: float | None) -> str:
    """−0.43: a coefficient, or a standard error; a dash where there is none."""
    return "–" if value is None else decimal(value, 3)


@register.filter
def probability(value: float) -> str:
    """0.012 for a p-value; what is smaller than can be told apart as less than that."""
    return _("< 0.001") if value < 0.001 else decimal(value, 3)


@register.filter
def p_equals(value: float) -> str:
    """Write a p-value within a sentence: p = 0.012, p < 0.001."""
    return (
        _("p %(value)s") % {"value": probability(value)}
        if value < 0.001
        else _("p = %(value)s") % {"value": probability(value)}
    )


@register.filter
def low_odds(term: Term) -> str:
    """Return the lower limit as an odds ratio, rounded down; a dash where there is none."""
    if term.low is None:
        return "–"
    low = odds(term.low)
    return ratio(term.low) if low < _LEAST else _outwards(min(low, _MOST), _digits(low), math.floor, 1)


@register.filter
def high_odds(term: Term) -> str:
    """Return the upper limit as an odds ratio, rounded up; a dash where there is none."""
    if term.high is None:
        return "–"
    high = odds(term.high)
    return ratio(term.high) if high > _MOST else _outwards(max(high, _LEAST), _digits(high), math.ceil, 1)


@register.filter
def signed_low(value: float | None) -> str:
    """Write a coefficient's lower limit, rounded down."""
    return _signed_limit(value, math.floor)


@register.filter
def signed_high(value: float | None) -> str:
    """Write a coefficient's upper limit, rounded up."""
    return _signed_limit(value, math.ceil)


def _signed_limit(value: float | None, rounding: Callable[[float], int]) -> str:
    if value is None:
        return "–"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    return _outwards(value, 3, rounding, 0)


def _outwards(value: float, digits: int, rounding: Callable[[float], int], border: int) -> str:
    """Write a limit rounded outwards; close to no association with as many decimals as show its side."""
    while (
        digits < _MOST_DIGITS
        and value != border
        and decimal_outwards(value, digits, rounding) == decimal(border, digits)
    ):
        digits += 1
    return decimal_outwards(value, digits, rounding)


@register.simple_tag
def term_name(block: Block, term: Term) -> str:
    """Name a term by its question and its answer, or as a group."""
    if block.item is None:
        return term.label
    title = f"{block.item.key}. {block.item.option or block.item.text}"
    return f"{title}: {term.label}"


@register.simple_tag
def term_sentence(found: Regression, block: Block, term: Term, answer: str) -> str:
    """Say how many times the odds somebody has, or that this gives no conclusion."""
    p = p_equals(block.test.p_value) if block.test else ""
    told = {
        "fixed": _fixed(found, block),
        "who": _who(block, term),
        "reference": block.reference,
        "answer": answer,
        "p": p,
    }
    if term.why == "few":
        return _("%(who)s: too few people to say anything.") % told
    if term.low is None or term.high is None:
        return _("%(who)s: no conclusion, because the reports do not determine it.") % told
    words = _group_words(found, block, term) if block.item is None else _answer_words(found, block, term)
    return words % (told | {"times": _times(term)})


def _group_words(found: Regression, block: Block, term: Term) -> str:
    """Return what is said of a group."""
    if found.concludes(block, term):
        return _("%(fixed)s%(who)s has %(times)s the odds of “%(answer)s” that the group “%(reference)s” has.")
    if found.only_tested(block, term):
        return _(
            "%(fixed)s%(who)s has other odds of “%(answer)s” than the group “%(reference)s”: likelihood ratio, %(p)s. "
            "How many times the odds is not determined."
        )
    if term.excludes_zero and block.test:
        return _(
            "%(fixed)s%(who)s: no conclusion. By itself it would have %(times)s the odds of “%(answer)s” that the "
            "group “%(reference)s” has, but the likelihood-ratio test of the groups gives %(p)s."
        )
    return _(
        "%(fixed)s%(who)s: no conclusion. It could have %(times)s the odds of “%(answer)s” that the group "
        "“%(reference)s” has."
    )


def _answer_words(found: Regression, block: Block, term: Term) -> str:
    """Return what is said of those who have an answer."""
    if found.concludes(block, term):
        return _("%(fixed)s%(who)s have %(times)s the odds of “%(answer)s” that those with “%(reference)s” have.")
    if found.only_tested(block, term):
        return _(
            "%(fixed)s%(who)s have other odds of “%(answer)s” than those with “%(reference)s”: likelihood ratio, "
            "%(p)s. How many times the odds is not determined."
        )
    if term.excludes_zero and block.test:
        return _(
            "%(fixed)s%(who)s: no conclusion. By themselves they would have %(times)s the odds of “%(answer)s” that "
            "those with “%(reference)s” have, but the likelihood-ratio test of the question gives %(p)s."
        )
    return _(
        "%(fixed)s%(who)s: no conclusion. They could have %(times)s the odds of “%(answer)s” that those with "
        "“%(reference)s” have."
    )


def _times(term: Term) -> str:
    """Say how many times the odds, with the interval; a limit out of sight is none."""
    low, high = odds(term.low) >= _LEAST, odds(term.high) <= _MOST
    if not (low or high):
        return _("any number of times")
    told = {"low": low_odds(term) if low else "0", "high": high_odds(term) if high else _("no limit")}
    if term.coefficient is None or not _LEAST <= odds(term.coefficient) <= _MOST:
        return (_("%(low)s times or more") if low else _("up to %(high)s times")) % told
    return _("about %(odds)s times (%(low)s to %(high)s)") % (told | {"odds": ratio(term.coefficient)})


def _fixed(found: Regression, block: Block) -> str:
    """Say what is held fixed, which is whatever else the model has."""
    if len(found.blocks) < 2:
        return ""
    groups = any(other.item is None for other in found.blocks)
    if len(found.blocks) == 2 and groups and block.item is not None:
        return _("Holding the group fixed: ")
    if len(found.blocks) == 2:
        return _("Holding the other answer fixed: ")
    return _("Holding all else here fixed: ")


def _who(block: Block, term: Term) -> str:
    if block.item is None:
        return _("the group “%(label)s”") % {"label": term.label}
    return _("those whose true answer to question %(key)s is “%(label)s”") % {
        "key": block.item.key,
        "label": term.label,
    }


def _digits(value: float) -> int:
    """Return how many decimals an odds ratio is written with: two or three digits say enough."""
    if value >= 100:
        return 0
    if value >= 10:
        return 1
    return 2 if value >= 0.1 else 3


# What two arms tell together: the share that goes with the regression, and what both arms say without it.


def arms_lines(found: Regression, outcome: ArmsOutcome) -> list[str]:
    """Say what the regression makes of the share of all, beside what both arms say without predictors."""
    lines = []
    if found.prevalence:
        told = {"by_it": _share_words(found.prevalence), "level": level_words(found.confidence_level)}
        if found.beside:
            lines.append(_share_line(outcome) % {**told, "beside": _share_words(found.beside)})
        else:
            lines.append(_("By this regression it holds for %(by_it)s (%(level)s confidence interval).") % told)
    if found.merged:
        lines.append(
            _("Numbers that few people share are told together, so the regression knows less than the difference does.")
        )
    if found.second and not isinstance(outcome.of, ListPair):
        lines.append(str(_OF_MODELS[outcome.of.model].second) % {"share": _share_words(found.second)})
    return lines


def _share_line(outcome: ArmsOutcome) -> str:
    if isinstance(outcome.of, ListPair):
        return _(
            "By this regression it holds for %(by_it)s; by the difference in means of all who answered the lists, for "
            "%(beside)s (%(level)s confidence intervals). The regression supposes a shape of the innocuous "
            "numbers, which the difference does not: where both are far apart, believe the difference."
        )
    return str(_OF_MODELS[outcome.of.model].share)


def _share_words(found: FittedShare) -> str:
    return share_with_limits(found.share, found.low, found.high)


def model_words(outcome: ArmsOutcome) -> str:
    """Say what is fitted, and what it takes to be so."""
    if isinstance(outcome.of, ListPair):
        return _(
            "The log odds of the sensitive statement and those of an innocuous one are fitted together, each with the "
            "same predictors, by maximum likelihood (Imai 2011; Blair and Imai 2012). The number of innocuous ones is "
            "taken to be beta-binomial, and to have nothing to do with the sensitive one but what predicts both."
        )
    return str(_OF_MODELS[outcome.of.model].fitted)


_ANSWER_YES = gettext_lazy(
    "By this regression %(by_it)s answer Yes; by the two shares of Yes of all who answered, %(beside)s (%(level)s "
    "confidence intervals)."
)


@dataclass(frozen=True, slots=True)
class _FittedModel:
    """What a regression says of a model of two arms: its other share, what is fitted, and the share of all."""

    second: Promise
    fitted: Promise
    share: Promise = _ANSWER_YES


_OF_MODELS = {
    "unrelated_unknown": _FittedModel(
        second=gettext_lazy("To the innocuous question %(share)s say Yes by this regression."),
        fitted=gettext_lazy(
            "The log odds of Yes to the sensitive question are fitted together with one share of Yes to the innocuous "
            "question, by maximum likelihood: the arms ask the sensitive one of different parts of people, which tells "
            "both (Greenberg and others 1969). What was told of the innocuous question is not used; its share is taken "
            "to be the same whatever predicts."
        ),
    ),
    "cheating_detection": _FittedModel(
        second=gettext_lazy(
            "By this regression %(share)s say No whatever the coins say; the odds count them as no Yes."
        ),
        fitted=gettext_lazy(
            "The log odds of Yes from somebody who follows the coins are fitted together with one share of people who "
            "say No whatever the coins say, by maximum likelihood: the arms force Yes on different parts of people, "
            "which tells both (Clark and Desharnais 1998). The odds are among all: those who always say No count as no "
            "Yes, whatever is true of them, and are taken to be as many whatever predicts, so that for some predictors "
            "both may come to more than everybody. Only who throws coins can do so: a phone does as it is told."
        ),
    ),
    "lie_detector": _FittedModel(
        second=gettext_lazy("Of those with Yes, %(share)s say so by this regression."),
        fitted=gettext_lazy(
            "The log odds of Yes are fitted together with one share of those with Yes who say so, by maximum "
            "likelihood: the arms tell different parts of people to answer truthfully, which tells both (Moshagen, "
            "Musch and Erdfelder 2012). That share is taken to be the same whatever predicts. Where a phone adds the "
            "chance, somebody who taps No for a Yes counts as No."
        ),
        # Not all of them answer so.
        share=gettext_lazy(
            "By this regression Yes is true of %(by_it)s; by the two shares of Yes of all who answered, of %(beside)s "
            "(%(level)s confidence intervals)."
        ),
    ),
}
