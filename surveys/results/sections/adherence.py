"""Who follows the instructions: the estimate if not everybody does, and respondents who always tap the same."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.http import QueryDict
from django.utils.text import get_text_list
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from surveys.charts import Axis, Curve, CurveChart, Region, Table, Tick, share_axis
from surveys.numbers.words import (
    estimate_of_100,
    level_words,
    limits_of_100,
    of_100,
    p_value,
    p_words,
    percent,
    percent_limits,
    share_with_limits,
    whole_number,
)
from surveys.questionnaire.asked_question import Item
from surveys.questionnaire.definition import Definition
from surveys.results.figures.adherence import (
    MOST_QUESTIONS,
    AttentionPoint,
    FixedReports,
    FixedReportShare,
    answered_together,
    attention_points,
    denial,
    fixed_reports,
    tapped_items,
)
from surveys.results.figures.questions import QuestionResult
from surveys.results.report import Report
from surveys.results.sections.anchor import anchored
from surveys.results.sections.arms import mirrored_with
from surveys.results.sections.section import Section
from surveys.results.words import quoted


def section(report: Report, result: QuestionResult) -> Section | None:
    """Return an anchor's evidence of random taps; without an anchor, the estimate over the share of attentive people.

    Two arms with one design, each with another share of its fact, show it too.
    """
    question, wanted = result.question, report.options.wanted
    if not (result.enough and question.chance.reports_on_both):
        return None
    by_anchor = anchored(report, result)
    if by_anchor.below or report.once(mirrored_with, question) or not (points := attention_points(result, wanted)):
        return by_anchor
    name, label = f"q{question.number}-attention", question.first.labels[1]
    chart = attention_chart(points, name=name, label=label, level=wanted.confidence_level)
    return replace(by_anchor, context={**by_anchor.context, "chart": chart}, charts=[chart])


def of_a_pair(report: Report, a: Item, b: Item) -> Section | None:
    """Return who always taps the same, where the same people answer two questions in the head and somebody asks."""
    definition = report.definition
    together = parse_fixed(report.query, tapped_items(definition), definition, whole=report.snapshot.keeps_responses)
    if together is None:
        return None
    patterns = [(name, pattern_words(together.chosen, pattern)) for name, pattern in together.patterns]
    context: dict[str, Any] = {"a": a, "b": b, "together": together, "patterns": patterns}
    if together.is_asked:
        fixed = fixed_reports(together.chosen, together.reports, report.snapshot, report.options.confidence_level)
        context |= {
            "source": FIXED_REPORTS_SOURCE,
            "title": fixed_title(fixed),
            "lines": fixed_words(fixed),
            "n": fixed.n,
            "models": models_table(fixed) if fixed.models else None,
            "others": others_table(fixed) if fixed.others else None,
        }
    return Section(context, below="results/sections/always_the_same.html", notices=together.notices)


_LONGEST = 40  # characters that are repeated in a notice
_DENIAL = "no"
FIXED_REPORTS_SOURCE = (
    "Böckenholt & van der Heijden (2007), Psychometrika 72; Cruyff, van den Hout, van der Heijden & Böckenholt (2007), "
    "Sociological Methods & Research 36."
)


@dataclass(frozen=True, slots=True)
class FixedReportQuery:
    """The questions looked at together, and the reports that some may tap to all of them whatever is true."""

    items: Sequence[Item]
    chosen: tuple[Item, ...]
    reports: tuple[int, ...]
    always: str
    patterns: tuple[tuple[str, tuple[int, ...]], ...]  # what can be chosen, by its name in the address
    is_asked: bool  # whether anybody has chosen anything: it takes long
    notices: tuple[str, ...]

    @property
    def keys(self) -> frozenset[str]:
        """The questions as the boxes name them."""
        return frozenset(item.key for item in self.chosen)


def parse_fixed(
    query: QueryDict, items: Sequence[Item], definition: Definition, *, whole: bool
) -> FixedReportQuery | None:
    """Read `tapped`, once a question, and `always`; None where no two questions are answered by the same people.

    Where only pairs of questions are kept of the responses, two are taken.
    """
    if not items:
        return None
    most = MOST_QUESTIONS if whole else 2
    notices: list[str] = []
    wanted = query.getlist("tapped")
    named = tuple(item for item in items if item.key in wanted)
    notices += [
        _("This survey has no question “%(key)s” that people answer in their heads.") % {"key": key[:_LONGEST]}
        for key in dict.fromkeys(wanted)
        if key not in {item.key for item in named}
    ]
    chosen = answered_together(named, definition, most)
    if named and len(chosen) < len(named):
        notices.append(
            _("At most %(most)s questions answered by the same people can be analysed together.") % {"most": most}
        )
    if len(chosen) < 2:
        if named:
            notices.append(
                _("Choose at least two questions that the same people answer. Other questions are shown instead.")
            )
        chosen = _usual(items, definition, most)
    patterns = _patterns(chosen)
    always = query.get("always", _DENIAL)
    if always not in dict(patterns):
        notices.append(
            _("Unknown answer “%(given)s”. Choose an answer that some people may always tap.")
            % {"given": always[:_LONGEST]}
        )
        always = _DENIAL
    return FixedReportQuery(
        items=items,
        chosen=chosen,
        reports=dict(patterns)[always],
        always=always,
        patterns=patterns,
        is_asked=not query.keys().isdisjoint({"tapped", "always"}),
        notices=tuple(notices),
    )


def _usual(items: Sequence[Item], definition: Definition, most: int) -> tuple[Item, ...]:
    """Return the first of the items that are answered together with others."""
    starts = (answered_together(items[place:], definition, most) for place in range(len(items)))
    return next(pattern for pattern in starts if len(pattern) > 1)


def _patterns(items: Sequence[Item]) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """Return what one may always tap: what denies each, or the same report to all; each pattern once."""
    names = {tuple(denial(item) for item in items): _DENIAL}
    for code in (0, 1):
        names.setdefault((code,) * len(items), str(code))
    return tuple((name, pattern) for pattern, name in names.items())


# Neither.


def attention_title(points: Sequence[AttentionPoint]) -> str:
    """Say how far the estimate moves if a quarter does not follow the instructions."""
    everybody, some = _at(points, 1.0), _at(points, 0.75)
    if everybody.outside or some.outside:
        return _("If not everyone followed the instructions")
    values = {"some": _value(some), "all": _value(everybody)}
    return _("If 75 of 100 followed the instructions, the estimate is %(some)s of 100, not %(all)s") % values


def attention_words(points: Sequence[AttentionPoint]) -> str:
    """Say what the estimate would be at a few shares."""
    return _(
        "The estimate out of 100 if everyone followed the instructions: %(all)s. If 90 of 100 did and the "
        "others tapped at random: %(most)s. If 75 of 100 did: %(some)s. One question alone cannot show how "
        "many people followed the instructions."
    ) % {"all": _value(_at(points, 1.0)), "most": _value(_at(points, 0.9)), "some": _value(_at(points, 0.75))}


def _at(points: Sequence[AttentionPoint], attentive: float) -> AttentionPoint:
    return min(points, key=lambda point: abs(float(point.attentive) - attentive))


def _value(point: AttentionPoint) -> str:
    return _("none possible") if point.outside else estimate_of_100(point.estimate, point.low, point.high)


# Several questions.


def fixed_title(fixed: FixedReports) -> str:
    """Say how many always tap the same, or why that is not known."""
    if not fixed.enough:
        return _("Too few answers")
    model = fixed.headline
    if model is None:
        return _("These questions cannot show how many people always tap the same answer")
    if not model.low > 0:
        return _("No sign that anyone always taps the same answer")
    return _("Between %(low)s and %(high)s of 100 people always tap the same answer") % limits_of_100(
        model.low, model.high
    )


def fixed_words(fixed: FixedReports) -> list[str]:
    """Say what each model finds, with its interval and its test."""
    if not fixed.enough:
        words = ngettext(
            "%(n)s person answered all of these questions: too few to show results.",
            "%(n)s people answered all of these questions: too few to show results.",
            fixed.n,
        )
        return [words % {"n": whole_number(fixed.n)}]
    values = {"reports": pattern_words(fixed.items, fixed.reports)}
    if not fixed.models:
        return [
            _(
                "Some people may always tap %(reports)s, or the true answers to these questions may be "
                "related. The reports cannot show which."
            )
            % values
        ]
    return [_model_words(model) % {**values, **_model_numbers(model)} for model in fixed.models]


def _model_words(model: FixedReportShare) -> str:
    words = (
        _(
            "If the true answers to these questions are independent, %(share)s always tap %(reports)s (null "
            "hypothesis that nobody does: %(p)s)."
        )
        if model.order == 1
        else _(
            "If the true answers are related only in pairs, %(share)s always tap %(reports)s (null hypothesis "
            "that nobody does: %(p)s)."
        )
    )
    untested = _("This assumption cannot be tested with the reports.")
    misfit = _("But this assumption does not fit the reports (%(fit)s).")
    if model.fit is None:
        return f"{words} {untested}"
    return words if model.fits else f"{words} {misfit}"


def _model_numbers(model: FixedReportShare) -> dict[str, str]:
    return {
        "share": share_with_limits(model.share, model.low, model.high),
        "p": p_words(model.p_value),
        "fit": "" if model.fit is None else p_words(model.fit),
    }


def models_table(fixed: FixedReports) -> Table:
    """Return the share that always taps the same by each model."""
    return Table(
        _("Always tapping the same answer"),
        (
            _("Assumption about the true answers"),
            pgettext("of people", "Share"),
            _("Low"),
            _("High"),
            _("p-value (null hypothesis: share is 0)"),
            _("p-value (goodness of fit)"),
        ),
        tuple(
            (
                _("independent of each other") if model.order == 1 else _("related only in pairs"),
                percent(model.share, 1),
                *percent_limits(model.low, model.high),
                p_value(model.p_value),
                p_value(model.fit),
            )
            for model in fixed.models
        ),
    )


def others_table(fixed: FixedReports) -> Table:
    """Return the shares of Yes among those who do not always tap the same."""
    return Table(
        _("“%(label)s” among people who do not always tap the same answer") % {"label": fixed.items[0].labels[1]},
        (_("Question"), _("Uncorrected estimate"), _("Among these people"), _("Low"), _("High")),
        tuple(
            (
                _("Question %(number)s") % {"number": share.item.key},
                percent(share.uncorrected, 1),
                percent(share.estimate, 1),
                *percent_limits(share.low, share.high),
            )
            for share in fixed.others
        ),
    )


def pattern_words(items: Sequence[Item], pattern: Sequence[int]) -> str:
    """Name what one may always tap, as the reports are called."""
    reports = [item.report_labels[code] for item, code in zip(items, pattern, strict=True)]
    return str(get_text_list([quoted(report) for report in dict.fromkeys(reports)], _("or")))


def attention_chart(points: Sequence[AttentionPoint], *, name: str, label: str, level: float) -> CurveChart:
    """Return the estimate, and its interval, over the share that follows the instructions."""
    low, high = float(points[0].attentive), float(points[-1].attentive)
    ticks = tuple(Tick(at / 100, str(at)) for at in range(round(100 * low), round(100 * high) + 1, 10))
    upper = [(float(point.attentive), point.high) for point in points]
    lower = [(float(point.attentive), point.low) for point in reversed(points)]
    return CurveChart(
        name=name,
        title=attention_title(points),
        text=attention_words(points),
        table=Table(
            _("“%(label)s”, by share of people who followed the instructions") % {"label": label},
            (
                _("People who followed the instructions, of 100"),
                _("Raw estimate"),
                _("Constrained estimate"),
                _("Low"),
                _("High"),
            ),
            tuple(_row(point) for point in points),
        ),
        x_axis=Axis(low, high, ticks, _("people who followed the instructions, of 100")),
        y_axis=share_axis(_("estimate, of 100")),
        curves=(Curve(_("estimate"), [(float(point.attentive), point.estimate) for point in points]),),
        regions=(Region(_("%(level)s interval") % {"level": level_words(level)}, [*upper, *lower]),),
    )


def _row(point: AttentionPoint) -> tuple[str, ...]:
    followers = of_100(point.attentive)
    if point.outside:
        return followers, percent(point.moment, 1), *[_("not reliable")] * 3
    limits = percent_limits(point.low, point.high)
    return followers, percent(point.moment, 1), percent(point.estimate, 1), *limits
