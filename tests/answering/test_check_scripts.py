"""The hashes that "Check us" prints are those of the bytes that the server sends, and a source tree makes them anew."""

import base64
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.staticfiles import finders
from django.core.management import call_command
from django.test import Client, override_settings

import surveys

pytestmark = pytest.mark.django_db  # closing a file that was sent ends a request, which looks at connections
SOURCE = Path(settings.BASE_DIR) / "static" / "js"
HASHED_NAME = re.compile(r"js/\w+\.[0-9a-f]{12}\.js")


def _as_in_production(directory: Path) -> override_settings:
    return override_settings(
        STORAGES={"staticfiles": {"BACKEND": "surveys.static_storage.HashedStaticFiles"}},
        STATIC_ROOT=directory,
        WHITENOISE_USE_FINDERS=False,
        WHITENOISE_AUTOREFRESH=False,
    )


@pytest.fixture(scope="module")
def collected(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("collected") / "static"
    with _as_in_production(directory):
        call_command("collectstatic", interactive=False, verbosity=0)
    return directory


@pytest.fixture
def stored(collected: Path, tmp_path: Path) -> Iterator[Path]:
    """The files as production has them: hashed, compressed, and served without looking at the source."""
    directory = Path(shutil.copytree(collected, tmp_path / "static"))
    with _as_in_production(directory):
        yield directory


def _page(client: Client) -> str:
    return unescape(client.get("/check/").content.decode())


def _listed(page: str) -> dict[str, str]:
    """Read the list that people save: path below the static root, hash."""
    listed = re.search(r'<code id="list">(.*?)</code>', page, re.DOTALL)
    assert listed
    lines = [line.split("  ") for line in listed[1].splitlines() if line]
    return {path: digest for digest, path in lines}


def _sent(client: Client, path: str) -> bytes:
    response = client.get(f"/static/{path}")
    assert response.status_code == 200
    content = b"".join(response)  # type: ignore[arg-type]
    response.close()
    return content


def _differing(client: Client, listed: dict[str, str]) -> list[str]:
    return [path for path, digest in listed.items() if hashlib.sha256(_sent(client, path)).hexdigest() != digest]


def test_every_script_of_the_source_is_listed_under_its_hashed_name(stored: Path) -> None:
    listed = _listed(_page(Client()))
    assert all(HASHED_NAME.fullmatch(path) for path in listed)
    names = {re.sub(r"\.[0-9a-f]{12}\.js$", ".js", path) for path in listed}
    assert names == {f"js/{path.name}" for path in SOURCE.glob("*.js")}


def test_the_hashes_are_of_the_bytes_that_the_server_sends(stored: Path) -> None:
    client = Client()
    listed = _listed(_page(client))
    assert listed
    assert _differing(client, listed) == []


def test_the_hashes_are_not_those_of_the_source_where_imports_were_rewritten(stored: Path) -> None:
    listed = _listed(_page(Client()))
    respond = next(digest for path, digest in listed.items() if path.startswith("js/respond."))
    assert respond != hashlib.sha256((SOURCE / "respond.js").read_bytes()).hexdigest()


def test_a_script_altered_on_the_server_differs_from_a_list_saved_before(stored: Path) -> None:
    saved = _listed(_page(Client()))
    altered = next(path for path in saved if path.startswith("js/randomizer."))
    for path in stored.glob(f"{altered}*"):  # the compressed copies too
        path.unlink()
    (stored / altered).write_bytes(b"export const drawReport = (columns, denominator, truth) => truth;\n")
    client = Client()
    assert _differing(client, saved) == [altered]
    assert _differing(client, _listed(_page(client))) == []  # and the page does not go on listing the old hash


def test_the_stated_commands_make_the_same_list_from_the_source(
    stored: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """The commands on the page, but for checkout and installation, in a process of its own."""
    page = _page(Client())
    copy = tmp_path_factory.mktemp("compare")
    exported = re.search(r"^export (.*)$", page, re.MULTILINE)
    assert exported
    stated = dict(pair.split("=", 1) for pair in exported[1].split())
    assert stated["DENIABLE_STATIC_ROOT"] == "/tmp/compare"  # noqa: S108 - what the page says; the test writes elsewhere
    for command in ("manage.py collectstatic --no-input", "sha256sum js/*.js", "sha256sum --check list.txt"):
        assert command in page
    plain = {name: value for name, value in os.environ.items() if not name.startswith(("DENIABLE_", "DJANGO_"))}
    subprocess.run(
        [sys.executable, "manage.py", "collectstatic", "--no-input", "-v0"],
        cwd=settings.BASE_DIR,
        env=plain | stated | {"DENIABLE_STATIC_ROOT": str(copy), "DENIABLE_DATA_DIR": str(copy / "data")},
        check=True,
    )
    made = subprocess.run(
        ["sh", "-c", "sha256sum js/*.js"], cwd=copy, check=True, capture_output=True, text=True
    ).stdout.splitlines()
    listed = [f"{digest}  {path}" for path, digest in _listed(page).items()]
    assert listed
    assert set(listed) <= set(made)
    assert _compared(copy, listed) == 0
    assert _compared(copy, [line.replace(line[0], "f" if line[0] == "0" else "0", 1) for line in listed]) == 1


def _compared(folder: Path, lines: list[str]) -> int:
    (folder / "list.txt").write_text("\n".join(lines) + "\n", encoding="ascii")
    return subprocess.run(["sha256sum", "--check", "list.txt"], cwd=folder, check=False, capture_output=True).returncode


def test_the_commands_that_fetch_name_whole_addresses(stored: Path) -> None:
    page = _page(Client())
    fetched = re.findall(r"^.*?curl -s (\S+) \| sha256sum(?:<|$)", page, re.MULTILINE)
    assert [address.removeprefix("http://testserver/static/") for address in fetched] == list(_listed(page))


def test_size_and_browser_form_of_each_hash_stand_beside_it(stored: Path) -> None:
    client = Client()
    page = _page(client)
    for path, digest in _listed(page).items():
        content = _sent(client, path)
        entry = next(part for part in page.split('<div class="script">') if digest in part and "sha256-" in part)
        assert f"{len(content)} bytes" in entry
        assert "sha256-" + base64.b64encode(hashlib.sha256(content).digest()).decode() in entry


def test_without_hashed_names_the_source_is_listed() -> None:
    """Plain storage, as under tests: names and bytes are those of the source."""
    client = Client()
    listed = _listed(_page(client))
    assert set(listed) == {f"js/{path.name}" for path in SOURCE.glob("*.js")}
    assert _differing(client, listed) == []
    assert finders.find("js/randomizer.js")


def test_the_release_that_the_page_names_is_the_project_s() -> None:
    project = tomllib.loads((Path(settings.BASE_DIR) / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert surveys.__version__ == project["version"]
    assert f"git checkout v{project['version']}\n" in _page(Client())
