"""Which groups, and whose chance, a survey's results and exports tell apart: the same everywhere at one moment.

Were it decided for each question by itself, a group told apart on one page and not on another would be found by holding
the two against each other. So it is decided once, for the responses and all questions together, and whatever is shown
is a function of rows in which the other groups are one.
"""

from collections import Counter

import numpy as np
import numpy.typing as npt

from surveys.models.definition import Definition, Item
from surveys.selectors.responses import all_in_figures
from surveys.selectors.results.small_numbers import told_apart
from surveys.selectors.results.snapshot import Snapshot


def told_groups(snapshot: Snapshot, definition: Definition) -> frozenset[int]:
    """Return the groups that may be told apart, by primary key; 0 is no group.

    Each holds at least the minimum of responses and, of answers to each question, as many or none; so do all others
    together.
    """
    answers = (answered_by_group(item, snapshot) for item in definition.items)
    return told_apart([snapshot.n_by_group, *answers], snapshot.minimum_n)


def answered_by_group(item: Item, snapshot: Snapshot) -> dict[int, int]:
    """Return how many of each group answered an item, by primary key; 0 is none."""
    reports = snapshot.on(item.number)
    given: npt.NDArray[np.bool_] = reports.patterns[:, 0] < item.design.m
    return {int(key): int(reports.counts[given & (reports.groups == key)].sum()) for key in np.unique(reports.groups)}


def told_modes(snapshot: Snapshot, groups: frozenset[int]) -> dict[str, int]:
    """Return the number of responses by who added chance, as far as that is kept and may be told beside these groups.

    A mode is told where its responses are enough, or nobody's, in each of the groups too: files tell modes within
    groups, and what they withhold must not follow from the sum.
    """
    if not final(snapshot) or not snapshot.n_by_mode:
        return {}
    within: dict[int | None, Counter[str]] = {}
    for (group, mode), n in snapshot.n_by_part.items():
        within.setdefault(group if group in groups else None, Counter())[mode] += n
    told = told_apart([snapshot.n_by_mode, *within.values()], snapshot.minimum_n)
    return {mode: n for mode, n in snapshot.n_by_mode.items() if mode in told}


def final(snapshot: Snapshot) -> bool:
    """Whether no more responses come in.

    Until then modes are withheld: responses are counted in batches by group, but a batch may hold a single one of some
    mode, which stands out in the difference of two looks.
    """
    return all_in_figures(snapshot.survey)
