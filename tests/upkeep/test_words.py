"""The sentences of `backup` and `restore` that warn of a loss or of what cannot be proved, each held here only."""

from collections.abc import Callable
from pathlib import Path

import pytest
from pytest_django import Settings

from surveys.common import record
from surveys.course.services import close_survey, purge_survey
from tests.factories import make_open
from tests.releases.setting import make_release, published_release, ready_survey
from tests.upkeep.backups import back_up_to, run_command

pytestmark = pytest.mark.usefixtures("transactional_db")


@pytest.fixture(autouse=True)
def _own_record(tmp_path: Path, settings: Settings) -> None:
    settings.RECORD = tmp_path / "data" / "record.json"


def _run(*words: object) -> str:
    return run_command(*words, "--without-keys")


def _backup(directory: Path) -> str:
    close_survey(survey=make_open())
    return _run("backup", "--to", directory)


def _restore(directory: Path) -> str:
    survey, purged, closed = ready_survey(), make_open(), make_open()
    path = back_up_to(directory).path
    published_release(survey)
    purge_survey(survey=close_survey(survey=purged))
    close_survey(survey=closed)
    make_open()
    return _run("restore", path, "--replace-answers", 100)


def _restore_without_the_record(directory: Path) -> str:
    ready_survey()
    path = back_up_to(directory).path
    record.path().unlink(missing_ok=True)
    return _run("restore", path, "--replace-answers", 100)


def _restore_that_loses_a_charge(directory: Path) -> str:
    empty, survey = back_up_to(directory / "empty").path, ready_survey()
    before = back_up_to(directory / "before").path
    make_release(survey)
    _run("restore", empty, "--replace-answers", 100, "--lose-charges", survey.code)
    return _run("restore", before, "--replace-answers", 0, "--lose-charges", survey.code)


@pytest.mark.parametrize(
    ("command", "sentences"),
    [
        (
            _backup,
            [
                "delete it after a purge.",
                "Nothing proves later that nobody changed it: keep it like a program.",
            ],
        ),
        (
            _restore,
            [
                "Nothing proves that nobody changed this file: it is as trustworthy as a program from where it was.",
                "Not in the backup as they are now, and gone afterwards: ",
                "Closed since, and taking answers again afterwards: ",
                "Sealed or purged since, and so again before anybody can read them: ",
                "Restart the server: it remembers what it has counted.",
            ],
        ),
        (
            _restore_without_the_record,
            [
                "only what the database still knew is kept. Compare the published releases with the ledgers before you"
                " release anything, and purge again what you know of.",
            ],
        ),
        (_restore_that_loses_a_charge, ["nothing more is ever released from it."]),
    ],
)
def test_a_command_warns(command: Callable[[Path], str], sentences: list[str], tmp_path: Path) -> None:
    output = command(tmp_path)
    assert [sentence for sentence in sentences if sentence not in output] == []
