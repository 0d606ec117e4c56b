"""Counting tries: so many for one name in one quarter of an hour, without an address, and alike for names of nobody.

A try is counted before it is made and given back when it succeeds, so that of many at once no more than the limit are
made: what a check after the fact would let through.
"""

import datetime as dt
from dataclasses import dataclass

from django.db import IntegrityError, transaction
from django.db.models import F
from django.utils import timezone

from surveys.models import Tries
from surveys.models.hashing import keyed_hash

WINDOW_SECONDS = 15 * 60


class TooManyTries(Exception):  # noqa: N818 - reads as a sentence where it is raised
    """There were as many tries as one window allows; `until` is when the next one begins."""

    def __init__(self, until: dt.datetime) -> None:
        super().__init__(until)
        self.until = until


@dataclass(frozen=True, slots=True)
class Try:
    """One try that has been counted."""

    name_hash: bytes
    window: int


def count_try(*, what: str, name: str, limit: int) -> Try:
    """Count one try; raises TooManyTries where the limit is reached, and counts nothing then."""
    counted = Try(keyed_hash(f"tries.{what}", name), int(timezone.now().timestamp()) // WINDOW_SECONDS)
    rows = Tries.objects.filter(name_hash=counted.name_hash)
    now = rows.filter(window=counted.window)
    # Each statement tests and writes at once. A second round is needed only if another one began the window meanwhile.
    for _round in range(2):
        if now.filter(number__lt=limit).update(number=F("number") + 1):
            return counted
        if rows.filter(window__lt=counted.window).update(window=counted.window, number=1) or _began(counted):
            return counted
    raise TooManyTries(dt.datetime.fromtimestamp((counted.window + 1) * WINDOW_SECONDS, dt.UTC))


def give_back(counted: Try) -> None:
    """Take back a try that did not fail."""
    rows = Tries.objects.filter(name_hash=counted.name_hash, window=counted.window, number__gt=0)
    rows.update(number=F("number") - 1)


def forget_tries(*, what: str, name: str) -> None:
    """Forget what failed for a name: its owner has shown in another way who they are."""
    Tries.objects.filter(name_hash=keyed_hash(f"tries.{what}", name)).delete()


def _began(counted: Try) -> bool:
    """Begin a window for a name that is not counted yet, and forget the earlier windows of all names."""
    try:
        with transaction.atomic():
            Tries.objects.create(name_hash=counted.name_hash, window=counted.window)
    except IntegrityError:
        return False
    Tries.objects.filter(window__lt=counted.window).delete()
    return True
