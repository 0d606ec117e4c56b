"""No restore gives a budget back, whichever and how many: charges stand in a record beside the database too."""

import datetime as dt
import os
import re
from fractions import Fraction
from pathlib import Path
from uuid import uuid4

import pytest
from django.core.management import CommandError
from django.utils import timezone
from pytest_django import Settings

from surveys.common import record
from surveys.common.totals import response_count
from surveys.course.services import close_survey, promise_purge, purge_survey
from surveys.models import Budget, Release, State, Survey
from surveys.releases.ledger import services
from surveys.releases.ledger.services import set_budget, set_rho
from surveys.releases.refusals import Why
from surveys.upkeep.selectors import diagnosis
from surveys.upkeep.selectors.diagnosis import Grade
from surveys.upkeep.services import restoring
from surveys.upkeep.services.databases import replacing
from surveys.upkeep.services.files import BackupRefused, unpacked
from surveys.upkeep.services.restoring import Restored, restore
from tests.factories import make_admin, make_open
from tests.releases.refused import refusing
from tests.releases.setting import HALF, check, first, make_release, ready_survey, spent
from tests.upkeep.backups import agree, back_up_to, contents, restore_from, run_command, tables

# These run on the database in use: a SQLite file, or PostgreSQL where DATABASE_URL says so.
pytestmark = pytest.mark.usefixtures("transactional_db")


_CHARGED = ("surveys_budget", "surveys_ledgerentry", "surveys_release", "surveys_releasepart")


@pytest.fixture(autouse=True)
def _own_record(tmp_path: Path, settings: Settings) -> None:
    settings.RECORD = tmp_path / "data" / "record.json"


def _lose(path: Path, *codes: str) -> Restored:
    return restore(path, passphrase="", confirm=agree, losing=codes)


def _refused(survey: Survey) -> None:
    before = contents(_CHARGED)
    with refusing(Why.CHARGES_MISSING):
        check(survey=survey, questions=[first(survey)], mechanism="laplace_histogram", epsilon=Fraction(1, 1000))
    with refusing(Why.CHARGES_MISSING, match=r" 1 .*\(ε = 1\.5\)"):
        make_release(survey, epsilon=Fraction(1, 1000))
    assert contents(_CHARGED) == before


def _spent_after_a_backup(tmp_path: Path) -> tuple[Survey, Path, Path]:
    """Return a survey with all of its budget spent, and backups from before it and from before the last charge."""
    empty = back_up_to(tmp_path / "empty")
    survey = ready_survey(epsilon=2)
    make_release(survey)
    before = back_up_to(tmp_path / "before")
    make_release(survey, epsilon=Fraction(3, 2))
    return survey, empty.path, before.path


def test_two_restores_give_no_budget_back(tmp_path: Path) -> None:
    survey, empty, before = _spent_after_a_backup(tmp_path)
    held = contents(tables())
    with pytest.raises(BackupRefused, match=f"lacks charges to {survey.code}.*--lose-charges {survey.code}.*Nothing"):
        restore_from(empty)
    assert contents(tables()) == held
    gone = _lose(empty, survey.code)
    assert not Survey.objects.exists()
    assert {code: sorted(charges) for code, charges in gone.promises.lost.items()} == {
        survey.code: [500_000, 1_500_000]
    }
    with pytest.raises(BackupRefused, match=f"lacks charges to {survey.code}"):
        restore_from(before)
    back = _lose(before, survey.code)
    assert {code: sorted(charges) for code, charges in back.promises.lost.items()} == {survey.code: [1_500_000]}
    survey = Survey.objects.get()
    assert (spent(survey), response_count(survey)) == (500_000, 100)
    _refused(survey)
    # Nor does a larger total, another restore or a new process give anything back.
    set_budget(survey=survey, total_epsilon=Fraction(9), reason="More of it.", user=make_admin())
    _refused(survey)
    again = back_up_to(tmp_path / "again")
    with pytest.raises(BackupRefused, match="lacks charges"):
        restore_from(again.path)
    _lose(again.path, survey.code)
    _refused(survey)


def test_a_backup_that_has_the_charges_makes_it_whole_again(tmp_path: Path) -> None:
    survey, empty, before = _spent_after_a_backup(tmp_path)
    after = back_up_to(tmp_path / "after")
    _lose(empty, survey.code)
    _lose(before, survey.code)
    restored = restore_from(after.path)
    assert restored.promises.lost == {}
    survey = Survey.objects.get()
    assert spent(survey) == 2_000_000
    with refusing(Why.BUDGET_TOO_SMALL):
        make_release(survey)
    set_budget(survey=survey, total_epsilon=Fraction(3), reason="More of it.", user=make_admin())
    make_release(survey)


