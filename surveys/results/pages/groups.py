"""The tab that compares groups: one answer in each group that is large enough, and the differences of all pairs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django import template
from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from surveys.charts import IntervalChart, IntervalRow, Table, axis_around, most_telling, share_axis
from surveys.numbers.words import (
    decimal,
    hundredths,
    level_words,
    limits_cell,
    p_value,
    p_words,
    says_too_little,
    whole_number,
)
from surveys.questionnaire.asked_question import Item
from surveys.questionnaire.definition import Definition
from surveys.results.charts import (
    MeasureScale,
    estimate_cells,
    estimate_headings,
    estimate_row,
    interval_label,
    units_axis,
)
from surveys.results.figures.groups import (
    ADJUSTMENTS,
    GroupMeasure,
    GroupPart,
    GroupResults,
    PairDifference,
    group_results,
)
from surveys.results.figures.not_followed import Supposed, of_groups
from surveys.results.figures.questions import OptionResult
from surveys.results.forms import OptionChoice, chosen_item, chosen_option, option_choices
from surveys.results.report import Report, coverage_words, method_label
from surveys.results.sections import not_followed
from surveys.results.words import interval_words, mean_words, never_asked_together, units_of

register = template.Library()

# What is asked for, from the query string.


_ADJUSTMENT_LABELS = {
    "holm": gettext_lazy("Holm"),
    "bonferroni": gettext_lazy("Bonferroni"),
    "none": gettext_lazy("Not adjusted"),
}


@dataclass(frozen=True, slots=True)
class GroupsQuery:
    """The item, one of its answers, and how p-values are adjusted."""

    items: Sequence[Item]
    item: Item
    by: Item | None  # what is not protected, whose answers are compared; None: the groups
    by_choices: Sequence[Item]
    options: tuple[OptionChoice, ...]
    chosen: OptionChoice
    adjustment: str
    notices: tuple[str, ...]

    @property
    def adjustments(self) -> list[tuple[str, str]]:
        return [(name, adjustment_label(name)) for name in ADJUSTMENTS]


def adjustment_label(adjustment: str) -> str:
    return str(_ADJUSTMENT_LABELS[adjustment])


def parse_groups(
    query: QueryDict, items: Sequence[Item], definition: Definition, *, any_groups: bool = True
) -> GroupsQuery:
    """Read `item`, `option`, `by` and `adjustment`.

    What is unknown becomes the default, with a notice that names it.
    """
    notices: list[str] = []
    item = chosen_item(query, "item", items, items[0], notices)
    plain = sorted(
        (each for each in items if not each.protects), key=lambda each: not definition.asks_together(item, each)
    )
    # Without groups the answers to the first one are compared.
    by = None if any_groups or not plain else plain[0]
    if plain and query.get("by", "group" if any_groups else plain[0].key) != "group":
        by = chosen_item(query, "by", plain, plain[0], notices)
    options = option_choices(item)
    chosen = chosen_option(query, item, options, notices)
    adjustment = query.get("adjustment", "holm")
    if adjustment not in ADJUSTMENTS:
        values = {"adjustment": adjustment[:40]}
        notices.append(_("Adjustment “%(adjustment)s” not found. Holm’s is used instead.") % values)
        adjustment = "holm"
    return GroupsQuery(items, item, by, plain, options, chosen, adjustment, tuple(notices))


# The page.


def build(report: Report) -> dict[str, Any]:
    """Show one answer in each group that is large enough, and the differences of all pairs."""
    names, separable = report.group_names, report.separable_groups
    if names or report.stored.unprotected:
        report.require_final()
    chosen = parse_groups(report.query, report.items_with_shares, report.definition, any_groups=bool(names))
    together = [chosen.item, chosen.by] if chosen.by else [chosen.item]
    compared = GroupMeasure(chosen.item, chosen.chosen.code, report.options.wanted, chosen.adjustment)
    results = group_results(compared, report.snapshot, separable, names, without=_("Without a group"), by=chosen.by)
    drawn = {}
    # One part alone is compared with nothing: the overview has all that may be said.
    if len(results.parts) > 1:
        drawn["groups"] = group_chart(results)
        if results.pairs:
            drawn["differences"] = difference_chart(results)
    supposed = supposed_charts(results)
    # Of the means of those who say their number nothing is known of how often the intervals hold.
    binomial = not compared.of_a_mean or chosen.item.design.k == 2
    claimed = [part.n for part in results.parts if part.claimed and binomial]
    level = compared.wanted.confidence_level
    return {
        "chosen": chosen,
        "results": results,
        # The smallest group's interval holds least often.
        "coverage": coverage_words(compared.item, min(claimed), compared.wanted.method, level) if claimed else "",
        "has_groups": bool(names),
        "any_groups": bool(names) or chosen.by is not None,
        "drawn": drawn,
        "supposed": not_followed.fold_context(supposed),
        "charts": [*drawn.values(), *supposed],
        "notices": [*chosen.notices, *never_asked_together(report.definition, *together)],
    }


# Words.


def part_words(part: GroupPart) -> str:
    """Say what is known of one part."""
    if part.odd:
        return _("No reliable estimate, because respondents probably did not follow the instructions")
    if isinstance(part.figure, OptionResult):
        return interval_words(part.figure)
    return mean_words(part.figure, units_of(part.figure))


def n_words(n: int) -> str:
    """Write a number of responses: n = 1,234."""
    return _("n = %(n)s") % {"n": whole_number(n)}


@register.simple_tag
def headline(results: GroupResults) -> str:
    """Say first what can be said: of two groups both and their difference, of more whether they differ at all."""
    if results.same is None:
        return _("No two groups have a reliable estimate, so nothing can be compared.")
    if len(results.pairs) != 1:
        return same_words(results)
    first, second = results.trusted
    values = {"first": first.name, "first_says": part_words(first).rstrip(".")}
    values |= {"second": second.name, "second_says": part_words(second).rstrip(".")}
    both = _("%(first)s: %(first_says)s. %(second)s: %(second_says)s.") % values
    return f"{both} {pair_words(results.pairs[0], results)}"


@register.simple_tag
def groups_title(results: GroupResults) -> str:
    """Say in a few words what the comparison found."""
    if results.same is None:
        return _("Nothing to compare")
    differ = bool(conclusions(results)) if len(results.pairs) == 1 else not results.alike
    return _("The groups differ") if differ else _("The groups might not differ")


@register.simple_tag
def same_words(results: GroupResults) -> str:
    """Say whether the groups can all be alike."""
    if results.same is None:
        return ""
    if not results.alike:
        return _("At least two groups differ. Their reports vary more than would be expected by chance.")
    return _("The groups might not differ. Their reports vary no more than would be expected by chance. No conclusion.")


@register.simple_tag
def same_numbers(results: GroupResults) -> str:
    """Give the likelihood-ratio test's numbers."""
    same = results.same
    if same is None:
        return ""
    return ngettext(
        "Likelihood-ratio test that every answer has the same share in all %(parts)s groups: statistic "
        "%(statistic)s, %(freedom)s degree of freedom, %(p)s.",
        "Likelihood-ratio test that every answer has the same share in all %(parts)s groups: statistic "
        "%(statistic)s, %(freedom)s degrees of freedom, %(p)s.",
        same.degrees_of_freedom,
    ) % {
        "parts": len(same.estimates),
        "statistic": decimal(same.statistic, 2),
        "freedom": same.degrees_of_freedom,
        "p": p_words(same.p_value),
    }


