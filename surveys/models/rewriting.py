"""What PostgreSQL needs to forget: a function that writes a table anew, and no samples of what people sent."""

from django.apps.registry import Apps
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

# Tables that hold, or held, something in the order in which people answered, or showed their receipts.
TABLES = (
    "surveys_response",
    "surveys_spentnonces",
    "surveys_invitation",
    "surveys_patterncount",
    "surveys_foldedpart",
    "surveys_cellcount",
    "surveys_decline",
    "surveys_creditkey",
    "surveys_spentreceipt",
    "surveys_waitingscore",
)

# What ANALYZE would copy into the catalog, where nothing that is written anew reaches it.
_NEVER_SAMPLED = {
    "surveys_response": ("reports", "nonce_hash"),
    "surveys_spentnonces": ("prefix", "hashes"),
    "surveys_invitation": ("token_hash",),
    "surveys_patterncount": ("reports",),
    "surveys_cellcount": ("codes",),
    "surveys_decline": ("nonce_hash",),
    "surveys_creditkey": ("private_key",),
    "surveys_spentreceipt": ("receipt_hash",),
    "surveys_waitingscore": ("line_item", "subject", "key"),
}

# VACUUM (FULL) is the owner's alone and no function may run it; CLUSTER leaves the same out, and orders by the key.
_CREATE = """
    CREATE OR REPLACE FUNCTION write_anew(wanted text) RETURNS void LANGUAGE plpgsql
    SECURITY DEFINER SET search_path = {schema}, pg_temp AS $body$ BEGIN
    IF wanted IS NULL OR wanted NOT IN ({tables}) THEN RAISE EXCEPTION 'this table is not written anew'; END IF;
    EXECUTE format('CLUSTER %I.%I USING %I', {literal}, wanted, wanted || '_pkey');
    END $body$
"""


def install(apps: Apps | None, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Create the function, for nobody but its owner, and turn sampling off; safe to run again."""
    if schema_editor.connection.vendor != "postgresql":
        return
    with schema_editor.connection.cursor() as cursor:
        cursor.execute("SELECT quote_ident(current_schema()), quote_literal(current_schema())")
        schema, literal = cursor.fetchone()
    tables = ", ".join(f"'{table}'" for table in TABLES)
    schema_editor.execute(_CREATE.format(schema=schema, literal=literal, tables=tables), params=None)
    schema_editor.execute("REVOKE EXECUTE ON FUNCTION write_anew(text) FROM PUBLIC", params=None)
    for table, columns in _NEVER_SAMPLED.items():
        for column in columns:
            schema_editor.execute(f"ALTER TABLE {table} ALTER COLUMN {column} SET STATISTICS 0", params=None)
