"""`doctor` says in words what is wrong; each thing that it looks at is broken here once, and once it is sound."""

import datetime as dt
import io
import os
import re
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import timezone
from pytest_django import Settings

from surveys import checks
from surveys.accounts.services import mails
from surveys.models import LastRun, LedgerEntry, Survey, WaitingMail
from surveys.upkeep.selectors import diagnosis
from surveys.upkeep.selectors.diagnosis import Diagnosis, Grade, diagnose
from surveys.upkeep.selectors.program import TimeZoneData
from tests.accounts.provider import Provider, provider
from tests.factories import make_open
from tests.lti.platform import Platform, platform
from tests.releases.setting import published_release, ready_survey
from tests.upkeep.backups import back_up_to

__all__ = ["platform", "provider"]
NOBODY_THERE = {
    "default": {"BACKEND": "django.core.mail.backends.smtp.EmailBackend", "OPTIONS": {"host": "127.0.0.1", "port": 1}}
}
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
    ("table", "trigger"), [("ledgerentry", "guard_ledgerentry_update"), ("survey", "guard_survey_update")]
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


_HEALTHY, _AWAY = (200, "", b"ok\n"), (502, "", b"")


@contextmanager
def _answering(status: int, location: str = "", text: bytes = b"") -> Iterator[int]:
    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            if location:
                self.send_header("Location", location.format(host=self.headers["Host"]))
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

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
    monkeypatch.setattr(diagnosis, "_STARTS_WITHIN", 0)


@pytest.mark.usefixtures("_deployed")
@pytest.mark.parametrize(
    ("answer", "grade", "words"),
    [
        (_HEALTHY, Grade.SOUND, "X-Forwarded-Proto"),
        ((301, "https://{host}/healthz", b""), Grade.WRONG, "X-Forwarded-Proto"),
        ((400, "", b""), Grade.WRONG, "refuses the host"),
        (_AWAY, Grade.WRONG, " 502"),
        ((302, "https://{host}/elsewhere/", b""), Grade.WRONG, " 302"),
        # What a proxy answers that serves Deniable below a path of another site.
        ((404, "", b"Not found"), Grade.WRONG, "below a path"),
        ((200, "", b"<!doctype html>"), Grade.WRONG, "below a path"),
    ],
)
def test_what_the_site_answers_tells_what_the_proxy_passes_on(
    settings: Settings, answer: tuple[int, str, bytes], grade: Grade, words: str
) -> None:
    with _answering(*answer) as port:
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
@pytest.mark.parametrize(
    ("answers", "grades", "waited"),
    [
        (
            [ConnectionRefusedError(), (502, "", b""), (200, "", b"ok\n"), OSError()],
            [Grade.SOUND, Grade.SOUND, Grade.LOOK],
            2,
        ),
        ([(502, "", b"")] * 99, [Grade.WRONG, Grade.SOUND, Grade.WRONG], 20),
        ([ConnectionRefusedError()] * 99, [Grade.WRONG], 20),
    ],
)
def test_a_server_that_starts_is_waited_for_but_not_for_ever(
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
    answers: list[OSError | tuple[int, str, bytes]],
    grades: list[Grade],
    waited: int,
) -> None:
    slept, coming = [0.0], iter(answers)

    def asked(_connection: object) -> tuple[int, str, bytes]:
        answer = next(coming)
        if isinstance(answer, OSError):
            raise answer
        return answer

    monkeypatch.setattr(diagnosis, "time", SimpleNamespace(monotonic=lambda: sum(slept), sleep=slept.append))
    monkeypatch.setattr(diagnosis, "_STARTS_WITHIN", 20)
    monkeypatch.setattr(diagnosis, "_asked", asked)
    settings.SITE_ADDRESS = "https://survey.example.org"
    findings = _of("Proxy")
    assert [finding.grade for finding in findings] == grades
    assert any(f" after {waited} seconds" in finding.words for finding in findings)


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
    settings.MAILERS = {"default": {"BACKEND": "django.core.mail.backends.console.EmailBackend"}}
    assert _grades("Mail") == [Grade.LOOK]
    settings.MAILERS = NOBODY_THERE
    (finding,) = _of("Mail")
    assert (finding.grade, "127.0.0.1:1" in finding.words) == (Grade.WRONG, True)
    settings.MAILERS = {"default": {"BACKEND": "django.core.mail.backends.locmem.EmailBackend"}}
    assert _grades("Mail") == [Grade.SOUND]


def test_without_a_provider_of_sign_ins_there_is_nothing_to_say_of_one() -> None:
    assert _of("Provider") == []


