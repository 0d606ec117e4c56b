"""How PostgreSQL stores an answer: one function, because each of its statements reads what has been committed by then.

Why it is as it is: docs/decisions/0044-acknowledged-means-stored.md. A fold holds the survey's row as well, but lets
everybody else hold it as their key; closing the survey waits for these.
"""

from django.apps.registry import Apps
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

# The state is read before, so that nobody who comes late keeps holding the row of a survey that is being closed, and
# again afterwards, because what was read first may be old. The nonce is looked for last: an insert that has waited for
# a fold finds its first copy gone from one table, and can see it in the other only now. Whether something was inserted
# is known from RETURNING alone: where tables are distributed, the number of rows is not true.
_CREATE = """
    CREATE OR REPLACE FUNCTION store_response(survey bigint, of_group bigint, who text, sent text, nonce bytea)
    RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = {schema}, pg_temp AS $body$
    DECLARE kept text; most bigint;
    BEGIN
        IF NOT EXISTS (SELECT 1 FROM surveys_survey s WHERE s.id = survey AND s.state = 'open') THEN
            RETURN false;
        END IF;
        PERFORM 1 FROM surveys_survey s WHERE s.id = survey FOR KEY SHARE;
        SELECT s.response_cap INTO most FROM surveys_survey s WHERE s.id = survey AND s.state = 'open';
        IF NOT FOUND THEN
            RETURN false;
        END IF;
        IF most IS NOT NULL THEN
            PERFORM pg_advisory_xact_lock(survey);
            IF (SELECT COUNT(*) FROM surveys_response r WHERE r.survey_id = survey)
                + (SELECT COALESCE(SUM(p.count), 0) FROM surveys_foldedpart p WHERE p.survey_id = survey) >= most
            THEN
                RETURN false;
            END IF;
        END IF;
        INSERT INTO surveys_response (survey_id, group_id, mode, reports, nonce_hash)
            VALUES (survey, of_group, who, sent, nonce) ON CONFLICT (nonce_hash) DO NOTHING RETURNING reports INTO kept;
        IF kept IS NULL THEN
            RETURN false;
        END IF;
        IF EXISTS (
            SELECT 1 FROM surveys_spentnonces f WHERE f.survey_id = survey AND f.prefix = SUBSTR(nonce, 1, 2)
            AND POSITION(SUBSTR(nonce, 3) IN f.hashes) > 0
        ) THEN
            DELETE FROM surveys_response r WHERE r.nonce_hash = nonce;
            RETURN false;
        END IF;
        RETURN kept = sent;
    END $body$
"""


def install(apps: Apps | None, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Create the function; safe to run again."""
    if schema_editor.connection.vendor == "postgresql":
        with schema_editor.connection.cursor() as cursor:
            cursor.execute("SELECT quote_ident(current_schema())")
            (schema,) = cursor.fetchone()
        schema_editor.execute(_CREATE.format(schema=schema), params=None)
