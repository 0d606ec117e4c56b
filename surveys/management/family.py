"""What `serve` becomes: the parent of servers and housekeeping, which starts them again when they end and ends them.

On Linux the kernel ends them where their parent is killed, and gives it what a killed child leaves behind, so that it
can wait until that is gone. Other systems do neither.
"""

import ctypes
import json
import multiprocessing
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import partial

# Of prctl(2).
_SET_PDEATHSIG, _SET_CHILD_SUBREAPER = 1, 36
LONGEST_PAUSE = 60.0
# Servers that all fail so soon after the first start would fail again: the port is in use, or a setting is wrong.
FIRST_SECONDS = 10.0
_LOOKS_EVERY = 0.1
# Seconds that an answer may take which shows that the server has started; meanwhile nothing else is looked after.
_ANSWERS_WITHIN = 2.0
_ENDING = (signal.SIGINT, signal.SIGTERM)


def end_with(parent: int, by: signal.Signals = signal.SIGTERM) -> None:
    """Let this process be sent a signal when its parent ends, however that ends, or now if it has ended already."""
    _prctl(_SET_PDEATHSIG, by)
    if os.getppid() != parent:
        os.kill(os.getpid(), by)


def begin_worker() -> None:
    """Let a worker of granian end with granian, and when it is signalled to; elsewhere do nothing."""
    if main := multiprocessing.parent_process():
        # Until it has handlers of its own it has those of granian's main process, which would wait for it in vain.
        for number in _ENDING:
            signal.signal(number, signal.SIG_DFL)
        # Another one is about to listen where it does.
        end_with(main.pid or 0, by=signal.SIGKILL)


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


class Child:
    """A program that is started again when it ends, after 1, 2, 4 … 60 seconds, or 1 where it ran for 60."""

    def __init__(self, *command: str) -> None:
        self._command = command
        self._process: subprocess.Popen[bytes] | None = None
        self._pause = self._starts_at = self._started = 0.0
        self.starts = 0
        self.code = 0  # with which it ended last
        self._failed_at_once = False

    def start_when_due(self) -> None:
        """Start it, unless it runs or its pause is not over."""
        if self._process is None and time.monotonic() >= self._starts_at:
            self._started, self.starts = time.monotonic(), self.starts + 1
            # In a group of its own a terminal's signals reach `serve` alone, and what it leaves behind is found.
            self._process = subprocess.Popen(  # noqa: S603 - our own arguments, no shell
                self._command,
                process_group=0,
                preexec_fn=partial(_begin, os.getpid()),  # noqa: PLW1509 - it takes no lock
            )

    def has_ended(self) -> bool:
        """Whether it has ended since somebody last asked; then nothing of it is left, and its pause begins."""
        if self._process is None or self._process.poll() is None:
            return False
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        with suppress(ChildProcessError):
            while True:
                os.waitpid(-self._process.pid, 0)
        now = time.monotonic()
        lived = now - self._started
        self.code, self._process = self._process.returncode, None
        self._failed_at_once |= self.starts == 1 and self.code > 0 and lived < FIRST_SECONDS
        self._pause = 1 if lived >= LONGEST_PAUSE else min(2 * self._pause or 1, LONGEST_PAUSE)
        self._starts_at = now + self._pause
        return True

    @property
    def cannot_start(self) -> bool:
        """Whether it failed at its first start and does not run now."""
        return self._failed_at_once and self._process is None

    def send(self, number: int) -> None:
        """Send it a signal, if it runs."""
        if self._process is not None:
            self._process.send_signal(number)

    def wait(self, until: float) -> None:
        """Wait for its end, and kill it if that has not come in time."""
        while self._process is not None and not self.has_ended():
            if time.monotonic() > until:
                self.send(signal.SIGKILL)
            time.sleep(_LOOKS_EVERY)

    def __str__(self) -> str:
        return " ".join(self._command[1:3])


def tell(manager: str, state: str) -> None:
    """Tell systemd how far this process is, as sd_notify(3) does; without a socket of its, tell nobody."""
    if manager:
        # "@" stands for the null byte of an address that is no file.
        address = f"\0{manager[1:]}" if manager.startswith("@") else manager
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as telling, suppress(OSError):
            telling.sendto(state.encode(), address)


def is_answered(host: str, port: int, name: str) -> bool:
    """Whether the program answers there, under the site's name: granian listens before its workers have loaded it."""
    request = f"GET /healthz HTTP/1.1\r\nHost: {name}\r\nX-Forwarded-Proto: https\r\nConnection: close\r\n\r\n"
    try:
        with socket.create_connection((host, port), timeout=_ANSWERS_WITHIN) as asking:
            asking.sendall(request.encode())
            # Refusals count: what is wrong with the settings is for the doctor to say.
            return asking.recv(10).startswith((b"HTTP/1.1 2", b"HTTP/1.1 3", b"HTTP/1.1 4"))
    except OSError:
        return False


def run(servers: Sequence[Child], others: Sequence[Child], *, patience: float, address: tuple[str, int, str]) -> int:
    """Keep all of them running until this process is signalled to end; return the worst code of a server.

    They have so many seconds for it. Where no server can start, the others end too. Whoever started this process and
    waits for it learns when a server answers at the address, and when all of it begins to end.
    """
    # For this process alone: a child that spoke to systemd would speak for it.
    manager = os.environ.pop("NOTIFY_SOCKET", "")
    waits = bool(manager)
    _prctl(_SET_CHILD_SUBREAPER, 1)
    signals: list[int] = []
    children = [*servers, *others]
    for number in _ENDING:
        signal.signal(number, lambda number, _: signals.append(number))
    signal.signal(signal.SIGHUP, lambda number, _: _send(servers, number))
    while not (signals or all(server.cannot_start for server in servers)):
        for child in children:
            child.start_when_due()
            if child.has_ended() and not signals:
                sys.stderr.write(f"{child} has ended ({child.code})\n")
        if waits and is_answered(*address):
            tell(manager, "READY=1")
            waits = False
        time.sleep(_LOOKS_EVERY)
    tell(manager, "STOPPING=1")
    _send(children, signal.SIGTERM)
    until = time.monotonic() + patience
    for child in children:
        child.wait(until)
    return max(server.code if server.code >= 0 else 128 - server.code for server in servers)


def _send(children: Iterable[Child], number: int) -> None:
    for child in children:
        child.send(number)


def _begin(parent: int) -> None:
    """Prepare a child before it becomes another program: the handlers of `serve` are not its own."""
    for number in (*_ENDING, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    end_with(parent)


if __name__ == "__main__":
    seconds, place, programs = map(json.loads, sys.argv[1:])
    servers, others = ([Child(sys.executable, *each) for each in some] for some in programs)
    sys.exit(run(servers, others, patience=seconds, address=place))
