"""A clock that stands until a test moves it."""

import datetime as dt
import time
from dataclasses import dataclass

import pytest
from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.utils import timezone


@dataclass
class Clock:
    """What time it is."""

    now: dt.datetime

    def advance(self, *, minutes: float = 0, hours: float = 0, days: float = 0) -> None:
        self.now += dt.timedelta(minutes=minutes, hours=hours, days=days)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock(dt.datetime(2026, 3, 2, 12, 7, 30, tzinfo=dt.UTC))
    monkeypatch.setattr(timezone, "now", lambda: clock.now)
    monkeypatch.setattr(time, "time", lambda: clock.now.timestamp())  # noqa: PLW0108 - as it is when asked
    monkeypatch.setattr(PasswordResetTokenGenerator, "_now", lambda _: clock.now.replace(tzinfo=None))
    return clock
