"""Keeps a database of a version: every later one has to upgrade it.

`python -m tests.upkeep.released` lets the code as it stands make one, and writes SQLite's file and PostgreSQL's dump to
`released/`. Run it when a version is released, and before that whenever its migrations change; afterwards never again.
"""

import gzip
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path

from django.db import connection

from surveys import __version__
from tests.postgresql import postgresql
from tests.programs import POSTGRESQL
from tests.server import ROOT, environment

_FOLDER = Path(__file__).parent / "released"
VERSIONS = sorted(path.stem for path in _FOLDER.glob("*.sql"))
_MAKE = """
import django; django.setup()
from django.core.management import call_command; call_command("migrate", verbosity=0)
from tests.upkeep.released import fill; fill()
"""
# What other versions of PostgreSQL do not know, or is a command to psql, or changes the session.
_LEFT_OUT = ("--", "SET ", "\\", "SELECT pg_catalog.set_config")


def fill() -> None:
    """Let a survey have answers, of which one is not folded, and a release."""
    from tests.factories import make_admin, send
    from tests.releases.setting import published_release, ready_survey

    survey = ready_survey({"0": 61, "1": 39}, code="KEPT")
    published_release(survey, user=make_admin("releaser"))
    send(survey, "1")


def load(version: str) -> None:
    """Let the database be the one that this version made."""
    if connection.vendor == "sqlite":
        with closing(sqlite3.connect(":memory:")) as kept:
            kept.deserialize(gzip.decompress((_FOLDER / f"{version}.sqlite3.gz").read_bytes()))
            connection.ensure_connection()
            kept.backup(connection.connection)
        return
    with connection.cursor() as cursor:
        cursor.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
        cursor.execute((_FOLDER / f"{version}.sql").read_text(encoding="utf-8"))


def _main() -> None:
    _FOLDER.mkdir(exist_ok=True)
    programs = POSTGRESQL.find()
    if programs is None:
        raise SystemExit(POSTGRESQL.how_to_install)
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        _make(directory)
        with closing(sqlite3.connect(directory / "deniable.sqlite3")) as made:
            made.execute("VACUUM INTO ?", [str(directory / "kept")])
        kept = gzip.compress((directory / "kept").read_bytes(), mtime=0)
        (_FOLDER / f"{__version__}.sqlite3.gz").write_bytes(kept)
    with tempfile.TemporaryDirectory() as name, postgresql(programs) as url:
        _make(Path(name), DATABASE_URL=url)
        command = [Path(programs, "pg_dump"), "--inserts", "--no-owner", "--no-privileges", url]
        dump = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
        kept_lines = [line for line in dump.splitlines() if line and not line.startswith(_LEFT_OUT)]
        (_FOLDER / f"{__version__}.sql").write_text("\n".join([*kept_lines, ""]), encoding="utf-8")


def _make(directory: Path, **variables: str) -> None:
    settings = {"DJANGO_SETTINGS_MODULE": "surveys.settings"} | variables
    subprocess.run([sys.executable, "-c", _MAKE], cwd=ROOT, env=environment(directory) | settings, check=True)


if __name__ == "__main__":
    _main()
