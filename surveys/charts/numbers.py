"""What numbers a chart takes; every refusal names the field."""

import math


def finite(name: str, value: float) -> None:
    """Refuse NaN and infinity."""
    if not math.isfinite(value):
        raise ValueError(f"{name} must be finite, got {value!r}")


def share(name: str, value: float | None) -> None:
    """Refuse what is no share; None, which is not drawn, passes."""
    if value is not None and not 0 <= value <= 1:
        raise ValueError(f"{name} must be between 0 and 1, got {value!r}")


def limits(low: float | None, high: float | None) -> None:
    """Refuse half an interval and one the wrong way round; it may reach to infinity."""
    if (low is None) != (high is None):
        raise ValueError(f"low and high must be given together, got {low!r} and {high!r}")
    if low is None or high is None:
        return
    for name, value in (("low", low), ("high", high)):
        if math.isnan(value):
            raise ValueError(f"{name} must be a number, got {value!r}")
    if not low <= high:
        raise ValueError(f"low must be at most high, got {low!r} and {high!r}")
