"""A wrong setting is refused by name, in one line, and the page of settings shows what is declared."""

import os
import re
import runpy
import sys
import tempfile
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from surveys import environment
from tests.server import run
from tests.settings_page import PAGE, with_tables

ROOT = Path(__file__).resolve().parent.parent
HUSH = "hush"  # of a value that may be secret

WRONG = [
    ("DENIABLE_DEBUG", "yes"),
    ("DENIABLE_LOG_FORMAT", "xml"),
    ("DENIABLE_LOCAL_DEMO", "true"),
    ("DENIABLE_BEHIND_PROXY", ""),
    ("DENIABLE_SIGN_UP", "closed"),
    ("DENIABLE_SQLITE_SYNCHRONOUS", "OFF"),
    ("DENIABLE_EPSILON_LEVEL", "nan"),
    ("DENIABLE_EPSILON_LEVEL", "much"),
    ("DENIABLE_EPSILON_CAP", "inf"),
    ("DENIABLE_LAB_SECONDS", "0"),
    ("DENIABLE_NIGHT_HOUR", "24"),
    ("DENIABLE_NIGHT_HOUR", "midnight"),
    *(
        ("DENIABLE_ALLOWED_HOSTS", value)
        for value in (
            "https://survey.example.org",
            "survey.example.org/below",
            "survey.example.org:443",
            "survey.example.org other.example.org",
            "survey.example.org, *",
            "*.example.org",
        )
    ),
    ("DENIABLE_TRUSTED_ORIGINS", "other.example.org"),
    ("DENIABLE_TRUSTED_ORIGINS", "https://other.example.org/"),
    ("DENIABLE_TRUSTED_ORIGINS", "https://*.example.org"),
    ("DENIABLE_ADDRESS", "https://survey.example.org/below"),
    ("DENIABLE_MAIL_FROM", ""),
    ("DENIABLE_MAIL_FROM", "the survey"),
    ("DENIABLE_MAIL_FROM", "Survey <survey.example.org>"),
    ("DENIABLE_MAIL_FROM", "Lab, Physics <survey@example.org>"),
    ("DENIABLE_MAIL_FROM", "survey@example.org\nBcc: other@example.org"),
    ("DENIABLE_EMAIL_URL", f"smtp://user:{HUSH}@host:port"),
    ("DENIABLE_METRICS_TOKEN", HUSH),
    ("DENIABLE_SECRET_KEY", ""),
    ("DENIABLE_SECRET_KEY", HUSH),
    ("DENIABLE_SECRET_KEY", f"django-insecure-{HUSH * 20}"),
    ("DENIABLE_SECRET_KEY_FALLBACKS", f"{'long' * 10},{HUSH}"),
    *(
        ("DENIABLE_OIDC_ISSUER", value)
        for value in (
            "login.example.org",
            "http://login.example.org",
            "https://login.example.org?tenant=1",
            "https://login.example.org#",
            "https://user@login.example.org",
            "http://127.0.0.1.example.org",
            f"https://login.example.org/{'a' * 300}",
        )
    ),
    ("DENIABLE_OIDC_CLIENT_SECRET", f"{HUSH}\n"),
    ("DENIABLE_OIDC_NAME", "the\nuniversity"),
    ("DENIABLE_OIDC_SCOPES", "groups profile"),
    ("DENIABLE_OIDC_DOMAINS", "@example.org"),
    ("DENIABLE_OIDC_GROUP", "staff"),
    ("DENIABLE_OIDC_GROUP", "=staff"),
    ("DENIABLE_OIDC_GROUP", "groups="),
    ("DENIABLE_OIDC_SECOND_FACTOR", "mfa otp"),
    ("DENIABLE_PASSWORD_SIGN_IN", "0"),
    *(
        ("DATABASE_URL", value)
        for value in (
            "",
            f"user:{HUSH}@host/database",
            f"mysql://user:{HUSH}@host/database",
            f"postgres://user:{HUSH}@host",
            f"postgres://user:{HUSH}@host/",
            f"postgres://user:{HUSH}/@host/database",
            f"postgres://user:{HUSH}@[host/database",
            f"postgres://user:{HUSH}@host:port/database",
            "sqlite://",
            "sqlite://:memory:",
            "sqlite://host/database.sqlite3",
            "sqlite:///nowhere/database.sqlite3",
            "sqlite:///README.md/database.sqlite3",
            "sqlite:///docs",
        )
    ),
    *(
        (f"DENIABLE_{name}", value)
        for name in ("DATA_DIR", "BACKUP_DIR", "RECORD")
        for value in ("", "README.md/below/it")
    ),
    ("DENIABLE_DATA_DIR", "README.md"),
    ("DENIABLE_BACKUP_DIR", "README.md"),
    ("DENIABLE_RECORD", "docs"),
    ("DENIABLE_STATIC_ROOT", ""),
    ("DENIABLE_STATIC_ROOT", "README.md"),
]


