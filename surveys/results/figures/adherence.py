"""Evidence on whether people followed the instructions in their heads: a second arm, an anchor, several questions.

Where a device randomizes nobody can tap past it, so all of this is about questions in which a fact in the head does.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from surveys.estimation.adherence.anchor import AnchoredShare, estimate_anchored
from surveys.estimation.adherence.arms import estimate_arms
from surveys.estimation.adherence.attention import attention_curve
from surveys.estimation.adherence.fixed_reports import FixedReportEstimate, estimate_fixed_reports
from surveys.estimation.claims import FigureOptions, NumberEstimate, share_at, with_interval
from surveys.estimation.patterns import joint_counts
from surveys.estimation.prevalence import estimate_prevalence
from surveys.questionnaire.asked_question import AskedQuestion, Item
from surveys.questionnaire.definition import Definition
from surveys.responses.selectors.snapshot import Snapshot
from surveys.results.figures.questions import MISFIT, QuestionResult, shares_together

# So many take a second, with all of their limits; five take two.
MOST_QUESTIONS = 4
# Below half of all, estimates leave what is possible long before.
_ATTENTIVE = tuple(Fraction(percent, 100) for percent in range(50, 101, 5))
_FEWEST_FOR_PAIRS = 3


# Two arms.


@dataclass(frozen=True, slots=True)
class MirroredArms:
    """Questions in different arms that ask for the same with one design, each with another share of its fact."""

    questions: tuple[AskedQuestion, ...]
    n: int
    share: float  # of Yes, for all of them
    low: float
    high: float
    statistic: float  # G²
    degrees_of_freedom: int
    p_value: float
    sees_random: bool  # whether answers at random pull the arms apart too


def mirrored_arms(question: AskedQuestion, results: Sequence[QuestionResult], level: float) -> MirroredArms | None:
    """Return what a question and those in other arms say together, and whether it fits; None without a second share.

    Of `results`, which are of questions that ask for the same, those count whose report is about both answers too.
    """
    if not question.chance.reports_on_both:
        return None
    alike = [result for result in results if result.question.design.name == question.design.name]
    estimates = [(result.question, result.first.prevalence) for result in alike if result.first.prevalence]
    if len({estimate.design.matrix for _asked, estimate in estimates}) < 2:
        return None
    arms = estimate_arms([estimate.counts for _, estimate in estimates], [estimate.design for _, estimate in estimates])
    limits, fit = arms.interval(level), arms.fit
    return MirroredArms(
        questions=tuple(asked for asked, _estimate in estimates),
        n=arms.n,
        share=float(arms.constrained[1]),
        low=float(limits.low[1]),
        high=float(limits.high[1]),
        statistic=fit.statistic,
        degrees_of_freedom=fit.degrees_of_freedom,
        p_value=fit.p_value,
        # Half of the taps at random are either report: which share would say so in each arm.
        sees_random=len({(Fraction(1, 2) - each.offset) / each.slope for each in arms.designs}) > 1,
    )


# An anchor question.


def anchors_of(question: AskedQuestion, definition: Definition) -> tuple[Item, ...]:
    """Return the items that may be an anchor of a question: answered in the same way, and by the same people."""
    if not question.chance.reports_on_both:
        return ()
    return tuple(
        other.first
        for other in definition.questions
        if other.number != question.number
        and other.chance.reports_on_both
        and arms_in_common([question, other], definition)
    )


def tells_followers(anchor: Item, known: Fraction) -> bool:
    """Whether those who follow the instructions tap otherwise than at random, where so many truly answer Yes."""
    return anchor.design.offset + anchor.design.slope * known != Fraction(1, 2)


def arms_in_common(questions: Sequence[AskedQuestion], definition: Definition) -> frozenset[int]:
    """Return the numbers of the arms in which all of these are asked; 0 stands for everybody where there are none."""
    every = frozenset(arm.number for arm in definition.arms) or frozenset({0})
    return every.intersection(*(question.arms or every for question in questions))


@dataclass(frozen=True, slots=True)
class AnchoredFinding:
    """A share corrected for those who tap at random, from those who answered both questions."""

    item: Item
    anchor: Item
    known: Fraction  # how many truly answer Yes to the anchor
    n: int
    minimum_n: int
    attentive: NumberEstimate | None = None  # who follow the instructions; None: too few, or this anchor cannot tell
    corrected: NumberEstimate | None = None  # the share of Yes among them
    uncorrected: NumberEstimate | None = None  # as if all did

    @property
    def enough(self) -> bool:
        """Whether enough answered both."""
        return self.n >= max(1, self.minimum_n)


def anchored_finding(
    item: Item, anchor: Item, known: Fraction, snapshot: Snapshot, wanted: FigureOptions
) -> AnchoredFinding:
    """Correct an item's share by an anchor of which `known` is the share of Yes."""
    table = _table_of([item, anchor], snapshot)
    finding = AnchoredFinding(item, anchor, known, int(table.sum()), snapshot.minimum_n)
    if not finding.enough or not tells_followers(anchor, known):
        return finding
    estimate = estimate_anchored(table, item.design, anchor.design, anchor_prevalence=known)
    plain = estimate_prevalence(table.sum(axis=1), item.design)
    return replace(
        finding,
        attentive=_anchored(estimate.attentive, wanted.confidence_level),
        corrected=_anchored(estimate.prevalence, wanted.confidence_level),
        uncorrected=share_at(1, plain, plain.interval(wanted.confidence_level, wanted.one_of(plain.interval_methods))),
    )


