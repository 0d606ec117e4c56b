"""One migration makes everything; databases of released versions are upgraded, those of other ones refused in words."""

from copy import copy
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, transaction
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client
from django.urls import reverse

from surveys import migrations
from surveys.models import LedgerEntry, PatternCount, Release, Survey, guards
from surveys.upkeep.selectors import diagnosis
from surveys.upkeep.selectors.diagnosis import Grade
from surveys.upkeep.selectors.schema import unlike_the_migrations
from surveys.upkeep.selectors.standing import (
    UNRELEASED,
    applied_migrations,
    known_migrations,
    pending_migrations,
    surveys_standing,
    why_not,
)
from surveys.upkeep.services import backing_up
from surveys.upkeep.services.files import BackupRefused
from tests.factories import make_open, send
from tests.releases.setting import spent
from tests.upkeep.backups import back_up_to, contents, restore_from, rows, tables, triggers
from tests.upkeep.released import VERSIONS, load

pytestmark = pytest.mark.usefixtures("transactional_db")

# Migrations that a version had which is not this one, the last of them as it is named.
OTHERS = {
    "unreleased": ("0002_responses", "0026_exact_figures"),
    "newer": ("0098_of_a_newer_version", "0099_of_a_newer_version"),
}


def _be(other: str) -> str:
    """Let such a version have made the database; return why it is refused."""
    for name in OTHERS[other]:
        MigrationRecorder(connection).record_applied("surveys", name)
    return why_not(applied_migrations())


def test_one_migration_makes_what_the_models_say() -> None:
    (folder,) = migrations.__path__
    assert {path.name for path in Path(folder).glob("*.py")} == {"__init__.py", "0001_initial.py"}
    call_command("makemigrations", "--check", "--dry-run", verbosity=0)


def test_what_this_version_made_is_not_refused() -> None:
    assert set(applied_migrations()) == known_migrations()
    assert why_not(applied_migrations()) == ""


def test_the_reason_names_the_newest_unknown_migration_and_what_to_do() -> None:
    assert _be("unreleased") == UNRELEASED
    known = [*known_migrations(), "auth.0999_of_a_newer_django"]
    assert "auth.0999_of_a_newer_django" in why_not(known)
    reason = why_not([*known, *(f"surveys.{name}" for name in OTHERS["newer"])])
    assert "migration surveys.0099_of_a_newer_version is unknown" in reason
    assert "Install that version or newer, or restore a backup" in reason


