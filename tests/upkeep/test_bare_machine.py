"""docs/deployment/ followed word for word on a bare machine, from the first command to an upgrade.

Of what stands there only that is replaced which it says is the reader's own: addresses, names, passwords and the like.
"""

import re
import shlex
import shutil
import socket
import subprocess
import sys
import time
import types
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from http.client import HTTPSConnection
from pathlib import Path
from ssl import SSLContext, create_default_context
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, HTTPSHandler, OpenerDirector, Request, build_opener

import pytest

from tests.programs import OPENSSL
from tests.security.proxying import found
from tests.security.visiting import CODE, SERVED, answer_survey, over_tls
from tests.server import HOST, ROOT
from tests.upkeep.machine import Machine, Shell, bare_root, running
from tests.upkeep.manual import PAGES, Block, blocks

# Other processes do the work.
pytestmark = [pytest.mark.slow, pytest.mark.uncounted]

# What the pages call the reader's own.
NAME, PASSWORD, ADMIN = "ask.school.test", "correct horse battery staple", "head"
EXAMPLES = {
    "survey.example.org": NAME,
    "smtp+starttls://user:password@mail.example.org:587": "smtp://127.0.0.1:2525",
    "OWNERS-PASSWORD": "owners-own",
    "READERS-PASSWORD": "readers-own",
    "PROGRAMS-PASSWORD": "programs-own",
}
# A program of Debian's Python that prints what it is sent.
_MAILS = ("-m", "smtpd", "-n", "-c", "DebuggingServer", "127.0.0.1:2525")
# Where statements are typed.
(PSQL,) = re.findall(r"`(su [^`]+)`", (PAGES / "postgresql.md").read_text(encoding="utf-8"))
# Containers have no engine here; tests/on_postgresql/restores.py breaks a restore off.
NOT_FOLLOWED = {
    ("backups.md", "Restore in containers"),
    ("backups.md", "If the machine stops during a restore"),
    ("upgrades.md", "In containers"),
}
# Commands, statements and lines of files; other blocks are examples of what is to be seen.
TYPED = {"", "sh", "sql"}
FOLLOWED = ("install", "postgresql", "accounts", "health", "backups", "ending-surveys", "upgrades")
_OPEN = f"from tests.factories import make_open, yes_no; make_open(yes_no(), code='{CODE}')"
_CLOSE = """
from surveys.course.services import close_survey
from surveys.models import Survey
for survey in Survey.objects.filter(state="open"): close_survey(survey=survey)
"""
_COUNT = """
from surveys.common.totals import response_count
from surveys.models import Survey
print("answers:", response_count(Survey.objects.get()))
"""


@dataclass
class Reader:
    """Somebody who types what the pages say, and writes down how long each step took."""

    shell: Shell
    on_postgresql: bool
    followed: set[tuple[str, str, str]] = field(default_factory=set)
    steps: list[str] = field(default_factory=list)
    began: float = field(default_factory=time.monotonic)

    def follow(
        self,
        page: str,
        heading: str = "",
        *,
        own: Mapping[str, str] | None = None,
        before: Mapping[str, Callable[[], None]] | None = None,
        instead: Mapping[str, Callable[[], None]] | None = None,
    ) -> None:
        """Do all that stands there; something that has no command of its own is done before, or instead of, one."""
        left = {*(before or {}), *(instead or {})}
        to_do = [block for block in blocks(page, heading) if block.kind in TYPED]
        assert to_do, f"{page} tells nobody to do anything under {heading!r}"
        for block in filter(self.is_for_them, to_do):
            command = block.text.strip()
            self.followed.add((page, block.heading, command))
            left.discard(command)
            if prepare := (before or {}).get(command):
                prepare()
            if other := (instead or {}).get(command):
                other()
                continue
            self.do(block, own or {})
        assert not left, f"{page} has no such command any more: {left}"

    def is_for_them(self, block: Block) -> bool:
        return self.on_postgresql or not (
            block.page == "postgresql.md" or block.kind == "sql" or block.lead.startswith("On PostgreSQL")
        )

    def do(self, block: Block, own: Mapping[str, str] = types.MappingProxyType({})) -> None:
        """Type what stands there, with what is the reader's own in the place of examples."""
        text = _with_own(block.text, EXAMPLES | dict(own))
        started = time.monotonic()
        if block.kind == "sh":
            self.shell.type(text)
        elif block.kind == "sql":
            said = self.shell.type(f"{PSQL} <<'SQL'\n{text}\nSQL")
            assert "ERROR" not in said, said
        else:
            (path,) = re.findall(r"`(/[^`]+)`", block.lead)
            self.shell.type(f"cat >> {path} <<'LINES'\n{text}LINES")
        now = time.monotonic()
        self.steps.append(f"{now - started:6.1f} {now - self.began:7.1f}  {block.page}: {text.splitlines()[0][:80]}")

    def left_out(self) -> set[tuple[str, str, str]]:
        """Return what nobody has told this reader to do."""
        return {
            (block.page, block.heading, block.text.strip())
            for page in FOLLOWED
            for block in blocks(f"{page}.md")
            if block.kind in TYPED and (block.page, block.heading) not in NOT_FOLLOWED
            if self.is_for_them(block)
        } - self.followed


