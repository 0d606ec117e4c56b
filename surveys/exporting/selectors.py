"""What exports hold: their columns, the rows that may be given, and the survey as data for other programs."""

import math
import re
import secrets
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from django.utils import translation
from numpy.random import Generator, default_rng  # noqa: TID251 - an order, which protects nothing

from surveys.models import Group, Mode, Survey
from surveys.questionnaire.asked_question import Item
from surveys.questionnaire.definition import Definition
from surveys.responses.selectors.snapshot import Snapshot
from surveys.responses.selectors.tally import MISSING
from surveys.responses.told import is_final, separable_groups, separable_parts

NOT_GIVEN = "(withheld)"
"""In the columns of group and mode; no link of a group can be called so."""

_LETTER = re.compile(r"(?<=\d)(?=[a-z])")


@dataclass(frozen=True, slots=True)
class GroupNames:
    """What a survey's groups are called in exports, by primary key."""

    slugs: Mapping[int, str]  # as in the link: never two alike
    names: Mapping[int, str]  # as people call them; with the link's where two would be alike


def column_name(item: Item) -> str:
    """Return the name of an item's column: q3, or q3_b for the second of several options."""
    return "q" + _LETTER.sub("_", item.key)


def group_names_of(survey: Survey) -> GroupNames:
    groups = list(Group.objects.filter(survey_id=survey.pk).order_by("slug").values_list("pk", "slug", "name"))
    taken = Counter(name for _key, _slug, name in groups) + Counter([NOT_GIVEN, ""])
    return GroupNames(
        slugs={key: slug for key, slug, _name in groups},
        names={key: f"{name} ({slug})" if taken[name] > 1 else name for key, slug, name in groups},
    )


def report_labels(definition: Definition) -> tuple[tuple[str, ...], ...]:
    """Return what the reports of each item are called, in the survey's language."""
    with translation.override(definition.language):
        return tuple(tuple(map(str, item.report_labels)) for item in definition.items)


def mode_labels(definition: Definition) -> list[str]:
    """Return what the modes are called, in the survey's language."""
    with translation.override(definition.language):
        return [str(mode.label) for mode in Mode]


# Responses as exports may give them: small parts are merged, and their order is random.
#
# A row carries what its respondent's link and page added to the reports: group and mode. Groups are given where the
# pages of results tell them apart, modes where the part of the group that they single out is large enough, in
# responses and in answers to every question; elsewhere they are withheld. A question that too few answered is left
# empty throughout.


WITHHELD = -1
"""Stands for a group or a mode that is not given."""

BLOCK = 4_096
"""Rows made at a time: what is buffered, however many there are."""

_Whole = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class ExportRows:
    """The distinct rows of an export and how often each comes, sorted, so that their order says nothing.

    Attributes
    ----------
    patterns : uint8 array, shape (m, columns)
        Report codes; 255 where an answer is visibly missing, its question was answered by too few, or it was not asked
        in this arm. Where there are random arms the last column is the arm's code, 255 where it is not given.
    counts : int64 array, shape (m,)
        Responses that look like this.
    groups : int64 array, shape (m,)
        Primary key of the group; 0 is none, `WITHHELD` is not given.
    modes : int64 array, shape (m,)
        Number of the mode among `Mode.values`; `WITHHELD` is not given.
    """

    patterns: npt.NDArray[np.uint8]
    counts: _Whole
    groups: _Whole
    modes: _Whole

    @property
    def n(self) -> int:
        return int(self.counts.sum())


def rows_of(snapshot: Snapshot, definition: Definition) -> ExportRows:
    """Return the rows that may be given.

    Raises ValueError where there are too few responses for any or more may come, and `OutdatedError` as a snapshot
    does.
    """
    if not is_final(snapshot):
        raise ValueError("more responses may come: two files of rows could be joined")
    if not snapshot.enough:
        raise ValueError(f"{snapshot.n} responses are fewer than the minimum of {snapshot.minimum_n}")
    responses, minimum_n = snapshot.responses(items=len(definition.columns)), snapshot.minimum_n
    patterns, counts = responses.patterns.copy(), responses.counts
    answered = [int(counts[column != MISSING].sum()) for column in patterns.T]
    patterns[:, [item for item, n in enumerate(answered) if n < minimum_n]] = MISSING
    numbers = {mode: number for number, mode in enumerate(Mode.values)}
    modes = np.fromiter((numbers.get(mode, WITHHELD) for mode in responses.modes), dtype=np.int64, count=counts.size)
    groups = np.where(
        np.isin(responses.groups, sorted(separable_groups(snapshot, definition))), responses.groups, WITHHELD
    )
    # Beside answers that are not protected, and beside arms, a mode could be somebody's alone.
    if definition.withheld_until_closed:
        modes[:] = WITHHELD
    for group in np.unique(groups):
        inside = groups == group
        modes[inside] = withhold_small_parts(modes[inside], patterns[inside], counts[inside], minimum_n)
    return _merged(patterns, counts, groups, modes)


