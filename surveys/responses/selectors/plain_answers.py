"""Which answers that are sent as they are, and which arms, may be told apart: the rule of small numbers without chance.

A combination of such answers, in a group, can be somebody's alone, and beside it stand that person's other reports. So
answers are told together until each combination that is left is shared by enough people; whatever pages and files show
is a function of responses in which they are one answer. That is decided once, when the survey closes, from who
answered what without chance and who left what out: on no report that chance protects.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt
from django.utils import translation
from django.utils.text import get_text_list
from django.utils.translation import gettext as _

from surveys.models.asked_question import AskedQuestion, Item
from surveys.models.branches import Condition
from surveys.models.definition import Definition
from surveys.models.kinds import Kind
from surveys.privacy.designs import direct
from surveys.responses.selectors.partition import CODES, AnswerClasses, Partition
from surveys.responses.selectors.small_numbers import arms_apart, final, separable_groups
from surveys.responses.selectors.snapshot import Snapshot
from surveys.responses.selectors.tally import MISSING

_Whole = npt.NDArray[np.int64]
_NOTHING = (np.zeros((0, 0), np.int64), np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros((0, 1), np.int64))


def told_together(definition: Definition, snapshot: Snapshot) -> tuple[Definition, Snapshot]:
    """Return the survey and its responses as they may be told: with answers as one that would single people out.

    In every combination of such answers, arms and groups that are told apart there are at least the minimum of
    responses and, of answers to each protected question, as many or none. Questions are taken in their order: the first
    ones keep most. One of which nothing can be told counts as left out by everybody, and so does, where arms cannot be
    told apart, whatever is asked in some of them only. Until the survey is closed nothing is told at all: in two
    batches, or in one and the closed survey, somebody can be the only one with an answer (decision 71).
    """
    if not definition.figures_wait:
        return definition, snapshot
    if not final(snapshot):
        return definition, replace(snapshot, waits=True)
    if not snapshot.enough:
        return definition, snapshot
    found = snapshot.partition or partition_of(definition, snapshot)
    if definition.arms and not found.arms:
        snapshot = _with_arms_as_one(definition, snapshot)
    plain = [question for question in definition.questions if not question.protects]
    classes = {question.first.number: AnswerClasses(()) for question in plain}
    for question in _plain_to_tell(definition, snapshot, arms=found.arms):
        classes[question.first.number] = found.classes[question.first.number]
    recoded = {number: one.table for number, one in classes.items()}
    for question in definition.questions:
        if question.asked_if and not _condition_told(question.asked_if, classes[question.asked_if.item]):
            # That somebody was asked tells of the answer that decides, which may not be told.
            recoded |= {item.number: AnswerClasses(()).table for item in question.items}
    told_as = definition.changed(lambda spoken: _with_classes(spoken, classes))
    return told_as, replace(snapshot, recoded={**snapshot.recoded, **recoded})


def partition_of(definition: Definition, snapshot: Snapshot) -> Partition:
    """Return into which parts these responses may be told apart, from what is stored of them."""
    arms = bool(definition.arms) and arms_apart(snapshot, definition)
    if definition.arms and not arms:
        snapshot = _with_arms_as_one(definition, snapshot)
    groups = separable_groups(snapshot, definition)
    plain = _plain_to_tell(definition, snapshot, arms=arms)
    codes, arm_of, parts, sizes = _sizes(definition, snapshot, plain, groups, arms=arms) if plain else _NOTHING
    classes: dict[int, AnswerClasses] = {}
    for question, answers in zip(plain, codes.T, strict=True):
        item = question.first
        # Whoever is not asked has given no answer that could be told with others.
        asked = np.isin(arm_of + 1, question.arms) if question.arms else np.ones(len(answers), dtype=bool)
        sides = _sides(definition, item)
        shuffled = question.random_order and not question.traits.counts_options
        class_of = _class_of(
            answers[asked], parts[asked], sizes[asked], snapshot.minimum_n, sides, in_order=not shuffled
        )
        found = _classes(class_of, item.design.k)
        if question.arms and found.left_out_in is not None:
            # Not asked and skipped are stored alike: they cannot be told with an answer the one without the other.
            found = AnswerClasses(())
        classes[item.number] = found
        if found.told:
            parts = np.unique(parts * (item.design.k + 1) + class_of[answers], return_inverse=True)[1].reshape(-1)
    return Partition(groups, arms, classes)


def _plain_to_tell(definition: Definition, snapshot: Snapshot, *, arms: bool) -> list[AskedQuestion]:
    """Return the questions without chance of which something may be told."""
    plain = [question for question in definition.questions if not question.protects and (arms or not question.arms)]
    # Where only pairs of items are kept, the combinations with a second one are not known.
    return plain if snapshot.whole else plain[: 0 if arms else 1]


def _with_arms_as_one(definition: Definition, snapshot: Snapshot) -> Snapshot:
    """Tell neither whose arm is which nor what is asked in some arms only."""
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
) -> tuple[_Whole, _Whole, _Whole, _Whole]:
    """Return the combinations that occur: their answers, arm, the part that group and arm are, and how large each is.

    Sizes stand in columns: responses, then answers to each protected item that is left out by some and that enough
    people answered for anything to be shown of it.
    """
    # The arm is one more answer without chance, which nobody gave and which is told as it is.
    arm = [len(definition.items)] if arms else []
    items = [question.first for question in plain]
    numbers = [*arm, *(item.number for item in items)]
    whole = snapshot.on(*numbers)
    widths = np.array([*(len(definition.arms) for _ in arm), *(item.design.k for item in items)])
    keys = np.column_stack((whole.groups, np.minimum(whole.patterns.astype(np.int64), widths)))
    sizes = [whole.counts]
    of_some = {item.number for question in definition.questions if question.asked_if for item in question.items}
    row_of = {key: row for row, key in enumerate(map(tuple, keys.tolist()))}
    for item in definition.protected_items:
        if not item.can_be_left_out and item.number not in of_some:
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
    answers: _Whole,
    parts: _Whole,
    sizes: _Whole,
    minimum_n: int,
    sides: Sequence[frozenset[int]],
    *,
    in_order: bool,
) -> _Whole:
    """Return the class of each answer, and of leaving out, by its lowest code: merged until each combination is enough.

    The smallest class that has too few in some part is told together with the smallest of the others, and again: if
    it can be with one that was asked the same, or else nothing could be told of what was asked. Of answers in an order
    the others are the next below and above, and what nobody answered between them comes along; leaving out has no
    place in it, so it is next to each.
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


