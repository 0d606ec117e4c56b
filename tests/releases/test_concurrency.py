"""Two hundred at once spend a budget that allows a hundred: exactly a hundred releases."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from threading import Barrier
from uuid import UUID, uuid4

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, connection

from surveys.models import Budget, Release, Survey
from surveys.services import releasing
from tests.factories import make_admin
from tests.releases.setting import make_release, ready_survey, spent

# These run on the database in use: a SQLite file, or PostgreSQL where DATABASE_URL says so.
pytestmark = pytest.mark.usefixtures("real_transactions")

SPENDERS, ALLOWED = 200, 100
# PostgreSQL takes 100 connections unless told otherwise.
WORKERS = 50


def _all_at_once(spend: Callable[[int], None], times: int, workers: int = WORKERS) -> Counter[str]:
    """Return how often each outcome came: "" or an exception's name."""
    together = Barrier(workers)

    def one(number: int) -> str:
        if number < workers:
            together.wait()
        try:
            spend(number)
        except Exception as error:  # noqa: BLE001 - the test is which exceptions come
            return type(error).__name__
        finally:
            connection.close()
        return ""

    with ThreadPoolExecutor(workers) as pool:
        return Counter(pool.map(one, range(times)))


@pytest.fixture
def survey() -> Survey:
    return ready_survey(epsilon=1)


@pytest.fixture
def admin() -> User:
    return make_admin()


def test_two_hundred_spenders_get_exactly_the_hundred_releases_that_the_budget_allows(
    survey: Survey, admin: User
) -> None:
    each = Fraction(1, ALLOWED)
    outcomes = _all_at_once(lambda _: make_release(survey, user=admin, epsilon=each), SPENDERS)
    assert outcomes == {"": ALLOWED, "BudgetTooSmall": SPENDERS - ALLOWED}
    assert (Release.objects.count(), spent(survey)) == (ALLOWED, 1_000_000)


def test_one_request_sent_fifty_times_at_once_is_charged_once(survey: Survey, admin: User) -> None:
    key: UUID = uuid4()
    outcomes = _all_at_once(lambda _: make_release(survey, user=admin, request_key=key), 50)
    assert outcomes == {"": 1, "DuplicateRequest": 49}
    assert (Release.objects.count(), spent(survey)) == (1, 500_000)


def test_a_naive_look_before_the_charge_is_caught(survey: Survey) -> None:
    """The planted fault: everybody looks first, then everybody charges what the look allowed."""
    together = Barrier(2)

    def naive(_: int) -> None:
        budget = Budget.objects.get(survey=survey)
        together.wait()
        if budget.remaining_epsilon < 1:
            raise releasing.BudgetTooSmall(budget.remaining_epsilon)
        # Nothing but the look before keeps this statement from overspending.
        with connection.cursor() as cursor:
            cursor.execute(
                "UPDATE surveys_budget SET spent_micro_epsilon = spent_micro_epsilon + 1000000 WHERE id = %s",
                [budget.pk],
            )

    outcomes = _all_at_once(naive, 2, workers=2)
    assert outcomes == {"": 1, IntegrityError.__name__: 1}
    assert spent(survey) == 1_000_000


def test_a_naive_charge_that_writes_back_what_it_read_loses_a_charge(survey: Survey) -> None:
    """The other planted fault, which no constraint can see: both write the sum they computed."""
    together = Barrier(2)

    def naive(_: int) -> None:
        budget = Budget.objects.get(survey=survey)
        together.wait()
        budget.spent_micro_epsilon += 400_000
        budget.save()

    assert _all_at_once(naive, 2, workers=2) == {"": 2}
    assert spent(survey) == 400_000