def test_a_restore_that_did_not_read_the_record_would_be_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted faults: a restore that asks nothing is caught by the release, and only both together spend twice."""
    _survey, empty, before = _spent_after_a_backup(tmp_path)
    monkeypatch.setattr(restoring, "charges_lost", lambda *_: {})
    restore_from(empty)
    restore_from(before)
    _refused(Survey.objects.get())
    monkeypatch.setattr(services, "_read_record", dict)
    assert make_release(Survey.objects.get(), epsilon=Fraction(3, 2)).micro_epsilon == 1_500_000


def test_as_it_is_typed_the_loss_is_named(tmp_path: Path) -> None:
    survey, empty, before = _spent_after_a_backup(tmp_path)
    typed = ("--without-keys", "--replace-answers")
    with pytest.raises(CommandError, match=f"--lose-charges {survey.code}"):
        run_command("restore", empty, *typed, 100)
    run_command("restore", empty, *typed, 100, "--lose-charges", survey.code.lower())
    output = run_command("restore", before, *typed, 0, "--lose-charges", f"ZZZZZZ, {survey.code}")
    assert re.search(rf"{survey.code} .* 1 .*\(ε = 1\.5\)", output)
    terms = ("--question", 1, "--mechanism", "laplace_histogram", "--epsilon", "0.1", "--reason", "Again.", "--yes")
    with pytest.raises(CommandError, match=r" 1 .*\(ε = 1\.5\)"):
        run_command("release", survey.code, *terms, "--user", make_admin().username)
    assert spent(Survey.objects.get()) == 500_000


def test_a_database_that_is_no_backup_of_ours_is_read_before_it_is_replaced(tmp_path: Path) -> None:
    """What a server charged whose record stands elsewhere, or was lost, is taken from its database."""
    survey, empty, before = _spent_after_a_backup(tmp_path)
    record.path().unlink()
    with pytest.raises(BackupRefused, match="lacks charges"):
        restore_from(empty)
    assert sorted(record.read()[record.key_of(survey)].charged.values()) == [500_000, 1_500_000]
    _lose(empty, survey.code)
    with pytest.raises(BackupRefused, match="lacks charges"):
        restore_from(before)


def test_a_database_that_is_gone_does_not_hide_what_was_charged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    survey, _empty, before = _spent_after_a_backup(tmp_path)
    monkeypatch.setattr(restoring, "has_tables", lambda: False)
    with pytest.raises(BackupRefused, match=f"lacks charges to {survey.code}"):
        restore_from(before)


def test_where_the_record_is_lost_with_the_database_the_restore_names_it(tmp_path: Path) -> None:
    survey, empty, before = _spent_after_a_backup(tmp_path)
    assert _lose(empty, survey.code).was_recorded
    record.path().unlink()
    assert str(record.path()) in run_command("restore", before, "--without-keys", "--replace-answers", 0)
    assert Survey.objects.get().state == State.OPEN
    # What the backup has of it is known from now on.
    assert list(record.read()[record.key_of(survey)].charged.values()) == [500_000]


@pytest.mark.parametrize("harm", ["damaged", "no directory", "read-only"])
def test_without_a_record_that_can_be_used_nothing_is_charged_or_restored(
    tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch, harm: str
) -> None:
    survey = ready_survey()
    written = back_up_to(tmp_path)
    make_release(survey, epsilon=Fraction(1, 4))
    if harm == "damaged":
        record.path().write_bytes(record.path().read_bytes()[:-9])
    elif harm == "no directory":
        (tmp_path / "file").touch()
        settings.RECORD = tmp_path / "file" / "record.json"
    else:

        def fail(_text: str) -> None:
            raise OSError(30, "Read-only file system", str(record.path()))

        monkeypatch.setattr(record, "_write", fail)
    reason = {"damaged": "changed, or broke", "no directory": "Not a directory", "read-only": "Read-only file"}[harm]
    before = contents(_CHARGED)
    with refusing(Why.NOT_RECORDED, match=reason):
        make_release(survey, epsilon=Fraction(1, 4))
    if harm != "read-only":  # then nothing is to be written: the record has all that this database knows
        with pytest.raises(BackupRefused, match=str(record.path().parent)):
            restore_from(written.path)
    assert contents(_CHARGED) == before
    monkeypatch.undo()


def test_a_purge_does_not_wait_for_a_record_that_cannot_be_written(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    survey = close_survey(survey=make_open())

    def fail(_text: str) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(record, "_write", fail)
    assert purge_survey(survey=survey).state == State.PURGED
    assert [record.levelname for record in caplog.records] == ["ERROR"]


# Crashes: whatever moment a release ends at, nothing is given back, and nothing waits for ever.


class Crash(BaseException):
    """Ends everything, as a power cut does."""


def _crash(*_arguments: object) -> None:
    raise Crash


def _crash_before_the_commit(monkeypatch: pytest.MonkeyPatch) -> None:
    begin = services.begin_charge

    def begin_and_crash(*arguments: object) -> None:
        begin(*arguments)  # type: ignore[arg-type]
        raise Crash

    monkeypatch.setattr(services, "begin_charge", begin_and_crash)


def test_a_charge_that_was_recorded_and_not_committed_is_set_aside_until_the_same_request_comes_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    survey, key = ready_survey(epsilon=1), uuid4()
    with monkeypatch.context() as patch:
        _crash_before_the_commit(patch)
        with pytest.raises(Crash):
            make_release(survey, request_key=key, epsilon=Fraction(3, 4))
    assert (spent(survey), Release.objects.count()) == (0, 0)
    with refusing(Why.RELEASE_INTERRUPTED, match=r"ε = 0.75 is set aside"):
        make_release(survey)
    make_release(survey, epsilon=Fraction(1, 4))
    assert make_release(survey, request_key=key, epsilon=Fraction(3, 4)).micro_epsilon == 750_000
    assert spent(survey) == 1_000_000
    (kept,) = record.read().values()
    assert (kept.begun, sorted(kept.charged.values())) == ({}, [250_000, 750_000])


def test_what_is_set_aside_counts_in_rho_too(monkeypatch: pytest.MonkeyPatch) -> None:
    survey = ready_survey(epsilon=9)
    set_rho(survey=survey, total_rho=Fraction(1, 4), reason="Tighter.", user=make_admin())
    with monkeypatch.context() as patch:
        _crash_before_the_commit(patch)
        with pytest.raises(Crash):
            make_release(survey)
    # Half of ρ each: a third would be too much, and one of the two may be charged already.
    make_release(survey)
    with refusing(Why.RELEASE_INTERRUPTED):
        make_release(survey)


def test_a_charge_that_was_committed_and_not_completed_in_the_record_is_complete_at_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    survey = ready_survey(epsilon=1)
    before = back_up_to(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(services, "complete_charge", _crash)
        with pytest.raises(Crash):
            make_release(survey)
    assert spent(survey) == 500_000
    (kept,) = record.read().values()
    assert (len(kept.begun), len(kept.charged)) == (1, 0)
    restored = restore_from(before.path)
    assert [each.releases for each in restored.promises.ledgers] == [1]
    (kept,) = record.read().values()
    assert (len(kept.begun), len(kept.charged)) == (0, 1)
    make_release(survey)
    assert spent(survey) == 1_000_000


def test_a_database_replaced_by_hand_right_after_a_crash_gives_nothing_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    survey = ready_survey(epsilon=1)
    before = back_up_to(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(services, "complete_charge", _crash)
        with pytest.raises(Crash):
            make_release(survey, epsilon=Fraction(3, 4))
    _replace_by_hand(before.path)
    assert spent(survey) == 0
    with refusing(Why.RELEASE_INTERRUPTED):
        make_release(survey)


def _replace_by_hand(path: Path) -> None:
    """Put a backup in the database's place as whoever copies files does: nothing is compared or carried over."""
    with unpacked(path, into=path.parent, passphrase="") as (_manifest, copy, _keys), replacing(copy):
        pass


