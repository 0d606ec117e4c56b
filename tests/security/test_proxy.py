"""Debian's nginx, with the very file that deploy/ gives, before the real server."""

import os
import re
import secrets
import socket
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from urllib.parse import urlencode

import pytest

from tests.programs import CURL
from tests.security.proxying import DEPLOYED, FILE, NAME, Proxy, found, proxying
from tests.security.visiting import (
    HALF_A_BODY,
    PATH,
    SERVED,
    answer_survey,
    ask,
    half_sent,
    make_survey,
    over_tls,
    unchecked,
)
from tests.server import HOST, Server, serving

# Other processes do the work.
pytestmark = pytest.mark.uncounted

A_LECTURE = 60
HALF_SENT = 25
MUCH_OF_A_BODY = f"POST {PATH} HTTP/1.1\r\nHost: {{host}}\r\nContent-Length: 1200000\r\n\r\n{'x' * 1_000_000}"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, migrated: Path | None) -> Iterator[Server]:
    directory = tmp_path_factory.mktemp("proxied") / "data"
    make_survey(directory, DEPLOYED, migrated=migrated)
    with serving("serve", directory=directory, variables=DEPLOYED) as running:
        yield running


@pytest.fixture(scope="module")
def proxy(server: Server) -> Iterator[Proxy]:
    with proxying(server, FILE.read_text(encoding="utf-8")) as running:
        yield running


def _lost(proxy: Proxy, pupils: int) -> list[int]:
    """Let a class answer at once, each pupil as a browser does; return the statuses that are no success."""
    with ThreadPoolExecutor(pupils) as pool:
        answered = list(pool.map(lambda _: answer_survey(over_tls(proxy.port, NAME), NAME, "https"), range(pupils)))
    assert all(len(statuses) == len(answered[0]) for statuses in answered if 0 not in statuses)
    return [status for statuses in answered for status in statuses if status not in SERVED]


@pytest.mark.slow
def test_a_class_behind_one_address_loses_nothing_beside_half_sent_requests(proxy: Proxy) -> None:
    with half_sent(proxy.port, HALF_SENT, HALF_A_BODY, NAME, unchecked()):
        assert _lost(proxy, A_LECTURE) == []


@pytest.mark.slow
def test_a_limit_that_a_class_meets_and_a_body_on_the_disk_are_caught(server: Server) -> None:
    planted = FILE.read_text(encoding="utf-8")
    for right, wrong in (
        ("limit_conn_zone $sender", "limit_conn_zone $binary_remote_addr"),
        ("limit_conn sending 1000", "limit_conn sending 20"),
        ("client_body_buffer_size 1300k", "client_body_buffer_size 8k"),
    ):
        assert right in planted
        planted = planted.replace(right, wrong)
    with proxying(server, planted) as proxy:
        with half_sent(proxy.port, 1, MUCH_OF_A_BODY, NAME, unchecked()):
            time.sleep(0.5)
            assert _files_open_below(proxy.pid, proxy.directory) != []
        with half_sent(proxy.port, HALF_SENT, HALF_A_BODY, NAME, unchecked()):
            assert 503 in _lost(proxy, pupils=10)


def _curl(proxy: Proxy, *arguments: str) -> list[str]:
    site = ("--resolve", f"{NAME}:{proxy.port}:{HOST}", "--connect-to", f"{NAME}:443:{HOST}:{proxy.port}")
    told = ("--write-out", "%{http_version} %{http_code}\n", "--silent", "--insecure", "--http2")
    done = subprocess.run([found(CURL), *site, *told, *arguments], capture_output=True, text=True, check=False)
    return done.stdout.splitlines()


