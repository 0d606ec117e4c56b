"""The dashboard of a million and ten million responses beside one of a thousand: `python -m tests.load.dashboard`."""

# ruff: noqa: T201 - a script that prints its measurements
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
from django.db.models import F  # noqa: E402

from surveys.models import FoldedPart, PatternCount, Survey  # noqa: E402
from surveys.responses.services.folding import fold  # noqa: E402
from tests.factories import make_open, make_user, one_of, yes_no  # noqa: E402
from tests.load.filling import insert  # noqa: E402

FEW, MANY = 1_000, 1_000_000
# While answers come in, up to twice the smallest batch wait: as many as may, of the many.
WAITING = 9_900
ROUNDS, REQUESTS, VIEWS = 9, 160, 60
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
    few, many = (make_open(*questions, owner=owner, title="Load") for _ in range(2))
    for survey, responses in ((few, FEW), (many, MANY)):
        insert(survey, _codes(responses))
        begin = time.perf_counter()
        fold(survey=survey, everything=True)
        print(f"folding {responses:,} × {len(REPORTS)} took {time.perf_counter() - begin:.1f} s")
    insert(many, _codes(WAITING))
    cookie = harness.signed_in(owner)
    connection.close()
    with serving("serve", directory=DIRECTORY, settings=harness.SETTINGS) as server:
        pages = {survey.pk: harness.get(f"/surveys/{survey.code}/results/", cookie) for survey in (few, many)}
        runs: dict[int, list[harness.Run]] = {survey.pk: [] for survey in (few, many)}
        for round_number in range(ROUNDS + 1):
            # There and back, so that what drifts meanwhile meets both alike.
            for survey in (few, many, many, few):
                run = _burst(server.port, pages[survey.pk])
                if round_number:  # the first round warms up
                    runs[survey.pk].append(run)
        seconds = [[run.seconds for run in runs[survey.pk]] for survey in (few, many)]
        pairs = [[sum(column[place : place + 2]) for place in range(0, 2 * ROUNDS, 2)] for column in seconds]
        ratio = statistics.median(few_both / many_both for few_both, many_both in zip(*pairs, strict=True))
        rates = [statistics.median(run.rate for run in runs[survey.pk]) for survey in (few, many)]
        print(f"dashboard: {rates[0]:,.0f}/s with {FEW:,}, {rates[1]:,.0f}/s with {MANY:,} responses")
        print(f"ratio {ratio:.2f} (at least 0.9 wanted)")
        _ten_times(many)
        taken = harness.seconds_of(server.port, pages[many.pk], views=VIEWS)
        print(
            f"{10 * MANY:,} responses: first view {taken[0] * 1e3:.0f} ms, "
            f"median {statistics.median(taken) * 1e3:.1f} ms (at most 50 ms wanted)"
        )
        memory = harness.peak_memory(server.pid)
    print(f"peak memory of the workers: {', '.join(f'{peak:.0f} MB' for peak in memory.values())} (200 MB wanted)")


def _burst(port: int, page: bytes) -> harness.Run:
    run = harness.burst(port, lambda: page, requests=REQUESTS, ok=frozenset({200}))
    if run.errors:
        raise SystemExit(f"{run.errors} of {run.requests} views failed")
    return run


def _codes(responses: int) -> np.ndarray:
    return np.column_stack([RNG.integers(0, m, size=responses) for m in REPORTS])


def _ten_times(survey: Survey) -> None:
    """Count each folded response ten times: what a view reads is what it would be, and the script ends today."""
    for counts in (PatternCount, FoldedPart):
        counts.objects.filter(survey=survey).update(count=10 * F("count"))


if __name__ == "__main__":
    main()
