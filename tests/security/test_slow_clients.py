"""Without a proxy: who sends half of a request, or does not read what comes, keeps nobody else from being served."""

import os
import signal
import socket
import sqlite3
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from surveys.asgi import BODY_SECONDS, LARGEST_BODY
from tests.postgresql import postgresql
from tests.programs import POSTGRESQL
from tests.security.visiting import (
    CODE,
    HALF_A_BODY,
    HALF_A_HEAD,
    PATH,
    answer_survey,
    half_sent,
    make_survey,
    plainly,
    seconds_of,
)
from tests.server import HOST, Server, serving

HALF_SENT = 200
VISITORS = 20
EXPORTED = """
import django; django.setup()
import numpy as np
from surveys.models import FoldedPart, PatternCount
from tests.factories import make_open, make_user, one_of, yes_no
from tests.load.harness import signed_in
make_open(yes_no(), code="CRAMMED")
owner = make_user()
survey = make_open(*(one_of(list("abcde"), f"Q{n}?") for n in range(20)), owner=owner, code="GREAT")
PatternCount.objects.create(survey=survey, mode="device", reports="01234" * 4, count=1_000_000)
FoldedPart.objects.create(survey=survey, mode="device", count=1_000_000, patterns=1)
print(signed_in(owner))
"""
Running = tuple[Server, Path, str]


@contextmanager
def _running(directory: Path, variables: dict[str, str]) -> Iterator[Running]:
    cookie = make_survey(directory, variables, EXPORTED).strip()
    with serving("serve", directory=directory, variables=variables) as server:
        yield server, directory, cookie


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def running(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    directory = tmp_path_factory.mktemp("slow") / "data"
    if request.param == "sqlite":
        with _running(directory, {}) as server:
            yield server
        return
    programs = POSTGRESQL.find()
    if programs is None:
        pytest.skip(POSTGRESQL.how_to_install)
    with postgresql(programs) as url, _running(directory, {"DATABASE_URL": url}) as server:
        yield server


def _visits(port: int, timeout: float = 30) -> list[tuple[float, list[int]]]:
    """Return how long some visitors took, a few at a time, and what they were answered."""
    host = f"{HOST}:{port}"
    with ThreadPoolExecutor(4) as visitors:
        return list(
            visitors.map(
                lambda _: seconds_of(lambda: answer_survey(plainly(port, timeout), host)),
                range(VISITORS),
            )
        )


def _served(visits: list[tuple[float, list[int]]]) -> int:
    return sum(set(statuses) <= {200, 201} and len(statuses) > 5 for _, statuses in visits)


def test_half_sent_requests_stop_nobody_and_are_ended(running: Running) -> None:
    port = running[0].port
    begin = time.perf_counter()
    bodies = half_sent(port, HALF_SENT, HALF_A_BODY, HOST)
    heads = half_sent(port, HALF_SENT, HALF_A_HEAD, HOST)
    visits = _visits(port)
    assert time.perf_counter() - begin < BODY_SECONDS, "the half-sent ones were there all the time"
    assert _served(visits) == VISITORS
    # Each visit is the page, all that belongs to it, and an answer.
    assert sorted(seconds for seconds, _ in visits)[VISITORS // 2] < 1
    ended = [client.recv(1000) for client in bodies]
    assert {answer[:12] for answer in ended} == {b"HTTP/1.1 408"}
    assert {answer[:12] for answer in (client.recv(1000) for client in heads)} <= {b"", b"HTTP/1.1 408"}
    assert time.perf_counter() - begin < 2 * BODY_SECONDS
    for client in (*bodies, *heads):
        client.close()
