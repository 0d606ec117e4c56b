"""What is wrong with a server and around it, in words: for the operator who runs `manage.py doctor`."""

import datetime as dt
import os
import pwd
import re
import shutil
import ssl
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from enum import Enum
from fractions import Fraction
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from pathlib import Path
from urllib.parse import urlsplit

from django.conf import settings
from django.core import checks
from django.db import DatabaseError, connection
from django.urls import reverse
from django.utils import timezone

from surveys.accounts.services import mails, provider
from surveys.common import record, servers
from surveys.common.readiness import LEAST_FREE_BYTES, what_pages_lack
from surveys.common.record import Kept
from surveys.common.selectors import last_counted
from surveys.lti.selectors import deployments_of
from surveys.models import CoursePlatform, LedgerEntry, State, Survey, WaitingMail
from surveys.models.units import MICRO
from surveys.numbers.words import counted
from surveys.privacy.rationals import plain_decimal
from surveys.upkeep.selectors.program import time_zone_data
from surveys.upkeep.selectors.schema import schema_words, unlike_the_migrations
from surveys.upkeep.selectors.standing import applied_migrations, has_tables, pending_migrations, why_not

_TIMEOUT = 10
# Seconds that a server has to load the program after it was started, and what a proxy answers meanwhile.
_STARTS_WITHIN = 20
_STARTING = (502, 503)
# Seconds that two clocks may differ: what is asked takes its time.
_CLOCKS_DIFFER = 5
_OLD_ZONES, _OLD_BACKUP = dt.timedelta(days=730), dt.timedelta(days=2)
_OLD_TICK = _OLD_MAIL = dt.timedelta(minutes=10)


class Grade(Enum):
    SOUND = "ok"
    LOOK = "look"
    WRONG = "WRONG"


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """One thing that was looked at, and what was found."""

    subject: str
    grade: Grade
    words: str


def diagnose() -> Iterator[Diagnosis]:
    """Yield what is found, one thing after the other; what cannot be looked at is itself a finding."""
    for subject, look in _LOOKS.items():
        try:
            yield from (Diagnosis(subject, grade, words) for grade, words in look())
        except (OSError, DatabaseError) as error:
            yield Diagnosis(subject, Grade.WRONG, f"could not be looked at: {str(error).partition(chr(10))[0]}")


_Findings = Iterator[tuple[Grade, str]]


def _settings() -> _Findings:
    """Ask Django's checks and ours, those of a deployment too; what ours warn of breaks a promise."""
    messages = checks.run_checks(include_deployment_checks=True)
    for message in messages:
        ours = (message.id or "").startswith("deniable.")
        grade = Grade.WRONG if ours or message.level >= checks.ERROR else Grade.LOOK
        hint = f" {message.hint}" if message.hint else ""
        yield grade, f"{str(message.msg).strip().removesuffix('.')}.{hint} ({message.id})"
    if settings.DEBUG:
        yield Grade.WRONG, "DENIABLE_DEBUG is on: error pages show what was sent."
    if not messages:
        yield Grade.SOUND, "as they should be"


def _files() -> _Findings:
    """Look at what the data directory's owner may do, by whom the program runs: root, who may look here, may do all."""
    directory = settings.DATA_DIR
    if not directory.exists():
        yield Grade.LOOK, f"there is no {directory} yet: the program makes it when it starts."
        return
    owner = directory.stat().st_uid
    if owner == 0:
        yield Grade.LOOK, f"{directory} belongs to root: another account should own it, and run the program."
    elif os.geteuid() == 0:
        yield Grade.SOUND, f"looked at by root, for {_account(owner)}, to whom {directory} belongs"
    elif os.geteuid() != owner:
        yield Grade.WRONG, f"{directory} belongs to {_account(owner)}: let that account, or root, run the doctor."
    wrong = [words for path in _kept_by_the_program() for words in _amiss(path, owner)]
    key = directory / "secret_key"
    if key.exists() and os.access(key, os.R_OK):
        keys = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
        if key.read_text(encoding="utf-8", errors="replace").strip() not in keys:
            wrong.append(
                f"differing keys: {key} holds another than DENIABLE_SECRET_KEY. Sign-ins, nonces and links of one do"
                " not hold under the other: delete the one that the server does not use."
            )
    yield from ((Grade.WRONG, words) for words in wrong)
    if not wrong:
        yield Grade.SOUND, f"what {directory} keeps belongs to {_account(owner)}, and nobody else can read it"


