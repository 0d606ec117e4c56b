"""Disclosure control: which parts of a survey's responses are shown separately on pages, in files and in releases.

A group, an arm or an unprotected answer that too few people share is merged with others. So everything shown, and
everything that follows by subtraction, is about at least the survey's minimum of people (`Survey.minimum_n`), or
nobody. No part is shown while more responses may come. When the survey closes the partition is decided once and stored:
from unprotected answers and skips, and from no randomized report. Anyone with two files can join them by the reports,
which are as good as a fingerprint. If the two files had different parts, the pieces would be smaller than either of
them allows (docs/decisions/0071-parted-once.md).
"""

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
from django.utils import translation
from django.utils.text import get_text_list
from django.utils.translation import gettext as _

from surveys.common.selectors import definition_of
from surveys.common.totals import all_in_figures
from surveys.models import State, Survey
from surveys.privacy.designs import direct
from surveys.questionnaire.asked_question import AskedQuestion, Item
from surveys.questionnaire.branches import Condition
from surveys.questionnaire.definition import Definition
from surveys.questionnaire.kinds import ONE_OF_LIST
from surveys.responses.selectors.snapshot import Reports, Snapshot, snapshot_of
from surveys.responses.selectors.tally import MISSING

CODES = 256
_Key = TypeVar("_Key", bound=Hashable)
_Integers = npt.NDArray[np.int64]
_NOTHING = (np.zeros((0, 0), np.int64), np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros((0, 1), np.int64))


@dataclass(frozen=True, slots=True)
class AnswerClasses:
    """Which answers to one question are merged; the last code stands for skipping it.

    Attributes
    ----------
    members : tuple of tuples of int
        The codes of each class, in their order; the class of skipping alone is none.
    left_out_in : int or None
        The class that skipping is merged with.
    """

    members: tuple[tuple[int, ...], ...]
    left_out_in: int | None = None

    @property
    def is_shown(self) -> bool:
        """Whether any answers to the question are shown separately."""
        return len(self.members) > 1

    @property
    def table(self) -> npt.NDArray[np.uint8]:
        """What each stored code counts as."""
        table = np.full(CODES, MISSING, dtype=np.uint8)
        if self.is_shown:
            for place, codes in enumerate(self.members):
                table[list(codes)] = place
            if self.left_out_in is not None:
                table[MISSING] = self.left_out_in
        return table


@dataclass(frozen=True, slots=True)
class Partition:
    """What a survey's pages and files show separately.

    Attributes
    ----------
    groups : frozenset of int
        Primary keys of the groups shown separately; 0 is no group.
    arms : bool
        Whether random arms are shown separately.
    classes : mapping from int to AnswerClasses
        The answers to each unprotected question that are shown separately, by the number of its item.
    """

    groups: frozenset[int] = frozenset()
    arms: bool = False
    classes: Mapping[int, AnswerClasses] = field(default_factory=dict)

    @classmethod
    def of_document(cls, document: Mapping[str, Any]) -> "Partition":
        classes = {
            int(item): AnswerClasses(tuple(map(tuple, members)), left_out_in)
            for item, (members, left_out_in) in document["classes"].items()
        }
        return cls(frozenset(document["groups"]), document["arms"], classes)

    @property
    def document(self) -> dict[str, Any]:
        classes = {str(item): [one.members, one.left_out_in] for item, one in self.classes.items()}
        return {"groups": sorted(self.groups), "arms": self.arms, "classes": classes}


def is_final(snapshot: Snapshot) -> bool:
    """Whether no more responses come in, or nobody in them is real.

    Until then only totals are shown, and no rows: a batch may hold a single one of some group, mode, arm or
    unprotected answer, and two looks that divide the responses in different ways expose individuals.
    """
    return all_in_figures(snapshot.survey) or snapshot.survey.is_rehearsal


def _decided(snapshot: Snapshot) -> Partition | None:
    """Return the partition decided when the survey closed; None where it has not been decided."""
    stored = snapshot.survey.partition if all_in_figures(snapshot.survey) else None
    return None if stored is None else Partition.of_document(stored)


