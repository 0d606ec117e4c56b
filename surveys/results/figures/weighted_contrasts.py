"""What is made of several weighted means: differences between arms, lists of statements, and what an anchor corrects.

Where groups are clusters both arms draw from the same ones, so a difference has a variance of its own.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations

import numpy as np
import numpy.typing as npt

from surveys.estimation.claims import NumberEstimate, with_interval
from surveys.estimation.patterns import MISSING
from surveys.estimation.weighting.contrasts import (
    WeightedContrast,
    anchor_terms,
    estimate_weighted_contrast,
    list_terms,
    share_term,
)
from surveys.estimation.weighting.means import MeanTerm
from surveys.questionnaire.asked_question import AskedQuestion, Item
from surveys.questionnaire.definition import Definition
from surveys.questionnaire.lists import ListPair, pairs_of
from surveys.responses.selectors.snapshot import Snapshot
from surveys.results.figures.adherence import anchors_of, tells_followers
from surveys.results.figures.arms import ArmDifference
from surveys.results.figures.weights import (
    OTHER_GROUPS,
    WeightedQuestion,
    WeightedResults,
    WeightedRows,
    WeightingPlan,
    WeightsInUse,
    rows_of,
    sample_arguments,
    weights_in_use,
)


@dataclass(frozen=True, slots=True)
class WeightedList:
    """The share for whom the sensitive statement of two lists holds, with weights."""

    pair: ListPair
    share: NumberEstimate


@dataclass(frozen=True, slots=True)
class WeightedPair:
    """How much more frequent an answer is in one group than in another, with weights."""

    first: str
    second: str
    code: int  # of the answer
    figure: NumberEstimate  # from −1 to 1


@dataclass(frozen=True, slots=True)
class WeightedAnchored:
    """The share of Yes to an item among those who follow the instructions, with weights."""

    item: Item
    share: NumberEstimate


def weighted_differences(
    definition: Definition, snapshot: Snapshot, results: WeightedResults
) -> tuple[ArmDifference, ...]:
    """Return what weighted questions differ by that ask for the same in different arms; without a p-value."""
    differences = []
    for one, other in combinations(results.questions, 2):
        variants = definition.variants_of(one.question)
        if other.question not in variants or not are_compared(one.question, other.question):
            continue
        code = _compared([each for each in results.questions if each.question in variants])
        if code in _shares(one) and code in _shares(other):
            differences.append(_difference(one, other, code, snapshot, results.plan))
    return tuple(differences)


def are_compared(first: AskedQuestion, second: AskedQuestion) -> bool:
    """Whether different people were asked two questions, for the same answers."""
    return first.design.k == second.design.k and not set(first.arms) & set(second.arms)


def _compared(variants: Sequence[WeightedQuestion]) -> int:
    """Return the answer that is compared: Yes, or the one that is most frequent in all arms."""
    if variants[0].question.answers.yes_or_no:
        return 1
    totals: Counter[int] = Counter()
    for each in variants:
        totals.update({code: share.estimate or 0.0 for code, share in _shares(each).items()})
    return max(totals, key=totals.__getitem__, default=0)


def _shares(question: WeightedQuestion) -> dict[int, NumberEstimate]:
    """Return the weighted shares that may be claimed, by the answer's code."""
    if not question.items or not question.items[0].answers:
        return {}
    item = question.items[0]
    shares = [answer for answer in item.answers if not answer.units]
    return {
        code: answer.weighted
        for code, answer in zip(item.unweighted.shown_codes, shares, strict=True)
        if answer in item.claimed
    }


def _difference(
    one: WeightedQuestion, other: WeightedQuestion, code: int, snapshot: Snapshot, plan: WeightingPlan
) -> ArmDifference:
    parts = [
        (rows_of(each.question, snapshot, plan, each.question.first.number), each.weights) for each in (one, other)
    ]
    placed = _placed([rows.reports for rows, _used in parts])
    designs = one.question.design, other.question.design
    terms = [share_term(reports, design, code) for reports, design in zip(placed, designs, strict=True)]
    interval = contrast_of(terms, parts, plan).interval(plan.wanted.confidence_level)
    # Likeliest with shares from 0 to 1, which the interval of moments may not hold.
    likeliest = (_shares(one)[code].estimate or 0.0) - (_shares(other)[code].estimate or 0.0)
    return ArmDifference(
        one.question, other.question, min(max(likeliest, interval.low), interval.high), interval, math.nan
    )


def weighted_groups(question: WeightedQuestion, snapshot: Snapshot, plan: WeightingPlan) -> tuple[WeightedPair, ...]:
    """Return what each two groups differ by that may be shown separately.

    Nothing where groups are clusters, which are drawn, or too few of a group answered in a combination of what is
    weighted by.
    """
    code, item = _compared([question]), question.question.first
    if plan.role == "clusters" or code not in _shares(question):
        return ()
    rows = rows_of(question.question, snapshot, plan, item.number)
    if rows.smallest_cell(rows.answered, by_group=True) < snapshot.minimum_n:
        return ()
    shown = [place for place, key in enumerate(plan.groups.keys) if key != OTHER_GROUPS]
    reports = {place: np.where(rows.groups == place, rows.reports, MISSING) for place in shown}
    terms = {
        place: share_term(codes, item.design, code) for place, codes in reports.items() if (codes != MISSING).any()
    }
    pairs, labels = [], plan.groups.labels
    for first, second in combinations(terms, 2):
        contrast = contrast_of([terms[first], terms[second]], [(rows, question.weights)], plan)
        pairs.append(WeightedPair(labels[first], labels[second], code, _figure(contrast, plan)))
    return tuple(pair for pair in pairs if pair.figure.claimed)