def _kept_by_the_program() -> Iterator[Path]:
    """Yield the directories and files that the program reads and writes, where there are any."""
    database = str(connection.settings_dict["NAME"]) if connection.vendor == "sqlite" else None
    places = [
        settings.DATA_DIR,
        settings.DATA_DIR / "secret_key",
        *(Path(f"{database}{end}") for end in ("", "-wal", "-shm") if database),
        record.path().parent,
        record.path(),
        settings.BACKUP_DIR,
        *_backups_written(),
    ]
    yield from (path for path in dict.fromkeys(places) if path.exists())


def _amiss(path: Path, owner: int) -> Iterator[str]:
    """Say what keeps the owner from using it, and what lets others; a check looks at the data directory for those."""
    found = path.stat()
    # Whether files can be read is for each to say; in a directory that others can write to, they can replace them.
    needed, forbidden, mode = (0o700, 0o022, 700) if path.is_dir() else (0o600, 0o077, 600)
    if found.st_uid != owner:
        yield f"{path} belongs to {_account(found.st_uid)}, not to {_account(owner)}: chown it."
    elif found.st_mode & needed != needed:
        yield f"{_account(owner)} cannot read and write {path}: chmod {mode} it."
    if found.st_mode & forbidden and path != settings.DATA_DIR:
        yield f"others can {'write to' if path.is_dir() else 'read'} {path}: chmod {mode} it."


def _account(number: int) -> str:
    """Return its name, or its number where nothing knows one, as in a container."""
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return str(number)


def _pages() -> _Findings:
    if lacking := what_pages_lack():
        yield Grade.WRONG, f"{lacking}."
    else:
        yield Grade.SOUND, "their static files, translations and templates are there"


def _database() -> _Findings:
    if not has_tables():
        yield Grade.WRONG, f"there are no tables: run `{settings.COMMAND} migrate`."
        return
    if reason := why_not(applied_migrations()):
        yield Grade.WRONG, f"it {reason}"
        return
    if pending := pending_migrations():
        yield (
            Grade.WRONG,
            f"{counted(len(pending), 'migration')} to apply, from {pending[0]} on: run `{settings.COMMAND} migrate`.",
        )
    unlike = [] if pending else unlike_the_migrations()
    if unlike:
        yield Grade.WRONG, f"{schema_words(unlike)}. Restore a backup that you trust."
    if due := Survey.objects.filter(erasures__isnull=False).distinct().count():
        yield (
            Grade.LOOK,
            f"the files still hold deleted data of {counted(due, 'survey')}: housekeeping goes on with it.",
        )
    if not (pending or unlike):
        yield Grade.SOUND, f"{connection.display_name}, with all tables and triggers as the migrations make them"


def _housekeeping() -> _Findings:
    """Without it no answer is counted and no promised day is kept."""
    at = last_counted() if has_tables() else None
    last_run = f"it last ran at {at:%Y-%m-%d %H:%M} UTC" if at else "it never ran"
    # A clock that was set back leaves times that are still to come.
    if at is None or abs(timezone.now() - at) > _OLD_TICK:
        yield (
            Grade.LOOK,
            f"{last_run}: start `{settings.COMMAND} serve`, or let a timer run"
            f" `{settings.COMMAND} housekeeping --once`.",
        )
    else:
        yield Grade.SOUND, last_run


def _record() -> _Findings:
    """Hold the database against what the record beside it says was charged, destroyed and promised."""
    known, here = record.read(), record.of_database(Survey.objects.all()) if has_tables() else {}
    wrong = False
    for key in here.keys() & known.keys():
        for words in _taken_back(known[key], here[key]):
            wrong = True
            yield Grade.WRONG, f"{here[key].code}: {words}"
    begun = sum(len((known[key] | there).begun) for key, there in here.items() if key in known)
    if begun:
        yield Grade.LOOK, f"{counted(begun, 'release')} interrupted; what may have been charged is set aside."
    if unrecorded := sum(len(there.lacking(known.get(key, Kept("")))) for key, there in here.items()):
        yield (
            Grade.LOOK,
            f"it is new, or was lost: it lacks {counted(unrecorded, 'charge')}. `{settings.COMMAND} backup` adds them.",
        )
    if not os.access(_existing(record.path().parent), os.W_OK):
        yield Grade.WRONG, f"{record.path()} cannot be written: nothing can be charged."
    elif not (wrong or unrecorded):
        yield (
            Grade.SOUND,
            f"{record.path()} and the database agree on {counted(len(known.keys() & here.keys()), 'survey')}",
        )


