"""What the noise adds: what a release costs and buys beside what is free, and where no release is needed.

Reports are randomized before anybody stores them, so publishing exact estimates from them costs one true answer at most
the local ε that each respondent has accepted. A release is drawn from the reports and costs one true answer f, which is
less. All that is said here comes from public numbers: terms, earlier releases, and how many answered.
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction
from types import MappingProxyType
from typing import Any

from surveys.models import Release
from surveys.models.asked_question import AskedQuestion
from surveys.models.units import MICRO
from surveys.numbers.words import round_up_exactly
from surveys.privacy.accounting import compose, local_then_central_delta
from surveys.privacy.loss import PrivacyLoss
from surveys.releases.families.accuracy import CONFIDENCE_LEVEL, POINTS
from surveys.releases.families.mechanism import PartTerms, answers, derived_accuracy, part_terms
from surveys.releases.families.questions import questions_in
from surveys.releases.figures.wanted import smallest_count
from surveys.releases.mechanisms import OFFERS
from surveys.releases.selectors.terms import Terms

AS_GOOD_AS_FREE = 0.95
"""From this share of the local ε on, a release protects a true answer no better than publishing without noise."""

RECENT = Fraction(9, 10)
"""A release of so large a share of today's answers still speaks for them."""

HIDDEN = 3
"""Noise so many times below the reports' randomness widens an interval by a twentieth: √(1 + 1/9) < 1.055."""


class Severity(Enum):
    """How much it matters."""

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
    severity : Severity
        How much it matters.
    asked : AskedQuestion
        The question.
    facts : mapping
        The numbers and names of the sentence.
    """

    code: str
    severity: Severity
    asked: AskedQuestion
    facts: Mapping[str, Any]


def advice_on(
    terms: Terms,
    earlier: Iterable[Release],
    confidence_level: float = CONFIDENCE_LEVEL,
    *,
    published_only: bool = False,
) -> tuple[Advice, ...]:
    """Return what is to be known of a release before it is charged, what matters most first.

    Parameters
    ----------
    terms : Terms
        What is asked for.
    earlier : iterable of Release
        All releases of the survey that were charged.
    confidence_level : float
        Of all bounds compared.
    published_only : bool
        Speak of no release that is not published: even that it answers reveals that its test was not refused. What
        all of them cost is counted all the same.
    """
    before = list(earlier)
    order = list(Severity)
    advices = [
        advice
        for part in terms.parts
        for advice in _on_part(part, terms, before, confidence_level, published_only=published_only)
    ]
    return tuple(sorted(advices, key=lambda advice: order.index(advice.severity)))


def no_release_needed(advice: Iterable[Advice], terms: Terms) -> bool:
    """Whether every question of the release has a reason why none is needed."""
    without = {each.asked.question_id for each in advice if each.severity is Severity.NO_RELEASE}
    return all(part.asked.question_id in without for part in terms.parts)


def _on_part(
    part: PartTerms, terms: Terms, before: list[Release], level: float, *, published_only: bool
) -> Iterator[Advice]:
    def advice(code: str, severity: Severity, **facts: Any) -> Advice:
        return Advice(code, severity, part.asked, MappingProxyType(facts))

    questions = {question.question_id: question for question in terms.definition.questions}
    same = [
        (release, stored, part_terms(stored, questions, OFFERS[release.mechanism]))
        for release in before
        for stored in release.parts.all()
        if not {question.question_id for question in questions_in(part.asked)}.isdisjoint(stored.question_keys)
    ]
    spent = compose(earlier.loss for _release, _stored, earlier in same)
    together = part.truth_epsilon_together_with(spent.epsilon)
    cost = {
        "local_epsilon": part.local_epsilon,
        "truth_epsilon": part.truth_epsilon,
        "together": together,
        # The larger of both: up to it either ε holds.
        "delta": max(_truth_delta(part, PrivacyLoss(Fraction(0))), _truth_delta(part, spent)),
    }
    accuracy = part.accuracy(level)

    for release, stored, earlier in same:
        if (release.published or not published_only) and answers(earlier, stored.output, part):
            yield _answered(part, release, earlier, level)
    if drawn := [stored for _release, stored, _earlier in same if part.asked.question_id in stored.question_keys]:
        number = len(drawn) + 1
        yield advice("another_draw", Severity.WARNING, number=number, level=1 - (1 - level) / number, stated=level)
    if not part.report_proves and together >= AS_GOOD_AS_FREE * part.local_epsilon:
        yield advice("free_serves", Severity.NO_RELEASE, **cost)
    if accuracy.is_uninformative:
        yield advice("noise_hides_all", Severity.NO_RELEASE, n=part.n, epsilon=part.loss.epsilon)
    yield from _beside_reports(part, level)
    for other in filter(part.offer.same_without_delta, OFFERS.values()):
        without_delta = replace(part, offer=other, loss=PrivacyLoss(part.loss.epsilon)).accuracy(level).at_most
        if without_delta <= accuracy.at_most:
            yield advice(
                "no_delta_serves",
                Severity.WARNING,
                offer=part.offer,
                at_most=without_delta,
                would_be=accuracy.at_most,
                unit=accuracy.unit,
                level=level,
            )
    if 10 * part.loss.delta * part.n > 1:
        yield advice("delta_large", Severity.WARNING, delta=part.loss.delta, n=part.n)
    elif part.loss.delta * part.n**2 > 1:
        yield advice("delta_not_small", Severity.NOTE, delta=part.loss.delta, n=part.n)
    proves = "sent_as_it_is" if part.unprotected else "report_proves"
    yield advice(proves if part.report_proves else "what_it_costs", Severity.NOTE, **cost)


def _truth_delta(part: PartTerms, spent: PrivacyLoss) -> float:
    """Return the δ that belongs to the truth's ε of this part and of what was spent before."""
    loss = compose([part.loss, spent])
    return local_then_central_delta(part.local_epsilon, loss.epsilon, loss.delta)


