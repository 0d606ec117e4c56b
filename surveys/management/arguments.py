"""What several commands take: the code of a survey, and the passphrase of a backup."""

import getpass
import sys
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from surveys.models import Survey

SHORTEST = 12


def survey_called(code: str) -> Survey:
    """Return the survey with this join code; raises CommandError."""
    try:
        return Survey.objects.get(code=code.upper(), rehearsal_of=None)
    except Survey.DoesNotExist:
        raise CommandError(f"There is no survey with the code {code}.") from None


def add_passphrase_arguments(parser: CommandParser, *, without: str) -> None:
    """Let it come from a file, or be omitted by choice; on the command line others of the machine would see it."""
    parser.add_argument("--passphrase-file", type=Path, metavar="FILE", help="a file whose first line it is")
    parser.add_argument("--without-keys", action="store_true", help=without)


def passphrase_of(options: dict[str, Any], *, is_new: bool) -> str:
    """Return the passphrase, or "" where keys are omitted; a new one is typed twice. Raises CommandError."""
    if options["without_keys"]:
        return ""
    if options["passphrase_file"] is not None:
        passphrase = _first_line(options["passphrase_file"])
    elif not sys.stdin.isatty():
        raise CommandError("Nobody is here to type a passphrase: use --passphrase-file, or --without-keys.")
    else:
        passphrase = getpass.getpass("Passphrase: ")
        if is_new and getpass.getpass("Once more: ") != passphrase:
            raise CommandError("These are two passphrases.")
    if is_new and len(passphrase) < SHORTEST:
        raise CommandError(f"A passphrase has at least {SHORTEST} characters.")
    return passphrase


def _first_line(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").partition("\n")[0].rstrip("\r")
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"--passphrase-file {path}: {getattr(error, 'strerror', None) or error}") from None
