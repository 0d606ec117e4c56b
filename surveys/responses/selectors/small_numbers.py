"""Which parts of the responses are large enough to be told apart."""

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from surveys.models.asked_question import Item
from surveys.models.definition import Definition
from surveys.responses.selectors.snapshot import Reports, Snapshot
from surveys.responses.selectors.tally import all_in_figures

_Key = TypeVar("_Key", bound=Hashable)


def parts_large_enough(sizes: Mapping[_Key, int], minimum_n: int) -> frozenset[_Key]:
    """Return the parts whose figures may be shown beside those of the whole.

    A part below the minimum is hidden. So that nobody finds it by taking the shown parts from the whole, the hidden
    ones must hold at least the minimum together, or nobody: the smallest of the others are hidden until they do.
    """
    return separable_parts([sizes], minimum_n)


def separable_parts(countings: Sequence[Mapping[_Key, int]], minimum_n: int) -> frozenset[_Key]:
    """Return the parts that are large enough in every counting: in responses, and in answers to each item, say.

    Told apart is a part that holds at least the minimum in the first counting, and at least as many or nobody in each
    of the others. The others of the first counting's parts must together hold at least the minimum or nobody, in each
    counting again: the smallest are hidden until they do. So in every counting each sum of parts told apart, with what
    is hidden or without, is 0 or at least the minimum, and so is all that subtraction can leave.

    Parameters
    ----------
    countings : sequence of mappings
        Sizes by part; no part is in a later counting that is not in the first. A later counting of fewer than the
        minimum altogether decides nothing: of it nothing is shown anywhere.
    minimum_n : int
        At least 1.
    """
    whole = countings[0]
    all_counted = [whole, *(sizes for sizes in countings[1:] if sum(sizes.values()) >= minimum_n)]
    told = {
        key
        for key, size in whole.items()
        if size >= minimum_n and not any(0 < sizes.get(key, 0) < minimum_n for sizes in all_counted)
    }
    hidden = [sum(size for key, size in sizes.items() if key not in told) for sizes in all_counted]
    # Once is enough: what is hidden further adds nobody or enough to each counting, so none falls short anew.
    # Of equal parts always the same one: two pages must not hide one each.
    for key in sorted(told, key=lambda key: (whole[key], repr(key))):
        here = [sizes.get(key, 0) for sizes in all_counted]
        if any(size and 0 < rest < minimum_n for size, rest in zip(here, hidden, strict=True)):
            told.remove(key)
            hidden = [rest + size for size, rest in zip(here, hidden, strict=True)]
    return frozenset(told)


# Which groups, and whose chance, a survey's results and exports tell apart: the same everywhere at one moment.
#
# Were it decided for each question by itself, a group told apart on one page and not on another would be found by
# holding the two against each other. So it is decided once, for the responses and all questions together, and
# whatever is shown is a function of rows in which the other groups are one.


def separable_groups(snapshot: Snapshot, definition: Definition) -> frozenset[int]:
    """Return the groups that may be told apart, by primary key; 0 is no group.

    Each holds at least the minimum of responses and, of answers to each protected question, as many or none; so do all
    others together, and so does each random arm in them, where arms are told apart. Of what is not protected,
    `told_together` sees to that afterwards. While more may come no group is, and once the survey is closed those that
    were when that was decided.
    """
    if not final(snapshot):
        return frozenset()
    if snapshot.partition is not None:
        return snapshot.partition.groups
    # Of those that only some are asked nothing is told where that would tell too small a part.
    asked = (question for question in definition.questions if question.protects and not question.asked_if)
    answers = [answered_by_group(item, snapshot) for question in asked for item in question.items]
    if definition.arms and snapshot.tells(len(definition.items)):
        answers += _by_group_in_arms(snapshot, definition)
    return separable_parts([snapshot.n_by_group, *answers], snapshot.minimum_n)


def answered_by_group(item: Item, snapshot: Snapshot) -> dict[int, int]:
    """Return how many of each group answered an item, by primary key; 0 is none."""
    reports = snapshot.on(item.number)
    given: npt.NDArray[np.bool_] = reports.patterns[:, 0] < item.design.m
    return {int(key): int(reports.counts[given & (reports.groups == key)].sum()) for key in np.unique(reports.groups)}


def arms_apart(snapshot: Snapshot, definition: Definition) -> bool:
    """Whether what differs between random arms may be told.

    In each arm there are at least the minimum of responses and, of answers to each protected question, as many or
    none: whoever is not asked a question is known by that to be of another arm.
    """
    if snapshot.partition is not None:
        return snapshot.partition.arms
    for reports in _answering(snapshot, definition):
        sizes = np.bincount(reports.patterns[:, 0], weights=reports.counts, minlength=len(definition.arms))
        if sizes.sum() >= snapshot.minimum_n and ((sizes > 0) & (sizes < snapshot.minimum_n)).any():
            return False
    return True


def _by_group_in_arms(snapshot: Snapshot, definition: Definition) -> list[dict[int, int]]:
    """Return for each arm how many of each group responded, and how many answered each protected item."""
    found: list[dict[int, int]] = []
    for reports in _answering(snapshot, definition):
        for arm in range(len(definition.arms)):
            sizes: Counter[int] = Counter()
            here = reports.patterns[:, 0] == arm
            for group, count in zip(reports.groups[here].tolist(), reports.counts[here].tolist(), strict=True):
                sizes[group] += count
            found.append(dict(sizes))
    return found


def _answering(snapshot: Snapshot, definition: Definition) -> Iterator[Reports]:
    """Yield all responses by arm, which comes first in their patterns, then those that answered each protected item."""
    arm = len(definition.items)
    yield snapshot.on(arm)
    asked = (question for question in definition.questions if question.protects and not question.asked_if)
    for item in (item for question in asked for item in question.items):
        reports = snapshot.on(arm, item.number)
        given = reports.patterns[:, 1] < item.design.m
        yield Reports(reports.patterns[given], reports.counts[given], reports.groups[given])


def separable_modes(snapshot: Snapshot, definition: Definition, groups: frozenset[int]) -> dict[str, int]:
    """Return the number of responses by who added chance, as far as that is kept and may be told beside these groups.

    A mode is told where its responses are enough, or nobody's, in each of the groups too: files tell modes within
    groups, and what they withhold must not follow from the sum. Beside answers that are not protected and arms, which
    are told within groups as well, no mode is.
    """
    if not final(snapshot) or not snapshot.n_by_mode or definition.figures_wait:
        return {}
    within: dict[int | None, Counter[str]] = {}
    for (group, mode), n in snapshot.n_by_part.items():
        within.setdefault(group if group in groups else None, Counter())[mode] += n
    told = separable_parts([snapshot.n_by_mode, *within.values()], snapshot.minimum_n)
    return {mode: n for mode, n in snapshot.n_by_mode.items() if mode in told}


def final(snapshot: Snapshot) -> bool:
    """Whether no more responses come in, or nobody in them is real.

    Until then only totals are told, and no rows: a batch may hold a single one of some group, mode, arm or plain
    answer, and two looks that part the responses in different ways single people out.
    """
    return all_in_figures(snapshot.survey) or snapshot.survey.is_rehearsal
