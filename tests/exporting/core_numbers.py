"""What the core says of a survey's reports, under the names that the exported programs give it."""

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from surveys.common.selectors import definition_of
from surveys.estimation.adherence.anchor import estimate_anchored
from surveys.estimation.association.difference import Difference, difference_of
from surveys.estimation.association.groups import compare_groups
from surveys.estimation.association.independence import drop_empty, test_independence
from surveys.estimation.association.joint import estimate_joint
from surveys.estimation.association.within import MeanWithin, mean_within
from surveys.estimation.claims import FigureOptions
from surveys.estimation.intervals.binomial import METHODS
from surveys.estimation.intervals.interval import each_level
from surveys.estimation.intervals.mapped import MAPPED_METHODS
from surveys.estimation.list_experiment.welch import WelchEstimate
from surveys.estimation.numbers import MeanEstimate, estimate_mean
from surveys.estimation.prevalence import PrevalenceEstimate, estimate_prevalence
from surveys.estimation.scales import estimate_scale
from surveys.estimation.stated_mean import StatedMeanEstimate, estimate_stated_mean
from surveys.exporting.selectors import column_name
from surveys.models import Survey
from surveys.questionnaire.asked_question import AskedQuestion, Item
from surveys.questionnaire.definition import Definition
from surveys.responses.selectors.snapshot import Reports, Snapshot, snapshot_of
from surveys.responses.told import recode
from surveys.results.figures.adherence import anchored_finding, anchors_of
from surveys.results.figures.arms import ArmComparison, arm_sizes, compare_arms
from surveys.results.figures.lists import ListComparison, compare_lists
from surveys.results.figures.questions import shares_together
from surveys.results.figures.relate import report_table

_OF_A_RATIO = ("likelihood_ratio", "wald", "confidence_sequence")


def expected_numbers(survey: Survey, shown: set[str]) -> dict[str, float]:
    """Everything, for the groups that are large enough to be told apart."""
    stored = definition_of(survey)
    definition, snapshot = recode(stored, snapshot_of(survey, stored))
    values: dict[str, Any] = {"n": snapshot.n}
    slugs = {0: "(none)", **dict(survey.groups.order_by("slug").values_list("pk", "slug"))}
    for item in definition.items:
        values |= dict(_of_item(item, definition.questions[item.question_number - 1], snapshot, slugs, shown))
    for first, second in combinations(definition.items, 2):
        if first.kind == "one_of" and first.option and first.question_number == second.question_number:
            continue
        values |= dict(_of_two(first, second, snapshot))
    values |= dict(_of_arms(stored, definition, snapshot))
    return {name: float(value) for name, value in values.items() if not math.isnan(value)}


def _counted(item: Item, reports: Reports, where: npt.NDArray[np.bool_]) -> list[int]:
    codes = reports.patterns[:, 0]
    return [int(reports.counts[where & (codes == code)].sum()) for code in range(item.design.m)]


def _described(name: str, estimate: PrevalenceEstimate, together: int = 1) -> Iterator[tuple[str, Any]]:
    yield f"{name}.n", estimate.n
    yield f"{name}.misfit", estimate.misfit.p_value
    for code in range(estimate.design.k):
        yield f"{name}.count.{code}", estimate.counts[code]
        yield f"{name}.observed.{code}", estimate.observed[code]
        yield f"{name}.moment.{code}", estimate.point[code]
        yield f"{name}.standard_error.{code}", estimate.standard_error[code]
        yield f"{name}.constrained.{code}", estimate.constrained[code]
    for method in MAPPED_METHODS:
        interval = estimate.interval(each_level(0.95, together), method)
        for code in range(estimate.design.k):
            yield f"{name}.{method}.low.{code}", interval.low[code]
            yield f"{name}.{method}.high.{code}", interval.high[code]


