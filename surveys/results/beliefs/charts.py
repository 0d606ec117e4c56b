"""The charts of the Bayes tab: a posterior, what a report says, and the best that a guess can be."""

import math
from fractions import Fraction

from django.utils.translation import gettext as _

from surveys.charts import Axis, Curve, CurveChart, Mark, Region, Table, Tick, axis_around
from surveys.numbers.words import at_most_of_100, decimal, nats, shortest_decimal, tenths_of_100
from surveys.results.beliefs import words
from surveys.results.beliefs.figures import Belief, Guesser, OneReport, region_of
from surveys.results.words.shares import answer_name

_ROWS = 20
_MARGIN = 4  # so many points beside either end of a curve do not decide how high the drawing is
_MOST_CURVES = 4  # as many as there are dashes
_SHOWN = (0, 1, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99, 100)  # of 100


def posterior_chart(belief: Belief) -> CurveChart:
    """Return the density of the posterior beside that of the prior."""
    low, high = belief.window
    points = belief.curve()
    # At an end either density may be infinite: the drawing is as high as the posterior between them.
    top = 1.1 * max(after for _share, _before, after in points[_MARGIN:-_MARGIN])
    title = _("Mean") if belief.of_mean else _("Of 100 people")
    rows = belief.densities([low + (high - low) * step / _ROWS for step in range(_ROWS + 1)])
    return CurveChart(
        name="posterior",
        title=_("Before and after the reports: “%(label)s”") % {"label": answer_name(belief.item, belief.option)}
        if not belief.of_mean
        else _("Before and after the reports: the mean"),
        text=words.belief_words(belief),
        table=Table(
            caption=_("Probability density before and after the reports"),
            headings=(title, _("Before (prior)"), _("After (posterior)")),
            rows=tuple(
                (words.value_of(belief, share, 0 if (low, high) == (0, 1) else 2), _density(before), _density(after))
                for share, before, after in rows
            ),
        ),
        x_axis=_value_axis(belief, title),
        y_axis=Axis(0, top, (), _("Density")),
        curves=(
            Curve(
                _("after the reports"),
                _line(belief, [(share, after) for share, _before, after in points], top),
                filled=True,
            ),
            Curve(_("before"), _line(belief, [(share, before) for share, before, _after in points], top), dash=1),
        ),
        marks=(
            Mark(_("lower limit"), x=_at(belief, belief.interval.low)),
            Mark(_("upper limit"), x=_at(belief, belief.interval.high)),
        ),
    )


def report_chart(said: OneReport, text: str, estimated: Fraction | None) -> CurveChart:
    """Return what each report makes of a prior, within what ε allows."""
    every = said.curves()
    reports = range(len(every)) if len(every) <= _MOST_CURVES else _telling(said)
    labels = said.item.report_labels
    finite = said.design.epsilon != math.inf
    band = said.band() if finite else []
    region = (
        Region(
            _("what ε = %(epsilon)s allows") % {"epsilon": nats(said.design.epsilon)},
            [(100 * share, 100 * most) for share, _least, most in band]
            + [(100 * share, 100 * least) for share, least, _most in reversed(band)],
        )
        if finite
        else None
    )
    return CurveChart(
        name="report",
        title=_("What one report says of whoever sent it"),
        text=text,
        table=_report_table(said),
        x_axis=_hundred(_("Before: of 100 people it is true of")),
        y_axis=_hundred(_("After: of 100 who sent it")),
        curves=tuple(
            Curve(_("“%(report)s” reported") % {"report": labels[report]}, _hundredfold(every[report]), dash=dash)
            for dash, report in enumerate(reports)
        ),
        regions=(region,) if region else (),
        marks=() if estimated is None else (Mark(_("estimated"), x=100 * float(estimated)),),
    )


