#!/bin/sh
# Starts PgBouncer with the one account that it lets in, whose password is in the environment.
set -eu
umask 077
printf '"deniable" "%s"\n' "$DENIABLE_PASSWORD" > /tmp/users
exec pgbouncer "${DENIABLE_POOL_FILE:-/etc/deniable/pgbouncer.ini}"
