"""The charts of the editor: how precise one question will be, and the designs that suit it at its ε, also in words."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from django import template
from django.utils.text import get_text_list
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from surveys.charts import IntervalChart, IntervalRow, Table, axis_around, share_axis
from surveys.common.words import range_part
from surveys.editor.figures import AtEqualEpsilon, DesignComparison, Dial, compare_designs
from surveys.editor.words import in_percent
from surveys.numbers.words import decimal, nats, percent, points, readable, whole_number, with_unit, without_zero
from surveys.questionnaire import designs
from surveys.questionnaire.asked_question import AskedQuestion

register = template.Library()


_QUARTERS = (0.25, 0.5, 0.75)


@register.inclusion_tag("editor/_lane.html")
def precision_lane(dial: Dial) -> dict[str, Any]:
    """Draw the interval to expect on an axis of all that is possible, in percent: it gets narrower, not smaller."""
    low, middle, high = dial.between
    return {
        "low": in_percent(low),
        "width": in_percent(high - low),
        "middle": in_percent(middle),
        "marks": [in_percent(part) for part in _QUARTERS],
        "ends": (readable(dial.range.low), readable(dial.range.high)) if dial.range else ("0", "100"),
    }


@dataclass(frozen=True, slots=True)
class DesignChart:
    chart: IntervalChart
    precise: str
    impossible: str
    worth: str


@register.simple_tag
def designs_compared(question: AskedQuestion, n: int, share: Fraction, place: str) -> DesignChart | None:
    """Compare the designs that suit a question; None where its ε is infinite."""
    comparison = compare_designs(question, n=n, share=share)
    if comparison is None:
        return None
    chart = _chart(question, comparison, n, share, place)
    return DesignChart(chart, _precise(comparison), _impossible(comparison), _worth(comparison))


def _chart(question: AskedQuestion, comparison: DesignComparison, n: int, share: Fraction, place: str) -> IntervalChart:
    limits = question.first.range
    middle = float((limits.low + limits.high) / 2) if limits else float(share)
    unit = float(limits.high - limits.low) if limits else 1.0
    rows = [_row(question, row, middle, unit) for row in (*comparison.possible, comparison.direct)]
    assumed = with_unit(readable((limits.low + limits.high) / 2), limits.unit) if limits else percent(float(share))
    title = ngettext(
        "Expected precision: %(n)s person, ε = %(epsilon)s, true value %(truth)s",
        "Expected precision: %(n)s people, ε = %(epsilon)s, true value %(truth)s",
        n,
    ) % {"n": whole_number(n), "epsilon": nats(question.losses[0].epsilon), "truth": assumed}
    return IntervalChart(
        name=f"designs-{place}",
        title=title,
        text=" ".join(row.says for row in rows),
        table=Table(
            title,
            (_("Design"), _("Interval (95%)")),
            tuple((row.label, row.value) for row in rows),
        ),
        axis=axis_around([float(limits.low), float(limits.high)]) if limits else share_axis(),
        rows=rows,
        interval_label=_("expected interval (95%)"),
    )


def _row(question: AskedQuestion, row: AtEqualEpsilon, middle: float, unit: float) -> IntervalRow:
    limits = question.first.range
    size = (
        range_part(limits, row.half_width)
        if limits
        else _("%(points)s percentage points") % {"points": points(row.half_width)}
    )
    label, reach = _name(row, rounded=limits is not None), row.half_width * unit
    return IntervalRow(
        label=label,
        says=_("%(design)s: ±%(size)s.") % {"design": label, "size": size},
        value=f"±{size if limits else points(row.half_width)}",
        point=middle,
        low=middle - reach,
        high=middle + reach,
        detail=_("chosen") if row.is_chosen else "",
    )


def _name(row: AtEqualEpsilon, *, rounded: bool = False) -> str:
    if row.name == "own":
        return _("Current setting")
    if row.name == "direct":
        # A number that is given as it is would be still more precise, as far as numbers are alike.
        return (
            _("Only rounded to one end of the range, no protection") if rounded else _("Asked directly, no protection")
        )
    return str(designs.label_of(row.name))


def _listed(rows: tuple[AtEqualEpsilon, ...]) -> str:
    return str(get_text_list([_("“%(label)s”") % {"label": _name(row)} for row in rows], _("and")))


def _precise(comparison: DesignComparison) -> str:
    if len(comparison.possible) == 1:
        return _("Only this design suits this question.")
    if comparison.all_alike:
        return _("All designs are equally precise at this ε, so choose the one people will understand and trust.")
    if len(comparison.most_precise) > 1:
        return _("Tied for most precise at this ε: %(designs)s.") % {"designs": _listed(comparison.most_precise)}
    return _("Most precise at this ε: %(designs)s.") % {"designs": _listed(comparison.most_precise)}


def _impossible(comparison: DesignComparison) -> str:
    if not comparison.impossible:
        return ""
    return _("Not possible at this ε: %(designs)s. The reason is that one of the reports always proves an answer.") % {
        "designs": _listed(comparison.impossible)
    }


def _worth(comparison: DesignComparison) -> str:
    return _(
        "Protection has a cost. At best, %(answers)s randomized answers are worth one truthful direct answer. "
        "But without protection, fewer answers may be truthful."
    ) % {"answers": without_zero(decimal(comparison.worth, 1 if comparison.worth < 10 else 0))}
