"""What a database holds, as a backup notes it and a restore compares it: surveys, their states, how many answered."""

import pkgutil
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from django.apps import apps
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.recorder import MigrationRecorder

from surveys.common.totals import response_totals
from surveys.models import State, Survey

# Every database from before the first release names it, and no migration that is still to come may have this name.
_BEFORE_RELEASES = "surveys.0002_responses"
UNRELEASED = (
    "was made by an unreleased version before 0.1.0 and cannot be upgraded: export its surveys as JSON with that"
    " version, and import them into a new one."
)
# What sealing and purging destroy, later states destroy too.
_DESTROYED = {State.SEALED: 1, State.PURGED: 2}


@dataclass(frozen=True, slots=True)
class SurveyStanding:
    """A survey at one moment; `content_hash` is empty for a draft."""

    key: int
    code: str
    state: str
    content_hash: str
    answers: int
    waiting: int


def surveys_standing() -> list[SurveyStanding]:
    """Return every survey but copies to rehearse with, by its code; `waiting` are answers that are not folded."""
    surveys = list(Survey.objects.filter(rehearsal_of=None).order_by("code"))
    totals = response_totals(surveys)
    return [
        SurveyStanding(
            key=survey.pk,
            code=survey.code,
            state=survey.state,
            content_hash=survey.content_hash,
            answers=totals[survey.pk][0],
            waiting=totals[survey.pk][0] - totals[survey.pk][1],
        )
        for survey in surveys
    ]


def destroyed_since(then: Iterable[SurveyStanding], now: Iterable[SurveyStanding]) -> list[SurveyStanding]:
    """Return the surveys, as they are now, of which an earlier copy keeps what has been sealed or purged since."""
    earlier = {(survey.key, survey.code): survey for survey in then}
    return [
        survey
        for survey in now
        if (before := earlier.get((survey.key, survey.code)))
        and before.state != State.DRAFT
        and _DESTROYED.get(State(survey.state), 0) > _DESTROYED.get(State(before.state), 0)
    ]


def has_tables() -> bool:
    return "surveys_survey" in connection.introspection.table_names()


def applied_migrations() -> list[str]:
    """Return the migrations that made the database what it is, such as `surveys.0001_initial`."""
    return sorted(f"{app}.{name}" for app, name in MigrationRecorder(connection).applied_migrations())


def known_migrations() -> set[str]:
    """Return the migrations that this program has, by their files: housekeeping asks, and would keep all it loads."""
    return {
        f"{app.label}.{file.name}"
        for app in apps.get_app_configs()
        for file in pkgutil.iter_modules([str(Path(app.path, "migrations"))])
    }


def is_unreleased(migrations: Collection[str]) -> bool:
    """Whether a database that these migrations made is `UNRELEASED`."""
    return _BEFORE_RELEASES in migrations


def why_not(migrations: Collection[str]) -> str:
    """Say, after its name, why this program cannot work on a database that these migrations made, or nothing."""
    if is_unreleased(migrations):
        return UNRELEASED
    if unknown := set(migrations) - known_migrations():
        # Our own tell more of the version than those of other applications.
        newest = max(unknown, key=lambda name: (name.startswith("surveys."), name))
        return (
            f"was written by a newer version of Deniable (migration {newest} is unknown here). Install that version or"
            " newer, or restore a backup made with this one."
        )
    return ""


def pending_migrations() -> Sequence[str]:
    executor = MigrationExecutor(connection)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    return [f"{migration.app_label}.{migration.name}" for migration, _backwards in plan]
