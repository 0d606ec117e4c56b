"""How long respondents wait beside strangers who draw in the lab without a pause: `python -m tests.load.lab`.

Respondents come as they come, whatever others wait: so many a second, each with a page and a submission.
"""

# ruff: noqa: T201 - a script that prints its measurements
import itertools
import math
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from tests.load import harness
from tests.load.polling import DIRECTORY, Submission
from tests.server import serving

# isort: split
from django.core.management import call_command
from django.db import connection

from tests.factories import make_open, make_user, one_of, yes_no

ROUNDS = 3
SECONDS = 20
A_SECOND = 20
STRANGERS = 8
WANTED = 2.0
# What costs most of those that draw 200 at once.
DRAW = "/learn/differencing/picture/?guard=noise&epsilon=3&times=200&seed="


class Strangers:
    """Clients that draw again and again; `patient` ones wait as long as a 503 asks them to."""

    def __init__(self, port: int, *, patient: bool) -> None:
        self._port, self._patient = port, patient
        self._seeds = itertools.count(1)
        self.answers: Counter[int] = Counter()

    @contextmanager
    def under_way(self) -> Iterator[None]:
        """Draw until the block ends."""
        finished = threading.Event()
        threads = [threading.Thread(target=self._draw, args=(finished,)) for _ in range(STRANGERS)]
        for thread in threads:
            thread.start()
        yield
        finished.set()
        for thread in threads:
            thread.join()

    def _draw(self, finished: threading.Event) -> None:
        client = harness.Connection(self._port)
        while not finished.is_set():
            status, head, _ = client.send(harness.get(f"{DRAW}{next(self._seeds) % 9_999 + 1}"))
            self.answers[status] += 1
            if status == 503 and self._patient:
                finished.wait(int(head.lower().partition(b"retry-after:")[2].split(b"\r\n")[0]))


def respond(port: int, submission: Submission) -> dict[str, list[float]]:
    """Let respondents come for some time, and return how long each waited from the moment at which they came."""
    waits: dict[str, list[float]] = {"page": [], "submission": []}
    begin = time.perf_counter()
    turns = itertools.count()

    def respondents() -> None:
        client = harness.Connection(port)
        while (turn := next(turns)) < SECONDS * A_SECOND:
            due = begin + turn / A_SECOND
            time.sleep(max(0.0, due - time.perf_counter()))
            for name, request in (("page", harness.get(submission.page)), ("submission", submission())):
                status, head, _ = client.send(request)
                if status not in {200, 203}:
                    raise SystemExit(f"{status}: {head.decode()}")
                waits[name].append(time.perf_counter() - due)
                due = time.perf_counter()

    threads = [threading.Thread(target=respondents) for _ in range(harness.CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return waits


def main() -> None:
    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    options = ("a", "b", "c", "d", "e")
    questions = (yes_no("Q1?"), yes_no("Q2?"), one_of(options, "Q3?"), one_of(options, "Q4?"), yes_no("Q5?"))
    survey = make_open(*questions, owner=make_user(), title="Load")
    connection.close()
    settings = (("without a budget", "10000", False), ("with the budget", "2", False), ("with the budget", "2", True))
    for words, seconds, patient in settings:
        with serving(
            "serve", directory=DIRECTORY, settings=harness.SETTINGS, variables={"DENIABLE_LAB_SECONDS": seconds}
        ) as server:
            submission, strangers = Submission(survey), Strangers(server.port, patient=patient)
            respond(server.port, submission)  # warms up
            alone: dict[str, list[float]] = {"page": [], "submission": []}
            beside: dict[str, list[float]] = {"page": [], "submission": []}
            for _ in range(ROUNDS):
                _add(alone, respond(server.port, submission))
            with strangers.under_way():
                for _ in range(ROUNDS):
                    _add(beside, respond(server.port, submission))
        print(f"{words}, {STRANGERS} strangers who {'wait as asked' if patient else 'ask again at once'}:", flush=True)
        print(f"  the lab answered {dict(strangers.answers)}")
        for name, (share, called) in itertools.product(alone, ((0.5, "half"), (0.95, "95 of 100"))):
            without, now = _wait(alone[name], share), _wait(beside[name], share)
            print(f"  {name}, {called}: {without:.1f} ms alone, {now:.1f} ms, ratio {now / without:.2f}")
    print(f"(ratios below {WANTED:g} wanted with the budget)")


def _add(waits: dict[str, list[float]], further: dict[str, list[float]]) -> None:
    for name, taken in further.items():
        waits[name] += taken


def _wait(waits: list[float], share: float) -> float:
    return 1000 * sorted(waits)[math.ceil(share * len(waits)) - 1]


if __name__ == "__main__":
    main()
