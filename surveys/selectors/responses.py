"""Responses as numbers: distinct patterns and how often each occurs. All analysis starts here.

What is folded and what is not is read by one statement each time: between two, a fold could move rows from what was
not read yet to what was, or back.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
from django.db import connection

from surveys.models import Mode, PatternCount, Survey
from surveys.models.response import CODES, LEFT_OUT

MISSING = 255
_CODE_OF_BYTE = np.full(256, MISSING, dtype=np.uint8)
for _code, _character in enumerate(CODES):
    _CODE_OF_BYTE[ord(_character)] = _code
_CODE_OF_BYTE[ord(LEFT_OUT)] = MISSING

_PATTERNS = """
    SELECT reports, group_id, mode, CAST(SUM(number) AS BIGINT) FROM (
        SELECT reports, group_id, mode, COUNT(*) AS number FROM surveys_response WHERE survey_id = %(survey)s
        GROUP BY reports, group_id, mode
        UNION ALL SELECT reports, group_id, mode, count FROM surveys_patterncount WHERE survey_id = %(survey)s
    ) AS received GROUP BY reports, group_id, mode ORDER BY reports, mode, group_id
"""
_FOLDED = "(SELECT CAST(COALESCE(SUM(count), 0) AS BIGINT) FROM surveys_patterncount WHERE survey_id = %(survey)s)"
_PENDING = "(SELECT COUNT(*) FROM surveys_response WHERE survey_id = %(survey)s)"
_LARGEST = "(SELECT COALESCE(MAX(id), 0) FROM surveys_response WHERE survey_id = %(survey)s)"
_ANSWERED = """
    SELECT (SELECT COUNT(*) FROM surveys_response WHERE survey_id = %(survey)s AND SUBSTR(reports, %(place)s, 1) <> '-')
        + (SELECT COALESCE(SUM(count), 0) FROM surveys_patterncount
            WHERE survey_id = %(survey)s AND SUBSTR(reports, %(place)s, 1) <> '-')
"""
_TOTALS = """
    SELECT survey_id, SUM(number) FROM (
        SELECT survey_id, COUNT(*) AS number FROM surveys_response WHERE survey_id IN ({keys}) GROUP BY survey_id
        UNION ALL SELECT survey_id, SUM(count) FROM surveys_patterncount WHERE survey_id IN ({keys}) GROUP BY survey_id
    ) AS received GROUP BY survey_id
"""


@dataclass(frozen=True, slots=True, eq=False)
class Tally:
    """The distinct patterns of a survey's responses and how often each came.

    Attributes
    ----------
    patterns : uint8 array, shape (m, items)
        Report codes; 255 is a visibly missing answer.
    counts : int64 array, shape (m,)
        Responses with that pattern, group and mode.
    groups : int64 array, shape (m,)
        Primary key of the group; 0 is none.
    modes : tuple of str, length m
        Who flipped the coins.
    version : str
        Changes whenever a response has been added.
    """

    patterns: npt.NDArray[np.uint8]
    counts: npt.NDArray[np.int64]
    groups: npt.NDArray[np.int64]
    modes: tuple[str, ...]
    version: str

    @property
    def n(self) -> int:
        """The number of responses."""
        return int(self.counts.sum())

    def n_by_mode(self) -> dict[str, int]:
        """Return the number of responses by mode, for the modes that occur."""
        totals = dict.fromkeys(Mode.values, 0)
        for mode, count in zip(self.modes, self.counts, strict=True):
            totals[mode] += int(count)
        return {mode: total for mode, total in totals.items() if total}


def response_count(survey: Survey) -> int:
    """Return how many responses came in."""
    return int(_row(f"SELECT {_PENDING} + {_FOLDED}", survey=survey.pk)[0])


def answered_count(survey: Survey, item: int) -> int:
    """Return how many responses do not leave the item (its number, from 0) out: public, whatever they report."""
    return int(_row(_ANSWERED, survey=survey.pk, place=item + 1)[0])


def response_totals(surveys: Iterable[Survey]) -> dict[int, int]:
    """Return how many responses each of these surveys has, by primary key, in one query."""
    keys = [survey.pk for survey in surveys]
    if not keys:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(_TOTALS.format(keys=", ".join(["%s"] * len(keys))), [*keys, *keys])
        return dict.fromkeys(keys, 0) | {key: int(total) for key, total in cursor.fetchall()}


def folded_patterns(survey: Survey) -> int:
    """Return how many different patterns are stored as counts."""
    return PatternCount.objects.filter(survey_id=survey.pk).count()


def tally_of(survey: Survey, *, items: int) -> Tally:
    """Return the survey's patterns and counts; an unchanged survey is not counted again by the same process."""
    return _tally(survey.pk, items, _version(survey.pk))


def fresh_tally_of(survey: Survey, *, items: int) -> Tally:
    """Count now, whatever was counted before: for a release, inside its transaction."""
    return _count(survey.pk, items, _version(survey.pk))


def _version(survey_id: int) -> str:
    """Return what every arrival changes; a fold may change it too, but not what it stands for."""
    if connection.vendor == "sqlite":
        # One writer at a time: ids are committed in their order, so the largest one tells, in one step of the index.
        folded, largest = _row(f"SELECT {_FOLDED}, {_LARGEST}", survey=survey_id)
        return f"{folded}.{largest}"
    # Elsewhere a smaller id may be committed after a larger one, so the number itself must be counted.
    folded, largest, pending = _row(f"SELECT {_FOLDED}, {_LARGEST}, {_PENDING}", survey=survey_id)
    return f"{folded}.{largest}.{pending}"


def _row(statement: str, **values: int) -> tuple[Any, ...]:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return tuple(cursor.fetchone() or ())


@lru_cache(maxsize=64)
def _tally(survey_id: int, items: int, version: str) -> Tally:
    return _count(survey_id, items, version)


def _count(survey_id: int, items: int, version: str) -> Tally:
    with connection.cursor() as cursor:
        cursor.execute(_PATTERNS, {"survey": survey_id})
        rows = cursor.fetchall()
    text = "".join(row[0] for row in rows).encode("ascii")
    patterns = _CODE_OF_BYTE[np.frombuffer(text, dtype=np.uint8)].reshape(len(rows), items)
    counts = np.fromiter((row[3] for row in rows), dtype=np.int64, count=len(rows))
    groups = np.fromiter((row[1] or 0 for row in rows), dtype=np.int64, count=len(rows))
    for array in (patterns, counts, groups):
        array.setflags(write=False)
    return Tally(patterns=patterns, counts=counts, groups=groups, modes=tuple(row[2] for row in rows), version=version)
