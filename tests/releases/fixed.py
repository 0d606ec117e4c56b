"""Releases whose draw is known, for tests of what is said of it."""

import pytest

from surveys.privacy.mechanisms.histogram import NoisyHistogram


def fixed_counts(monkeypatch: pytest.MonkeyPatch, *counts: int) -> None:
    """Let every histogram be these noisy counts."""
    monkeypatch.setattr(NoisyHistogram, "release", lambda *_: counts)
