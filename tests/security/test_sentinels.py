"""A real server keeps no trace of the person: database, journal, sessions and logs are searched."""

import base64
import http.client
import json
import re
import sqlite3
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import urlencode

import pytest

from surveys.credit.services import modulus_of
from tests.credit.device import Device
from tests.factories import every_kind
from tests.security.visiting import make_survey
from tests.server import Server, environment, run, serving

# Other processes do the work.
pytestmark = pytest.mark.uncounted

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
# True answers in order, by code: that chance leaves all of them as they are happens once in ten million times.
TRUE_CODES = "jihgfedcba9876543210bdfhj"
TRUE_NUMBER = "7316.25"
TRUE_LABEL = "canary-label-6e12"
SET_UP = """
from tests.factories import every_kind, make_open, number_mean, one_of, yes_no
make_open(yes_no(), server_mode_allowed=True, code="CANARY")
make_open(yes_no(), credit=True, code="CREDTS")
make_open(*every_kind(), server_mode_allowed=True, code="EVERYK")
options = [f"option {number}" for number in range(20)]
numbers = {"low": [0, 1], "high": [10000, 1], "step": [1, 4], "unit": ""}
twenty = [one_of(options, f"Question {number}?") for number in range(25)]
make_open(*twenty, number_mean(details=numbers), server_mode_allowed=True, code="CANARZ")
"""
HEADERS = {
    "User-Agent": CANARIES["agent"],
    "X-Forwarded-For": CANARIES["address"],
    "Referer": f"http://127.0.0.1/{CANARIES['referrer']}",
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, migrated: Path | None) -> Iterator[tuple[Server, Path]]:
    directory = tmp_path_factory.mktemp("sentinel") / "data"
    make_survey(directory, set_up=SET_UP, migrated=migrated)
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


def _traces(directory: Path, log: Path, needles: list[str]) -> list[tuple[str, str]]:
    files = [path for path in directory.rglob("*") if path.is_file() and "static" not in path.parts] + [log]
    assert any(path.name == "deniable.sqlite3" for path in files)
    return [(path.name, needle) for path in files for needle in needles if needle.encode() in path.read_bytes()]


def test_no_trace_of_the_person_is_kept_and_a_planted_one_is_found(server: tuple[Server, Path]) -> None:
    running, directory = server
    status, page, cookies = _request(running, "GET", "/sign-in/")
    token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page)
    assert status == 200
    assert token is not None
    nonce = {"nonce": NONCE}
    statuses = [
        _request(running, "GET", "/s/CANARY/")[0],
        _request(running, "POST", "/s/CANARY/", nonce | {"mode": "device", "reports": "1"}, cookies)[0],
        _request(running, "POST", "/s/CANARY/", nonce | {"mode": "device", "reports": "1"}, cookies)[0],
        _request(running, "POST", "/s/CANARY/", nonce | {"mode": "device", "reports": "0"}, cookies)[0],
        _request(running, "POST", "/s/CANARY/", nonce | {"mode": "device", "reports": CANARIES["truth"]}, cookies)[0],
        _request(
            running,
            "POST",
            "/s/CANARY/",
            nonce | {"mode": "device", "reports": "1", "truth": CANARIES["truth"]},
            cookies,
        )[0],
        _request(
            running, "POST", "/s/CANARY/server/", nonce | {"mode": "server", "answer-1": CANARIES["truth"]}, cookies
        )[0],
        _request(running, "GET", f"/s/{CANARIES['truth']}/")[0],
        _request(running, "GET", "/surveys/")[0],
        _request(
            running,
            "POST",
            "/sign-in/",
            {"csrfmiddlewaretoken": token[1], "username": CANARIES["truth"], "password": CANARIES["truth"]},
            cookies,
        )[0],
    ]
    assert statuses == [203, 303, 303, 409, 400, 400, 303, 404, 302, 200]
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


def _written_otherwise(data: bytes) -> list[bytes]:
    """Return what a trace of these bytes would be, as they are, in hexadecimal and in base64 wherever it begins."""
    shifted = [base64.urlsafe_b64encode(data[skipped:])[4:-4] for skipped in range(3)]
    plain = [each.translate(bytes.maketrans(b"-_", b"+/")) for each in shifted]
    return [
        data,
        data.hex().encode(),
        data.hex().upper().encode(),
        *shifted,
        *plain,
        str(int.from_bytes(data)).encode(),
    ]


