"""Through PgBouncer and on a cluster, with kills and a close in it all, what is acknowledged is stored and counted."""

import os
import subprocess
import sys

import pytest

from tests.programs import PGBOUNCER, POSTGRESQL
from tests.scale.servers import CITUS_MISSING
from tests.server import ROOT

pytestmark = [pytest.mark.slow]


def _run(*way: str, seconds: int = 12) -> subprocess.CompletedProcess[str]:
    for program in (POSTGRESQL, PGBOUNCER):
        if program.find() is None:
            pytest.skip(program.how_to_install)
    return subprocess.run(
        [sys.executable, "-m", "tests.scale.rounds", *way],
        cwd=ROOT,
        env=os.environ | {"SCALE_SECONDS": str(seconds)},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )


@pytest.mark.parametrize("way", ["direct", "pgbouncer", "citus"])
def test_acknowledged_is_stored_is_counted_though_processes_are_killed(way: str) -> None:
    if way == "citus" and not os.environ.get("CITUS"):
        pytest.skip(CITUS_MISSING)
    done = _run(way)
    assert done.returncode == 0, done.stdout + done.stderr


def test_an_insert_that_is_believed_without_a_row_is_caught() -> None:
    """The planted fault."""
    done = _run("pgbouncer", "trusting", seconds=4)
    assert done.returncode == 1
    assert "of one page were acknowledged" in done.stderr
