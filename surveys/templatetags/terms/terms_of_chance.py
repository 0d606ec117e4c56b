"""What terms of the privacy side mean: ε, odds, the probability of the truth, the design."""

from fractions import Fraction

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from surveys.selectors.explaining import Facts
from surveys.templatetags.figures import design_words, nats
from surveys.templatetags.respondent.matrix_words import procedure
from surveys.templatetags.respondent.promise import odds, odds_factor, of_hundred, quoted, tapped


def epsilon(facts: Facts | None) -> str:
    """Say how much a report gives away."""
    meaning = _(
        "ε (epsilon) says how much the reports of one response can give away: 0 would be nothing. It counts what the "
        "server receives, whoever looks at it and with whatever knowledge."
    )
    if facts is None:
        return meaning
    if facts.is_infinite:
        return _("%(meaning)s Here it is infinite: a report can prove an answer, and the promise says which.") % {
            "meaning": meaning
        }
    factor = odds_factor([item for question in facts.questions for item in question.items])
    if not factor:
        return _("%(meaning)s Here it is %(epsilon)s: so much that chance hides next to nothing.") % {
            "meaning": meaning,
            "epsilon": nats(facts.epsilon),
        }
    return _(
        "%(meaning)s Here it is %(epsilon)s: whatever somebody believed before, seeing all of it makes the odds at "
        "most %(factor)s times as large. Even odds, 50 of 100, become at most %(most)s of 100."
    ) % {"meaning": meaning, "epsilon": nats(facts.epsilon), "factor": factor, "most": _from_even(facts)}


def _from_even(facts: Facts) -> str:
    """Return the largest belief that even odds become, in hundredths, written upwards."""
    factor = Fraction(1)
    for question in facts.questions:
        for item in question.items:
            factor *= Fraction(max(item.design.odds))
    tenths = -(-1000 * factor.numerator // (factor.numerator + factor.denominator))
    if tenths >= 1000:
        return _("almost 100")
    return number_format(tenths / 10, 0 if tenths % 10 == 0 else 1)


def total_epsilon(facts: Facts | None) -> str:
    """Say why losses are added."""
    meaning = _(
        "The ε of all questions added up: somebody who sees all reports of one response learns at most that much from "
        "them together. One question more costs its ε; a question left out saves it."
    )
    if facts is None or len(facts.questions) < 2:
        return meaning
    parts = [nats(question.epsilon) for question in facts.questions]
    if len(parts) > 6 or facts.is_infinite:
        return meaning
    return _("%(meaning)s Here: %(parts)s makes %(epsilon)s.") % {
        "meaning": meaning,
        "parts": " + ".join(parts),
        "epsilon": nats(facts.epsilon),
    }


def odds_words(facts: Facts | None) -> str:
    """Say what odds are, with those of a report."""
    meaning = _("Odds compare two possibilities: even odds are 1 to 1, odds of 3 to 1 mean 75 of 100.")
    if facts is None:
        return meaning
    item = facts.item
    if item.in_the_head:
        tap = tapped(item)
        label, here, there = tap.label, tap.when_yes, tap.when_no
    else:
        told = odds(item)[0]
        label, here, there = told.label, told.when_true, told.when_not
    values = {
        "meaning": meaning,
        "where": where(facts),
        "report": quoted(label, item),
        "here": of_hundred(here),
        "there": of_hundred(there),
    }
    if item.in_the_head:
        return (
            _(
                "%(meaning)s %(where)s, of 100 people whose true answer is Yes %(here)s tap %(report)s, of 100 others "
                "%(there)s: these two numbers are all that the report tells about anybody."
            )
            % values
        )
    return (
        _(
            "%(meaning)s %(where)s, of 100 phones for which %(report)s is the truth %(here)s send it, of 100 others "
            "%(there)s: these two numbers are all that the report tells about anybody."
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
        "How often the phone sends the true answer instead of one that chance gives. More truth makes results more "
        "precise and each report less deniable: nothing gives both."
    )
    return f"{meaning} {procedure(facts.item)}" if facts and not facts.item.in_the_head else meaning


def design(facts: Facts | None) -> str:
    """Say what a design is, with this one."""
    meaning = _("The way in which chance comes into the answers. All numbers shown here are computed from it.")
    if facts is None:
        return meaning
    values = {"meaning": meaning, "design": design_words(facts.item.design.name), "procedure": procedure(facts.item)}
    if facts.is_survey and len(facts.questions) > 1:
        kinds = len({question.design.name for question in facts.questions})
        words = ngettext(
            "%(meaning)s This survey has %(count)s design. In question %(number)s it is “%(design)s”. %(procedure)s",
            "%(meaning)s This survey has %(count)s designs. In question %(number)s it is “%(design)s”. %(procedure)s",
            kinds,
        )
        return words % (values | {"count": kinds, "number": facts.question.number})
    return _("%(meaning)s Here: “%(design)s”. %(procedure)s") % values
