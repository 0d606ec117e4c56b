"""What an estimate would be if not everybody followed the procedure."""

from collections.abc import Sequence

from django.utils.translation import gettext as _

from surveys.charts import Axis, Curve, CurveChart, Region, Table, Tick, share_axis
from surveys.numbers.words import level_words, of_100, percent, percent_limits
from surveys.results.adherence.figures import AttentionPoint
from surveys.results.adherence.words import attention_title, attention_words


def attention_chart(points: Sequence[AttentionPoint], *, name: str, label: str, level: float) -> CurveChart:
    """Return the estimate, and its interval, over the share that follows the procedure."""
    low, high = float(points[0].attentive), float(points[-1].attentive)
    ticks = tuple(Tick(at / 100, str(at)) for at in range(round(100 * low), round(100 * high) + 1, 10))
    upper = [(float(point.attentive), point.high) for point in points]
    lower = [(float(point.attentive), point.low) for point in reversed(points)]
    return CurveChart(
        name=name,
        title=attention_title(points),
        text=attention_words(points),
        table=Table(
            _("“%(label)s”, by how many follow the procedure") % {"label": label},
            (
                _("Follow the procedure, of 100"),
                _("Estimate, raw"),
                _("Estimate, limited"),
                _("Low"),
                _("High"),
            ),
            tuple(_row(point) for point in points),
        ),
        x_axis=Axis(low, high, ticks, _("who follow the procedure, of 100")),
        y_axis=share_axis(_("estimate, of 100")),
        curves=(Curve(_("estimate"), [(float(point.attentive), point.estimate) for point in points]),),
        regions=(Region(_("%(level)s interval") % {"level": level_words(level)}, [*upper, *lower]),),
    )


def _row(point: AttentionPoint) -> tuple[str, ...]:
    followers = of_100(point.attentive)
    if point.outside:
        return followers, percent(point.moment, 1), *[_("none to trust")] * 3
    limits = percent_limits(point.low, point.high)
    return followers, percent(point.moment, 1), percent(point.estimate, 1), *limits
