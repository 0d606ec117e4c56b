"""PgBouncer as the containers have it, before a PostgreSQL with the roles that they have; both can be killed."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

from tests.postgresql import account, postgresql, run_as
from tests.programs import PGBOUNCER, POSTGRESQL
from tests.security.proxying import found
from tests.security.visiting import make_survey
from tests.server import HOST, ROOT, bare_environment, environment, free_port, listening, run

_DEPLOY = ROOT / "deploy"
_SECONDS = 60


class Pool:
    """PgBouncer started by the container's script; `address` is where it lets the program in."""

    def __init__(self, directory: Path, programs: str, server: str) -> None:
        self._directory, self._programs, self._server, self._port = directory, programs, server, free_port()
        self.address = f"postgres://deniable:program@{HOST}:{self._port}/deniable"
        here = {
            "host=database port=5432": f"host={server}",
            "listen_addr = *": f"listen_addr = {HOST}",
            "6432": str(self._port),
            "/tmp/users": f"{directory}/users",  # noqa: S108 - of the container, where it is its own
        }
        for name in ("pgbouncer.ini", "pool.sh"):
            text = (_DEPLOY / name).read_text(encoding="utf-8")
            for there, place in here.items():
                text = text.replace(there, place)
            (directory / name).write_text(text, encoding="utf-8")
        self.start()

    def of(self, role: str) -> str:
        """Return the address at which the server itself lets a role in."""
        return f"postgres://{role}@/deniable?host={self._server}"

    def start(self) -> None:
        self._process = subprocess.Popen(
            ["sh", str(self._directory / "pool.sh")],
            env=bare_environment()
            | {"DENIABLE_PASSWORD": "program", "DENIABLE_POOL_FILE": str(self._directory / "pgbouncer.ini")}
            | {"PATH": f"{bare_environment()['PATH']}:/usr/sbin"},
            # It refuses to run as root.
            user="nobody" if os.geteuid() == 0 else None,
            stderr=subprocess.DEVNULL,
        )
        until = time.monotonic() + _SECONDS
        while not listening(self._port):
            assert self._process.poll() is None
            assert time.monotonic() < until
            time.sleep(0.05)

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()

    def control_server(self, *command: str) -> None:
        """Let pg_ctl do something with PostgreSQL."""
        control, data = Path(self._programs, "pg_ctl"), f"{self._server}/data"
        run_as(account(), control, "-D", data, "-l", f"{self._server}/log", "-w", "-t", str(_SECONDS), *command)


@contextmanager
def pooled(data: Path) -> Iterator[Pool]:
    """Make roles and a survey, whose data directory this is, and start a pool."""
    found(PGBOUNCER)
    programs = found(POSTGRESQL)
    with postgresql(programs) as superuser, tempfile.TemporaryDirectory(prefix="deniable-pool-") as name:
        server = superuser.partition("host=")[2]
        passwords = {"OWNER_PASSWORD": "owner", "PASSWORD": "program", "READER_PASSWORD": "reader"}
        variables = {f"DENIABLE_{name}": value for name, value in passwords.items()}
        made = run(
            "sh", str(_DEPLOY / "roles.sh"), POSTGRES_USER="superuser", PGHOST=server, **variables,
            PATH=f"{programs}:{bare_environment()['PATH']}",
        )  # fmt: skip
        assert made.returncode == 0, made.stderr
        with psycopg.connect(superuser, autocommit=True) as connection:
            # Or a server that is killed loses what it has just acknowledged.
            connection.execute("ALTER ROLE deniable SET synchronous_commit = on")
        owner = {"DATABASE_URL": f"postgres://deniable_owner@/deniable?host={server}"}
        make_survey(data, owner)
        granted = run(sys.executable, "manage.py", "grant", "deniable", **environment(data) | owner)
        assert granted.returncode == 0, granted.stderr
        # Whoever runs it comes to this directory.
        Path(name).chmod(0o777)
        pool = Pool(Path(name), programs, server)
        try:
            yield pool
        finally:
            pool.kill()
