"""Exports of 1,000,000 rows of 20 patterns, and of 100,000 rows that are all different: `python -m tests.load.exports`.

Measures through the real server, the page that offers them first: seconds until the first byte and until the last,
bytes against the length announced, and how much memory the workers took at most.
"""

# ruff: noqa: T201 - a script that prints its measurements
import time
from http.client import HTTPConnection

import numpy as np

from tests.load import harness
from tests.server import HOST, serving

DIRECTORY = harness.configure()

import django  # noqa: E402

django.setup()

from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402

from surveys.course.services import close_survey  # noqa: E402
from surveys.models import FoldedPart, PatternCount, Survey  # noqa: E402
from tests.factories import make_open, make_user, one_of  # noqa: E402
from tests.load.filling import insert  # noqa: E402

ITEMS, OPTIONS = 20, 5
MANY, DISTINCT, PATTERNS = 1_000_000, 100_000, 20
FILES = ("", "responses.csv", "labels.csv", "responses.json")
RNG = np.random.default_rng(1)


def main() -> None:
    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    owner = make_user()
    options = [f"Answer {letter}" for letter in "abcde"]
    questions = [one_of(options, f"Q{number}?") for number in range(ITEMS)]
    few, distinct = (make_open(*questions, owner=owner, title="Load") for _ in range(2))
    _fill_folded(few)
    insert(distinct, RNG.integers(0, OPTIONS, size=(DISTINCT, ITEMS)))
    surveys = {f"{MANY:,} × {PATTERNS} patterns": few, f"{DISTINCT:,} all different": close_survey(survey=distinct)}
    cookie = harness.signed_in(owner).partition(": ")[2]
    connection.close()
    for name, survey in surveys.items():
        # A server of its own each, so that the peak is that survey's.
        with serving("serve", directory=DIRECTORY, settings=harness.SETTINGS) as server:
            _download(server.port, f"/surveys/{survey.code}/", cookie)
            before = max(harness.peak_memory(server.pid).values())
            for file in FILES:
                told = _download(server.port, f"/surveys/{survey.code}/export/{file}", cookie)
                peak = max(harness.peak_memory(server.pid).values())
                print(f"{name}: {file or 'the page'} {told}; largest worker {peak:.0f} MB, before {before:.0f} MB")


def _fill_folded(survey: Survey) -> None:
    counts = RNG.multinomial(MANY, [1 / PATTERNS] * PATTERNS)
    codes = RNG.integers(0, OPTIONS, size=(PATTERNS, ITEMS))
    PatternCount.objects.bulk_create(
        PatternCount(survey=survey, mode="device", reports="".join(map(str, row)), count=count)
        for row, count in zip(codes.tolist(), counts.tolist(), strict=True)
    )
    FoldedPart.objects.create(survey=survey, mode="device", count=MANY, patterns=PATTERNS)


def _download(port: int, path: str, cookie: str) -> str:
    """Fetch a file without keeping it."""
    client = HTTPConnection(HOST, port, timeout=120)
    begin = time.perf_counter()
    client.request("GET", path, headers={"Cookie": cookie, "Accept-Encoding": "gzip"})
    response = client.getresponse()
    received = len(response.read(1))
    first = time.perf_counter() - begin
    while piece := response.read(1 << 20):
        received += len(piece)
    seconds = time.perf_counter() - begin
    announced = int(response.headers["Content-Length"])
    if (response.status, received) != (200, announced):
        raise SystemExit(f"{response.status}: {received:,} bytes of {announced:,}")
    return f"{received / 1e6:.1f} MB in {seconds:.2f} s, first byte after {first:.2f} s"


if __name__ == "__main__":
    main()
