#!/bin/sh
# In a container: a backup every night, as deniable-backup.timer of deploy/systemd/ makes one on a machine.
set -u
umask 077
keys=--without-keys
if [ -n "${DENIABLE_BACKUP_PASSPHRASE:-}" ]; then
    printf '%s\n' "$DENIABLE_BACKUP_PASSPHRASE" > /tmp/passphrase
    keys="--passphrase-file /tmp/passphrase"
fi
backed_up=$(date -u +%F)
while :; do
    today=$(date -u +%F)
    if [ "$today" != "$backed_up" ] && [ "$(date -u +%-H)" -ge "${DENIABLE_BACKUP_HOUR:-3}" ]; then
        backed_up=$today
        # No quotes: the words of $keys are several.
        # shellcheck disable=SC2086
        python manage.py backup --retain "${DENIABLE_BACKUP_RETAIN:-14}" $keys
    fi
    sleep 300
done
