"""The explained terms: what each means in general, and with the numbers of the survey at hand."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from django import template
from django.template.context import RequestContext
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext_lazy

from surveys.answering.words.designs import odds, odds_factor, of_grid, procedure, quote_answer, tapped_report
from surveys.common.words import design_words, range_part
from surveys.drafts.figures import USUAL_SHARE, ExpectedPrecision, expected_of
from surveys.estimation.intervals.binomial import normal_quantile
from surveys.numbers.words import in_tenths, level_words, nats, of_100, percent, points, whole_number
from surveys.questionnaire.asked_question import AskedQuestion, Item
from surveys.questionnaire.definition import Definition

register = template.Library()


# The numbers of one survey, or of one question, that explanations of terms are written with.


USUAL_LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class Facts:
    """What a paragraph about a term can lean on; of several questions the least protected one stands for all."""

    questions: tuple[AskedQuestion, ...]
    epsilon: float
    n: int | None = None  # answers expected, or in
    share: Fraction = USUAL_SHARE
    minimum_n: int | None = None
    confidence_level: float = USUAL_LEVEL  # of the intervals at hand

    @property
    def is_survey(self) -> bool:
        """Whether it is about all questions and not about one."""
        return self.minimum_n is not None

    @property
    def question(self) -> AskedQuestion:
        return max(self.questions, key=lambda question: question.losses[0].epsilon)

    @property
    def item(self) -> Item:
        return self.question.first

    @property
    def is_infinite(self) -> bool:
        """Whether a report can prove something."""
        return self.epsilon == math.inf

    @property
    def expected(self) -> ExpectedPrecision | None:
        """The precision to expect, where it is known how many answer."""
        return expected_of(self.question, n=self.n, share=self.share) if self.n else None

    @property
    def half_width(self) -> float | None:
        """That to expect at this confidence level."""
        if self.expected is None:
            return None
        return self.expected.half_width * normal_quantile(self.confidence_level) / normal_quantile(USUAL_LEVEL)


def facts_of(
    about: Definition | AskedQuestion,
    *,
    n: int | None = None,
    share: Fraction = USUAL_SHARE,
    confidence_level: float = USUAL_LEVEL,
) -> Facts | None:
    """Return the numbers of a survey or of a question; None where none of it is protected."""
    if isinstance(about, AskedQuestion) and not about.protects:
        return None
    if isinstance(about, AskedQuestion):
        return Facts((about,), about.epsilon, n, share, None, confidence_level)
    if not about.losses:
        return None
    questions = tuple(question for question in about.questions if question.protects)
    return Facts(questions, about.epsilon, n, share, about.minimum_n, confidence_level)


def epsilon(facts: Facts | None) -> str:
    """Say how much a report gives away."""
    meaning = _(
        "ε (epsilon) measures how much the reports of one response can reveal. If ε is 0, they reveal nothing. "
        "This limit holds no matter who sees the reports or what else they know. It does not hold for people "
        "who know a fact that replaces the coins."
    )
    if facts is None:
        return meaning
    if facts.is_infinite:
        return _(
            "%(meaning)s Here, ε is infinite, because a report can prove an answer. The privacy "
            "promise states which report."
        ) % {"meaning": meaning}
    factor = odds_factor([loss for question in facts.questions for loss in question.losses])
    if not factor:
        return _("%(meaning)s Here, ε is %(epsilon)s, so high that almost nothing is hidden.") % {
            "meaning": meaning,
            "epsilon": nats(facts.epsilon),
        }
    return _(
        "%(meaning)s Here, ε is %(epsilon)s. The reports change anyone’s odds between two possible answers at "
        "most %(factor)s-fold. A probability of 50 of 100 becomes at most %(most)s of 100."
    ) % {"meaning": meaning, "epsilon": nats(facts.epsilon), "factor": factor, "most": _from_even(facts)}


def _from_even(facts: Facts) -> str:
    """Return the largest belief that even odds become, in hundredths, written upwards."""
    factor = Fraction(1)
    for question in facts.questions:
        for loss in question.losses:
            factor *= Fraction(loss.odds)
    tenths = -(-1000 * factor.numerator // (factor.numerator + factor.denominator))
    if tenths >= 1000:
        return _("just under 100")
    return in_tenths(tenths)


def total_epsilon(facts: Facts | None) -> str:
    """Say why losses are added."""
    meaning = _(
        "The sum of ε over all questions. It limits how much the reports of one response can reveal together. "
        "Each further question adds its own ε."
    )
    if facts is None or len(facts.questions) < 2:
        return meaning
    parts = [nats(question.epsilon) for question in facts.questions]
    if len(parts) > 6 or facts.is_infinite:
        return meaning
    return _("%(meaning)s Here, the sum is %(parts)s = %(epsilon)s.") % {
        "meaning": meaning,
        "parts": " + ".join(parts),
        "epsilon": nats(facts.epsilon),
    }


def odds_words(facts: Facts | None) -> str:
    """Say what odds are, with those of a report."""
    meaning = _("Odds compare two possibilities. Even odds are 1 to 1. Odds of 3 to 1 mean a probability of 75 of 100.")
    if facts is None:
        return meaning
    item = facts.item
    if item.grid:
        return f"{meaning} {of_grid(item, 'shares')}"
    if item.in_the_head:
        tap = tapped_report(item)
        label, here, there = tap.label, tap.when_yes, tap.when_no
    else:
        entry = odds(item)[0]
        label, here, there = entry.label, entry.when_true, entry.when_not
    values = {
        "meaning": meaning,
        "where": where(facts),
        "report": quote_answer(label, item),
        "here": of_100(here),
        "there": of_100(there),
    }
    if item.in_the_head:
        return (
            _(
                "%(meaning)s %(where)s, %(here)s of 100 people tap %(report)s if their true answer is Yes, and "
                "%(there)s of 100 if their true answer is No. These two numbers are all that the report "
                "reveals about anyone."
            )
            % values
        )
    if item.answers.one_true:
        return (
            _(
                "%(meaning)s %(where)s, %(here)s of 100 phones send %(report)s for their owner’s option, and "
                "%(there)s of 100 for any other option. These two numbers are all that the report on one "
                "option reveals about anyone."
            )
            % values
        )
    return (
        _(
            "%(meaning)s %(where)s, %(here)s of 100 phones send %(report)s if it is their owner’s true answer, "
            "and %(there)s of 100 if it is not. These two numbers are all that the report reveals about anyone."
        )
        % values
    )


def where(facts: Facts | None) -> str:
    """Say which question the numbers are of, where there are others."""
    if facts is None or len(facts.questions) < 2:
        return _("Here")
    return _("In question %(number)s") % {"number": facts.question.number}


def truth_probability(facts: Facts | None) -> str:
    """Say what the coin decides."""
    meaning = _(
        "How often the phone sends the true answer instead of a random one. A higher probability makes results "
        "more precise but each report less deniable. You cannot have both."
    )
    return f"{meaning} {procedure(facts.item)}" if facts and not facts.item.in_the_head else meaning


def design(facts: Facts | None) -> str:
    meaning = _("The way answers are randomized. All numbers shown here are computed from the design.")
    if facts is None:
        return meaning
    values = {"meaning": meaning, "design": design_words(facts.item.design.name), "procedure": procedure(facts.item)}
    if facts.is_survey and len(facts.questions) > 1:
        kinds = len({question.design.name for question in facts.questions})
        words = ngettext(
            "%(meaning)s This survey uses %(count)s design. Question %(number)s uses “%(design)s”. %(procedure)s",
            "%(meaning)s This survey uses %(count)s designs. Question %(number)s uses “%(design)s”. %(procedure)s",
            kinds,
        )
        return words % (values | {"count": kinds, "number": facts.question.number})
    return _("%(meaning)s The design here is “%(design)s”. %(procedure)s") % values


# What terms of the accuracy side mean: intervals, standard errors, randomized shares, misfit, power.


_Z_95 = 1.959963984540054


@dataclass(frozen=True, slots=True)
class _Span:
    """How often a report comes when an answer is nobody's and when it is everybody's true one."""

    answer: str
    report: str
    none: Fraction
    all: Fraction


def interval(facts: Facts | None) -> str:
    """Say what an interval is and how long it will be."""
    meaning = _(
        "The range of values that fit the reports. In about %(level)s of surveys like this one, the interval "
        "contains the true value. It allows for both sampling and randomization."
    ) % {"level": level_words(facts.confidence_level if facts else USUAL_LEVEL)}
    return f"{meaning} {_length(facts)}".rstrip()


def half_width(facts: Facts | None) -> str:
    """Say what ± stands for."""
    meaning = _(
        "The distance from the estimate to either end of the %(level)s interval. Halving this distance takes "
        "four times as many answers."
    ) % {"level": level_words(facts.confidence_level if facts else USUAL_LEVEL)}
    return f"{meaning} {_length(facts)}".rstrip()


def standard_error(facts: Facts | None) -> str:
    meaning = _(
        "How far an estimate typically is from the true value, because of sampling and randomization. An "
        "interval (95%) reaches about two standard errors to either side."
    )
    planned = _expected(facts)
    if planned is None:
        return meaning
    expected, item = planned
    return _("%(meaning)s With %(n)s answers, expect a standard error of about %(error)s.") % {
        "meaning": meaning,
        "n": whole_number(expected.n),
        "error": _size(item, expected.half_width / _Z_95),
    }


def raw_share(facts: Facts | None) -> str:
    """Say what the share of the reports mixes."""
    meaning = _(
        "The share of each answer among the randomized reports. It is not an estimate. An estimate corrects "
        "for the randomization, whose probabilities are known exactly."
    )
    span = _span(facts)
    if span is None:
        return meaning
    return _(
        "%(meaning)s %(where)s, this share would be about %(none)s of 100 if nobody’s true answer was "
        "%(answer)s, and about %(all)s of 100 if everyone’s was."
    ) % {
        "meaning": meaning,
        "where": where(facts),
        "answer": span.answer,
        "none": of_100(span.none),
        "all": of_100(span.all),
    }


def misfit(facts: Facts | None) -> str:
    """Say when the reports cannot come from people who follow the instructions."""
    meaning = _(
        "Reports that would hardly occur if everyone followed the instructions are a sign that some people did "
        "not. The page then shows a notice instead of a share."
    )
    span = _span(facts)
    if span is None:
        return meaning
    least, most = sorted((span.none, span.all))
    return _(
        "%(meaning)s %(where)s, about %(least)s to %(most)s of 100 reports must be %(report)s if everyone "
        "follows the instructions."
    ) % {
        "meaning": meaning,
        "where": where(facts),
        "report": span.report,
        "least": of_100(least),
        "most": of_100(most),
    }


def power(facts: Facts | None) -> str:
    """Say what the power of a test is."""
    meaning = _(
        "The probability that a survey detects an effect that exists. With a power of 80%, one in five such "
        "surveys would miss the effect. A test at the 5% level gives a false alarm in one in twenty surveys "
        "without an effect."
    )
    planned = _expected(facts)
    if planned is None or planned[0].power is None:
        return meaning
    expected = planned[0]
    return _(
        "%(meaning)s If the true share is %(share)s, a survey with %(n)s answers has a power of %(power)s to "
        "show that the share is above zero."
    ) % {
        "meaning": meaning,
        "share": percent(float(expected.share)),
        "n": whole_number(expected.n),
        "power": percent(expected.power),
    }


def _expected(facts: Facts | None) -> tuple[ExpectedPrecision, Item] | None:
    if facts is None or facts.expected is None:
        return None
    return facts.expected, facts.item


def _length(facts: Facts | None) -> str:
    planned = _expected(facts)
    if facts is None or planned is None or facts.half_width is None:
        return ""
    expected, item = planned
    values = {
        "n": whole_number(expected.n),
        "size": _size(item, facts.half_width),
        "share": percent(float(expected.share)),
    }
    if item.range:
        return (
            ngettext(
                "With %(n)s answer, the interval extends about %(size)s to either side if the true "
                "mean is in the middle of the range.",
                "With %(n)s answers, the interval extends about %(size)s to either side if the true "
                "mean is in the middle of the range.",
                expected.n,
            )
            % values
        )
    return (
        ngettext(
            "With %(n)s answer, the interval extends about %(size)s to either side if the true share is %(share)s.",
            "With %(n)s answers, the interval extends about %(size)s to either side if the true share is %(share)s.",
            expected.n,
        )
        % values
    )


def _size(item: Item, part: float) -> str:
    """Write a length: of a share in points, of a mean in its units."""
    if item.range:
        return range_part(item.range, part)
    return _("%(points)s percentage points") % {"points": points(part)}


def _span(facts: Facts | None) -> _Span | None:
    if facts is None:
        return None
    item = facts.item
    if item.grid:
        return None  # its reports are numbers, and no share of them is anybody's answer
    if item.in_the_head:
        tap = tapped_report(item)
        return _Span(item.labels[1], quote_answer(tap.label, item), tap.when_no, tap.when_yes)
    # Of two answers Yes, of more the first one; if it is not true, it does not matter which of the others is.
    code = 1 if item.design.k == 2 else 0
    row, label = item.design.matrix[code], quote_answer(item.labels[code], item)
    return _Span(label, label, row[1 - code], row[code])


# What terms of a survey's course mean: the fewest answers, sealing, releases, their budget.


def minimum_n(facts: Facts | None) -> str:
    """Say why few answers show nothing."""
    meaning = _(
        "With few responses, only their number is shown. A share among five people reveals much about each of "
        "them and little about anyone else."
    )
    if facts is None or facts.minimum_n is None:
        return meaning
    return ngettext(
        "%(meaning)s Here, results appear once there is %(minimum)s response. The same minimum applies to each group.",
        "%(meaning)s Here, results appear once there are %(minimum)s responses. The same minimum "
        "applies to each group.",
        facts.minimum_n,
    ) % {"meaning": meaning, "minimum": whole_number(facts.minimum_n)}


def seal(_facts: Facts | None) -> str:
    """Say what sealing destroys and keeps."""
    return _(
        "Sealing a closed survey can’t be undone. It keeps the counts of reports, from which all results are "
        "computed. It destroys the order of the reports, the codes that stop double sending, and the "
        "invitations. Results and exports then lack only the mode (who flipped the coins). They lack more if "
        "only the counts of questions and pairs of questions are kept."
    )


def release(_facts: Facts | None) -> str:
    return _(
        "A result with noise added so that it can be published. The noise is drawn only once, so every visit "
        "shows the same figures. The release’s ε is charged to the survey’s privacy budget."
    )


def budget(_facts: Facts | None) -> str:
    return _(
        "The limit, as ε, on how much all releases of this survey together may reveal about the reports of any "
        "one response. Each release is charged before it is drawn. A release that costs more than the "
        "remaining budget is refused, and nothing is refunded."
    )


# What each term means: one paragraph, with a survey's numbers where there are some.


Words = Callable[[Facts | None], str]

TERMS: Mapping[str, tuple[str | Promise, Words]] = {
    "epsilon": (gettext_lazy("ε (epsilon)"), epsilon),
    "total_epsilon": (gettext_lazy("Total ε"), total_epsilon),
    "odds": (gettext_lazy("Odds"), odds_words),
    "truth_probability": (gettext_lazy("Probability of the true answer"), truth_probability),
    "design": (gettext_lazy("Design"), design),
    "interval": (gettext_lazy("Interval"), interval),
    "half_width": (gettext_lazy("Margin of error"), half_width),
    "standard_error": (gettext_lazy("Standard error"), standard_error),
    "raw_share": (gettext_lazy("Reported (randomized)"), raw_share),
    "misfit": (pgettext_lazy("of the procedure", "Misfit"), misfit),
    "power": (gettext_lazy("Power"), power),
    "minimum_n": (gettext_lazy("Minimum responses"), minimum_n),
    "seal": (pgettext_lazy("a survey", "Sealing"), seal),
    "release": (pgettext_lazy("of a result", "Release"), release),
    "budget": (gettext_lazy("Privacy budget"), budget),
}


# Terms that open one paragraph about them, with the numbers of the survey at hand.


_COUNT = "explanations"


@register.inclusion_tag("glossary/_explain.html", takes_context=True)
def explain(
    context: RequestContext,
    term: str,
    about: Any = None,  # noqa: ANN401 - templates hand over what they have
    *,
    shown: str = "",
    n: int | None = None,
    share: Fraction = USUAL_SHARE,
    level: float = USUAL_LEVEL,
    place: str = "",
) -> dict[str, str]:
    """Explain one of `TERMS` with the numbers of `about`: a definition or a question, whichever the page has.

    `shown` stands on the button instead of the term's name, `n` is how many answers are expected or in, `level` the
    confidence level of the intervals at hand, and `place` keeps the anchors of parts of a page apart that are replaced
    one at a time.
    """
    name, words = TERMS[term]
    count = (context.render_context.get(_COUNT) or 0) + 1
    context.render_context[_COUNT] = count
    text = words(_facts(about, n, share, level))
    return {
        "term": str(name),
        "shown": shown or str(name),
        "text": text,
        "anchor": f"about-{term.replace('_', '-')}-{place or count}",
    }


def _facts(about: Any, n: int | None, share: Fraction, level: float) -> Facts | None:  # noqa: ANN401
    if not isinstance(about, Definition | AskedQuestion):
        return None
    return facts_of(about, n=n or None, share=share, confidence_level=level)
