"""Finds a Chromium, or installs one: `python -m tests.browser.chromium --install` prints its path."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
ONE_LINE = "apt-get install chromium    (or set CHROMIUM to the path of a Chromium or Chrome)"
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def find() -> str | None:
    """Return the path of a browser: CHROMIUM, one on the PATH, or playwright's own."""
    if given := os.environ.get("CHROMIUM"):
        return given if Path(given).exists() else None
    for name in NAMES:
        if path := shutil.which(name):
            return path
    return _of_playwright()


def install() -> str | None:
    """Install a browser, playwright's own or the system's, and return its path."""
    _run(sys.executable, "-m", "playwright", "install", "chromium")
    if path := find():
        return path
    root = [] if os.geteuid() == 0 else ["sudo", "-n"]
    if shutil.which("apt-get") and (not root or shutil.which("sudo")):
        _run(*root, "apt-get", "update")
        _run(*root, "apt-get", "install", "--yes", "chromium")
    return find()


def _of_playwright() -> str | None:
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return None
    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if Path(path).exists() else None


def _run(*command: str) -> None:
    # What the installers say goes to the screen; standard output is for the path alone. A failure shows in `find`.
    subprocess.run(command, check=False, stdout=sys.stderr, timeout=900)


if __name__ == "__main__":
    path = find() or (install() if "--install" in sys.argv else None)
    if path is None:
        sys.exit(f"There is no Chromium to test in. Install one with:\n    {ONE_LINE}")
    sys.stdout.write(path)