def _taken_back(kept: Kept, here: Kept) -> Iterator[str]:
    if missing := kept.lacking(here):
        yield (
            f"an earlier copy of the database lacks {len(missing)} of its charges"
            f" (ε = {plain_decimal(Fraction(sum(missing.values()), MICRO))}): nothing more is released from it."
        )
    if kept.is_undone_in(here):
        yield f"it was {kept.destroyed}, and an earlier copy of the database has its reports back: do it again."
    elif here.destroyed != State.PURGED and kept.purge_on and not ("" < here.purge_on <= kept.purge_on):
        yield f"{kept.purge_on} was promised as its purge day, and the database has {here.purge_on or 'none'}: set it."


def _pool() -> _Findings:
    """Say whether a pool stands before PostgreSQL: `prepare_statements` finds out."""
    if connection.vendor != "postgresql":
        return
    if connection.connection.prepare_threshold is None:
        yield Grade.SOUND, "one such as PgBouncer lends the connections, so statements are planned each time"
    else:
        yield Grade.SOUND, "none: each connection prepares what it often asks"


def _durability() -> _Findings:
    """Look at what makes an answer that was acknowledged outlive a crash of PostgreSQL or its machine."""
    if connection.vendor != "postgresql":
        return
    missing = [name for name in ("fsync", "full_page_writes", "synchronous_commit") if _value(f"SHOW {name}") == "off"]
    for name in missing:
        yield Grade.WRONG, f"{name} is off: a crash loses answers that were acknowledged. Set it to on."
    if not missing:
        yield Grade.SOUND, "what was acknowledged outlives a crash of PostgreSQL"


def _log_of_writes() -> _Findings:
    """Look at how PostgreSQL's write-ahead log is kept; SQLite's is emptied by the program."""
    if connection.vendor != "postgresql":
        return
    if _value("SHOW wal_recycle") == "on":
        yield (
            Grade.LOOK,
            "wal_recycle is on: segments that hold purged reports wait to be reused. Set it to off;"
            " docs/deployment/ending-surveys.md says what clears them.",
        )
    else:
        yield Grade.SOUND, "wal_recycle is off: checkpoints delete what is old"


def _proxy() -> _Findings:
    """Ask the site as everybody does, through the proxy: only so does one see what it passes on."""
    address = urlsplit(settings.SITE_ADDRESS)
    if settings.LOCAL_DEMO or address.scheme != "https" or not address.hostname:
        yield Grade.LOOK, "there is no address with https: DENIABLE_ADDRESS or DENIABLE_ALLOWED_HOSTS names it."
        return
    begun = time.monotonic()
    try:
        answered = _asked_until_started(HTTPSConnection(address.hostname, address.port or 443, timeout=_TIMEOUT))
    except ssl.SSLCertVerificationError as error:
        yield Grade.WRONG, f"the certificate of {address.netloc} is not accepted: {error.verify_message}."
        return
    except (OSError, HTTPException) as error:
        yield Grade.WRONG, f"nobody answers at {settings.SITE_ADDRESS}{_waited(begun)}: {error}."
        return
    yield _heard(*answered, address.netloc)
    if waited := _waited(begun):
        yield Grade.SOUND, f"a server that starts was waited for: this is the answer{waited}"
    try:
        status, to, _ = _asked(HTTPConnection(address.hostname, 80, timeout=_TIMEOUT))
    except (OSError, HTTPException):
        yield Grade.LOOK, f"nobody answers at http://{address.hostname}/: who types no https finds nothing."
        return
    if not (status in {301, 302, 307, 308} and to.startswith("https://")):
        yield Grade.WRONG, f"http://{address.hostname}/ answers {status} and does not lead to https."


