"""How responses are distributed by the hash of their nonce, where the database is a cluster of Citus.

Everything else stays with the coordinator, the spent nonces too: it commits before its workers do, so whoever has
waited there for a fold finds here what it has kept.
"""

from django.db import connection

# Neither foreign keys to tables of the coordinator nor triggers go with distributed tables. What they guard, raw SQL
# that brings something into a sealed survey, is not guarded there; `store_response` asks by itself.
_STATEMENTS = (
    "SET citus.enable_unsafe_triggers = on",
    """
    DO $$ DECLARE found record; BEGIN
        FOR found IN SELECT conname, conrelid::regclass AS of_table FROM pg_constraint WHERE contype = 'f'
            AND conrelid = 'surveys_response'::regclass
        LOOP EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', found.of_table, found.conname); END LOOP;
        FOR found IN SELECT tgname, tgrelid::regclass AS of_table FROM pg_trigger WHERE NOT tgisinternal
            AND tgrelid = 'surveys_response'::regclass
        LOOP EXECUTE format('DROP TRIGGER %I ON %s', found.tgname, found.of_table); END LOOP;
    END $$
    """,
    "SELECT create_distributed_table('surveys_response', 'nonce_hash', shard_count => 8)",
)


def distribute() -> None:
    """Distribute the responses over the workers."""
    with connection.cursor() as cursor:
        for statement in _STATEMENTS:
            cursor.execute(statement)
