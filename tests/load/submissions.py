"""Ingest and page speed as ratios to bare views of the same server: `python -m tests.load.submissions`."""

# ruff: noqa: T201 - a script that prints its measurements
import gzip
import secrets
import statistics

from tests.load import harness
from tests.server import HOST, serving

DIRECTORY = harness.configure()

import django  # noqa: E402

django.setup()

from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402

from surveys.common.totals import response_count  # noqa: E402
from surveys.models import Response  # noqa: E402
from tests.factories import make_open, one_of, yes_no  # noqa: E402
from tests.load.urls import BARE_TABLE  # noqa: E402

ROUNDS = 9
REQUESTS = 3200
REPORTS = "1012-"


def main() -> None:
    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    options = ("a", "b", "c", "d", "e")
    survey = make_open(yes_no("Q1?"), yes_no("Q2?"), yes_no("Q3?"), one_of(options), yes_no("Q5?"), title="Load")
    with connection.cursor() as cursor:
        cursor.execute(BARE_TABLE)
    connection.close()
    with serving("serve", directory=DIRECTORY, settings=harness.SETTINGS) as server:
        port = server.port
        page = f"/s/{survey.code}/"
        _, _, body = harness.Connection(port).send(harness.get(page))
        headers = (f"Origin: http://{HOST}", "Accept: application/json")

        def submission() -> bytes:
            fields = f"nonce={secrets.token_urlsafe(16)}&mode=device&reports={REPORTS}"
            return harness.post(page, fields, *headers)

        runs: dict[str, list[harness.Run]] = {"bare": [], "submit": [], "hello": [], "page": []}
        for round_number in range(ROUNDS + 1):
            measured = {
                "bare": harness.burst(
                    port, lambda: harness.post("/load/insert", "", *headers), requests=REQUESTS, ok=frozenset({200})
                ),
                "submit": harness.burst(port, submission, requests=REQUESTS, ok=frozenset({200, 201})),
                "hello": harness.burst(
                    port, lambda: harness.get("/load/hello"), requests=REQUESTS, ok=frozenset({200})
                ),
                "page": harness.burst(
                    port, lambda: harness.get(page, "Accept-Encoding: gzip"), requests=REQUESTS, ok=frozenset({203})
                ),
            }
            for name, run in measured.items():
                if round_number:  # the first round warms up; its submissions count all the same
                    runs[name].append(run)
            errors = {name: run.errors for name, run in measured.items() if run.errors}
            if errors:
                print(f"errors in round {round_number}: {errors}")
        memory = harness.peak_memory(server.pid)
    for name, rounds in runs.items():
        rates = [run.rate for run in rounds]
        print(
            f"{name:7} {statistics.median(rates):7,.0f}/s   (of {ROUNDS} rounds {min(rates):,.0f} to {max(rates):,.0f})"
        )
    # Round by round, as the two that are compared ran next to each other; the machine drifts between rounds.
    submission, page_views = _ratio(runs["submit"], runs["bare"]), _ratio(runs["page"], runs["hello"])
    print(f"submission / bare insert: {submission:.2f} (at least 0.6 wanted)")
    print(f"respondent page / hello:  {page_views:.2f} (at least 0.3 wanted)")
    for name, rounds in runs.items():
        half, most = (1e3 * statistics.median(run.wait(share) for run in rounds) for share in (0.5, 0.99))
        times = sorted(run.wait(0.99) / run.wait(0.5) for run in rounds)
        print(
            f"{name:7} half of them within {half:.1f} ms, 99% within {most:.1f} ms: "
            f"{statistics.median(times):.1f} times ({times[0]:.1f} to {times[-1]:.1f})"
        )
    print("submissions: at most 5 times wanted")
    sent = (ROUNDS + 1) * REQUESTS
    # Some have been folded on the way.
    stored = response_count(survey)
    waiting = Response.objects.filter(survey=survey).count()
    print(f"submissions acknowledged {sent:,}, stored {stored:,}, of which {stored - waiting:,} are folded")
    print(f"page {len(body):,} bytes, gzip {len(gzip.compress(body)):,}")
    print(f"peak memory of the workers: {', '.join(f'{peak:.0f} MB' for peak in memory.values())}")
    if stored != sent:
        raise SystemExit("submissions acknowledged and rows stored differ")


def _ratio(runs: list[harness.Run], bare: list[harness.Run]) -> float:
    return statistics.median(run.rate / beside.rate for run, beside in zip(runs, bare, strict=True))


if __name__ == "__main__":
    main()
