"""What the comparison of groups says: whether an answer is more frequent somewhere, and by how much."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from django import template
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from surveys.numbers.words import (
    NARROW,
    Units,
    decimal,
    decimal_outwards,
    level_words,
    p_words,
    percent,
    percent_limits,
    whole_number,
)
from surveys.results.figures.intervals import method_label
from surveys.results.groups.figures import GroupMeasure, GroupPart, GroupResults, PairDifference
from surveys.results.words.means import mean_words
from surveys.results.words.shares import interval_words

register = template.Library()


@dataclass(frozen=True, slots=True)
class MeasureScale:
    """How what is compared is written: shares in hundredths, differences of shares in points, means in their units."""

    units: Units | None

    @classmethod
    def of(cls, compared: GroupMeasure) -> "MeasureScale":
        """Return how the figures of a comparison are written."""
        limits = compared.item.range if compared.of_a_mean else None
        return cls(Units(limits.low, limits.high, limits.unit) if limits else None)

    def value(self, value: float | None) -> str:
        """31.0% for 0.31, or 4.31 hours."""
        return self.units.write(value) if self.units else percent(value, 1)

    def difference(self, value: float | None) -> str:
        """−12.3 points for −0.123, or −1.50 hours; a dash for a number there is not."""
        if self.units or value is None:
            return self.units.write(value) if self.units else "–"
        return _("%(number)s points") % {"number": decimal(100 * value, 1)}

    def value_limits(self, low: float, high: float) -> tuple[str, str]:
        """Write both limits of a part for a table, rounded outwards."""
        return self.units.write_limits(low, high) if self.units else percent_limits(low, high)

    def difference_limits(self, low: float, high: float) -> tuple[str, str]:
        """Write both limits of a difference for a table, rounded outwards."""
        if self.units:
            return self.units.write_limits(low, high)
        digits = 2 if _near_0(low, high) else 1
        limits = decimal_outwards(100 * low, digits, math.floor), decimal_outwards(100 * high, digits, math.ceil)
        return _("%(number)s points") % {"number": limits[0]}, _("%(number)s points") % {"number": limits[1]}

    def limits(self, low: float, high: float) -> dict[str, str]:
        """Return limits of a difference, rounded outwards, the upper one with its unit."""
        if self.units:
            return self.units.limits(low, high)
        digits = 2 if _near_0(low, high) else int(high - low < NARROW)
        return {
            "low": decimal_outwards(100 * low, digits, math.floor),
            "high": _("%(number)s points") % {"number": decimal_outwards(100 * high, digits, math.ceil)},
        }


def _near_0(low: float, high: float) -> bool:
    """Whether an interval of shares leaves 0 out by a hair, which must not be written as 0."""
    return min(abs(low), abs(high)) < NARROW / 5 and low * high > 0


def part_value(part: GroupPart, scale: MeasureScale) -> str:
    """Write a part's estimate, or a dash where there is none to trust."""
    if not part.claimed:
        return "–"
    return scale.value(part.mean.estimate) if part.mean else percent(part.share.estimate if part.share else None)


def part_words(part: GroupPart, scale: MeasureScale) -> str:
    """Say what is known of one part."""
    if part.odd:
        return _("Respondents probably did not follow the procedure: no estimate to trust")
    if part.mean and scale.units:
        return mean_words(part.mean, scale.units)
    return interval_words(part.share) if part.share else ""


def n_words(n: int) -> str:
    """Write a number of responses: n = 1,234."""
    return _("n = %(n)s") % {"n": whole_number(n)}


@register.simple_tag
def headline(results: GroupResults) -> str:
    """Say first what can be said: of two groups both and their difference, of more whether they differ at all."""
    if results.same is None:
        return _("There are no two groups with an estimate to trust: nothing can be compared.")
    if len(results.pairs) != 1:
        return same_words(results)
    (first, second), scale = results.trusted, MeasureScale.of(results.of)
    told = {"first": first.name, "first_says": part_words(first, scale).rstrip(".")}
    told |= {"second": second.name, "second_says": part_words(second, scale).rstrip(".")}
    both = _("%(first)s: %(first_says)s. %(second)s: %(second_says)s.") % told
    return f"{both} {pair_words(results.pairs[0], results)}"


@register.simple_tag
def groups_title(results: GroupResults) -> str:
    """Say in a few words what the comparison found."""
    if results.same is None:
        return _("Nothing to compare")
    differ = bool(conclusions(results)) if len(results.pairs) == 1 else not results.alike
    return _("The groups differ") if differ else _("The groups could all be alike")


@register.simple_tag
def same_words(results: GroupResults) -> str:
    """Say whether the groups can all be alike."""
    if results.same is None:
        return ""
    if not results.alike:
        return _("The groups are not all alike: their reports differ by more than chance explains.")
    return _("The groups could all be alike: their reports differ by no more than chance explains. No conclusion.")


@register.simple_tag
def same_numbers(results: GroupResults) -> str:
    """Give the likelihood-ratio test's numbers."""
    same = results.same
    if same is None:
        return ""
    return ngettext(
        "Likelihood-ratio test of equal shares of all answers in the %(parts)s groups: "
        "statistic %(statistic)s, %(freedom)s degree of freedom, %(p)s.",
        "Likelihood-ratio test of equal shares of all answers in the %(parts)s groups: "
        "statistic %(statistic)s, %(freedom)s degrees of freedom, %(p)s.",
        same.degrees_of_freedom,
    ) % {
        "parts": same.parts,
        "statistic": decimal(same.statistic, 2),
        "freedom": same.degrees_of_freedom,
        "p": p_words(same.p_value),
    }


