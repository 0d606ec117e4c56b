"""What load balancers ask."""

import datetime as dt
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client
from pytest_django import Settings

from surveys.common import readiness
from surveys.models import LastRun
from tests.server import ROOT, environment


@pytest.fixture(autouse=True)
def _never_asked_before(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(readiness, "_last", readiness._Last())
    readiness.files_of_pages.cache_clear()
    yield
    readiness.files_of_pages.cache_clear()


def test_the_process_answers_without_a_database(client: Client) -> None:
    response = client.get("/healthz")
    assert (response.status_code, response.content) == (200, b"ok\n")


@pytest.mark.django_db
def test_the_process_is_ready_when_the_database_can_be_written(client: Client) -> None:
    for _ in range(2):
        assert client.get("/readyz").status_code == 200


@pytest.mark.django_db
@pytest.mark.parametrize("at", [None, dt.datetime(2026, 11, 29, 4, 40, 12, tzinfo=dt.UTC)])
def test_its_second_line_says_when_answers_were_last_counted(at: dt.datetime | None, client: Client) -> None:
    if at is not None:
        LastRun.objects.create(job="folds", at=at)
    counted = "never" if at is None else "2026-11-29 04:40:12 UTC"
    assert client.get("/readyz").content.decode() == f"ok\nhousekeeping: {counted}\n"


@pytest.fixture
def _read_only(transactional_db: None) -> Iterator[None]:
    words = {"sqlite": "PRAGMA query_only={}", "postgresql": "SET default_transaction_read_only={}"}[connection.vendor]
    with connection.cursor() as cursor:
        cursor.execute(words.format("on"))
        yield
        cursor.execute(words.format("off"))


@pytest.mark.usefixtures("_read_only")
def test_the_process_is_not_ready_when_the_database_cannot_be_written(client: Client) -> None:
    response = client.get("/readyz")
    assert (response.status_code, response.content) == (503, b"the database cannot be written\nhousekeeping: never\n")


@pytest.mark.django_db
def test_asking_often_writes_once(client: Client, django_assert_num_queries: object) -> None:
    client.get("/readyz")
    with django_assert_num_queries(0):  # type: ignore[operator]
        client.get("/readyz")


@pytest.fixture
def site(tmp_path: Path, settings: Settings) -> Path:
    """What pages are made of, in small."""
    for name, text in {
        "static/css/site.css": "a {}",
        "templates/base.html": "",
        "templates/page.html": '{% extends "base.html" %}{% include "admin/base_site.html" %}',
        **{f"locale/{code}/LC_MESSAGES/django.mo": "" for code in ("de", "es", "he")},
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    settings.BASE_DIR, settings.STATIC_ROOT = tmp_path, tmp_path / "collected"
    settings.STATICFILES_DIRS = [tmp_path / "static"]
    settings.STATICFILES_FINDERS = ["django.contrib.staticfiles.finders.FileSystemFinder"]
    settings.STORAGES = settings.STORAGES | {"staticfiles": {"BACKEND": "surveys.static_storage.HashedStaticFiles"}}
    call_command("collectstatic", interactive=False, verbosity=0)
    return tmp_path


_BREAKS: dict[str, Callable[[Path], object]] = {
    "collectstatic": lambda site: (site / "collected" / "staticfiles.json").unlink(),
    "`manage.py collectstatic`": lambda site: (site / "static" / "css" / "site.css").write_text("b {}"),
    "locale/es/LC_MESSAGES/django.mo": lambda site: (site / "locale" / "es" / "LC_MESSAGES" / "django.mo").unlink(),
    "templates/no/such.html": lambda site: (site / "templates" / "page.html").write_text(
        '{% extends "no/such.html" %}'
    ),
}


@pytest.mark.django_db
@pytest.mark.parametrize("words", _BREAKS)
def test_the_process_is_not_ready_when_its_pages_lack_something_from_the_start(
    words: str, site: Path, settings: Settings, client: Client
) -> None:
    _BREAKS[words](site)
    settings.STATIC_ROOT = str(settings.STATIC_ROOT)  # so that the manifest is read anew
    response = client.get("/readyz")
    problem, _housekeeping = response.content.decode().splitlines()
    assert (response.status_code, words in problem) == (503, True), problem


@pytest.mark.django_db
@pytest.mark.parametrize(
    "pattern", ["collected/css/site.*.css", "locale/de/LC_MESSAGES/django.mo", "templates/page.html"]
)
def test_the_process_is_ready_until_a_file_of_its_pages_goes(
    pattern: str, site: Path, monkeypatch: pytest.MonkeyPatch, client: Client
) -> None:
    assert client.get("/readyz").status_code == 200
    # It goes on with what it has read.
    (site / "static" / "css" / "site.css").write_text("b {}")
    (file,) = site.glob(pattern)
    for there in (True, False, True):
        monkeypatch.setattr(readiness, "_last", readiness._Last())
        if there and not file.exists():
            file.write_text("")
        if not there:
            file.unlink()
        assert client.get("/readyz").status_code == (200 if there else 503)


_FULL = """
import django; django.setup()
import os, sys
from pathlib import Path
from django.core.management import call_command
from django.db import connection
from django.test import Client
from surveys.common import readiness

call_command("migrate", verbosity=0)
call_command("collectstatic", interactive=False, verbosity=0)

def ready():
    readiness._last = readiness._Last()
    response = Client().get("/readyz", headers={"host": "127.0.0.1"})
    print(response.status_code, response.content.decode().strip())

ready()
# The journal is empty, so that nothing has room left inside it.
with connection.cursor() as cursor:
    cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    cursor.fetchall()
room = Path(sys.argv[1], "filling")
with room.open("wb", buffering=0) as filling:
    try:
        while True:
            filling.write(bytes(4096))
    except OSError:
        pass
ready()
connection.close()
readiness.LEAST_FREE_BYTES = 0
ready()
room.unlink()
ready()
"""


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    mount = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=40m", "tmpfs", tmp_path], check=False)
    if mount.returncode:
        pytest.skip("only root can mount a small disk: run as root")
    yield tmp_path
    subprocess.run(["umount", tmp_path], check=True)


@pytest.mark.slow
def test_the_process_is_not_ready_while_the_disk_is_full(small_disk: Path) -> None:
    directory = small_disk / "data"
    settings = environment(directory) | {"DJANGO_SETTINGS_MODULE": "surveys.settings"}
    done = subprocess.run(
        [sys.executable, "-c", _FULL, small_disk], cwd=ROOT, env=settings, check=True, stdout=subprocess.PIPE, text=True
    )
    answers, housekeeping = done.stdout.splitlines()[::2], done.stdout.splitlines()[1::2]
    assert [answer.partition(" ")[0] for answer in answers] == ["200", "503", "503", "200"]
    assert housekeeping == ["housekeeping: never"] * 4


@pytest.mark.parametrize("address", ["/healthz", "/readyz"])
def test_only_reading_is_allowed(client: Client, address: str) -> None:
    assert client.post(address).status_code == 405
