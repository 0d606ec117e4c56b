"""What a purge leaves in PostgreSQL's write-ahead log, and what takes it from there, as command, pages and manual say.

Run by `make test-postgresql`, by an account that can read the server's files.
"""

import io
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import connection

from surveys.course.services import close_survey
from surveys.models import Survey
from surveys.upkeep.selectors import diagnosis
from surveys.upkeep.selectors.diagnosis import Grade
from tests.factories import make_open, send, yes_no
from tests.responses.obstacles import files

pytestmark = pytest.mark.usefixtures("transactional_db")

_SENT = {f"{number * 739_391 + 40_000_003:028b}".encode() for number in range(297)}


def _execute(statement: str) -> object:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchone()[0] if cursor.description else None


def _found_in(paths: list[Path]) -> int:
    return len(_SENT & {found for path in paths for found in re.findall(rb"[01]{28}", path.read_bytes())})


def _log() -> list[Path]:
    directory = Path(str(_execute("SHOW data_directory")), "pg_wal")
    return [path for path in directory.iterdir() if path.is_file()]


def _hasten() -> None:
    """Do what docs/deployment/ending-surveys.md says: one round, and then as many as there are segments."""
    _begin_another_segment()
    for _round in range(int(str(_execute("SELECT count(*) FROM pg_ls_waldir()")))):
        _begin_another_segment()


def _begin_another_segment() -> None:
    _execute("SELECT pg_switch_wal()")
    _execute("CHECKPOINT")


def _set(*, recycle: str) -> None:
    # Alone: none of these stands in a transaction.
    _execute(f"ALTER SYSTEM SET wal_recycle = {recycle}")
    _execute("SELECT pg_reload_conf()")


@pytest.fixture
def _as_it_was(transactional_db: None) -> Iterator[None]:
    yield
    _set(recycle="DEFAULT")


def _purged() -> str:
    """Purge a survey by the command, and return what it says."""
    survey = make_open(*(yes_no(f"Question {number}?") for number in range(28)))
    for number, reports in enumerate(sorted(_SENT)):
        if number % 99 == 0:
            # So that reports stand in several segments, and deep in them: their beginnings are written over first.
            _execute("SELECT length(pg_logical_emit_message(false, 'filler', repeat('x', 12000000))::text)")
        send(survey, reports.decode())
    assert _found_in(files()) == len(_SENT)
    close_survey(survey=survey)
    said = io.StringIO()
    call_command("purge", survey.code, "--yes-purge", survey.code, stdout=said)
    assert not Survey.objects.filter(erasures__isnull=False).exists()
    return said.getvalue()


@pytest.mark.usefixtures("_as_it_was")
@pytest.mark.parametrize("recycle", ["on", "off"])
def test_the_tables_files_forget_at_once_and_the_log_after_what_the_manual_says(recycle: str) -> None:
    """As PostgreSQL is set by default, segments wait to be reused with all that they hold."""
    assert _execute("SELECT boot_val FROM pg_settings WHERE name = 'wal_recycle'") == "on"
    _set(recycle=recycle)
    said = _purged()
    assert "write-ahead log" in said
    assert (_found_in(files()), _found_in(_log())) == (0, len(_SENT))
    # Slots and open snapshots of other tests may keep segments for a while.
    for _time in range(100):
        _hasten()
        if not (left := _found_in(_log())):
            break
    assert left == 0


@pytest.mark.usefixtures("_as_it_was")
def test_the_doctor_warns_of_segments_that_wait_to_be_reused() -> None:
    for recycle, found in (("on", Grade.LOOK), ("off", Grade.SOUND)):
        _set(recycle=recycle)
        while _execute("SHOW wal_recycle") != recycle:
            connection.close()
        assert [grade for grade, _words in diagnosis._log_of_writes()] == [found]


@pytest.mark.django_db
def test_the_doctor_refuses_a_server_that_may_lose_what_was_acknowledged() -> None:
    """Ours is such a server, as tests are in a hurry."""
    assert [grade for grade, _words in diagnosis._durability()] == [Grade.WRONG] * 3
    _execute("SET synchronous_commit = on")
    assert [words.partition(" ")[0] for _grade, words in diagnosis._durability()] == ["fsync", "full_page_writes"]
    connection.close()
