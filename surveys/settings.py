"""Settings: one module, the environment read in one place, failing loudly."""

import logging
from urllib.parse import urlsplit

from surveys import environment

BASE_DIR = environment.BASE_DIR
COMMAND = environment.COMMAND

# What operators set. Each is declared in one line of these, and docs/deployment/settings.md shows it.

environment.part("Never in production")
# The local demo relaxes what needs HTTPS and nothing else; its command binds to 127.0.0.1 unless set otherwise.
LOCAL_DEMO = environment.flag("DENIABLE_LOCAL_DEMO", "0", "`1` relaxes what needs HTTPS; `demo` sets it")
DEBUG = environment.flag(
    "DENIABLE_DEBUG", "0", "`1` shows Django's error pages, and logs tracebacks with the errors' own words"
)

environment.part("Site and proxy")
ALLOWED_HOSTS = environment.hosts(
    "DENIABLE_ALLOWED_HOSTS", "the site's names; `*` is refused", "none; 127.0.0.1 and localhost in the demo"
) or (["127.0.0.1", "localhost"] if LOCAL_DEMO else [])
_BEHIND_PROXY = environment.flag("DENIABLE_BEHIND_PROXY", "0", "`1` trusts `X-Forwarded-Proto` from your proxy")
CSRF_TRUSTED_ORIGINS = environment.origins("DENIABLE_TRUSTED_ORIGINS", "further origins whose forms are accepted")
STATIC_ROOT = environment.read_directory(
    "DENIABLE_STATIC_ROOT",
    environment.WORK_DIR / "staticfiles",
    "where `collectstatic` puts the hashed files; `serve` fills only the default folder itself",
    "`staticfiles`; `deniable/staticfiles` where the program is installed",
)

environment.part("Data and keys")
DATA_DIR = environment.directory(
    "DENIABLE_DATA_DIR",
    environment.DATA_DIR,
    "holds SQLite's database, secret key and record",
    "`data`; `deniable` where the program is installed",
)
DATABASES = {
    "default": environment.database(
        "DATABASE_URL", DATA_DIR / "deniable.sqlite3", "the database", "SQLite in the data directory"
    )
}
_SYNCHRONOUS = environment.one_of(
    "DENIABLE_SQLITE_SYNCHRONOUS", ("FULL", "NORMAL"), "see [below](#deniable_sqlite_synchronous)"
)
BACKUP_DIR = environment.directory(
    "DENIABLE_BACKUP_DIR", DATA_DIR / "backups", "where `backup` writes to", "`backups` in the data directory"
)
# docs/decisions/0065-charges-survive-restores.md. Beside the database, whichever it is, and never in it.
RECORD = environment.file(
    "DENIABLE_RECORD",
    DATA_DIR / "record.json",
    "the record; see [below](#deniable_record)",
    "`record.json` in the data directory",
)
SECRET_KEY = environment.secret_key(
    "DENIABLE_SECRET_KEY",
    "signs cookies and keys the hashes of nonces",
    "created once; see [below](#deniable_secret_key)",
)
SECRET_KEY_FALLBACKS = environment.earlier_keys("DENIABLE_SECRET_KEY_FALLBACKS", "earlier keys, while you rotate")

environment.part("Accounts and releases")
# docs/decisions/0019-accounts.md.
SIGN_UP = environment.one_of(
    "DENIABLE_SIGN_UP", ("invitation", "open"), "`open` lets anybody with an email address create an account"
)
STAFF_SECOND_FACTOR = environment.flag(
    "DENIABLE_STAFF_SECOND_FACTOR",
    "0" if LOCAL_DEMO else "1",
    "`1`: staff must first set up two-factor authentication",
    "`1`; `0` in the demo",
)
# docs/decisions/0020-roles.md.
OWNERS_SET_BUDGETS = environment.flag(
    "DENIABLE_OWNERS_SET_BUDGETS", "0", "`1` lets owners set their own surveys' budgets"
)
# docs/decisions/0038-two-people-agree.md.
RELEASES_NEED_APPROVAL = environment.flag(
    "DENIABLE_RELEASES_NEED_APPROVAL",
    "0",
    "`1`: each release [needs two people](accounts.md#require-two-people-for-a-release)",
)

