"""What holds on SQLite holds on PostgreSQL: its tests are run once more, against a server started for them.

`make test` leaves out those in which the program does all and the database little; `make test-all` runs them too.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.db import connection

from tests.postgresql import postgresql
from tests.programs import POSTGRESQL

# Other processes do the work.
pytestmark = pytest.mark.uncounted

ROOT = Path(__file__).parents[2]
ON_BOTH = (
    "tests/accounts/test_at_once.py",
    "tests/accounts/test_names.py",
    "tests/common/test_health.py::test_the_process_is_not_ready_when_the_database_cannot_be_written",
    "tests/releases/test_clocks_and_hands.py",
    "tests/releases/ledger/test_concentrated.py",
    "tests/releases/test_concurrency.py",
    "tests/releases/ledger/test_guards.py",
    "tests/releases/test_killed.py",
    "tests/releases/test_proposal_guards.py",
    "tests/responses/test_erasing.py",
    "tests/models/test_guards.py",
)
# These read names and compose pages: what the database has to do in them, other tests ask of it.
LITTLE_OF_THE_DATABASE = (
    "tests/accounts/test_names.py",
    "tests/releases/ledger/test_concentrated.py",
    "tests/responses/test_erasing.py::test_a_command_and_a_page_say_what_is_not_done",
)
# What only that server has: its log, roles, and several who write at once.
ONLY_THERE = (
    "tests/on_postgresql/log.py",
    "tests/on_postgresql/roles.py",
    "tests/responses/test_folding.py::test_a_resend_that_waited_for_a_fold_is_not_stored_again",
    "tests/responses/test_folding.py::test_nobody_waits_for_a_fold",
)
AT_LENGTH = ("tests/responses/test_folding.py", "tests/answering/test_collecting.py")


@pytest.mark.parametrize("everything", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_concurrency_guards_and_kills_pass_on_postgresql(everything: bool) -> None:
    programs = POSTGRESQL.find()
    if programs is None:
        pytest.skip(POSTGRESQL.how_to_install)
    if connection.vendor == "postgresql":
        pytest.skip("everything runs on PostgreSQL already")
    if everything:
        chosen = ["slow or not slow", *ON_BOTH, *AT_LENGTH]
    else:
        chosen = ["not slow", *ON_BOTH, *ONLY_THERE, *(f"--deselect={test}" for test in LITTLE_OF_THE_DATABASE)]
    with postgresql(programs) as url:
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", *chosen],
            cwd=ROOT,
            env={**os.environ, "DATABASE_URL": url, "DENIABLE_NO_SKIPS": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0, done.stdout + done.stderr
