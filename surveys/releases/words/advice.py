"""What is to be known before a release, in sentences: whether one is needed, what it costs and what it buys."""

from collections.abc import Callable

from django import template
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from surveys.numbers.words import level_words, nats, three_digits
from surveys.releases.families.questions import texts_of
from surveys.releases.figures.advice import Advice, Severity
from surveys.releases.words.accuracy import accuracy_words

register = template.Library()


@register.simple_tag
def advice_says(advice: Advice) -> str:
    """Say it, beginning with how much it matters."""
    return _HEADS[advice.severity]() % {"sentence": _SENTENCES[advice.code](advice)}


@register.filter
def advice_class(advice: Advice) -> str:
    """Return a class name for how much it matters: "no-release", "warning" or "note"."""
    return advice.severity.name.lower().replace("_", "-")


_HEADS: dict[Severity, Callable[[], str]] = {
    Severity.NO_RELEASE: lambda: _("No release is needed: %(sentence)s"),
    Severity.WARNING: lambda: _("Think twice: %(sentence)s"),
    Severity.NOTE: lambda: _("Good to know: %(sentence)s"),
}


def _earlier(advice: Advice) -> dict[str, str]:
    facts = advice.facts
    return {
        "date": date_format(facts["date"], "DATE_FORMAT"),
        "mechanism": str(facts["mechanism"].label),
        "id": facts["release"],
        "earlier": str(facts["earlier_n"]),
        "now": str(facts["n"]),
        "level": level_words(facts["level"]),
        "derived": "" if facts["at_most"] is None else accuracy_words(facts["at_most"], advice.asked, facts["unit"]),
        "new": accuracy_words(facts["would_be"], advice.asked, facts["unit"]),
    }


def _answered(advice: Advice) -> str:
    sentence = _(
        "release %(id)s of %(date)s (%(mechanism)s) already shows this result, with an error of at most "
        "%(derived)s (with probability %(level)s). Reading the result there costs nothing."
    )
    if advice.facts["published"]:
        return sentence % _earlier(advice)
    return _("%(sentence)s That release is not public. Publish it instead of making a new one.") % {
        "sentence": sentence % _earlier(advice)
    }


def _answered_roughly(advice: Advice) -> str:
    if advice.facts["at_most"] is None:
        return _(
            "release %(id)s of %(date)s (%(mechanism)s) also shows this result, with an error that depends on "
            "the data. Reading the result there costs nothing."
        ) % _earlier(advice)
    return _(
        "release %(id)s of %(date)s (%(mechanism)s) also shows this result, with an error of at most "
        "%(derived)s (with probability %(level)s). Reading the result there costs nothing. The error of a new "
        "release would be at most %(new)s."
    ) % _earlier(advice)


def _answered_before(advice: Advice) -> str:
    return _(
        "release %(id)s of %(date)s (%(mechanism)s) showed this result for %(earlier)s answers, and now there "
        "are %(now)s. Reading the earlier result costs nothing."
    ) % _earlier(advice)


def _cost(advice: Advice) -> dict[str, str]:
    facts = advice.facts
    return {
        "local": nats(facts["local_epsilon"]),
        "truth": three_digits(facts["truth_epsilon"]),
        "together": three_digits(facts["together"]),
        "question": texts_of(advice.asked),
    }


def _up_to_delta(advice: Advice, sentence: str) -> str:
    """Say a cost, and up to which δ it holds."""
    cost = sentence % _cost(advice)
    if not advice.facts["delta"]:
        return cost
    return _("%(sentence)s For a release, the ε stated here comes with δ = %(delta)s.") % {
        "sentence": cost,
        "delta": three_digits(advice.facts["delta"]),
    }


def _chance(advice: Advice) -> dict[str, str]:
    facts = advice.facts
    written = {name: accuracy_words(facts[name], advice.asked, facts["unit"]) for name in _BOUNDS if name in facts}
    return written | {
        "question": texts_of(advice.asked),
        "level": level_words(facts["level"]),
        "n": str(facts["n"]),
        "epsilon": three_digits(facts["epsilon"]),
        "enough": three_digits(facts.get("enough", 0)),
    }