def _asked_until_started(asking: HTTPConnection) -> tuple[int, str, bytes]:
    """Ask again for some seconds while nobody is there: the server may just have been started."""
    until = time.monotonic() + _STARTS_WITHIN
    while True:
        late = time.monotonic() >= until
        try:
            answered = _asked(asking)
            if late or answered[0] not in _STARTING:
                return answered
        except ConnectionRefusedError:
            if late:
                raise
        time.sleep(1)


def _waited(begun: float) -> str:
    seconds = round(time.monotonic() - begun)
    return f" after {counted(seconds, 'second')}" if seconds else ""


def _asked(asking: HTTPConnection) -> tuple[int, str, bytes]:
    """Return the status, where it leads, and how what is there begins."""
    try:
        asking.request("GET", "/healthz")
        answered: HTTPResponse = asking.getresponse()
        return answered.status, answered.getheader("Location") or "", answered.read(4)
    finally:
        asking.close()


def _heard(status: int, to: str, text: bytes, host: str) -> tuple[Grade, str]:
    if (status, text) == (200, b"ok\n"):
        return Grade.SOUND, f"https://{host} is answered, and X-Forwarded-Proto arrives"
    if status in {301, 302, 307, 308} and to.endswith("/healthz"):
        switch = "" if settings.SECURE_PROXY_SSL_HEADER else " and DENIABLE_BEHIND_PROXY is not 1"
        return Grade.WRONG, (
            f"the program sends https to https for ever: X-Forwarded-Proto does not arrive{switch}."
            " deploy/nginx.conf has the line that sets it."
        )
    if status == 400:
        return (
            Grade.WRONG,
            f"the program refuses the host: the proxy must pass on Host, and DENIABLE_ALLOWED_HOSTS {host}.",
        )
    if status in {200, 404}:
        return Grade.WRONG, (
            f"another site answers at https://{host}/healthz ({status}). Deniable needs a host name of its own and"
            " can’t run below a path."
        )
    return Grade.WRONG, f"https://{host}/healthz answers {status}, not 200."


def _proxy_log() -> _Findings:
    """Read nginx's settings where it runs on this machine; of other proxies nothing is known."""
    nginx = shutil.which("nginx") or shutil.which("/usr/sbin/nginx")
    if nginx is None:
        yield Grade.LOOK, "no nginx is on this machine: see to it yourself that the proxy keeps no log of addresses."
        return
    done = _run(nginx, "-T")
    if done is None:
        yield Grade.LOOK, f"nginx shows its settings to root alone: run `{settings.COMMAND} doctor` as root once."
        return
    lines = [line.strip() for line in done.splitlines()]
    kept = [line for line in lines if line.startswith("access_log") and line.rstrip(";").split()[1] != "off"]
    if kept:
        yield Grade.WRONG, f"nginx keeps a log of who asked for what: {kept[0]}"
    elif not any(line.startswith("access_log") for line in lines):
        yield Grade.WRONG, "nginx keeps its usual log of who asked for what: access_log off; is missing."
    elif errors := [line for line in lines if line.startswith("error_log") and not line.endswith(" emerg;")]:
        yield Grade.WRONG, f"nginx names clients and what they asked for in its log of errors: {errors[0]} needs emerg."
    else:
        yield Grade.SOUND, "nginx keeps no log of addresses"


def _mail() -> _Findings:
    oldest = WaitingMail.objects.order_by("made_at").first()
    if oldest is not None and timezone.now() - oldest.made_at > _OLD_MAIL:
        number = counted(WaitingMail.objects.count(), "email")
        yield Grade.LOOK, f"{number} waiting, the oldest since {oldest.made_at:%Y-%m-%d %H:%M} UTC: the log says why."
    if not mails.leave_this_machine():
        yield Grade.LOOK, "mails are written to the log, links to new passwords too: set DENIABLE_EMAIL_URL."
        return
    server = mails.connection()
    address = f"{getattr(server, 'host', '')}:{getattr(server, 'port', '')}"
    try:
        server.open()
        server.close()
    except OSError as error:
        yield Grade.WRONG, f"{address} takes no mail: {error}."
        return
    yield Grade.SOUND, f"{address} takes it, sent as {settings.DEFAULT_FROM_EMAIL}"


