"""Settings fail loudly, and production's pass Django's own checks without a finding."""

import logging
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings

from tests.server import run

# Other processes do the work.
pytestmark = pytest.mark.uncounted

KEY = "only-for-the-tests" * 2


def _manage(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return run(sys.executable, "manage.py", *arguments, **environment)


def test_production_settings_pass_the_deployment_check_unless_others_can_read_the_data_directory(
    tmp_path: Path,
) -> None:
    directory = tmp_path / "data"
    directory.mkdir(mode=0o700)
    production = {"DENIABLE_DATA_DIR": str(directory), "DENIABLE_ALLOWED_HOSTS": "example.org"}
    done = _manage("check", "--deploy", "--fail-level", "WARNING", **production)
    assert done.returncode == 0, done.stderr
    directory.chmod(0o755)
    assert "deniable.W004" in _manage("check", "--deploy", **production).stderr


@pytest.mark.slow
def test_the_deployment_check_finds_a_planted_fault(tmp_path: Path) -> None:
    done = _manage(
        "check", "--deploy", "--fail-level", "WARNING", DENIABLE_DATA_DIR=str(tmp_path), DENIABLE_LOCAL_DEMO="1"
    )
    assert done.returncode != 0


def test_the_secret_key_is_made_once_and_only_its_owner_can_read_it(tmp_path: Path) -> None:
    read = (sys.executable, "-c", "import surveys.settings")
    run(*read, DENIABLE_DATA_DIR=str(tmp_path / "data"))
    path = tmp_path / "data" / "secret_key"
    first = path.read_text()
    run(*read, DENIABLE_DATA_DIR=str(tmp_path / "data"))
    assert path.read_text() == first
    assert len(first) > 64
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def _rights(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_the_database_and_the_files_beside_it_are_their_owners_alone(tmp_path: Path) -> None:
    directory = tmp_path / "data"
    count = "from django.contrib.contenttypes.models import ContentType; ContentType.objects.count()"
    look = f"{count}; import os; [print(f.name, oct(f.stat().st_mode & 0o777)) for f in os.scandir('{directory}')]"
    assert (
        _manage("migrate", "contenttypes", "-v0", DENIABLE_DATA_DIR=str(directory), DENIABLE_SECRET_KEY=KEY).returncode
        == 0
    )
    assert _rights(directory) == 0o700
    database = directory / "deniable.sqlite3"
    for before in (0o600, 0o644):
        database.chmod(before)
        shown = _manage("shell", "-v0", "-c", look, DENIABLE_DATA_DIR=str(directory), DENIABLE_SECRET_KEY=KEY).stdout
        assert {*shown.splitlines()} == {f"deniable.sqlite3{end} 0o600" for end in ("", "-wal", "-shm")}
        assert _rights(database) == 0o600


@pytest.mark.parametrize("command", ["check", "serve", "shell"])
def test_a_command_with_a_wrong_setting_says_so_in_one_line(command: str, tmp_path: Path) -> None:
    data = {"DENIABLE_DATA_DIR": str(tmp_path)}
    wrong = _manage(command, DENIABLE_DEBUG="yes", **data)
    assert (wrong.returncode, wrong.stdout, wrong.stderr) == (1, "", "DENIABLE_DEBUG must be 0 or 1, got 'yes'\n")
    unknown = _manage(command, DENIABLE_RELEASES_NEED_APROVAL="1", **data)
    assert (unknown.returncode, unknown.stdout) == (1, "")
    assert unknown.stderr == (
        "DENIABLE_RELEASES_NEED_APROVAL is not a setting: did you mean DENIABLE_RELEASES_NEED_APPROVAL?\n"
    )


def test_nothing_is_served_without_a_host(tmp_path: Path) -> None:
    done = _manage("serve", DENIABLE_DATA_DIR=str(tmp_path))
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert "DENIABLE_ALLOWED_HOSTS" in done.stderr


def test_an_error_of_a_respondents_page_is_logged_without_its_address(capsys: pytest.CaptureFixture[str]) -> None:
    """It may hold a single-use link, and the supervisor adds the time."""
    handler = logging.StreamHandler(sys.stderr)
    assert settings.LOGGING["handlers"]["console"]["filters"] == ["without_address"]
    handler.addFilter(settings.LOGGING["filters"]["without_address"]["callback"])
    logger = logging.getLogger("tests.log")
    logger.addHandler(handler)
    logger.error("%s: %s", "Internal Server Error", "/s/CODE/i/TOKEN/")
    logger.error("%s: %s", "Internal Server Error", "/surveys/")
    logger.error("no arguments")
    assert capsys.readouterr().err == "Internal Server Error: /s/…\nInternal Server Error: /surveys/\nno arguments\n"