def is_conclusive(pair: PairDifference, results: GroupResults) -> bool:
    """Return whether a difference is reported: no figure of the page may leave open that there is none.

    Its interval leaves 0 out, and so does its test when all pairs are counted in; both groups have intervals; and the
    likelihood-ratio test, which knows that shares are 0 to 100%, says that the groups are not all alike.
    """
    return pair.excludes_zero and pair.of_claimed and _by_its_test(pair, results) and not results.alike


def _by_its_test(pair: PairDifference, results: GroupResults) -> bool:
    if pair.adjusted_p_value is None:
        # Reports that do not vary have no test; where pairs are many the interval alone is not enough.
        return len(results.pairs) == 1 or results.of.adjustment == "none"
    return pair.adjusted_p_value <= 1 - results.confidence_level


@register.filter
def conclusions(results: GroupResults) -> list[PairDifference]:
    """Return the pairs of which it can be said which has more."""
    return [pair for pair in results.pairs if is_conclusive(pair, results)]


@register.simple_tag
def others_words(results: GroupResults) -> str:
    """Say of how many pairs nothing can be concluded."""
    others = len(results.pairs) - len(conclusions(results))
    return ngettext(
        "For %(others)s pair of groups, there is no conclusion.",
        "For %(others)s pairs of groups, there is no conclusion.",
        others,
    ) % {"others": others}


