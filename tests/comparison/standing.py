"""A clock that stands and chance that repeats itself, so that two runs differ only where the code does.

To be imported before Django: functions are given away as default values when modules are read.
"""

import datetime as dt
import itertools
import os
import random
import time

_drawn = random.Random(0)  # noqa: S311 - the same draws at every run
_looks = itertools.count(10**9)
NOW = dt.datetime(2026, 3, 2, 12, 7, 30, tzinfo=dt.UTC)


class Clock:
    """What time it is, for everything that asks."""

    now = NOW

    @classmethod
    def seconds(cls) -> float:
        """Return it as `time.time` does."""
        return cls.now.timestamp()


def start_over(name: str) -> None:
    """Let chance begin anew, so that what is drawn from here depends on nothing that was drawn before."""
    _drawn.seed(name)


def stand_still() -> None:
    """Take the real clock and real chance away from this process; waiting takes no time."""
    random._urandom = os.urandom = _drawn.randbytes  # type: ignore[attr-defined]
    time.time = Clock.seconds
    # Whoever waits for it to pass must see it pass: a millionth of a second each time that somebody looks.
    time.monotonic = lambda: next(_looks) / 1_000_000
    time.sleep = lambda _seconds: None
    from django.contrib.auth.tokens import PasswordResetTokenGenerator
    from django.utils import timezone

    timezone.now = lambda: Clock.now
    PasswordResetTokenGenerator._now = lambda _self: Clock.now.replace(tzinfo=None)  # type: ignore[attr-defined]
