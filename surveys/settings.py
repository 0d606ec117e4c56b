"""Settings: one module, the environment read in one place, failing loudly."""

import contextlib
import logging
import math
import os
import secrets
from pathlib import Path
from urllib.parse import unquote, urlsplit

import dj_database_url
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured

BASE_DIR = Path(__file__).resolve().parent.parent


def _flag(name: str, default: str = "0") -> bool:
    value = os.environ.get(name, default)
    if value not in {"0", "1"}:
        raise ImproperlyConfigured(f"{name} must be 0 or 1, got {value!r}")
    return value == "1"


def _positive(name: str, default: str) -> float:
    value = os.environ.get(name, default)
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if not 0 < number < math.inf:
        raise ImproperlyConfigured(f"{name} must be a number above 0, got {value!r}")
    return number


def _hour(name: str, default: str) -> int:
    value = os.environ.get(name, default)
    if value not in {str(hour) for hour in range(24)}:
        raise ImproperlyConfigured(f"{name} must be an hour from 0 to 23, got {value!r}")
    return int(value)


def _words(name: str) -> list[str]:
    return [word.strip() for word in os.environ.get(name, "").split(",") if word.strip()]


def _one_of(name: str, *values: str) -> str:
    """Return one of these words, the first where nothing is said."""
    value = os.environ.get(name, values[0])
    if value not in values:
        raise ImproperlyConfigured(f"{name} must be {' or '.join(values)}, got {value!r}")
    return value


def _token(name: str) -> str:
    """Return a secret that programs show, or nothing; a short one could be guessed."""
    value = os.environ.get(name, "")
    if value and (len(value) < 20 or not value.isascii() or not value.isprintable()):
        # The value is not repeated: a log is read by others.
        raise ImproperlyConfigured(f"{name} must have at least 20 letters and digits")
    return value


def _site_address(name: str, hosts: list[str]) -> str:
    """Return what links in emails begin with: configured, never taken from a request's Host header."""
    value = os.environ.get(name) or (f"https://{hosts[0].lstrip('.')}" if hosts else "")
    parts = urlsplit(value)
    if value and (parts.scheme not in {"http", "https"} or not parts.hostname or parts.path.strip("/")):
        raise ImproperlyConfigured(f"{name} must be like https://survey.example.org, got {value!r}")
    return value.rstrip("/")


def _mail_server(name: str) -> dict[str, str | int | bool]:
    """Read where email goes: to the console, or over smtp://, smtp+starttls:// or smtps://USER:PASSWORD@HOST:PORT."""
    ports = {"smtp": 25, "smtp+starttls": 587, "smtps": 465}
    parts = urlsplit(os.environ.get(name, "console:"))
    try:
        port = parts.port
    except ValueError:
        port = -1
    if parts.scheme == "console" and not parts.netloc:
        return {"EMAIL_BACKEND": "django.core.mail.backends.console.EmailBackend"}
    if parts.scheme not in ports or not parts.hostname or port == -1:
        # The value may hold a password: it is not repeated.
        raise ImproperlyConfigured(f"{name} must be console: or like smtp+starttls://user:password@example.org:587")
    return {
        "EMAIL_BACKEND": "django.core.mail.backends.smtp.EmailBackend",
        "EMAIL_HOST": parts.hostname,
        "EMAIL_PORT": port or ports[parts.scheme],
        "EMAIL_HOST_USER": unquote(parts.username or ""),
        "EMAIL_HOST_PASSWORD": unquote(parts.password or ""),
        "EMAIL_USE_TLS": parts.scheme == "smtp+starttls",
        "EMAIL_USE_SSL": parts.scheme == "smtps",
    }


def _secret_key(data_dir: Path) -> str:
    """Take the key from the environment, or keep one beside the database that only its owner can read."""
    if key := os.environ.get("DENIABLE_SECRET_KEY"):
        return key
    path = data_dir / "secret_key"
    data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        # O_EXCL: of two workers starting at once one writes the key and the other reads it.
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return path.read_text(encoding="ascii").strip()
    with os.fdopen(handle, "w", encoding="ascii") as file:
        key = secrets.token_urlsafe(64)
        file.write(key)
    return key


