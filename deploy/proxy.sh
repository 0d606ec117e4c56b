#!/bin/sh
# Starts nginx with deploy/nginx.conf, under this site's name and before the program's container. Without a certificate
# it makes one that no browser trusts: good for a first look, and to be replaced.
set -eu
umask 077
where=${DENIABLE_CERTIFICATES:-/certificates}
work=${DENIABLE_PROXY_DIRECTORY:-/tmp}
if [ ! -s "$where/fullchain.pem" ]; then
    openssl req -x509 -newkey rsa:2048 -nodes -days 365 -subj "/CN=$DENIABLE_HOST" \
        -addext "subjectAltName=DNS:$DENIABLE_HOST" -keyout "$where/privkey.pem" -out "$where/fullchain.pem" 2>/dev/null
fi
sed -e "s|/etc/ssl/survey\.example\.org/|$where/|; s|survey\.example\.org|$DENIABLE_HOST|" \
    -e "s|127\.0\.0\.1:8000|${DENIABLE_UPSTREAM:-web:8000}|" \
    -e "/listen \[::\]/d; s|^user www-data;|user nginx;|; s|/run/nginx\.pid|$work/nginx.pid|" \
    -e "s|/var/log/nginx/error\.log|stderr|" \
    "${DENIABLE_PROXY_FILE:-/etc/deniable/nginx.conf}" > "$work/nginx.conf"
exec nginx -e stderr -c "$work/nginx.conf" -g 'daemon off;'
