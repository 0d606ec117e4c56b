"""The operator's settings: environment variables, each declared where `settings.py` reads it, and checked there.

The tables of docs/deployment/settings.md are made of what is declared: `python -m tests.settings_page`.
"""

import errno
import math
import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, unquote, urlsplit

import dj_database_url
from django.core.exceptions import ImproperlyConfigured

_PACKAGE = Path(__file__).resolve().parent
# In a checkout templates, static files and catalogs are beside the package; where it is installed they are inside it.
INSTALLED = (_PACKAGE / "templates").is_dir()
BASE_DIR = _PACKAGE if INSTALLED else _PACKAGE.parent
# What is made while it runs goes into the checkout; an installed program makes a directory where it is started.
WORK_DIR = Path.cwd() / "deniable" if INSTALLED else BASE_DIR
DATA_DIR = WORK_DIR if INSTALLED else BASE_DIR / "data"
COMMAND = "deniable" if INSTALLED else "manage.py"

# Where lxml is installed openpyxl reads XML with it, and then nothing refuses entities.
os.environ["OPENPYXL_LXML"] = "False"

_PREFIX = "DENIABLE_"
_HOST = r"(?:[a-z0-9-]+(?:\.[a-z0-9-]+)*|\[[0-9a-f:.]+\])"
_ALLOWED_HOST = re.compile(rf"\.?{_HOST}", re.IGNORECASE | re.ASCII)
_ORIGIN = re.compile(rf"https?://{_HOST}(?::[0-9]{{1,5}})?", re.IGNORECASE | re.ASCII)
_NO_PATH = "Deniable needs a host name of its own and can’t run below a path"
_MAILBOX = r"[^\s@<>,;]+@[^\s@<>,;]+"
# A provider's address is compared letter by letter, so it has no query and nothing to resolve; plain HTTP stays here.
_ISSUER = re.compile(
    rf"(?:https://{_HOST}|http://127\.0\.0\.1)(?::[0-9]{{1,5}})?(?:/[A-Za-z0-9._~/-]{{0,200}})?", re.ASCII
)
_SENDER = re.compile(rf'{_MAILBOX}|(?:"[^"\r\n]+"|[^@<>,;:"\r\n]+) <{_MAILBOX}>')


class Setting(NamedTuple):
    """A setting as the page of settings shows it, in Markdown; its value must be `kind`."""

    part: str
    kind: str
    default: str
    meaning: str


DECLARED: dict[str, Setting] = {}
_parts = [""]


def part(title: str) -> None:
    """Begin a part of the page."""
    _parts.append(title)


def declare(name: str, kind: str, default: str, meaning: str) -> None:
    """Say what a setting is that something else reads: it is known."""
    DECLARED.setdefault(name, Setting(_parts[-1], kind, default, meaning))


def require_known() -> None:
    """Refuse a setting that nothing reads: its name has a slip in it, and what it should do is not done."""
    for name in sorted(os.environ):
        if name.upper().startswith(_PREFIX) and name not in DECLARED:
            from difflib import get_close_matches  # noqa: PLC0415 - only needed here

            known = {setting.removeprefix(_PREFIX): setting for setting in DECLARED}
            near = get_close_matches(name.upper().removeprefix(_PREFIX), known, n=1)
            hint = f"did you mean {known[near[0]]}?" if near else "docs/deployment/settings.md lists all"
            raise ImproperlyConfigured(f"{name} is not a setting: {hint}")


def _read(name: str, kind: str, default: str, meaning: str, shown: str = "") -> str:
    declare(name, kind, shown or (f"`{default}`" if default else "none"), meaning)
    return os.environ.get(name, default)


def _refusal(name: str, value: str | None = None, why: str = "") -> ImproperlyConfigured:
    """Return the refusal of a setting, without its value where that may be secret: a log is read by others."""
    got = "" if value is None else f", got {value!r}"
    return ImproperlyConfigured(f"{name} must be {DECLARED[name].kind.replace('`', '')}{got}{why and f': {why}'}")


