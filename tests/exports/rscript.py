"""Finds Rscript, which runs the exported R programs; `python -m tests.exports.rscript --install` gets it if need be.

Only who checks the exports needs it: the program that makes them does not.
"""

import os
import shutil
import subprocess
import sys

HOW_TO_INSTALL = "install R with `apt-get install --no-install-recommends r-base-core` or `brew install r`"


def find_rscript() -> str | None:
    """Return the path of Rscript."""
    return shutil.which("Rscript")


def _install() -> None:
    root = () if os.geteuid() == 0 else ("sudo", "-n")
    if all(map(shutil.which, ("apt-get", *root[:1]))):
        _run(*root, "apt-get", "update", "-qq")
        _run(*root, "apt-get", "install", "-y", "-qq", "--no-install-recommends", "r-base-core")


def _run(*command: str) -> None:
    # That one failed shows in what is found afterwards.
    subprocess.run(command, stdout=sys.stderr, check=False)


def main() -> int:
    """Say whether it is missing; with --install, get it first."""
    if find_rscript() is None and "--install" in sys.argv[1:]:
        _install()
    if find_rscript() is None:
        sys.stderr.write(f"No Rscript was found: {HOW_TO_INSTALL}.\n")
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
