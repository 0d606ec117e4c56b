"""What results may be drawn from: every tab and every export reads responses through here and nowhere else."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from surveys.common.totals import ResponseTotals, all_in_figures, standing_of
from surveys.models import Survey
from surveys.questionnaire.asked_question import AskedQuestion
from surveys.questionnaire.definition import Definition
from surveys.responses.selectors.tally import (
    MISSING,
    MOST_PATTERNS,
    Cells,
    Counted,
    Tally,
    cells_of,
    folded_responses,
    folded_tally,
    read_combined,
    tally_of,
)

# A fold takes longer than a reading, so that two readings agree almost always at once.
_TRIES = 10
# Codes are below 36; the largest number that stands for one is a missing answer, which sorts last as 255 does.
_CODES = 64
_LARGEST_KEY = 2**62


class OutdatedError(Exception):
    """A fold has changed what this snapshot was made of: take another one."""


class WithheldError(Exception):
    """What is asked for is shown only once the survey is closed."""


class NotKeptError(Exception):
    """Whole responses are asked for, and the survey was sealed to the counts of single items and of pairs."""


@dataclass(frozen=True, slots=True, eq=False)
class Reports:
    """The distinct reports of some items and how often each came, by group.

    Attributes
    ----------
    patterns : uint8 array, shape (m, items)
        Report codes of the items asked for, in the order asked for; 255 is a visibly missing answer.
    counts : int64 array, shape (m,)
        Responses with these reports in this group.
    groups : int64 array, shape (m,)
        Primary key of the group; 0 is none.
    """

    patterns: npt.NDArray[np.uint8]
    counts: npt.NDArray[np.int64]
    groups: npt.NDArray[np.int64]

    @property
    def n(self) -> int:
        return int(self.counts.sum())


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """The responses that results are drawn from at this moment.

    While more answers may come these are the folded ones, which grow by batches; afterwards all.
    """

    survey: Survey = field(repr=False)
    minimum_n: int  # below it nothing but counts may be shown: overall, of a group, of an item, of a cell
    n: int  # responses in the figures
    received: int  # all responses; those beyond n wait for the next batch
    n_by_mode: Mapping[str, int]
    n_by_group: Mapping[int, int]  # by primary key; 0 is none
    n_by_part: Mapping[tuple[int, str], int]  # by group and mode
    keeps_responses: bool  # whether whole responses are kept
    _source: Tally | Cells = field(repr=False)
    # By the number of an item: what each code of its stored answers counts as, where some are merged.
    recoded: Mapping[int, npt.NDArray[np.uint8]] = field(default_factory=dict, repr=False)
    # Whether nothing but the number of responses is shown until the survey is closed.
    withheld: bool = False

    @property
    def enough(self) -> bool:
        """Whether there are enough responses to show anything but their number."""
        return self.n >= self.minimum_n and not self.withheld

    def shows(self, item: int) -> bool:
        """Whether answers to this item are shown at all."""
        return item not in self.recoded or bool((self.recoded[item] != MISSING).any())

    def shows_number_of(self, question: AskedQuestion) -> bool:
        """Whether the number of people who answered a question is shown, of responses as `recode` returns them.

        People who did not answer are of another arm or branch, or skipped it: that is sent as it is and as sensitive as
        an answer.
        """
        if not question.missing_is_sensitive:
            return True
        item = question.first.number
        return self.enough and self.shows(item) and (item not in self.recoded or self.recoded[item][MISSING] == MISSING)

    def on(self, *items: int) -> Reports:
        """Return the reports of these items (their numbers, from 0), counted together and by group.

        Raises `OutdatedError` where this asks the database again and a fold has come in between, `NotKeptError` for
        three items and more where only pairs are kept, `WithheldError` where figures wait for the closing.
        """
        return _summed(*self._recoded(items))

    def table(self, first: int, second: int, shape: tuple[int, int]) -> npt.NDArray[np.int64]:
        """Return how often each pair of reports to two items came, a row a report to the first; raises as `on` does.

        Without sorting, which of hundreds of pairs takes long.
        """
        codes, counts, _groups = self._recoded((first, second))
        both = (codes < np.array(shape)).all(axis=1)
        places = codes[both, 0].astype(np.int64) * shape[1] + codes[both, 1]
        # Sums of integers below 2^53 are exact as floats.
        sums = np.bincount(places, weights=counts[both], minlength=shape[0] * shape[1])
        return sums.astype(np.int64).reshape(shape)

    def asked(self, *questions: AskedQuestion) -> int:
        """Return how many were asked all of these: in their arms, and by their answers to the questions that decide."""
        deciding: dict[int, set[int]] = {}
        for question in questions:
            wanted = [(question.arm_column, {number - 1 for number in question.arms})] if question.arms else []
            wanted += [(question.asked_if.item, set(question.asked_if.codes))] if question.asked_if else []
            for column, codes in wanted:
                deciding[column] = deciding.get(column, codes) & codes
        if not deciding:
            return self.n
        reports = _summed(*self._recoded(tuple(deciding)))
        asked = [
            np.isin(column, sorted(codes)) for column, codes in zip(reports.patterns.T, deciding.values(), strict=True)
        ]
        return int(reports.counts[np.all(asked, axis=0)].sum())

    def responses(self, *, items: int) -> Tally:
        """Return whole responses, of this many items each: for exports. Raises as `on` does."""
        self._require_responses()
        tally = self._source if isinstance(self._source, Tally) else folded_responses(self.survey, items=items)
        if tally.n != self.n:
            raise OutdatedError
        return replace(tally, patterns=_recode(tally.patterns, self.recoded)) if self.recoded else tally

    def _recoded(self, items: tuple[int, ...]) -> Counted:
        codes, counts, groups = self._counted(items)
        if recoded := {place: self.recoded[item] for place, item in enumerate(items) if item in self.recoded}:
            codes = _recode(codes, recoded)
        return codes, counts, groups

    def _counted(self, items: tuple[int, ...]) -> Counted:
        if self.withheld:
            raise WithheldError
        source = self._source
        if isinstance(source, Tally):
            return source.patterns[:, list(items)], source.counts, source.groups
        if len(set(items)) <= 2:
            first, second = min(items, default=0), max(items, default=0)
            codes, counts, groups = source.on(first, second)
            return codes[:, [0 if item == first else 1 for item in items]], counts, groups
        self._require_responses()
        counted = read_combined(self.survey, items)
        if counted[1].sum() != self.n:
            raise OutdatedError
        return counted

    def _require_responses(self) -> None:
        if self.withheld:
            raise WithheldError
        if not self.keeps_responses:
            raise NotKeptError


def _recode(codes: npt.NDArray[np.uint8], tables: Mapping[int, npt.NDArray[np.uint8]]) -> npt.NDArray[np.uint8]:
    codes = codes.copy()
    for place, table in tables.items():
        codes[:, place] = table[codes[:, place]]
    return codes


def _summed(codes: npt.NDArray[np.uint8], counts: npt.NDArray[np.int64], groups: npt.NDArray[np.int64]) -> Reports:
    """Add up what is alike, in the order of groups and codes; sorting rows of numbers costs ten times as much."""
    width = codes.shape[1]
    keys, key = np.unique(groups, return_inverse=True) if groups.size else (groups, groups)
    if len(keys) * _CODES**width > _LARGEST_KEY:
        rows, where = np.unique(np.column_stack((groups, codes.astype(np.int64))), axis=0, return_inverse=True)
        sums = np.zeros(len(rows), dtype=np.int64)
        np.add.at(sums, where.reshape(-1), counts)
        return Reports(patterns=rows[:, 1:].astype(np.uint8), counts=sums, groups=rows[:, 0])
    key = key.reshape(-1)
    for column in codes.T:
        key = key * _CODES + np.minimum(column, _CODES - 1)
    distinct, where = np.unique(key, return_inverse=True)
    sums = np.zeros(len(distinct), dtype=np.int64)
    np.add.at(sums, where, counts)
    patterns = np.empty((len(distinct), width), dtype=np.uint8)
    for column in reversed(range(width)):
        distinct, patterns[:, column] = np.divmod(distinct, _CODES)
    patterns[patterns == _CODES - 1] = MISSING
    return Reports(patterns=patterns, counts=sums, groups=keys[distinct])


def snapshot_of(survey: Survey, definition: Definition) -> Snapshot:
    """Return what results of this survey may be drawn from now."""
    items = len(definition.columns)
    for _ in range(_TRIES):
        standing = standing_of(survey)
        n = responses_in_figures(survey, standing)
        source = _source(survey, standing, items, n)
        if source.n != n:
            continue
        by_mode, by_group, by_part = standing.n_by_mode, standing.n_by_group, standing.n_by_part
        if n != standing.folded and isinstance(source, Tally):
            by_mode, by_group, by_part = source.n_by_mode(), source.n_by_group(), source.n_by_part()
        return Snapshot(
            survey=survey,
            minimum_n=definition.minimum_n,
            n=n,
            received=standing.received,
            n_by_mode=by_mode,
            n_by_group=by_group,
            n_by_part=by_part,
            keeps_responses=standing.keeps_responses,
            _source=source,
        )
    raise OutdatedError


def snapshot_in(survey: Survey, definition: Definition, tally: Tally) -> Snapshot:
    """Return the same of responses that have been counted: those in the figures."""
    return Snapshot(
        survey=survey,
        minimum_n=definition.minimum_n,
        n=tally.n,
        received=tally.n,
        n_by_mode=tally.n_by_mode(),
        n_by_group=tally.n_by_group(),
        n_by_part=tally.n_by_part(),
        keeps_responses=True,
        _source=tally,
    )


def responses_in_figures(survey: Survey, standing: ResponseTotals) -> int:
    """Return how many responses figures are drawn from: the folded ones, and all once nobody answers any more."""
    return standing.received if all_in_figures(survey) else standing.folded


def _source(survey: Survey, standing: ResponseTotals, items: int, n: int) -> Tally | Cells:
    if n != standing.folded:
        return tally_of(survey, items=items)
    if standing.patterns > MOST_PATTERNS or not standing.keeps_responses:
        cells = cells_of(survey, folded=n)
        # While everything is folded, step by step, or where that was interrupted, cells are behind the patterns.
        if cells.places and (cells.n == n or not standing.keeps_responses):
            return cells
    return folded_tally(survey.pk, items, n, survey.state)