def parts_large_enough(sizes: Mapping[_Key, int], minimum_n: int) -> frozenset[_Key]:
    """Return the parts whose figures may be shown beside the total.

    A part below the minimum is suppressed. So that nobody finds it by subtracting the shown parts from the total, the
    suppressed ones must hold at least the minimum together, or nobody: the smallest of the others are suppressed until
    they do.
    """
    return separable_parts([sizes], minimum_n)


def separable_parts(countings: Sequence[Mapping[_Key, int]], minimum_n: int) -> frozenset[_Key]:
    """Return the parts that are large enough in every counting: in responses, and in answers to each item, say.

    A part is separable if it holds at least the minimum in the first counting, and at least as many or nobody in each
    of the others. The suppressed parts must together hold at least the minimum or nobody, in each counting again: the
    smallest separable parts are suppressed until they do. So in every counting each sum of separable parts, with the
    suppressed ones or without, is 0 or at least the minimum, and so is all that subtraction can leave.

    Parameters
    ----------
    countings : sequence of mappings
        Sizes by part; no part is in a later counting that is not in the first. A later counting of fewer than the
        minimum altogether decides nothing, as nothing of it is shown anywhere.
    minimum_n : int
        At least 1.
    """
    responses = countings[0]
    all_counted = [responses, *(sizes for sizes in countings[1:] if sum(sizes.values()) >= minimum_n)]
    separable = {
        key
        for key, size in responses.items()
        if size >= minimum_n and not any(0 < sizes.get(key, 0) < minimum_n for sizes in all_counted)
    }
    suppressed = [sum(size for key, size in sizes.items() if key not in separable) for sizes in all_counted]
    # Once is enough: each part suppressed here adds nobody or enough to each counting, so none falls short anew.
    # Of equal parts always the same one: two pages must not suppress one each.
    for key in sorted(separable, key=lambda key: (responses[key], repr(key))):
        here = [sizes.get(key, 0) for sizes in all_counted]
        if any(size and 0 < rest < minimum_n for size, rest in zip(here, suppressed, strict=True)):
            separable.remove(key)
            suppressed = [rest + size for size, rest in zip(here, suppressed, strict=True)]
    return frozenset(separable)


# Groups, arms and modes: the same everywhere at one moment.
#
# If it were decided for each question by itself, a group shown separately on one page and not on another could be
# found by comparing the two. So it is decided once, for the responses and all questions together, and whatever is
# shown is a function of rows in which the other groups are merged.


def separable_groups(snapshot: Snapshot, definition: Definition) -> frozenset[int]:
    """Return the groups that may be shown separately, by primary key; 0 is no group.

    Each holds at least the minimum of responses and, of answers to each protected question, as many or none; so do all
    others together, and so does each random arm in them, where arms are shown separately. `recode` merges unprotected
    answers afterwards. While more responses may come there is no such group; once the survey is closed they are those
    of the stored partition.
    """
    if not is_final(snapshot):
        return frozenset()
    if (decided := _decided(snapshot)) is not None:
        return decided.groups
    # Questions that only some are asked are recoded as unanswered where they would show too small a part.
    asked = (question for question in definition.questions if question.protects and not question.asked_if)
    answers = [answered_by_group(item, snapshot) for question in asked for item in question.items]
    if definition.arms and snapshot.shows(len(definition.items)):
        answers += _by_group_in_arms(snapshot, definition)
    return separable_parts([snapshot.n_by_group, *answers], snapshot.minimum_n)


def answered_by_group(item: Item, snapshot: Snapshot) -> dict[int, int]:
    """Return how many of each group answered an item, by primary key; 0 is none."""
    reports = snapshot.on(item.number)
    given: npt.NDArray[np.bool_] = reports.patterns[:, 0] < item.design.m
    return {int(key): int(reports.counts[given & (reports.groups == key)].sum()) for key in np.unique(reports.groups)}


def arms_apart(snapshot: Snapshot, definition: Definition) -> bool:
    """Whether what differs between random arms may be shown.

    In each arm there are at least the minimum of responses and, of answers to each protected question, as many or
    none: not being asked a question shows that a person is in another arm.
    """
    if (decided := _decided(snapshot)) is not None:
        return decided.arms
    for reports in _answering(snapshot, definition):
        sizes = np.bincount(reports.patterns[:, 0], weights=reports.counts, minlength=len(definition.arms))
        if sizes.sum() >= snapshot.minimum_n and ((sizes > 0) & (sizes < snapshot.minimum_n)).any():
            return False
    return True


