"""What a database does besides holding rows, held against what the migrations of this program make.

A trigger, a view, a default or a constraint of somebody else's can take a promise away or keep what nobody may know,
such as when each report came. So definitions are compared, and not names.
"""

import functools
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.db import connection, connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.db.models import Model

from surveys.models import guards, rewriting, storing

_Objects = dict[str, str]

# What SQLite makes for itself: its counters, and what ANALYZE finds.
_SQLITE = """
    SELECT type || ' ' || name, sql FROM sqlite_master
    WHERE sql IS NOT NULL AND NOT (type = 'table' AND name IN ('sqlite_sequence', 'sqlite_stat1', 'sqlite_stat4'))
"""
# Of PostgreSQL's, what stands beside the tables, but for what an extension brought, which is its administrator's.
_BESIDE_TABLES = """
    WITH brought AS (SELECT objid FROM pg_depend WHERE deptype = 'e'),
    own AS (SELECT oid, relname, relkind FROM pg_class WHERE relnamespace = current_schema()::regnamespace)
    SELECT 'function ' || proname || '(' || pg_get_function_identity_arguments(oid) || ')',
        CASE WHEN prokind IN ('f', 'p') THEN pg_get_functiondef(oid) ELSE 'aggregate' END FROM pg_proc
        WHERE pronamespace = current_schema()::regnamespace AND oid NOT IN (SELECT objid FROM brought)
    UNION ALL SELECT 'trigger ' || tgname || ' of ' || relname, pg_get_triggerdef(t.oid, true)
        || CASE WHEN tgenabled IN ('O', 'A') THEN '' ELSE ' (switched off)' END
        FROM pg_trigger t JOIN own ON own.oid = tgrelid WHERE NOT tgisinternal OR tgenabled NOT IN ('O', 'A')
    UNION ALL SELECT 'rule ' || rulename || ' of ' || relname, 'rule'
        FROM pg_rewrite JOIN own ON own.oid = ev_class WHERE relkind NOT IN ('v', 'm')
    UNION ALL SELECT 'policy ' || polname || ' of ' || relname, 'policy' FROM pg_policy JOIN own ON own.oid = polrelid
    UNION ALL SELECT 'view ' || relname, 'view'
        FROM own WHERE relkind IN ('v', 'm', 'f', 'p') AND oid NOT IN (SELECT objid FROM brought)
    UNION ALL SELECT 'event trigger ' || evtname, 'event trigger' FROM pg_event_trigger
        JOIN pg_proc p ON p.oid = evtfoid WHERE pronamespace = current_schema()::regnamespace
"""
# What a table is, but for the order of its columns: that is the order in which migrations came to them.
_TABLES = """
    WITH own AS (
        SELECT oid, relname FROM pg_class WHERE relkind = 'r' AND relnamespace = %s::regnamespace
        AND oid NOT IN (SELECT objid FROM pg_depend WHERE deptype = 'e')
    )
    SELECT 'table ' || relname, 'table' FROM own
    UNION ALL SELECT 'column ' || attname || ' of ' || relname, concat_ws(' ', format_type(atttypid, atttypmod),
        CASE WHEN attnotnull THEN 'NOT NULL' END, attidentity, attgenerated, pg_get_expr(adbin, adrelid))
        FROM pg_attribute JOIN own ON own.oid = attrelid LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
        WHERE attnum > 0 AND NOT attisdropped
    UNION ALL SELECT 'constraint ' || conname || ' of ' || relname, pg_get_constraintdef(c.oid)
        FROM pg_constraint c JOIN own ON own.oid = conrelid
    UNION ALL SELECT 'index ' || i.relname || ' of ' || own.relname, pg_get_indexdef(indexrelid)
        FROM pg_index JOIN own ON own.oid = indrelid JOIN pg_class i ON i.oid = indexrelid
"""
# PostgreSQL casts a list that it was given as a whole, and one that came from a dump text by text.
_CAST = r"\((ARRAY\[[^\]]*\])\)::text\[\]|\(('[^']*'::character varying)\)::text"
# How `guards`, `storing` and `rewriting` make a function.
_FUNCTION = re.compile(
    r"CREATE OR REPLACE FUNCTION (?P<name>\w+\(.*?\)) (?P<returns>RETURNS \w+ LANGUAGE plpgsql( SECURITY DEFINER)?)"
    r' SET search_path = "?(?P<schema>.+?)"?, pg_temp AS (?P<quote>\$\w+\$)(?P<body>.*)(?P=quote)'
)


