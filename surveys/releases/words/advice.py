"""What is to be known before a release, in sentences: what it costs and buys, and where something free serves as well.

Reports are randomized before anybody stores them, so publishing exact estimates from them costs one true answer at most
the local ε that each respondent has accepted. A release is drawn from the reports and costs one true answer f, which is
less. All that is said here comes from public numbers: terms, earlier releases, and how many answered.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction
from typing import Any

from django import template
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from surveys.models import ExactFigures, Release, ReleasePart, Survey
from surveys.models.units import MICRO
from surveys.numbers.words import level_words, nats, round_up_exactly, three_digits
from surveys.privacy.accounting.composition import compose
from surveys.privacy.accounting.local_central import local_then_central_delta
from surveys.privacy.loss import PrivacyLoss
from surveys.releases.families.finding import CONFIDENCE_LEVEL
from surveys.releases.families.plan import Plan, Terms, amount_words
from surveys.releases.mechanisms import PLANS
from surveys.releases.services.wanted import smallest_count
from surveys.releases.words.picture import HIDDEN

register = template.Library()

AS_GOOD_AS_FREE = 0.95
"""From this share of the local ε on, a release protects a true answer no better than publishing without noise."""

RECENT = Fraction(9, 10)
"""A release of so large a share of today's answers still speaks for them."""


class Severity(Enum):
    NO_RELEASE = "no release is needed"
    WARNING = "think twice"
    NOTE = "good to know"


@dataclass(frozen=True, slots=True)
class Advice:
    """One thing to know before a release of one question; `releases.words.advice` says it.

    Attributes
    ----------
    code : str
        What it is about: the name of its sentence.
    plan : Plan
        The part that it is about.
    facts : mapping
        The numbers and names of the sentence.
    """

    code: str
    plan: Plan
    facts: Mapping[str, Any]

    @property
    def severity(self) -> Severity:
        if self.code in {"answered", "free_serves", "noise_hides_all", "reports_hide_all"}:
            return Severity.NO_RELEASE
        if self.code in {"another_draw", "no_delta_serves", "delta_large", "less_serves"}:
            return Severity.WARNING
        return Severity.NOTE


def advice_on(terms: Terms, earlier: Iterable[Release], *, published_only: bool = False) -> tuple[Advice, ...]:
    """Return what is to be known of a release before it is charged, what matters most first.

    Parameters
    ----------
    terms : Terms
        What is asked for.
    earlier : iterable of Release
        All releases of the survey that were charged.
    published_only : bool
        Speak of no release that is not published: even that it answers reveals that its test was not refused. What
        all of them cost is counted all the same.
    """
    before = list(earlier)
    order = list(Severity)
    advices = [
        advice for plan in terms.plans for advice in _on_plan(plan, terms, before, published_only=published_only)
    ]
    return tuple(sorted(advices, key=lambda advice: order.index(advice.severity)))


def another_draws(terms: Terms, earlier: Iterable[Release]) -> tuple[Advice, ...]:
    """Return of the same only which draw of its question each part would be, where it is not the first."""
    drawn = [part for release in earlier for part in release.parts.all()]
    return tuple(advice for plan in terms.plans for advice in _another_draw(plan, drawn))


def no_release_needed(advice: Iterable[Advice], terms: Terms) -> bool:
    """Whether every question of the release has a reason why none is needed."""
    without = {each.plan.numbers[0] for each in advice if each.severity is Severity.NO_RELEASE}
    return all(plan.numbers[0] in without for plan in terms.plans)