def _by_group_in_arms(snapshot: Snapshot, definition: Definition) -> list[dict[int, int]]:
    """Return for each arm how many of each group responded, and how many answered each protected item."""
    counted: list[dict[int, int]] = []
    for reports in _answering(snapshot, definition):
        for arm in range(len(definition.arms)):
            sizes: Counter[int] = Counter()
            here = reports.patterns[:, 0] == arm
            for group, count in zip(reports.groups[here].tolist(), reports.counts[here].tolist(), strict=True):
                sizes[group] += count
            counted.append(dict(sizes))
    return counted


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
    """Return the number of responses by what randomized them, as far as kept and fit to be shown beside these groups.

    A mode is shown where its responses are enough, or nobody's, in each of the groups too: files show modes within
    groups, and what they withhold must not follow from the sum. Beside unprotected answers and arms, which are shown
    within groups as well, no mode is shown.
    """
    if not is_final(snapshot) or not snapshot.n_by_mode or definition.withheld_until_closed:
        return {}
    within: dict[int | None, Counter[str]] = {}
    for (group, mode), n in snapshot.n_by_part.items():
        within.setdefault(group if group in groups else None, Counter())[mode] += n
    separable = separable_parts([snapshot.n_by_mode, *within.values()], snapshot.minimum_n)
    return {mode: n for mode, n in snapshot.n_by_mode.items() if mode in separable}


# Answers that are sent as they are: a combination of them, in a group, can be somebody's alone, and beside it stand
# that person's other reports.


def recode(definition: Definition, snapshot: Snapshot) -> tuple[Definition, Snapshot]:
    """Return the survey and its responses as they may be shown: with answers merged that would expose individuals.

    In every combination of unprotected answers, arms and groups that is shown there are at least the minimum of
    responses and, of answers to each protected question, as many or none. Questions are taken in their order: the first
    ones keep most. A question whose answers all merge counts as skipped by everybody, and so do questions asked in
    some arms only, where arms cannot be shown separately. Until the survey is closed nothing is shown at all: in two
    batches, or in one and the closed survey, somebody can be the only one with an answer (decision 71).
    """
    if not definition.withheld_until_closed:
        return definition, snapshot
    if not is_final(snapshot):
        return definition, replace(snapshot, withheld=True)
    if not snapshot.enough:
        return definition, snapshot
    partition = _decided(snapshot) or partition_of(definition, snapshot)
    if definition.arms and not partition.arms:
        snapshot = _with_arms_as_one(definition, snapshot)
    plain = [question for question in definition.questions if not question.protects]
    classes = {question.first.number: AnswerClasses(()) for question in plain}
    for question in _plain_questions(definition, snapshot, arms=partition.arms):
        classes[question.first.number] = partition.classes[question.first.number]
    recoded = {number: one.table for number, one in classes.items()}
    for question in definition.questions:
        if question.asked_if and not _recoded_condition(question.asked_if, classes[question.asked_if.item]):
            # That somebody was asked reveals the answer that decides, which may not be shown.
            recoded |= {item.number: AnswerClasses(()).table for item in question.items}
    recoded_definition = definition.changed(lambda spoken: _with_classes(spoken, classes))
    return recoded_definition, replace(snapshot, recoded={**snapshot.recoded, **recoded})


def partition_of(definition: Definition, snapshot: Snapshot) -> Partition:
    """Return the parts of these responses that may be shown separately, from what is stored of them."""
    arms = bool(definition.arms) and arms_apart(snapshot, definition)
    if definition.arms and not arms:
        snapshot = _with_arms_as_one(definition, snapshot)
    groups = separable_groups(snapshot, definition)
    plain = _plain_questions(definition, snapshot, arms=arms)
    codes, arm_of, parts, sizes = _sizes(definition, snapshot, plain, groups, arms=arms) if plain else _NOTHING
    classes: dict[int, AnswerClasses] = {}
    for question, answers in zip(plain, codes.T, strict=True):
        item = question.first
        # People who are not asked have given no answer that could be merged with others.
        asked = np.isin(arm_of + 1, question.arms) if question.arms else np.ones(len(answers), dtype=bool)
        sides = _sides(definition, item)
        shuffled = question.random_order and not question.answers.counts_options
        class_of = _class_of(
            answers[asked], parts[asked], sizes[asked], snapshot.minimum_n, sides, in_order=not shuffled
        )
        merged = _classes(class_of, item.design.k)
        if question.arms and merged.left_out_in is not None:
            # Not asked and skipped are stored alike: neither can be merged with an answer without the other.
            merged = AnswerClasses(())
        classes[item.number] = merged
        if merged.is_shown:
            parts = np.unique(parts * (item.design.k + 1) + class_of[answers], return_inverse=True)[1].reshape(-1)
    return Partition(groups, arms, classes)