def _settings() -> dict[str, object]:
    """Return the settings as a process that starts now reads them."""
    return runpy.run_path(str(ROOT / "surveys" / "settings.py"))


@pytest.mark.parametrize(("name", "value"), WRONG)
def test_a_wrong_value_is_refused_by_name_in_one_line(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv(name, value)
    with pytest.raises(ImproperlyConfigured) as refused:
        _settings()
    words = str(refused.value)
    assert words.startswith(f"{name} must be ")
    assert len(words.splitlines()) == 1
    assert HUSH not in words
    assert refused.value.__context__ is None or refused.value.__suppress_context__  # nor in what a traceback shows


@pytest.mark.parametrize(
    ("name", "value"),
    [("DENIABLE_ALLOWED_HOSTS", "example.org/deniable"), ("DENIABLE_ADDRESS", "https://example.org/deniable/")],
)
def test_a_path_of_another_site_is_refused_with_the_reason(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(ImproperlyConfigured, match=re.escape(environment._NO_PATH)):
        _settings()


@pytest.mark.parametrize(
    ("name", "value", "setting", "read"),
    [
        ("DENIABLE_ALLOWED_HOSTS", "a.example, .b.example,[::1], 127.0.0.1,", "ALLOWED_HOSTS",
         ["a.example", ".b.example", "[::1]", "127.0.0.1"]),
        ("DENIABLE_TRUSTED_ORIGINS", "https://a.example, http://[::1]:8443", "CSRF_TRUSTED_ORIGINS",
         ["https://a.example", "http://[::1]:8443"]),
        ("DENIABLE_MAIL_FROM", "Prüfung <a@b.example>", "DEFAULT_FROM_EMAIL", "Prüfung <a@b.example>"),
        ("DENIABLE_MAIL_FROM", '"Lab, Physics" <a@b.example>', "DEFAULT_FROM_EMAIL", '"Lab, Physics" <a@b.example>'),
        ("DENIABLE_OIDC_DOMAINS", "example.org, .example.com", "OIDC_DOMAINS", ["example.org", ".example.com"]),
        ("DENIABLE_OIDC_GROUP", "groups=cn=staff", "OIDC_GROUP", ("groups", "cn=staff")),
        ("DENIABLE_OIDC_SECOND_FACTOR", "mfa,https://refeds.org/profile/mfa", "OIDC_SECOND_FACTOR",
         ["mfa", "https://refeds.org/profile/mfa"]),
        ("DENIABLE_SECRET_KEY", "k" * 20, "SECRET_KEY", "k" * 20),
        ("DENIABLE_SECRET_KEY_FALLBACKS", f"{'k' * 20}, {'l' * 20}", "SECRET_KEY_FALLBACKS", ["k" * 20, "l" * 20]),
    ],
)  # fmt: skip
def test_a_right_value_is_read(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, setting: str, read: object
) -> None:
    monkeypatch.setenv(name, value)
    assert _settings()[setting] == read


@pytest.mark.parametrize(
    "issuer", ["https://login.example.org", "https://login.example.org:8443/realms/staff/", "http://127.0.0.1:9000"]
)
def test_a_provider_needs_to_know_this_server_by_a_name(monkeypatch: pytest.MonkeyPatch, issuer: str) -> None:
    monkeypatch.setenv("DENIABLE_OIDC_ISSUER", issuer)
    with pytest.raises(ImproperlyConfigured, match="DENIABLE_OIDC_CLIENT_ID must be a name"):
        _settings()
    monkeypatch.setenv("DENIABLE_OIDC_CLIENT_ID", "deniable")
    monkeypatch.setenv("DENIABLE_PASSWORD_SIGN_IN", "0")
    read = _settings()
    assert (read["OIDC_ISSUER"], read["PASSWORD_SIGN_IN"]) == (issuer, False)
    assert str(read["OIDC_NAME"]) in issuer


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("postgres://user:p%40ss@host/database", "database"),
        ("postgresql:///database?host=/run/postgresql", "database"),
        ("postgres://?service=deniable", ""),
    ],
)
def test_databases_of_postgresql_are_read(monkeypatch: pytest.MonkeyPatch, url: str, name: str) -> None:
    monkeypatch.setenv("DATABASE_URL", url)
    databases = _settings()["DATABASES"]
    assert isinstance(databases, dict)
    assert databases["default"]["NAME"] == name