@register.simple_tag
def pair_words(pair: PairDifference, results: GroupResults) -> str:
    """Say what is known of the difference of two groups."""
    if is_conclusive(pair, results):
        return _concluded_words(pair, results)
    values = {"first": pair.first, "second": pair.second, **MeasureScale.of(results.of).limits(pair.low, pair.high)}
    if not pair.claimed:
        values["why"] = _("no interval, because no possible difference fits the reports")
        return _("%(first)s and %(second)s: %(why)s.") % values
    if pair.excludes_zero:
        return _doubtful_words(pair, results, values)
    words = _("%(first)s and %(second)s: no conclusion. The difference could be anything from %(low)s to %(high)s.")
    return words % values


def _doubtful_words(pair: PairDifference, results: GroupResults, values: Mapping[str, str]) -> str:
    """Say why an interval that leaves 0 out is no conclusion."""
    if not pair.of_claimed:
        words = _(
            "%(first)s and %(second)s: no conclusion. At least one of these groups has no interval, so "
            "no difference is reported."
        )
        return words % values
    if _by_its_test(pair, results):
        p = p_words(results.same.p_value if results.same else 1.0)
        words = _(
            "%(first)s and %(second)s: no conclusion. On its own, the interval (%(low)s to %(high)s) excludes "
            "0, but the test of all groups together gives %(p)s."
        )
        return words % {**values, "p": p}
    if pair.adjusted_p_value is None:
        words = _(
            "%(first)s and %(second)s: no conclusion. On its own, the interval (%(low)s to %(high)s) excludes "
            "0. But there is no p-value, so the comparison cannot be adjusted for the number of pairs."
        )
        return words % values
    words = _(
        "%(first)s and %(second)s: no conclusion. On its own, the interval (%(low)s to %(high)s) excludes 0, "
        "but the test of this difference gives %(p)s."
    )
    return words % {**values, "p": p_words(pair.adjusted_p_value)}


def _concluded_words(pair: PairDifference, results: GroupResults) -> str:
    first_has_more = pair.low > 0
    limits = (pair.low, pair.high) if first_has_more else (-pair.high, -pair.low)
    names = (pair.first, pair.second) if first_has_more else (pair.second, pair.first)
    values = {"more": names[0], "less": names[1], **MeasureScale.of(results.of).limits(*limits)}
    if results.of.option is None:
        return _("The mean is higher in %(more)s than in %(less)s, by %(low)s to %(high)s.") % values
    values["answer"] = results.of.item.labels[results.of.option]
    return _("“%(answer)s” is more common in %(more)s than in %(less)s, by %(low)s to %(high)s.") % values


def pair_detail(pair: PairDifference, results: GroupResults) -> str:
    """Say what is known of a difference below the names of its groups."""
    if pair.outside:
        return _("no interval, because no possible difference fits the reports")
    values = MeasureScale.of(results.of).limits(pair.low, pair.high)
    if not is_conclusive(pair, results):
        return _("%(low)s to %(high)s: no conclusion") % values
    values["more"] = pair.first if pair.low > 0 else pair.second
    return _("%(low)s to %(high)s: higher in %(more)s") % values


