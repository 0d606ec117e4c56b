# Two stages: what builds the program, and what runs it. No test builds an image: tests/upkeep/ lint this file and carry
# out each RUN line in an empty directory.
FROM python:3.13-slim-trixie AS build
WORKDIR /opt/deniable
COPY deploy/requirements.txt deploy/
# Without pip, and without the tests that packages bring.
RUN python -m venv --without-pip .venv \
    && pip --python .venv install --no-cache-dir --quiet --disable-pip-version-check --require-hashes \
    -r deploy/requirements.txt \
    && find .venv -type d -name tests -prune -exec rm -r {} +
COPY manage.py ./
COPY deploy/healthy.py deploy/backups.sh deploy/
COPY locale locale
COPY static static
COPY surveys surveys
COPY templates templates
# What the settings make there is nobody's, and goes. The volume begins as data/, within a directory of its own: COPY
# keeps the modes of what it finds there, but not of the directory that it is given.
RUN .venv/bin/python manage.py collectstatic --no-input --verbosity 0 \
    && .venv/bin/python -m compileall -q surveys \
    && rm -rf data \
    && mkdir volume \
    && mkdir -m 700 volume/data

FROM python:3.13-slim-trixie AS program
# The client of PostgreSQL, for `manage.py backup` and `restore`. Debian keeps one version of it, so none is named.
# hadolint ignore=DL3008
RUN --mount=type=tmpfs,target=/var/lib/apt/lists \
    apt-get update -qq && apt-get install -y -qq --no-install-recommends postgresql-client
ENV PATH=/opt/deniable/.venv/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 DENIABLE_DATA_DIR=/data
WORKDIR /opt/deniable
COPY --from=build /opt/deniable ./
COPY --from=build --chown=10001:10001 /opt/deniable/volume /
# No account of this number is needed: nothing is looked up of it.
USER 10001:10001
VOLUME /data
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s CMD ["python", "deploy/healthy.py"]
ENTRYPOINT ["python", "manage.py"]
CMD ["serve", "--host", "0.0.0.0"]

# Keeps connections to PostgreSQL, of which it has few, for the program's workers, of which there may be many.
FROM debian:trixie-slim AS pool
# hadolint ignore=DL3008
RUN --mount=type=tmpfs,target=/var/lib/apt/lists \
    apt-get update -qq && apt-get install -y -qq --no-install-recommends pgbouncer
COPY deploy/pgbouncer.ini deploy/pool.sh /etc/deniable/
USER 10001:10001
EXPOSE 6432
ENTRYPOINT ["sh", "/etc/deniable/pool.sh"]