@pytest.mark.parametrize(
    ("metadata", "seconds", "grade"),
    [
        ({}, 0, Grade.SOUND),
        ({"code_challenge_methods_supported": ["plain"]}, 0, Grade.LOOK),
        ({}, 30, Grade.LOOK),
        ({}, -300, Grade.WRONG),
        ({"issuer": "https://other.example.org"}, 0, Grade.WRONG),
        ({"authorization_endpoint": "http://127.0.0.1:1/"}, 0, Grade.WRONG),
    ],
)
def test_a_provider_that_signs_nobody_in_is_reported(
    provider: Provider, settings: Settings, metadata: dict[str, object], seconds: int, grade: Grade
) -> None:
    provider.metadata, provider.seconds_ahead = metadata, seconds
    settings.SITE_ADDRESS = "https://survey.example.org"
    assert _grades("Provider") == [grade]


def test_an_address_without_https_to_come_back_to_is_reported(provider: Provider, settings: Settings) -> None:
    settings.SITE_ADDRESS = ""
    assert _grades("Provider") == [Grade.LOOK]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("changes", "grade"),
    [
        ({}, Grade.SOUND),
        ({"status": 500}, Grade.WRONG),
        ({"body": b'{"keys": []}'}, Grade.WRONG),
        ({"body": b"nothing"}, Grade.WRONG),
        ({"seconds_ahead": 30}, Grade.LOOK),
        ({"seconds_ahead": 90}, Grade.WRONG),
    ],
)
def test_a_course_platform_that_nobody_can_come_from_is_reported(
    platform: Platform, settings: Settings, changes: dict[str, object], grade: Grade
) -> None:
    settings.SITE_ADDRESS = "https://survey.example.org"
    assert _grades("Course platforms") == []
    platform.row()
    vars(platform).update(changes)
    assert _grades("Course platforms") == [grade]


@pytest.mark.django_db
def test_a_course_platform_without_a_deployment_or_an_address_to_send_people_to_is_reported(
    platform: Platform, settings: Settings
) -> None:
    row = platform.row(deployment_ids="")
    settings.SITE_ADDRESS = ""
    assert _grades("Course platforms") == [Grade.WRONG, Grade.LOOK]
    row.keys_address = "https://127.0.0.1:1/keys"
    row.save()
    assert _grades("Course platforms") == [Grade.WRONG, Grade.WRONG]


@pytest.mark.django_db
def test_an_email_that_has_waited_for_long_is_reported(emails_at_once: Callable[[], None]) -> None:
    emails_at_once()
    mails.keep("password_changed", to="ada@example.org", username="ada")
    assert _grades("Mail") == [Grade.SOUND]
    WaitingMail.objects.update(made_at=timezone.now() - dt.timedelta(minutes=11))
    assert [finding.grade for finding in _of("Mail")] == [Grade.LOOK, Grade.SOUND]
    assert _of("Mail")[0].words.startswith("1 email waiting")


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
@pytest.mark.parametrize(
    ("minutes", "grade"), [(None, Grade.LOOK), (9, Grade.SOUND), (11, Grade.LOOK), (-11, Grade.LOOK)]
)
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
    path = written.path
    # Old, and from a time to come: the clock was ahead.
    for year in (2020, 2900):
        path = path.rename(path.with_name(f"deniable-{year}0101T000000Z.backup"))
        (finding,) = _of("Backups")
        assert (finding.grade, f"{year}-01-01 00:00" in finding.words) == (Grade.LOOK, True)


