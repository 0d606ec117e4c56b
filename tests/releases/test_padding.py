"""How long a release takes says nothing about what was drawn."""

import time
from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction

import pytest
from django.db import connection

from surveys.models import Release, Survey
from surveys.privacy.mechanisms.laplace import DiscreteLaplace
from surveys.releases.refusals import ReleaseRefused, Why
from surveys.releases.services import releasing
from tests.privacy.chance import seeded
from tests.releases.setting import make_release, ready_survey, spent


class Clock:
    """Time that passes only when it is told to."""

    def __init__(self) -> None:
        self.now, self.while_sleeping = 1000.0, lambda: None

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        assert seconds >= 0
        self.while_sleeping()
        self.now += seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(releasing, "time", clock)
    monkeypatch.setattr(releasing, "STEP_SECONDS", 1.0)
    return clock


def _taking(clock: Clock, work: Callable[[], object]) -> float:
    began = clock.now
    with suppress(ReleaseRefused):
        work()
    return clock.now - began


@pytest.mark.parametrize(("taken", "steps"), [(0.0, 0), (0.001, 1), (0.999, 1), (1.0, 1), (1.001, 2), (3.5, 4)])
def test_whatever_it_takes_it_ends_at_the_next_whole_step(clock: Clock, taken: float, steps: int) -> None:
    @releasing.pad_duration
    def work(*, refuse: bool) -> str:
        clock.now += taken
        if refuse:
            raise ReleaseRefused(Why.NO_BUDGET)
        return "done"

    assert _taking(clock, lambda: work(refuse=False)) == pytest.approx(steps)
    assert _taking(clock, lambda: work(refuse=True)) == pytest.approx(steps)


@pytest.mark.usefixtures("transactional_db")
def test_releases_and_refusals_take_whole_steps_and_nobody_waits_for_a_lock_meanwhile(clock: Clock) -> None:
    survey, seen = ready_survey(), []
    clock.while_sleeping = lambda: seen.append((connection.in_atomic_block, Release.objects.count(), spent(survey)))

    def slow(bound: int) -> int:
        clock.now += 0.25
        return bound // 2

    def refused() -> None:
        make_release(survey, epsilon=Fraction(1), randbelow=slow)

    durations = [_taking(clock, lambda: make_release(survey, randbelow=slow)), _taking(clock, refused)]
    clock.now += 0.01
    assert [duration % 1 for duration in durations] == [0, 0]
    assert [row for row in seen if row[0]] == []
    assert seen[0] == (False, 1, 500_000)


@pytest.mark.django_db
def test_a_real_release_takes_a_whole_step(monkeypatch: pytest.MonkeyPatch) -> None:
    survey: Survey = ready_survey()
    monkeypatch.setattr(releasing, "STEP_SECONDS", 0.2)
    began = time.monotonic()
    make_release(survey)
    # How much later a busy machine wakes up is not the draw's doing, so only the lower end is sure.
    assert time.monotonic() - began >= 0.2


def _draws(clock: Clock, sample: Callable[[Callable[[int], int]], int]) -> list[tuple[float, int]]:
    """Return how long each of many draws takes and how large it is; each piece of chance takes a millisecond."""
    source = seeded(1)

    def slow(bound: int) -> int:
        clock.now += 0.001
        return source(bound)

    draws = []
    for _ in range(400):
        began = clock.now
        draws.append((abs(sample(slow)), round(clock.now - began, 6)))
    return [(duration, size) for size, duration in draws]


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)


def test_without_padding_the_time_of_a_draw_tells_how_large_it_is(clock: Clock) -> None:
    sample = DiscreteLaplace(Fraction(1, 10), 1).sample
    bare, padded = _draws(clock, sample), _draws(clock, releasing.pad_duration(sample))
    small = [duration for duration, size in bare if size < 5]
    large = [duration for duration, size in bare if size >= 20]
    assert _mean(large) > 1.2 * _mean(small)
    assert {duration for duration, _size in padded} == {1.0}
