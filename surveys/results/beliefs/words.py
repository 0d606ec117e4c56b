"""What posteriors, single reports and guesses come to, in sentences that hold for every design."""

import math
from collections.abc import Iterator
from fractions import Fraction

from django import template
from django.utils.translation import gettext as _

from surveys.models.asked_question import Item
from surveys.numbers.words import (
    at_most_of_100,
    decimal,
    nats,
    percent,
    rough_chance,
    roughly_of_100,
    shortest_decimal,
    times,
    with_unit,
)
from surveys.results.beliefs.figures import Belief, Guesser, OneReport, is_mean
from surveys.results.words.shares import answer_name

register = template.Library()


@register.simple_tag
def value_of(belief: Belief, share: float, further: int = 0) -> str:
    """Write a share as so many of 100, or where it stands for a mean, in the numbers' units.

    It has as many decimals as tell a tenth of the credible interval apart, and so many further ones.
    """
    low, high, unit = _scale(belief)
    apart = (high - low) * (belief.interval.high - belief.interval.low) / 10
    digits = max(0, min(9, -math.floor(math.log10(apart)))) if apart > 0 else 9
    return with_unit(decimal(low + (high - low) * share, digits + further), unit)


def beyond_of(belief: Belief) -> str:
    """Write the number that may be exceeded, as exactly as it was given."""
    low, high, unit = _scale(belief)
    return with_unit(shortest_decimal(low + (high - low) * belief.beyond), unit)


@register.simple_tag
def belief_words(belief: Belief) -> str:
    """Say what whoever starts from the prior should believe now."""
    told = {
        "a": shortest_decimal(belief.prior.a),
        "b": shortest_decimal(belief.prior.b),
        "level": percent(belief.interval.confidence_level),
        "low": value_of(belief, belief.interval.low),
        "high": value_of(belief, belief.interval.high),
        "label": answer_name(belief.item, belief.option),
        "chance": rough_chance(belief.probability),
        "beyond": beyond_of(belief),
    }
    if belief.of_mean:
        return (
            _(
                "Whoever started from Beta(%(a)s, %(b)s) should now believe, with a probability of %(level)s, that the "
                "mean is between %(low)s and %(high)s, and with a probability of %(chance)s that it is more than "
                "%(beyond)s."
            )
            % told
        )
    return (
        _(
            "Whoever started from Beta(%(a)s, %(b)s) should now believe, with a probability of %(level)s, that the "
            "true answer of between %(low)s and %(high)s of 100 people is “%(label)s”, and with a probability of "
            "%(chance)s that it is that of more than %(beyond)s of 100."
        )
        % told
    )


@register.simple_tag
def belief_rows(belief: Belief) -> list[tuple[str, str, str]]:
    """Return the rows of a table: what was believed before, and what is to be believed now."""
    before, after = belief.prior, belief.posterior
    low, high = belief.prior_limits
    more = (
        _("Probability of more than %(beyond)s") if belief.of_mean else _("Probability of more than %(beyond)s of 100")
    )
    shares = (
        (_("Mean"), before.mean, after.mean),
        (_("Median"), before.quantile(0.5), after.median),
        (_("Lower limit"), low, belief.interval.low),
        (_("Upper limit"), high, belief.interval.high),
    )
    return [
        *((name, value_of(belief, old, 1), value_of(belief, new, 1)) for name, old, new in shares),
        (
            more % {"beyond": beyond_of(belief)},
            percent(belief.prior_probability, 1),
            percent(belief.probability, 1),
        ),
    ]


@register.simple_tag
def report_words(said: OneReport, report: int, share: Fraction) -> str:
    """Say of how many of those who sent a report the answer is true, if so many of all have it."""
    after = said.posterior(share)[report]
    told = {
        "share": roughly_of_100(share),
        "label": answer_name(said.item, said.option),
        "report": said.item.report_labels[report],
        "after": roughly_of_100(after),
    }
    if after is None:
        return _("If the true answer of %(share)s of 100 people is “%(label)s”, nobody reports “%(report)s”.") % told
    if is_mean(said.item, said.option):
        told["other"] = said.item.labels[0]
        return (
            _(
                "If the number of %(share)s of 100 people is %(label)s and that of the others %(other)s, then among "
                "those who reported “%(report)s” it is %(label)s for %(after)s of 100."
            )
            % told
        )
    return (
        _(
            "If the true answer of %(share)s of 100 people is “%(label)s”, then among those who reported “%(report)s” "
            "it is that of %(after)s of 100."
        )
        % told
    )


