"""Settings: one module, the environment read in one place, failing loudly."""

import logging
import os
import secrets
from pathlib import Path

import dj_database_url
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured

BASE_DIR = Path(__file__).resolve().parent.parent


def _flag(name: str) -> bool:
    value = os.environ.get(name, "0")
    if value not in {"0", "1"}:
        raise ImproperlyConfigured(f"{name} must be 0 or 1, got {value!r}")
    return value == "1"


def _words(name: str) -> list[str]:
    return [word.strip() for word in os.environ.get(name, "").split(",") if word.strip()]


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


DATA_DIR = Path(os.environ.get("DENIABLE_DATA_DIR", BASE_DIR / "data"))
DEBUG = _flag("DENIABLE_DEBUG")
# The local demo relaxes what needs HTTPS and nothing else; the demo command binds to 127.0.0.1.
LOCAL_DEMO = _flag("DENIABLE_LOCAL_DEMO")
SECRET_KEY = _secret_key(DATA_DIR)
SECRET_KEY_FALLBACKS = _words("DENIABLE_SECRET_KEY_FALLBACKS")
ALLOWED_HOSTS = _words("DENIABLE_ALLOWED_HOSTS") or (["127.0.0.1", "localhost"] if LOCAL_DEMO else [])
CSRF_TRUSTED_ORIGINS = _words("DENIABLE_TRUSTED_ORIGINS")

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "csp",
    "surveys",
]

# The headers' middleware stand before whitenoise so that static files carry them too.
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "surveys.middleware.permissions_policy",
    "csp.middleware.CSPMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.middleware.gzip.GZipMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "surveys.middleware.visitors_language",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
]

ROOT_URLCONF = "surveys.urls"
WSGI_APPLICATION = "surveys.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

DATABASES = {"default": dj_database_url.config(default=f"sqlite:///{DATA_DIR / 'deniable.sqlite3'}", conn_max_age=600)}
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    SQLITE_SYNCHRONOUS = os.environ.get("DENIABLE_SQLITE_SYNCHRONOUS", "FULL")
    if SQLITE_SYNCHRONOUS not in {"FULL", "NORMAL"}:
        raise ImproperlyConfigured(f"DENIABLE_SQLITE_SYNCHRONOUS must be FULL or NORMAL, got {SQLITE_SYNCHRONOUS!r}")
    # WAL lets readers and the writer work at once; IMMEDIATE takes the write lock at once instead of failing later
    # with "database is locked"; FULL makes "acknowledged" mean "on the disk".
    DATABASES["default"]["OPTIONS"] = {
        "timeout": 20,
        "transaction_mode": "IMMEDIATE",
        "init_command": f"PRAGMA journal_mode=WAL; PRAGMA synchronous={SQLITE_SYNCHRONOUS};",
    }
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

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

LANGUAGE_CODE = "en"
# Each in its own words: somebody who looks for theirs may read no other.
LANGUAGES = [("en", "English"), ("de", "Deutsch"), ("es", "Español")]
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
SESSION_COOKIE_AGE = 8 * 3600
# Ends with the browser: a random value that stays for a year would recognise a respondent.
CSRF_COOKIE_AGE = None
CSRF_FAILURE_VIEW = "surveys.views.doors.form_not_checked"
# Set only when somebody chooses a language, and one of three values: it recognises nobody.
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
    },
}

DATA_UPLOAD_MAX_MEMORY_SIZE = 256 * 1024
# The editor sends up to 24 fields a question: docs/decisions/0011-fields-of-the-editor.md.
DATA_UPLOAD_MAX_NUMBER_FIELDS = 500
FILE_UPLOAD_HANDLERS = ["django.core.files.uploadhandler.MemoryFileUploadHandler"]


def _without_address(record: logging.LogRecord) -> bool:
    """Leave the address of a respondent's page out of what is logged of an error: it may hold a single-use link."""
    record.args = tuple("/s/…" if isinstance(arg, str) and arg.startswith("/s/") else arg for arg in record.args or ())
    return True


# To the console only: no request bodies, no addresses, no mail. django.request would log paths of 4xx answers with
# their codes; the application server's access log stays off.
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"plain": {"format": "{levelname} {name}: {message}", "style": "{"}},
    "filters": {"without_address": {"()": "django.utils.log.CallbackFilter", "callback": _without_address}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "plain", "filters": ["without_address"]}},
    "root": {"handlers": ["console"], "level": "WARNING"},
    "loggers": {
        "django": {"handlers": ["console"], "level": "WARNING", "propagate": False},
        "django.request": {"handlers": ["console"], "level": "ERROR", "propagate": False},
        "django.security": {"handlers": ["console"], "level": "ERROR", "propagate": False},
    },
}
