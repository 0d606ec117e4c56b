"""A restore brings back all of a backup, keeps every promise made since, and loses nothing when it fails."""

from fractions import Fraction
from pathlib import Path
from uuid import uuid4

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.db import DatabaseError, connection, transaction
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client, override_settings
from django.urls import reverse

from surveys.common.totals import response_count
from surveys.course.services import close_survey, purge_survey, seal_survey
from surveys.models import (
    AccessToken,
    Budget,
    CellCount,
    LedgerEntry,
    PatternCount,
    Proposal,
    Release,
    Response,
    SignIn,
    SpentNonces,
    State,
    Survey,
)
from surveys.releases.ledger.services import set_budget, set_rho
from surveys.releases.services import releasing
from surveys.releases.services.releasing import withdraw
from surveys.responses.services.erasing import erase
from surveys.responses.services.folding import fold
from surveys.upkeep.selectors.standing import pending_migrations
from surveys.upkeep.services import restoring
from surveys.upkeep.services.files import BackupRefused
from surveys.upkeep.services.restoring import restore
from tests.factories import fill, make_admin, make_open, make_user, send, store
from tests.pages import signed_in
from tests.releases.setting import first, make_release, propose, published_release, ready_survey, spent
from tests.tokens.programs import closed_survey, read, token_of
from tests.upkeep.backups import PASSPHRASE, agree, back_up_to, contents, restore_from, tables, triggers

# These run on the database in use: a SQLite file, or PostgreSQL where DATABASE_URL says so.
pytestmark = pytest.mark.usefixtures("transactional_db")


def test_everything_comes_back_as_it_was(tmp_path: Path) -> None:
    survey = ready_survey(by_invitation=False)
    published = published_release(survey)
    send(survey, "1")
    # Files that a busy machine has not yet written anew would be by the restore, and the note of them gone.
    assert erase(patience=60)
    page = reverse("release", args=[published.pk])
    before, guards, shown = contents(tables()), triggers(), Client().get(page).content
    written = back_up_to(tmp_path)
    fill(survey, {"1": 25})
    User.objects.update(first_name="Changed")
    restored = restore_from(written.path)
    assert (contents(tables()), triggers()) == (before, guards)
    assert len(guards) > 50
    assert Client().get(page).content == shown
    assert (restored.plan.answers, response_count(survey)) == (126, 101)
    with pytest.raises(DatabaseError), transaction.atomic():
        LedgerEntry.objects.update(reason="x")