def _another_draw(advice: Advice) -> str:
    facts = advice.facts
    return _(
        "this would be draw %(number)s for “%(question)s”. Each draw’s page lists the other draws. Unless all "
        "draws are published, intervals are wider (%(level)s each), so that the stated %(stated)s holds "
        "whichever draw is shown."
    ) % {
        "number": facts["number"],
        "question": advice.asked.text,
        "level": level_words(facts["level"]),
        "stated": level_words(facts["stated"]),
    }


_BOUNDS = ("reports", "noise", "both", "with_half")

_SENTENCES: dict[str, Callable[[Advice], str]] = {
    "answered": _answered,
    "answered_roughly": _answered_roughly,
    "answered_before": _answered_before,
    "another_draw": _another_draw,
    "free_serves": lambda advice: (
        _(
            "reports on “%(question)s” are already locally private, so publishing their exact estimates "
            "reveals at most ε = %(local)s about one true answer. For this release together with the earlier "
            "ones, this limit is ε = %(together)s, which is hardly lower. The results page is enough. It is "
            "free and has no noise."
        )
        % _cost(advice)
    ),
    "noise_hides_all": lambda advice: (
        _(
            "with this ε and %(n)s answers to “%(question)s”, the noise can hide the whole result, and the "
            "release would still be charged."
        )
        % {"n": advice.facts["n"], "question": texts_of(advice.asked)}
    ),
    "reports_hide_all": lambda advice: (
        _(
            "with %(n)s answers to “%(question)s”, sampling and randomized reports alone cause an error of up "
            "to about ±%(reports)s. No ε makes the release informative. Wait for more answers."
        )
        % _chance(advice)
    ),
    "less_serves": lambda advice: (
        _(
            "the noise in the result for “%(question)s” is hardly noticeable beside the randomization of the "
            "reports. About ε = %(enough)s would be enough instead of %(epsilon)s, and would widen intervals "
            "by at most a twentieth."
        )
        % _chance(advice)
    ),
    "what_epsilon_buys": lambda advice: (
        _(
            "the margin of error for “%(question)s” would be about ±%(both)s with this ε and about "
            "±%(with_half)s with half of it (%(level)s confidence). Without noise, it would be about "
            "±%(reports)s."
        )
        % _chance(advice)
    ),
    "no_delta_serves": lambda advice: advice.facts["offer"].without_delta_words(
        question=texts_of(advice.asked),
        pure=three_digits(advice.facts["at_most"]),
        gaussian=three_digits(advice.facts["would_be"]),
        level=level_words(advice.facts["level"]),
    ),
    "delta_large": lambda advice: (
        _(
            "δ is larger than 0.1 divided by the number of answers to “%(question)s” (%(n)s). With such a δ, a "
            "mechanism may publish someone’s whole report about one time in ten, or more often, and still keep "
            "its privacy promise."
        )
        % {"n": advice.facts["n"], "question": texts_of(advice.asked)}
    ),
    "delta_not_small": lambda advice: (
        _(
            "δ is larger than the usual limit, 1 divided by the square of the number of answers to "
            "“%(question)s” (%(n)s). A smaller δ makes the privacy promise stronger and costs little accuracy."
        )
        % {"n": advice.facts["n"], "question": texts_of(advice.asked)}
    ),
    "what_it_costs": lambda advice: _up_to_delta(
        advice,
        _(
            "reports on “%(question)s” are already locally private. Published without any noise, they reveal "
            "at most ε = %(local)s about one true answer. This release reveals at most ε = %(truth)s, and at "
            "most ε = %(together)s together with the earlier ones. Anything computed from a release costs "
            "nothing more."
        ),
    ),
    "sent_as_it_is": lambda advice: _up_to_delta(
        advice,
        _(
            "“%(question)s” contains answers that were sent as they are, so only the noise of the release "
            "protects them. The release reveals at most ε = %(truth)s about one true answer, and at most ε = "
            "%(together)s together with the earlier releases. Anything computed from releases costs nothing "
            "more."
        ),
    ),
    "report_proves": lambda advice: _up_to_delta(
        advice,
        _(
            "a report on “%(question)s” can prove an answer, so only the noise of the release protects that "
            "answer. The release reveals at most ε = %(truth)s about one true answer, and at most ε = "
            "%(together)s together with the earlier releases. Anything computed from releases costs nothing "
            "more."
        ),
    ),
}
"""By code."""
