"""Commands where the database, the disk or a file is not as it must be: one line, and no traceback."""

import errno
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, IntegrityError, connection

from surveys.management import ending_in_one_line
from tests.server import run
from tests.upkeep.backups import back_up_to

COMMANDS = {
    "backup": ["--without-keys"],
    "demo": ["--no-serve"],
    "export_survey": ["NQPE23"],
    "housekeeping": ["--once"],
    "import_survey": ["survey.json", "--owner", "ada"],
    "invite_instructor": ["ada@example.org", "--no-mail"],
    "purge": ["NQPE23", "--yes-purge", "NQPE23"],
    "release": ["NQPE23", "--mechanism", "laplace_histogram", "--question", "1", "--epsilon", "1", "--reason", "why",
                "--user", "ada", "--yes"],
    "seal": ["NQPE23", "--yes"],
    "simulate": ["NQPE23", "--respondents", "1"],
    "transfer_survey": ["NQPE23", "--to", "ada"],
    # SQLite has no roles.
    **({"grant": ["deniable"]} if connection.vendor == "postgresql" else {}),
}  # fmt: skip


@pytest.fixture
def elsewhere(transactional_db: None) -> Iterator[pytest.MonkeyPatch]:
    """Lets a test name another database."""
    with pytest.MonkeyPatch.context() as patch:
        connection.close()
        yield patch
        connection.close()


def _nowhere(tmp_path: Path) -> str:
    return str(tmp_path / "nowhere" / "file") if connection.vendor == "sqlite" else "nowhere"


def _ends(command: str, *arguments: str) -> str:
    with pytest.raises((SystemExit, CommandError)) as ended, ending_in_one_line():
        call_command(command, *arguments)
    line = str(ended.value)
    assert "\n" not in line
    return line


@pytest.mark.parametrize("command", COMMANDS)
def test_a_database_that_is_not_there(command: str, elsewhere: pytest.MonkeyPatch, tmp_path: Path) -> None:
    elsewhere.setitem(connection.settings_dict, "NAME", _nowhere(tmp_path))
    line = _ends(command, *COMMANDS[command])
    assert "nowhere" in line or "unable to open database file" in line


# The demo makes the tables itself.
@pytest.mark.parametrize("command", sorted(COMMANDS.keys() - {"demo"}))
def test_a_database_without_tables(command: str, elsewhere: pytest.MonkeyPatch, tmp_path: Path) -> None:
    empty = str(tmp_path / "empty") if connection.vendor == "sqlite" else "postgres"
    elsewhere.setitem(connection.settings_dict, "NAME", empty)
    assert _ends(command, *COMMANDS[command]).endswith("un `manage.py migrate` first.")


def test_a_backup_cannot_be_restored_where_no_database_is(elsewhere: pytest.MonkeyPatch, tmp_path: Path) -> None:
    backup = back_up_to(tmp_path).path
    connection.close()
    elsewhere.setitem(connection.settings_dict, "NAME", _nowhere(tmp_path))
    assert "Nothing was restored." in _ends("restore", str(backup), "--without-keys", "--replace-answers", "0")


@pytest.mark.sqlite
def test_a_file_that_is_no_database(
    elsewhere: pytest.MonkeyPatch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"no database" * 100)
    elsewhere.setitem(connection.settings_dict, "NAME", str(file))
    assert _ends("seal", "NQPE23", "--yes") == f"The database {file}: file is not a database."
    monkeypatch.setattr(sys, "argv", ["manage.py", "seal", "--traceback"])
    with pytest.raises(DatabaseError), ending_in_one_line():
        call_command("seal", "NQPE23", "--yes")


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), "No space left on device."),
        (
            PermissionError(errno.EACCES, "Permission denied", "/etc/deniable/key"),
            "/etc/deniable/key: Permission denied.",
        ),
        (OSError("no number"), "no number."),
    ],
)
def test_the_disk_and_files_are_named(error: OSError, line: str) -> None:
    with pytest.raises(SystemExit) as ended, ending_in_one_line():
        raise error
    assert str(ended.value) == line


@pytest.mark.parametrize("error", [IntegrityError("UNIQUE"), ValueError("a mistake of ours")])
def test_a_mistake_keeps_its_traceback(error: Exception) -> None:
    with pytest.raises(type(error)), ending_in_one_line():
        raise error


def test_the_program_ends_in_one_line(tmp_path: Path) -> None:
    def seal(directory: Path) -> tuple[int, str]:
        settings = {"DENIABLE_LOCAL_DEMO": "1", "DENIABLE_DATA_DIR": str(directory)}
        done = run(sys.executable, "manage.py", "seal", "NQPE23", "--yes", **settings)
        return done.returncode, done.stderr

    assert seal(tmp_path / "data") == (1, "no such table: surveys_survey. Run `manage.py migrate` first.\n")
    file = tmp_path / "file"
    file.touch()
    code, words = seal(file / "data")
    assert (code, words.count("\n")) == (1, 1)
    assert words.startswith("DENIABLE_DATA_DIR must be a directory that this account can write to")