def _of_item(
    item: Item, question: AskedQuestion, snapshot: Snapshot, slugs: dict[int, str], separable: set[str]
) -> Iterator[tuple[str, Any]]:
    name, reports = column_name(item), snapshot.on(item.number)
    counts = _counted(item, reports, reports.counts > 0)
    if sum(counts) < snapshot.minimum_n:
        return
    not_asked = 0
    if question.arms:
        dealt = snapshot.on(question.arm_column)
        here = np.isin(dealt.patterns[:, 0], [number - 1 for number in question.arms])
        not_asked = int(dealt.counts[~here].sum())
    if question.asked_if:
        deciding = snapshot.on(question.asked_if.item)
        led_here = np.isin(deciding.patterns[:, 0], question.asked_if.codes)
        not_asked = int(deciding.counts[~led_here].sum())
    yield f"{name}.missing", reports.n - sum(counts) - not_asked
    yield from _described(name, estimate_prevalence(counts, item.design), shares_together(question))
    yield from _of_means(name, item, counts)
    groups = {slug: _counted(item, reports, reports.groups == key) for key, slug in slugs.items() if slug in separable}
    shown = {slug: counts for slug, counts in groups.items() if sum(counts) >= snapshot.minimum_n}
    for slug, group_counts in shown.items():
        yield from _described(f"{name}.group.{slug}", estimate_prevalence(group_counts, item.design))
    if len(shown) > 1:
        yield from _of_pairs(name, item, shown)
    trusted = [each for each in shown.values() if not estimate_prevalence(each, item.design).misfit.suspicious]
    if len(trusted) > 1:
        test = compare_groups(trusted, item.design)
        yield f"{name}.groups.likelihood_ratio", test.statistic
        yield f"{name}.groups.degrees_of_freedom", test.degrees_of_freedom
        yield f"{name}.groups.p_value", test.p_value


def _of_pairs(name: str, item: Item, shown: Mapping[str, list[int]]) -> Iterator[tuple[str, Any]]:
    comparison, names = compare_groups(list(shown.values()), item.design), list(shown)
    for code in range(item.design.k):
        for pair in comparison.pairs(code, "none"):
            start = f"{name}.difference.{names[pair.i]}.{names[pair.j]}.{code}"
            yield from _of_difference(start, pair.difference)


def _of_difference(start: str, difference: Difference) -> Iterator[tuple[str, Any]]:
    yield f"{start}.moment", difference.point
    yield f"{start}.constrained", difference.constrained
    yield f"{start}.standard_error", difference.standard_error
    yield f"{start}.z", difference.z
    yield f"{start}.p_value", difference.p_value
    for method in METHODS:
        interval = difference.interval(0.95, method)
        yield f"{start}.{method}.low", interval.low
        yield f"{start}.{method}.high", interval.high


def _of_arms(stored: Definition, definition: Definition, snapshot: Snapshot) -> Iterator[tuple[str, Any]]:
    """What the pages say of random arms, of lists and of every possible anchor, of which nobody truly says Yes."""
    if sizes := arm_sizes(definition, snapshot):
        yield "arms.p_value", sizes.p_value
        for code, size in enumerate(sizes.sizes):
            yield f"arms.size.{code}", size
    for question in definition.questions:
        compared = compare_arms(question, stored, snapshot, FigureOptions())
        if compared and compared.answers[0].result.question.number == question.number:
            yield from _of_variants(compared)
        lists = compare_lists(stored.questions[question.number - 1], stored, snapshot)
        if lists and lists.estimate and lists.pair.control.number == question.number:
            yield from of_lists(lists)
        for anchor in anchors_of(question, definition):
            yield from of_anchor(question.first, anchor, Fraction(0), snapshot)


def _of_variants(compared: ArmComparison) -> Iterator[tuple[str, Any]]:
    trusted = []
    for answer in compared.answers:
        item, estimate = answer.result.first.item, answer.result.first.prevalence
        assert estimate
        yield f"{column_name(item)}.compared.missing", answer.result.missing
        together = shares_together(answer.result.question)
        yield from _described(f"{column_name(item)}.compared", estimate, together)
        trusted += [] if answer.result.odd else [(column_name(item), estimate)]
    for (one, first), (other, second) in combinations(trusted, 2):
        for code in range(first.design.k):
            yield from _of_difference(f"{one}.{other}.difference.{code}", difference_of(first, second, code))