def _on_plan(plan: Plan, terms: Terms, before: list[Release], *, published_only: bool) -> Iterator[Advice]:
    questions = {question.number: question for question in terms.definition.questions}
    same = [
        (release, stored, PLANS[release.mechanism].of_part(stored, questions))
        for release in before
        for stored in release.parts.all()
        if not set(plan.numbers).isdisjoint(stored.questions)
    ]
    spent = compose(earlier.loss for _release, _stored, earlier in same)
    together = plan.truth_epsilon_together_with(spent.epsilon)
    cost = {
        "local_epsilon": plan.local_epsilon,
        "truth_epsilon": plan.truth_epsilon,
        "together": together,
        # The larger of both: up to it either ε holds.
        "delta": max(_truth_delta(plan, PrivacyLoss(Fraction(0))), _truth_delta(plan, spent)),
    }
    accuracy = plan.accuracy()

    for release, stored, earlier in same:
        if (release.published or not published_only) and _answers(earlier, stored.output, plan):
            yield _serves(plan, release, earlier)
    yield from _another_draw(plan, (stored for _release, stored, _earlier in same))
    if not plan.report_proves and together >= AS_GOOD_AS_FREE * plan.local_epsilon:
        yield Advice("free_serves", plan, cost)
    if accuracy.is_uninformative:
        yield Advice("noise_hides_all", plan, {"n": plan.n})
    yield from _beside_reports(plan)
    for other in filter(plan.same_without_delta, PLANS.values()):
        pure = PrivacyLoss(plan.loss.epsilon)
        without_delta = other(plan.questions, plan.options, pure, plan.n).accuracy().at_most
        if without_delta <= accuracy.at_most:
            facts = {"at_most": without_delta, "would_be": accuracy.at_most, "level": CONFIDENCE_LEVEL}
            yield Advice("no_delta_serves", plan, facts)
    if 10 * plan.loss.delta * plan.n > 1:
        yield Advice("delta_large", plan, {"n": plan.n})
    elif plan.loss.delta * plan.n**2 > 1:
        yield Advice("delta_not_small", plan, {"n": plan.n})
    proves = "sent_as_it_is" if plan.unprotected else "report_proves"
    yield Advice(proves if plan.report_proves else "what_it_costs", plan, cost)


def _another_draw(plan: Plan, drawn: Iterable[ReleasePart]) -> Iterator[Advice]:
    number = 1 + sum(plan.numbers[0] in part.questions for part in drawn)
    if number > 1:
        facts = {"number": number, "level": 1 - (1 - CONFIDENCE_LEVEL) / number, "stated": CONFIDENCE_LEVEL}
        yield Advice("another_draw", plan, facts)


def _truth_delta(plan: Plan, spent: PrivacyLoss) -> float:
    """Return the δ that belongs to the truth's ε of this plan and of what was spent before."""
    loss = compose([plan.loss, spent])
    return local_then_central_delta(plan.local_epsilon, loss.epsilon, loss.delta)


def _answers(earlier: Plan, output: Mapping[str, Any], new: Plan) -> bool:
    """Whether what an earlier plan has said says what a new one would, without any further cost."""
    return set(earlier.numbers).issuperset(new.numbers) and not earlier.refused(output) and earlier.answers(new)


def _serves(plan: Plan, release: Release, earlier: Plan) -> Advice:
    """Say that an earlier release shows the same, and whether as precisely."""
    derived, accuracy = earlier.derived_accuracy(plan, CONFIDENCE_LEVEL), plan.accuracy()
    # A table of several questions drops people who skipped one of them: those are no earlier answers but others.
    same = earlier.questions == plan.questions
    recent = earlier.n >= RECENT * plan.n if same else earlier.n == plan.n
    reports = plan.error_from_reports()
    if reports is not None and plan.in_points:
        # As many percentage points as the new bound has for one of its units.
        reports /= float(plan.points_a_unit or 0)
    serves = derived is not None and (
        derived <= accuracy.at_most or (reports is not None and derived * HIDDEN <= reports)
    )
    return Advice(
        "answered" if recent and serves else "answered_roughly" if recent else "answered_before",
        plan,
        {
            "release": release.pk,
            "mechanism": earlier.name,
            "published": release.published,
            "date": release.created_at,
            "earlier_n": earlier.n,
            "n": plan.n,
            "unit": accuracy.unit,
            "at_most": derived,
            "would_be": accuracy.at_most,
            "level": CONFIDENCE_LEVEL,
        },
    )


