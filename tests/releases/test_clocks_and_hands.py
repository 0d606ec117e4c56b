"""A clock that is set back or forward, and two people who publish and withdraw at once."""

import os
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from fractions import Fraction
from threading import Barrier

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone

from surveys.models import LedgerEntry, Release, release
from surveys.releases.ledger.services import set_budget
from surveys.releases.selectors.doors import index_key
from surveys.releases.services.releasing import publish, withdraw
from tests.at_once import close_connections
from tests.factories import make_admin
from tests.releases.setting import make_release, published_release, ready_survey


class Clock:
    """The machine's clock, and by how much somebody has set it."""

    def __init__(self) -> None:
        self.off = timedelta(0)

    def now(self) -> datetime:
        return timezone.now() + self.off


@pytest.mark.django_db
def test_a_clock_that_is_set_back_stops_no_release_and_no_line_is_dated_before_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = Clock()
    monkeypatch.setattr(release, "timezone", clock)
    survey, user = ready_survey(epsilon=5), make_admin()
    for off in (timedelta(0), timedelta(days=-400), timedelta(days=2), timedelta(days=1)):
        clock.off = off
        make_release(survey, user=user, epsilon=Fraction(1, 10))
        set_budget(survey=survey, total_epsilon=Fraction(5), reason="Again.", user=user)
    lines = list(LedgerEntry.objects.filter(budget__survey=survey).order_by("number"))
    times = [line.created_at for line in lines]
    assert (len(lines), times) == (9, sorted(times))
    # Set back from two days ahead to one: the lines keep the later time until the clock is there.
    assert len({time.date() for time in times}) == 2
    assert {line.release.created_at == line.created_at for line in lines if line.release} == {True}


@pytest.mark.django_db
def test_an_account_that_was_renamed_since_somebody_signed_in_is_charged_by_its_name() -> None:
    survey, user = ready_survey(), make_admin("before")
    type(user).objects.filter(pk=user.pk).update(username="since")
    assert make_release(survey, user=user).entry.created_by_name == "since"


def _shown(client: Client, release: Release) -> list[bool]:
    """Whether page, document, list and list's document show a release."""
    key = index_key(release.survey)
    lists = [client.get(f"/r/of/{key}{end}") for end in ("/", ".json")]
    return [
        client.get(f"/r/{release.pk}/").status_code == 200,
        client.get(f"/r/{release.pk}.json").status_code == 200,
        *(answer.status_code == 200 and release.pk in answer.content.decode() for answer in lists),
    ]


@pytest.mark.usefixtures("transactional_db")
def test_of_those_who_publish_and_withdraw_at_once_the_last_in_the_ledger_has_the_last_word(client: Client) -> None:
    release, people, together = make_release(ready_survey()), [make_admin(), make_admin()], Barrier(2)

    def work(turn: int) -> None:
        together.wait()
        for _ in range(5):
            (publish, withdraw)[turn](release=release, user=people[turn])
        close_connections()

    for _ in range(3):
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(work, range(2)))
        lines = list(release.publications.order_by("number"))
        # One after the other: nobody publishes what is published, or withdraws what is withdrawn.
        assert [line.kind for line in lines] == ["publish", "withdraw"] * (len(lines) // 2) + ["publish"] * (
            len(lines) % 2
        )
        published = bool(len(lines) % 2)
        assert Release.objects.get(pk=release.pk).published == published
        assert _shown(client, release) == [published] * 4


def _in_another_process(work: Callable[[Callable[[], object]], object]) -> Callable[[], str]:
    """Fork, let the child work until it waits for us, and return what lets it go on and reads what it says."""
    from_child, say = os.pipe()
    wait, go_on = os.pipe()
    connection.close()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if not child:
        try:
            answer = work(lambda: (os.write(say, b"ready "), os.read(wait, 1)))
            os.write(say, str(answer).encode())
        finally:
            os._exit(0)
    assert os.read(from_child, 6) == b"ready "

    def finish() -> str:
        os.write(go_on, b"x")
        os.waitpid(child, 0)
        os.close(say)
        with os.fdopen(from_child) as answer:
            return answer.read()

    return finish


@pytest.mark.usefixtures("transactional_db")
def test_a_withdrawn_release_is_not_shown_from_another_workers_memory() -> None:
    release = published_release(ready_survey())

    def worker(pause: Callable[[], object]) -> list[list[bool]]:
        before = _shown(Client(), release)
        pause()
        return [before, _shown(Client(), release)]

    finish = _in_another_process(worker)
    withdraw(release=release, user=release.created_by)
    assert finish() == str([[True] * 4, [False] * 4])