def _with_own(text: str, own: Mapping[str, str]) -> str:
    named = "|".join(map(re.escape, own))
    return re.sub(rf"(?<![\w-])(?:{named})(?![\w-])", lambda example: own[example[0]], text)


# What the reader has, and what anybody else does.


@pytest.fixture(scope="module")
def bare() -> Iterator[Path]:
    with bare_root() as root:
        yield root


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """The program as it stands here, to be cloned."""
    there = tmp_path / "deniable"
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, tracked.split("\0")):
        (there / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, there / name)
    _git(there, "init", "--quiet")
    _commit(there)
    return there


def _git(there: Path, *words: str) -> None:
    who = ("-c", "user.name=Deniable", "-c", "user.email=deniable@example.org")
    subprocess.run(["git", *who, *words], cwd=there, check=True, capture_output=True)


def _commit(there: Path) -> None:
    _git(there, "add", "--all")
    _git(there, "commit", "--quiet", "--message", "one")


_STYLES = "static/css/deniable.css"
_LATER = ".later-version"


def _publish_another(repository: Path) -> None:
    """Publish a version with one more migration, and with a unit and styles that have changed."""
    (newest,) = sorted((repository / "surveys/migrations").glob("0*.py"))[-1:]
    (newest.parent / "9999_later.py").write_text(
        "from django.db import migrations\n\n\nclass Migration(migrations.Migration):\n"
        f'    dependencies = [("surveys", "{newest.stem}")]\n'
    )
    unit = repository / "deploy/systemd/deniable-web.service"
    unit.write_text(unit.read_text().replace("Description=", f"Description={_LATER} "))
    with (repository / _STYLES).open("a") as styles:
        styles.write(f"{_LATER} {{ color: inherit; }}\n")
    _commit(repository)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate for the reader's host name, in a directory with its key."""
    there = tmp_path_factory.mktemp("certificate")
    request = ("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", f"/CN={NAME}")
    names = ("-addext", f"subjectAltName=DNS:{NAME}")
    files = ("-keyout", f"{there}/privkey.pem", "-out", f"{there}/fullchain.pem")
    subprocess.run([found(OPENSSL), *request, *names, *files], check=True, capture_output=True)
    return there


class _Connection(HTTPSConnection):
    """Goes to the machine, whatever the name is."""

    def __init__(self, host: str, *, port: int, context: SSLContext, **_: object) -> None:
        super().__init__(host, context=context, timeout=60)
        self._create_connection = lambda _address, *rest: socket.create_connection((HOST, port), *rest)


class _Handler(HTTPSHandler):
    def __init__(self, port: int, context: SSLContext) -> None:
        super().__init__(context=context)
        self._made = partial(_Connection, port=port, context=context)

    def https_open(self, request: Request) -> object:
        return self.do_open(self._made, request)  # type: ignore[arg-type]


def _browser(machine: Machine, certificate: Path) -> OpenerDirector:
    """Return what trusts the certificate, keeps cookies and follows where it is sent."""
    context = create_default_context(cafile=str(certificate / "fullchain.pem"))
    return build_opener(_Handler(machine.port, context), HTTPCookieProcessor())


def _page(browser: OpenerDirector, path: str, **fields: str) -> tuple[str, str]:
    """Return where a request ends, and what is there."""
    data = urlencode(fields).encode() if fields else None
    headers = {"Origin": f"https://{NAME}", "Referer": f"https://{NAME}{path}"} if fields else {}
    with browser.open(Request(f"https://{NAME}{path}", data, headers)) as answer:
        return answer.url.removeprefix(f"https://{NAME}"), answer.read().decode()


def _sign_in(browser: OpenerDirector, name: str) -> str:
    _, form = _page(browser, "/sign-in/")
    (token,) = set(re.findall(r'name="csrfmiddlewaretoken" value="(\w+)"', form))
    return _page(browser, "/sign-in/", csrfmiddlewaretoken=token, username=name, password=PASSWORD)[0]


def _answer(machine: Machine, times: int) -> None:
    for _ in range(times):
        assert set(answer_survey(over_tls(machine.port, NAME), NAME, "https")) <= SERVED


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_the_pages_lead_from_nothing_to_a_server_that_is_backed_up_and_upgraded(
    bare: Path, repository: Path, certificate: Path, database: str, capsys: pytest.CaptureFixture[str]
) -> None:
    answers = {
        r"Username \(.*\): ": ADMIN,
        r"Email address: ": "head@school.test",
        r"Password(?: \(again\))?: ": PASSWORD,
        r"Type (\w+) to .*: ": r"\1",
    }
    with running(bare, [repository]) as machine, Shell(machine, answers).opened() as shell:
        reader = Reader(shell, on_postgresql=database == "postgresql")
        try:
            _install(reader, repository, certificate)
            browser = _browser(machine, certificate)
            _open(reader, browser)
            _let_in_another(reader, _browser(machine, certificate))
            _back_up_and_restore(reader)
            _end_the_survey(reader)
            _upgrade(reader, repository, browser)
        finally:
            with capsys.disabled():
                sys.stdout.write("\n".join(["", f"On {database}: seconds of each step, and so far", *reader.steps, ""]))
    assert reader.left_out() == set()


