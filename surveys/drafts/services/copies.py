"""Copies of surveys that were rehearsed with, thrown away whole; signing out and leaving a survey do so too."""

import datetime as dt
from collections.abc import Iterable

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from surveys.models import CellCount, FoldedPart, PatternCount, Rehearsal, Response, SpentNonces, Survey

LONGEST = dt.timedelta(hours=1)


def discard_of(*, user: User, survey: Survey | None = None) -> int:
    """Throw away what this person has rehearsed with, of one survey or of all, and return how many copies that were."""
    copies = Survey.objects.filter(owner_id=user.pk)
    copies = copies.filter(rehearsal_of__isnull=False) if survey is None else copies.filter(rehearsal_of_id=survey.pk)
    return discard_all(copies.values_list("pk", flat=True))


def sweep() -> int:
    """Throw away what nobody has come back to, and return how many copies that were."""
    old = Survey.objects.filter(rehearsal_of__isnull=False, created_at__lt=timezone.now() - LONGEST)
    return discard_all(old.values_list("pk", flat=True))


def discard_all(copies: Iterable[int]) -> int:
    """Throw away copies by their primary keys, and return how many that were."""
    discarded = list(copies)
    for copy in discarded:
        _discard(copy)
    return len(discarded)


@transaction.atomic
def _discard(copy: int) -> None:
    """Delete a copy and everything that belongs to it; of any other survey nothing."""
    # A step holds this row until it ends, and none begins without it.
    Rehearsal.objects.select_for_update().filter(pk=copy).first()
    survey = Survey.objects.select_for_update().filter(pk=copy, rehearsal_of__isnull=False).first()
    if survey is None:
        return
    for table in (Response, SpentNonces, PatternCount, FoldedPart, CellCount):
        table.objects.filter(survey_id=copy).delete()
    survey.delete()