def _provider() -> _Findings:
    """Ask the provider of sign-ins what a sign-in asks it, up to the password."""
    if not settings.OIDC_ISSUER:
        return
    try:
        known = provider.metadata()
        asked = servers.open_address(provider.discovery_address())
        back = mails.site_address() + reverse("provider-back")
        there = servers.open_address(provider.begin(attempt=provider.Attempt(), redirect_uri=back))
    except (provider.Refused, servers.NotReached) as refused:
        yield Grade.WRONG, f"{refused}: nobody can sign in with it."
        return
    sound = True
    if "S256" not in provider.listed(known, "code_challenge_methods_supported"):
        sound = False
        yield Grade.LOOK, "it does not say that it knows PKCE (S256), which keeps a stolen code from being used."
    if clock := _clock_of(asked):
        sound = False
        yield clock
    if not mails.site_address().startswith("https://"):
        sound = False
        yield Grade.LOOK, f"it sends people back to {back}: set DENIABLE_ADDRESS."
    if there.status >= 400:
        yield Grade.WRONG, f"it refuses a sign-in ({there.status}): does it know {settings.OIDC_CLIENT_ID} and {back}?"
    elif sound:
        yield Grade.SOUND, f"{settings.OIDC_ISSUER} is as it should be, and sends people back to {back}"


def _clock_of(asked: servers.Answer) -> tuple[Grade, str] | None:
    """Return what is wrong with another server's clock, if anything is."""
    date = asked.headers.get("Date")
    apart = abs(parsedate_to_datetime(date).timestamp() - time.time()) if date else 0
    if apart <= _CLOCKS_DIFFER:
        return None
    grade = Grade.WRONG if apart > servers.LEEWAY else Grade.LOOK
    return grade, f"its clock differs from the program’s by {apart:.0f} seconds; {servers.LEEWAY} are too many."


def _platforms() -> _Findings:
    """Ask each course platform for its keys, as a launch does."""
    platforms = list(CoursePlatform.objects.all()) if has_tables() else []
    if platforms and not mails.site_address().startswith("https://"):
        yield Grade.WRONG, f"they send people to {mails.site_address()}: set DENIABLE_ADDRESS."
    for platform in platforms:
        try:
            asked = servers.open_address(platform.keys_address)
        except servers.NotReached as failure:
            yield Grade.WRONG, f"{platform.name}: {failure}. Nobody can come from it."
            continue
        if not servers.has_keys(asked):
            yield Grade.WRONG, f"{platform.name}: there are no keys at {platform.keys_address} ({asked.status})."
        elif clock := _clock_of(asked):
            yield clock[0], f"{platform.name}: {clock[1]}"
        elif not deployments_of(platform):
            yield Grade.LOOK, f"{platform.name}: it has no deployment ID yet. Add it in the administration."
        else:
            yield Grade.SOUND, f"{platform.name}: its keys can be read"


def _disk() -> _Findings:
    size = _size()
    places = [_existing(settings.DATA_DIR), _existing(settings.BACKUP_DIR)]
    for path in {place.stat().st_dev: place for place in reversed(places)}.values():
        free = shutil.disk_usage(path).free
        left = f"{path} has {free // 10**6:,} MB left"
        if free < LEAST_FREE_BYTES:
            yield Grade.WRONG, f"{left}: nothing can be answered below {LEAST_FREE_BYTES // 10**6}."
        elif free < 3 * size:
            yield Grade.LOOK, f"{left}: writing the files anew, or a backup, may take three times {size // 10**6:,} MB."
        else:
            yield Grade.SOUND, left


def _existing(path: Path) -> Path:
    return next(each for each in (path.absolute(), *path.absolute().parents) if each.exists())


def _size() -> int:
    if connection.vendor == "sqlite":
        return Path(connection.settings_dict["NAME"]).stat().st_size
    return int(_value("SELECT pg_database_size(current_database())"))


def _value(statement: str) -> str:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return str(cursor.fetchone()[0])