def unlike_the_migrations() -> list[str]:
    """Return what is missing in the database, or is another, or is not of this program, such as “trigger … of …”."""
    there, wanted = (_there_sqlite(), _made_sqlite()) if connection.vendor == "sqlite" else _postgresql()
    missing = [f"{name} is missing" for name in wanted.keys() - there.keys()]
    other = [f"{name} is another" for name in wanted.keys() & there.keys() if wanted[name] != there[name]]
    unknown = [f"{name} is not of this program" for name in there.keys() - wanted.keys()]
    # Triggers before their functions.
    return sorted([*missing, *other, *unknown], reverse=True)


def schema_words(unlike: list[str]) -> str:
    """Say how many things these are, and name the first."""
    more = f", and {len(unlike) - 1} more" if unlike[1:] else ""
    return f"the database is not what the migrations make: {unlike[0]}{more}"


@contextmanager
def working_on(file: Path | str) -> Iterator[None]:
    """Let this thread's default connection be one to another file of SQLite's."""
    usual = connections["default"]
    options = usual.settings_dict["OPTIONS"] | {"init_command": "PRAGMA synchronous=OFF; PRAGMA temp_store=MEMORY;"}
    other: BaseDatabaseWrapper = type(usual)(usual.settings_dict | {"NAME": str(file), "OPTIONS": options}, "default")
    connections["default"] = other
    try:
        yield
    finally:
        other.close()
        connections["default"] = usual


def _there_sqlite() -> _Objects:
    return _objects_of(_SQLITE)


@functools.cache
def _made_sqlite() -> _Objects:
    """Migrate a database in memory: what the migrations make does not change while the program runs."""
    with working_on(":memory:"):
        executor = MigrationExecutor(connection)
        executor.migrate(executor.loader.graph.leaf_nodes())
        return _there_sqlite()


def _postgresql() -> tuple[_Objects, _Objects]:
    """Make the tables once more as temporary ones, for which no role needs a right to change anything.

    Functions are not found in a temporary schema, so theirs and triggers are read as the migrations write them.
    """
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT current_schema()")
        schema = cursor.fetchone()[0]
        there = _objects_of(_BESIDE_TABLES) | _objects_of(_TABLES, schema)
        wanted = _made_beside_tables()
        cursor.execute("SET LOCAL search_path = pg_temp")
        with connection.schema_editor(atomic=False) as editor:
            models: list[type[Model]] = [*MigrationLoader(connection).project_state().apps.get_models()]
            models.append(MigrationRecorder.Migration)
            for model in models:
                if not model._meta.proxy:  # noqa: SLF001 - Django's name for what a model is
                    editor.create_model(model)
        cursor.execute("SELECT current_schema()")
        temporary = cursor.fetchone()[0]
        wanted |= _objects_of(_TABLES, temporary)
        transaction.set_rollback(True)
    return _as_one_says_it(there, schema), _as_one_says_it(wanted, schema, temporary, "pg_temp")


def _made_beside_tables() -> _Objects:
    """Read the functions and triggers that the migrations make, as PostgreSQL would say them."""
    with connection.schema_editor(collect_sql=True, atomic=False) as editor:
        for made in (guards, storing, rewriting):
            made.install(None, editor)
    objects = {}
    for statements in (" ".join(text.removesuffix(";").split()) for text in editor.collected_sql):
        function, _, trigger = statements.partition("; CREATE OR REPLACE TRIGGER ")
        trigger = trigger or statements.partition("CREATE OR REPLACE TRIGGER ")[2]
        if match := _FUNCTION.fullmatch(function):
            objects[f"function {match['name']}"] = (
                f"CREATE OR REPLACE FUNCTION {match['name']} {match['returns']} SET search_path TO"
                f" '{match['schema']}', 'pg_temp' AS $function${match['body']}$function$"
            )
        if trigger:
            name, table = trigger.split()[0], trigger.partition(" ON ")[2].split()[0]
            objects[f"trigger {name} of {table}"] = f"CREATE TRIGGER {trigger}"
    return objects


def _as_one_says_it(objects: _Objects, *schemas: str) -> _Objects:
    """Drop from definitions in which schema a thing is, how lines are broken, and where a list of texts is cast."""
    pattern = re.compile("|".join([*(rf"\b{re.escape(schema)}\." for schema in schemas), _CAST]))
    return {name: " ".join(pattern.sub(r"\1\2", definition).split()) for name, definition in objects.items()}


def _objects_of(query: str, *values: str) -> _Objects:
    with connection.cursor() as cursor:
        cursor.execute(query, values or None)
        return dict(cursor.fetchall())
