"""Results of 1,000,000 responses of five items that were never folded: `python -m tests.load.results`."""

# ruff: noqa: T201 - a script that prints its measurements
import re
import statistics

import numpy as np

from tests.load import harness
from tests.server import serving

DIRECTORY = harness.configure()

import django  # noqa: E402

django.setup()

from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402

from surveys.models import State, Survey  # noqa: E402
from tests.factories import make_open, make_user, one_of, yes_no  # noqa: E402
from tests.load.filling import insert  # noqa: E402

RESPONSES = 1_000_000
VIEWS = 60
REPORTS = (2, 2, 5, 5, 2)
RNG = np.random.default_rng(1)


def main() -> None:
    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    owner = make_user()
    options = ("a", "b", "c", "d", "e")
    questions = [
        yes_no(f"Q{number}?") if m == 2 else one_of(options, f"Q{number}?") for number, m in enumerate(REPORTS)
    ]
    survey = make_open(*questions, owner=owner, title="Load")
    insert(survey, np.column_stack([RNG.integers(0, m, size=RESPONSES) for m in REPORTS]))
    # As a process leaves it that is killed between closing and counting.
    Survey.objects.filter(pk=survey.pk).update(state=State.CLOSED)
    size = (DIRECTORY / "deniable.sqlite3").stat().st_size
    print(f"{RESPONSES:,} responses, {size / RESPONSES:.0f} bytes of database a response")
    cookie = harness.signed_in(owner)
    connection.close()
    with serving("serve", "--no-housekeeping", directory=DIRECTORY, settings=harness.SETTINGS) as server:
        times = harness.seconds_of(server.port, harness.get(f"/surveys/{survey.code}/results/", cookie), views=VIEWS)
        # Each of the workers counts once; every other view is of what it has counted.
        slow, rest = sorted(times, reverse=True)[:2], sorted(times, reverse=True)[2:]
        print(
            f"first view {times[0]:.2f} s (at most 1.5 s wanted), slowest two {slow[0]:.2f} and {slow[1]:.2f} s, "
            f"median of the rest {statistics.median(rest) * 1e3:.1f} ms"
        )
        polls = harness.seconds_of(server.port, _unchanged(server.port, survey, cookie), views=VIEWS, ok=304)
        print(f"unchanged figures (304): median {statistics.median(polls) * 1e3:.1f} ms")
        memory = harness.peak_memory(server.pid)
    print(f"peak memory of the workers: {', '.join(f'{peak:.0f} MB' for peak in memory.values())} (200 MB wanted)")


def _unchanged(port: int, survey: Survey, cookie: str) -> bytes:
    figures = f"/surveys/{survey.code}/results/figures/"
    _, head, _ = harness.Connection(port).send(harness.get(figures, cookie))
    etag = re.search(rb"(?i)etag: ([^\r]+)", head)
    if etag is None:
        raise SystemExit("the results' figures have no ETag")
    return harness.get(figures, cookie, f"If-None-Match: {etag[1].decode()}")


if __name__ == "__main__":
    main()
