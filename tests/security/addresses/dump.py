"""Everything that the database holds, to see whether a request has changed any of it."""

from django.db import connection

# A session may be renewed by whoever holds it; nothing else may change behind a refusal.
_MAY_CHANGE = {"surveys_signin", "sqlite_sequence"}


def dump() -> dict[str, list[tuple[object, ...]]]:
    """Return every row of every table."""
    rows = {}
    with connection.cursor() as cursor:
        for table in sorted(set(connection.introspection.table_names(cursor)) - _MAY_CHANGE):
            cursor.execute(f'SELECT * FROM "{table}"')  # noqa: S608 - the database's own names
            rows[table] = cursor.fetchall()
    return rows


def changed(before: dict[str, list[tuple[object, ...]]], after: dict[str, list[tuple[object, ...]]]) -> list[str]:
    """Return the tables that are not what they were, whatever the order in which the database returns their rows."""
    return sorted(table for table in {*before, *after} if _differ(before.get(table, []), after.get(table, [])))


def _differ(some: list[tuple[object, ...]], others: list[tuple[object, ...]]) -> bool:
    # Most are alike as they come: to sort rows takes longer than to read them.
    return some != others and sorted(some, key=repr) != sorted(others, key=repr)
