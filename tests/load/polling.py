"""Ingest while two people watch the results, beside ingest alone; and that nothing is lost: `-m tests.load.polling`.

On PostgreSQL: `LOAD_DATABASE_URL=postgres://… python -m tests.load.polling`.
"""

# ruff: noqa: T201 - a script that prints its measurements
import re
import secrets
import statistics
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from tests.load import harness
from tests.server import HOST, serving

DIRECTORY = harness.configure()

import django  # noqa: E402

django.setup()

from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402
from django.db.models import Sum  # noqa: E402

from surveys.common.selectors import definition_of  # noqa: E402
from surveys.course.services import close_survey  # noqa: E402
from surveys.models import PatternCount, Response, Survey  # noqa: E402
from surveys.responses.selectors.snapshot import snapshot_of  # noqa: E402
from tests.factories import make_open, make_user, one_of, spent_count, yes_no  # noqa: E402

ROUNDS = 9
REQUESTS = 3200
WATCHERS = 2
# The page asks every two to three seconds.
PAUSE = 1.0
WANTED = 0.7


class Watching:
    """Clients that ask for the figures again and again, as the page does but oftener."""

    def __init__(self, port: int, survey: Survey, cookie: str) -> None:
        self.port, self.cookie = port, cookie
        self.path = f"/surveys/{survey.code}/results/figures/"
        self.answers: Counter[int] = Counter()
        self.taken: list[float] = []

    @contextmanager
    def under_way(self) -> Iterator[None]:
        """Watch until the block ends."""
        finished = threading.Event()
        threads = [threading.Thread(target=self._watch, args=(finished,)) for _ in range(WATCHERS)]
        for thread in threads:
            thread.start()
        yield
        finished.set()
        for thread in threads:
            thread.join()

    def _watch(self, finished: threading.Event) -> None:
        etag = ""
        client = harness.Connection(self.port)
        while not finished.is_set():
            begin = time.perf_counter()
            status, head, _ = client.send(harness.get(self.path, self.cookie, f"If-None-Match: {etag}"))
            self.taken.append(time.perf_counter() - begin)
            self.answers[status] += 1
            match = re.search(rb"(?i)etag: ([^\r]+)", head)
            etag = match[1].decode() if match else ""
            finished.wait(PAUSE)


def main() -> None:
    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    owner = make_user(f"watcher{secrets.token_hex(4)}")
    options = ("a", "b", "c", "d", "e")
    questions = (yes_no("Q1?"), yes_no("Q2?"), one_of(options, "Q3?"), one_of(options, "Q4?"), yes_no("Q5?"))
    survey = make_open(*questions, owner=owner, title="Load")
    cookie = harness.signed_in(owner)
    connection.close()
    with serving("serve", directory=DIRECTORY, settings=harness.SETTINGS) as server:
        submission = Submission(survey)
        watching = Watching(server.port, survey, cookie)
        alone, watched = [], []
        for _ in range(ROUNDS):
            alone.append(_ingest(server.port, submission))
            with watching.under_way():
                watched.append(_ingest(server.port, submission))
        memory = harness.peak_memory(server.pid)
    ratio = statistics.median(run.rate / beside.rate for run, beside in zip(watched, alone, strict=True))
    print(f"on {connection.vendor}: ingest {_rates(alone)} alone, {_rates(watched)} while {WATCHERS} watch")
    print(f"ratio {ratio:.2f} (at least {WANTED} wanted)")
    taken = [1000 * seconds for seconds in watching.taken]
    print(
        f"polls: {dict(watching.answers)}, median {statistics.median(taken):.1f} ms, slowest {max(taken):.0f} ms; "
        f"peak memory of the workers {', '.join(f'{peak:.0f} MB' for peak in memory.values())} (at most 200 wanted)"
    )
    acknowledged = sum(run.requests - run.errors for run in (*alone, *watched))
    if set(watching.answers) - {200, 304} or not _nothing_lost(survey, acknowledged):
        raise SystemExit("something is wrong")


class Submission:
    """Makes the bytes of one submission after another, each with a nonce of its own."""

    def __init__(self, survey: Survey) -> None:
        self.page = f"/s/{survey.code}/"
        self.headers = (f"Origin: http://{HOST}", "Accept: application/json")

    def __call__(self) -> bytes:
        draw = secrets.randbits(32)
        reports = f"{draw & 1}{draw >> 1 & 1}{(draw >> 2) % 5}{(draw >> 12) % 5}{draw >> 31}"
        fields = f"nonce={secrets.token_urlsafe(16)}&mode=device&reports={reports}"
        return harness.post(self.page, fields, *self.headers)


def _ingest(port: int, submission: Submission) -> harness.Run:
    return harness.burst(port, submission, requests=REQUESTS, ok=frozenset({200}))


def _rates(runs: list[harness.Run]) -> str:
    rates = [run.rate for run in runs]
    return f"{statistics.median(rates):,.0f}/s ({min(rates):,.0f} to {max(rates):,.0f})"


def _nothing_lost(survey: Survey, acknowledged: int) -> bool:
    """Print and compare what was acknowledged, stored, and counted before and after closing."""
    waiting = Response.objects.filter(survey=survey).count()
    folded = PatternCount.objects.filter(survey=survey).aggregate(total=Sum("count"))["total"] or 0
    nonces = spent_count(survey=survey)
    definition = definition_of(survey)
    before = snapshot_of(survey, definition)
    begin = time.perf_counter()
    closed = close_survey(survey=survey)
    seconds = time.perf_counter() - begin
    after = snapshot_of(closed, definition)
    print(
        f"acknowledged {acknowledged:,}, stored {folded + waiting:,} ({folded:,} folded, {waiting:,} waiting), "
        f"in the figures {before.n:,} of {before.received:,}, after closing ({seconds:.2f} s) {after.n:,}"
    )
    return folded == nonces == before.n and acknowledged == folded + waiting == before.received == after.n


if __name__ == "__main__":
    main()
