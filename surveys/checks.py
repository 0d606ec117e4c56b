"""Warns, in `check --deploy`, of what is set so that it could break the promise."""

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.core import checks
from django.core.checks import CheckMessage, Tags, register
from django.db import DatabaseError, connection
from django.db.backends.utils import CursorWrapper

# Of the role that the program signs in by, and of those that it is a member of, whose rights it can take: could it give
# itself any right, does it own the tables here or the database, can it make tables; and what else may it do?
_RIGHTS = """
    SELECT bool_or(r.rolsuper OR r.rolcreaterole),
        EXISTS (SELECT 1 FROM pg_class c WHERE c.relnamespace = current_schema()::regnamespace
            AND pg_has_role(c.relowner, 'MEMBER'))
        OR (SELECT pg_has_role(d.datdba, 'MEMBER') FROM pg_database d WHERE d.datname = current_database()),
        has_schema_privilege(current_schema(), 'CREATE') OR has_database_privilege(current_database(), 'CREATE'),
        bool_or(r.rolcreatedb), bool_or(r.rolreplication), bool_or(r.rolbypassrls),
        array_agg(r.rolname::text ORDER BY r.rolname)
            FILTER (WHERE left(r.rolname::text, 3) = 'pg_' AND r.rolname <> 'pg_database_owner')
    FROM pg_roles r WHERE pg_has_role(r.oid, 'MEMBER')
"""
_MORE = ("can make databases", "can copy the whole server as a replica", "passes row-level security")
# Settings that log statements as they run, with the values sent beside them unless these are kept out of the log.
_QUIET = {
    "log_statement": ("none", "ddl"),
    "log_min_duration_statement": ("-1",),
    "log_min_duration_sample": ("-1",),
    "log_transaction_sample_rate": ("0",),
}
# What logs values whatever else is set: beside errors, as rows that break a rule, within plans, and by pgaudit.
_QUIET_ALWAYS = {
    "log_parameter_max_length_on_error": ("0",),
    "log_error_verbosity": ("terse",),
    "auto_explain.log_min_duration": ("-1",),
    "debug_print_plan": ("off",),
    "pgaudit.log_parameter": ("off",),
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
    anything, owns, makes_tables, *more, member_of = cursor.fetchone()
    it = "The role by which the program signs in to PostgreSQL"
    found: list[CheckMessage] = []
    if anything or owns or makes_tables:
        what = "can give itself any right" if anything else "owns the tables" if owns else "can make tables"
        words = f"{it} {what}, so injected SQL could take triggers away"
        hint = "Let another role own them: docs/deployment/postgresql.md."
        found.append(checks.Warning(words, hint=hint, id="deniable.W001"))
    whats = [what for what, may in zip(_MORE, more, strict=True) if may] + [f"is in {name}" for name in member_of or ()]
    # Whoever has every right has these too.
    if whats and not anything:
        hint = "Take it away: docs/deployment/postgresql.md."
        found.append(checks.Warning(f"{it} {', '.join(whats)}, and needs none of it", hint=hint, id="deniable.W005"))
    return found


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