environment.part("Sign-in with a provider")
# docs/decisions/0088-sign-in-with-a-provider.md.
OIDC_ISSUER = environment.issuer(
    "DENIABLE_OIDC_ISSUER", "the provider, spelled as it spells itself", "none, so no such sign-in"
)
OIDC_CLIENT_ID = environment.line("DENIABLE_OIDC_CLIENT_ID", "a name", "by which the provider knows this server")
environment.require("DENIABLE_OIDC_CLIENT_ID", OIDC_CLIENT_ID or not OIDC_ISSUER, "DENIABLE_OIDC_ISSUER needs it")
OIDC_CLIENT_SECRET = environment.line(
    "DENIABLE_OIDC_CLIENT_SECRET", "a secret", "by which this server shows the provider who it is", secret=True
)
OIDC_NAME = environment.line(
    "DENIABLE_OIDC_NAME", "a name", "what the button calls the provider", "the provider's host"
) or (urlsplit(OIDC_ISSUER).hostname or "")
OIDC_SCOPES = environment.separated(
    "DENIABLE_OIDC_SCOPES", "words, separated by commas", "what else to ask the provider for, such as groups"
)
OIDC_INVITATIONS = environment.flag(
    "DENIABLE_OIDC_INVITATIONS", "1", "`0`: no invitation can be accepted through the provider"
)
OIDC_DOMAINS = environment.hosts(
    "DENIABLE_OIDC_DOMAINS",
    "people with a verified email address here may create an account",
    "none",
    "domains like `example.org`, separated by commas",
)
OIDC_GROUP = environment.claim(
    "DENIABLE_OIDC_GROUP", "people whom the provider gives this value in this claim may create an account"
)
OIDC_SECOND_FACTOR = environment.separated(
    "DENIABLE_OIDC_SECOND_FACTOR",
    "values of `acr` or `amr`, separated by commas",
    "with one of them, the provider has done two-factor authentication",
)
PASSWORD_SIGN_IN = environment.flag("DENIABLE_PASSWORD_SIGN_IN", "1", "`0` closes the sign-in with a password")
environment.require(
    "DENIABLE_PASSWORD_SIGN_IN",
    PASSWORD_SIGN_IN or OIDC_ISSUER,
    "without DENIABLE_OIDC_ISSUER nobody could sign in",
)

environment.part("Email")
# In the form that Django 6.1 reads; until then `surveys.accounts.services.mails` does.
MAILERS = {"default": environment.mailer("DENIABLE_EMAIL_URL", "the mail server; see [below](#deniable_email_url)")}
SITE_ADDRESS = environment.site_address(
    "DENIABLE_ADDRESS", [] if LOCAL_DEMO else ALLOWED_HOSTS, "what links in emails and on other sites begin with"
)
DEFAULT_FROM_EMAIL = environment.sender(
    "DENIABLE_MAIL_FROM",
    f"deniable@{urlsplit(SITE_ADDRESS).hostname or 'localhost'}",
    "sender of emails",
    "`deniable@` and the site's host",
)

environment.part("Surveys and the lab")
EPSILON_LEVEL = environment.positive("DENIABLE_EPSILON_LEVEL", "4", "the editor's linter warns above this total ε")
# docs/decisions/0035-a-cap-and-less-kept.md.
EPSILON_CAP = environment.positive("DENIABLE_EPSILON_CAP", "12", "no survey opens whose total ε is above this")
LAB_SECONDS = environment.positive(
    "DENIABLE_LAB_SECONDS", "2", "computing time for the lab; see [below](#deniable_lab_seconds)"
)

environment.part("Operation")
# docs/decisions/0074-housekeeping.md.
NIGHT_HOUR = environment.hour(
    "DENIABLE_NIGHT_HOUR",
    "2",
    "hour (UTC) from which [housekeeping](install.md#housekeeping) does the night's work",
)
LOG_FORMAT = environment.one_of(
    "DENIABLE_LOG_FORMAT", ("plain", "json"), "`json` writes the [log](health.md#read-the-log) as one object a line"
)
# docs/decisions/0046-retention-consent-metrics.md.
METRICS_TOKEN = environment.token(
    "DENIABLE_METRICS_TOKEN", "opens the [metrics](health.md#metrics)", "none, so no `/metrics`"
)

environment.part("In containers")
environment.declare("DENIABLE_HOST", "a host name", "`localhost`", "becomes `DENIABLE_ALLOWED_HOSTS`")
environment.declare("DENIABLE_PASSWORD", "a password", "none", "signs in to PostgreSQL as the role `deniable`")
environment.declare("DENIABLE_OWNER_PASSWORD", "a password", "none", "signs in as the role `deniable_owner`")
environment.declare("DENIABLE_READER_PASSWORD", "a password", "none", "signs in as the role `deniable_backup`")
environment.declare("DENIABLE_SUPERUSER_PASSWORD", "a password", "none", "signs in as PostgreSQL's superuser")
environment.declare("DENIABLE_BACKUP_PASSPHRASE", "a passphrase", "none", "encrypts the keys in backups")
environment.declare("DENIABLE_BACKUP_HOUR", "an hour from 0 to 23", "`3`", "hour (UTC) from which to back up")
environment.declare("DENIABLE_BACKUP_RETAIN", "a whole number", "`14`", "how many backups stay")
environment.declare("DENIABLE_PORT", "a port", "`8000`", "where the health check asks")
environment.declare("DENIABLE_UPSTREAM", "a host and port", "`web:8000`", "where the proxy finds the program")
environment.declare("DENIABLE_CERTIFICATES", "a directory", "`/certificates`", "the proxy's certificate and key")
environment.declare("DENIABLE_PROXY_DIRECTORY", "a directory", "`/tmp`", "where the proxy's script writes to")
environment.declare("DENIABLE_PROXY_FILE", "a file", "`/etc/deniable/nginx.conf`", "the proxy's configuration")
environment.declare("DENIABLE_POOL_FILE", "a file", "`/etc/deniable/pgbouncer.ini`", "PgBouncer's configuration")

