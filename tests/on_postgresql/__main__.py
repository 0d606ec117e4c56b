"""The tests in which a database takes part, on a PostgreSQL started for them: `make test-postgresql`.

The mathematics knows no database, and a browser meets the same pages whatever stores what is behind them.
"""

import os
import sys
from pathlib import Path

from tests.postgresql import pytest_on_postgresql
from tests.programs import POSTGRESQL

ONLY_THERE = tuple(map(str, sorted(Path(__file__).parent.glob("[a-z]*.py"))))
ELSEWHERE = ("tests/privacy", "tests/estimation", "tests/browser", "tests/charts", "tests/numbers", "tests/learn")


def main() -> None:
    programs = POSTGRESQL.find()
    if programs is None:
        sys.exit(POSTGRESQL.how_to_install)
    ended = pytest_on_postgresql(
        programs,
        *(
            "-m",
            "not slow and not studies and not sqlite",
            "--numprocesses",
            str(os.cpu_count() or 1),
            "--dist",
            "loadfile",
        ),
        *(f"--ignore={path}" for path in ELSEWHERE),
        "tests",
        *ONLY_THERE,
        *sys.argv[1:],
    )
    sys.exit(ended)


if __name__ == "__main__":
    main()
