"""What the pages of results show, as counts: of questions, groups, pairs of questions, arms and lists of statements.

Nothing else is in it: every count passes the rule of small numbers that its page passes. A list of statements that is
sent as it is can say more by its counts than its page says; there the figures stand as the page rounds them.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt
from django.core.exceptions import ValidationError

from surveys.estimation.claims import FigureOptions
from surveys.exporting.selectors import GroupNames, column_name, described_item
from surveys.numbers.words import NARROW
from surveys.questionnaire.asked_question import AskedQuestion, Item
from surveys.questionnaire.definition import Definition
from surveys.questionnaire.lists import ListPair, mirror_of, pairs_of
from surveys.responses.selectors.snapshot import Snapshot
from surveys.responses.told import separable_groups
from surveys.results.figures.adherence import anchors_of
from surveys.results.figures.arms import arm_sizes, compared_results
from surveys.results.figures.groups import reports_by_group
from surveys.results.figures.lists import ListComparison, compare_lists, reports_to_both, whole_of
from surveys.results.figures.questions import reported
from surveys.results.figures.relate import report_table

NO_GROUP = "(none)"
"""Stands for the responses without a group; no link of a group can be called so."""

_Table = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class ExportFigure:
    """One number of the long table; what does not apply is empty."""

    figure: str
    number: float  # a count, or a share where the figure is rounded
    item: str = ""
    report: str = ""
    with_item: str = ""
    with_report: str = ""
    group: str = ""
    arm: str = ""


def figures_shown(
    stored: Definition, definition: Definition, snapshot: Snapshot, groups: GroupNames, wanted: FigureOptions
) -> Iterator[ExportFigure]:
    """Yield the counts behind what pages show.

    Raises ValueError where there are too few responses for any or they wait for the closing, and `OutdatedError` as a
    snapshot does.

    Parameters
    ----------
    stored : Definition
        What was asked.
    definition : Definition, snapshot : Snapshot
        The same and the responses as they may be shown.
    groups : GroupNames
        What the groups are called.
    wanted : FigureOptions
        The level of limits that are rounded.
    """
    if not snapshot.enough:
        raise ValueError(f"{snapshot.n} responses: figures want {snapshot.minimum_n}, and some surveys to be closed")
    separable = separable_groups(snapshot, definition)
    named = {key: slug for key, slug in {0: NO_GROUP, **groups.slugs}.items() if key in separable}
    yield ExportFigure("responses", snapshot.n)
    for key, slug in named.items():
        yield ExportFigure("responses", snapshot.n_by_group.get(key, 0), group=slug)
    if sizes := arm_sizes(definition, snapshot):
        for code, size in enumerate(sizes.sizes):
            yield ExportFigure("responses", size, arm=str(code))
    for question in definition.questions:
        for item in question.items:
            yield from _answers(question, item, snapshot, named)
    shares = [item for item in definition.items if snapshot.shows(item.number) and not item.grid]
    for first, second in combinations(shares, 2):
        if not first.is_about(second):
            yield from _pairs("pairs", first, second, report_table(first, second, snapshot), snapshot.minimum_n)
    for variants in comparisons_of(stored):
        for result in compared_results(variants[0], stored, snapshot, wanted):
            counts = [option.count for option in result.first.options]
            yield from _reports("compared", result.first.item, counts, result.missing)
    for pair in list_pairs_of(stored):
        compared = compare_lists(pair.control, stored, snapshot)
        if compared and compared.estimate:
            yield from _lists(compared, snapshot, wanted.confidence_level)


def comparisons_of(stored: Definition) -> tuple[tuple[AskedQuestion, ...], ...]:
    """Return the questions that ask for the same in different arms, those of one thing together."""
    alike = ((question, stored.variants_of(question)) for question in stored.questions)
    return tuple(variants for question, variants in alike if variants and variants[0].number == question.number)


def list_pairs_of(stored: Definition) -> tuple[ListPair, ...]:
    """Return the lists that are compared; of a draft whose lists are no pairs yet none."""
    try:
        return pairs_of(stored)
    except ValidationError:
        return ()


def _answers(question: AskedQuestion, item: Item, snapshot: Snapshot, named: dict[int, str]) -> Iterator[ExportFigure]:
    fewest = max(1, snapshot.minimum_n)
    counts, missing = reported(question, item, snapshot)
    if counts.sum() < fewest:
        return
    yield from _reports("answers", item, counts.tolist(), missing)
    by_group = reports_by_group(item, snapshot)
    for key, slug in named.items():
        if key in by_group and by_group[key].sum() >= fewest:
            yield from _reports("answers", item, by_group[key].tolist(), group=slug)


def _reports(
    figure: str, item: Item, counts: Sequence[int], missing: int | None = None, *, group: str = ""
) -> Iterator[ExportFigure]:
    """Yield how often each report came; the empty report is that of those who left the question out."""
    name = column_name(item)
    for code, count in enumerate(counts):
        yield ExportFigure(figure, count, name, str(code), group=group)
    if missing is not None:
        yield ExportFigure(figure, missing, name, group=group)


def _pairs(figure: str, first: Item, second: Item, table: _Table, minimum_n: int) -> Iterator[ExportFigure]:
    """Yield how often each pair of reports came, where enough answered both; without pairs that nobody sent."""
    if table.sum() < max(1, minimum_n):
        return
    names = column_name(first), column_name(second)
    for row, column in np.argwhere(table).tolist():
        yield ExportFigure(figure, int(table[row, column]), names[0], str(row), names[1], str(column))


# Lists of statements.


def _lists(compared: ListComparison, snapshot: Snapshot, level: float) -> Iterator[ExportFigure]:
    """Yield what two lists say together: counts, or where these would say more than the page, what it says."""
    pair, all_groups = compared.pair, whole_of(snapshot)
    of_both = pair.control.first, pair.treatment.first
    if not compared.estimate:
        return
    if compared.step:
        level = compared.level(level)
        limits = compared.limits(compared.estimate.difference, level)
        yield from _rounded("list", of_both, compared.rounded(compared.estimate.point), limits)
        return
    arms = compared.estimate.arms
    for item, arm in zip(of_both, (arms.control, arms.treatment), strict=True):
        yield from _reports("list", item, arm.counts.tolist())
    if (combined := compared.combined) and pair.direct:
        between = combined.interval(level)
        yield from _together(
            "combined",
            [(pair.direct, pair.control), (pair.direct, pair.treatment)],
            all_groups,
            lambda: _rounded("combined", of_both, *_outwards(combined.point, between.low, between.high)),
        )
    mirror, double = compared.mirror, compared.double
    # Both pairs say the same of each other: once is enough.
    if mirror and double and pair.control.number < mirror.control.number:
        yield from _together(
            "double",
            [(pair.treatment, mirror.control), (pair.control, mirror.treatment)],
            all_groups,
            lambda: _rounded("double", of_both, *_outwards(double.point, *double.mean.limits(level))),
        )


def _together(
    figure: str,
    tables: Sequence[tuple[AskedQuestion, AskedQuestion]],
    all_groups: Snapshot,
    rounded: Callable[[], Iterator[ExportFigure]],
) -> Iterator[ExportFigure]:
    """Yield how often each pair of reports came, if from enough people, else the figure as its page rounds it."""
    counted = [(first, second, reports_to_both(first, second, all_groups)) for first, second in tables]
    if not all(_of_enough(*each, all_groups.minimum_n) for each in counted):
        yield from rounded()
        return
    for first, second, table in counted:
        yield from _pairs(figure, first.first, second.first, table, all_groups.minimum_n)


def _of_enough(first: AskedQuestion, second: AskedQuestion, table: _Table, minimum_n: int) -> bool:
    """Whether each combination of answers that are sent as they are is that of enough, or of nobody."""
    protected = tuple(axis for axis, question in enumerate((first, second)) if question.protects)
    sizes = table.sum(axis=protected)
    return not ((sizes > 0) & (sizes < minimum_n)).any()


def _outwards(point: float, low: float, high: float) -> tuple[float, tuple[float, float] | None]:
    """Return an estimate and its limits as pages write them: to a tenth, and limits rounded outwards."""
    if math.isnan(low) or math.isnan(high):
        return round(point, 3), None
    scale = 1_000 if high - low < NARROW else 100
    # Rounding before going outwards, as pages do.
    limits = math.floor(round(low * scale, 6)) / scale, math.ceil(round(high * scale, 6)) / scale
    return round(point, 3), limits


def _rounded(
    figure: str, items: tuple[Item, Item], point: float, limits: tuple[float, float] | None
) -> Iterator[ExportFigure]:
    names = [column_name(item) for item in items]
    shares = {"estimate": point, **(dict(zip(("low", "high"), limits, strict=True)) if limits else {})}
    for report, share in shares.items():
        yield ExportFigure(f"{figure}_rounded", float(share), names[0], report, names[1])


# What programs need to read the table: every matrix exactly, and what is compared with what.


def described_survey(stored: Definition, definition: Definition) -> dict[str, object]:
    """Return what is computed of which columns; `stored` is what was asked, `definition` how it may be shown."""
    pairs = list_pairs_of(stored)
    return {
        "arms": [{"name": arm.name, "weight": arm.weight} for arm in stored.arms],
        "compared": [[described_item(stored, question.first) for question in same] for same in comparisons_of(stored)],
        "lists": [_described_pair(pair, stored) for pair in pairs],
        "anchors": {
            column_name(question.first): [column_name(anchor) for anchor in anchors]
            for question in definition.questions
            if (anchors := anchors_of(question, definition))
        },
    }


def _described_pair(pair: ListPair, stored: Definition) -> dict[str, object]:
    mirror = mirror_of(pair, stored)
    return {
        "statement": pair.sensitive,
        "control": described_item(stored, pair.control.first),
        "treatment": described_item(stored, pair.treatment.first),
        "direct": described_item(stored, pair.direct.first) if pair.direct else None,
        # The lists of the same people: their items without and with the statement.
        "mirror": [described_item(stored, each.first) for each in (mirror.control, mirror.treatment)] if mirror else [],
    }