def test_a_data_directory_of_any_name_holds_the_database(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    odd = tmp_path / "100% of it?#"
    monkeypatch.delenv("DATABASE_URL", raising=False)
    monkeypatch.setenv("DENIABLE_DATA_DIR", str(odd))
    _settings()
    assert (odd / "deniable.sqlite3").exists()


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("DENIABLE_RELEASES_NEED_APROVAL", "did you mean DENIABLE_RELEASES_NEED_APPROVAL?"),
        ("DENIABLE_DATABASE_URL", "did you mean DATABASE_URL?"),
        ("deniable_debug", "did you mean DENIABLE_DEBUG?"),
        ("DENIABLE_QQQQ", "docs/deployment/settings.md lists all"),
    ],
)
def test_an_unknown_setting_is_refused_with_the_nearest_known_name(
    monkeypatch: pytest.MonkeyPatch, name: str, near: str
) -> None:
    monkeypatch.setenv(name, HUSH)
    with pytest.raises(ImproperlyConfigured, match=f"^{name} is not a setting: {re.escape(near)}$"):
        _settings()


@pytest.mark.parametrize(("name", "value"), [("DENIABLE_DATADIR", "/srv"), ("DENIABLE_LAB_SECONDS", "0")])
def test_nothing_is_made_while_a_setting_is_wrong(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str, value: str
) -> None:
    monkeypatch.setenv("DENIABLE_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv(name, value)
    with pytest.raises(ImproperlyConfigured, match=name):
        _settings()
    assert list(tmp_path.iterdir()) == []


def test_what_root_makes_belongs_to_the_account_whose_directory_it_is(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    given: list[tuple[str, int, int]] = []
    monkeypatch.delenv("DATABASE_URL", raising=False)
    monkeypatch.delenv("DENIABLE_SECRET_KEY")
    monkeypatch.setenv("DENIABLE_DATA_DIR", str(tmp_path))
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(
        os, "fchown", lambda file, *owner: given.append((Path(f"/dev/fd/{file}").resolve().name, *owner))
    )
    _settings()
    owner = tmp_path.stat().st_uid, tmp_path.stat().st_gid
    assert given == [("deniable.sqlite3", *owner), ("secret_key", *owner)]


def test_a_kept_key_that_is_empty_is_refused_with_its_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("DENIABLE_SECRET_KEY")
    monkeypatch.setenv("DENIABLE_DATA_DIR", str(tmp_path))
    (tmp_path / "secret_key").touch()
    with pytest.raises(ImproperlyConfigured, match=f"^DENIABLE_SECRET_KEY .*{tmp_path / 'secret_key'}"):
        _settings()


_AS_NOBODY = """
import os, sys
from pathlib import Path
from surveys import environment
if os.geteuid() == 0:
    os.setuid(65534)
sealed = Path(sys.argv[1])
for read, name, place in (
    (environment.directory, "DENIABLE_DATA_DIR", "new"),
    (environment.file, "DENIABLE_RECORD", "new"),
    (environment.database, "DATABASE_URL", "kept"),
):
    try:
        found = read(name, sealed / place, "", "")
        environment.make_places(sealed, found)
    except Exception as refused:
        print(refused)
"""


@pytest.mark.uncounted
def test_what_the_account_cannot_write_to_is_refused() -> None:
    with tempfile.TemporaryDirectory() as name:  # whoever it is comes to this directory
        kept = Path(name) / "kept"
        kept.touch(mode=0o400)
        kept.parent.chmod(0o555)
        done = run(sys.executable, "-c", _AS_NOBODY, name)
        kept.parent.chmod(0o755)
    directory, file, database = done.stdout.splitlines()
    assert directory.startswith("DENIABLE_DATA_DIR must be ")
    assert file.startswith("DENIABLE_RECORD must be ")
    assert database.startswith("DENIABLE_DATA_DIR must be ")
    assert database.endswith("/kept: Permission denied")


def test_the_page_of_settings_shows_every_setting_as_it_is_declared() -> None:
    """Where it does not, `python -m tests.settings_page` writes it."""
    text = PAGE.read_text(encoding="utf-8")
    assert with_tables(text) == text
    assert sorted(re.findall(r"^\| `([A-Z_]+)` \|", text, re.MULTILINE)) == sorted(environment.DECLARED)


def test_every_setting_is_read_through_its_declaration() -> None:
    assert "os.environ" not in (ROOT / "surveys" / "settings.py").read_text(encoding="utf-8")


def test_every_name_that_code_scripts_or_documents_use_is_declared() -> None:
    places = [
        *ROOT.glob("*.*"), ROOT / "Dockerfile", ROOT / "Makefile",
        *(place for folder in ("deploy", "docs", "surveys") for place in (ROOT / folder).rglob("*.*")),
    ]  # fmt: skip
    used = {
        name
        for place in places
        if place.suffix in {"", ".conf", ".md", ".py", ".service", ".sh", ".yaml"} and place.is_file()
        for name in re.findall(r"DENIABLE_[A-Z_]*[A-Z]", place.read_text(encoding="utf-8"))
    }
    assert len(used) > 30
    assert used <= environment.DECLARED.keys()