def _clock() -> _Findings:
    now = timezone.now()
    newest = LedgerEntry.objects.order_by("-created_at").values_list("created_at", flat=True).first()
    behind = newest is not None and newest > now
    if behind:
        yield Grade.WRONG, f"it is before the ledger’s newest line, of {newest:%Y-%m-%d %H:%M} UTC: it was set back."
    if connection.vendor == "postgresql":
        apart = abs(float(_value("SELECT extract(epoch FROM clock_timestamp())")) - time.time())
        if not apart <= _CLOCKS_DIFFER:
            yield Grade.WRONG, f"PostgreSQL’s differs from the program’s by {apart:.0f} seconds."
    followed = _run("timedatectl", "show", "--property=NTPSynchronized", "--value")
    if followed is None:
        yield Grade.LOOK, f"it says {now:%Y-%m-%d %H:%M} UTC; whether it follows a time server cannot be asked here."
    elif followed.strip() != "yes":
        yield Grade.LOOK, f"it says {now:%Y-%m-%d %H:%M} UTC, and follows no time server: codes of phones will fail."
    elif not behind:
        yield Grade.SOUND, "it follows a time server"


def _time_zones() -> _Findings:
    zones = time_zone_data()
    unknown = Survey.objects.exclude(time_zone__in=zones.names).values_list("code", "time_zone").first()
    if unknown:
        yield Grade.WRONG, f"{unknown[1]}, the zone of {unknown[0]}, is not known here: install the machine’s tzdata."
    year = int(zones.version[:4]) if zones.version[:4].isdecimal() else 0
    if dt.date.today() - dt.date(max(year, 1970), 12, 31) > _OLD_ZONES:  # noqa: DTZ011 - a year is enough
        yield Grade.LOOK, f"their rules are of {zones.version or 'an unknown year'}, from {zones.source}: update them."
    else:
        yield Grade.SOUND, f"{len(zones.names)} zones, with the rules of {zones.version} from {zones.source}"


def _backups_written() -> list[Path]:
    return sorted(settings.BACKUP_DIR.glob("deniable-*.backup")) if settings.BACKUP_DIR.exists() else []


def _backups() -> _Findings:
    if connection.vendor == "postgresql":
        yield from _client()
    written = _backups_written()
    if not written:
        yield Grade.LOOK, f"there is none in {settings.BACKUP_DIR}: let a timer run `{settings.COMMAND} backup`."
        return
    at = dt.datetime.strptime(written[-1].name[9:25], "%Y%m%dT%H%M%SZ").replace(tzinfo=dt.UTC)
    newest = f"the newest of {len(written)} is of {at:%Y-%m-%d %H:%M} UTC"
    yield (Grade.LOOK if abs(timezone.now() - at) > _OLD_BACKUP else Grade.SOUND), newest


def _client() -> _Findings:
    """Look at the program that `backup` runs: it refuses a server that is newer than itself."""
    version = re.search(r"\(PostgreSQL\) (\d+)", _run("pg_dump", "--version") or "")
    connection.ensure_connection()
    server = connection.get_database_version()[0]
    if version is None:
        yield (
            Grade.WRONG,
            f"pg_dump was not found, so `{settings.COMMAND} backup` fails: apt-get install postgresql-client.",
        )
    elif int(version[1]) < server:
        yield (
            Grade.WRONG,
            f"pg_dump is of PostgreSQL {version[1]}, the server of {server}, so `{settings.COMMAND} backup` fails:"
            " install the client of the server’s version.",
        )


def _run(*command: str) -> str | None:
    """Return what a program of the machine says, or None where it is not there or refuses."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_TIMEOUT)  # noqa: S603 - ours
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None


_LOOKS: dict[str, Callable[[], _Findings]] = {
    "Settings": _settings,
    "Files": _files,
    "Pages": _pages,
    "Database": _database,
    "Pool": _pool,
    "Housekeeping": _housekeeping,
    "Record": _record,
    "Durability": _durability,
    "Write-ahead log": _log_of_writes,
    "Proxy": _proxy,
    "Proxy’s log": _proxy_log,
    "Mail": _mail,
    "Provider": _provider,
    "Course platforms": _platforms,
    "Disk": _disk,
    "Clock": _clock,
    "Time zones": _time_zones,
    "Backups": _backups,
}
