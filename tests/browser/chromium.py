"""Finds the Chromium that the browser tests drive; `python -m tests.browser.chromium --install` gets one if need be."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
HOW_TO_INSTALL = (
    "install one with `apt-get install chromium` or `python -m playwright install chromium`, or set CHROMIUM"
)


def find_chromium() -> str | None:
    """Return the path of CHROMIUM, else of an installed browser, else of playwright's own."""
    if named := os.environ.get("CHROMIUM"):
        return shutil.which(named)
    installed = next((path for path in map(shutil.which, NAMES) if path), None)
    return installed or _from_playwright()


def _from_playwright() -> str | None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if Path(path).exists() else None


def _install() -> None:
    """Try playwright's own browser; where it cannot be had or lacks its libraries, the distribution's."""
    _run(sys.executable, "-m", "playwright", "install", "chromium")
    found = find_chromium()
    if found and subprocess.run((found, "--version"), stdout=sys.stderr, check=False).returncode == 0:
        return
    root = () if os.geteuid() == 0 else ("sudo", "-n")
    if all(map(shutil.which, ("apt-get", *root[:1]))):
        _run(*root, "apt-get", "update", "-qq")
        _run(*root, "apt-get", "install", "-y", "-qq", "--no-install-recommends", "chromium")


def _run(*command: str) -> None:
    # What installers say goes to the screen, standard output is the path's; that one failed shows in what is found.
    subprocess.run(command, stdout=sys.stderr, check=False)


def main() -> int:
    """Print the browser's path; with --install, get one first where there is none."""
    if find_chromium() is None and "--install" in sys.argv[1:]:
        _install()
    found = find_chromium()
    if found is None:
        sys.stderr.write(f"No Chromium was found: {HOW_TO_INSTALL}.\n")
        return 1
    sys.stdout.write(f"{found}\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
