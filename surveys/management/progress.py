"""A progress bar for commands: on a terminal it moves, elsewhere only the end is written."""

from collections.abc import Iterable

from django.core.management.base import OutputWrapper

WIDTH = 30


def progress_bar(steps: Iterable[int], *, total: int, out: OutputWrapper) -> None:
    """Use `steps` up, drawing how many of `total` are done."""
    for done in steps:
        if out.isatty() or done == total:
            filled = WIDTH * done // total
            bar = "█" * filled + "·" * (WIDTH - filled)
            out.write(f"\r{bar} {done:,} of {total:,}", ending="\n" if done == total else "")