@pytest.mark.parametrize("command", ["migrate", "serve", "housekeeping --once", "housekeeping"])
@pytest.mark.parametrize("other", OTHERS)
def test_a_database_of_another_version_is_neither_migrated_nor_served_nor_kept(
    other: str, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.execv", lambda *_: pytest.fail("it is served"))
    monkeypatch.setattr("surveys.upkeep.services.housekeeping.tick", lambda *_, **__: pytest.fail("it is kept"))
    reason = _be(other)
    with pytest.raises(CommandError) as refused:
        call_command(*command.split())
    assert str(refused.value) == f"The database here {reason}"
    assert "\n" not in reason


@pytest.mark.parametrize("other", OTHERS)
def test_the_doctor_says_that_a_database_is_of_another_version(other: str) -> None:
    reason = _be(other)
    assert list(diagnosis._database()) == [(Grade.WRONG, f"it {reason}")]


@pytest.mark.parametrize("other", OTHERS)
def test_a_backup_of_another_version_is_refused_before_anything_is_replaced(
    other: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    survey, here = make_open(), applied_migrations()
    reason = _be(other)
    named = back_up_to(tmp_path / "named")
    # Without a passphrase nothing proves what a manifest says.
    monkeypatch.setattr(backing_up, "applied_migrations", lambda: here)
    unnamed = back_up_to(tmp_path / "unnamed")
    for name in OTHERS[other]:
        MigrationRecorder(connection).record_unapplied("surveys", name)
    send(survey, "1")
    before = contents(tables())
    for path, words in ((named.path, f"in {named.path}"), (unnamed.path, "in the backup")):
        with pytest.raises(BackupRefused) as refused:
            restore_from(path)
        assert str(refused.value).startswith(f"The database {words} {reason}")
    assert (contents(tables()), applied_migrations()) == (before, here)


def test_a_backup_takes_the_place_of_a_newer_database_and_of_no_unreleased_one(tmp_path: Path) -> None:
    written = back_up_to(tmp_path)
    _be("newer")
    restore_from(written.path)
    assert why_not(applied_migrations()) == ""
    reason = _be("unreleased")
    with pytest.raises(BackupRefused) as refused:
        restore_from(written.path)
    assert str(refused.value) == f"The database here {reason}"


@pytest.mark.parametrize("version", VERSIONS)
def test_a_database_of_a_released_version_is_upgraded_with_all_that_it_holds(version: str) -> None:
    load(version)
    call_command("migrate", verbosity=0)
    assert (pending_migrations(), unlike_the_migrations()) == ([], [])
    (standing,) = surveys_standing()
    assert (standing.code, standing.state, standing.answers, standing.waiting) == ("KEPT", "open", 101, 1)
    survey, release = Survey.objects.get(), Release.objects.get()
    assert dict(PatternCount.objects.values_list("reports", "count")) == {"0": 61, "1": 39}
    assert list(LedgerEntry.objects.order_by("number").values_list("number", "kind", "micro_epsilon")) == [
        (1, "total", 1_000_000),
        (2, "charge", 500_000),
        (3, "publish", 0),
    ]
    assert (release.published, spent(survey)) == (True, 500_000)
    assert Client().get(reverse("release", args=[release.pk])).status_code == 200
    send(survey, "0")
    assert surveys_standing()[0].answers == 102
    for refused in (
        "UPDATE surveys_survey SET document = document || ' '",
        "UPDATE surveys_ledgerentry SET reason = 'Another'",
        "UPDATE surveys_budget SET spent_micro_epsilon = 0",
        "UPDATE surveys_patterncount SET count = count - 1",
        "DELETE FROM surveys_release",
    ):
        with pytest.raises(IntegrityError), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(refused)


def test_every_version_that_the_changelog_calls_released_is_kept() -> None:
    changelog = (settings.BASE_DIR / "CHANGELOG.md").read_text(encoding="utf-8")
    named = [line.split() for line in changelog.splitlines() if line.startswith("## ")]
    assert {words[1] for words in named if "(unreleased)" not in words} <= set(VERSIONS) != set()


def test_triggers_of_earlier_names_and_definitions_give_way_to_those_of_today() -> None:
    """As in a migration that alters a guarded table: SQLite makes it anew, and refuses while a trigger asks it."""
    load(VERSIONS[0])
    today = triggers()
    _rename_trigger("survey_update", "survey_frozen")
    _allow_everything("survey_delete")
    assert [grade for grade, _words in diagnosis._database()] == [Grade.WRONG]
    assert len(today - triggers()) == 2
    zone = Survey._meta.get_field("time_zone")
    longer = copy(zone)
    longer.max_length += 1
    with connection.schema_editor() as editor:
        guards.remove(None, editor)
        editor.alter_field(Survey, zone, longer, strict=True)
        editor.alter_field(Survey, longer, zone, strict=True)
        guards.install(None, editor)
    assert triggers() == today


def _rename_trigger(name: str, earlier: str) -> None:
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            table = f"surveys_{name.partition('_')[0]}"
            cursor.execute(f"ALTER TRIGGER guard_{name} ON {table} RENAME TO guard_{earlier}")
            cursor.execute(f"ALTER FUNCTION guard_{name}() RENAME TO guard_{earlier}")
            return
        ((definition,),) = rows(f"SELECT sql FROM sqlite_master WHERE name = 'guard_{name}'")  # noqa: S608 - ours
        cursor.execute(f"DROP TRIGGER guard_{name}")
        cursor.execute(str(definition).replace(f"guard_{name}", f"guard_{earlier}"))


def _allow_everything(name: str) -> None:
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(
                f"CREATE OR REPLACE FUNCTION guard_{name}() RETURNS trigger LANGUAGE plpgsql AS"
                " $guard$ BEGIN RETURN OLD; END $guard$"
            )
            return
        cursor.execute(f"DROP TRIGGER guard_{name}")
        cursor.execute(f"CREATE TRIGGER guard_{name} BEFORE DELETE ON surveys_survey WHEN 1 = 0 BEGIN SELECT 1; END")
