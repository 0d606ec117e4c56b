#!/bin/sh
# Run once, when PostgreSQL's directory is empty: the roles that docs/deployment/postgresql.md describes, and their database.
set -eu
psql -X -q -v ON_ERROR_STOP=1 -U "${POSTGRES_USER:-postgres}" -d postgres \
    -v owner="$DENIABLE_OWNER_PASSWORD" -v program="$DENIABLE_PASSWORD" -v backup="$DENIABLE_READER_PASSWORD" <<'SQL'
CREATE ROLE deniable_owner LOGIN PASSWORD :'owner';
CREATE ROLE deniable LOGIN PASSWORD :'program';
CREATE ROLE deniable_backup LOGIN PASSWORD :'backup';
CREATE DATABASE deniable OWNER deniable_owner;
GRANT CONNECT ON DATABASE deniable TO deniable_backup;
GRANT pg_read_all_data TO deniable_backup;
ALTER DATABASE deniable SET log_error_verbosity = terse;
\connect deniable
ALTER SCHEMA public OWNER TO deniable_owner;
SQL
