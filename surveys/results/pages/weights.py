"""Estimates weighted to what is known of the population."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from django import template
from django.http import QueryDict
from django.utils.text import get_text_list
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from surveys.numbers.words import (
    decimal,
    hundredths,
    percent,
    share_with_limits,
    whole_number,
    without_zeros,
)
from surveys.questionnaire.arms import Arm
from surveys.questionnaire.asked_question import Item
from surveys.results.figures.adherence import anchors_of
from surveys.results.figures.weighted_contrasts import (
    WeightedAnchored,
    WeightedList,
    weighted_anchored,
    weighted_differences,
    weighted_groups,
    weighted_lists,
)
from surveys.results.figures.weights import (
    ROLES,
    GroupCategories,
    KnownShares,
    WeightedResults,
    WeightingPlan,
    WeightsInUse,
    weighted_results,
)
from surveys.results.forms import number_of
from surveys.results.report import Report
from surveys.results.sections.anchor import AnchorQuery, parse_anchor
from surveys.results.sections.weights import (
    ComparedAnswer,
    compared_answers,
    groups_chart,
    value_words,
    weights_charts,
    with_words,
)
from surveys.results.words import difference_words

register = template.Library()

# What is asked for, from the query string.


MOST_QUESTIONS = 8
"""Fields of more questions with eight answers each, and of all groups, would be more than a request may have."""

LARGEST = ("", "2", "3", "5")
_OFF = 0.5  # points of 100: eight shares rounded to a tenth are off by less
_LONGEST = 20
_ROLE_LABELS = {
    "none": gettext_lazy("not used"),
    "clusters": gettext_lazy("clusters (each sampled as a whole)"),
    "strata": gettext_lazy("strata (each sampled separately)"),
}


@dataclass(frozen=True, slots=True)
class ShareField:
    """One category, and which part of the population it is, as it was typed."""

    name: str
    label: str
    typed: str
    here: float  # its part of those who answered


@dataclass(frozen=True, slots=True)
class MarginFields:
    """The fields of one question, or of the groups."""

    item: Item | None  # None: the groups
    fields: tuple[ShareField, ...]
    error: str
    known: KnownShares | None  # None where nothing was typed, or what is no distribution


@dataclass(frozen=True, slots=True)
class WeightsQuery:
    """All that was typed and chosen."""

    margins: tuple[MarginFields, ...]
    more: bool  # whether questions are not offered, as there are too many
    role: str
    largest: str
    notices: tuple[str, ...]
    comparable: tuple[Item, ...] = ()  # what groups can be compared by
    compared: str = ""  # the key of one of these

    @property
    def known(self) -> tuple[KnownShares, ...]:
        return tuple(fields.known for fields in self.margins if fields.known)

    @property
    def refused(self) -> bool:
        """Whether something that was typed is no distribution, so that nothing can be computed."""
        return any(fields.error for fields in self.margins)

    @property
    def kept(self) -> list[tuple[str, str]]:
        """All that was typed and chosen of the weights, as a form of another page keeps it."""
        typed = [(field.name, field.typed) for fields in self.margins for field in fields.fields if field.typed]
        return [*typed, ("role", self.role), ("largest", self.largest)]

    @property
    def asks(self) -> bool:
        """Whether anything is asked for that makes other figures than those of the other pages."""
        return not self.refused and (bool(self.known) or self.role != "none")

    @property
    def roles(self) -> list[tuple[str, str]]:
        return [(role, str(_ROLE_LABELS[role])) for role in ROLES]

    @property
    def bounds(self) -> list[tuple[str, str]]:
        """How weights can be cut."""
        labels = [_("%(times)s times the mean") % {"times": bound} if bound else _("no limit") for bound in LARGEST]
        return list(zip(LARGEST, labels, strict=True))


def parse_weights(report: Report, groups: GroupCategories) -> WeightsQuery:
    """Read a share for each answer to each unprotected question, and for each group; `role` and `largest`."""
    query, has_groups = report.query, bool(report.group_names)
    plain = [item for item in report.items if not item.protects]
    margins = [_of_item(report, item) for item in plain[:MOST_QUESTIONS]]
    if has_groups and len(groups.keys) > 1:
        margins.append(_of_groups(report, groups))
    notices = [fields.error for fields in margins if fields.error]
    role, largest = query.get("role", ROLES[0]), query.get("largest", LARGEST[0])
    if role not in ROLES or (role != ROLES[0] and not has_groups):
        notices.append(_("Groups can’t be used as “%(given)s” and are ignored.") % {"given": role[:_LONGEST]})
        role = ROLES[0]
    if role == "clusters" and any(fields.known and not fields.item for fields in margins):
        notices.append(
            _(
                "Groups with known population shares make up the whole population, so they are not a "
                "sample of clusters. They are used as strata."
            )
        )
        role = "strata"
    if largest not in LARGEST:
        notices.append(
            _("Largest weight “%(given)s” not found. Weights are not limited.") % {"given": largest[:_LONGEST]}
        )
        largest = LARGEST[0]
    comparable = tuple(item for item in report.items if has_groups and item.protects and not item.range)
    compared = query.get("compare", "")
    if compared and compared not in {item.key for item in comparable}:
        notices.append(
            _("Groups can’t be compared by question “%(key)s”. Choose another question.") % {"key": compared[:_LONGEST]}
        )
        compared = ""
    return WeightsQuery(
        tuple(margins), len(plain) > MOST_QUESTIONS, role, largest, tuple(notices), comparable, compared
    )


def _of_item(report: Report, item: Item) -> MarginFields:
    reports = report.snapshot.on(item.number)
    sizes = [int(reports.counts[reports.patterns[:, 0] == code].sum()) for code in range(item.design.k)]
    title = _("Question %(number)s") % {"number": item.question_number}
    categories = [(f"q{item.key}-{code}", label, sizes[code]) for code, label in enumerate(item.labels)]
    return _read(report.query, item, title, categories)


def _of_groups(report: Report, groups: GroupCategories) -> MarginFields:
    snapshot = report.snapshot
    sizes = [snapshot.n_by_group.get(key, 0) for key in groups.keys]
    # Nobody has the key of the other groups, who are those that are left.
    sizes = [size or snapshot.n - sum(sizes) for size in sizes]
    categories = [
        (f"group-{key}", label, size) for key, label, size in zip(groups.keys, groups.labels, sizes, strict=True)
    ]
    return _read(report.query, None, _("Groups"), categories)


def _read(query: QueryDict, item: Item | None, title: str, categories: Sequence[tuple[str, str, int]]) -> MarginFields:
    n = max(1, sum(size for _name, _label, size in categories))
    fields = tuple(
        ShareField(name, label, query.get(name, "").strip()[:_LONGEST], size / n) for name, label, size in categories
    )
    if not any(field.typed for field in fields):
        return MarginFields(item, fields, "", None)
    shares, error = _shares(title, fields)
    known = None if error else KnownShares(item, title, tuple(field.label for field in fields), shares)
    return MarginFields(item, fields, error, known)


def _shares(title: str, fields: Sequence[ShareField]) -> tuple[tuple[float | None, ...], str]:
    """Return the shares, and what is wrong with them; of what nobody answered there may be none."""
    shares: list[float | None] = []
    for field in fields:
        share = number_of(field.typed) if field.typed else None
        values = {"title": title, "label": field.label, "given": field.typed}
        if field.typed and (share is None or not 0 < share <= 100):
            return (), _("%(title)s, “%(label)s”: enter a number above 0 and up to 100, not “%(given)s”.") % values
        if share is None and field.here:
            return (), _("%(title)s: the share of “%(label)s” is missing. Enter all shares or none.") % values
        shares.append(share)
    total = math.fsum(share for share in shares if share)
    if not abs(total - 100) <= _OFF:
        values = {"title": title, "sum": without_zeros(decimal(total, 2))}
        return (), _("%(title)s: the shares add up to %(sum)s. They must add up to 100.") % values
    return tuple(share and share / total for share in shares), ""


# The page.


def asked_weights(report: Report) -> tuple[WeightsQuery, WeightingPlan]:
    """Return what the query string asks for, and what is computed by it where it can be."""
    names, wanted = report.group_names, report.options.wanted
    separable = report.separable_groups
    groups = GroupCategories.of(report.snapshot, separable, names, without=_("No group"), others=_("Other groups"))
    query = parse_weights(report, groups)
    largest = float(query.largest) if query.largest else None
    wanted = replace(wanted, method="agresti_coull", simultaneous=False)
    return query, WeightingPlan(query.known, query.role, largest, groups, wanted)


def asked_anchor(report: Report) -> AnchorQuery:
    """Return which anchor the query string asks for, among those that any question may have."""
    anchors = (anchors_of(question, report.definition) for question in report.definition.questions)
    return parse_anchor(report.query, list(dict.fromkeys(itertools.chain(*anchors))))


def build(report: Report) -> dict[str, Any]:
    """Show questions without weights and with those that meet the shares asked for."""
    if report.can_be_weighted:
        report.require_final()
    query, plan = asked_weights(report)
    anchors = asked_anchor(report)
    context: dict[str, Any] = {
        "query": query,
        "anchors": anchors,
        "has_groups": bool(report.group_names),
        "can_be_weighted": report.can_be_weighted,
        "suppressed": [
            item.question_number for item in report.definition.items if not report.snapshot.shows(item.number)
        ],
        "notices": [*query.notices, *anchors.notices],
    }
    if not query.asks:
        return context
    results = weighted_results(report.definition, report.snapshot, plan)
    differences = weighted_differences(report.definition, report.snapshot, results)
    lists = weighted_lists(report.stored, report.snapshot, plan)
    corrected: Sequence[WeightedAnchored] = ()
    if anchors.anchor:
        corrected = weighted_anchored(results, report.snapshot, report.definition, anchors.anchor, anchors.known)
    charts = weights_charts(results, report.survey.language)
    asked = next((each for each in results.questions if each.question.first.key == query.compared), None)
    if asked and (pairs := weighted_groups(asked, report.snapshot, plan)):
        charts.append(groups_chart(asked, pairs, results))
    return context | {
        "regression": bool(report.items_with_shares),
        "results": results,
        "charts": charts,
        "differences": differences,
        "lists": lists,
        "corrected": corrected,
        "contrasts": [difference_words(difference, tested=False) for difference in differences]
        + [list_words(both) for both in lists if both.share.claimed]
        + [corrected_words(each, anchors.key) for each in corrected if each.share.claimed],
    }


# Words.


_SMALLEST_SHIFT = 0.005  # of shares, or as a part of a number's range: less is written as 0
_FEW = 0.2  # people who are at most this part of all are named where they carry half of the weight or more


def farthest_moved(results: WeightedResults) -> ComparedAnswer | None:
    """Return the answer whose share the weights move farthest; a mean only where no share is compared."""
    claimed = [compared for compared in compared_answers(results) if compared.claimed]
    shares = [compared for compared in claimed if not compared.units]
    return max(shares or claimed, key=lambda compared: abs(compared.shift), default=None)


@register.simple_tag
def weights_title(results: WeightedResults) -> str:
    most = farthest_moved(results)
    if most is None:
        return _("No estimates to compare")
    if not results.plan.known:
        return _("The estimates stay the same, but their intervals change")
    if abs(most.shift) < _SMALLEST_SHIFT:
        return _("Weighting changes almost nothing")
    weighted, unweighted = most.answer.weighted, most.answer.unweighted
    if weighted.low <= unweighted.high and unweighted.low <= weighted.high:
        return _("The intervals with and without weights overlap")
    if most.units:
        moved = abs(most.shift) * most.units.length
        return _("Weighting changes a mean by %(size)s") % {"size": most.units.write(moved)}
    return _("Weighting changes estimates by up to %(points)s percentage points") % {
        "points": hundredths(abs(most.shift), 2)
    }


@register.simple_tag
def farthest_words(results: WeightedResults) -> str:
    """Say of the answer that moved farthest what its share is, with and without weights."""
    most = farthest_moved(results)
    if most is None:
        return ""
    values = {"name": most.name, "weighting": with_words(results)}
    values |= {"with": value_words(most.answer.weighted, most.units)}
    values |= {"without": value_words(most.answer.unweighted, most.units)}
    return _("%(name)s: %(with)s %(weighting)s, %(without)s unadjusted.") % values


@register.simple_tag
def weights_words(weights: WeightsInUse, plan: WeightingPlan, arms: Sequence[Arm], minimum_n: int) -> str:
    """Say how much these weights tell apart, or why there are none."""
    names = [arm.name for arm in arms if arm.number in weights.arms]
    sentences = [_("Respondents in %(arms)s:") % {"arms": get_text_list(names, _("and"))}] if names else []
    if weights.problem:
        values = {"minimum": minimum_n, "title": weights.culprit[0], "label": weights.culprit[1]}
        return " ".join([*sentences, _problem(weights.problem) % values])
    if plan.known:
        sentences.append(
            _(
                "%(n)s people are weighted, which gives an effective sample size of %(effective)s. The largest "
                "weight is %(largest)s times the mean weight."
            )
            % {
                "n": whole_number(weights.n),
                "effective": whole_number(int(weights.effective_n)),
                "largest": decimal(weights.largest, 2),
            }
        )
        few, carried = weights.heaviest
        if few <= _FEW * weights.n:
            values = {"few": whole_number(few), "share": percent(carried)}
            words = ngettext(
                "%(few)s person carries %(share)s of the total weight.",
                "%(few)s people carry %(share)s of the total weight.",
                few,
            )
            sentences.append(words % values)
        sentences.append(_trimmed(weights, plan.largest))
    if plan.role == "clusters":
        sentences.append(
            _(
                "The groups are treated as %(clusters)s clusters, so intervals are based on how much the "
                "clusters differ."
            )
            % {"clusters": weights.clusters}
        )
    if weights.left_out:
        sentences.append(
            ngettext(
                "%(left_out)s person who skipped a weighting question is not included in these figures.",
                "%(left_out)s people who skipped a weighting question are not included in these figures.",
                weights.left_out,
            )
            % {"left_out": whole_number(weights.left_out)}
        )
    return " ".join(filter(None, sentences))


def _trimmed(weights: WeightsInUse, largest: float | None) -> str:
    if largest is None:
        return _("No weight was trimmed.")
    values = {"trimmed": whole_number(weights.trimmed), "bound": decimal(largest, 0)}
    if not weights.trimmed:
        return _("No weight is above %(bound)s times the mean weight, so none was trimmed.") % values
    return (
        ngettext(
            "%(trimmed)s person’s weight was trimmed to %(bound)s times the mean weight, so the weighted "
            "shares no longer match the population exactly.",
            "%(trimmed)s people’s weights were trimmed to %(bound)s times the mean weight, so the weighted "
            "shares no longer match the population exactly.",
            weights.trimmed,
        )
        % values
    )


def _problem(problem: str) -> str:
    return {
        "too_few": _(
            "Fewer than %(minimum)s people have a value for every weighting variable, so there are no weights."
        ),
        "small": _(
            "At least one combination of weighting variables has fewer than %(minimum)s people, and weights "
            "could identify these people. Weight by fewer variables."
        ),
        "nobody": _(
            "%(title)s: no respondent is in “%(label)s”, so nobody can represent this part of the population. "
            "Leave that field empty and add the share to a similar category."
        ),
        "contradiction": _(
            "No weights meet all these shares at once (raking does not converge), because nobody gave some of "
            "the necessary combinations of answers. Weight by fewer variables."
        ),
        "one_cluster": _(
            "No two groups can be shown separately, so it is not possible to see how much groups differ. "
            "Do not use the groups as clusters."
        ),
    }[problem]


@register.simple_tag
def known_words(results: WeightedResults) -> str:
    """Name the shares that are met, which paper has no form to show."""
    return " ".join(
        _("%(title)s: %(shares)s.")
        % {
            "title": known.title,
            "shares": ", ".join(
                _("%(label)s (%(share)s)") % {"label": label, "share": percent(share, 1)}
                for label, share in zip(known.labels, known.shares, strict=True)
                if share is not None
            ),
        }
        for known in results.plan.known
    )


@register.simple_tag
def too_few_words(results: WeightedResults) -> str:
    """Name the questions that too few of those weighted answered."""
    numbers = [
        str(question.question.number)
        for question in results.questions
        if question.items and not all(item.answers for item in question.items)
    ]
    if not numbers:
        return ""
    return ngettext(
        "Too few of these people answered question %(numbers)s.",
        "Too few of these people answered questions %(numbers)s.",
        len(numbers),
    ) % {"numbers": get_text_list(numbers, _("and"))}


def list_words(both: WeightedList) -> str:
    """Say the share for whom the sensitive statement of two lists holds."""
    share = both.share
    return _("“%(statement)s”, from both lists: %(share)s.") % {
        "statement": both.pair.sensitive,
        "share": share_with_limits(share.estimate or 0.0, share.low, share.high),
    }


def corrected_words(anchored: WeightedAnchored, anchor: str) -> str:
    """Say a share corrected by an anchor."""
    share = anchored.share
    return _("Question %(number)s, corrected using question %(anchor)s: %(share)s.") % {
        "number": anchored.item.key,
        "anchor": anchor,
        "share": share_with_limits(share.estimate or 0.0, share.low, share.high),
    }
