"""What terms of the accuracy side mean: intervals, standard errors, shares with chance added, misfit, power."""

from dataclasses import dataclass
from fractions import Fraction

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from surveys.models.definition import Item
from surveys.selectors.expected import Expected
from surveys.selectors.explaining import USUAL_LEVEL, Facts
from surveys.templatetags.figures import in_range, level_words, percent, points
from surveys.templatetags.respondent.promise import of_hundred, quoted, tapped, whole
from surveys.templatetags.terms.terms_of_chance import where

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
        "The range of values that the reports fit. It is computed so that about %(level)s of all surveys like this one "
        "get an interval that holds the true value: who was not asked and the chance in the reports are both allowed "
        "for."
    ) % {"level": level_words(facts.confidence_level if facts else USUAL_LEVEL)}
    return f"{meaning} {_length(facts)}".rstrip()


def half_width(facts: Facts | None) -> str:
    """Say what ± stands for."""
    meaning = _(
        "How far the %(level)s interval reaches to either side of the estimate. Half of that takes four times as many "
        "answers."
    ) % {"level": level_words(facts.confidence_level if facts else USUAL_LEVEL)}
    return f"{meaning} {_length(facts)}".rstrip()


def standard_error(facts: Facts | None) -> str:
    """Say what a standard error is."""
    meaning = _(
        "How far an estimate typically is from the true value, because of who happened to answer and of the chance in "
        "the reports. An interval (95%) reaches about two of them to either side."
    )
    found = _expected(facts)
    if found is None:
        return meaning
    expected, item = found
    return _("%(meaning)s With %(n)s answers expect about %(error)s.") % {
        "meaning": meaning,
        "n": whole(expected.n),
        "error": _size(item, expected.half_width / _Z_95),
    }


def raw_share(facts: Facts | None) -> str:
    """Say what the share of the reports mixes."""
    meaning = _(
        "The share among the reports as they came, chance included. It is no estimate: the chance is known exactly, "
        "and the estimate takes it out."
    )
    span = _span(facts)
    if span is None:
        return meaning
    return _(
        "%(meaning)s %(where)s it would be about %(none)s of 100 if nobody’s true answer were %(answer)s, and about "
        "%(all)s of 100 if everybody’s were."
    ) % {
        "meaning": meaning,
        "where": where(facts),
        "answer": span.answer,
        "none": of_hundred(span.none),
        "all": of_hundred(span.all),
    }


def misfit(facts: Facts | None) -> str:
    """Say when the reports cannot come from people who follow the procedure."""
    meaning = _(
        "Reports that hardly occur if everybody follows the procedure are a sign that some did not: then no share is "
        "claimed, and the page says so."
    )
    span = _span(facts)
    if span is None:
        return meaning
    least, most = sorted((span.none, span.all))
    return _("%(meaning)s %(where)s about %(least)s to %(most)s of 100 reports must be %(report)s.") % {
        "meaning": meaning,
        "where": where(facts),
        "report": span.report,
        "least": of_hundred(least),
        "most": of_hundred(most),
    }


def power(facts: Facts | None) -> str:
    """Say what the power of a test is."""
    meaning = _(
        "How probably a survey shows what is there. With 80%, one of five surveys like it would miss it; a test at 5% "
        "cries wolf in one of twenty where there is nothing."
    )
    found = _expected(facts)
    if found is None or found[0].power is None:
        return meaning
    expected = found[0]
    return _("%(meaning)s If %(share)s is true, %(n)s answers show that it is more than none with %(power)s.") % {
        "meaning": meaning,
        "share": percent(float(expected.share)),
        "n": whole(expected.n),
        "power": percent(expected.power),
    }


def _expected(facts: Facts | None) -> tuple[Expected, Item] | None:
    if facts is None or facts.expected is None:
        return None
    return facts.expected, facts.item


def _length(facts: Facts | None) -> str:
    found = _expected(facts)
    if facts is None or found is None or facts.half_width is None:
        return ""
    expected, item = found
    values = {
        "n": whole(expected.n),
        "size": _size(item, facts.half_width),
        "share": percent(float(expected.share)),
    }
    if item.range:
        return (
            ngettext(
                "With %(n)s answer it reaches about %(size)s to either side, if the true mean is in the middle.",
                "With %(n)s answers it reaches about %(size)s to either side, if the true mean is in the middle.",
                expected.n,
            )
            % values
        )
    return (
        ngettext(
            "With %(n)s answer it reaches about %(size)s to either side, if %(share)s is true.",
            "With %(n)s answers it reaches about %(size)s to either side, if %(share)s is true.",
            expected.n,
        )
        % values
    )


def _size(item: Item, part: float) -> str:
    """Write a length: of a share in points, of a mean in its units."""
    if item.range:
        return in_range(item.range, part)
    return _("%(points)s points") % {"points": points(part)}


def _span(facts: Facts | None) -> _Span | None:
    if facts is None:
        return None
    item = facts.item
    if item.in_the_head:
        tap = tapped(item)
        return _Span(item.labels[1], quoted(tap.label, item), tap.when_no, tap.when_yes)
    # Of two answers Yes, of more the first one; if it is not true, it does not matter which of the others is.
    code = 1 if item.design.k == 2 else 0
    row, label = item.design.matrix[code], quoted(item.labels[code], item)
    return _Span(label, label, row[1 - code], row[code])