def test_answers_that_are_counted_while_a_copy_is_looked_at_are_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the housekeeping of a server that was not stopped."""
    survey = make_open(minimum_n=5)
    store(survey, {"1": 12})
    written = back_up_to(tmp_path)

    def look() -> list[str]:
        assert fold(survey=Survey.objects.get())
        return []

    monkeypatch.setattr(restoring, "unlike_the_migrations", look)
    restore_from(written.path)
    assert response_count(survey) == 12


def test_nobody_stays_signed_in(tmp_path: Path) -> None:
    client = signed_in()
    written = back_up_to(tmp_path)
    restore_from(written.path)
    assert not SignIn.objects.exists()
    assert client.get(reverse("survey-list")).status_code == 302


def test_no_access_token_is_valid_neither_one_that_was_revoked_since_nor_another(tmp_path: Path) -> None:
    survey = closed_survey()
    revoked, kept = token_of(survey, "revoked"), token_of(survey, "kept")
    written = back_up_to(tmp_path)
    AccessToken.objects.get(label="revoked").delete()
    assert [read(survey, token).status_code for token in (revoked, kept)] == [401, 200]
    restore_from(written.path)
    assert [read(survey, token).status_code for token in (revoked, kept)] == [401, 401]
    assert not AccessToken.objects.exists()


def test_releases_made_since_stay_charged_and_published_and_the_budget_does_not_go_back(tmp_path: Path) -> None:
    survey = ready_survey(epsilon=2)
    shown = published_release(survey, epsilon=Fraction(1, 4))
    written = back_up_to(tmp_path)
    later = published_release(survey, epsilon=Fraction(1, 4), user=make_admin("made.later"))
    unpublished = make_release(survey, epsilon=Fraction(1, 4))
    withdraw(release=shown, user=shown.created_by)
    set_budget(survey=survey, total_epsilon=Fraction(3), reason="More of it.", user=make_admin())
    ledger = list(LedgerEntry.objects.order_by("number").values_list("number", "kind", "created_by_name", "created_at"))
    page, budget = Client().get(reverse("release", args=[later.pk])).content, Budget.objects.values().get()
    restored = restore_from(written.path)
    assert (
        list(LedgerEntry.objects.order_by("number").values_list("number", "kind", "created_by_name", "created_at"))
        == ledger
    )
    assert Budget.objects.values().get() == budget
    assert spent(survey) == 750_000
    assert Client().get(reverse("release", args=[later.pk])).content == page
    assert dict(Release.objects.values_list("pk", "published")) == {
        shown.pk: False,
        later.pk: True,
        unpublished.pk: False,
    }
    assert [(each.lines, each.releases, each.is_lost) for each in restored.promises.ledgers] == [(5, 2, False)]
    # Who released comes along by name and cannot come in.
    carried = User.objects.get(username="made.later")
    assert (carried.is_active, carried.is_superuser, carried.has_usable_password()) == (False, False, False)
    # Nor do they take the key of the next account.
    assert make_user().pk > carried.pk


def test_a_restore_that_forgot_the_ledger_would_be_caught(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    survey = ready_survey()
    written = back_up_to(tmp_path)
    published_release(survey)
    monkeypatch.setattr(restoring, "carry_over", lambda _ledgers: [])
    with pytest.raises(BackupRefused, match="lacks charges"):
        restore_from(written.path)
    assert (spent(survey), Release.objects.count()) == (500_000, 1)


def test_a_ledger_is_carried_over_whole_with_its_budget_in_rho_and_names_since_changed(tmp_path: Path) -> None:
    survey = make_open()
    fill(survey, {"0": 61, "1": 39})
    admin = make_admin("called.so")
    written = back_up_to(tmp_path)
    set_budget(survey=survey, total_epsilon=Fraction(1), reason="First.", user=admin)
    set_rho(survey=survey, total_rho=Fraction(1), reason="Tighter.", user=admin)
    make_release(survey, user=admin)
    User.objects.filter(pk=admin.pk).update(username="called.otherwise")
    tables_of_it = [
        "surveys_release",
        "surveys_releasepart",
        "surveys_concentratedbudget",
        "surveys_concentratedcharge",
    ]
    before = contents(tables_of_it)
    restore_from(written.path)
    assert contents(tables_of_it) == before
    assert LedgerEntry.objects.get(number=2).created_by_name == "called.so"
    assert User.objects.get(pk=admin.pk).username == "called.so"


@override_settings(RELEASES_NEED_APPROVAL=True)
def test_what_two_people_agreed_on_since_is_agreed_on_and_not_waiting_again(tmp_path: Path) -> None:
    survey = ready_survey()
    terms = {
        "survey": survey,
        "questions": [first(survey)],
        "mechanism": "laplace_histogram",
        "epsilon": Fraction(1, 4),
        "reason": "For the tests.",
    }
    waiting = propose(user=make_admin(), request_key=uuid4(), **terms)
    written = back_up_to(tmp_path)
    release = releasing.approve(proposal=waiting, user=make_admin())
    later = propose(user=make_admin(), request_key=uuid4(), **terms)
    restore_from(written.path)
    assert {each.request_key: (each.state, each.release_id) for each in Proposal.objects.all()} == {
        waiting.request_key: ("approved", release.pk),
        later.request_key: ("open", None),
    }


def test_a_ledger_that_went_another_way_is_refused_and_nothing_changes(tmp_path: Path) -> None:
    survey = ready_survey(epsilon=2)
    begun = back_up_to(tmp_path / "begun")
    make_release(survey, epsilon=Fraction(1, 2))
    one_way = back_up_to(tmp_path / "one")
    _forget_all(begun.path)
    make_release(survey, epsilon=Fraction(1, 4))
    before = contents(tables())
    with pytest.raises(BackupRefused, match="went separate ways"):
        restore_from(one_way.path)
    assert contents(tables()) == before


def _forget_all(path: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(restoring, "carry_over", lambda _ledgers: [])
        patch.setattr(restoring, "charges_lost", lambda *_: {})
        restore_from(path)
    settings.RECORD.unlink()


@pytest.mark.parametrize("lost", [False, True], ids=["the database is there", "the database was lost too"])
@pytest.mark.parametrize("since", ["purged", "sealed", "sealed, pairs only"])
def test_what_was_destroyed_since_is_destroyed_again(tmp_path: Path, since: str, lost: bool) -> None:
    empty = back_up_to(tmp_path / "empty")
    survey, other = make_open(), make_open()
    fill(survey, {"0": 61, "1": 39})
    send(survey, "1")
    send(other, "1")
    written = back_up_to(tmp_path / "before")
    survey = close_survey(survey=survey)
    if since == "purged":
        purge_survey(survey=survey)
    else:
        seal_survey(survey=survey, pairs_only="pairs" in since)
    if lost:
        restore_from(empty.path)
    restored = restore_from(written.path)
    assert [each.code for each in restored.plan.destroyed] == ([] if lost else [survey.code])
    survey.refresh_from_db()
    assert survey.state == since.partition(",")[0]
    assert not SpentNonces.objects.filter(survey=survey).exists()
    assert not Response.objects.filter(survey=survey).exists()
    assert PatternCount.objects.filter(survey=survey).exists() == (since == "sealed")
    assert CellCount.objects.filter(survey=survey).exists() == ("pairs" in since)
    assert response_count(survey) == (0 if since == "purged" else 101)
    assert Response.objects.get().survey == other


def test_a_backup_says_which_older_ones_hold_what_was_destroyed_since(tmp_path: Path) -> None:
    survey = close_survey(survey=make_open())
    older = tmp_path / "deniable-20000101T000000Z.backup"
    back_up_to(tmp_path).path.rename(older)
    purge_survey(survey=survey)
    written = back_up_to(tmp_path)
    assert [(each.path, [one.code for one in each.destroyed]) for each in written.kept] == [(older, [survey.code])]


def test_only_the_newest_are_retained_and_other_files_stay(tmp_path: Path) -> None:
    make_open()
    old = [tmp_path / f"deniable-2000010{day}T000000Z.backup" for day in (1, 2, 3)]
    for path in (*old, tmp_path / "notes.txt"):
        path.touch()
    written = back_up_to(tmp_path, retain=2)
    assert list(written.deleted) == old[:2]
    assert sorted(tmp_path.iterdir()) == [old[2], written.path, tmp_path / "notes.txt"]


def test_a_backup_stays_though_others_are_of_times_to_come(tmp_path: Path) -> None:
    later = [tmp_path / f"deniable-2900010{day}T000000Z.backup" for day in (1, 2)]
    for path in later:
        path.touch()
    written = back_up_to(tmp_path, retain=1)
    assert list(written.deleted) == later
    assert list(tmp_path.iterdir()) == [written.path]


def test_a_survey_that_is_not_in_the_backup_is_named_with_its_releases(tmp_path: Path) -> None:
    written = back_up_to(tmp_path)
    survey = ready_survey()
    published_release(survey)
    restored = restore(written.path, passphrase="", confirm=agree, losing=[survey.code])
    assert [each.code for each in restored.plan.missing] == [survey.code]
    assert [(each.code, each.releases, each.is_lost) for each in restored.promises.ledgers] == [(survey.code, 1, True)]
    assert not Survey.objects.exists()


@pytest.mark.parametrize("where", ["carry_over", "purge_survey"])
def test_a_restore_that_fails_half_way_leaves_everything_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    survey, purged = ready_survey(), close_survey(survey=make_open())
    written = back_up_to(tmp_path)
    make_release(survey)
    send(survey, "1")
    purge_survey(survey=purged)

    def break_down(*_arguments: object, **_named: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(restoring, where, break_down)
    before, guards = contents(tables()), triggers()
    with pytest.raises(BackupRefused, match="No space left"):
        restore_from(written.path)
    assert (contents(tables()), triggers()) == (before, guards)
    monkeypatch.undo()
    assert list(settings.DATA_DIR.iterdir()) == []


def test_another_key_of_the_backup_takes_its_place_and_the_one_before_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with override_settings(SECRET_KEY="the key then"):
        written = back_up_to(tmp_path, PASSPHRASE)
        with override_settings(SECRET_KEY_FALLBACKS=["an older one"]):
            with_older = back_up_to(tmp_path / "several", PASSPHRASE)
    settings.DATA_DIR.mkdir(exist_ok=True)
    (settings.DATA_DIR / "secret_key").write_text(settings.SECRET_KEY)
    monkeypatch.delenv("DENIABLE_SECRET_KEY")
    restore_from(written.path, PASSPHRASE)
    assert (settings.DATA_DIR / "secret_key").read_text() == "the key then"
    assert (settings.DATA_DIR / "secret_key.before_restore").read_text() == settings.SECRET_KEY
    monkeypatch.setenv("DENIABLE_SECRET_KEY", "set there")
    for path, keys in ((written.path, "the key then"), (with_older.path, "the key then\nan older one")):
        assert "DENIABLE_SECRET_KEY" in restore_from(path, PASSPHRASE).keys
        assert (settings.DATA_DIR / "restored_keys").read_text() == keys
        assert (settings.DATA_DIR / "restored_keys").stat().st_mode & 0o777 == 0o600


def test_without_keys_the_server_keeps_its_own(tmp_path: Path) -> None:
    bare = back_up_to(tmp_path)
    sealed = back_up_to(tmp_path / "sealed", PASSPHRASE)
    # The first may have been made under other keys, the second only leaves its own where they are.
    assert len({restore_from(written.path).keys for written in (bare, sealed)}) == 2
    assert list(settings.DATA_DIR.glob("*key*")) == []


def test_a_backup_of_the_other_database_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written = back_up_to(tmp_path)
    other = {"sqlite": "postgresql", "postgresql": "sqlite"}[connection.vendor]
    monkeypatch.setattr(type(connection), "vendor", other, raising=False)
    monkeypatch.setattr(connection, "vendor", other)
    with pytest.raises(BackupRefused, match=r"SQLite.*PostgreSQL|PostgreSQL.*SQLite"):
        restore_from(written.path)


def test_a_backup_of_an_earlier_program_is_migrated(tmp_path: Path) -> None:
    """The last migration of the admin site changes no table, so without it this is the database of before."""
    last, recorder = ("admin", "0003_logentry_add_action_flag_choices"), MigrationRecorder(connection)
    recorder.record_unapplied(*last)
    assert pending_migrations() == [".".join(last)]
    written = back_up_to(tmp_path)
    recorder.record_applied(*last)
    restore_from(written.path)
    assert pending_migrations() == []


def test_the_state_of_a_survey_is_that_of_the_backup_and_says_so(tmp_path: Path) -> None:
    survey = make_open()
    written = back_up_to(tmp_path)
    close_survey(survey=survey)
    restored = restore_from(written.path)
    assert [each.code for each in restored.plan.reopened] == [survey.code]
    assert Survey.objects.get().state == State.OPEN


def test_a_damaged_database_is_named_and_left_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written = back_up_to(tmp_path)

    def damaged() -> None:
        raise DatabaseError("file is not a database")

    monkeypatch.setattr(restoring, "has_tables", damaged)
    with pytest.raises(BackupRefused, match="file is not"):
        restore_from(written.path)
