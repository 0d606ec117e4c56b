#!/bin/sh
# In a container: what the timers of deploy/systemd/ do on a machine. A chore that fails says so and comes again.
set -u
umask 077
backup_at=${DENIABLE_BACKUP_HOUR:-3}
passphrase=/tmp/passphrase
keys=--without-keys
if [ -n "${DENIABLE_BACKUP_PASSPHRASE:-}" ]; then
    printf '%s\n' "$DENIABLE_BACKUP_PASSPHRASE" > "$passphrase"
    keys="--passphrase-file $passphrase"
fi
rounds=${DENIABLE_CHORES_ROUNDS:-0}
round=0
backed_up=$(date -u +%F)
while :; do
    python manage.py fold
    python manage.py purge
    [ $((round % 12)) -ne 0 ] || python manage.py discard_rehearsals
    today=$(date -u +%F)
    if [ "$today" != "$backed_up" ] && [ "$(date -u +%-H)" -ge "$backup_at" ]; then
        backed_up=$today
        python manage.py clearsessions
        python manage.py purge --due --however-long
        # By the role that may read everything and change nothing. No quotes: the words of $keys are several.
        # shellcheck disable=SC2086
        DATABASE_URL=${DENIABLE_BACKUP_DATABASE_URL:-$DATABASE_URL} python manage.py backup --retain "${DENIABLE_BACKUP_RETAIN:-14}" $keys
    fi
    round=$((round + 1))
    [ "$round" -ne "$rounds" ] || exit 0
    sleep 300
done
