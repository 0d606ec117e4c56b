"""`backup` and `restore` as they are typed: what they say, and what they ask."""

import re
import stat
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from django.core.management import CommandError
from pytest_django import Settings

from surveys.common.totals import response_count
from surveys.course.services import close_survey, purge_survey
from surveys.models import Response
from surveys.upkeep.services import files
from tests.factories import fill, make_open, send
from tests.releases.setting import published_release, ready_survey
from tests.upkeep.backups import PASSPHRASE, run_command

pytestmark = pytest.mark.usefixtures("transactional_db")


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Return what lets somebody type one line after the other."""

    def type_them(*lines: str) -> None:
        waiting = list(lines)
        monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
        monkeypatch.setattr("getpass.getpass", lambda _prompt: waiting.pop(0))
        monkeypatch.setattr("builtins.input", lambda _prompt: waiting.pop(0))

    return type_them


def _backup(directory: Path, *words: object) -> tuple[Path, str]:
    output = run_command("backup", "--to", directory, *(words or ("--without-keys",)))
    return max(directory.glob(files.PATTERN)), output


def test_a_backup_says_what_is_in_it(tmp_path: Path) -> None:
    survey = make_open()
    fill(survey, {"1": 7})
    send(survey, "1")
    path, output = _backup(tmp_path)
    contents, waiting, _proof = output.splitlines()
    assert contents.startswith(f"{path}: {path.stat().st_size:,} bytes, 1 survey, 8 answers")
    assert "not folded yet: 1." in waiting
    assert stat.S_IMODE(tmp_path.joinpath(path).stat().st_mode) == 0o600


def test_a_later_backup_names_the_earlier_that_hold_what_was_purged(tmp_path: Path) -> None:
    survey = close_survey(survey=make_open())
    earlier = _backup(tmp_path)[0].rename(tmp_path / "deniable-20200101T000000Z.backup")
    purge_survey(survey=survey)
    assert re.search(rf"{earlier} .* {survey.code} \(purged\)", _backup(tmp_path)[1])


@pytest.mark.parametrize("command", ["purge", "seal"])
def test_what_destroys_names_the_backups_that_keep_it(tmp_path: Path, settings: Settings, command: str) -> None:
    settings.BACKUP_DIR = tmp_path
    survey, other = close_survey(survey=make_open()), close_survey(survey=make_open())
    path, _output = _backup(tmp_path)
    sure = ("--yes-purge", survey.code) if command == "purge" else ("--yes",)
    assert path.name in run_command(command, survey.code, *sure)
    path.unlink()
    assert files.PATTERN.partition("*")[0] not in run_command(
        command, other.code, *(("--yes-purge", other.code) if sure[1:] else sure)
    )


def test_a_restore_over_answers_wants_their_number_typed(tmp_path: Path, typed: Callable[..., None]) -> None:
    survey = make_open()
    fill(survey, {"1": 7})
    path, _output = _backup(tmp_path)
    send(survey, "1")
    for wrong in ("", "yes", "7"):
        typed(wrong)
        with pytest.raises(CommandError, match="nothing was restored"):
            run_command("restore", path, "--without-keys")
        assert response_count(survey) == 8
    typed("8")
    assert "Nothing proves" in run_command("restore", path, "--without-keys")
    assert not Response.objects.exists()
    # What nobody answered needs no typing.
    run_command("restore", path, "--without-keys", "--replace-answers", "7")


def test_where_nobody_is_there_to_type_the_restore_says_what_to_give(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(make_open(), {"1": 7})
    path, _output = _backup(tmp_path)

    def gone(_prompt: str) -> str:
        raise EOFError

    monkeypatch.setattr("builtins.input", gone)
    with pytest.raises(CommandError, match="use --replace-answers 7"):
        run_command("restore", path, "--without-keys")


def test_a_restore_says_what_it_would_undo_and_what_goes_on(tmp_path: Path) -> None:
    survey, purged, closed = ready_survey(), make_open(), make_open()
    path, _output = _backup(tmp_path)
    published_release(survey)
    purge_survey(survey=close_survey(survey=purged))
    close_survey(survey=closed)
    gone = make_open()
    lines = run_command("restore", path, "--without-keys", "--replace-answers", "100").splitlines()
    # Each is named in a line of its own: gone, open again, destroyed again.
    places = [[place for place, line in enumerate(lines) if one.code in line] for one in (gone, closed, purged)]
    assert places == [[2], [3], [4]]
    (ledger,) = [line for line in lines if survey.code in line]
    assert re.findall(r"\d+ (?:line|release)s?", ledger) == ["2 lines", "1 release"]


def test_a_passphrase_is_typed_twice_and_is_long_or_comes_from_a_file(
    tmp_path: Path, typed: Callable[..., None]
) -> None:
    file = tmp_path / "passphrase"
    file.write_text(f"{PASSPHRASE}\nnot this line\n")
    path, output = _backup(tmp_path / "one", "--passphrase-file", file)
    typed(PASSPHRASE)
    assert "Nothing proves" not in output + run_command("restore", path)
    typed("another one, as long")
    with pytest.raises(CommandError, match="not the passphrase"):
        run_command("restore", path)
    typed(PASSPHRASE, PASSPHRASE)
    _backup(tmp_path / "two", "--retain", "1")
    for lines, reason in (((PASSPHRASE, "other"), "two passphrases"), (("short", "short"), " 12 ")):
        typed(*lines)
        with pytest.raises(CommandError, match=reason):
            _backup(tmp_path / "three", "--retain", "1")
    with pytest.raises(CommandError, match="No such file"):
        _backup(tmp_path, "--passphrase-file", tmp_path / "nowhere")


def test_without_anybody_to_type_it_the_choice_has_to_be_made(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="--passphrase-file"):
        _backup(tmp_path, "--retain", "1")
    with pytest.raises(CommandError, match="at least 1, got 0"):
        _backup(tmp_path, "--without-keys", "--retain", "0")
    assert list(tmp_path.iterdir()) == []


def test_a_directory_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(CommandError, match=str(tmp_path / "file")):
        _backup(tmp_path / "file")
