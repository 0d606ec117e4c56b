"""What pages and files show of a closed survey: its responses after disclosure control."""

import numpy as np

from surveys.common.selectors import definition_of
from surveys.models import Survey
from surveys.questionnaire.definition import Definition
from surveys.responses.selectors.snapshot import Snapshot, snapshot_of
from surveys.responses.selectors.tally import MISSING, Tally
from surveys.responses.told import recode


def recoded(survey: Survey) -> tuple[Definition, Snapshot]:
    definition = definition_of(survey)
    return recode(definition, snapshot_of(survey, definition))


def shares(survey: Survey, number: int) -> dict[str, int]:
    """Return how many gave each answer to an item that is shown, by its label; "" is none."""
    definition, snapshot = recoded(survey)
    reports = snapshot.on(number)
    labels = {MISSING: ""} | dict(enumerate(definition.items[number].labels))
    return {
        labels[code]: int(reports.counts[reports.patterns[:, 0] == code].sum())
        for code in np.unique(reports.patterns[:, 0]).tolist()
    }


def smallest(rows: Tally, definition: Definition, groups: np.ndarray, items: list[int]) -> int:
    """Return the smallest number above 0 of people, or of their answers to a question, in any combination shown.

    A combination is a group and the answers to these items.
    """
    cells: dict[tuple[int, ...], np.ndarray] = {}
    for pattern, group, count in zip(rows.patterns, groups.tolist(), rows.counts.tolist(), strict=True):
        key = (group, *pattern[items].tolist())
        sizes = [count, *(count * (pattern[item.number] != MISSING) for item in definition.protected_items)]
        cells[key] = cells.get(key, np.zeros(len(sizes), dtype=np.int64)) + sizes
    return min(int(size) for sizes in cells.values() for size in sizes if size)