def test_nothing_of_a_receipt_is_kept_in_database_journal_log_or_backup(server: tuple[Server, Path]) -> None:
    running, directory = server
    ((document,),) = _of_survey(directory, "CREDTS")
    modulus = modulus_of(json.loads(document)["credit_key"])
    devices = [Device.of(modulus) for _ in range(4)]
    answers = [
        _request(running, "POST", "/s/CREDTS/", devices[0].answering()),
        _request(running, "POST", "/s/CREDTS/declined/", devices[1].declining),
        _request(running, "POST", "/s/CREDTS/", devices[2].answering() | {"truth": "1"}),
        _request(running, "POST", "/s/CREDTS/declined/", devices[3].declining | {"blinded": devices[3].blinded + "A"}),
        _request(running, "GET", f"/s/CREDTS/?blinded={devices[0].blinded}"),
    ]
    assert [status for status, _, _ in answers] == [303, 303, 400, 400, 203]
    backing_up = (sys.executable, "manage.py", "backup", "--without-keys", "--to", str(directory / "backups"))
    assert run(*backing_up, **environment(directory)).returncode == 0
    (packed,) = (directory / "backups").iterdir()
    with zipfile.ZipFile(packed) as backup:
        backup.extractall(directory / "backups" / "unpacked")
    files = [path for path in directory.rglob("*") if path.is_file() and "static" not in path.parts] + [running.log]
    assert {"deniable.sqlite3", "database.sqlite3"} <= {path.name for path in files}
    needles = [
        needle
        for device in devices
        for drawn in (device.message[:32], device.message[32:], device.hidden)
        for needle in _written_otherwise(drawn)
    ]

    def found() -> set[bytes]:
        return {needle for path in files for needle in needles if needle in path.read_bytes()}

    assert found() == set()
    with running.log.open("a") as log:
        log.write(devices[0].blinded)
    with closing(sqlite3.connect(directory / "deniable.sqlite3")) as database:
        database.execute("CREATE TABLE planted_receipt AS SELECT ? AS leak", [devices[1].message])
        database.commit()
    assert len(found()) > 2
    assert {devices[1].message[:32], devices[1].message[32:]} < found()


def _of_survey(directory: Path, code: str) -> list[tuple[str]]:
    with closing(sqlite3.connect(directory / "deniable.sqlite3")) as database:
        return database.execute("SELECT document FROM surveys_survey WHERE code = ?", [code]).fetchall()


def _every_answer() -> dict[str, str]:
    """Return an answer to each question of `every_kind`, as its form in server mode sends it."""
    fields = {}
    for number, draft in enumerate(every_kind(), start=1):
        keys = [f"{number}{'abc'[place]}" for place in range(3)] if draft.kind == "several_of" else [str(number)]
        fields |= {f"answer-{key}": "7.5" if draft.kind == "number_mean" else "1" for key in keys}
    return fields


def _stored(directory: Path, table: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(directory / "deniable.sqlite3")) as database:
        return database.execute(f"SELECT * FROM {table}").fetchall()  # noqa: S608 - a name of ours


def _by_server(running: Server, code: str, answers: dict[str, str]) -> tuple[int, str, str]:
    status, page, cookies = _request(running, "GET", f"/s/{code}/server/")
    assert status == 203
    nonce = re.search(r'name="nonce"[^>]*value="([^"]+)"', page)
    assert nonce is not None
    fields = {"nonce": nonce[1], "mode": "server"} | answers
    return _request(running, "POST", f"/s/{code}/server/", fields, cookies)


def test_true_answers_of_every_kind_end_with_the_request_in_server_mode(server: tuple[Server, Path]) -> None:
    running, directory = server
    codes = {f"answer-{number}": code for number, code in enumerate(TRUE_CODES, start=1)}
    true = codes | {"answer-26": TRUE_NUMBER}
    told = [
        _by_server(running, "EVERYK", _every_answer()),
        _by_server(running, "CANARZ", true),
        # Refused: out of the range, no step, a label in the place of a code.
        _by_server(running, "CANARZ", codes | {"answer-26": f"9{TRUE_NUMBER}"}),
        _by_server(running, "CANARZ", codes | {"answer-26": f"{TRUE_NUMBER}1"}),
        _by_server(running, "CANARZ", true | {"answer-3": TRUE_LABEL}),
        _by_server(running, "CANARZ", true | {TRUE_LABEL: "1"}),
    ]
    assert [status for status, _, _ in told] == [303] * 6
    needles = [TRUE_CODES, TRUE_NUMBER, TRUE_LABEL]
    assert _traces(directory, running.log, needles) == []
    assert [needle for _, page, cookies in told for needle in needles if needle in page + cookies] == []
    assert _stored(directory, "surveys_signin") == []
    # It was a real submission of each kind that left no trace.
    reports = sorted(str(row) for row in _stored(directory, "surveys_response") if "server" in row)
    assert len(reports) == 2

    with closing(sqlite3.connect(directory / "deniable.sqlite3")) as database:
        database.execute("CREATE TABLE planted_truth AS SELECT ? AS leak", [TRUE_CODES])
        database.commit()
    with running.log.open("a") as log:
        log.write(f"true answers: {TRUE_NUMBER}")
    assert {needle for _, needle in _traces(directory, running.log, needles)} == {TRUE_CODES, TRUE_NUMBER}
