"""The program installed from its wheel, in folders where there is no checkout."""

import json
import os
import re
import signal
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path

import pytest

from tests import api_page
from tests.server import HOST, ROOT, bare_environment, free_port

BIN = Path(sys.executable).parent
SITE_PACKAGES = Path(sysconfig.get_path("purelib"))
VERSIONS = ("3.11", "3.12", "3.13")
STARTS_WITHIN = 300  # seconds: beside other tests a machine may be slow
_MATHEMATICS = """
import sys
import surveys.estimation, surveys.learn.learners, surveys.privacy
offered = [getattr(package, name) for package in (surveys.estimation, surveys.learn.learners, surveys.privacy)
           for name in dir(package)]
warner = surveys.privacy.named("warner", 2, {"p": [3, 4]})
estimate = surveys.estimation.estimate_prevalence([40, 60], warner)
print(estimate.point[1], len(offered), "django" in sys.modules)
"""


def _pythons() -> list[str]:
    """Return a Python of each version that is found where pyenv keeps them, and the one that runs this."""
    kept = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    found = [sorted(kept.glob(f"{version}.*/bin/python"))[-1:] for version in VERSIONS]
    return [sys.executable, *(str(path) for paths in found for path in paths)]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("wheel")
    _run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(directory), cwd=ROOT)
    (built,) = directory.glob("*.whl")
    return built


def _run(*command: str, cwd: Path, fails: bool = False) -> str:
    """Run a command in a folder, and return what it writes."""
    done = subprocess.run(command, cwd=cwd, env=_environment(), capture_output=True, text=True, check=False)
    assert bool(done.returncode) is fails, done.stdout + done.stderr
    return done.stdout + done.stderr


def _environment() -> dict[str, str]:
    kept = {name: value for name, value in bare_environment().items() if name not in {"PYTHONPATH", "VIRTUAL_ENV"}}
    # Beside other tests a page of the lab takes long, and the next one would have to wait.
    return kept | {"DENIABLE_LAB_SECONDS": "10000"}


def _install(wheel: Path, directory: Path) -> Path:
    """Install the wheel alone into an environment of its own, and return the directory of its commands."""
    _run(str(BIN / "uv"), "venv", "--quiet", "--python", sys.executable, str(directory), cwd=directory.parent)
    python = str(directory / "bin" / "python")
    _run(
        str(BIN / "uv"), "pip", "install", "--quiet", "--offline", "--no-deps", "--python", python, str(wheel), cwd=ROOT
    )
    return directory / "bin"


@contextmanager
def _demo(commands: Path, folder: Path) -> Iterator[tuple[int, str]]:
    """Run `deniable demo` in a folder; yield its port and what it has written once it answers."""
    port, log = free_port(), folder.with_suffix(".log")
    folder.mkdir()
    with log.open("wb") as out:
        process = subprocess.Popen(
            [str(commands / "deniable"), "demo", "--port", str(port)],
            cwd=folder, env=_environment(), stdout=out, stderr=out,
        )  # fmt: skip
    try:
        until = time.monotonic() + STARTS_WITHIN
        while process.poll() is None and time.monotonic() < until and not _answers(port):
            time.sleep(0.2)
        assert process.poll() is None, log.read_text()
        yield port, log.read_text()
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)


def _answers(port: int) -> bool:
    try:
        return _page(port, "/readyz")[0] == 200
    except OSError:
        return False


def _page(port: int, path: str, **headers: str) -> tuple[int, str]:
    with closing(HTTPConnection(HOST, port, timeout=60)) as connection:
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()


def _look_at_pages(commands: Path, folder: Path) -> None:
    with _demo(commands, folder) as (port, written):
        release = re.search(r"/r/(\w+)/", written)
        assert release is not None
        addresses = (
            "/", "/s/EXAMS/", "/s/EVERY/", "/check/", "/learn/", "/learn/coin/", "/learn/coin.json",
            f"/r/{release[1]}/", f"/r/{release[1]}.json", "/sign-in/", "/readyz",
        )  # fmt: skip
        pages = {path: _page(port, path) for path in addresses}
        assert {status for status, _text in pages.values()} <= {200, 203}
        (style,) = set(re.findall(r'href="(/static/css/deniable\.[0-9a-f]{12}\.css)"', pages["/"][1]))
        assert _page(port, style)[0] == 200
        assert json.loads(pages[f"/r/{release[1]}.json"][1])["mechanism"]
        assert '<html lang="de"' in _page(port, "/", **{"Accept-Language": "de"})[1]
    assert [path.name for path in folder.iterdir()] == ["deniable"]
    made = folder / "deniable"
    assert {path.name for path in made.iterdir()} >= {"deniable.sqlite3", "secret_key", "record.json", "staticfiles"}
    assert made.stat().st_mode & 0o777 == 0o700


@pytest.mark.uncounted
def test_it_serves_everything_from_an_empty_folder(wheel: Path, tmp_path: Path) -> None:
    commands = _install(wheel, tmp_path / "environment")
    # What it needs is taken from here: `test_each_python_installs_and_serves_it` fetches it.
    (there,) = (tmp_path / "environment" / "lib").glob("python*/site-packages")
    (there / "here.pth").write_text(str(SITE_PACKAGES))
    _look_at_pages(commands, tmp_path / "empty")
    assert "deniable migrate" in _run(str(commands / "deniable"), "show", "EXAMS", cwd=tmp_path, fails=True)


@pytest.mark.uncounted
def test_the_mathematics_is_usable_without_django(wheel: Path, tmp_path: Path) -> None:
    commands = _install(wheel, tmp_path / "environment")
    (there,) = (tmp_path / "environment" / "lib").glob("python*/site-packages")
    for name in ("numpy", "numpy.libs", "scipy", "scipy.libs"):
        (there / name).symlink_to(SITE_PACKAGES / name)
    share, offered, has_django = _run(str(commands / "python"), "-c", _MATHEMATICS, cwd=tmp_path).split()
    # (0.6 + 0.75 - 1) / (2 · 0.75 - 1)
    assert (float(share), has_django) == (pytest.approx(0.7), "False")
    assert int(offered) == sum(len(api_page.public(package)) for package in api_page.PACKAGES)
    assert "deniable[server]" in _run(str(commands / "deniable"), "demo", cwd=tmp_path, fails=True)


@pytest.mark.slow
@pytest.mark.parametrize("python", _pythons())
def test_each_python_installs_and_serves_it(wheel: Path, tmp_path: Path, python: str) -> None:
    """From the package index, with nothing of this environment."""
    environment, uv = tmp_path / "environment", str(BIN / "uv")
    _run(uv, "venv", "--quiet", "--python", python, str(environment), cwd=tmp_path)
    given = f"{wheel}[server]"
    _run(uv, "pip", "install", "--quiet", "--python", str(environment / "bin" / "python"), given, cwd=tmp_path)
    _look_at_pages(environment / "bin", tmp_path / "empty")
