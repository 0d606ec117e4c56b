"""Brings the catalogs up to date with the texts: `make messages`. What is left to do is to translate."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.i18n.catalogs import LOCALES, RESPONDENTS, message, messages, source
from tests.i18n.respondents import is_respondents

ROOT = Path(__file__).resolve().parent.parent.parent
_EXTRACTED = ("surveys", "templates", "locale")
# File names without lines, and no date: a catalog changes when a text changes, not when it moves.
_OPTIONS = ("--no-wrap", "--add-location", "file", "--no-obsolete")
_DATE = re.compile(r'"POT-Creation-Date: .*\\n"\n')


# What a changed text was called before is of use to who translates it, and takes most of the time.
_WITHOUT_GUESSES = """
from django.core.management import execute_from_command_line
from django.core.management.commands.makemessages import Command
Command.msgmerge_options = [*Command.msgmerge_options, "--no-fuzzy-matching"]
execute_from_command_line()
"""


def extract(directory: Path, *, guesses: bool = False) -> None:
    """Copy sources and catalogs into `directory` and bring the catalogs there up to date.

    With `guesses` a new text gets the translation of one that is much like it, marked as fuzzy.
    """
    for name in _EXTRACTED:
        shutil.copytree(ROOT / name, directory / name, ignore=shutil.ignore_patterns("__pycache__", "migrations"))
    # Without settings: they would name the real catalogs.
    environment = {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}
    locales = [word for locale in LOCALES for word in ("--locale", locale)]
    program = ("-m", "django") if guesses else ("-c", _WITHOUT_GUESSES)
    subprocess.run(
        [sys.executable, *program, "makemessages", *locales, *_OPTIONS, "--verbosity", "0"],
        cwd=directory,
        env=environment,
        check=True,
    )
    for locale in LOCALES:
        path = source(directory, locale)
        path.write_text(_DATE.sub("", path.read_text(encoding="utf-8")), encoding="utf-8")
        if locale in RESPONDENTS:
            _keep_respondents(path)


def _keep_respondents(path: Path) -> None:
    """Drop what only instructors read."""
    header, *entries = path.read_text(encoding="utf-8").rstrip().split("\n\n")
    kept = [entry for entry in entries if (entry_message := message(entry)) and is_respondents(entry_message)]
    path.write_text("\n\n".join([header, *kept]) + "\n", encoding="utf-8")


def compile_catalog(path: Path, target: Path) -> None:
    """Compile a catalog; a translation whose placeholders do not fit is an error."""
    subprocess.run(["msgfmt", "--check-format", "--check-domain", "--output-file", str(target), str(path)], check=True)


def main() -> int:
    """Update and compile every catalog, and say how much of it is translated."""
    with tempfile.TemporaryDirectory() as directory:
        extract(Path(directory), guesses=True)
        for locale in LOCALES:
            shutil.copyfile(source(Path(directory), locale), source(ROOT, locale))
    for locale in LOCALES:
        path = source(ROOT, locale)
        compile_catalog(path, path.with_suffix(".mo"))
        entries = messages(path)
        missing = sum(entry.missing for entry in entries)
        sys.stdout.write(f"{locale}: {len(entries)} messages, {missing} to translate\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