# Two servers, two machines, two databases.


def test_of_two_servers_with_a_record_each_both_refuse_what_either_knows(tmp_path: Path, settings: Settings) -> None:
    survey, one, other = ready_survey(epsilon=9), tmp_path / "one.json", tmp_path / "other.json"
    before = back_up_to(tmp_path)
    charged = []
    for place in (one, other):
        settings.RECORD = place
        charged.append(make_release(survey).pk)
    # The second has seen the first's charge in the database; the first knows no more than its own.
    (kept,) = record.read().values()
    assert set(kept.charged) == set(charged)
    settings.RECORD = one
    (kept,) = record.read().values()
    assert set(kept.charged) == set(charged[:1])
    _replace_by_hand(before.path)
    for place, missing in ((one, "lacks 1 charge"), (other, "lacks 2 charges")):
        settings.RECORD = place
        with refusing(Why.CHARGES_MISSING, match=missing):
            make_release(survey)


def test_a_database_made_anew_that_asks_the_same_under_the_same_code_has_a_budget_of_its_own(tmp_path: Path) -> None:
    empty = back_up_to(tmp_path)
    survey = ready_survey(code="EXAMS")
    make_release(survey)
    _lose(empty.path, "EXAMS")
    again = ready_survey(code="EXAMS")
    assert again.content_hash == survey.content_hash
    make_release(again)


