"""How responses and spent nonces are distributed by the hash of the nonce, where the database is a cluster of Citus."""

from django.db import connection

# Neither foreign keys to tables of the coordinator nor triggers go with distributed tables. What they guard, raw SQL
# that brings something into a sealed survey, is not guarded there; `store_response` asks by itself.
_STATEMENTS = (
    "SET citus.enable_unsafe_triggers = on",
    """
    DO $$ DECLARE found record; BEGIN
        FOR found IN SELECT conname, conrelid::regclass AS of_table FROM pg_constraint WHERE contype = 'f'
            AND conrelid IN ('surveys_response'::regclass, 'surveys_spentnonce'::regclass)
        LOOP EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', found.of_table, found.conname); END LOOP;
        FOR found IN SELECT tgname, tgrelid::regclass AS of_table FROM pg_trigger WHERE NOT tgisinternal
            AND tgrelid IN ('surveys_response'::regclass, 'surveys_spentnonce'::regclass)
        LOOP EXECUTE format('DROP TRIGGER %I ON %s', found.tgname, found.of_table); END LOOP;
    END $$
    """,
    "SELECT create_distributed_table('surveys_response', 'nonce_hash', shard_count => 8)",
    "SELECT create_distributed_table('surveys_spentnonce', 'nonce_hash', colocate_with => 'surveys_response')",
)


def distribute() -> None:
    """Distribute both tables over the workers, the same nonce to the same place."""
    with connection.cursor() as cursor:
        for statement in _STATEMENTS:
            cursor.execute(statement)
