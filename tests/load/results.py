"""The results page with 1,000,000 responses of five items: `python -m tests.load.results`."""

# ruff: noqa: T201 - a script that prints its measurements
import re
import secrets
import sqlite3
import statistics
import time

from tests.load import harness
from tests.server import serving

DIRECTORY = harness.configure()

import django  # noqa: E402

django.setup()

from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY  # noqa: E402
from django.contrib.auth.models import User  # noqa: E402
from django.contrib.sessions.backends.db import SessionStore  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402

from tests.factories import make_open, make_user, one_of, yes_no  # noqa: E402

RESPONSES = 1_000_000
VIEWS = 60


def main() -> None:
    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    owner = make_user()
    options = ("a", "b", "c", "d", "e")
    survey = make_open(
        yes_no("Q1?"),
        yes_no("Q2?"),
        one_of(options, "Q3?"),
        one_of(options, "Q4?"),
        yes_no("Q5?"),
        owner=owner,
        title="Load",
    )
    cookie = f"Cookie: sessionid={_session(owner)}"
    connection.close()
    with sqlite3.connect(DIRECTORY / "deniable.sqlite3") as database:
        database.executemany(
            "INSERT INTO surveys_response (survey_id, mode, reports, nonce_hash) VALUES (?, 'device', ?, ?)",
            ((survey.pk, _reports(), number.to_bytes(16, "big")) for number in range(RESPONSES)),
        )
    size = (DIRECTORY / "deniable.sqlite3").stat().st_size
    print(f"{RESPONSES:,} responses, {size / RESPONSES:.0f} bytes of database each")
    with serving("serve", directory=DIRECTORY, settings=harness.SETTINGS) as server:
        port = server.port
        request = harness.get(f"/surveys/{survey.code}/results/", cookie)
        times = []
        for _ in range(VIEWS):
            # A connection each, so that both workers get their turn.
            client = harness.Connection(port)
            begin = time.perf_counter()
            status, head, _ = client.send(request)
            times.append(time.perf_counter() - begin)
            if status != 200:
                raise SystemExit(f"the results page answered {status}: {head.decode()}")
        figures = f"/surveys/{survey.code}/results/figures/"
        _, head, _ = harness.Connection(port).send(harness.get(figures, cookie))
        etag = re.search(rb"(?i)etag: ([^\r]+)", head)
        if etag is None:
            raise SystemExit("the results' figures have no ETag")
        unchanged = harness.get(figures, cookie, f"If-None-Match: {etag[1].decode()}")
        polls = []
        for _ in range(VIEWS):
            client = harness.Connection(port)
            begin = time.perf_counter()
            poll_status, _, _ = client.send(unchanged)
            polls.append(time.perf_counter() - begin)
        memory = harness.peak_memory(server.pid)
    # Each of the workers counts once; every other view is of what it has counted.
    slow, rest = sorted(times, reverse=True)[:2], sorted(times, reverse=True)[2:]
    print(f"first view of each worker: {slow[0]:.2f} s and {slow[1]:.3f} s (at most 3 s wanted)")
    middle, slowest = statistics.median(rest) * 1e3, max(rest) * 1e3
    print(f"unchanged view: median {middle:.1f} ms, slowest {slowest:.1f} ms (at most 50 ms wanted)")
    print(f"a poll of them is answered {poll_status}: median {statistics.median(polls) * 1e3:.1f} ms")
    print(f"peak memory of the workers: {', '.join(f'{peak:.0f} MB' for peak in memory.values())} (250 MB wanted)")


def _reports() -> str:
    draw = secrets.randbits(32)
    return f"{draw & 1}{draw >> 1 & 1}{(draw >> 2) % 5}{(draw >> 12) % 5}{draw >> 31}"


def _session(user: User) -> str:
    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.save()
    return str(session.session_key)


if __name__ == "__main__":
    main()
