"""The chart of a budget: its total and what is spent of it, line by line of its ledger."""

from collections.abc import Sequence
from fractions import Fraction

from django.utils.formats import date_format
from django.utils.translation import gettext as _

from surveys.charts import Axis, Curve, CurveChart, Table, Tick, axis_around
from surveys.numbers.words import exact_number
from surveys.releases.ledger.selectors import Ledger

_MOST_TICKS = 8
_MARGIN = 0.5


def budget_chart(ledger: Ledger) -> CurveChart:
    """Return the chart of a ledger that has at least one line."""
    numbers = [line.number for line in ledger.lines]
    totals, spent = [line.total_epsilon for line in ledger.lines], [line.spent_epsilon for line in ledger.lines]
    return CurveChart(
        name="budget",
        title=_("The budget’s ε, by ledger line"),
        text=_("After line %(number)s, the total is ε = %(total)s, of which ε = %(spent)s is spent.")
        % {"number": numbers[-1], "total": exact_number(totals[-1]), "spent": exact_number(spent[-1])},
        table=Table(
            caption=_("The budget after each ledger line"),
            headings=(_("Line"), _("Date"), _("Total ε"), _("Spent ε")),
            rows=tuple(
                (
                    str(line.number),
                    date_format(line.created_at.date(), "SHORT_DATE_FORMAT"),
                    exact_number(line.total_epsilon),
                    exact_number(line.spent_epsilon),
                )
                for line in ledger.lines
            ),
        ),
        x_axis=_line_axis(numbers[-1]),
        y_axis=axis_around([0.0, *map(float, totals)], title="ε"),
        curves=(
            Curve(_("total"), _steps(numbers, totals), dash=1),
            Curve(_("spent"), _steps(numbers, spent), filled=True),
        ),
    )


def _steps(numbers: Sequence[int], amounts: Sequence[Fraction]) -> list[tuple[float, float]]:
    """Return a line that jumps where a line of the ledger is and stays until the next."""
    points, before = [(numbers[0] - _MARGIN, 0.0)], 0.0
    for number, amount in zip(numbers, amounts, strict=True):
        points += [(float(number), before), (float(number), before := float(amount))]
    return [*points, (numbers[-1] + _MARGIN, before)]


def _line_axis(last: int) -> Axis:
    stride = -(-last // _MOST_TICKS)
    ticks = tuple(Tick(float(number), str(number)) for number in range(1, last + 1, stride))
    return Axis(1 - _MARGIN, last + _MARGIN, ticks, _("Ledger line"))
