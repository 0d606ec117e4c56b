"""PgBouncer, and a cluster of Citus with a coordinator and two workers: all on loopback and run as an ordinary user."""

import contextlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tests.postgresql import account, run_as
from tests.server import HOST, free_port

CITUS_MISSING = "CITUS names no folder with the programs of a PostgreSQL that has Citus"
WORKERS = 2
_SECONDS = 20
_POOL = """
[databases]
postgres = {server} dbname=postgres user=superuser
[pgbouncer]
listen_addr = {host}
listen_port = {port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 12
max_client_conn = 300
logfile = {directory}/log
"""
_NODE = (
    f"listen_addresses={HOST}",
    "shared_preload_libraries=citus",
    "max_connections=200",
    "shared_buffers=64MB",
    "max_prepared_transactions=100",
    "citus.node_conninfo=sslmode=disable",
    "citus.recover_2pc_interval=1s",
    "fsync=off",
)


class PgBouncer:
    """PgBouncer in transaction mode before a server; it can be killed and comes back at the same port."""

    def __init__(self, program: str, server: str, directory: Path) -> None:
        self.port = free_port()
        self._settings = directory / "pgbouncer.ini"
        self._settings.write_text(_POOL.format(server=server, host=HOST, port=self.port, directory=directory))
        self._program = program
        self._process = self._start()

    @property
    def url(self) -> str:
        return f"postgresql://superuser@{HOST}:{self.port}/postgres"

    def kill(self) -> None:
        """Let it die in the middle of whatever it does, and start another one."""
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()
        self._process = self._start()

    def stop(self) -> None:
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()

    def _start(self) -> subprocess.Popen[bytes]:
        command = [self._program, "-q", str(self._settings)]
        process = subprocess.Popen(command, user=account() or None, extra_groups=[] if account() else None, cwd="/")
        until = time.monotonic() + _SECONDS
        while not _listens(self.port):
            if time.monotonic() > until or process.poll() is not None:
                raise RuntimeError("PgBouncer does not start")
            time.sleep(0.02)
        return process


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex((HOST, port)) == 0


@contextlib.contextmanager
def pgbouncer(program: str, server: str) -> Iterator[PgBouncer]:
    """Start PgBouncer before a server, given as libpq reads it, and stop it afterwards."""
    with _directory() as directory:
        pool = PgBouncer(program, server, directory)
        try:
            yield pool
        finally:
            pool.stop()


class Citus:
    """A coordinator and its workers."""

    def __init__(self, programs: str, directory: Path) -> None:
        self._programs, self._directory = Path(programs), directory
        self.ports = [free_port() for _ in range(1 + WORKERS)]
        for port in self.ports:
            data = directory / str(port)
            run_as(account(), self._programs / "initdb", "-D", data, "-U", "superuser", "-A", "trust", "--no-sync")
            self.start(port)
            self._psql(port, "CREATE EXTENSION citus")
        coordinator, *workers = self.ports
        self._psql(coordinator, f"SELECT citus_set_coordinator_host('{HOST}', {coordinator})")
        for port in workers:
            self._psql(coordinator, f"SELECT citus_add_node('{HOST}', {port})")

    @property
    def url(self) -> str:
        return f"postgresql://superuser@{HOST}:{self.ports[0]}/postgres"

    def start(self, port: int) -> None:
        options = " ".join(f"-c {setting}" for setting in (*_NODE, f"port={port}"))
        options += f" -c unix_socket_directories={self._directory}"
        self._control(port, "-l", self._directory / f"{port}.log", "-o", options, "start")

    def kill_a_worker(self) -> None:
        """Let a worker die as at a power cut, and start it again."""
        self._control(self.ports[-1], "-m", "immediate", "stop")
        self.start(self.ports[-1])

    def stop(self) -> None:
        for port in self.ports:
            with contextlib.suppress(RuntimeError):
                self._control(port, "-m", "immediate", "stop")

    def _control(self, port: int, *arguments: str | Path) -> None:
        run_as(account(), self._programs / "pg_ctl", "-D", self._directory / str(port), "-w", *arguments)

    def _psql(self, port: int, statement: str) -> None:
        to = ("-h", HOST, "-p", str(port), "-U", "superuser", "-v", "ON_ERROR_STOP=1")
        run_as(account(), self._programs / "psql", "-X", "-q", *to, "-c", statement, "postgres")


@contextlib.contextmanager
def citus(programs: str) -> Iterator[Citus]:
    """Start a cluster, and stop it afterwards."""
    with _directory() as directory:
        cluster = Citus(programs, directory)
        try:
            yield cluster
        finally:
            cluster.stop()


@contextlib.contextmanager
def _directory() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="deniable-scale-") as name:
        if account():
            shutil.chown(name, account())
            Path(name).chmod(0o755)
        yield Path(name)
