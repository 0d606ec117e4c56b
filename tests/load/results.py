"""Results asked for again, the projector's polls, and first views of 100,000 responses: `-m tests.load.results`.

All in this process and warm, as `one_request` asks, beside a bare view: processor time, of each the least disturbed
round. First views are those of a process that has just loaded what they need, once each.
"""

# ruff: noqa: T201 - a script that prints its measurements
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from tests.load import harness

FIRST = sys.argv[1:]
DIRECTORY = Path(os.environ["DENIABLE_DATA_DIR"]) if FIRST else harness.configure()

from surveys.wsgi import Handler, application  # noqa: E402

if not FIRST:
    from django.core.management import call_command
    from django.db import connection
    from django.test import override_settings

    from surveys.common.selectors import definition_of
    from surveys.course.services import record_exact_figures
    from surveys.models import Survey
    from surveys.responses.services.folding import fold
    from tests.factories import make_open, one_of, yes_no
    from tests.load.filling import insert

ROUNDS, VIEWS, POLLS, FIRST_VIEWS = 15, 20, 15, 5
RESPONSES = 100_000
AGAIN = {
    "one kind of question": "EXAMS/results/",
    "every kind": "EVERY/results/",
    "its methods": "EVERY/results/methods/",
    "one question of it": "EVERY/results/questions/1/",
}
TABS = (
    "",
    "figures/",
    "questions/1/",
    "questions/3/",
    "groups/",
    "relate/",
    "regression/",
    "bayes/",
    "plan/",
    "methods/",
)
HELLO = "/load/hello"
RNG = np.random.default_rng(1)


def main() -> None:
    call_command("demo", "--no-serve", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    every = Survey.objects.get(code="EVERY")
    cookie = harness.signed_in(every.owner)
    _first_views(every, cookie)
    _again(cookie)
    _projector(every, cookie)


def _again(cookie: str) -> None:
    with override_settings(MIDDLEWARE=[]):
        handlers = {"bare view": (Handler(), HELLO)}
    handlers |= {name: (application, f"/surveys/{path}") for name, path in AGAIN.items()}
    spent: dict[str, list[float]] = {name: [] for name in handlers}
    for round_number in range(ROUNDS + 1):
        for name, (handler, path) in handlers.items():
            begin = time.process_time()
            for _ in range(VIEWS):
                harness.ask(handler, path, cookie)
            if round_number:  # the first warms up
                spent[name].append((time.process_time() - begin) / VIEWS)
    bare = min(spent["bare view"])
    print("results asked for again, nothing new (at most 100 bare views wanted)")
    for name, rounds in spent.items():
        print(f"  {name:22} {1e3 * min(rounds):6.2f} ms {min(rounds) / bare:6.0f} bare views")


def _projector(survey: "Survey", cookie: str) -> None:
    """Print what each new batch costs a projector that shows figures, and what it then asks for once."""
    record_exact_figures(survey=survey)
    live = f"/surveys/{survey.code}/present/live/"
    etag, spent, size = "", [], 0
    for _ in range(POLLS):
        items = definition_of(survey).items
        insert(survey, np.column_stack([RNG.integers(0, item.design.m, size=survey.minimum_n) for item in items]))
        fold(survey=survey, everything=True)
        begin = time.process_time()
        head, body = harness.ask(application, live, cookie, HTTP_IF_NONE_MATCH=etag)
        spent.append(time.process_time() - begin)
        etag, size = head["ETag"], max(size, len(body))
    begin = time.process_time()
    _head, figures = harness.ask(application, f"{live}?figures", cookie)
    whole = time.process_time() - begin
    print(
        f"projector, poll with a new batch: {1e3 * min(spent):.0f} ms, {size:,} bytes (at most 60 ms and 8 KB wanted);"
        f" its figures, once: {1e3 * whole:.0f} ms, {len(figures):,} bytes"
    )


def _first_views(every: "Survey", cookie: str) -> None:
    """Print the first views of an open survey in processes that have just started."""
    options = ("a", "b", "c", "d", "e")
    questions = (yes_no("Q1?"), yes_no("Q2?"), one_of(options, "Q3?"), one_of(options, "Q4?"), yes_no("Q5?"))
    survey = make_open(*questions, owner=every.owner, title="Load")
    widths = [item.design.m for item in definition_of(survey).items]
    insert(survey, np.column_stack([RNG.integers(0, m, size=RESPONSES) for m in widths]))
    fold(survey=survey, everything=True)
    connection.close()
    print(f"first views of {RESPONSES:,} × {len(widths)}, open, each tab in its turn (at most 100 ms wanted)")
    command = [sys.executable, "-m", "tests.load.results", f"/surveys/{survey.code}/results/", cookie]
    runs = [
        [float(line) for line in subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()]
        for _ in range(FIRST_VIEWS)
    ]
    for tab, seconds in zip(TABS, zip(*runs, strict=True), strict=True):
        print(f"  {tab or 'overview':22} {1e3 * min(seconds):6.0f} ms")


def _first(results: str, cookie: str) -> None:
    from surveys.asgi import _load_results

    # As a worker does when somebody who has signed in comes to any page.
    _load_results().join()
    for tab in TABS:
        begin = time.process_time()
        harness.ask(application, results + tab, cookie)
        print(time.process_time() - begin)


if __name__ == "__main__":
    _first(*FIRST) if FIRST else main()
