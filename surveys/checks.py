"""Warns, in `check --deploy`, of what is set so that it could break the promise."""

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.core import checks
from django.core.checks import CheckMessage, Tags, register
from django.db import DatabaseError, connection
from django.db.backends.utils import CursorWrapper

# Of the role that the program signs in by: could it give itself any right, does it own the tables here or the database,
# can it make tables?
_RIGHTS = """
    SELECT r.rolsuper OR r.rolcreaterole,
        EXISTS (SELECT 1 FROM pg_class c WHERE c.relnamespace = current_schema()::regnamespace
            AND pg_has_role(c.relowner, 'MEMBER'))
        OR (SELECT pg_has_role(d.datdba, 'MEMBER') FROM pg_database d WHERE d.datname = current_database()),
        has_schema_privilege(current_schema(), 'CREATE')
    FROM pg_roles r WHERE r.rolname = current_user
"""
# Settings that log statements as they run, with the values sent beside them unless these are kept out of the log.
_QUIET = {
    "log_statement": ("none", "ddl"),
    "log_min_duration_statement": ("-1",),
    "log_min_duration_sample": ("-1",),
    "log_transaction_sample_rate": ("0",),
}
# What logs values whatever else is set: beside errors, as rows that break a rule, and within plans.
_QUIET_ALWAYS = {
    "log_parameter_max_length_on_error": ("0",),
    "log_error_verbosity": ("terse",),
    "auto_explain.log_min_duration": ("-1",),
}
_SETTINGS = "SELECT name, current_setting(name, TRUE) FROM unnest(%s::text[]) AS name"


@register(Tags.security, deploy=True)
def postgresql_keeps_the_promise(app_configs: Sequence[Any] | None, **kwargs: Any) -> list[CheckMessage]:
    """Warn of a role that could take triggers away, and of a log that would hold what respondents send."""
    if connection.vendor != "postgresql":
        return []
    try:
        with connection.cursor() as cursor:
            return [*_of_the_role(cursor), *_of_the_log(cursor)]
    except DatabaseError as error:
        said = str(error).partition("\n")[0]
        return [checks.Warning(f"PostgreSQL could not be asked about roles and its log: {said}", id="deniable.W003")]


def _of_the_role(cursor: CursorWrapper) -> list[CheckMessage]:
    cursor.execute(_RIGHTS)
    anything, owns, makes_tables = cursor.fetchone()
    if not (anything or owns or makes_tables):
        return []
    what = "can give itself any right" if anything else "owns the tables" if owns else "can make tables"
    words = f"The role by which the program signs in to PostgreSQL {what}, so injected SQL could take triggers away"
    return [checks.Warning(words, hint="Let another role own them: docs/deployment/postgresql.md.", id="deniable.W001")]


def _of_the_log(cursor: CursorWrapper) -> list[CheckMessage]:
    cursor.execute(_SETTINGS, [[*_QUIET, *_QUIET_ALWAYS, "log_parameter_max_length"]])
    found = {name: value for name, value in cursor.fetchall() if value}
    quiet = _QUIET_ALWAYS if found.get("log_parameter_max_length") == "0" else _QUIET | _QUIET_ALWAYS
    return [
        checks.Warning(
            f"PostgreSQL’s log may hold what respondents send: {name} is {found[name]}, not {values[0]}",
            hint="Set it so for this database: docs/deployment/postgresql.md.",
            id="deniable.W002",
        )
        for name, values in quiet.items()
        if name in found and found[name] not in values
    ]


@register(Tags.security, deploy=True)
def data_directory_is_private(app_configs: Sequence[Any] | None, **kwargs: Any) -> list[CheckMessage]:
    """Warn where other accounts of the machine can look into the directory of the database and the secret key."""
    if not settings.DATA_DIR.exists() or not settings.DATA_DIR.stat().st_mode & 0o077:
        return []
    words = f"Other accounts can look into {settings.DATA_DIR}, where the database and the secret key lie: chmod 700 it"
    return [checks.Warning(words, id="deniable.W004")]