def _private_file(path: Path) -> None:
    """Make the file, and its directory, so that only their owner can read them; take others' rights to a file away.

    SQLite gives the files beside its own the same rights. A directory that is there already may hold other things:
    `manage.py check --deploy` looks at it.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    for name in (path, path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}-shm")):
        with contextlib.suppress(FileNotFoundError):
            if name.stat().st_mode & 0o077 and name.stat().st_uid == os.geteuid():
                name.chmod(0o600)
    with contextlib.suppress(FileExistsError):
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))


DATA_DIR = Path(os.environ.get("DENIABLE_DATA_DIR", BASE_DIR / "data"))
BACKUP_DIR = Path(os.environ.get("DENIABLE_BACKUP_DIR", DATA_DIR / "backups"))
# docs/decisions/0065-charges-survive-restores.md. Beside the database, whichever it is, and never in it.
RECORD = Path(os.environ.get("DENIABLE_RECORD", DATA_DIR / "record.json"))
DEBUG = _flag("DENIABLE_DEBUG")
# The local demo relaxes what needs HTTPS and nothing else; its command binds to 127.0.0.1 unless set otherwise.
LOCAL_DEMO = _flag("DENIABLE_LOCAL_DEMO")
SECRET_KEY = _secret_key(DATA_DIR)
SECRET_KEY_FALLBACKS = _words("DENIABLE_SECRET_KEY_FALLBACKS")
ALLOWED_HOSTS = _words("DENIABLE_ALLOWED_HOSTS") or (["127.0.0.1", "localhost"] if LOCAL_DEMO else [])
CSRF_TRUSTED_ORIGINS = _words("DENIABLE_TRUSTED_ORIGINS")

INSTALLED_APPS = [
    "surveys.apps.AdministrationConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "csp",
    "django_otp",
    "django_otp.plugins.otp_static",
    "django_otp.plugins.otp_totp",
    "surveys",
]

# The headers' middleware stand before whitenoise so that static files carry them too.
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "surveys.middleware.policies",
    # Outside whatever sets a cookie.
    "surveys.middleware.keep_cookies_private",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    # Outside of everything that may answer a form in a view's place.
    "surveys.middleware.truths_leave_the_history",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.middleware.gzip.GZipMiddleware",
    "surveys.middleware.Sessions",
    "surveys.middleware.VisitorsLanguage",
    "django.middleware.common.CommonMiddleware",
    "surveys.middleware.own_pages_only",
    "django.middleware.csrf.CsrfViewMiddleware",
    "surveys.middleware.Authentication",
    "surveys.middleware.Messages",
    "surveys.accounts.views.sign_in.second_factor_first",
]

# docs/decisions/0046-retention-consent-metrics.md. Without a token no request passes a line of it.
METRICS_TOKEN = _token("DENIABLE_METRICS_TOKEN")
METRICS_DIR = DATA_DIR / "metrics"
if METRICS_TOKEN:
    MIDDLEWARE.insert(0, "surveys.middleware.RequestsMeasured")

ROOT_URLCONF = "surveys.urls"
WSGI_APPLICATION = "surveys.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "surveys.common.on_demand.Templates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            # Tags and filters of a room are loaded by the name of their file.
            "libraries": {
                name: f"surveys.{name}"
                for name in (
                    "answering.words.designs",
                    "answering.words.grids",
                    "answering.words.own_chance",
                    "answering.words.practice",
                    "answering.words.promise",
                    "answering.words.scripts",
                    "common.tags",
                    "common.words",
                    "course.words",
                    "editor.charts",
                    "editor.words",
                    "glossary.words",
                    "linting.words",
                    "people.words",
                    "lessons.words",
                    "presenting.words",
                    "rehearsing.words",
                    "releases.words.accuracy",
                    "releases.words.advice",
                    "releases.words.picture",
                    "releases.words.release",
                    "results.formulas",
                    "results.pages.groups",
                    "results.pages.methods",
                    "results.pages.plan",
                    "results.pages.privacy",
                    "results.pages.regression",
                    "results.pages.relate",
                    "results.pages.weights",
                    "results.kept",
                    "results.tabs",
                    "results.words",
                )
            },
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

DATABASES = {
    "default": dj_database_url.config(
        default=f"sqlite:///{DATA_DIR / 'deniable.sqlite3'}",
        conn_max_age=600,
        # A database that was restarted in between fails no request.
        conn_health_checks=True,
        # PgBouncer lends a connection for one transaction: nothing may be kept open on it from one to the next.
        disable_server_side_cursors=True,
    )
}
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    SQLITE_SYNCHRONOUS = os.environ.get("DENIABLE_SQLITE_SYNCHRONOUS", "FULL")
    if SQLITE_SYNCHRONOUS not in {"FULL", "NORMAL"}:
        raise ImproperlyConfigured(f"DENIABLE_SQLITE_SYNCHRONOUS must be FULL or NORMAL, got {SQLITE_SYNCHRONOUS!r}")
    _private_file(Path(DATABASES["default"]["NAME"]))
    # WAL lets readers and the writer work at once; IMMEDIATE takes the write lock at once instead of failing later
    # with "database is locked"; FULL makes "acknowledged" mean "on the disk".
    DATABASES["default"]["OPTIONS"] = {
        "timeout": 20,
        "transaction_mode": "IMMEDIATE",
        "init_command": f"PRAGMA journal_mode=WAL; PRAGMA synchronous={SQLITE_SYNCHRONOUS}; PRAGMA temp_store=MEMORY;",
    }
else:
    # Values travel beside the statement, not in it: a statement that fails is logged by PostgreSQL as it was sent, and
    # one that runs stands in pg_stat_activity. Statements with values can then also not be strung together.
    DATABASES["default"].setdefault("OPTIONS", {})["server_side_binding"] = True
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# Accounts: docs/decisions/0019-accounts.md.
SIGN_UP = _one_of("DENIABLE_SIGN_UP", "invitation", "open")
# Roles: docs/decisions/0020-roles.md.
OWNERS_SET_BUDGETS = _flag("DENIABLE_OWNERS_SET_BUDGETS")
# docs/decisions/0038-two-people-agree.md.
RELEASES_NEED_APPROVAL = _flag("DENIABLE_RELEASES_NEED_APPROVAL")
STAFF_SECOND_FACTOR = _flag("DENIABLE_STAFF_SECOND_FACTOR", "0" if LOCAL_DEMO else "1")
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "survey-list"
LOGOUT_REDIRECT_URL = "landing"
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
PASSWORD_RESET_TIMEOUT = 3600
OTP_TOTP_ISSUER = "Deniable"
# One step either way of the real time: following an app's clock would move that window with every code accepted.
OTP_TOTP_SYNC = False

# Email: to the console unless set otherwise.
_MAIL = _mail_server("DENIABLE_EMAIL_URL")
EMAIL_BACKEND = _MAIL["EMAIL_BACKEND"]
EMAIL_HOST = _MAIL.get("EMAIL_HOST", "localhost")
EMAIL_PORT = _MAIL.get("EMAIL_PORT", 25)
EMAIL_HOST_USER = _MAIL.get("EMAIL_HOST_USER", "")
EMAIL_HOST_PASSWORD = _MAIL.get("EMAIL_HOST_PASSWORD", "")
EMAIL_USE_TLS = _MAIL.get("EMAIL_USE_TLS", False)
EMAIL_USE_SSL = _MAIL.get("EMAIL_USE_SSL", False)
EMAIL_TIMEOUT = 20
SITE_ADDRESS = _site_address("DENIABLE_ADDRESS", [] if LOCAL_DEMO else ALLOWED_HOSTS)
DEFAULT_FROM_EMAIL = os.environ.get("DENIABLE_MAIL_FROM", f"deniable@{urlsplit(SITE_ADDRESS).hostname or 'localhost'}")
# Sent after the answer, so that its time reveals to nobody who has an account.
MAIL_IN_BACKGROUND = True

LANGUAGE_CODE = "en"
# Each in its own words: somebody who looks for theirs may read no other.
LANGUAGES = [("en", "English"), ("de", "Deutsch"), ("es", "Español")]
# Of these some are spoken to respondents alone: docs/decisions/0039-a-language-for-respondents.md.
RESPONDENTS_LANGUAGES = [*LANGUAGES, ("he", "עברית")]
LOCALE_PATHS = [BASE_DIR / "locale"]
FORMAT_MODULE_PATH = ["surveys.formats"]
TIME_ZONE = "UTC"
USE_I18N = True
USE_TZ = True

STATIC_URL = "static/"
STATIC_ROOT = Path(os.environ.get("DENIABLE_STATIC_ROOT", BASE_DIR / "staticfiles"))
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "surveys.static_storage.HashedStaticFiles"},
}

# Transport: everything below assumes HTTPS; only the explicit local demo does without.
_HTTPS = not LOCAL_DEMO
SECURE_SSL_REDIRECT = _HTTPS
SECURE_HSTS_SECONDS = 365 * 24 * 3600 if _HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = _HTTPS
SECURE_HSTS_PRELOAD = _HTTPS
if _flag("DENIABLE_BEHIND_PROXY"):
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = _HTTPS
SESSION_COOKIE_NAME = "__Host-sessionid" if _HTTPS else "sessionid"
CSRF_COOKIE_NAME = "__Host-csrftoken" if _HTTPS else "csrftoken"
SESSION_ENGINE = "surveys.models.sessions"
SESSION_COOKIE_AGE = 8 * 3600
# Marks a browser in which somebody signed in before, for the sign-in page alone; a __Host- cookie would go everywhere.
KNOWN_BROWSER_COOKIE_NAME = "__Secure-known-browser" if _HTTPS else "known-browser"
KNOWN_BROWSER_COOKIE_AGE = 90 * 24 * 3600
# Ends with the browser: a random value that stays for a year would recognise a respondent.
CSRF_COOKIE_AGE = None
CSRF_FAILURE_VIEW = "surveys.answering.views.doors.form_not_checked"
# Set only when somebody chooses a language, and one of a few values: it recognises nobody.
LANGUAGE_COOKIE_NAME = "__Host-language" if _HTTPS else "language"
LANGUAGE_COOKIE_AGE = 365 * 24 * 3600
LANGUAGE_COOKIE_SECURE = _HTTPS
SESSION_COOKIE_HTTPONLY = CSRF_COOKIE_HTTPONLY = LANGUAGE_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = LANGUAGE_COOKIE_SAMESITE = "Lax"
# same-origin, not no-referrer: the latter makes the Origin header null and every POST fails its CSRF check.
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
        "base-uri": [NONE],
        "object-src": [NONE],
        "worker-src": [NONE],
    },
}

# A survey whose total ε is above this gets a warning in its editor.
EPSILON_LEVEL = _positive("DENIABLE_EPSILON_LEVEL", "4")
# And no survey is opened whose total ε is above this: docs/decisions/0035-a-cap-and-less-kept.md.
EPSILON_CAP = _positive("DENIABLE_EPSILON_CAP", "12")
# The hour, in UTC, from which housekeeping does what people should not wait for: docs/decisions/0074-housekeeping.md.
NIGHT_HOUR = _hour("DENIABLE_NIGHT_HOUR", "2")
# Seconds a minute that each worker computes in the lab for people who have not signed in.
LAB_SECONDS = _positive("DENIABLE_LAB_SECONDS", "2")

DATA_UPLOAD_MAX_MEMORY_SIZE = 256 * 1024
# An open question of the editor has up to 24 fields, a closed one a few: docs/decisions/0011-fields-of-the-editor.md.
DATA_UPLOAD_MAX_NUMBER_FIELDS = 500
FILE_UPLOAD_HANDLERS = ["django.core.files.uploadhandler.MemoryFileUploadHandler"]


_HOLD_TOKENS = ("/s/", "/sign-up/", "/password/reset/", "/invited/link/")


def _without_address(record: logging.LogRecord) -> bool:
    """Leave the end of an address that may hold a single-use link out of what is logged of an error."""
    record.args = tuple(_shortened(arg) if isinstance(arg, str) else arg for arg in record.args or ())
    return True


def _shortened(text: str) -> str:
    return next((f"{start}…" for start in _HOLD_TOKENS if text.startswith(start)), text)


def _has_failed(record: logging.LogRecord) -> bool:
    """Pass over answers of 5xx that are given on purpose: not ready, a busy lab."""
    return record.exc_info is not None


def _refusal_in_one_line(record: logging.LogRecord) -> bool:
    """Say that a request was refused, and by what rule; its own words, such as a Host header, are not repeated."""
    record.msg, record.args = f"refused a request: {record.name.rpartition('.')[2]}", ()
    record.levelno, record.levelname = logging.WARNING, "WARNING"
    record.exc_info = record.exc_text = None
    return True


LOG_FORMAT = _one_of("DENIABLE_LOG_FORMAT", "plain", "json")
# To the console only: no request bodies, no addresses, no email. django.request would log paths of 4xx answers with
# their codes; the application server's access log stays off. docs/decisions/0082-what-a-failure-says.md.
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"plain": {"()": "surveys.logs.Plain"}, "json": {"()": "surveys.logs.Json"}},
    "filters": {
        "without_address": {"()": "django.utils.log.CallbackFilter", "callback": _without_address},
        "has_failed": {"()": "django.utils.log.CallbackFilter", "callback": _has_failed},
        "refusal_in_one_line": {"()": "django.utils.log.CallbackFilter", "callback": _refusal_in_one_line},
    },
    "handlers": {
        "console": {"class": "logging.StreamHandler", "formatter": LOG_FORMAT, "filters": ["without_address"]},
        "refusals": {"class": "logging.StreamHandler", "formatter": LOG_FORMAT, "filters": ["refusal_in_one_line"]},
    },
    "root": {"handlers": ["console"], "level": "WARNING"},
    "loggers": {
        "django": {"handlers": ["console"], "level": "WARNING", "propagate": False},
        "django.request": {
            "handlers": ["console"],
            "filters": ["has_failed"],
            "level": "ERROR",
            "propagate": False,
        },
        "django.security": {"handlers": ["refusals"], "level": "ERROR", "propagate": False},
    },
}
