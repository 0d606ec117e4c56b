"""A real server keeps no trace of the person: database, journal, sessions and logs are searched."""

import http.client
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import pytest

from tests.server import ROOT, Server, environment, serving

# None of these occurs by chance; each stands for something that must not be kept.
CANARIES = {
    "agent": "CanaryAgent-71f3a9",
    "address": "203.0.113.199",
    "referrer": "canary-referrer-5d20",
    "query": "canary-query-88c1",
    "truth": "canary-truth-0be4",
    "cookie": "canary-cookie-3f77",
}
NONCE = "canaryNonceAAAAAAAA-_9"
SET_UP = """
import django; django.setup()
from tests.factories import make_open, yes_no
make_open(yes_no(), server_mode_allowed=True, code="CANARY")
"""
HEADERS = {
    "User-Agent": CANARIES["agent"],
    "X-Forwarded-For": CANARIES["address"],
    "Referer": f"http://127.0.0.1/{CANARIES['referrer']}",
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, Path]]:
    directory = tmp_path_factory.mktemp("sentinel") / "data"
    settings = environment(directory) | {"DJANGO_SETTINGS_MODULE": "surveys.settings"}
    for command in (
        ["manage.py", "migrate", "-v0"],
        ["manage.py", "collectstatic", "--no-input", "-v0"],
        ["-c", SET_UP],
    ):
        subprocess.run([sys.executable, *command], cwd=ROOT, env=settings, check=True)
    with serving("serve", directory=directory) as running:
        yield running, directory


def _request(
    server: Server, method: str, path: str, fields: dict[str, str] | None = None, cookie: str = ""
) -> tuple[int, str, str]:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    headers = HEADERS | {"Cookie": f"canary={CANARIES['cookie']}; {cookie}"}
    body = None
    if fields is not None:
        body = urlencode(fields)
        headers |= {
            "Content-Type": "application/x-www-form-urlencoded",
            "Origin": server.address,
            "Host": f"127.0.0.1:{server.port}",
        }
    connection.request(method, f"{path}?q={CANARIES['query']}", body=body, headers=headers)
    answer = connection.getresponse()
    text = answer.read().decode(errors="replace")
    cookies = "; ".join(
        value.split(";")[0].strip() for name, value in answer.getheaders() if name.lower() == "set-cookie"
    )
    connection.close()
    return answer.status, text, cookies


def _token(page: str) -> str:
    found = re.search(r'name="csrfmiddlewaretoken"[^>]*value="([^"]+)"', page)
    assert found is not None
    return found[1]


def _traces(directory: Path, log: Path, needles: list[str]) -> list[tuple[str, str]]:
    files = [path for path in directory.rglob("*") if path.is_file() and "static" not in path.parts] + [log]
    assert any(path.name == "deniable.sqlite3" for path in files)
    return [(path.name, needle) for path in files for needle in needles if needle.encode() in path.read_bytes()]


def test_no_trace_of_the_person_is_kept_and_a_planted_one_is_found(server: tuple[Server, Path]) -> None:
    running, directory = server
    status, page, cookies = _request(running, "GET", "/s/CANARY/")
    assert status == 200
    token = {"csrfmiddlewaretoken": _token(page), "nonce": NONCE}
    statuses = [
        _request(running, "POST", "/s/CANARY/", token | {"mode": "device", "reports": "1"}, cookies)[0],
        _request(running, "POST", "/s/CANARY/", token | {"mode": "device", "reports": "1"}, cookies)[0],
        _request(running, "POST", "/s/CANARY/", token | {"mode": "device", "reports": "0"}, cookies)[0],
        _request(running, "POST", "/s/CANARY/", token | {"mode": "device", "reports": CANARIES["truth"]}, cookies)[0],
        _request(
            running,
            "POST",
            "/s/CANARY/",
            token | {"mode": "device", "reports": "1", "truth": CANARIES["truth"]},
            cookies,
        )[0],
        _request(
            running, "POST", "/s/CANARY/server/", token | {"mode": "server", "answer-1": CANARIES["truth"]}, cookies
        )[0],
        _request(running, "GET", f"/s/{CANARIES['truth']}/")[0],
        _request(running, "GET", "/surveys/")[0],
        _request(
            running,
            "POST",
            "/sign-in/",
            token | {"username": CANARIES["truth"], "password": CANARIES["truth"]},
            cookies,
        )[0],
    ]
    assert statuses == [303, 303, 409, 400, 400, 400, 404, 302, 200]
    needles = [*CANARIES.values(), NONCE]
    assert _traces(directory, running.log, needles) == []

    subprocess.run(
        [sys.executable, "-c", f"import sqlite3; c = sqlite3.connect({str(directory / 'deniable.sqlite3')!r});"
         f" c.execute('CREATE TABLE planted AS SELECT ? AS leak', [{CANARIES['truth']!r}]); c.commit(); c.close()"],
        check=True,
    )  # fmt: skip
    with running.log.open("a") as log:
        log.write(CANARIES["address"])
    found = _traces(directory, running.log, needles)
    assert {needle for _, needle in found} == {CANARIES["truth"], CANARIES["address"]}
