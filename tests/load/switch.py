"""From how many patterns on counts of items and pairs pay: `python -m tests.load.switch`."""

# ruff: noqa: T201 - a script that prints its measurements
import resource
import statistics
import time
from collections.abc import Callable

import numpy as np

from tests.load import harness

DIRECTORY = harness.configure()

import django  # noqa: E402

django.setup()

from django.core.management import call_command  # noqa: E402

from surveys.common import caches  # noqa: E402
from surveys.common.selectors import definition_of  # noqa: E402
from surveys.models import CellCount, Survey  # noqa: E402
from surveys.questionnaire.reports import CODES  # noqa: E402
from surveys.responses.selectors import snapshot as snapshots  # noqa: E402
from surveys.responses.selectors.snapshot import snapshot_of  # noqa: E402
from surveys.responses.services import cells as writing  # noqa: E402
from surveys.responses.services.folding import fold  # noqa: E402
from tests.factories import make_open, one_of  # noqa: E402
from tests.load.filling import insert  # noqa: E402

ITEMS, OPTIONS, ROUNDS = 20, 5, 5
SIZES = (1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000)
RNG = np.random.default_rng(1)


def main() -> None:
    call_command("migrate", verbosity=0)
    print(f"{ITEMS} items of {OPTIONS} options, all patterns distinct; milliseconds, medians of {ROUNDS} rounds")
    print("patterns  first view by patterns, by cells   later view by patterns, by cells   folding without, with cells")
    for size in SIZES:
        survey = make_open(*(one_of(CODES[:OPTIONS], f"Q{number}?") for number in range(ITEMS)), title="Wide")
        insert(survey, RNG.integers(0, OPTIONS, size=(size, ITEMS)))
        folding = {kept: _folded(survey, kept=kept) for kept in (False, True)}
        by_patterns, by_cells = (_views(survey, kept=kept) for kept in (False, True))
        print(
            f"{size:8,}  {by_patterns[0]:24.1f}  {by_cells[0]:8.1f}   {by_patterns[1]:24.1f}  {by_cells[1]:8.1f}   "
            f"{folding[False]:15,.0f}  {folding[True]:10,.0f}"
        )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory of this process: {peak:.0f} MB")


def _folded(survey: Survey, *, kept: bool) -> float:
    """Fold, at first all and then once more with one new response, and return what the second cost."""
    writing.MOST_PATTERNS = snapshots.MOST_PATTERNS = 0 if kept else 10**9
    writing.possible_cells = lambda _reports, _groups: 0
    fold(survey=survey, everything=True)
    insert(survey, RNG.integers(0, OPTIONS, size=(1, ITEMS)))
    taken = _milliseconds(lambda: fold(survey=survey, everything=True))
    if CellCount.objects.filter(survey=survey).exists() is not kept:
        raise SystemExit("cells are not where they should be")
    return taken


def _views(survey: Survey, *, kept: bool) -> tuple[float, float]:
    """Return what the reports of all items and of a pair cost a process at first, and once it has counted."""
    snapshots.MOST_PATTERNS = 0 if kept else 10**9
    definition = definition_of(survey)

    def view() -> None:
        look = snapshot_of(survey, definition)
        for item in range(ITEMS):
            look.on(item)
        look.on(0, ITEMS - 1)

    def first() -> None:
        caches.clear()
        view()

    return tuple(statistics.median(_milliseconds(act) for _ in range(ROUNDS)) for act in (first, view))  # type: ignore[return-value]


def _milliseconds(act: Callable[[], object]) -> float:
    begin = time.perf_counter()
    act()
    return 1000 * (time.perf_counter() - begin)


if __name__ == "__main__":
    main()