def withhold_small_parts(
    parts: _Whole, patterns: npt.NDArray[np.uint8], counts: npt.NDArray[np.int64], minimum_n: int
) -> npt.NDArray[np.int64]:
    """Return the part that each pattern belongs to, `WITHHELD` where the part may not be shown separately.

    What counts are the responses and the answers to each item: then what is withheld holds at least the minimum of
    either, or nobody.
    """
    keys, where = np.unique(parts, return_inverse=True)
    where = where.reshape(-1)
    countings = []
    for answering in (np.ones(counts.size, dtype=bool), *(column != MISSING for column in patterns.T)):
        # Sums of integers below 2^53 are exact as floats.
        sizes = np.bincount(where, weights=counts * answering, minlength=keys.size).astype(np.int64)
        countings.append(dict(zip(keys.tolist(), sizes.tolist(), strict=True)))
    separable = separable_parts(countings, minimum_n)
    return np.where(np.isin(keys, sorted(separable)), keys, WITHHELD)[where]


def _merged(patterns: npt.NDArray[np.uint8], counts: _Whole, groups: _Whole, modes: _Whole) -> ExportRows:
    """Count together what looks the same now."""
    keys, group_of = np.unique(groups, return_inverse=True)
    # At most some dozens of groups: everything fits in bytes, which sort fast.
    columns = np.column_stack((patterns, group_of.astype(np.uint8), (modes + 1).astype(np.uint8)))
    distinct, where = np.unique(columns, axis=0, return_inverse=True)
    totals = np.zeros(len(distinct), dtype=np.int64)
    np.add.at(totals, where.reshape(-1), counts)
    return ExportRows(
        patterns=distinct[:, :-2],
        counts=totals,
        groups=keys[distinct[:, -2]],
        modes=distinct[:, -1].astype(np.int64) - 1,
    )


def shuffle_rows(counts: _Whole, generator: Generator | None = None) -> Iterator[npt.NDArray[np.int32]]:
    """Yield the number of each response's distinct row, in an order of which all are equally likely.

    How many of each distinct row a piece holds is drawn without replacement (multivariate hypergeometric) from those
    that are left, then the piece is shuffled: together that is one uniform permutation, of which never more than a
    piece exists. A piece is as long as there are distinct rows, so drawing it costs no more than writing it.

    The stored counts have no order that could come through. So anyone who guessed the generator's state would learn how
    a sum was dealt out, and nothing of who sent what when: its seed alone comes from the system's own randomness.

    Parameters
    ----------
    counts : int64 array, shape (m,)
        How often each distinct row comes; below 10^9 in all.
    generator : numpy.random.Generator, optional
        For tests.
    """
    chance = generator or default_rng(secrets.randbits(256))
    left, numbers = counts.copy(), np.arange(counts.size, dtype=np.int32)
    length, remaining = max(BLOCK, counts.size), int(counts.sum())
    while remaining:
        size = min(length, remaining)
        taken = left.copy() if size == remaining else chance.multivariate_hypergeometric(left, size)
        left -= taken
        remaining -= size
        piece = np.repeat(numbers, taken)
        chance.shuffle(piece)
        for start in range(0, size, BLOCK):
            yield piece[start : start + BLOCK]


# A survey as data that other programs can read: questions, labels, and every matrix exactly.


def described_items(definition: Definition) -> list[dict[str, Any]]:
    """Return what is needed to compute each item's results, in the order of the columns.

    A matrix stands as integers over one common denominator, a row a report, a column per true answer.
    """
    reports = report_labels(definition)
    return [described_item(definition, item, reports[item.number]) for item in definition.items]


def described_item(definition: Definition, item: Item, reports: tuple[str, ...] | None = None) -> dict[str, Any]:
    """Return the same of one item; `reports` is what its reports are called."""
    reports = reports or report_labels(definition)[item.number]
    question = definition.questions[item.question_number - 1]
    design = item.design
    fields: dict[str, Any] = {
        "name": column_name(item),
        "kind": item.kind,
        "question": item.text,
        "option": item.option,
        "reports": list(reports),
        "truths": list(item.labels),
        "design": str(design.name),
        "numerators": [[int(entry * design.denominator) for entry in row] for row in design.matrix],
        "denominator": design.denominator,
        "epsilon": design.epsilon if design.epsilon < math.inf else None,
        "leave_out": str(item.leave_out),
    }
    if question.answers.counts_options:
        fields["statements"] = list(question.options)
    if question.answers.one_true:
        fields["one_true_of"] = question.number
    if question.guessed:
        fields["guessed"] = question.guessed
    if question.arms:
        fields["arms"] = [number - 1 for number in question.arms]
    if question.asked_if:
        deciding = definition.items[question.asked_if.item]
        fields["asked_if"] = {"item": column_name(deciding), "codes": list(question.asked_if.codes)}
    if question.quantity:
        fields["quantity"] = question.quantity
    if grid := item.grid:
        # What the columns and the rows of the matrix stand for.
        fields |= {
            "truth_values": [list(value.as_integer_ratio()) for value in grid.truths],
            "report_values": [list(value.as_integer_ratio()) for value in grid.values],
        }
    return fields | question.answers.exported


def described_groups(groups: GroupNames) -> dict[str, str]:
    """Return the names of the groups by what the column holds."""
    return {slug: groups.names[key] for key, slug in groups.slugs.items()}
