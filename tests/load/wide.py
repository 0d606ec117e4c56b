"""A survey whose patterns are nearly all distinct, 20 items of 5 options: `python -m tests.load.wide`."""

# ruff: noqa: T201 - a script that prints its measurements
import resource
import statistics
import time

import numpy as np

from tests.load import harness
from tests.server import serving

DIRECTORY = harness.configure()

import django  # noqa: E402

django.setup()

from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402

from surveys.common.selectors import definition_of  # noqa: E402
from surveys.models import CellCount  # noqa: E402
from surveys.questionnaire.reports import CODES  # noqa: E402
from surveys.responses.selectors.snapshot import snapshot_of  # noqa: E402
from surveys.responses.services.folding import fold  # noqa: E402
from tests.factories import make_open, make_user, one_of  # noqa: E402
from tests.load.filling import AT_ONCE, insert  # noqa: E402

ITEMS, OPTIONS, VIEWS = 20, 5, 30
SIZES = (1_000, 100_000, 1_000_000)
RNG = np.random.default_rng(1)


def main() -> None:
    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    owner = make_user()
    questions = [one_of(CODES[:OPTIONS], f"Q{number}?") for number in range(ITEMS)]
    surveys = {size: make_open(*questions, owner=owner, title="Wide") for size in SIZES}
    for size, survey in surveys.items():
        for start in range(0, size, AT_ONCE):
            insert(survey, RNG.integers(0, OPTIONS, size=(min(AT_ONCE, size - start), ITEMS)))
        begin = time.perf_counter()
        fold(survey=survey, everything=True)
        seconds = time.perf_counter() - begin
        look = snapshot_of(survey, definition_of(survey))
        begin = time.perf_counter()
        look.on(0, 1, 2)
        three = time.perf_counter() - begin
        print(
            f"{size:9,} responses: folded in {seconds:.1f} s, "
            f"{CellCount.objects.filter(survey=survey).count():,} cells; three items together in {three:.2f} s"
        )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory of the process that made and folded them: {peak:.0f} MB")
    cookie = harness.signed_in(owner)
    connection.close()
    medians = []
    with serving("serve", directory=DIRECTORY, settings=harness.SETTINGS) as server:
        for size, survey in surveys.items():
            page = harness.get(f"/surveys/{survey.code}/results/", cookie)
            taken = harness.seconds_of(server.port, page, views=VIEWS)
            medians.append(statistics.median(taken))
            print(f"{size:9,} responses: first view {taken[0] * 1e3:.0f} ms, median {medians[-1] * 1e3:.1f} ms")
        memory = harness.peak_memory(server.pid)
    print(f"a view of {SIZES[0]:,} ÷ one of {SIZES[-1]:,}: {medians[0] / medians[-1]:.2f} (at least 0.9 wanted)")
    print(f"peak memory of the workers: {', '.join(f'{peak:.0f} MB' for peak in memory.values())} (200 MB wanted)")


if __name__ == "__main__":
    main()