def _answered(part: PartTerms, release: Release, earlier: PartTerms, level: float) -> Advice:
    """Say that an earlier release shows the same, and whether as precisely."""
    derived, accuracy = derived_accuracy(earlier, part, level), part.accuracy(level)
    # A table of several questions drops people who skipped one of them: those are no earlier answers but others.
    same = questions_in(earlier.asked) == questions_in(part.asked)
    recent = earlier.n >= RECENT * part.n if same else earlier.n == part.n
    chance = _chance_in_reports(part, level)
    if chance is not None and accuracy.unit != chance.unit:
        # In percentage points: as many of them as the new bound has for one of its units.
        chance = replace(chance, size=chance.size / _points(part))
    serves = derived is not None and (
        derived <= accuracy.at_most or (chance is not None and derived * HIDDEN <= chance.size)
    )
    return Advice(
        "answered" if recent and serves else "answered_roughly" if recent else "answered_before",
        Severity.NO_RELEASE if recent and serves else Severity.NOTE,
        part.asked,
        MappingProxyType(
            {
                "release": release.pk,
                "mechanism": earlier.offer.name,
                "published": release.published,
                "date": release.created_at,
                "earlier_n": earlier.n,
                "n": part.n,
                "unit": accuracy.unit,
                "at_most": derived,
                "would_be": accuracy.at_most,
                "level": level,
            }
        ),
    )


def _beside_reports(part: PartTerms, level: float) -> Iterator[Advice]:
    """Compare the noise with the reports' randomness, which stays whatever the release costs."""
    chance, accuracy = _chance_in_reports(part, level), part.accuracy(level)
    if chance is None:
        return
    facts: dict[str, Any] = {
        "unit": chance.unit,
        "reports": chance.size,
        "n": part.n,
        "level": level,
        "epsilon": part.loss.epsilon,
    }
    if chance.size * 2 >= chance.largest_error:
        # ± half of everything: the interval leaves every result possible.
        yield Advice("reports_hide_all", Severity.NO_RELEASE, part.asked, MappingProxyType(facts))
    if accuracy.depends_on_data or accuracy.at_most == math.inf:
        return
    with_half = replace(part, loss=PrivacyLoss(part.loss.epsilon / 2, part.loss.delta)).accuracy(level)
    noise, of_half = accuracy.size(chance.unit), with_half.size(chance.unit)
    facts |= {
        "noise": noise,
        "both": math.hypot(chance.size, noise),
        "with_half": math.hypot(chance.size, of_half),
    }
    yield Advice("what_epsilon_buys", Severity.NOTE, part.asked, MappingProxyType(facts))
    if noise * 2 * HIDDEN <= chance.size:
        enough = _enough(part, chance, level)
        yield Advice("less_serves", Severity.WARNING, part.asked, MappingProxyType({**facts, "enough": enough}))


def _enough(part: PartTerms, chance: "_Chance", level: float) -> Fraction:
    """Return the smallest ε, to two digits, whose noise hides behind the reports' randomness."""

    def hidden(micro_epsilon: int) -> bool:
        cheaper = replace(part, loss=PrivacyLoss(Fraction(micro_epsilon, MICRO), part.loss.delta))
        return cheaper.accuracy(level).size(chance.unit) * HIDDEN <= chance.size

    return round_up_exactly(Fraction(smallest_count(hidden, int(part.loss.epsilon * MICRO)), MICRO), 2)


@dataclass(frozen=True, slots=True)
class _Chance:
    """The reports' randomness: in percentage points where a share is estimated, else in the unit of the accuracy."""

    size: float
    unit: str
    largest_error: float


def _chance_in_reports(part: PartTerms, level: float) -> _Chance | None:
    points = part.points_from_reports(level)
    if points is not None:
        return _Chance(points, POINTS, 100.0)
    number = part.number_from_reports(level)
    return None if number is None else _Chance(number, part.offer.unit, part.accuracy(level).largest_error)


def _points(part: PartTerms) -> float:
    """Return how many percentage points one unit of the bound is."""
    return float(part.offer.points(part.asked, part.options, part.n) or 0)