def _install(reader: Reader, repository: Path, certificate: Path) -> None:
    machine = reader.shell.machine
    (machine.root / "etc/hosts").write_text(f"127.0.0.1 localhost {NAME}\n")
    shutil.copytree(certificate, machine.root / "etc/ssl" / NAME)
    reader.follow("install.md", "Install the program", own={"ADDRESS": str(repository)})
    # Machines everywhere trust the certificate that this reader has, and their mail server takes emails.
    shutil.copy(certificate / "fullchain.pem", machine.root / "usr/local/share/ca-certificates/school.crt")
    machine.run("update-ca-certificates")
    machine.run("systemd-run", "--unit=mails", "python3", "-u", "-W", "ignore", *_MAILS)

    def set_up_postgresql() -> None:
        reader.follow("postgresql.md")
        reader.follow("ending-surveys.md", "Before the first survey")

    reader.follow("install.md", "Start the server", instead=_to_migrate(reader, set_up_postgresql))

    def change_the_name() -> None:
        reader.shell.type(f"sed -i s/survey.example.org/{NAME}/ /etc/nginx/nginx.conf")

    reader.follow("install.md", "Put nginx in front", before={"nginx -t && systemctl reload nginx": change_the_name})


def _to_migrate(reader: Reader, on_postgresql: Callable[[], None]) -> dict[str, Callable[[], None]]:
    return {"manage migrate": on_postgresql} if reader.on_postgresql else {}


def _open(reader: Reader, browser: OpenerDirector) -> None:
    assert _page(browser, "/")[0] == "/"
    reader.steps.append(f"       {time.monotonic() - reader.began:7.1f}  the first page")
    assert _sign_in(browser, ADMIN) == "/account/two-factor/"
    reader.follow("health.md")


def _let_in_another(reader: Reader, browser: OpenerDirector) -> None:
    reader.shell.answers[r"Username \(.*\): "] = "deputy"
    reader.follow("accounts.md", own={"NAME": "deputy", "EMAIL": "teacher@school.test"})
    assert _sign_in(browser, "deputy") == "/account/two-factor/"
    mails = reader.shell.machine.run("journalctl", "--unit=mails", "--output=cat")
    assert re.search(rf"https://{NAME}/sign-up/\w+", mails)


def _back_up_and_restore(reader: Reader) -> None:
    machine = reader.shell.machine
    _run_here(reader, _OPEN)
    _answer(machine, 3)
    reader.follow("backups.md", "Make a backup")
    _answer(machine, 2)
    assert "answers: 5" in _run_here(reader, _COUNT)
    (backup,) = machine.run("find", "/var/lib/deniable/backups", "-name", "*.backup").split()
    reader.shell.answers["Passphrase: "] = machine.run("cat", "/etc/deniable/backup-passphrase").strip()
    (owners,) = (block for block in blocks("postgresql.md") if "> /run/" in block.text)

    def write_the_owners_role() -> None:
        if reader.on_postgresql:
            reader.do(owners)

    reader.follow(
        "backups.md",
        "Restore on a machine",
        own={"FILE": backup},
        before={"manage restore FILE": write_the_owners_role},
    )
    assert "answers: 3" in _run_here(reader, _COUNT)
    _answer(machine, 1)
    reader.follow("backups.md", "Client programs")


def _end_the_survey(reader: Reader) -> None:
    _run_here(reader, _CLOSE)
    for heading in ("Seal a survey", "Purge a survey", "If the files still hold deleted data", "After a purge"):
        reader.follow("ending-surveys.md", heading, own={"CODE": CODE})


def _upgrade(reader: Reader, repository: Path, browser: OpenerDirector) -> None:
    _publish_another(repository)

    def as_the_owner() -> None:
        reader.follow("postgresql.md", "Step 3: create the tables and grant rights")

    reader.follow("upgrades.md", "On a machine", instead=_to_migrate(reader, as_the_owner))
    styles = re.findall(r'href="(/static/[^"]+\.css)"', _page(browser, "/")[1])
    assert any(_LATER in _page(browser, path)[1] for path in styles)
    assert _LATER in reader.shell.machine.run("systemctl", "show", "--property=Description", "deniable-web")
    reader.follow("install.md", "Without `serve`")
    # All that the program has written is its own, and in one place; the owner's password is in none.
    machine = reader.shell.machine
    assert not (machine.root / "opt/deniable/data").exists()
    assert machine.run("find", "/var/lib/deniable", "!", "-user", "deniable") == ""
    assert machine.run("find", "/run", "-name", "deniable-owner") == ""


def _run_here(reader: Reader, code: str) -> str:
    return reader.shell.type(f"manage shell -c {shlex.quote(code)}")