@register.simple_tag
def groups_method(results: GroupResults) -> str:
    """Say how the figures were found."""
    # The mean of those who say their number has no binomial interval, whatever was wanted.
    method = results.parts[0].figure.method if results.of.of_a_mean else results.of.wanted.method
    values = {"method": method_label(method), "level": level_words(results.confidence_level)}
    intervals = _("Group intervals: %(method)s, %(level)s, individual (not simultaneous).") % values
    if not results.pairs:
        return intervals
    differences = _(
        "Intervals for differences: %(level)s, individual (not simultaneous), by MOVER (Newcombe 1998; Zou "
        "and Donner 2008). MOVER uses the groups’ limits by %(method)s before truncation to the possible "
        "range."
    ) % {**values, "method": method_label(results.of.wanted.at_one_look)}
    adjusted = {
        "holm": _("p-values: Wald test of no difference, adjusted for the number of pairs (Holm)."),
        "bonferroni": _("p-values: Wald test of no difference, adjusted for the number of pairs (Bonferroni)."),
        "none": _(
            "p-values: Wald test of no difference, not adjusted. With many pairs, some p-values can be small "
            "even if no groups differ."
        ),
    }[results.of.adjustment]
    condition = _(
        "A difference is reported only if the test of all groups together shows that at least two groups differ."
    )
    return f"{intervals} {differences} {adjusted} {condition}"


@register.filter
def hidden_words(hidden: int) -> str:
    """Say how many groups are not shown, and nothing more about them."""
    return ngettext(
        "%(hidden)s group is not shown. Either too few people in this group answered, or subtracting its "
        "figures would reveal figures for too few people.",
        "%(hidden)s groups are not shown. Either too few people in these groups answered, or subtracting their "
        "figures would reveal figures for too few people.",
        hidden,
    ) % {"hidden": hidden}


# Charts.


# Of 31 groups there are 465 pairs: so many rows nobody looks through. The table has them all.
MOST_ROWS = 45


def group_chart(results: GroupResults) -> IntervalChart:
    """Return the groups' estimates below each other."""
    of, scale = results.of, MeasureScale.of(results.of)
    title = _("Mean by group") if of.option is None else _("“%(answer)s” by group") % {"answer": _answer(results)}
    axis = units_axis(scale.units) if scale.units else share_axis(unit=_("of 100"))
    rows = [_part_row(part, results, scale) for part in results.parts]
    return IntervalChart(
        name="groups",
        title=title,
        text=headline(results),
        table=Table(
            caption=title,
            headings=(
                _("Group"),
                _("n"),
                *([_("Reported (randomized)")] if results.of.item.protects else []),
                *estimate_headings(),
            ),
            rows=tuple(_part_cells(part, results, scale) for part in results.parts),
        ),
        axis=axis,
        rows=rows,
        interval_label=interval_label(results.confidence_level, rows),
        raw_label=_("mean of the reports (randomized)") if scale.units else "",
    )


def difference_chart(results: GroupResults) -> IntervalChart:
    """Return the differences of all pairs; of very many those with the smallest p-values."""
    scale = MeasureScale.of(results.of)
    drawn = most_telling(results.pairs, MOST_ROWS, lambda pair: -1.0 if pair.p_value is None else -pair.p_value)
    text, note = same_words(results), ""
    if len(drawn) < len(results.pairs):
        text = note = _("The %(drawn)s of %(pairs)s pairs with the smallest p-values. The table lists all pairs.") % {
            "drawn": MOST_ROWS,
            "pairs": len(results.pairs),
        }
    title = _("Differences between groups")
    limits = [0.0, *(limit for pair in drawn for limit in (pair.low, pair.high))]
    rows = [_pair_row(pair, results, scale) for pair in drawn]
    return IntervalChart(
        name="differences",
        title=title,
        text=text,
        note=note,
        table=Table(
            caption=title,
            headings=(
                _("First group minus second"),
                _("Raw difference"),
                _("Constrained difference"),
                _("Low"),
                _("High"),
                _("Standard error"),
                _("p, unadjusted"),
                _("p, adjusted"),
            ),
            rows=tuple(_pair_cells(pair, scale) for pair in results.pairs),
        ),
        axis=axis_around(
            limits,
            title=scale.units.unit if scale.units else _("percentage points"),
            write=decimal if scale.units else hundredths,
        ),
        rows=rows,
        reference=0.0,
        interval_label=interval_label(results.confidence_level, rows),
    )


