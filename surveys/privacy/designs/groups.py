"""What a design promises to people who would be harmed together."""

from typing import Protocol


class _Protects(Protocol):
    """Anything that has a local epsilon."""

    @property
    def epsilon(self) -> float:
        """The local epsilon in nats."""


def group_epsilon(design: _Protects, size: int) -> float:
    """Return the epsilon of what the reports of a whole group give away about its answers taken together.

    Parameters
    ----------
    design : Design, UnaryDesign, OneBitMean or Bands
        What each of them answers through.
    size : int
        How many people share what is to be hidden, such as a household, at least 1.
    """
    if isinstance(size, bool) or not isinstance(size, int) or not size >= 1:
        raise ValueError(f"size must be an integer of at least 1, got {size!r}")
    return size * design.epsilon