def _beside_reports(plan: Plan) -> Iterator[Advice]:
    """Compare the noise with the reports' randomness, which stays whatever the release costs."""
    reports, accuracy, unit = plan.error_from_reports(), plan.accuracy(), plan.unit_of_reports
    if reports is None:
        return
    facts = {"unit": unit, "reports": reports, "n": plan.n, "level": CONFIDENCE_LEVEL, "epsilon": plan.loss.epsilon}
    if reports * 2 >= (100 if plan.in_points else accuracy.largest_error):
        # ± half of everything: the interval leaves every result possible.
        yield Advice("reports_hide_all", plan, facts)
    if accuracy.depends_on_data or accuracy.at_most == math.inf:
        return

    def noise_at(epsilon: Fraction) -> float:
        return replace(plan, loss=PrivacyLoss(epsilon, plan.loss.delta)).accuracy().size(unit)

    epsilon, noise = plan.loss.epsilon, accuracy.size(unit)
    facts = facts | {"both": math.hypot(reports, noise), "with_half": math.hypot(reports, noise_at(epsilon / 2))}
    yield Advice("what_epsilon_buys", plan, facts)
    if noise * 2 * HIDDEN <= reports:
        # The smallest ε, to two digits, whose noise hides behind the reports' randomness.
        enough = smallest_count(
            lambda units: noise_at(Fraction(units, MICRO)) * HIDDEN <= reports, int(epsilon * MICRO)
        )
        yield Advice("less_serves", plan, facts | {"enough": round_up_exactly(Fraction(enough, MICRO), 2)})


# How it is said.


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
        "derived": ""
        if facts["at_most"] is None
        else amount_words(facts["at_most"], advice.plan.question, facts["unit"]),
        "new": amount_words(facts["would_be"], advice.plan.question, facts["unit"]),
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
        "question": advice.plan.texts,
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
    written = {
        name: amount_words(facts[name], advice.plan.question, facts["unit"]) for name in _BOUNDS if name in facts
    }
    return written | {
        "question": advice.plan.texts,
        "level": level_words(facts["level"]),
        "n": str(facts["n"]),
        "epsilon": three_digits(facts["epsilon"]),
        "enough": three_digits(facts.get("enough", 0)),
    }


def _drawn_again(advice: Advice) -> str:
    facts = advice.facts
    return _(
        "this would be draw %(number)s for “%(question)s”. Each draw’s page lists the other draws. Unless all "
        "draws are published, intervals are wider (%(level)s each), so that the stated %(stated)s holds "
        "whichever draw is shown."
    ) % {
        "number": facts["number"],
        "question": advice.plan.question.text,
        "level": level_words(facts["level"]),
        "stated": level_words(facts["stated"]),
    }


_BOUNDS = ("reports", "both", "with_half")

_SENTENCES: dict[str, Callable[[Advice], str]] = {
    "answered": _answered,
    "answered_roughly": _answered_roughly,
    "answered_before": _answered_before,
    "another_draw": _drawn_again,
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
        % {"n": advice.facts["n"], "question": advice.plan.texts}
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
    "no_delta_serves": lambda advice: (
        str(advice.plan.without_delta_sentence)
        % {
            "question": advice.plan.texts,
            "laplace": three_digits(advice.facts["at_most"]),
            "gaussian": three_digits(advice.facts["would_be"]),
            "level": level_words(advice.facts["level"]),
        }
    ),
    "delta_large": lambda advice: (
        _(
            "δ is larger than 0.1 divided by the number of answers to “%(question)s” (%(n)s). With such a δ, a "
            "mechanism may publish someone’s whole report about one time in ten, or more often, and still keep "
            "its privacy promise."
        )
        % {"n": advice.facts["n"], "question": advice.plan.texts}
    ),
    "delta_not_small": lambda advice: (
        _(
            "δ is larger than the usual limit, 1 divided by the square of the number of answers to "
            "“%(question)s” (%(n)s). A smaller δ makes the privacy promise stronger and costs little accuracy."
        )
        % {"n": advice.facts["n"], "question": advice.plan.texts}
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


@register.filter
def exact_figures_warning(survey: Survey) -> str:
    """Say before a release what its label will say of such figures."""
    return {
        ExactFigures.SHOWN: _(
            "Respondents or viewers have seen exact figures from this survey, on receipts or on a projector. "
            "The noise of a release can’t hide these figures, as the release’s label will state."
        ),
        ExactFigures.NOT_SHOWN: "",
    }[ExactFigures(survey.exact_figures)]