def supposed_charts(results: GroupResults) -> list[IntervalChart]:
    """Return how each difference that is reported moves, or the only one, if not everyone followed the instructions."""
    concluded = [place for place, pair in enumerate(results.pairs) if is_conclusive(pair, results)]
    return [
        not_followed.difference_chart(
            pair.names,
            pair.rows,
            name=f"followed-{place}",
            level=results.confidence_level,
            write=_write_points,
            concluded=bool(concluded),
        )
        for place, pair in enumerate(of_groups(results, concluded), start=1)
    ]


def _write_points(of: Supposed) -> tuple[str, str, str]:
    limits = MeasureScale(None).limits(of.low, of.high)
    return decimal(100 * of.estimate, 0), limits["low"], limits["high"]


def _answer(results: GroupResults) -> str:
    return results.of.item.labels[results.of.option or 0]


def _part_row(part: GroupPart, results: GroupResults, scale: MeasureScale) -> IntervalRow:
    figure, shown = part.figure, part.claimed
    words = part_words(part)
    says = _("%(name)s: %(why)s") % {"name": part.name, "why": words}
    return estimate_row(
        part.name,
        says,
        figure.estimate,
        (figure.low, figure.high),
        scale.units,
        claimed=shown,
        raw=_raw(part, results),
        detail=n_words(part.n) if shown else f"{words} · {n_words(part.n)}",
    )


def _raw(part: GroupPart, results: GroupResults) -> float | None:
    """Return the share or mean of the reports, where reports are answers."""
    return part.figure.observed if results.of.of_a_mean or results.of.item.reports_are_answers else None


def _part_cells(part: GroupPart, results: GroupResults, scale: MeasureScale) -> tuple[str, ...]:
    return (
        part.name,
        whole_number(part.n),
        *([scale.value(_raw(part, results))] if results.of.item.protects else []),
        *estimate_cells(part.figure, scale.units, trusted=not part.odd),
    )


def _pair_row(pair: PairDifference, results: GroupResults, scale: MeasureScale) -> IntervalRow:
    words = pair_words(pair, results)
    value, point = _signed(pair, scale), pair.estimate if pair.claimed else None
    possible = scale.units.length if scale.units else 1.0
    if pair.claimed and says_too_little(pair.low, pair.high, possible):
        value, point = limits_cell(**scale.limits(pair.low, pair.high)), None
    return IntervalRow(
        label=_pair_name(pair),
        says=words,
        value=value,
        point=point,
        low=pair.low if pair.claimed else None,
        high=pair.high if pair.claimed else None,
        detail=pair_detail(pair, results),
        claimed=pair.claimed,
    )


def _pair_cells(pair: PairDifference, scale: MeasureScale) -> tuple[str, ...]:
    none = _("not reliable")
    shown = (none, none, none)
    if pair.claimed:
        shown = (scale.difference(pair.estimate), *scale.difference_limits(pair.low, pair.high))
    return (
        _pair_name(pair),
        scale.difference(pair.moment),
        *shown,
        scale.difference(pair.standard_error),
        p_value(pair.p_value),
        p_value(pair.adjusted_p_value),
    )


def _pair_name(pair: PairDifference) -> str:
    return _("%(first)s − %(second)s") % {"first": pair.first, "second": pair.second}


def _signed(pair: PairDifference, scale: MeasureScale) -> str:
    if not pair.claimed:
        return "–"
    return scale.difference(pair.estimate) if scale.units else decimal(100 * pair.estimate, 0)
