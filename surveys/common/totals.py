"""How many responses a survey has, without looking at any report."""

import datetime as dt
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

from django.db import connection
from django.utils import timezone

from surveys.common.selectors import last_counted
from surveys.models import Mode, State, Survey
from surveys.models.response import NOT_KEPT

_Key = TypeVar("_Key")

STANDS_STILL = dt.timedelta(minutes=1)
_STANDING = """
    SELECT group_id, mode, count, patterns, in_order, 1 FROM surveys_foldedpart WHERE survey_id = %(survey)s
    UNION ALL
    SELECT group_id, '', COUNT(*), 0, TRUE, 0 FROM surveys_response WHERE survey_id = %(survey)s GROUP BY group_id
"""
_TOTALS = """
    SELECT survey_id, SUM(number), SUM(folded) FROM (
        SELECT survey_id, COUNT(*) AS number, 0 AS folded FROM surveys_response WHERE survey_id IN ({keys})
        GROUP BY survey_id
        UNION ALL SELECT survey_id, SUM(count), SUM(count) FROM surveys_foldedpart WHERE survey_id IN ({keys})
        GROUP BY survey_id
    ) AS received GROUP BY survey_id
"""


@dataclass(frozen=True, slots=True)
class ResponseTotals:
    """How many responses there are at one moment, folded and waiting, without looking at any report."""

    folded: int
    patterns: int  # different ones that are folded
    n_by_mode: dict[str, int]  # of those folded
    n_by_group: dict[int, int]  # of those folded, by primary key; 0 is none
    n_by_part: dict[tuple[int, str], int]  # of those folded, by group and mode
    waiting_by_group: dict[int, int]  # of the others
    in_order: bool = (
        True  # whether the counts are written in an order of their own: a fold is not under way, nor was killed
    )

    @property
    def keeps_responses(self) -> bool:
        """Whether whole responses are kept: a survey may be sealed to the counts of single items and of pairs."""
        return bool(self.patterns or not self.folded)

    @property
    def sealing(self) -> bool:
        """Return whether the counts that sealing keeps are all that may be shown: it has been done, or begun."""
        return any(mode == NOT_KEPT for _, mode in self.n_by_part)

    @property
    def received(self) -> int:
        return self.folded + sum(self.waiting_by_group.values())


def standing_of(survey: Survey) -> ResponseTotals:
    """Return how many responses the survey has, in one statement; its cost follows what waits, not what is folded."""
    with connection.cursor() as cursor:
        cursor.execute(_STANDING, {"survey": survey.pk})
        rows = cursor.fetchall()
    parts = [
        (group or 0, mode, int(count), int(patterns)) for group, mode, count, patterns, _, folded in rows if folded
    ]
    groups, modes, counts, patterns = zip(*parts, strict=True) if parts else ((), (), (), ())
    return ResponseTotals(
        folded=sum(counts),
        patterns=sum(patterns),
        n_by_mode=sums_by(modes, counts, Mode.values),
        n_by_group=sums_by(groups, counts, sorted(set(groups))),
        n_by_part={(group, mode): count for group, mode, count, _ in sorted(parts)},
        waiting_by_group=dict(sorted((group or 0, int(count)) for group, _, count, _, _, folded in rows if not folded)),
        in_order=all(in_order for *_, in_order, _ in rows),
    )


def counted_until(survey: Survey, standing: ResponseTotals) -> dt.datetime | None:
    """Return up to when answers are counted, where some wait and housekeeping, which counts them, stands still."""
    if not (survey.may_collect_more and standing.waiting_by_group):
        return None
    until = last_counted() or survey.created_at
    return until if timezone.now() - until > STANDS_STILL else None


def sums_by(keys: Iterable[_Key], counts: Iterable[int], order: Iterable[_Key]) -> dict[_Key, int]:
    """Return the sums of the counts by their keys, in this order, for the keys that occur."""
    totals: Counter[_Key] = Counter()
    for key, count in zip(keys, counts, strict=True):
        totals[key] += count
    return {key: totals[key] for key in order if totals[key]}


def response_count(survey: Survey) -> int:
    return standing_of(survey).received


def all_in_figures(survey: Survey) -> bool:
    """Whether figures are drawn from every response, as nobody answers any more, or from the folded ones only.

    A closed survey never opens again, so a survey that was read some time ago is one of fewer responses at most.
    """
    return survey.state in {State.CLOSED, State.SEALED, State.PURGED}


def may_be_looked_at_again(survey: Survey, received: int) -> bool:
    """Whether more answers may come into the figures, so that an interval is one of many looks at them.

    Not once as many have come as the survey wants, or its closing time has. That either was fixed before the survey was
    opened is not stored.
    """
    full = survey.response_cap is not None and received >= survey.response_cap
    return survey.may_collect_more and not full and not survey.is_over(timezone.now())


def response_totals(surveys: Iterable[Survey]) -> dict[int, tuple[int, int]]:
    """Return how many responses each survey has, and how many of them are folded, by primary key, in one query."""
    keys = [survey.pk for survey in surveys]
    if not keys:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(_TOTALS.format(keys=", ".join(["%s"] * len(keys))), [*keys, *keys])
        return dict.fromkeys(keys, (0, 0)) | {key: (int(all_), int(folded)) for key, all_, folded in cursor.fetchall()}
