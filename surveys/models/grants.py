"""What the running program may do on PostgreSQL, where it signs in by a role that owns nothing.

A role that owns a table can take its triggers away, whatever they forbid. So the tables belong to the role that
migrates, and the role of the running program reads and writes rows, where it has to, and nothing else.
"""

from collections.abc import Iterator

from django.db.backends.utils import CursorWrapper

_ROWS = "SELECT, INSERT, UPDATE, DELETE"
# What migrations write, and what is only ever continued: the triggers refuse the rest as well.
_LESS = {
    "django_migrations": "SELECT",
    "django_content_type": "SELECT",
    "auth_permission": "SELECT",
    "surveys_budget": "SELECT, INSERT, UPDATE",
    "surveys_ledgerentry": "SELECT, INSERT",
    "surveys_concentratedbudget": "SELECT, INSERT, UPDATE (spent_pico_rho)",
    "surveys_concentratedcharge": "SELECT, INSERT",
    "surveys_releasepart": "SELECT, INSERT",
    "surveys_release": "SELECT, INSERT, UPDATE (published)",
    "surveys_proposal": "SELECT, INSERT, UPDATE"
    " (state, decided_by_id, decided_by_name, decided_at, why_declined, release_id)",
    "surveys_lastrun": "SELECT, INSERT, UPDATE",
    "surveys_creditkey": "SELECT, INSERT, DELETE",
    "surveys_decline": "SELECT, INSERT, DELETE",
    "surveys_spentreceipt": "SELECT, INSERT, DELETE",
}
_TABLES = "SELECT tablename FROM pg_tables WHERE schemaname = current_schema() ORDER BY tablename"
# Functions that do what only the owner can; those of triggers are run by the triggers.
_DOORS = """
    SELECT oid::regprocedure FROM pg_proc WHERE pronamespace = current_schema()::regnamespace
    AND prosecdef AND prorettype <> 'trigger'::regtype ORDER BY oid
"""
_WHY_NOT = """
    SELECT rolsuper, pg_has_role(rolname, current_user, 'MEMBER'), rolcreaterole FROM pg_roles WHERE rolname = %s
"""


def why_not(cursor: CursorWrapper, role: str) -> str:
    """Say what keeps a role from being the running program's, or "" where nothing does."""
    cursor.execute(_WHY_NOT, [role])
    row = cursor.fetchone()
    if not row:
        return f"There is no role {role!r}."
    superuser, owner, makes_roles = row
    if superuser or makes_roles:
        return f"{role} could give itself any right: it is a superuser, or makes roles."
    return f"{role} can do whatever the owner of the tables can." if owner else ""


def grant(cursor: CursorWrapper, role: str) -> None:
    """Give a role what the running program needs, and take everything else from it and from everybody; as the owner."""
    cursor.execute("SELECT quote_ident(%s), quote_ident(current_database()), quote_ident(current_schema())", [role])
    for statement in _statements(cursor, *cursor.fetchone()):
        cursor.execute(statement)


def _statements(cursor: CursorWrapper, role: str, database: str, schema: str) -> Iterator[str]:
    for what in (
        f"DATABASE {database}",
        f"SCHEMA {schema}",
        *(f"ALL {kind} IN SCHEMA {schema}" for kind in ("TABLES", "SEQUENCES", "FUNCTIONS")),
    ):
        yield f"REVOKE ALL ON {what} FROM PUBLIC, {role}"
    # Folding counts in temporary tables.
    yield f"GRANT CONNECT, TEMPORARY ON DATABASE {database} TO {role}"
    yield f"GRANT USAGE ON SCHEMA {schema} TO {role}"
    cursor.execute(_TABLES)
    for (table,) in cursor.fetchall():
        yield f"GRANT {_LESS.get(table, _ROWS)} ON {table} TO {role}"
    cursor.execute(_DOORS)
    for (function,) in cursor.fetchall():
        yield f"GRANT EXECUTE ON FUNCTION {function} TO {role}"