def weighted_lists(definition: Definition, snapshot: Snapshot, plan: WeightingPlan) -> tuple[WeightedList, ...]:
    """Return what pairs of lists say with weights. `definition` is the stored one.

    Of numbers that are sent as they are, nothing where fewer than the minimum in a combination of what is weighted by
    and a group gave one of them: by choosing weights one could read how many did.
    """
    found = []
    for pair in pairs_of(definition):
        parts = [_of_list(question, snapshot, plan) for question in (pair.control, pair.treatment)]
        shown = [part for part in parts if part]
        if len(shown) < 2:
            continue
        control, treatment = _placed([rows.reports for rows, _used in shown])
        terms = list_terms(control, treatment, (pair.control.design, pair.treatment.design))
        found.append(WeightedList(pair, _figure(contrast_of(terms, shown, plan, between=(0.0, 1.0)), plan)))
    return tuple(found)


def _of_list(
    question: AskedQuestion, snapshot: Snapshot, plan: WeightingPlan
) -> tuple[WeightedRows, WeightsInUse] | None:
    """Return the reports to a list, and the weights; None where nothing may be shown."""
    used = weights_in_use(question, snapshot, plan)
    if used.problem:
        return None
    number = question.first.number
    whole = replace(snapshot, recoded={item: table for item, table in snapshot.recoded.items() if item != number})
    rows = rows_of(question, whole, plan, number)
    plain = not question.protects
    smallest = rows.smallest_cell(rows.answered, by_group=plain or plan.role != "none", by_report=plain)
    enough = min(int(rows.counts @ rows.answered), smallest) >= max(2, snapshot.minimum_n)
    return (rows, used) if enough else None


def weighted_anchored(
    results: WeightedResults, snapshot: Snapshot, definition: Definition, anchor: Item, known: Fraction
) -> tuple[WeightedAnchored, ...]:
    """Return the weighted shares corrected by an anchor, of questions that everybody was asked who was asked it."""
    found = []
    for each in results.questions:
        item = each.question.first
        if not each.items or not is_corrected_by(each.question, anchor, known, definition):
            continue
        rows = rows_of(each.question, snapshot, results.plan, anchor.number, item.number)
        anchors = rows.beside[:, 0]
        answered = rows.answered & (anchors != MISSING)
        smallest = rows.smallest_cell(answered, by_group=results.plan.role != "none")
        if min(int(rows.counts @ answered), smallest) < max(1, snapshot.minimum_n):
            continue
        corrected, attentive = anchor_terms(rows.reports, anchors, item.design, anchor.design, anchor_prevalence=known)
        share, followers = (
            contrast_of([term], [(rows, each.weights)], results.plan) for term in (corrected, attentive)
        )
        # Without anybody who surely follows the instructions any share is possible.
        if followers.interval(results.plan.wanted.confidence_level).low > 0:
            found.append(WeightedAnchored(item, _figure(share, results.plan)))
    return tuple(found)


def is_corrected_by(question: AskedQuestion, anchor: Item, known: Fraction, definition: Definition) -> bool:
    """Whether an anchor of which so many truly say Yes corrects a question: everybody asked this was asked both."""
    everybody = {arm.number for arm in definition.arms}
    asked = set(definition.questions[anchor.question_number - 1].arms) or everybody
    return (
        tells_followers(anchor, known)
        and anchor in anchors_of(question, definition)
        and (set(question.arms) or everybody) <= asked
    )


def _placed(reports: Sequence[npt.NDArray[np.integer]]) -> list[npt.NDArray[np.int64]]:
    """Return the reports of different people in rows below each other, 255 in those of others."""
    ends = np.cumsum([0, *map(len, reports)])
    placed = [np.full(ends[-1], MISSING, dtype=np.int64) for _ in reports]
    for column, start, report in zip(placed, ends, reports, strict=False):
        column[start : start + len(report)] = report
    return placed


def contrast_of(
    terms: Sequence[MeanTerm],
    parts: Sequence[tuple[WeightedRows, WeightsInUse]],
    plan: WeightingPlan,
    between: tuple[float, float] | None = None,
) -> WeightedContrast:
    """Return a term, or the first less the second, of people who were each weighted among those asked the same."""
    sample = sample_arguments(plan, *parts)
    return estimate_weighted_contrast(terms, (1, -1)[: len(terms)], between=between, **sample)


def _figure(contrast: WeightedContrast, plan: WeightingPlan) -> NumberEstimate:
    """Return a contrast with its interval, and the point limited to that."""
    interval = contrast.interval(plan.wanted.confidence_level)
    likely = min(max(contrast.point, interval.low), interval.high)
    return with_interval(contrast.point, likely, contrast.standard_error, interval, (contrast.low, contrast.high))
