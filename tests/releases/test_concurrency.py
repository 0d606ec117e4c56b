"""Two hundred at once spend a budget that allows a hundred: exactly a hundred releases, and one unbroken ledger."""

from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from threading import Barrier
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, connection, transaction
from django.db.models import Sum
from pytest_django.fixtures import Settings

from surveys.common import record
from surveys.models import Budget, LedgerEntry, Proposal, Release, ReleasePart, Survey
from surveys.releases.ledger import services
from surveys.releases.ledger.services import set_budget
from surveys.releases.refusals import ReleaseRefused, Why
from surveys.releases.services.proposals import decline, take_back
from surveys.releases.services.releasing import approve
from tests.at_once import at_once, tally
from tests.factories import make_admin, make_open
from tests.releases.setting import first, make_release, propose, ready_survey, spent

# These run on the database in use: a SQLite file, or PostgreSQL where DATABASE_URL says so.
pytestmark = pytest.mark.usefixtures("transactional_db")

SPENDERS, ALLOWED = 200, 100


def _all_at_once(spend: Callable[[int], object], times: int) -> Counter[str]:
    """Return how often each outcome came: "", a refusal's code or another exception's name."""

    def one(number: int) -> str:
        spend(number)
        return ""

    came_to = at_once(*(partial(one, number) for number in range(times)))
    return tally(each.code if isinstance(each, ReleaseRefused) else each for each in came_to)


def _unbroken(survey: Survey) -> bool:
    """Whether every line continues the one before it and the last says what the budget, releases and parts say."""
    total = charged = 0
    lines = list(LedgerEntry.objects.filter(budget__survey=survey).order_by("number"))
    for number, line in enumerate(lines, start=1):
        total += line.micro_epsilon if line.kind == "total" else 0
        charged += line.micro_epsilon if line.kind == "charge" else 0
        if (line.number, line.total_micro_epsilon, line.spent_micro_epsilon) != (number, total, charged):
            return False
    budget = Budget.objects.get(survey=survey)
    sums = [
        rows.aggregate(sum=Sum("micro_epsilon"))["sum"] or 0
        for rows in (Release.objects.filter(survey=survey), ReleasePart.objects.filter(release__survey=survey))
    ]
    counters = (budget.total_micro_epsilon, budget.spent_micro_epsilon, budget.entries)
    return counters == (total, charged, len(lines)) and sums == [charged, charged]


@pytest.fixture
def survey() -> Survey:
    return ready_survey(epsilon=1)


@pytest.fixture
def admin() -> User:
    return make_admin()


@pytest.mark.uncounted
def test_two_hundred_spenders_get_exactly_the_hundred_releases_that_the_budget_allows(
    survey: Survey, admin: User
) -> None:
    each = Fraction(1, ALLOWED)
    outcomes = _all_at_once(lambda _: make_release(survey, user=admin, epsilon=each), SPENDERS)
    assert outcomes == {"": ALLOWED, Why.BUDGET_TOO_SMALL: SPENDERS - ALLOWED}
    assert (Release.objects.count(), spent(survey), _unbroken(survey)) == (ALLOWED, 1_000_000, True)
    (kept,) = record.read().values()
    assert (len(kept.charged), kept.begun) == (ALLOWED, {})


def test_one_request_sent_fifty_times_at_once_is_charged_once(survey: Survey, admin: User) -> None:
    key: UUID = uuid4()
    outcomes = _all_at_once(lambda _: make_release(survey, user=admin, request_key=key), 50)
    assert outcomes == {"": 1, Why.DUPLICATE_REQUEST: 49}
    assert (Release.objects.count(), spent(survey)) == (1, 500_000)


def test_one_request_for_two_surveys_at_once_is_charged_to_one(survey: Survey, admin: User) -> None:
    key, surveys = uuid4(), [survey, ready_survey()]
    outcomes = _all_at_once(lambda turn: make_release(surveys[turn], user=admin, request_key=key), 2)
    assert outcomes == {"": 1, Why.DUPLICATE_REQUEST: 1}
    assert sum(map(spent, surveys)) == 500_000


