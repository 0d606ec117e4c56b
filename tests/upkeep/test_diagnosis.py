"""`doctor` says in words what is wrong; each thing that it looks at is broken here once, and once it is sound."""

import datetime as dt
import io
import re
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import timezone
from pytest_django import Settings

from surveys.models import LastRun, LedgerEntry, Survey
from surveys.upkeep.selectors import diagnosis
from surveys.upkeep.selectors.diagnosis import Diagnosis, Grade, diagnose
from surveys.upkeep.selectors.program import TimeZoneData
from tests.factories import make_open
from tests.releases.setting import published_release, ready_survey
from tests.upkeep.backups import back_up_to

pytestmark = pytest.mark.django_db


def _of(subject: str) -> list[Diagnosis]:
    look = diagnosis._LOOKS[subject]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(diagnosis, "_LOOKS", {subject: look})
        return list(diagnose())


def _grades(subject: str) -> list[Grade]:
    return [finding.grade for finding in _of(subject)]


def test_the_command_says_all_of_it_and_fails_where_something_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.StringIO()
    monkeypatch.setattr(diagnosis, "_LOOKS", {name: diagnosis._LOOKS[name] for name in ("Database", "Disk")})
    call_command("doctor", stdout=out)
    assert out.getvalue().startswith("ok    Database: ")
    monkeypatch.setattr(diagnosis, "unlike_the_migrations", lambda: ["trigger guard_x is missing", "view x is another"])
    with pytest.raises(CommandError):
        call_command("doctor", stdout=out)
    assert re.search(r"^WRONG Database: .*guard_x", out.getvalue(), re.MULTILINE)


def test_what_cannot_be_looked_at_is_wrong_and_the_rest_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> Iterator[tuple[Grade, str]]:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(diagnosis, "_LOOKS", {"First": broken, "Disk": diagnosis._LOOKS["Disk"]})
    findings = list(diagnose())
    assert (findings[0].grade, "[Errno 13]" in findings[0].words) == (Grade.WRONG, True)
    assert [each.subject for each in findings] == ["First", "Disk"]


def test_findings_of_the_deployment_check_are_among_them(settings: Settings) -> None:
    settings.DEBUG = True
    words = [finding.words for finding in _of("Settings")]
    assert any("deniable.W004" in each or "security.W" in each for each in words)
    assert any("DENIABLE_DEBUG" in each for each in words)


@pytest.mark.parametrize("lacking", ["", "templates/base.html cannot be read"])
def test_what_pages_lack_is_said_as_the_server_says_it(lacking: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """tests/common/test_health.py has what they may lack."""
    monkeypatch.setattr(diagnosis, "what_pages_lack", lambda: lacking)
    (finding,) = _of("Pages")
    assert (finding.grade, lacking in finding.words) == (Grade.WRONG if lacking else Grade.SOUND, True)


@pytest.mark.parametrize(
    ("table", "trigger"), [("ledgerentry", "guard_ledgerentry_update"), ("survey", "guard_survey_arms")]
)
def test_a_trigger_that_was_dropped_is_missed(table: str, trigger: str) -> None:
    assert _grades("Database") == [Grade.SOUND]
    with connection.cursor() as cursor:
        cursor.execute(
            f"DROP TRIGGER {trigger}" + (f" ON surveys_{table}" if connection.vendor == "postgresql" else "")
        )
    (finding,) = _of("Database")
    assert (finding.grade, trigger in finding.words) == (Grade.WRONG, True)


@pytest.mark.sqlite
def test_a_trigger_that_does_something_else_under_its_name_is_caught() -> None:
    """Of PostgreSQL many such things are tried in tests/on_postgresql/restores.py, of SQLite in test_attacks.py."""
    with connection.cursor() as cursor:
        cursor.execute("DROP TRIGGER guard_ledgerentry_update")
        cursor.execute(
            "CREATE TRIGGER guard_ledgerentry_update BEFORE UPDATE ON surveys_ledgerentry WHEN 1 = 0"
            " BEGIN SELECT RAISE(ABORT, 'never'); END"
        )
    (finding,) = _of("Database")
    assert (finding.grade, "guard_ledgerentry_update" in finding.words) == (Grade.WRONG, True)


# The proxy: a small one, which answers as one that is set up wrongly would.


@contextmanager
def _answering(status: int, location: str = "") -> Iterator[int]:
    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            if location:
                self.send_header("Location", location.format(host=self.headers["Host"]))
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_words: object) -> None:
            """Say nothing."""

    with HTTPServer(("127.0.0.1", 0), Answer) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture
