"""A progress bar for commands: on a terminal it moves, elsewhere only the end is written."""

from collections.abc import Iterable
from typing import Protocol

WIDTH = 30


class Out(Protocol):
    """What Django's OutputWrapper offers."""

    def write(self, msg: str, *, ending: str | None = None) -> None:
        """Write a message."""

    def isatty(self) -> bool:
        """Whether a person is looking."""


def progress_bar(steps: Iterable[int], *, total: int, out: Out) -> None:
    """Use `steps` up, drawing how many of `total` are done."""
    for done in steps:
        if out.isatty() or done == total:
            filled = WIDTH * done // total
            bar = "█" * filled + "·" * (WIDTH - filled)
            out.write(f"\r{bar} {done:,} of {total:,}", ending="\n" if done == total else "")
