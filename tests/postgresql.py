"""A PostgreSQL of the tests' own.

The server runs in a directory that is deleted afterwards, on a socket in it and on no port. It refuses to run as root:
then another account runs it, one that installing PostgreSQL makes.
"""

import os
import pwd
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_ACCOUNTS = ("postgres", "nobody")
_SETTINGS = (
    "listen_addresses=",
    "max_connections=100",
    "shared_buffers=32MB",
    "max_prepared_transactions=2",
)


# What a crash would leave does not matter to the tests: they wait for no disk.
_IN_A_HURRY = ("fsync=off", "synchronous_commit=off", "full_page_writes=off")


@contextmanager
def postgresql(programs: str, *, durable: bool = False) -> Iterator[str]:
    """Start a server, yield a DATABASE_URL for it, and stop it."""
    settings = (*_SETTINGS, *(() if durable else _IN_A_HURRY))
    with tempfile.TemporaryDirectory(prefix="deniable-postgresql-") as name:
        directory, whose = Path(name), account()
        if whose:
            shutil.chown(directory, whose)
            directory.chmod(0o755)
        data, log = directory / "data", directory / "log"
        run_as(whose, Path(programs, "initdb"), "-D", data, "-U", "superuser", "-A", "trust", "-E", "UTF8", "--no-sync")
        options = " ".join(f"-c {setting}" for setting in (*settings, f"unix_socket_directories={directory}"))
        run_as(whose, Path(programs, "pg_ctl"), "-D", data, "-l", log, "-w", "-t", "60", "-o", options, "start")
        try:
            yield f"postgresql://superuser@/postgres?host={directory}"
        finally:
            run_as(whose, Path(programs, "pg_ctl"), "-D", data, "-m", "immediate", "-w", "stop")


def pytest_on_postgresql(programs: str, *arguments: str) -> int:
    """Run tests with these arguments on such a server; return how that ended."""
    with postgresql(programs) as url:
        return subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments],
            cwd=Path(__file__).parents[1],
            env={**os.environ, "DATABASE_URL": url, "TESTS_NO_SKIPS": "1"},
            check=False,
        ).returncode


def account() -> str:
    """Return who runs the server: "" is whoever runs this."""
    if os.geteuid() != 0:
        return ""
    known = {entry.pw_name for entry in pwd.getpwall()}
    return next(name for name in _ACCOUNTS if name in known)


def run_as(whose: str, *command: str | Path) -> None:
    done = subprocess.run(
        [str(word) for word in command],
        user=whose or None,
        group=pwd.getpwnam(whose).pw_gid if whose else None,
        extra_groups=[] if whose else None,
        cwd="/",
        env={**os.environ, "LC_ALL": "C"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"{command[0]} failed: {done.stderr}")