def _deployed(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ask over plain connections: what is tested is what the answers are taken for."""
    settings.LOCAL_DEMO = False
    monkeypatch.setattr(diagnosis, "HTTPSConnection", diagnosis.HTTPConnection)


@pytest.mark.usefixtures("_deployed")
@pytest.mark.parametrize(
    ("status", "location", "grade", "words"),
    [
        (200, "", Grade.SOUND, "X-Forwarded-Proto"),
        (301, "https://{host}/healthz", Grade.WRONG, "X-Forwarded-Proto"),
        (400, "", Grade.WRONG, "refuses the host"),
        (502, "", Grade.WRONG, " 502"),
        (302, "https://{host}/elsewhere/", Grade.WRONG, " 302"),
    ],
)
def test_what_the_site_answers_tells_what_the_proxy_passes_on(
    settings: Settings, status: int, location: str, grade: Grade, words: str
) -> None:
    with _answering(status, location) as port:
        settings.SITE_ADDRESS = f"https://127.0.0.1:{port}"
        finding = _of("Proxy")[0]
    assert (finding.grade, words in finding.words) == (grade, True), finding.words


@pytest.mark.usefixtures("_deployed")
def test_a_site_that_nobody_answers_at_or_that_has_no_address_is_reported(settings: Settings) -> None:
    settings.SITE_ADDRESS = "https://127.0.0.1:1"
    assert "nobody answers" in _of("Proxy")[0].words
    settings.SITE_ADDRESS = ""
    assert _grades("Proxy") == [Grade.LOOK]


@pytest.mark.usefixtures("_deployed")
def test_a_certificate_that_no_browser_takes_is_reported(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(_connection: object) -> tuple[int, str]:
        error = ssl.SSLCertVerificationError()
        error.verify_message = "certificate has expired"
        raise error

    monkeypatch.setattr(diagnosis, "_asked", refused)
    settings.SITE_ADDRESS = "https://survey.example.org"
    (finding,) = _of("Proxy")
    assert finding.grade is Grade.WRONG
    assert all(words in finding.words for words in ("survey.example.org", "certificate has expired"))


@pytest.mark.parametrize(
    ("settings_of_nginx", "grade"),
    [
        ("access_log off;\nerror_log /var/log/nginx/error.log emerg;", Grade.SOUND),
        ("access_log off;\nerror_log /var/log/nginx/error.log;", Grade.WRONG),
        ("access_log off;\n    access_log /var/log/nginx/access.log;", Grade.WRONG),
        ("server_tokens off;", Grade.WRONG),
        (None, Grade.LOOK),
    ],
)
def test_a_log_of_the_proxy_is_reported(
    monkeypatch: pytest.MonkeyPatch, settings_of_nginx: str | None, grade: Grade
) -> None:
    monkeypatch.setattr(diagnosis.shutil, "which", lambda _name: "/usr/sbin/nginx")
    monkeypatch.setattr(diagnosis, "_run", lambda *_command: settings_of_nginx)
    assert _grades("Proxy’s log") == [grade]


def test_without_nginx_it_says_to_look_oneself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(diagnosis.shutil, "which", lambda _name: None)
    assert _grades("Proxy’s log") == [Grade.LOOK]


def test_mail_that_goes_to_the_console_or_that_no_server_takes_is_reported(settings: Settings) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"
    assert _grades("Mail") == [Grade.LOOK]
    settings.EMAIL_BACKEND, settings.EMAIL_HOST = "django.core.mail.backends.smtp.EmailBackend", "127.0.0.1"
    settings.EMAIL_PORT = 1
    (finding,) = _of("Mail")
    assert (finding.grade, "127.0.0.1:1" in finding.words) == (Grade.WRONG, True)
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    assert _grades("Mail") == [Grade.SOUND]


@pytest.mark.parametrize(("free", "grade"), [(10**6, Grade.WRONG), (17 * 10**6, Grade.LOOK), (10**11, Grade.SOUND)])
def test_a_disk_that_fills_is_reported(monkeypatch: pytest.MonkeyPatch, free: int, grade: Grade) -> None:
    monkeypatch.setattr(diagnosis.shutil, "disk_usage", lambda _path: SimpleNamespace(free=free))
    monkeypatch.setattr(diagnosis, "_size", lambda: 10**7)
    assert set(_grades("Disk")) == {grade}


@pytest.mark.parametrize(("output", "grade"), [("yes\n", Grade.SOUND), ("no\n", Grade.LOOK), (None, Grade.LOOK)])
def test_a_clock_that_follows_none_is_reported(
    monkeypatch: pytest.MonkeyPatch, output: str | None, grade: Grade
) -> None:
    monkeypatch.setattr(diagnosis, "_run", lambda *_command: output)
    assert _grades("Clock") == [grade]


def test_a_clock_that_was_set_back_is_noticed_by_the_ledger(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(diagnosis, "_run", lambda *_command: "yes\n")
    published_release(ready_survey())
    newest = LedgerEntry.objects.order_by("-created_at")[0].created_at
    monkeypatch.setattr(diagnosis.timezone, "now", lambda: newest - dt.timedelta(hours=1))
    assert _grades("Clock") == [Grade.WRONG]


def test_rules_of_time_zones_that_are_old_and_zones_that_are_unknown_are_reported(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    survey = make_open()
    known = frozenset({"UTC", "Europe/Berlin"})
    for version, grade in (("2099a", Grade.SOUND), ("2019c", Grade.LOOK), ("", Grade.LOOK)):
        monkeypatch.setattr(diagnosis, "time_zone_data", lambda version=version: TimeZoneData(known, version, "here"))
        assert _grades("Time zones") == [grade]
    Survey.objects.filter(pk=survey.pk).update(time_zone="Mars/Olympus")
    assert "Mars/Olympus" in _of("Time zones")[0].words


@pytest.mark.usefixtures("transactional_db")
@pytest.mark.parametrize(("minutes", "grade"), [(None, Grade.LOOK), (9, Grade.SOUND), (11, Grade.LOOK)])
def test_housekeeping_that_does_not_run_is_reported(minutes: int | None, grade: Grade) -> None:
    at = timezone.now() - dt.timedelta(minutes=minutes or 0)
    if minutes is not None:
        LastRun.objects.create(job="folds", at=at)
    (finding,) = _of("Housekeeping")
    assert (finding.grade, f"{at:%Y-%m-%d %H:%M}" in finding.words) == (grade, minutes is not None)


@pytest.mark.usefixtures("transactional_db")
def test_backups_that_are_missing_or_old_are_reported(settings: Settings, tmp_path: Path) -> None:
    settings.BACKUP_DIR = tmp_path / "backups"
    assert _grades("Backups") == [Grade.LOOK]
    written = back_up_to(settings.BACKUP_DIR)
    assert _grades("Backups") == [Grade.SOUND]
    written.path.rename(written.path.with_name("deniable-20200101T000000Z.backup"))
    (finding,) = _of("Backups")
    assert (finding.grade, "2020-01-01 00:00" in finding.words) == (Grade.LOOK, True)
