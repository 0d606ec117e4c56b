"""What strangers make the server compute is bounded to so many seconds a minute."""

import asyncio
from collections.abc import MutableMapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.test import Client

from surveys import asgi
from surveys.learn import budget
from surveys.learn.budget import ComputingBudget
from tests.lessons.lesson import COIN, taught
from tests.pages import signed_in


class Clock:
    """Stands still until it is moved."""

    def __init__(self) -> None:
        self.seconds = 1_000.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def spent(monkeypatch: pytest.MonkeyPatch, clock: Clock) -> ComputingBudget:
    """The lab's budget of 6 seconds a minute: all that may be spent at once is, and 1 second more."""
    lab = ComputingBudget(6, clock=clock)
    monkeypatch.setattr(budget, "LAB", lab)
    lab.spend(2)
    return lab


def test_a_sixth_of_a_minutes_seconds_may_be_spent_at_once_and_no_more(clock: Clock) -> None:
    lab = ComputingBudget(6, clock=clock)
    for _answer in range(4):
        assert lab.seconds_to_wait() == 0
        lab.spend(0.25)
    assert lab.seconds_to_wait() == 1


def test_an_answer_that_costs_more_than_is_left_is_paid_for_by_waiting(clock: Clock) -> None:
    lab = ComputingBudget(6, clock=clock)
    lab.spend(3)
    # A tenth of a second comes back each second.
    assert lab.seconds_to_wait() == 21
    clock.seconds += 20
    assert lab.seconds_to_wait() == 1
    clock.seconds += 1
    assert lab.seconds_to_wait() == 0


def test_a_quiet_day_saves_nothing_up(clock: Clock) -> None:
    lab = ComputingBudget(6, clock=clock)
    clock.seconds += 86_400
    lab.spend(1)
    assert lab.seconds_to_wait() == 1


@pytest.mark.parametrize("draws", [1, 8])
def test_however_many_ask_as_often_as_they_can_a_budget_a_minute_is_computed(clock: Clock, draws: int) -> None:
    lab, computed = ComputingBudget(6, clock=clock), 0.0
    for _tick in range(60 * 10 * 10):
        clock.seconds += 0.1
        for _client in range(draws):
            if not lab.seconds_to_wait():
                lab.spend(0.5)
                computed += 0.5
    # Ten minutes, what may be spent at once, and the answer that overdraws it.
    assert 6 * 10 <= computed <= 6 * 10 + 1 + 0.5


@pytest.mark.django_db
@pytest.mark.parametrize("address", ["/learn/coin/?times=200", "/learn/coin/picture/", "/learn/coin.json"])
def test_strangers_wait_with_words_and_a_time(spent: ComputingBudget, clock: Clock, address: str) -> None:
    response = Client().get(address)
    assert response.status_code == 503
    assert response["Retry-After"] == "11"
    assert "no-store" in response["Cache-Control"]
    assert "<h1>" in response.content.decode()
    clock.seconds += 11
    assert Client().get(address).status_code == 200


@pytest.mark.django_db
@pytest.mark.parametrize("rest", ["", "picture/"])
def test_phones_in_a_lesson_wait_too(spent: ComputingBudget, rest: str) -> None:
    response = Client().get(f"/lesson/{taught(at=COIN, language='de').code}/{rest}")
    assert (response.status_code, response["Content-Language"]) == (503, "de")


@pytest.mark.django_db
def test_what_was_computed_is_spent(spent: ComputingBudget, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    clock.seconds += 15
    # Each look at the clock is a second later.
    seconds = iter(range(100))
    monkeypatch.setattr(budget, "perf_counter", lambda: float(next(seconds)))
    assert Client().get("/learn/coin/").status_code == 200
    assert spent.seconds_to_wait() == 6


@pytest.mark.django_db
def test_people_who_have_signed_in_are_always_answered(spent: ComputingBudget) -> None:
    assert signed_in().get("/learn/coin/?times=200").status_code == 200


@pytest.mark.django_db
def test_pages_that_compute_nothing_are_always_answered(spent: ComputingBudget) -> None:
    assert Client().get("/learn/").status_code == 200


class Answered:
    """What Django answers, in the order given."""

    whole, piece, has_failed = True, b"", False

    def __init__(self, statuses: list[int]) -> None:
        self._statuses = statuses

    def __call__(self, _environ: dict[str, Any]) -> "Answered":
        self.head = {"type": "http.response.start", "status": self._statuses.pop(0)}
        return self


@pytest.mark.parametrize(
    ("path", "statuses", "seconds", "status"),
    [
        ("/learn/coin/", [200], 0, 200),
        ("/learn/coin/", [503, 503, 200], 2, 200),
        ("/lesson/ABCDEF/picture/", [503] * 6, 5, 503),
        ("/s/ABCDEF/", [503], 0, 503),
    ],
)
def test_visitors_wait_without_a_thread_while_it_is_spent_and_not_for_ever(
    monkeypatch: pytest.MonkeyPatch, path: str, statuses: list[int], seconds: int, status: int
) -> None:
    slept, sent = [], []

    async def sleep(wanted: float) -> None:
        slept.append(wanted)

    async def send(message: MutableMapping[str, Any]) -> None:
        sent.append(message)

    monkeypatch.setattr(asgi, "_Answer", Answered(list(statuses)))
    monkeypatch.setattr(asgi.asyncio, "sleep", sleep)
    # In a thread of its own: a browser that another test drives has a loop in this one.
    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, asgi._answer({"REQUEST_METHOD": "GET", "PATH_INFO": path}, send)).result()
    assert (sum(slept), sent[0]["status"]) == (seconds, status)