environment.require_known()
environment.make_places(DATA_DIR, DATABASES["default"])
SECRET_KEY = SECRET_KEY or environment.kept_key("DENIABLE_SECRET_KEY", DATA_DIR)

INSTALLED_APPS = [
    "surveys.apps.AdministrationConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
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
    # Outside of everything that reads cookies.
    "surveys.middleware.tokens_stand_alone",
    "surveys.middleware.Sessions",
    "surveys.middleware.VisitorsLanguage",
    "django.middleware.common.CommonMiddleware",
    "surveys.middleware.own_pages_only",
    "django.middleware.csrf.CsrfViewMiddleware",
    "surveys.middleware.Authentication",
    "surveys.middleware.Messages",
    "surveys.accounts.views.sign_in.second_factor_first",
]

# Without a token no request passes a line of it.
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
                    "people.words",
                    "lessons.words",
                    "presenting.words",
                    "rehearsing.words",
                    "releases.words.advice",
                    "releases.words.picture",
                    "releases.words.release",
                    "results.charts",
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

if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    # WAL lets readers and the writer work at once; IMMEDIATE takes the write lock at once instead of failing later
    # with "database is locked"; FULL makes "acknowledged" mean "on the disk".
    DATABASES["default"]["OPTIONS"] = {
        "timeout": 20,
        "transaction_mode": "IMMEDIATE",
        "init_command": f"PRAGMA journal_mode=WAL; PRAGMA synchronous={_SYNCHRONOUS}; PRAGMA temp_store=MEMORY;",
    }
else:
    # Values travel beside the statement, not in it: a statement that fails is logged by PostgreSQL as it was sent, and
    # one that runs stands in pg_stat_activity. Statements with values can then also not be strung together.
    DATABASES["default"].setdefault("OPTIONS", {})["server_side_binding"] = True
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# Accounts: docs/decisions/0019-accounts.md.
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
if _BEHIND_PROXY:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = _HTTPS
SESSION_COOKIE_NAME = "__Host-sessionid" if _HTTPS else "sessionid"
CSRF_COOKIE_NAME = "__Host-csrftoken" if _HTTPS else "csrftoken"
SESSION_ENGINE = "surveys.models.sessions"
SESSION_COOKIE_AGE = 8 * 3600
# Marks a browser in which somebody signed in before, for the sign-in page alone; a __Host- cookie would go everywhere.
KNOWN_BROWSER_COOKIE_NAME = "__Secure-known-browser" if _HTTPS else "known-browser"
KNOWN_BROWSER_COOKIE_AGE = 90 * 24 * 3600
# Of a launch by a course platform: the first comes back with a form of the platform's.
LTI_LOGIN_COOKIE_NAME = "__Secure-lti-login" if _HTTPS else "lti-login"
LTI_COOKIE_NAME = "__Secure-lti" if _HTTPS else "lti"
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
# In the form that Django 6 reads; until then `surveys.common.content_policy` does.
SECURE_CSP = {
    "default-src": ["'none'"],
    "script-src": ["'self'"],
    "style-src": ["'self'"],
    "img-src": ["'self'"],
    "font-src": ["'self'"],
    "connect-src": ["'self'"],
    "form-action": ["'self'"],
    "frame-ancestors": ["'none'"],
    "base-uri": ["'none'"],
    "object-src": ["'none'"],
    "worker-src": ["'none'"],
}

DATA_UPLOAD_MAX_MEMORY_SIZE = 256 * 1024
# An open question of the editor has up to 24 fields, a closed one a few: docs/decisions/0011-fields-of-the-editor.md.
DATA_UPLOAD_MAX_NUMBER_FIELDS = 500
FILE_UPLOAD_HANDLERS = ["django.core.files.uploadhandler.MemoryFileUploadHandler"]


_HOLD_TOKENS = ("/s/", "/sign-up/", "/password/reset/", "/invited/link/", "/lti/register/")


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


# To the console only: no request bodies, no addresses, no email. django.request would log paths of 4xx answers with
# their codes; the application server's access log stays off. docs/decisions/0082-what-a-failure-says.md.
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"plain": {"()": "surveys.logs.PlainLines"}, "json": {"()": "surveys.logs.JsonLines"}},
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