@contextmanager
def _usable_files(name: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise _refusal(name, why=f"{error.filename}: {error.strerror}") from None


def flag(name: str, default: str, meaning: str, shown: str = "") -> bool:
    value = _read(name, "`0` or `1`", default, meaning, shown)
    if value not in {"0", "1"}:
        raise _refusal(name, value)
    return value == "1"


def positive(name: str, default: str, meaning: str) -> float:
    value = _read(name, "a number above 0", default, meaning)
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if not 0 < number < math.inf:
        raise _refusal(name, value)
    return number


def hour(name: str, default: str, meaning: str) -> int:
    value = _read(name, "an hour from 0 to 23", default, meaning)
    if value not in {str(each) for each in range(24)}:
        raise _refusal(name, value)
    return int(value)


def one_of(name: str, values: tuple[str, ...], meaning: str) -> str:
    """Return one of these words, the first where nothing is said."""
    value = _read(name, " or ".join(f"`{each}`" for each in values), values[0], meaning)
    if value not in values:
        raise _refusal(name, value)
    return value


def _words(value: str) -> list[str]:
    return [word.strip() for word in value.split(",") if word.strip()]


_SITES = "host names like `survey.example.org`, separated by commas, without scheme, port or path"


def hosts(name: str, meaning: str, shown: str, kind: str = _SITES) -> list[str]:
    """Return hosts; any host is none of them: a page made for a stranger's Host header would lead there."""
    words = _words(_read(name, kind, "", meaning, shown))
    for word in words:
        if not _ALLOWED_HOST.fullmatch(word):
            host, below, _ = word.partition("/")
            raise _refusal(name, word, _NO_PATH if below and _ALLOWED_HOST.fullmatch(host) else "")
    return words


def origins(name: str, meaning: str) -> list[str]:
    words = _words(_read(name, "like `https://other.example.org`, separated by commas, without a path", "", meaning))
    for word in words:
        if not _ORIGIN.fullmatch(word):
            raise _refusal(name, word)
    return words


def site_address(name: str, hosts: list[str], meaning: str) -> str:
    """Return what links in emails begin with: configured, never taken from a request's Host header."""
    kind, shown = "like `https://survey.example.org`, without a path", "`https://` and the first allowed host"
    value = _read(name, kind, "", meaning, shown) or (f"https://{hosts[0].lstrip('.')}" if hosts else "")
    address = value.rstrip("/")
    if value and not _ORIGIN.fullmatch(address):
        below = _ORIGIN.match(address) and address.count("/") > 2
        raise _refusal(name, value, _NO_PATH if below else "")
    return address


def sender(name: str, default: str, meaning: str, shown: str) -> str:
    kind = "an email address, like `survey@example.org` or `Survey <survey@example.org>`"
    value = _read(name, kind, default, meaning, shown)
    if not _SENDER.fullmatch(value):
        raise _refusal(name, value)
    return value


def issuer(name: str, meaning: str, shown: str) -> str:
    """Return where a provider of sign-ins is, exactly as it names itself, or nothing."""
    value = _read(name, "like `https://login.example.org`", "", meaning, shown)
    if value and not _ISSUER.fullmatch(value):
        raise _refusal(name, value)
    return value


def line(name: str, kind: str, meaning: str, shown: str = "", *, secret: bool = False) -> str:
    value = _read(name, kind, "", meaning, shown)
    if not value.isprintable() or value != value.strip():
        raise _refusal(name, None if secret else value)
    return value


def claim(name: str, meaning: str) -> tuple[str, str] | None:
    """Return the name of a claim and the value that it must have, or nothing."""
    value = _read(name, "like `groups=instructors`", "", meaning)
    of, _, wanted = value.partition("=")
    if value and not (of and wanted and value.isprintable()):
        raise _refusal(name, value)
    return (of, wanted) if value else None


def separated(name: str, kind: str, meaning: str) -> list[str]:
    """Return words without spaces."""
    found = _words(_read(name, kind, "", meaning))
    for word in found:
        if not word.isprintable() or " " in word:
            raise _refusal(name, word)
    return found


def require(name: str, holds: object, why: str) -> None:
    """Refuse a setting that does not go with another one."""
    if not holds:
        raise _refusal(name, why=why)


def mailer(name: str, meaning: str) -> dict[str, Any]:
    """Read where email goes: to the console, or over smtp://, smtp+starttls:// or smtps://USER:PASSWORD@HOST:PORT.

    Returned is one of Django 6.1's MAILERS.
    """
    kind = "`console:` or like `smtp+starttls://user:password@example.org:587`"
    value = _read(name, kind, "console:", meaning)
    ports = {"smtp": 25, "smtp+starttls": 587, "smtps": 465}
    try:
        parts = urlsplit(value)
        port = parts.port
    except ValueError:
        raise _refusal(name) from None
    if parts.scheme == "console" and not parts.netloc:
        return {"BACKEND": "django.core.mail.backends.console.EmailBackend"}
    if parts.scheme not in ports or not parts.hostname:
        raise _refusal(name)
    return {
        "BACKEND": "django.core.mail.backends.smtp.EmailBackend",
        "OPTIONS": {
            "host": parts.hostname,
            "port": port or ports[parts.scheme],
            "username": unquote(parts.username or ""),
            "password": unquote(parts.password or ""),
            "use_tls": parts.scheme == "smtp+starttls",
            "use_ssl": parts.scheme == "smtps",
            "timeout": 20,
        },
    }


def _require_strong(name: str, secret: str, why: str = "") -> str:
    """Return a secret that nobody can guess: not a short one, nor the one that `startproject` writes."""
    if secret.startswith("django-insecure-"):
        raise _refusal(name, why="what begins with django-insecure- is a sample")
    if len(secret) < 20 or not (secret.isascii() and secret.isprintable()):
        raise _refusal(name, why=why)
    return secret


_STRONG = "a secret of at least 20 letters and digits"


def token(name: str, meaning: str, shown: str) -> str:
    """Return a secret that programs show, or nothing."""
    value = _read(name, _STRONG, "", meaning, shown)
    return value and _require_strong(name, value)


def earlier_keys(name: str, meaning: str) -> list[str]:
    words = _words(_read(name, "secrets of at least 20 letters and digits, separated by commas", "", meaning))
    return [_require_strong(name, word) for word in words]


def secret_key(name: str, meaning: str, shown: str) -> str:
    """Return the key that is in the environment, or nothing."""
    key = _read(name, _STRONG, "", meaning, shown)
    return _require_strong(name, key) if name in os.environ else ""


def kept_key(name: str, directory: Path) -> str:
    """Keep a key beside the database that only its owner can read, and return it."""
    path = directory / "secret_key"
    with _usable_files("DENIABLE_DATA_DIR"):
        try:
            # Of two workers starting at once one writes the key and the other reads it.
            handle = _begin_file(path)
        except FileExistsError:
            kept = path.read_text(encoding="ascii", errors="replace").strip()
            return _require_strong(name, kept, f"the one in {path} is not")
        with os.fdopen(handle, "w", encoding="ascii") as file:
            key = secrets.token_urlsafe(64)
            file.write(key)
    return key


def _can_hold(directory: Path) -> bool:
    """Whether this account can write files in this directory, or make it."""
    above = directory.absolute()
    nearest = next(place for place in (above, *above.parents) if os.access(place, os.F_OK))
    return nearest.is_dir() and os.access(nearest, os.W_OK | os.X_OK)


def directory(name: str, default: Path, meaning: str, shown: str) -> Path:
    """Return a directory that this account can write to."""
    value = _read(name, "a directory that this account can write to", str(default), meaning, shown)
    path = Path(value)
    if not (value and _can_hold(path)):
        raise _refusal(name, value)
    return path


def read_directory(name: str, default: Path, meaning: str, shown: str) -> Path:
    """Return a directory that another account may have written."""
    value = _read(name, "a directory", str(default), meaning, shown)
    path = Path(value)
    if not value or (os.access(path, os.F_OK) and not path.is_dir()):
        raise _refusal(name, value)
    return path


def file(name: str, default: Path, meaning: str, shown: str) -> Path:
    value = _read(name, "a file in a directory that this account can write to", str(default), meaning, shown)
    path = Path(value)
    if not (value and _can_hold(path.parent)) or path.is_dir():
        raise _refusal(name, value)
    return path


def database(name: str, default: Path, meaning: str, shown: str) -> dj_database_url.DBConfig:
    """Return which database it is; of SQLite's file the directory has to be there, unless it is the default one."""
    kind = "like `postgres://user:password@host/database` or `sqlite:////directory/file`, each part percent-encoded"
    value = _read(name, kind, f"sqlite:///{quote(str(default))}", meaning, shown)
    try:
        found = dj_database_url.parse(
            value,
            conn_max_age=600,
            # A database that was restarted in between fails no request.
            conn_health_checks=True,
            # PgBouncer lends a connection for one transaction: nothing may be kept open on it from one to the next.
            disable_server_side_cursors=True,
        )
    except ValueError:
        raise _refusal(name) from None
    if found["ENGINE"] == "django.db.backends.sqlite3":
        # In memory each connection would have a database of its own.
        if found["NAME"] == ":memory:" or found["HOST"]:
            raise _refusal(name)
        path = Path(found["NAME"])
        if path != default and not path.parent.is_dir():
            raise _refusal(name, why=f"{path.parent} is not a directory")
    elif found["ENGINE"] != "django.db.backends.postgresql" or not (
        found["NAME"] or "service" in found.get("OPTIONS", {})
    ):
        raise _refusal(name)
    return found


def make_places(data: Path, database: dj_database_url.DBConfig) -> None:
    """Make the data directory and SQLite's file, for their owner alone; nothing is made while a setting is wrong."""
    with _usable_files("DENIABLE_DATA_DIR"):
        data.mkdir(mode=0o700, parents=True, exist_ok=True)
    if database["ENGINE"] == "django.db.backends.sqlite3":
        with _usable_files("DATABASE_URL" if "DATABASE_URL" in os.environ else "DENIABLE_DATA_DIR"):
            _make_private(Path(database["NAME"]))


def _begin_file(path: Path) -> int:
    """Make a file that its owner alone can read; where root does it, that is whose directory it is."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    if os.geteuid() == 0:
        owner = path.parent.stat()
        os.fchown(handle, owner.st_uid, owner.st_gid)
    return handle


def _make_private(path: Path) -> None:
    """Make the file so that only its owner can read it; take others' rights to it, and to those beside it, away.

    SQLite gives the files beside its own the same rights. A directory that is there already may hold other things:
    `manage.py check --deploy` looks at it.
    """
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    for place in (path, path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}-shm")):
        with suppress(FileNotFoundError):
            if place.stat().st_mode & 0o077 and place.stat().st_uid == os.geteuid():
                place.chmod(0o600)
    with suppress(FileExistsError):
        os.close(_begin_file(path))
    # Opened here and closed, it would lose the locks that SQLite has on it in this process.
    if not os.access(path, os.R_OK | os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
