"""Ingest and page speed beside bare views, which have no middleware: `python -m tests.load.submissions`.

The bare views run in servers of their own on the same database: through our adapter, and as granian serves any WSGI
application. On a PostgreSQL of its own, which waits for its disk: `python -m tests.load.submissions postgresql`.
"""

# ruff: noqa: T201 - a script that prints its measurements
import contextlib
import gzip
import os
import secrets
import statistics
import subprocess
import sys
import time

from tests.load import harness
from tests.postgresql import postgresql
from tests.programs import POSTGRESQL
from tests.server import HOST, serving

DIRECTORY = harness.configure()

import django  # noqa: E402

django.setup()

from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402

from surveys.common.totals import response_count  # noqa: E402
from surveys.models import Response, Survey  # noqa: E402
from tests.factories import make_open, one_of, yes_no  # noqa: E402
from tests.load.urls import make_bare_table  # noqa: E402

ROUNDS = 9
REQUESTS = 1600
MANY = 64
REPORTS = "1012-"
OK = frozenset({200, 203})
# What is divided by what, and what is wanted.
RATIOS = (
    ("page", "hello, same adapter", 0.55),
    ("page", "hello, WSGI", 0.35),
    ("page", "hello, our middleware", 0.3),
    ("submission", "INSERT, same adapter", 0.7),
    ("submission", "INSERT, WSGI", 0.4),
)


def main() -> None:
    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    options = ("a", "b", "c", "d", "e")
    survey = make_open(yes_no("Q1?"), yes_no("Q2?"), yes_no("Q3?"), one_of(options), yes_no("Q5?"), title="Load")
    make_bare_table()
    connection.close()
    page = f"/s/{survey.code}/"
    headers = (f"Origin: http://{HOST}", "Accept: application/json")

    def hello() -> bytes:
        return harness.get("/load/hello", "Accept-Encoding: gzip")

    def insert() -> bytes:
        return harness.post("/load/insert", "", *headers)

    def view() -> bytes:
        return harness.get(page, "Accept-Encoding: gzip")

    def submission() -> bytes:
        return harness.post(page, f"nonce={secrets.token_urlsafe(16)}&mode=device&reports={REPORTS}", *headers)

    with contextlib.ExitStack() as stack:
        ours = stack.enter_context(serving("serve", directory=DIRECTORY, settings=harness.SETTINGS))
        adapter, wsgi = (stack.enter_context(harness.serving_bare(name, DIRECTORY)) for name in ("asginl", "wsgi"))
        requests = {
            "hello, same adapter": (adapter.port, hello, harness.CLIENTS),
            "page": (ours.port, view, harness.CLIENTS),
            "hello, WSGI": (wsgi.port, hello, harness.CLIENTS),
            "hello, our middleware": (ours.port, hello, harness.CLIENTS),
            "INSERT, same adapter": (adapter.port, insert, harness.CLIENTS),
            "submission": (ours.port, submission, harness.CLIENTS),
            "INSERT, WSGI": (wsgi.port, insert, harness.CLIENTS),
            f"submission, {MANY} clients": (ours.port, submission, MANY),
        }
        runs: dict[str, list[harness.Run]] = {name: [] for name in requests}
        for round_number in range(ROUNDS + 1):
            _wait_for_folds(survey)
            for name, (port, request, clients) in requests.items():
                run = harness.burst(port, request, requests=REQUESTS, ok=OK, clients=clients)
                if run.errors:
                    print(f"{run.errors} errors of {name} in round {round_number}")
                if round_number:  # the first round warms up; its submissions count all the same
                    runs[name].append(run)
        memory = harness.peak_memory(ours.pid)
        _, _, body = harness.Connection(ours.port).send(harness.get(page))
    print(f"{connection.vendor}, load average {os.getloadavg()[0]:.1f}, medians of {ROUNDS} rounds of {REQUESTS:,}")
    for name, rounds in runs.items():
        half, most = (1e3 * statistics.median(run.wait(share) for run in rounds) for share in (0.5, 0.99))
        rate = statistics.median(run.rate for run in rounds)
        slowest = statistics.median(run.wait(0.99) / run.wait(0.5) for run in rounds)
        print(f"{name:24} {rate:6,.0f}/s, median {half:5.1f} ms, slowest hundredth {most:5.1f} ms: {slowest:.1f} times")
    for name, bare, wanted in RATIOS:
        print(f"{name} ÷ {bare}: {_ratio(runs[name], runs[bare]):.2f} (at least {wanted} wanted)")
    print(f"slowest hundredth ÷ median of submissions: at most 3 wanted, and 5 with {MANY} clients")
    sent = 2 * (ROUNDS + 1) * REQUESTS
    # Some have been folded on the way.
    stored = response_count(survey)
    waiting = Response.objects.filter(survey=survey).count()
    print(f"submissions acknowledged {sent:,}, stored {stored:,}, of which {stored - waiting:,} are folded")
    print(f"page {len(body):,} bytes, gzip {len(gzip.compress(body)):,}")
    print(f"peak memory of the workers: {', '.join(f'{peak:.0f} MB' for peak in memory.values())}")
    if stored != sent:
        raise SystemExit("submissions acknowledged and rows stored differ")


def _wait_for_folds(survey: Survey) -> None:
    # What housekeeping has still to do of a round would be done beside the next one's first requests.
    waiting, before = Response.objects.filter(survey=survey), -1
    while (now := waiting.count()) != before:
        before = now
        time.sleep(3)
    connection.close()


def _ratio(runs: list[harness.Run], bare: list[harness.Run]) -> float:
    # Round by round, as the two that are compared ran next to each other; the machine drifts between rounds.
    return statistics.median(run.rate / beside.rate for run, beside in zip(runs, bare, strict=True))


if __name__ == "__main__":
    if sys.argv[1:] == ["postgresql"]:
        with postgresql(POSTGRESQL.find() or "", durable=True) as url:
            again = [sys.executable, "-m", "tests.load.submissions"]
            sys.exit(subprocess.run(again, env=os.environ | {"LOAD_DATABASE_URL": url}, check=False).returncode)
    main()
