"""Responses as numbers: distinct patterns and how often each occurs. All analysis starts here."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from django.db import connection
from django.db.models import Count, Max

from surveys.models import Mode, Response, Survey
from surveys.models.response import CODES, LEFT_OUT

MISSING = 255
_CODE_OF_BYTE = np.full(256, MISSING, dtype=np.uint8)
for _code, _character in enumerate(CODES):
    _CODE_OF_BYTE[ord(_character)] = _code
_CODE_OF_BYTE[ord(LEFT_OUT)] = MISSING


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
    """Return how many responses are stored."""
    return Response.objects.filter(survey_id=survey.pk).count()


def tally_of(survey: Survey, *, items: int) -> Tally:
    """Return the survey's patterns and counts; an unchanged survey is not counted again by the same process."""
    return _tally(survey.pk, items, _version(survey.pk))


def fresh_tally_of(survey: Survey, *, items: int) -> Tally:
    """Count now, whatever was counted before: for a release, inside its transaction."""
    return _count(survey.pk, items, _version(survey.pk))


def _version(survey_id: int) -> str:
    responses = Response.objects.filter(survey_id=survey_id)
    if connection.vendor == "sqlite":
        # One writer at a time: ids are committed in their order, so the largest one tells, in one step of the index.
        return str(responses.aggregate(largest=Max("id"))["largest"] or 0)
    # Elsewhere a smaller id may be committed after a larger one, so the number itself must be counted.
    answer = responses.aggregate(largest=Max("id"), number=Count("id"))
    return f"{answer['largest'] or 0}.{answer['number']}"


@lru_cache(maxsize=64)
def _tally(survey_id: int, items: int, version: str) -> Tally:
    return _count(survey_id, items, version)


def _count(survey_id: int, items: int, version: str) -> Tally:
    rows = list(
        Response.objects.filter(survey_id=survey_id)
        .order_by()
        .values_list("reports", "group_id", "mode")
        .annotate(number=Count("id"))
    )
    text = "".join(row[0] for row in rows).encode("ascii")
    patterns = _CODE_OF_BYTE[np.frombuffer(text, dtype=np.uint8)].reshape(len(rows), items)
    counts = np.fromiter((row[3] for row in rows), dtype=np.int64, count=len(rows))
    groups = np.fromiter((row[1] or 0 for row in rows), dtype=np.int64, count=len(rows))
    for array in (patterns, counts, groups):
        array.setflags(write=False)
    return Tally(patterns=patterns, counts=counts, groups=groups, modes=tuple(row[2] for row in rows), version=version)