def keep_partition(survey: Survey) -> None:
    """Store what a closed survey shows separately, unless that has been done; in a rehearsal nobody is real."""
    if survey.state != State.CLOSED or survey.is_rehearsal or survey.partition is not None:
        return
    definition = definition_of(survey)
    decided = partition_of(definition, snapshot_of(survey, definition)).document
    Survey.objects.filter(pk=survey.pk, state=State.CLOSED, partition__isnull=True).update(partition=decided)
    survey.refresh_from_db(fields=["partition"])


def _plain_questions(definition: Definition, snapshot: Snapshot, *, arms: bool) -> list[AskedQuestion]:
    """Return the unprotected questions of which something may be shown."""
    plain = [question for question in definition.questions if not question.protects and (arms or not question.arms)]
    # Where only pairs of items are kept, the combinations with a second one are not known.
    return plain if snapshot.keeps_responses else plain[: 0 if arms else 1]


def _with_arms_as_one(definition: Definition, snapshot: Snapshot) -> Snapshot:
    """Return the responses with all arms merged, and without what is asked in some arms only."""
    items = (item.number for question in definition.questions if question.arms for item in question.items)
    nothing = np.full(CODES, MISSING, dtype=np.uint8)
    return replace(snapshot, recoded=dict.fromkeys((*items, len(definition.items)), nothing))


def _sizes(
    definition: Definition,
    snapshot: Snapshot,
    plain: Sequence[AskedQuestion],
    groups: frozenset[int],
    *,
    arms: bool,
) -> tuple[_Integers, _Integers, _Integers, _Integers]:
    """Return the combinations that occur: their answers, arm, the part that group and arm are, and how large each is.

    Sizes stand in columns: responses, then answers to each protected item that may be skipped and that enough people
    answered for anything to be shown of it.
    """
    # The arm is one more unprotected answer, which nobody gave and which is shown as it is.
    arm = [len(definition.items)] if arms else []
    items = [question.first for question in plain]
    numbers = [*arm, *(item.number for item in items)]
    responses = snapshot.on(*numbers)
    widths = np.array([*(len(definition.arms) for _ in arm), *(item.design.k for item in items)])
    keys = np.column_stack((responses.groups, np.minimum(responses.patterns.astype(np.int64), widths)))
    sizes = [responses.counts]
    row_of = {key: row for row, key in enumerate(map(tuple, keys.tolist()))}
    for item in definition.protected_items:
        if not item.can_be_left_out:
            # Of a combination that is shown everybody is asked it, or nobody: see `recode`.
            continue
        reports = snapshot.on(*numbers, item.number)
        answered = reports.patterns[:, -1] < item.design.m
        given = np.minimum(reports.patterns[answered, :-1].astype(np.int64), widths)
        column = np.zeros(len(keys), dtype=np.int64)
        of_rows = [row_of[key] for key in map(tuple, np.column_stack((reports.groups[answered], given)).tolist())]
        np.add.at(column, of_rows, reports.counts[answered])
        if column.sum() >= snapshot.minimum_n:
            sizes.append(column)
    parts = np.column_stack((np.where(np.isin(keys[:, 0], sorted(groups)), keys[:, 0], -1), keys[:, 1 : 1 + len(arm)]))
    part_of = np.unique(parts, axis=0, return_inverse=True)[1].reshape(-1)
    arm_of = keys[:, 1] if arm else np.zeros(len(keys), dtype=np.int64)
    return keys[:, 1 + len(arm) :], arm_of, part_of, np.column_stack(sizes)