def _classes(class_of: _Whole, k: int) -> AnswerClasses:
    members = [tuple(np.flatnonzero(class_of[:k] == code).tolist()) for code in dict.fromkeys(class_of[:k].tolist())]
    lowest = int(class_of[k])
    return AnswerClasses(tuple(members), next((p for p, codes in enumerate(members) if lowest in codes), None))


def _condition_told(condition: Condition, classes: AnswerClasses) -> Condition | None:
    """Return whom a question is asked in classes of answers; None where one of them holds some who are not asked."""
    asked = set(condition.codes)
    within = [place for place, codes in enumerate(classes.members) if asked.issuperset(codes)]
    apart = all(asked.issuperset(codes) or asked.isdisjoint(codes) for codes in classes.members)
    if not classes.told or not apart or classes.left_out_in in within:
        return None
    return replace(condition, codes=tuple(within))


def _with_classes(definition: Definition, classes: Mapping[int, AnswerClasses]) -> Definition:
    """Return a survey in any of its languages, with the classes of answers to its plain items as answers."""
    questions = []
    with translation.override(definition.language):
        for question in definition.questions:
            asked_if = question.asked_if and _condition_told(question.asked_if, classes[question.asked_if.item])
            told = question if question.protects else _told(question, classes[question.first.number])
            questions.append(replace(told, asked_if=asked_if or question.asked_if))
    return replace(definition, questions=tuple(questions))


def _told(question: AskedQuestion, classes: AnswerClasses) -> AskedQuestion:
    """Return the question with the answers that are told together as one, which makes it one of several options."""
    item = question.first
    if not classes.told or (len(classes.members) == item.design.k and classes.left_out_in is None):
        return question
    labels = [
        get_text_list(
            [item.labels[code] for code in codes] + ([_("skipped")] if place == classes.left_out_in else []), _("or")
        )
        for place, codes in enumerate(classes.members)
    ]
    kind = Kind.ONE_OF.value
    merged = replace(item, kind=kind, labels=tuple(labels), design=direct(len(labels)))
    return replace(question, kind=kind, details={}, items=(merged,))
