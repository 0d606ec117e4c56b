"""kill -9 at any moment of a release: never released more than charged, never charged without a result.

A child does one release after another and is killed fifty or a hundred times: at every statement that it sends, at the
draw and at the commit, before and after each; then at moments that nobody chose.
"""

import os
import secrets
import signal
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NoReturn
from uuid import UUID, uuid4

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.db.models import Sum

from surveys.common import record
from surveys.common.record import Kept
from surveys.models import Budget, LedgerEntry, Release, ReleasePart, Survey
from surveys.releases.refusals import Why
from surveys.releases.selectors.doors import charged_releases
from surveys.releases.selectors.reading import reading_of
from tests.factories import make_admin
from tests.privacy.chance import seeded
from tests.releases.refused import refusing
from tests.releases.setting import make_release, ready_survey

# These run on the database in use: a SQLite file, or PostgreSQL where DATABASE_URL says so.
pytestmark = [pytest.mark.usefixtures("transactional_db"), pytest.mark.uncounted]

KILLS = (50, pytest.param(100, marks=pytest.mark.slow))
EACH = Fraction(1, 1000)
LONGEST_SECONDS = 0.04


@dataclass
class Killer:
    """Kills its process at one moment of a release; without any it counts the moments."""

    at: int
    passed: int = 0

    def moment(self) -> None:
        if self.passed == self.at:
            os.kill(os.getpid(), signal.SIGKILL)
        self.passed += 1

    def around(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def watched(*arguments: Any, **named: Any) -> Any:  # noqa: ANN401 - whatever it is around
            self.moment()
            result = function(*arguments, **named)
            self.moment()
            return result

        return watched

    def release(self, survey: Survey, user: User, key: UUID) -> Release:
        """Release once, with a moment before and after each statement, each draw of chance and the commit."""
        commit = connection._commit
        connection._commit = self.around(commit)
        try:
            with connection.execute_wrapper(lambda execute, *arguments: self.around(execute)(*arguments)):
                chance = self.around(seeded(1))
                return make_release(survey, user=user, epsilon=EACH, request_key=key, randbelow=chance)
        finally:
            connection._commit = commit


def _moments(survey: Survey, user: User) -> int:
    """Return how many moments a release has; the first also reads what later ones know."""
    for _ in range(2):
        watch = Killer(at=-1)
        watch.release(survey, user, uuid4())
    return watch.passed


def _in_a_child(work: Callable[[], object]) -> int:
    """Fork, let the child work on a connection of its own, and return its process."""
    connection.close()
    with warnings.catch_warnings():
        # Newer Pythons warn of forks beside threads: the child touches nothing that the libraries' threads hold.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if not child:
        _to_the_end(work)
    return child


def _to_the_end(work: Callable[[], object]) -> NoReturn:
    try:
        if connection.vendor == "sqlite":
            with connection.cursor() as cursor:
                cursor.execute("PRAGMA synchronous=FULL")
        work()
    finally:
        # Nothing of the test run may happen a second time here, its reports least of all.
        os._exit(1)


def _killed(child: int) -> bool:
    _child, status = os.waitpid(child, 0)
    if connection.vendor == "postgresql":
        _wait_for_the_server()
    return os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL


def _wait_for_the_server() -> None:
    """A server may still be at the last statement of a client that is gone."""
    others = "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    for _ in range(1000):
        with connection.cursor() as cursor:
            cursor.execute(others)
            if not cursor.fetchone()[0]:
                return
        time.sleep(0.005)
    raise AssertionError("the server is still busy")


def _sum(rows: Any) -> int:  # noqa: ANN401 - of any of the three tables
    return rows.aggregate(sum=Sum("micro_epsilon"))["sum"] or 0


def _charged_is_released(survey: Survey) -> bool:
    """Whether the counter, the ledger, the releases and their parts say the same, and every charge has its result."""
    budget = Budget.objects.get(survey=survey)
    charges = LedgerEntry.objects.filter(kind="charge")
    sums = {budget.spent_micro_epsilon, _sum(charges), _sum(Release.objects), _sum(ReleasePart.objects)}
    counts = {budget.entries - 1, charges.count(), Release.objects.count(), ReleasePart.objects.count()}
    return len(sums) == len(counts) == 1


def _recorded(survey: Survey) -> set[str]:
    """Return the releases that the record beside the database knows of, as charged or as begun."""
    kept = record.read().get(record.key_of(survey), Kept(""))
    return {*kept.charged, *(charge.release for charge in kept.begun.values())}


@pytest.fixture
def survey() -> Survey:
    return ready_survey(epsilon=10)


@pytest.fixture
def admin() -> User:
    return make_admin()


@pytest.mark.parametrize("kills", KILLS)
def test_killed_so_often_it_never_releases_uncharged_and_never_charges_for_nothing(
    survey: Survey, admin: User, kills: int
) -> None:
    moments = _moments(survey, admin)
    assert moments > 20
    for kill in range(moments):
        key = uuid4()
        child = _in_a_child(lambda at=kill, key=key: Killer(at).release(survey, admin, key))
        assert _killed(child)
        assert _charged_is_released(survey)
        # Only what comes after the commit is there, and then all of it: who asks again is told where.
        committed = Release.objects.filter(request_key=key).exists()
        assert committed == (kill == moments - 1)
        assert set(Release.objects.values_list("pk", flat=True)) <= _recorded(survey)
    _killed_at_any_time(survey, admin, kills - moments)


def _killed_at_any_time(survey: Survey, admin: User, times: int) -> None:
    for _ in range(times):
        receive, send = os.pipe()

        def release_for_ever(send: int = send) -> None:
            while True:
                os.write(send, f"{make_release(survey, user=admin, epsilon=EACH).pk}\n".encode())

        child = _in_a_child(release_for_ever)
        os.close(send)
        time.sleep(LONGEST_SECONDS * secrets.randbelow(1000) / 1000)
        os.kill(child, signal.SIGKILL)
        assert _killed(child)
        with os.fdopen(receive) as pipe:
            shown = pipe.read().split()
        assert _charged_is_released(survey)
        # Whatever the child was told of is stored and charged.
        assert charged_releases().filter(pk__in=shown).count() == len(shown)
        assert set(Release.objects.values_list("pk", flat=True)) <= _recorded(survey)


def test_killed_between_the_charge_and_the_page_the_release_is_there_on_asking_again(
    survey: Survey, admin: User
) -> None:
    last, key = _moments(survey, admin) - 1, uuid4()
    assert _killed(_in_a_child(lambda: Killer(last).release(survey, admin, key)))
    with refusing(Why.DUPLICATE_REQUEST) as refused:
        make_release(survey, user=admin, epsilon=EACH, request_key=key)
    made = charged_releases().get(pk=refused.value.facts["release"])
    assert reading_of(made).spent.epsilon == 3 * EACH


def test_a_release_in_two_transactions_would_be_caught(survey: Survey, admin: User) -> None:
    """The planted fault: drawn and stored first, charged in a transaction of its own."""

    def store_then_die() -> None:
        Release.objects.create(
            survey=survey,
            mechanism="laplace_histogram",
            relation="REPLACE_ONE",
            micro_epsilon=1000,
            data_version="1",
            request_key=uuid4(),
            created_by=admin,
        )
        os.kill(os.getpid(), signal.SIGKILL)

    assert _charged_is_released(survey)
    assert _killed(_in_a_child(store_then_die))
    assert not _charged_is_released(survey)
