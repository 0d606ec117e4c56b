"""Folding a wide survey beside the bare statements that its rows need: `python -m tests.load.folding [RESPONSES]`.

On PostgreSQL: `LOAD_DATABASE_URL=postgres://… python -m tests.load.folding`.
"""

# ruff: noqa: T201 - a script that prints its measurements
import itertools
import statistics
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np

from tests.load import harness

DIRECTORY = harness.configure()

import django  # noqa: E402

django.setup()

from django.core.management import call_command  # noqa: E402
from django.db import connection, transaction  # noqa: E402

from surveys.course.services import close_survey, seal_survey  # noqa: E402
from surveys.models import Response, Survey  # noqa: E402
from surveys.questionnaire.reports import CODES  # noqa: E402
from surveys.responses.services import erasing, steps  # noqa: E402
from surveys.responses.services.folding import fold  # noqa: E402
from tests.factories import make_open, one_of, send, spent_count  # noqa: E402
from tests.load.filling import AT_ONCE, insert  # noqa: E402

ITEMS, OPTIONS = 20, 5
# Rows of a bare step: the fewest that a fold takes on a slow machine, and as many as on a fast one.
STEPS = (1_000, 4_000)
RNG = np.random.default_rng(1)
_RANGE = "FROM surveys_response WHERE survey_id = %s AND group_id IS NULL AND nonce_hash > %s AND nonce_hash <= %s"
_BARE = (
    "INSERT INTO surveys_patterncount (survey_id, mode, reports, count) SELECT survey_id, mode, reports, 1 " + _RANGE,
    "DELETE " + _RANGE,
)
_BARE_NONCES = (
    "INSERT INTO surveys_spentnonces (survey_id, prefix, hashes) VALUES (%s, %s, %s)"
    " ON CONFLICT (survey_id, prefix) DO UPDATE SET hashes = surveys_spentnonces.hashes || excluded.hashes"
)


def main() -> None:
    responses = int(sys.argv[1]) if len(sys.argv) > 1 else 300_000
    call_command("migrate", verbosity=0)
    survey, later, *bare = (_filled(responses) for _ in range(2 + len(STEPS)))
    connection.close()  # SQLite's cache
    print(f"{responses:,} × {ITEMS} × {OPTIONS} on {connection.vendor}")
    floors = [_move_bare(each, step) for each, step in zip(bare, STEPS, strict=True)]
    for floor, step in zip(floors, STEPS, strict=True):
        print(f"bare, by steps of {step:,}: {_said(floor)}")
    other = make_open()
    with _measured() as taken, _waiting(other) as waits:
        folded = _spent(lambda: fold(survey=survey))
    print(f"folded while open: {_said(folded)}, ÷ bare {_ratios(folded, floors)}; {_steps(taken)}")
    print(f"answers to another survey meanwhile: {_waits(waits)}")
    with _measured() as taken, _waiting(other) as waits:
        closed = _spent(lambda: close_survey(survey=later))
    print(f"closed: {_said(closed)}, ÷ bare {_ratios(closed, floors)}; {_steps(taken)}; {_waits(waits)}")
    with _measured() as taken, _waiting(other) as waits:
        sealed = _spent(lambda: seal_survey(survey=Survey.objects.get(pk=later.pk)))
    print(f"sealed: {_said(sealed)}; {_steps(taken)}; {_waits(waits)}")
    if spent_count(survey=survey) + Response.objects.filter(survey=survey).count() != responses:
        raise SystemExit("responses are lost or doubled")


def _filled(responses: int) -> Survey:
    survey = make_open(*(one_of(CODES[:OPTIONS], f"Q{number}?") for number in range(ITEMS)), title="Wide")
    for start in range(0, responses, AT_ONCE):
        insert(survey, RNG.integers(0, OPTIONS, size=(min(AT_ONCE, responses - start), ITEMS)))
    return survey


def _move_bare(survey: Survey, step: int) -> tuple[float, float]:
    """Return what it takes to write each row as a pattern and its nonce as it is kept, to delete it, and nothing else.

    In the same order, by steps, and as safe from being carved out of the file; what is written is prepared before.
    """
    erasing.overwrite_what_is_deleted()
    waiting = Response.objects.filter(survey=survey).order_by("nonce_hash").values_list("nonce_hash", flat=True)
    nonces = [bytes(nonce) for nonce in waiting]
    pieces = [nonces[place : place + step] for place in range(0, len(nonces), step)]
    packed = [
        [
            (survey.pk, prefix, b"".join(nonce[2:] for nonce in alike))
            for prefix, alike in itertools.groupby(piece, lambda nonce: nonce[:2])
        ]
        for piece in pieces
    ]

    def move() -> None:
        begin = b""
        for piece, rows in zip(pieces, packed, strict=True):
            with transaction.atomic(), connection.cursor() as cursor:
                for statement in _BARE:
                    cursor.execute(statement, [survey.pk, begin, piece[-1]])
                cursor.executemany(_BARE_NONCES, rows)
            begin = piece[-1]

    return _spent(move)


def _spent(act: Callable[[], object]) -> tuple[float, float]:
    """Return seconds of processor time of this thread, and so of SQLite, or by the clock; and these."""
    cpu, clock = time.thread_time(), time.perf_counter()
    act()
    clock = time.perf_counter() - clock
    return (time.thread_time() - cpu if connection.vendor == "sqlite" else clock), clock


def _ratios(spent: tuple[float, float], floors: list[tuple[float, float]]) -> str:
    return " and ".join(f"{spent[0] / floor[0]:.2f}" for floor in floors) + " (at most 1.5 wanted)"


def _said(spent: tuple[float, float]) -> str:
    return (
        f"{spent[0]:.1f} s of processor time, {spent[1]:.1f} s"
        if connection.vendor == "sqlite"
        else f"{spent[1]:.1f} s"
    )


@contextmanager
def _measured() -> Iterator[list[float]]:
    """Note how many seconds each step holds its lock."""
    taken: list[float] = []
    known = steps.rows_of_next

    def noting(rows: int, done: int, seconds: float) -> int:
        taken.append(seconds)
        return known(rows, done, seconds)

    steps.rows_of_next = noting
    yield taken
    steps.rows_of_next = known


@contextmanager
def _waiting(survey: Survey) -> Iterator[list[float]]:
    """Let somebody answer another survey ten times a second, and note how long each answer takes."""
    waits: list[float] = []
    finished = threading.Event()

    def answer() -> None:
        while not finished.wait(0.1):
            begin = time.perf_counter()
            send(survey, "1")
            waits.append(time.perf_counter() - begin)
        connection.close()

    thread = threading.Thread(target=answer)
    thread.start()
    yield waits
    finished.set()
    thread.join()


def _steps(taken: list[float]) -> str:
    median = statistics.median(taken)
    return f"{len(taken)} steps, median {1e3 * median:.0f} ms, longest {1e3 * max(taken):.0f} ms (100 ms wanted)"


def _waits(waits: list[float]) -> str:
    return f"{len(waits)} answers, median {1e3 * statistics.median(waits):.0f} ms, longest {1e3 * max(waits):.0f} ms"


if __name__ == "__main__":
    main()
