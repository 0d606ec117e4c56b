"""Template tags of the editor: which kinds and designs it offers, and the words of dials, totals and comparisons."""

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from django import template
from django.forms import BaseForm, BoundField
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from surveys.drafts.figures import ExpectedComparison, expected_of
from surveys.editor.figures import Dial, DialSetting, facts_of, steps_of
from surveys.editor.forms.rows import QuestionRow
from surveys.numbers.words import Units, chance, decimal, nats, percent, upwards, whole_number, without_zero
from surveys.questionnaire import designs, kinds
from surveys.questionnaire.asked_question import AskedQuestion
from surveys.questionnaire.kinds import Answers, LeaveOut

# What the instructor's scripts say and know: no script has words of its own, so that all of them are translated.


register = template.Library()


@register.simple_tag
def suitable_designs() -> dict[str, dict[str, list[str]]]:
    """Return the designs that suit each kind of question and way of leaving it out, the usual one first."""
    return {
        str(kind.name): {way: list(kinds.suitable_designs(kind.name, way)) for way in LeaveOut.values}
        for kind in kinds.every()
    }


@register.simple_tag
def kind_parts() -> list[tuple[str, Answers]]:
    """Return the parts of a question's form that describe its kind, each with the first kind that has it."""
    parts: dict[str, Answers] = {}
    for kind in kinds.every():
        if kind.field_names:
            parts.setdefault(kind.editor_part or kind.name, kind)
    return [(kind.editor_part or "editor/kinds/_details.html", kind) for kind in parts.values()]


@register.filter
def pictures_of(kind: str) -> list[str]:
    """Return the templates of which the first that there is draws a kind of question."""
    return [f"editor/kinds/pictures/{kind}.html", "editor/kinds/pictures/any.html"]


@register.filter
def short_label(kind: str) -> str:
    traits = kinds.find(kind)
    return str(traits.short_label or traits.label) if traits else ""


@register.filter
def usual_truth(kind: str) -> str:
    """Return how often a true answer of this kind is kept as long as nobody chooses anything else."""
    traits = kinds.find(kind)
    return traits.usual_truth if traits else ""


@register.filter
def is_offered(kind: str, row: QuestionRow) -> bool:
    """Whether a kind stands among the others: a list of statements is of use where there are arms."""
    traits = kinds.find(kind)
    return traits is None or not traits.counts_options or bool(row.boxes) or row.typed["kind"] == kind


@register.simple_tag
def counting_kinds() -> str:
    """Return the kinds whose options are statements to be counted, as `data-needs` has them."""
    return " ".join(kind.name for kind in kinds.every() if kind.counts_options)


@register.filter
def kinds_with(name: str) -> str:
    """Return the kinds that use the field of this name, as `data-needs` has them."""
    return " ".join(kind.name for kind in kinds.every() if name in kind.field_names)


@register.filter
def designs_with(name: str) -> str:
    """Return the designs that need the field of this name, likewise."""
    return " ".join(design.name for design in designs.every() if name in design.fields)


@register.simple_tag
def acceptance() -> str:
    """Return the heading under which the survey owner accepts that a report proves something."""
    return "; ".join(str(design.acceptance) for design in designs.every() if design.acceptance)


@register.filter
def fields_of(form: BaseForm, kind: Answers) -> list[BoundField]:
    return [form[name] for name in form.fields if name in kind.field_names]


@register.simple_tag
def editor_words() -> dict[str, str]:
    """Return the texts of editor.js; %(name)s stands for what only the browser knows."""
    return {
        "design": _("The design is now: %(design)s."),
        "unsaved": _("Not saved, because the server is not responding"),
    }


# e to it is about a million.
_LARGEST_EXPONENT = 14


@register.filter
def protection(epsilon: float) -> str:
    if epsilon <= 0.5:
        return _("very strong protection")
    if epsilon <= 1.2:
        return _("strong protection")
    if epsilon <= 2.5:
        return _("moderate protection")
    return _("weak protection")


register.filter("steps", steps_of)


@register.filter
def times_in(probability: Fraction) -> str:
    """Write a probability as people count: 7 times in 10."""
    if probability == 1:
        return _("always")
    return ngettext("%(times)s time in %(all)s", "%(times)s times in %(all)s", probability.numerator) % {
        "times": probability.numerator,
        "all": probability.denominator,
    }


@register.filter
def fold(factor: Fraction | float) -> str:
    """Write by how many times odds can change, upwards, in as many digits as the promise has."""
    return upwards(Fraction(factor), 1 if factor < 10 else 0)


@register.filter
def expected_limits(dial: Dial) -> tuple[str, str, str]:
    """Write what the expected interval reaches from, its middle, and what it reaches to."""
    if dial.range:
        units = Units(dial.range.low, dial.range.high, "")
        width = float(dial.range.high - dial.range.low)
        low, middle, high = (units.write(float(dial.range.low) + part * width) for part in dial.between)
        return low, middle, high
    below, middle_share, above = dial.between
    # Rounding before going outwards, as with all limits.
    return (
        str(math.floor(round(100 * below, 6))),
        decimal(100 * middle_share, 0),
        str(math.ceil(round(100 * above, 6))),
    )


def in_percent(part: float) -> str:
    """Write a part as a length of CSS and SVG has it, in every language."""
    return f"{100 * part:.1f}%"


@register.filter
def place_now(turns: Sequence[DialSetting]) -> int:
    """Return which of them it is set to, from 0."""
    return next(place for place, step in enumerate(turns) if step.is_now)


@register.simple_tag
def other_facts(question: AskedQuestion, n: int, share: Fraction) -> list[tuple[DialSetting, float]]:
    """Return facts that are easy to find, each with the margin of error that it would give."""
    return [
        (step, expected_of(replace(question, items=(step.item,)), n=n, share=share).half_width)
        for step in facts_of(question.first)
    ]


@register.filter
def odds_words(epsilon: float) -> str:
    """Say by how many times the odds can change at an ε, upwards; ε alone where that says no more than huge."""
    written = {"factor": e_to_the(epsilon), "epsilon": nats(epsilon)}
    words = _("odds change at most %(factor)s-fold (ε %(epsilon)s)") if written["factor"] else _("ε %(epsilon)s")
    return words % written


def e_to_the(epsilon: float) -> str:
    """Write e to an ε, upwards: by how many times the odds can change; "" where that says no more than huge."""
    if not epsilon <= _LARGEST_EXPONENT:
        return ""
    factor = math.exp(epsilon)
    digits = 1 if factor < 10 else 0
    # Rounding before going upwards: 3.0000000000000004 is 3.
    written = decimal(math.ceil(round(factor * 10**digits, 9)) / 10**digits, digits)
    return without_zero(written)


@register.simple_tag
def comparison_words(compared: ExpectedComparison) -> str:
    """Say the power of the test between two designs, and how many people the wanted power takes."""
    numbers = {
        "first": compared.first.number,
        "second": compared.second.number,
        "share": percent(compared.share),
        "other": percent(compared.other),
        "n": whole_number(compared.n),
        "power": chance(compared.power),
        "target": percent(compared.target),
    }
    words = (
        _(
            "Questions %(first)s and %(second)s measure the same thing. If the share is %(share)s in one and "
            "%(other)s in the other, the test with %(n)s people has a power of %(power)s (normal "
            "approximation)."
        )
        % numbers
    )
    if compared.needed is None:
        return words
    needed = _("For a power of %(target)s you need %(needed)s people.")
    return f"{words} {needed % (numbers | {'needed': whole_number(compared.needed)})}"