# What was destroyed and promised.


def _days(*numbers: int) -> list[dt.date]:
    return [timezone.now().date() + dt.timedelta(days=number) for number in numbers]


@pytest.mark.parametrize(("lost", "had_one"), [("nothing", False), ("the database", True), ("the record", False)])
def test_the_earliest_purge_day_that_was_promised_is_kept_and_named(tmp_path: Path, lost: str, had_one: bool) -> None:
    earlier, later = _days(30, 60)
    empty = back_up_to(tmp_path / "empty")
    survey = make_open(**({"purge_on": later} if had_one else {}))
    before = back_up_to(tmp_path / "before")
    promise_purge(survey=survey, purge_on=earlier)
    if lost == "the database":
        restore_from(empty.path)
    elif lost == "the record":
        record.path().unlink()
    output = run_command("restore", before.path, "--without-keys")
    assert Survey.objects.get().purge_on == earlier
    (line,) = [line for line in output.splitlines() if str(earlier) in line]
    assert line.startswith(f"{survey.code} ")
    assert (str(later) in line) == had_one


def test_an_earlier_day_of_the_backup_stays_and_a_day_at_opening_is_recorded(tmp_path: Path) -> None:
    earlier, later = _days(30, 60)
    survey = make_open(purge_on=later)
    (kept,) = record.read().values()
    assert kept.purge_on == later.isoformat()
    promise_purge(survey=survey, purge_on=earlier)
    (kept,) = record.read().values()
    assert kept.purge_on == earlier.isoformat()
    with_it = back_up_to(tmp_path)
    restored = restore_from(with_it.path)
    assert (Survey.objects.get().purge_on, restored.promises.purge_days) == (earlier, [])


# What the doctor says, and who brings the record up to date.


def _doctor() -> list[tuple[Grade, str]]:
    return list(diagnosis._record())


def test_the_doctor_holds_the_database_against_the_record(tmp_path: Path) -> None:
    survey, other = ready_survey(epsilon=2), make_open()
    before = back_up_to(tmp_path)
    ((grade, words),) = _doctor()
    assert (grade, " 0 " in words) == (Grade.SOUND, True)
    make_release(survey, epsilon=HALF)
    (day,) = _days(30)
    promise_purge(survey=survey, purge_on=day)
    purge_survey(survey=close_survey(survey=other))
    ((grade, words),) = _doctor()
    assert (grade, " 2 " in words) == (Grade.SOUND, True)
    known = record.read()
    record.path().unlink()
    ((grade, words),) = _doctor()
    assert (grade, " 1 " in words, "`manage.py backup`" in words) == (Grade.LOOK, True, True)
    back_up_to(tmp_path / "later")
    assert record.read() == known
    _replace_by_hand(before.path)
    wrong = [(grade, *words.split(": ", 1)) for grade, words in _doctor()]
    assert {grade for grade, *_words in wrong} == {Grade.WRONG}
    assert sorted(code for _grade, code, _words in wrong) == sorted([survey.code, survey.code, other.code])
    assert [code for _grade, code, words in wrong if "(ε = 0.5)" in words] == [survey.code]
    assert [code for _grade, code, words in wrong if str(day) in words] == [survey.code]
    record.path().write_text("{}")
    with pytest.raises(record.RecordDamaged):
        _doctor()


def test_the_doctor_says_what_is_set_aside_and_what_cannot_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    survey = ready_survey()
    with monkeypatch.context() as patch:
        _crash_before_the_commit(patch)
        with pytest.raises(Crash):
            make_release(survey)
    grade, words = _doctor()[0]
    assert (grade, words.partition(" ")[0]) == (Grade.LOOK, "1")
    monkeypatch.setattr(os, "access", lambda *_: False)
    grade, words = _doctor()[-1]
    assert (grade, str(record.path()) in words) == (Grade.WRONG, True)


def test_rehearsals_and_budgets_without_a_charge_leave_nothing_in_the_record() -> None:
    make_open()
    ready_survey()
    assert Budget.objects.exists()
    assert not record.path().exists()