def _sides(definition: Definition, item: Item) -> list[frozenset[int]]:
    """Return for each answer to an item, and for leaving it out, which questions are asked after it but not always."""
    conditions = [(asked.number, asked.asked_if) for asked in definition.questions if asked.asked_if]
    return [
        frozenset(number for number, asked_if in conditions if asked_if.item == item.number and code in asked_if.codes)
        for code in range(item.design.k + 1)
    ]


def _class_of(
    answers: _Integers,
    parts: _Integers,
    sizes: _Integers,
    minimum_n: int,
    sides: Sequence[frozenset[int]],
    *,
    in_order: bool,
) -> _Integers:
    """Return the class of each answer, and of skipping, by its lowest code: merged until each combination is enough.

    The smallest class that has too few in some part is merged with the smallest of the others, and again: if possible
    with one that was asked the same questions, or else nothing of those could be shown. Where answers are in an order,
    the others are the next below and above, and answers between them that nobody gave are merged too; skipping has
    no place in the order, so it is next to each.
    """
    class_of, left_out = np.arange(len(sides)), len(sides) - 1
    while True:
        cells = np.zeros((int(parts.max(initial=-1)) + 1, len(sides), sizes.shape[1]), dtype=np.int64)
        np.add.at(cells, (parts, class_of[answers]), sizes)
        too_few = set(np.nonzero((cells > 0) & (cells < minimum_n))[1].tolist())
        totals = cells[:, :, 0].sum(axis=0)
        occurring = sorted(np.flatnonzero(totals).tolist(), key=lambda code: (totals[code], code))
        short = [code for code in occurring if code in too_few]
        if not short or len(occurring) == 1:
            return class_of
        first = short[0]
        others = [code for code in occurring if code != first]
        if in_order and first != left_out:
            place = sorted(occurring).index(first)
            near = {*sorted(occurring)[max(place - 1, 0) : place + 2], left_out}
            others = [code for code in others if code in near]
        second = min(others, key=lambda code: (sides[code] != sides[first], totals[code], code))
        joined = np.isin(class_of, (first, second))
        if in_order:
            codes = np.flatnonzero(joined[:left_out]).tolist()
            joined[[code for code in range(codes[0], codes[-1]) if sides[code] == sides[first]]] = True
        class_of[joined] = min(first, second)


def _classes(class_of: _Integers, k: int) -> AnswerClasses:
    members = [tuple(np.flatnonzero(class_of[:k] == code).tolist()) for code in dict.fromkeys(class_of[:k].tolist())]
    lowest = int(class_of[k])
    return AnswerClasses(tuple(members), next((p for p, codes in enumerate(members) if lowest in codes), None))


def _recoded_condition(condition: Condition, classes: AnswerClasses) -> Condition | None:
    """Return whom a question is asked in classes of answers; None where one of them holds some who are not asked."""
    asked = set(condition.codes)
    within = [place for place, codes in enumerate(classes.members) if asked.issuperset(codes)]
    apart = all(asked.issuperset(codes) or asked.isdisjoint(codes) for codes in classes.members)
    if not classes.is_shown or not apart or classes.left_out_in in within:
        return None
    return replace(condition, codes=tuple(within))


def _with_classes(definition: Definition, classes: Mapping[int, AnswerClasses]) -> Definition:
    """Return a survey in any of its languages, with the classes of answers to its plain items as answers."""
    questions = []
    with translation.override(definition.language):
        for question in definition.questions:
            asked_if = question.asked_if and _recoded_condition(question.asked_if, classes[question.asked_if.item])
            shown = question if question.protects else _recoded_question(question, classes[question.first.number])
            questions.append(replace(shown, asked_if=asked_if or question.asked_if))
    return replace(definition, questions=tuple(questions))


def _recoded_question(question: AskedQuestion, classes: AnswerClasses) -> AskedQuestion:
    """Return the question with merged answers as one each, which makes it a question of one of several options."""
    item = question.first
    if not classes.is_shown or (len(classes.members) == item.design.k and classes.left_out_in is None):
        return question
    labels = [
        get_text_list(
            [item.labels[code] for code in codes] + ([_("skipped")] if place == classes.left_out_in else []), _("or")
        )
        for place, codes in enumerate(classes.members)
    ]
    answers = replace(ONE_OF_LIST, options=tuple(labels))
    merged = replace(item, answers=answers, labels=answers.options, design=direct(len(labels)))
    return replace(question, answers=answers, items=(merged,))
