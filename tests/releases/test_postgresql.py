"""What the database alone can refuse, on PostgreSQL too: guards, and people who do the same at once.

The whole of it, on that database, is `make test-postgresql`, which `make test-all` runs.
"""

import subprocess

import pytest
from django.db import connection

from tests.postgresql import pytest_on_postgresql
from tests.programs import POSTGRESQL

# Other processes do the work.
pytestmark = [pytest.mark.uncounted, pytest.mark.sqlite]

GUARDS_AND_RACES = (
    "tests/accounts/test_at_once.py",
    "tests/common/test_health.py::test_the_process_is_not_ready_when_the_database_cannot_be_written",
    "tests/releases/test_clocks_and_hands.py",
    "tests/releases/test_concurrency.py",
    "tests/releases/ledger/test_guards.py",
    "tests/releases/test_proposal_guards.py",
    "tests/models/test_guards.py",
    "tests/upkeep/test_diagnosis.py::test_a_trigger_that_was_dropped_is_missed",
    "tests/upkeep/test_diagnosis.py::test_a_clock_that_follows_none_is_said",
    "tests/on_postgresql/log.py",
    "tests/responses/test_folding.py::test_a_resend_that_waited_for_a_fold_is_not_stored_again",
    "tests/responses/test_folding.py::test_nobody_waits_for_a_fold",
)


def test_concurrency_and_guards_pass_on_postgresql() -> None:
    programs = POSTGRESQL.find()
    if programs is None:
        pytest.skip(POSTGRESQL.how_to_install)
    assert connection.vendor == "sqlite"
    done = pytest_on_postgresql(programs, "-m", "not slow", *GUARDS_AND_RACES, output=subprocess.PIPE)
    assert done.returncode == 0, done.stdout
