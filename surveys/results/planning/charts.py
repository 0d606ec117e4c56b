"""The charts of planning: how precise, and how decisive, a number of answers is."""

from django.utils.translation import gettext as _

from surveys.charts import Axis, Curve, CurveChart, Mark, Table, axis_around, log_axis_around
from surveys.models.asked_question import Item
from surveys.numbers.words import chance, hundredths
from surveys.results.planning import words
from surveys.results.planning.figures import PowerOfTest, Precision

_TABLED = 6  # every so many points of a curve are a row of its table


def precision_chart(precision: Precision, item: Item, n: int, *, of_mean: bool) -> CurveChart:
    """Return the half-width by the number of answers, with a mark where this survey is."""
    direct = _("rounded by chance, not randomized") if of_mean else _("asked directly")

    def written(half_width: float) -> str:
        return words.plus_minus(half_width, item if of_mean else None)

    def drawn(half_width: float) -> float:
        # Wider than everything says no less than as wide as everything.
        part = min(1.0, half_width)
        return part * float(item.range.high - item.range.low) if of_mean and item.range else part

    title = _("Half-width in %(unit)s") if of_mean else _("Half-width in points")
    unit = item.range.unit if item.range else ""
    heights = [drawn(half_width) for _at, half_width, _direct in precision.curve]
    y_title = title % {"unit": unit} if unit else (_("Half-width") if of_mean else title)
    return CurveChart(
        name="precision",
        title=_("More people, more precise"),
        text=words.expectation(precision, item, of_mean=of_mean),
        table=Table(
            caption=_("Expected half-width by the number of people"),
            headings=(_("People"), _("At this design"), direct[:1].upper() + direct[1:]),
            rows=tuple(
                (words.count_words(at), written(own), written(plain)) for at, own, plain in _tabled(precision.curve)
            ),
        ),
        x_axis=_people(precision.curve),
        y_axis=axis_around([0.0, *heights], title=y_title)
        if of_mean
        else axis_around([0.0, *heights], title=y_title, write=hundredths),
        curves=(
            Curve(_("at this design"), [(at, drawn(own)) for at, own, _plain in precision.curve]),
            Curve(direct, [(at, drawn(plain)) for at, _own, plain in precision.curve], dash=1),
        ),
        marks=_marks(n, precision.n),
    )


def power_chart(test: PowerOfTest, n: int) -> CurveChart:
    """Return the power by the number of answers, with marks where this survey is and at the power wanted."""
    return CurveChart(
        name="power",
        title=_("How probably a test finds the difference"),
        text=words.power_sentence(test),
        table=Table(
            caption=_("Power by the number of people, by the normal approximation"),
            headings=(_("People"), _("One share against a number"), _("Two groups of so many each")),
            rows=tuple((words.count_words(at), chance(one), chance(two)) for at, one, two in _tabled(test.curve)),
        ),
        x_axis=_people(test.curve),
        y_axis=axis_around([0.0, 1.0], title=_("Power, of 100 surveys"), write=hundredths),
        curves=(
            Curve(_("one share against a number"), [(at, one) for at, one, _two in test.curve]),
            Curve(_("two groups of so many each"), [(at, two) for at, _one, two in test.curve], dash=1),
        ),
        marks=(*_marks(n, test.n), Mark(_("power wanted"), y=test.target)),
    )


def _people(curve: tuple[tuple[int, float, float], ...]) -> Axis:
    return log_axis_around([curve[0][0], curve[-1][0]], title=_("People"))


def _marks(n: int, planned: int) -> tuple[Mark, ...]:
    now = Mark(_("now: %(n)s people") % {"n": words.count_words(n)}, x=n)
    if planned == n:
        return (now,)
    return now, Mark(_("planned: %(n)s people") % {"n": words.count_words(planned)}, x=planned)


def _tabled(curve: tuple[tuple[int, float, float], ...]) -> list[tuple[int, float, float]]:
    return [*curve[:-1:_TABLED], curve[-1]]