def is_conclusive(pair: PairDifference, results: GroupResults) -> bool:
    """Whether a difference is told: nothing that the page says of these groups leaves open that there is none.

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
        "%(others)s pair of groups: no conclusion.", "%(others)s pairs of groups: no conclusion.", others
    ) % {"others": others}


@register.simple_tag
def pair_words(pair: PairDifference, results: GroupResults) -> str:
    """Say what is known of the difference of two groups."""
    if is_conclusive(pair, results):
        return _concluded_words(pair, results)
    told = {"first": pair.first, "second": pair.second, **MeasureScale.of(results.of).limits(pair.low, pair.high)}
    if not pair.claimed:
        told["why"] = _("no interval, for no possible difference fits the reports")
        return _("%(first)s and %(second)s: %(why)s.") % told
    if pair.excludes_zero:
        return _doubtful_words(pair, results, told)
    words = _("%(first)s and %(second)s: the difference could be anything from %(low)s to %(high)s: no conclusion.")
    return words % told


def _doubtful_words(pair: PairDifference, results: GroupResults, told: Mapping[str, str]) -> str:
    """Say why an interval that leaves 0 out is no conclusion."""
    if not pair.of_claimed:
        words = _("%(first)s and %(second)s: not both have an interval, so no difference is told: no conclusion.")
        return words % told
    if _by_its_test(pair, results):
        p = p_words(results.same.p_value if results.same else 1.0)
        words = _(
            "%(first)s and %(second)s: by itself the interval, from %(low)s to %(high)s, leaves 0 out, "
            "but the test of all groups at once gives %(p)s: no conclusion."
        )
        return words % {**told, "p": p}
    if pair.adjusted_p_value is None:
        words = _(
            "%(first)s and %(second)s: by itself the interval, from %(low)s to %(high)s, leaves 0 out, but there is "
            "no p-value to adjust for the number of pairs: no conclusion."
        )
        return words % told
    words = _(
        "%(first)s and %(second)s: by itself the interval, from %(low)s to %(high)s, leaves 0 out, "
        "but the test gives %(p)s: no conclusion."
    )
    return words % {**told, "p": p_words(pair.adjusted_p_value)}


def _concluded_words(pair: PairDifference, results: GroupResults) -> str:
    first_has_more = pair.low > 0
    limits = (pair.low, pair.high) if first_has_more else (-pair.high, -pair.low)
    names = (pair.first, pair.second) if first_has_more else (pair.second, pair.first)
    told = {"more": names[0], "less": names[1], **MeasureScale.of(results.of).limits(*limits)}
    if results.of.option is None:
        return _("The mean is larger in %(more)s than in %(less)s, by %(low)s to %(high)s.") % told
    told["answer"] = results.of.item.labels[results.of.option]
    return _("“%(answer)s” is more frequent in %(more)s than in %(less)s, by %(low)s to %(high)s.") % told


def pair_detail(pair: PairDifference, results: GroupResults) -> str:
    """Say what is known of a difference below the names of its groups."""
    if pair.outside:
        return _("no interval: no possible difference fits the reports")
    told = MeasureScale.of(results.of).limits(pair.low, pair.high)
    if not is_conclusive(pair, results):
        return _("from %(low)s to %(high)s: no conclusion") % told
    told["more"] = pair.first if pair.low > 0 else pair.second
    return _("from %(low)s to %(high)s: more in %(more)s") % told


@register.simple_tag
def groups_method(results: GroupResults) -> str:
    """Say how the figures were found."""
    # The mean of those who say their number has no binomial interval, whatever was wanted.
    mean = results.parts[0].mean
    method = mean.method if mean else results.of.wanted.method
    told = {"method": method_label(method), "level": level_words(results.confidence_level)}
    intervals = _("Intervals of the groups: %(method)s, %(level)s, each by itself.") % told
    if not results.pairs:
        return intervals
    differences = (
        _(
            "Of the differences: the groups’ limits by %(method)s, %(level)s, before they are cut to what is "
            "possible, combined by MOVER (Newcombe 1998; Zou and Donner 2008), each by itself."
        )
        % told
    )
    adjusted = {
        "holm": _("p-values: Wald’s test of no difference, adjusted for the number of pairs by Holm’s method."),
        "bonferroni": _("p-values: Wald’s test of no difference, adjusted for the number of pairs by Bonferroni’s."),
        "none": _("p-values: Wald’s test of no difference, not adjusted: of many pairs some differ by chance alone."),
    }[results.of.adjustment]
    told_where = _("A difference is told only where the test of all groups at once says that they are not all alike.")
    return f"{intervals} {differences} {adjusted} {told_where}"


@register.filter
def hidden_words(hidden: int) -> str:
    """Say how many groups are not shown, and nothing more about them."""
    return ngettext(
        "%(hidden)s group is not shown: too few answered in it, or figures of so few could be found by subtraction.",
        "%(hidden)s groups are not shown: too few answered in them, or figures of so few could be found by "
        "subtraction.",
        hidden,
    ) % {"hidden": hidden}
