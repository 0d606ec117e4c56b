"""A bare machine: Debian as debootstrap makes it, started by its own systemd, and somebody who types at its shell.

It has processes, accounts and a network of its own, and nothing of it is mounted outside of it: who ends it has ended
all of it. systemd-nspawn starts it, and slirp4netns brings what it asks for to the network; root alone can do that.
"""

import json
import os
import re
import select
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.programs import DEBOOTSTRAP, NSPAWN, SLIRP4NETNS
from tests.security.proxying import found
from tests.server import HOST, free_port

RELEASE = "bookworm"
# What every machine with systemd has; Debian's installer puts more on it.
_INCLUDED = "systemd-sysv,dbus"
# Of slirp4netns: where it answers for the resolver, and the address that it gives the machine.
_RESOLVER, _ADDRESS = "10.0.2.3", "10.0.2.100"
# Ends with this process, however that ends.
_ENDING = ("setpriv", "--pdeathsig", "TERM")
# Programs that are slow on a busy machine are waited for; one that hangs is found.
PATIENCE = 1800
_STARTS_WITHIN = 120
_KEPT = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "TERM": "dumb"}
_AGREED = 'APT::Get::Assume-Yes "true";\n'


@contextmanager
def bare_root() -> Iterator[Path]:
    """Make Debian in a directory, with no more than a machine has that was just installed."""
    if os.geteuid() != 0:
        pytest.skip("a bare machine is made and started by root alone: run this test as root")
    with tempfile.TemporaryDirectory(prefix="deniable-bare-") as name:
        root = Path(name, "root")
        sources = _sources()
        mirror = [line.split()[1] for line in sources if line.split()[2] == RELEASE][:1]
        apart = ("unshare", "--mount", "--pid", "--fork", "--kill-child")
        made = (found(DEBOOTSTRAP), "--variant=minbase", f"--include={_INCLUDED}", RELEASE, root, *mirror)
        done = subprocess.run([*apart, *made], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        if sources:
            (root / "etc/apt/sources.list").write_text("".join(sources))
        # Who follows the manual says yes to apt-get.
        (root / "etc/apt/apt.conf.d/yes").write_text(_AGREED)
        (root / "etc/pip.conf").write_text(_for_pip())
        (root / "etc/resolv.conf").write_text(f"nameserver {_RESOLVER}\n")
        yield root


def _sources() -> list[str]:
    """Return where this machine's apt finds Debian's packages, of this release."""
    form = "deb $(REPO_URI) $(RELEASE) $(COMPONENT)|$(ORIGIN)"
    asked = ["apt-get", "indextargets", "--format", form, "Created-By: Packages"]
    lines = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.splitlines()
    return [f"{line}\n" for line, _, origin in (line.partition("|") for line in lines) if origin == "Debian"]


def _pip() -> dict[str, str]:
    """Return how pip is set here, in whatever file or variable."""
    asked = [shutil.which("pip") or "pip", "config", "list"]
    lines = subprocess.run(asked, capture_output=True, text=True, check=False).stdout
    return dict(re.findall(r"(?m)^(?:global|:env:)\.([\w-]+)='(.*)'$", lines))


# What pip's settings name on this machine stands there below a directory of its own, in nobody's way.
_HERE = "/here"
_NAMED = re.compile(r"(?<!\S)(file://)?(/\S+)")


def _for_pip() -> str:
    placed = {name: _NAMED.sub(rf"\g<1>{_HERE}\2", value) for name, value in _pip().items()}
    return "\n".join(["[global]", *(f"{name} = {value}" for name, value in placed.items()), ""])


def _read_by_pip() -> list[str]:
    # An index names files that lie beside it.
    named = {
        Path(path).parent if is_index else Path(path)
        for value in _pip().values()
        for is_index, path in _NAMED.findall(value)
    }
    return [f"{path}:{_HERE}{path}" for path in sorted(named) if path.exists()]


@dataclass
class Machine:
    """A running machine: its files, its first process, and the port of this machine that leads to its HTTPS."""

    root: Path
    leader: int
    port: int

    def inside(self, *command: str, **variables: str) -> list[str]:
        """Return a command that runs another inside, with nothing of this process's environment."""
        entered = ("nsenter", "--target", str(self.leader), "--mount", "--uts", "--ipc", "--net", "--pid", "--")
        named = [f"{name}={value}" for name, value in (_KEPT | variables).items()]
        return [*entered, "/usr/bin/env", "-i", *named, *command]

    def run(self, *command: str) -> str:
        """Return what a command says that is no part of the manual."""
        done = subprocess.run(
            self.inside(*command), stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
        return done.stdout


@contextmanager
def running(bare: Path, shared: Sequence[Path] = ()) -> Iterator[Machine]:
    """Start a copy of the bare machine, which also sees what is shared."""
    with tempfile.TemporaryDirectory(prefix="deniable-machine-") as name:
        root, api, port = Path(name, "root"), Path(name, "api"), free_port()
        subprocess.run(["cp", "-a", bare, root], check=True)
        bound = [f"--bind-ro={path}" for path in (*_read_by_pip(), *shared)]
        alone = [] if Path("/run/systemd/system").is_dir() else ["--keep-unit"]
        quietly = ("--quiet", "--console=pipe", "--link-journal=no", "--resolv-conf=off", "--register=no", *alone)
        command = [found(NSPAWN), *quietly, "--private-network", f"--directory={root}", *bound, "--boot"]
        log = Path(name, "log")
        with log.open("wb") as output, _process(*command, output=output.fileno()) as nspawn:
            leader = _leader(nspawn, log)
            joined = (found(SLIRP4NETNS), "--configure", "--mtu=65520", "--api-socket", str(api), str(leader), "tap0")
            with _process(*joined, output=output.fileno()) as network:
                _lead(api, network, port)
                machine = Machine(root, leader, port)
                subprocess.run(
                    machine.inside("systemctl", "is-system-running", "--wait"), capture_output=True, check=False
                )
                yield machine


@contextmanager
def _process(*command: str, output: int) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen([*_ENDING, *command], stdin=subprocess.DEVNULL, stdout=output, stderr=output)
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _leader(nspawn: subprocess.Popen[bytes], log: Path) -> int:
    """Wait for the machine's first process, to which systemd-nspawn is the parent."""
    children = Path(f"/proc/{nspawn.pid}/task/{nspawn.pid}/children")
    until = time.monotonic() + _STARTS_WITHIN
    while time.monotonic() < until and nspawn.poll() is None:
        for child in children.read_text().split():
            try:
                if Path(f"/proc/{child}/comm").read_text().strip() == "systemd":
                    return int(child)
            except OSError:
                continue
        time.sleep(0.1)
    raise AssertionError(f"the machine did not start:\n{log.read_text(errors='replace')}")


def _lead(api: Path, network: subprocess.Popen[bytes], port: int) -> None:
    """Let a port of this machine lead to the other's HTTPS."""
    until = time.monotonic() + _STARTS_WITHIN
    wanted = {"proto": "tcp", "host_addr": HOST, "host_port": port, "guest_addr": _ADDRESS, "guest_port": 443}
    while network.poll() is None:
        try:
            with socket.socket(socket.AF_UNIX) as asking:
                asking.connect(str(api))
                asking.sendall(json.dumps({"execute": "add_hostfwd", "arguments": wanted}).encode())
                asking.shutdown(socket.SHUT_WR)
                answer = asking.recv(4096).decode()
        except OSError:
            assert time.monotonic() < until, "slirp4netns gives the machine no network"
            time.sleep(0.1)
        else:
            assert "return" in answer, answer
            return
    raise AssertionError("slirp4netns ended, and the machine has no network")


@dataclass
class Shell:
    """Root's shell in the machine, at a terminal; what programs ask there is answered."""

    machine: Machine
    answers: dict[str, str]
    seen: str = ""
    _terminal: int = field(default=-1, init=False)
    _commands: int = field(default=-1, init=False)

    @contextmanager
    def opened(self) -> Iterator["Shell"]:
        self._terminal, theirs = os.openpty()
        read, self._commands = os.pipe()
        variables = {"DEBIAN_FRONTEND": "noninteractive", "PAGER": "cat"}
        # Commands come by a pipe, so that a program that reads the terminal takes none of them.
        bash = subprocess.Popen(
            self.machine.inside("/bin/bash", "-e", f"/dev/fd/{read}", **variables),
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            pass_fds=[read],
            start_new_session=True,
        )
        for there in (theirs, read):
            os.close(there)
        try:
            yield self
        finally:
            for here in (self._commands, self._terminal):
                os.close(here)
            bash.send_signal(signal.SIGHUP)
            bash.wait(timeout=60)

    def type(self, commands: str) -> str:
        """Return what is to be seen on the terminal once all commands are done, of which none may fail."""
        number = len(self.seen)
        end = f"done-{number}"
        os.write(self._commands, f"{commands}\nprintf '\\n%s%s\\n' done- {number}\n".encode())
        shown, answered = "", 0
        until = time.monotonic() + PATIENCE
        while f"\n{end}\n" not in shown:
            ready, _, _ = select.select([self._terminal], [], [], 1)
            assert time.monotonic() < until, f"not done within {PATIENCE} seconds:\n{commands}\n{shown}"
            try:
                piece = os.read(self._terminal, 65536) if ready else b""
            except OSError:
                journal = self.machine.run("journalctl", "--no-pager", "--lines=40", "--output=cat")
                raise AssertionError(f"this failed:\n{commands}\n{shown}\nThe journal:\n{journal}") from None
            shown += piece.decode(errors="replace").replace("\r", "")
            for asked, answer in self.answers.items():
                if match := re.search(rf"{asked}\Z", shown[answered:]):
                    answered = len(shown)
                    os.write(self._terminal, f"{match.expand(answer)}\n".encode())
        self.seen += shown
        return shown.partition(f"\n{end}\n")[0]