def _anchored(share: AnchoredShare, confidence_level: float) -> NumberEstimate:
    interval = share.interval(confidence_level)
    return with_interval(share.point, share.constrained, share.standard_error, interval, (0.0, 1.0))


def _table_of(items: Sequence[Item], snapshot: Snapshot) -> npt.NDArray[np.int64]:
    """Return how often each combination of reports came from those who answered all of these."""
    reports = snapshot.on(*(item.number for item in items))
    return joint_counts(reports.patterns, reports.counts, range(len(items)), tuple(item.design.m for item in items))


# Neither: a curve over the share that is not known.


@dataclass(frozen=True, slots=True)
class AttentionPoint:
    """What would be estimated if so many followed the instructions, and all others tapped at random."""

    attentive: Fraction
    moment: float
    estimate: float
    low: float
    high: float
    outside: bool  # no possible share is in the interval


def attention_points(result: QuestionResult, wanted: FigureOptions) -> tuple[AttentionPoint, ...]:
    """Return what a question's reports say at several shares of followers, the smallest first."""
    estimate = result.first.prevalence
    if estimate is None or estimate.n == 1 or not result.question.chance.reports_on_both:
        return ()
    curve = attention_curve(estimate.counts, estimate.design, _ATTENTIVE)
    level = wanted.each(shares_together(result.question))
    limits = curve.interval(1, level, wanted.one_of(estimate.interval_methods))
    columns = curve.point(), curve.constrained(), limits.low, limits.high, limits.outside
    return tuple(AttentionPoint(share, *row) for share, *row in zip(_ATTENTIVE, *map(list, columns), strict=True))


# Several questions.


@dataclass(frozen=True, slots=True)
class OthersShare:
    """The share of Yes to one question among those who follow the instructions, and as if all did."""

    item: Item
    estimate: float
    low: float
    high: float
    uncorrected: float


@dataclass(frozen=True, slots=True)
class FixedReportShare:
    """The share that always taps the same, where so many true answers may go together at a time."""

    order: int
    share: float
    low: float
    high: float
    p_value: float  # of nobody doing so
    fit: float | None  # the p-value of all that is supposed; None where that cannot be contradicted

    @property
    def fits(self) -> bool:
        """Whether the reports do not contradict what is supposed."""
        return self.fit is None or self.fit >= MISFIT


@dataclass(frozen=True, slots=True)
class FixedReports:
    """Who taps the same reports whatever is true, from those who answered all of these questions."""

    items: tuple[Item, ...]
    reports: tuple[int, ...]
    n: int
    minimum_n: int
    models: tuple[FixedReportShare, ...] = ()
    others: tuple[OthersShare, ...] = ()  # by the headline's model

    @property
    def enough(self) -> bool:
        """Whether enough answered all of them."""
        return self.n >= max(1, self.minimum_n)

    @property
    def headline(self) -> FixedReportShare | None:
        """The model that supposes least of those that fit, rather one that the reports could have contradicted."""
        fitting = [model for model in self.models if model.fits]
        return max(fitting, key=lambda model: (model.fit is not None, model.order), default=None)


def tapped_items(definition: Definition) -> tuple[Item, ...]:
    """Return the items that are answered in the head; none without a second one that the same people answer."""
    asked = [question for question in definition.questions if question.in_the_head and not question.first.grid]
    return tuple(
        question.first
        for question in asked
        if any(other is not question and arms_in_common([question, other], definition) for other in asked)
    )


def answered_together(items: Sequence[Item], definition: Definition, most: int) -> tuple[Item, ...]:
    """Return so many of these items at most, in their order, as some people are asked all of."""
    kept: list[Item] = []
    for item in items:
        asked = [definition.questions[each.question_number - 1] for each in (*kept, item)]
        if len(kept) < most and arms_in_common(asked, definition):
            kept.append(item)
    return tuple(kept)


def denial(item: Item) -> int:
    """Return the report that speaks most against a Yes."""
    return 0 if item.design.slope > 0 else 1


def fixed_reports(items: Sequence[Item], reports: Sequence[int], snapshot: Snapshot, level: float) -> FixedReports:
    """Estimate how many always tap these reports; of more than two questions whole responses must be kept."""
    table = _table_of(items, snapshot)
    fixed = FixedReports(tuple(items), tuple(reports), int(table.sum()), snapshot.minimum_n)
    if not fixed.enough:
        return fixed
    estimates = []
    for order in (1, 2) if len(items) >= _FEWEST_FOR_PAIRS else (1,):
        # The reports may not tell them from true answers that go together so.
        with suppress(ValueError):
            estimates.append(estimate_fixed_reports([table], [[item.design for item in items]], reports, order))
    models = [_model(order, estimate, level) for order, estimate in enumerate(estimates, start=1)]
    if not models:
        return fixed
    fixed = replace(fixed, models=tuple(models))
    if (headline := fixed.headline) is None:
        return fixed
    estimate = estimates[models.index(headline)]
    return replace(fixed, others=tuple(_others(estimate, place, item, level) for place, item in enumerate(items)))


def _model(order: int, estimate: FixedReportEstimate, level: float) -> FixedReportShare:
    interval, fit = estimate.interval(level), estimate.fit_test
    return FixedReportShare(
        order=order,
        share=estimate.share,
        low=interval.low,
        high=interval.high,
        p_value=estimate.test.p_value,
        fit=fit.p_value if fit.degrees_of_freedom else None,
    )


def _others(estimate: FixedReportEstimate, place: int, item: Item, level: float) -> OthersShare:
    limits = estimate.prevalence_interval(place, 1, level)
    return OthersShare(
        item, estimate.prevalence(place), limits.low, limits.high, uncorrected=estimate.uncorrected(place)
    )