def of_anchor(item: Item, anchor: Item, known: Fraction, snapshot: Snapshot) -> Iterator[tuple[str, Any]]:
    """What the page says of an anchor."""
    start = f"{column_name(item)}.anchor.{column_name(anchor)}"
    finding = anchored_finding(item, anchor, known, snapshot, FigureOptions())
    if not (finding.attentive and finding.corrected):
        return
    table = report_table(item, anchor, snapshot)
    core = estimate_anchored(table, item.design, anchor.design, anchor_prevalence=known)
    of_both = (("attentive", finding.attentive, core.attentive), ("corrected", finding.corrected, core.prevalence))
    for name, number, share in of_both:
        yield f"{start}.{name}.likelihood_ratio.low", number.low
        yield f"{start}.{name}.likelihood_ratio.high", number.high
        for what, value in (("moment", number.moment), ("standard_error", number.standard_error)):
            yield f"{start}.{name}.{what}", math.nan if value is None else value
        # Without an estimate by Wald everything is possible.
        if number.moment is not None:
            wald = share.interval(0.95, "wald")
            yield f"{start}.{name}.wald.low", wald.low
            yield f"{start}.{name}.wald.high", wald.high
            yield f"{start}.{name}.constrained", number.estimate
    yield from _described(f"{start}.uncorrected", estimate_prevalence(table.sum(axis=1), item.design))


def of_lists(comparison: ListComparison) -> Iterator[tuple[str, Any]]:
    """What the page says of two lists."""
    start = f"{column_name(comparison.pair.control.first)}.{column_name(comparison.pair.treatment.first)}"
    estimate = comparison.estimate
    assert estimate
    if comparison.step:
        limits = comparison.limits(estimate.difference, 0.95)
        assert limits
        yield f"{start}.list.rounded.estimate", comparison.rounded(estimate.point)
        yield from zip((f"{start}.list.rounded.low", f"{start}.list.rounded.high"), limits, strict=True)
        return
    yield from _of_welch(f"{start}.list", estimate.difference)
    if denied := comparison.denial:
        bounds = denied.bounds_interval()
        yield f"{start}.list.ceiling", estimate.ceiling
        yield f"{start}.list.floor", estimate.floor
        yield f"{start}.list.largest", denied.largest
        yield f"{start}.list.largest.standard_error", denied.largest_standard_error
        yield f"{start}.list.denial.low", bounds.low
        yield f"{start}.list.denial.high", bounds.high
    if combined := comparison.combined:
        wald = combined.interval()
        yield f"{start}.combined.estimate", combined.point
        yield f"{start}.combined.standard_error", combined.standard_error
        yield f"{start}.combined.wald.low", wald.low
        yield f"{start}.combined.wald.high", wald.high
        yield from _of_welch(f"{start}.combined.direct", combined.direct)
        yield from _of_welch(f"{start}.combined.among_no", combined.among_no)
        yield from _of_welch(f"{start}.combined.among_yes", combined.among_yes, 1.0)
        yield from _of_welch(f"{start}.combined.effect_on_direct", combined.effect_on_direct)
    mirror = comparison.mirror
    if (double := comparison.double) and mirror and comparison.pair.control.number < mirror.control.number:
        yield from _of_welch(f"{start}.double.mean", double.mean)
        yield from _of_welch(f"{start}.double.first", double.by_a)
        yield from _of_welch(f"{start}.double.second", double.by_b)
        yield from _of_welch(f"{start}.double.apart", double.apart)


def _of_welch(start: str, estimate: WelchEstimate, hypothesis: float = 0.0) -> Iterator[tuple[str, Any]]:
    yield f"{start}.estimate", estimate.point
    yield f"{start}.standard_error", estimate.standard_error
    if estimate.standard_error > 0:
        yield f"{start}.degrees_of_freedom", estimate.degrees_of_freedom
        yield from zip((f"{start}.welch.low", f"{start}.welch.high"), estimate.limits(0.95), strict=True)
        yield f"{start}.p_value", estimate.p_value(hypothesis)