def test_those_who_set_a_budget_at_once_each_write_a_line_that_continues_the_one_before(
    survey: Survey, admin: User
) -> None:
    def set_it(turn: int) -> None:
        total = Fraction(turn + 1, 10)
        set_budget(survey=survey, total_epsilon=total, reason=f"By {turn}.", user=admin)

    assert _all_at_once(set_it, 20) == {"": 20}
    assert (LedgerEntry.objects.count(), _unbroken(survey)) == (21, True)


def test_a_first_budget_set_twice_at_once_is_one_budget_with_two_lines(admin: User) -> None:
    survey = make_open()

    def set_it(turn: int) -> None:
        set_budget(survey=survey, total_epsilon=Fraction(turn + 1), reason="First.", user=admin)

    assert _all_at_once(set_it, 8) == {"": 8}
    assert (Budget.objects.count(), LedgerEntry.objects.count(), _unbroken(survey)) == (1, 8, True)


def test_spending_while_the_total_goes_up_and_down_breaks_no_line(survey: Survey, admin: User) -> None:
    def turn_of(turn: int) -> None:
        if turn % 4:
            make_release(survey, user=admin, epsilon=Fraction(1, 20))
        else:
            total = Fraction(1 + turn % 8, 2)
            set_budget(survey=survey, total_epsilon=total, reason="Up and down.", user=admin)

    outcomes = _all_at_once(turn_of, 60)
    assert set(outcomes) <= {"", Why.BUDGET_TOO_SMALL, Why.BUDGET_BELOW_SPENT}
    assert (LedgerEntry.objects.count() == outcomes[""] + 1, _unbroken(survey)) == (True, True)


def _proposal(survey: Survey, user: User | None = None) -> Proposal:
    return propose(
        user=user or survey.owner,
        survey=survey,
        questions=[first(survey)],
        mechanism="laplace_histogram",
        epsilon=Fraction(1, 4),
        reason="For the board.",
        request_key=uuid4(),
    )


def test_of_many_who_approve_one_proposal_at_once_one_does(survey: Survey) -> None:
    proposal, approvers = _proposal(survey), [make_admin() for _ in range(12)]
    outcomes = _all_at_once(lambda turn: approve(proposal=proposal, user=approvers[turn]), 12)
    assert outcomes == {"": 1, Why.PROPOSAL_DECIDED: 11}
    assert (Release.objects.count(), spent(survey), _unbroken(survey)) == (1, 250_000, True)
    assert Proposal.objects.get().release == Release.objects.get()


def test_a_proposal_that_is_approved_declined_and_withdrawn_at_once_ends_in_one_way(survey: Survey) -> None:
    proposal, admins = _proposal(survey), [make_admin() for _ in range(8)]
    ways: list[Callable[[User], object]] = [
        lambda user: approve(proposal=proposal, user=user),
        lambda user: decline(proposal=proposal, user=user, reason="No."),
        lambda _user: take_back(proposal=proposal, user=survey.owner),
    ]
    outcomes = _all_at_once(lambda turn: ways[turn % 3](admins[turn]), 8)
    assert outcomes == {"": 1, Why.PROPOSAL_DECIDED: 7}
    approved = Proposal.objects.get().state == "approved"
    assert (Release.objects.count(), spent(survey)) == (int(approved), 250_000 * approved)


def test_whoever_proposed_cannot_approve_in_another_tab_at_the_moment_that_somebody_else_does(
    survey: Survey, admin: User, settings: Settings
) -> None:
    settings.RELEASES_NEED_APPROVAL = True
    proposal = _proposal(survey, user=admin)
    other = make_admin()
    tabs: list[Callable[[], object]] = [
        lambda: approve(proposal=proposal, user=admin),
        lambda: make_release(survey, user=admin, request_key=proposal.request_key, epsilon=Fraction(1, 4)),
        lambda: make_release(survey, user=admin),
        lambda: approve(proposal=proposal, user=other),
    ]
    outcomes = _all_at_once(lambda turn: tabs[turn % 4](), 12)
    assert outcomes[""] == 1
    assert set(outcomes) <= {"", Why.OWN_PROPOSAL, Why.NEEDS_APPROVAL, Why.DUPLICATE_REQUEST, Why.PROPOSAL_DECIDED}
    release = Release.objects.get()
    assert (release.created_by, release.has_two_people, spent(survey)) == (other, True, 250_000)


