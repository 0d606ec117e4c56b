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


def test_a_sample_secret_key_is_refused(tmp_path: Path) -> None:
    key = "django-insecure-0123456789abcdefghijklmnopqrstuvwxyz0123456789abcdefghijk"
    done = _manage("check", DENIABLE_DATA_DIR=str(tmp_path), DENIABLE_SECRET_KEY=key)
    assert "deniable.E001" in done.stderr


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
        _manage("migrate", "contenttypes", "-v0", DENIABLE_DATA_DIR=str(directory), DENIABLE_SECRET_KEY="x").returncode
        == 0
    )
    assert _rights(directory) == 0o700
    database = directory / "deniable.sqlite3"
    for before in (0o600, 0o644):
        database.chmod(before)
        shown = _manage("shell", "-v0", "-c", look, DENIABLE_DATA_DIR=str(directory), DENIABLE_SECRET_KEY="x").stdout
        assert {*shown.splitlines()} == {f"deniable.sqlite3{end} 0o600" for end in ("", "-wal", "-shm")}
        assert _rights(database) == 0o600


WRONG = [
    ("DENIABLE_DEBUG", "yes"),
    ("DENIABLE_LOCAL_DEMO", "true"),
    ("DENIABLE_SQLITE_SYNCHRONOUS", "OFF"),
    ("DENIABLE_EPSILON_LEVEL", "nan"),
    ("DENIABLE_EPSILON_LEVEL", "much"),
    ("DENIABLE_EPSILON_CAP", "inf"),
    ("DENIABLE_LAB_SECONDS", "0"),
    ("DENIABLE_NIGHT_HOUR", "24"),
    ("DENIABLE_NIGHT_HOUR", "midnight"),
    ("DENIABLE_LOG_FORMAT", "xml"),
]
# Each line of the output is what one of them is refused with.
_READ_EACH = f"""
import importlib, os, sys
for name, value in {WRONG}:
    os.environ[name] = value
    try:
        importlib.import_module("surveys.settings")
    except Exception as refused:
        print(type(refused).__name__, *str(refused).split())
    else:
        print("taken")
    del os.environ[name]
    sys.modules.pop("surveys.settings", None)
"""


def test_a_wrong_environment_variable_is_named(tmp_path: Path) -> None:
    read = run(sys.executable, "-c", _READ_EACH, DENIABLE_DATA_DIR=str(tmp_path))
    refused = read.stdout.splitlines()
    assert len(refused) == len(WRONG), read.stderr
    assert [f"{name}={value}" for (name, value), line in zip(WRONG, refused, strict=True) if name not in line] == []
    name, value = WRONG[0]
    done = _manage("check", DENIABLE_DATA_DIR=str(tmp_path), **{name: value})
    assert done.returncode != 0
    assert name in done.stderr


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