def _of_means(name: str, item: Item, counts: list[int]) -> Iterator[tuple[str, Any]]:
    answers = item.design.k - (item.leave_out == "protected")
    cells = estimate_prevalence(counts, item.design)
    if item.range:
        low, high = float(item.range.low), float(item.range.high)
        mean = (estimate_mean if item.design.k == 2 else estimate_stated_mean)(counts, item.design, low, high)
        if counts[0] + counts[1]:
            yield f"{name}.mean.observed", low + counts[1] / (counts[0] + counts[1]) * (high - low)
        yield from _limits(f"{name}.mean", mean, MAPPED_METHODS if answers == item.design.k else _OF_A_RATIO)
    if item.kind == "scale":
        scale = estimate_scale(counts, item.design, answers)
        yield from _limits(f"{name}.mean", scale.mean, _OF_A_RATIO)
        for boxes in (1, 2):
            yield from _limits(f"{name}.top.{boxes}", scale.top(boxes), _of_a_share(item, answers))
    if item.kind == "number_bands":
        edges = list(item.answers.edges)
        left, right = edges[:-1], edges[1:]
        for kind, values in (
            ("mean", [(a + b) / 2 for a, b in zip(left, right, strict=True)]),
            ("mean_left", left),
            ("mean_right", right),
        ):
            yield from _limits(f"{name}.{kind}", mean_within(cells, values, range(answers)), _OF_A_RATIO)
        for edge in range(1, answers):
            below = mean_within(cells, [float(code < edge) for code in range(answers)], range(answers))
            yield from _limits(f"{name}.below.{edge}", below, _of_a_share(item, answers))


def _of_a_share(item: Item, answers: int) -> tuple[str, ...]:
    return MAPPED_METHODS if answers == item.design.k else _OF_A_RATIO


def _limits(
    name: str, mean: MeanEstimate | StatedMeanEstimate | MeanWithin, methods: Sequence[str]
) -> Iterator[tuple[str, Any]]:
    yield f"{name}.moment", mean.point
    yield f"{name}.standard_error", mean.standard_error
    yield f"{name}.constrained", mean.constrained
    for method in methods:
        interval = mean.interval(0.95, method)
        yield f"{name}.{method}.low", interval.low
        yield f"{name}.{method}.high", interval.high


def _of_two(first: Item, second: Item, snapshot: Snapshot) -> Iterator[tuple[str, Any]]:
    name, reports = f"{column_name(first)}.{column_name(second)}", snapshot.on(first.number, second.number)
    table = np.zeros((first.design.m, second.design.m), dtype=np.int64)
    both = (reports.patterns != 255).all(axis=1)
    np.add.at(table, tuple(reports.patterns[both].T), reports.counts[both])
    if table.sum() < snapshot.minimum_n:
        return
    joint, sent = estimate_joint(table, first.design, second.design), drop_empty(table)
    for place, count in np.ndenumerate(table):
        cell = ".".join(map(str, place))
        yield f"{name}.count.{cell}", count
        yield f"{name}.moment.{cell}", joint.point[place]
    if min(sent.shape) < 2:
        # The programs write what no test at all comes to.
        for written, number in (("degrees_of_freedom", 0), ("pearson", 0), ("likelihood_ratio", 0)):
            yield f"{name}.{written}", number
        yield f"{name}.pearson_p_value", 1
        yield f"{name}.likelihood_ratio_p_value", 1
        return
    test = test_independence(sent)
    yield f"{name}.degrees_of_freedom", test.degrees_of_freedom
    yield f"{name}.pearson", test.pearson
    yield f"{name}.pearson_p_value", test.pearson_p_value
    yield f"{name}.likelihood_ratio", test.likelihood_ratio
    yield f"{name}.likelihood_ratio_p_value", test.likelihood_ratio_p_value
