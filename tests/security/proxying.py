"""Debian's nginx, with the very file that deploy/ gives, before a real server."""

import re
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.programs import NGINX, OPENSSL, Program
from tests.server import HOST, ROOT, Server, free_port

NAME = "survey.example.org"
DEPLOYED = {"DENIABLE_LOCAL_DEMO": "0", "DENIABLE_ALLOWED_HOSTS": NAME, "DENIABLE_BEHIND_PROXY": "1"}
FILE = ROOT / "deploy" / "nginx.conf"


@dataclass(frozen=True)
class Proxy:
    """A running nginx."""

    port: int
    plain_port: int
    pid: int
    directory: Path


def found(program: Program) -> str:
    path = program.find()
    if path is None:
        pytest.skip(program.how_to_install)
    return path


@contextmanager
def proxying(server: Server, configuration: str) -> Iterator[Proxy]:
    """Start nginx with the configuration as it is, but for ports, paths and IPv6, which not every machine has."""
    with tempfile.TemporaryDirectory(prefix="deniable-nginx-") as name:
        directory = Path(name)
        # The workers have an account of their own, and write to directories in it.
        directory.chmod(0o755)
        with _nginx(directory, server, configuration) as running:
            yield running


@contextmanager
def _nginx(directory: Path, server: Server, configuration: str) -> Iterator[Proxy]:
    port, plain_port = free_port(), free_port()
    request = ("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", f"/CN={NAME}")
    files = ("-keyout", f"{directory}/privkey.pem", "-out", f"{directory}/fullchain.pem")
    subprocess.run([found(OPENSSL), *request, *files], check=True, capture_output=True)
    configuration = re.sub(r"\n *listen \[::\].*;", "", configuration)
    configuration = re.sub(r"listen 443\b", f"listen {HOST}:{port}", configuration)
    configuration = re.sub(r"listen 80\b", f"listen {HOST}:{plain_port}", configuration)
    configuration = configuration.replace(f"/etc/ssl/{NAME}/", f"{directory}/")
    configuration = configuration.replace("127.0.0.1:8000", f"{HOST}:{server.port}")
    configuration = configuration.replace("/run/nginx.pid", f"{directory}/pid")
    configuration = configuration.replace("/var/log/nginx/error.log", f"{directory}/error.log")
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    places = "".join(f"\n    {kind}_temp_path {directory}/{kind};" for kind in kinds)
    path = directory / "nginx.conf"
    path.write_text(configuration.replace("\nhttp {", f"\nhttp {{{places}", 1), encoding="utf-8")
    # What nginx says before it has read where its log is goes nowhere else either.
    command = [found(NGINX), "-e", str(directory / "error.log"), "-c", str(path), "-g", "daemon off;"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(100):
            with socket.socket() as probe:
                if probe.connect_ex((HOST, port)) == 0:
                    break
            assert process.poll() is None, (directory / "error.log").read_text(encoding="utf-8")
            time.sleep(0.1)
        yield Proxy(port, plain_port, process.pid, directory)
    finally:
        process.terminate()
        process.wait(timeout=30)