def guess_chart(guess: Guesser, reports: int, text: str) -> CurveChart:
    """Return which errors tests of this report, and of all reports of a person, can have."""
    several = reports > 1
    regions = [_region(_("ε = %(epsilon)s, this report"), guess.item.design.epsilon, guess.right_at_most)]
    if several:
        regions.insert(0, _region(_("ε = %(epsilon)s, all reports"), guess.total_epsilon, guess.right_at_most_in_all))
    told = {"option": answer_name(guess.item, guess.option), "other": guess.item.labels[guess.other]}
    vertices = guess.region.vertices
    return CurveChart(
        name="guess",
        title=_("Errors of whoever guesses between “%(option)s” and “%(other)s”") % told,
        text=text,
        table=Table(
            caption=_("The best tests of this report; all others lie on the lines between them, or do worse"),
            headings=(
                _("False positives, of 100 “%(other)s”") % told,
                _("False negatives, of 100 “%(option)s”") % told,
                _("Right, of 100"),
            ),
            rows=tuple(
                (tenths_of_100(fpr), tenths_of_100(fnr), at_most_of_100(1 - (fpr + fnr) / 2)) for fpr, fnr in vertices
            ),
        ),
        x_axis=_hundred(_("False positives, of 100")),
        y_axis=_hundred(_("False negatives, of 100")),
        curves=(
            Curve(_("tests of this report"), [(100 * float(fpr), 100 * float(fnr)) for fpr, fnr in vertices]),
            Curve(_("guessing blindly"), [(0.0, 100.0), (100.0, 0.0)], dash=2),
        ),
        regions=tuple(regions),
    )


def _region(label: str, epsilon: float, right: float) -> Region:
    return Region(label % {"epsilon": nats(epsilon)}, [(100 * x, 100 * y) for x, y in region_of(right)])


def _report_table(said: OneReport) -> Table:
    labels = said.item.report_labels
    rows = []
    for share in _SHOWN:
        after = said.posterior(Fraction(share, 100))
        rows.append((str(share), *(tenths_of_100(found) for found in after)))
    return Table(
        caption=_("Of 100 who sent a report, so many have the answer “%(label)s”")
        % {"label": answer_name(said.item, said.option)},
        headings=(_("Of 100 people before"), *(_("“%(report)s” reported") % {"report": label} for label in labels)),
        rows=tuple(rows),
    )


def _telling(said: OneReport) -> list[int]:
    """Return the reports that say most for the answer and most against it: so many curves can be told apart."""
    after = said.posterior(Fraction(1, 2))
    ordered = sorted(range(len(after)), key=lambda report: after[report] or 0, reverse=True)
    return [ordered[0], ordered[1], ordered[-1]]


def _hundredfold(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    return [(100 * x, 100 * y) for x, y in points]


def _hundred(title: str) -> Axis:
    return Axis(0, 100, tuple(Tick(at, str(at)) for at in (0, 25, 50, 75, 100)), title)


def _value_axis(belief: Belief, title: str) -> Axis:
    low, high = belief.window
    if (low, high) != (0.0, 1.0):
        return axis_around([_at(belief, low), _at(belief, high)], title=title, write=decimal)
    if not belief.of_mean:
        return _hundred(title)
    ends = [_at(belief, share) for share in (0.0, 0.5, 1.0)]
    return Axis(ends[0], ends[-1], tuple(Tick(end, shortest_decimal(end)) for end in ends), title)


def _at(belief: Belief, share: float) -> float:
    """Return a share in units of the axis: so many of 100, or the numbers' own."""
    limits = belief.item.range
    if limits is None or not belief.of_mean:
        return 100 * share
    return float(limits.low) + share * float(limits.high - limits.low)


def _line(belief: Belief, points: list[tuple[float, float]], top: float) -> list[tuple[float, float]]:
    """Return a density as far as it fits below the top; where none of it does, a line along the top."""
    inside = [(share, density) for share, density in points if density <= top]
    if len(inside) < 2:
        inside = [(points[0][0], top), (points[-1][0], top)]
    return [(_at(belief, share), density) for share, density in inside]


def _density(value: float) -> str:
    return "∞" if value == math.inf else decimal(value, 2)