@pytest.mark.parametrize(
    ("said", "grades"),
    [
        (None, [Grade.WRONG]),
        ("pg_dump (PostgreSQL) 9.6.24", [Grade.WRONG]),
        ("pg_dump (PostgreSQL) 99beta1 (Debian 99~beta1)", []),
    ],
)
def test_a_client_by_which_no_backup_can_be_made_is_reported(
    said: str | None, grades: list[Grade], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(diagnosis, "_run", lambda *_command: said)
    monkeypatch.setattr(connection, "get_database_version", lambda: (17, 6))
    assert [grade for grade, _words in diagnosis._client()] == grades


# Faults that are planted in a sound directory: the command names each, and fails.


@pytest.fixture
def place(settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a data directory in which all is as it should be."""
    directory = tmp_path / "data"
    (directory / "backups").mkdir(mode=0o700, parents=True)
    directory.chmod(0o700)
    for name in ("secret_key", "record.json", "deniable.sqlite3", "deniable.sqlite3-wal", "backups/deniable-x.backup"):
        (directory / name).touch(mode=0o600)
    (directory / "secret_key").write_text(settings.SECRET_KEY)
    settings.DATA_DIR, settings.BACKUP_DIR = directory, directory / "backups"
    settings.RECORD = directory / "record.json"
    if connection.vendor == "sqlite":
        connection.ensure_connection()
        monkeypatch.setitem(connection.settings_dict, "NAME", str(directory / "deniable.sqlite3"))
    else:
        # The tests' own role may do anything: tests/on_postgresql/roles.py has what is said of that.
        monkeypatch.setattr(checks, "_of_the_role", lambda _cursor: [])
        monkeypatch.setattr(checks, "_of_the_log", lambda _cursor: [])
    return directory


def _mode(name: str, mode: int) -> Callable[[Path, Settings], None]:
    return lambda place, _settings: (place / name).chmod(mode)


def _set(**changed: object) -> Callable[[Path, Settings], None]:
    def plant(_place: Path, settings: Settings) -> None:
        for name, value in changed.items():
            setattr(settings, name, value)

    return plant


def _another_key(place: Path, _settings: Settings) -> None:
    (place / "secret_key").write_text("made by another account")


def _root_was_here(place: Path, _settings: Settings) -> None:
    """Leave the key to root, and give all else to somebody."""
    for path in (place, *place.rglob("*")):
        os.chown(path, 0 if path.name == "secret_key" else 65534, -1)


def _no_trigger(_place: Path, _settings: Settings) -> None:
    on = " ON surveys_ledgerentry" if connection.vendor == "postgresql" else ""
    with connection.cursor() as cursor:
        cursor.execute(f"DROP TRIGGER guard_ledgerentry_update{on}")


FAULTS = [
    ("Files", _another_key, "differing keys: .*secret_key"),
    ("Files", _mode("secret_key", 0o604), "others can read .*secret_key"),
    ("Files", _mode("record.json", 0o400), "cannot read and write .*record.json"),
    ("Files", _mode("backups", 0o500), "cannot read and write .*backups"),
    ("Files", _mode("backups", 0o777), "others can write to .*backups"),
    ("Files", _mode("backups/deniable-x.backup", 0o640), "others can read .*deniable-x.backup"),
    pytest.param(
        "Files", _mode("deniable.sqlite3", 0o644), "others can read .*deniable.sqlite3:", marks=pytest.mark.sqlite
    ),
    pytest.param(
        "Files", _mode("deniable.sqlite3-wal", 0o400), "cannot read and write .*-wal", marks=pytest.mark.sqlite
    ),
    ("Settings", _mode(".", 0o755), r"Other accounts can look into .*\(deniable.W004\)"),
    ("Settings", _set(DEBUG=True), "DENIABLE_DEBUG is on"),
    ("Database", _no_trigger, "guard_ledgerentry_update"),
    ("Mail", _set(MAILERS=NOBODY_THERE), "127.0.0.1:1 takes no mail"),
    # Only root can give files away.
    *([("Files", _root_was_here, "secret_key belongs to root, not to")] if os.geteuid() == 0 else []),
]


def _doctor(subject: str) -> tuple[int, str]:
    """Return with what the command ends, and what it says of this."""
    out = io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(diagnosis, "_LOOKS", {subject: diagnosis._LOOKS[subject]})
        try:
            call_command("doctor", stdout=out)
        except CommandError as failed:
            return failed.returncode, out.getvalue()
    return 0, out.getvalue()


@pytest.mark.parametrize(("subject", "plant", "words"), FAULTS)
def test_a_planted_fault_is_named_and_fails_the_command(
    subject: str, plant: Callable[[Path, Settings], None], words: str, place: Path, settings: Settings
) -> None:
    named = re.compile(f"^WRONG {subject}: .*{words}", re.MULTILINE)
    assert not named.search(_doctor(subject)[1])
    plant(place, settings)
    code, said = _doctor(subject)
    assert code == 1
    assert named.search(said), said


@pytest.mark.parametrize(
    ("owner", "looks", "grades"),
    [
        (1000, 1000, [Grade.SOUND]),
        (1000, 0, [Grade.SOUND, Grade.SOUND]),
        (1000, 1001, [Grade.WRONG, Grade.SOUND]),
        (0, 0, [Grade.LOOK, Grade.SOUND]),
    ],
)
def test_who_looks_and_for_whom_is_said(
    owner: int, looks: int, grades: list[Grade], place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = Path.stat

    def stat(path: Path, **how: bool) -> os.stat_result:
        fields = list(found(path, **how))
        return os.stat_result([*fields[:4], owner, *fields[5:]])

    monkeypatch.setattr(Path, "stat", stat)
    monkeypatch.setattr(diagnosis.os, "geteuid", lambda: looks)
    assert [finding.grade for finding in _of("Files")] == grades
    assert str(place) in _of("Files")[0].words


def test_a_key_that_is_kept_for_what_it_signed_is_not_another(place: Path, settings: Settings) -> None:
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "the key after it", [settings.SECRET_KEY]
    assert Grade.WRONG not in _grades("Files")