@register.simple_tag
def proofs(said: OneReport) -> list[str]:
    """Say which reports prove the answer, or that it is not the true one."""
    return list(_proofs(said))


@register.filter
def is_finite(epsilon: float) -> bool:
    """Whether a loss is limited."""
    return epsilon != math.inf


@register.filter
def largest_factor(item: Item) -> str:
    """Write the largest factor by which a report of this item changes the odds between two answers."""
    return times(max(Fraction(factor) for factor in item.design.odds))


@register.simple_tag
def guess_rows(guess: Guesser, reports: int) -> list[tuple[str, str, str]]:
    """Return the rows of a table: how often a guess can be right, and by how much more often than by chance."""
    design = guess.item.design.epsilon
    rows: list[tuple[str, float | Fraction]] = [
        (_("This report, by its matrix"), guess.right),
        (_("Any report with ε = %(epsilon)s") % {"epsilon": nats(design)}, guess.right_at_most),
    ]
    if reports > 1:
        told = {"reports": reports, "epsilon": nats(guess.total_epsilon)}
        rows.append((_("All %(reports)s reports, ε = %(epsilon)s") % told, guess.right_at_most_in_all))
    return [
        (name, at_most_of_100(right), _("%(number)s%%") % {"number": at_most_of_100(2 * right - 1)})
        for name, right in rows
    ]


@register.simple_tag
def guess_words(guess: Guesser) -> str:
    """Say how often whoever guesses from this report is right at most."""
    return _(
        "Whoever guesses from a report whether the true answer is “%(option)s” or “%(other)s” is right at most "
        "%(right)s of 100 times, if half the people have either answer."
    ) % {
        "option": answer_name(guess.item, guess.option),
        "other": guess.item.labels[guess.other],
        "right": at_most_of_100(guess.right),
    }


@register.simple_tag
def bound_words(guess: Guesser) -> str:
    """Say what ε alone allows, of this report."""
    epsilon = guess.item.design.epsilon
    if epsilon == math.inf:
        return _("As ε is infinite, it sets no limit by itself: there are answers that a report can prove.")
    return _(
        "Whatever the design, with ε = %(epsilon)s nobody who guesses between any two answers is right more than "
        "%(right)s of 100 times."
    ) % {"epsilon": nats(epsilon), "right": at_most_of_100(guess.right_at_most)}


@register.simple_tag
def total_words(guess: Guesser, reports: int) -> str:
    """Say what ε allows, of all reports of one response together."""
    told = {
        "reports": reports,
        "epsilon": nats(guess.total_epsilon),
        "right": at_most_of_100(guess.right_at_most_in_all),
    }
    if guess.total_epsilon == math.inf:
        return (
            _("Among the %(reports)s reports of one response one can prove an answer: together they have no limit.")
            % told
        )
    return (
        _(
            "All %(reports)s reports of one response together have ε = %(epsilon)s: whoever sees them and guesses "
            "between any two ways of answering everything is right at most %(right)s of 100 times."
        )
        % told
    )


def _proofs(said: OneReport) -> Iterator[str]:
    told = {"label": answer_name(said.item, said.option)}
    for code, report in enumerate(said.item.report_labels):
        proof = said.proof(code)
        if proof is True:
            yield _("The report “%(report)s” proves that the true answer is “%(label)s”.") % {**told, "report": report}
        elif proof is False:
            yield _("The report “%(report)s” proves that the true answer is not “%(label)s”.") % {
                **told,
                "report": report,
            }


def _scale(belief: Belief) -> tuple[float, float, str]:
    """Return what shares 0 and 1 are written as, and in which unit."""
    limits = belief.item.range
    if limits is None or not belief.of_mean:
        return 0.0, 100.0, ""
    return float(limits.low), float(limits.high), limits.unit
