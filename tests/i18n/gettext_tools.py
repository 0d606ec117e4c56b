"""Finds the GNU gettext programs; `python -m tests.i18n.gettext_tools --install` gets them if need be.

Only who changes or checks the catalogs needs them: the compiled catalogs are kept beside their sources.
"""

import os
import shutil
import subprocess
import sys

NAMES = ("xgettext", "msgmerge", "msgattrib", "msguniq", "msgfmt")
HOW_TO_INSTALL = "install them with `apt-get install gettext` or `brew install gettext`"


def missing() -> list[str]:
    """Return the programs that are not there."""
    return [name for name in NAMES if shutil.which(name) is None]


def _install() -> None:
    root = () if os.geteuid() == 0 else ("sudo", "-n")
    if all(map(shutil.which, ("apt-get", *root[:1]))):
        _run(*root, "apt-get", "update", "-qq")
        _run(*root, "apt-get", "install", "-y", "-qq", "--no-install-recommends", "gettext")


def _run(*command: str) -> None:
    # That one failed shows in what is found afterwards.
    subprocess.run(command, stdout=sys.stderr, check=False)


def main() -> int:
    """Say what is missing; with --install, get it first."""
    if missing() and "--install" in sys.argv[1:]:
        _install()
    if absent := missing():
        sys.stderr.write(f"GNU gettext is not complete, {', '.join(absent)} not found: {HOW_TO_INSTALL}.\n")
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
