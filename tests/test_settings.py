"""Settings fail loudly, and production's pass Django's own checks without a finding."""

import logging
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings

ROOT = Path(__file__).resolve().parent.parent


def _manage(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    inherited = {
        name: value for name, value in os.environ.items() if not name.startswith(("DENIABLE_", "DATABASE_", "DJANGO_"))
    }
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT,
        env=inherited | environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_production_settings_pass_the_deployment_check_without_a_warning(tmp_path: Path) -> None:
    done = _manage(
        "check",
        "--deploy",
        "--fail-level",
        "WARNING",
        DENIABLE_DATA_DIR=str(tmp_path),
        DENIABLE_ALLOWED_HOSTS="example.org",
    )
    assert done.returncode == 0, done.stderr


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
    _manage("check", DENIABLE_DATA_DIR=str(tmp_path / "data"))
    path = tmp_path / "data" / "secret_key"
    first = path.read_text()
    _manage("check", DENIABLE_DATA_DIR=str(tmp_path / "data"))
    assert path.read_text() == first
    assert len(first) > 64
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("environment", "name"),
    [
        ({"DENIABLE_DEBUG": "yes"}, "DENIABLE_DEBUG"),
        ({"DENIABLE_LOCAL_DEMO": "true"}, "DENIABLE_LOCAL_DEMO"),
        ({"DENIABLE_SQLITE_SYNCHRONOUS": "OFF"}, "DENIABLE_SQLITE_SYNCHRONOUS"),
        ({"DENIABLE_EPSILON_LEVEL": "nan"}, "DENIABLE_EPSILON_LEVEL"),
        ({"DENIABLE_EPSILON_LEVEL": "much"}, "DENIABLE_EPSILON_LEVEL"),
    ],
)
def test_a_wrong_environment_variable_is_named(tmp_path: Path, environment: dict[str, str], name: str) -> None:
    done = _manage("check", DENIABLE_DATA_DIR=str(tmp_path), **environment)
    assert done.returncode != 0
    assert name in done.stderr


def test_a_web_worker_loads_neither_scipy_stats_nor_what_reads_workbooks(tmp_path: Path) -> None:
    code = (
        "import os, sys; os.environ['DJANGO_SETTINGS_MODULE'] = 'surveys.settings'\n"
        "import surveys.wsgi, surveys.urls\n"
        "from django.urls import get_resolver; get_resolver().url_patterns\n"
        "import surveys.estimation, surveys.selectors.results, surveys.selectors.releases, surveys.services.releasing\n"
        "sys.exit(bool({'scipy.stats', 'openpyxl'} & sys.modules.keys()))"
    )
    environment = os.environ | {"DENIABLE_DATA_DIR": str(tmp_path), "DENIABLE_LOCAL_DEMO": "1"}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment, check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


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
