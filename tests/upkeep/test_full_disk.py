"""A disk that is full at any step of a backup, a restore or a simulation: one line says so, and nothing is half."""

import resource
import shutil
import sqlite3
import subprocess
import sys
import zipfile
from contextlib import closing
from pathlib import Path

import pytest

from surveys.answering.services.simulating import BATCH
from tests.security.visiting import CODE, make_survey
from tests.server import ROOT, environment

# Other processes do the work.
pytestmark = [pytest.mark.uncounted, pytest.mark.slow]

_KIB = 1024


def _manage(directory: Path, *words: str, largest: int = -1) -> subprocess.CompletedProcess[str]:
    """Run a command that can make no file larger than this: to a program that is a disk that is full."""
    return subprocess.run(
        [sys.executable, "manage.py", *words],
        cwd=ROOT,
        # Or Python would keep half of a module that it translates, which later runs could not read.
        env=environment(directory) | {"PYTHONDONTWRITEBYTECODE": "1"},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (largest, largest)),
        capture_output=True,
        text=True,
        check=False,
    )


def _names(directory: Path) -> list[str]:
    with closing(sqlite3.connect(directory / "deniable.sqlite3")) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        return [name for (name,) in database.execute("SELECT first_name FROM auth_user")]


def test_wherever_the_disk_fills_nothing_is_lost(tmp_path: Path) -> None:
    directory = tmp_path / "data"
    make_survey(directory)
    for size in (1, 100, 300):
        done = _manage(directory, "backup", "--without-keys", largest=size * _KIB)
        assert (done.returncode, len(done.stderr.splitlines())) == (1, 1), done.stderr
        assert list((directory / "backups").iterdir()) == []
    assert _manage(directory, "backup", "--without-keys").returncode == 0
    (path,) = (directory / "backups").iterdir()
    with zipfile.ZipFile(path) as archive:
        copy = archive.getinfo("database.sqlite3").file_size
    refused = 0
    # The copy fits from its own size on, and SQLite's journal, which holds it once more, from a little above.
    for size in (copy // 2, copy - 4 * _KIB, copy, copy + 2 * _KIB, copy + 40 * _KIB, 4 * copy):
        with closing(sqlite3.connect(directory / "deniable.sqlite3")) as database:
            database.execute("UPDATE auth_user SET first_name = 'Later'")
            database.commit()
        done = _manage(directory, "restore", str(path), "--without-keys", largest=size)
        refused += done.returncode
        assert _names(directory) == ["Later" if done.returncode else ""]
        if done.returncode:
            assert "Nothing was restored" in done.stderr
            assert len(done.stderr.splitlines()) == 1
    assert 3 <= refused < 6
    assert [each.name for each in directory.iterdir() if each.name.startswith(".deniable")] == []


_ANSWERS = """
SELECT (SELECT COUNT(*) FROM surveys_response) + (SELECT COALESCE(SUM(count), 0) FROM surveys_foldedpart)
"""


def test_of_a_simulation_that_the_disk_stops_whole_batches_are_stored(tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    make_survey(empty)
    stored: list[int] = []
    # What it needs is up to SQLite's journal, which grows first: more each time, until all of it fits.
    for size in (100, 150, 225, 340, 500, 750, 1100, 1650, 2500, 3700):
        directory = Path(shutil.copytree(empty, tmp_path / str(size)))
        path, largest = directory / "deniable.sqlite3", size * _KIB
        done = _manage(directory, "simulate", CODE, "--respondents", str(4 * BATCH), largest=largest)
        if done.returncode:
            # What fails last is to count what is stored: then the bar, which is full, comes before.
            *bar, line = done.stderr.strip().splitlines()
            assert len(bar) <= 1
            assert line.startswith(f"The database {path}: ")
        _names(directory)
        with closing(sqlite3.connect(path)) as database:
            stored += database.execute(_ANSWERS).fetchone()
        if not done.returncode:
            break
    assert stored[-1] == 4 * BATCH
    assert [answers % BATCH for answers in stored] == [0] * len(stored)
    assert stored == sorted(stored)
    assert len(set(stored)) > 2, stored