@pytest.mark.slow
def test_a_class_behind_one_address_loses_nothing_over_http_2(proxy: Proxy, tmp_path: Path) -> None:
    page = tmp_path / "page"
    assert _curl(proxy, "--output", str(page), f"https://{NAME}{PATH}") == ["2 203"]
    text = page.read_text(encoding="utf-8")
    files = [f"https://{NAME}{path}" for path in re.findall(r'(?:href|src)="(/static/[^"]+)"', text)]

    def pupil(_: int) -> list[str]:
        addresses = [f"https://{NAME}{PATH}", *files]
        outputs = [word for address in addresses for word in ("--output", os.devnull, address)]
        fields = {"nonce": secrets.token_urlsafe(16), "mode": "device", "reports": "1"}
        headers = ("--header", f"Origin: https://{NAME}", "--header", "Accept: application/json")
        sending = ("--data", urlencode(fields), "--output", os.devnull)
        fetched = _curl(proxy, "--parallel", "--parallel-immediate", *outputs)
        return fetched + _curl(proxy, *headers, *sending, f"https://{NAME}{PATH}")

    with half_sent(proxy.port, HALF_SENT, HALF_A_BODY, NAME, unchecked()), ThreadPoolExecutor(A_LECTURE) as pool:
        told = [line for lines in pool.map(pupil, range(A_LECTURE)) for line in lines]
    assert len(told) == A_LECTURE * (len(files) + 2)
    assert set(told) <= {f"2 {status}" for status in SERVED}


@pytest.mark.parametrize("header", ["X_Forwarded_Proto", "X-Forwarded-Proto"])
def test_what_a_client_says_about_its_transport_is_not_believed(proxy: Proxy, server: Server, header: str) -> None:
    # It cannot make the site believe that TLS is off …
    with closing(over_tls(proxy.port, NAME)()) as connection:
        connection.request("GET", "/healthz", headers={"Host": NAME, header: "http"})
        assert connection.getresponse().status == 200
    # … nor that it is on.
    with socket.create_connection((HOST, proxy.plain_port), timeout=10) as client:
        client.sendall(f"GET {PATH} HTTP/1.1\r\nHost: {NAME}\r\n{header}: https\r\n\r\n".encode())
        assert client.recv(1000).startswith(b"HTTP/1.1 301")
    with socket.create_connection((HOST, server.port), timeout=10) as client:
        client.sendall(f"GET {PATH} HTTP/1.1\r\nHost: {NAME}\r\nX_Forwarded_Proto: https\r\n\r\n".encode())
        assert client.recv(1000).startswith(b"HTTP/1.1 301")


def test_another_sites_name_is_not_answered(proxy: Proxy) -> None:
    for host in ("evil.example", f"{NAME}.evil.example"):
        with over_tls(proxy.port, NAME)().sock as client:
            client.sendall(f"GET / HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
            assert client.recv(1000) == b""
    with closing(over_tls(proxy.port, NAME)()) as connection:
        assert ask(connection, "GET", "/healthz", Host=NAME, X_Forwarded_Host="evil.example").status == 200


def _requests_until_refused(proxy: Proxy, path: str, most: int) -> int:
    with closing(over_tls(proxy.port, NAME)()) as connection:
        for number in range(most):
            answered = ask(connection, "GET", path, Host=NAME)
            answered.read()
            if answered.status == 429:
                return number
    return most


def test_pages_that_take_passwords_are_limited_and_no_others(proxy: Proxy) -> None:
    assert 20 <= _requests_until_refused(proxy, "/sign-in/", 40) < 30
    assert _requests_until_refused(proxy, PATH, 40) == 40


def test_a_body_that_is_too_large_is_refused(proxy: Proxy) -> None:
    with closing(over_tls(proxy.port, NAME)()) as connection:
        headers = {"Host": NAME, "Content-Length": "1400000"}
        connection.request("POST", PATH, headers=headers)
        assert connection.getresponse().status == 413


def _files_open_below(pid: int, directory: Path) -> list[str]:
    workers = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    found = []
    for worker in workers:
        for handle in Path(f"/proc/{worker}/fd").iterdir():
            try:
                found.append(str(handle.readlink()))
            except FileNotFoundError:
                continue
    return [name for name in found if name.startswith(str(directory)) and "error.log" not in name]


def test_what_passes_through_is_on_no_disk_and_in_no_log(proxy: Proxy) -> None:
    with half_sent(proxy.port, 2, MUCH_OF_A_BODY, NAME, unchecked()):
        time.sleep(0.5)
        assert _files_open_below(proxy.pid, proxy.directory) == []
    log = (proxy.directory / "error.log").read_text(encoding="utf-8")
    assert HOST not in log
    assert PATH not in log
