"""A real server on 127.0.0.1 with a directory of its own, for tests and load scripts."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HOST = "127.0.0.1"


@dataclass(frozen=True)
class Server:
    """A running server: where it listens, its process, and what it has said so far."""

    port: int
    pid: int
    log: Path

    @property
    def address(self) -> str:
        return f"http://{HOST}:{self.port}"


def bare_environment() -> dict[str, str]:
    """Return this process's environment without any of our settings."""
    ours = ("DENIABLE_", "DATABASE_", "DJANGO_")
    return {name: value for name, value in os.environ.items() if not name.startswith(ours)}


def run(*command: str, given: str = "", **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a command in the project's folder, with these settings alone."""
    return subprocess.run(
        command, input=given, cwd=ROOT, env=bare_environment() | variables, capture_output=True, text=True, check=False
    )


def environment(directory: Path) -> dict[str, str]:
    """Return the environment of a local demo that keeps everything in `directory`."""
    return bare_environment() | {
        "DENIABLE_LOCAL_DEMO": "1",
        "DENIABLE_DATA_DIR": str(directory),
        "DENIABLE_EPSILON_CAP": "1000",
        "DENIABLE_LAB_SECONDS": "10000",
        "DENIABLE_STATIC_ROOT": str(directory / "static"),
        "PYTHONPATH": str(ROOT),
    }


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


Parts = dict[str, set[int]]


def processes() -> dict[int, tuple[int, str]]:
    """Return every process that runs, with its parent and its command."""
    running = {}
    for path in Path("/proc").glob("[0-9]*"):
        try:
            state, parent = (path / "stat").read_text().rpartition(")")[2].split()[:2]
            command = (path / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if state != "Z":
            running[int(path.name)] = int(parent), command
    return running


def parts(serve: int) -> Parts:
    """Return the processes below `serve`, by what they do."""
    running = processes()
    children = {pid for pid, (parent, _) in running.items() if parent == serve}
    housekeeping = {pid for pid in children if "housekeeping" in running[pid][1]}
    workers = {pid for pid, (parent, _) in running.items() if parent in children}
    return {"granian": children - housekeeping, "worker": workers, "housekeeping": housekeeping}


def listening(port: int) -> int:
    """Return how many processes of this machine take connections at the port."""
    lines = Path("/proc/net/tcp").read_text(encoding="ascii").splitlines()[1:]
    return sum(line.split()[1].endswith(f":{port:04X}") and line.split()[3] == "0A" for line in lines)


def end(serve: int, *, within: float) -> int:
    """Signal `serve` to end as a service manager does; return its code, with which whoever started it is left too."""
    os.kill(serve, signal.SIGTERM)
    until = time.monotonic() + within
    while (ended := os.waitid(os.P_PID, serve, os.WEXITED | os.WNOWAIT | os.WNOHANG)) is None:
        assert time.monotonic() < until
        time.sleep(0.05)
    return ended.si_status


@contextmanager
def serving(
    *command: str,
    directory: Path,
    settings: str = "surveys.settings",
    program: tuple[str, ...] = ("manage.py",),
    variables: Mapping[str, str] | None = None,
    port: int = 0,
) -> Iterator[Server]:
    """Run `manage.py COMMAND --port …` until the block ends; its output goes to a file outside `directory`."""
    port = port or free_port()
    log = directory.with_name(directory.name + ".log")
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, *program, *command, "--port", str(port)],
            cwd=ROOT,
            env=environment(directory) | {"DJANGO_SETTINGS_MODULE": settings} | dict(variables or {}),
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        try:
            _wait(port, process, log)
            yield Server(port=port, pid=process.pid, log=log)
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(timeout=30)


def _wait(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    for _ in range(600):
        with socket.socket() as probe:
            if probe.connect_ex((HOST, port)) == 0:
                return
        if process.poll() is not None:
            break
        time.sleep(0.1)
    raise RuntimeError(f"the server did not start:\n{log.read_text()}")