def test_one_proposal_sent_twenty_times_at_once_is_stored_once(survey: Survey) -> None:
    key = uuid4()
    fields: dict[str, Any] = {
        "survey": survey,
        "questions": [first(survey)],
        "mechanism": "laplace_histogram",
        "epsilon": Fraction(1),
    }
    outcomes = _all_at_once(lambda _: propose(user=survey.owner, reason="Once.", request_key=key, **fields), 20)
    assert (outcomes, Proposal.objects.count()) == ({"": 20}, 1)


def _spend_naively(survey: Survey, together: Barrier) -> None:
    """Look, let everybody else look, then write what was allowed at the look."""
    budget = Budget.objects.get(survey=survey)
    together.wait()
    if budget.remaining_epsilon >= 1:
        budget.spent_micro_epsilon += 1_000_000
        budget.save()


def test_a_naive_write_is_refused_by_the_guard(survey: Survey) -> None:
    together = Barrier(2, timeout=60)
    outcomes = _all_at_once(lambda _: _spend_naively(survey, together), 2)
    assert outcomes == {IntegrityError.__name__: 2}
    assert (spent(survey), _unbroken(survey)) == (0, True)


def test_of_two_who_write_the_next_line_without_waiting_for_each_other_one_is_refused(
    survey: Survey, admin: User
) -> None:
    together = Barrier(2, timeout=60)

    def write(_: int) -> None:
        budget = Budget.objects.get(survey=survey)
        together.wait()
        with transaction.atomic():
            services.write_total(
                budget, total_micro_epsilon=2_000_000, total_pico_delta=0, reason="At once.", user=admin
            )

    assert _all_at_once(write, 2) == {"": 1, IntegrityError.__name__: 1}
    assert (LedgerEntry.objects.count(), _unbroken(survey)) == (2, True)


@pytest.fixture
def unguarded(transactional_db: None) -> Iterator[None]:
    """A budget of 1 in a table that nothing guards: neither trigger nor constraint."""
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE unguarded (total INTEGER NOT NULL, spent INTEGER NOT NULL)")
        cursor.execute("INSERT INTO unguarded VALUES (1, 0)")
    yield
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE unguarded")


def _granted(spend: Callable[[int], None]) -> tuple[int, int]:
    """Return how many of two spenders were granted the budget of 1, and what the table then says."""
    outcomes = _all_at_once(spend, 2)
    with connection.cursor() as cursor:
        cursor.execute("SELECT spent FROM unguarded")
        return outcomes[""], cursor.fetchone()[0]


@pytest.mark.usefixtures("unguarded")
@pytest.mark.parametrize("write", ["spent = spent + 1", "spent = 1"])
def test_without_guards_looking_before_writing_grants_the_same_budget_twice(write: str) -> None:
    """The planted faults: one overspends, the other loses a charge, which no constraint could see."""
    together = Barrier(2, timeout=60)

    def naive(_: int) -> None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT total - spent FROM unguarded")
            assert cursor.fetchone()[0] >= 1
            together.wait()
            cursor.execute(f"UPDATE unguarded SET {write}")  # noqa: S608 - from the list above

    assert _granted(naive) == (2, 2 if "+" in write else 1)


@pytest.mark.usefixtures("unguarded")
def test_without_guards_the_conditional_statement_alone_grants_it_once() -> None:
    together = Barrier(2, timeout=60)

    def conditional(_: int) -> None:
        together.wait()
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("UPDATE unguarded SET spent = spent + 1 WHERE spent <= total - 1")
            if not cursor.rowcount:
                raise ReleaseRefused(Why.BUDGET_TOO_SMALL, left=Fraction(0))

    assert _granted(conditional) == (1, 1)
