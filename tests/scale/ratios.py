"""What PgBouncer, a cluster, and the row that all inserts hold cost, as ratios: `python -m tests.scale.ratios`.

pgbench stores answers as the program does, each way in turn, round after round; medians of the ratios within a round.
Three nodes on one machine share its processors, so a cluster can only be slower here: no speed-up can be shown.
"""

# ruff: noqa: T201 - a script that prints its measurements
import contextlib
import os
import re
import statistics
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.postgresql import postgresql
from tests.programs import PGBOUNCER, POSTGRESQL
from tests.scale import servers
from tests.scale.rounds import OURS
from tests.server import ROOT, bare_environment

ROUNDS, SECONDS = 5, 4
CLIENTS = (16, 64)
STORE = "SELECT store_response({survey}, NULL, 'device', '01', uuid_send(gen_random_uuid()));"
# An insert without any lock, with the key of the survey held, and with a foreign key, which holds it as well.
BARE = """
    INSERT INTO {table} SELECT s.id, 'device', '01', uuid_send(gen_random_uuid()) FROM surveys_survey s
    WHERE s.id = {survey} AND s.state = 'open'{lock} ON CONFLICT DO NOTHING;
"""
TABLES = """
    CREATE TABLE plain (survey bigint NOT NULL, mode text NOT NULL, reports text NOT NULL, nonce bytea PRIMARY KEY);
    CREATE TABLE referring (survey bigint NOT NULL REFERENCES surveys_survey, mode text NOT NULL, reports text NOT NULL,
        nonce bytea PRIMARY KEY)
"""
LOCK = " FOR KEY SHARE OF s"


def main() -> None:
    with contextlib.ExitStack() as stack:
        server = stack.enter_context(postgresql(POSTGRESQL.find() or ""))
        socket = server.partition("host=")[2]
        pool = stack.enter_context(servers.pgbouncer(PGBOUNCER.find() or "", f"host={socket}"))
        scratch = Path(stack.enter_context(TemporaryDirectory(prefix="deniable-ratios-")))
        survey = _survey(server, scratch)
        ways = {"direct": (server, survey), "PgBouncer": (pool.url, survey)}
        if os.environ.get("CITUS"):
            cluster = stack.enter_context(servers.citus(os.environ["CITUS"]))
            ways["Citus"] = (cluster.url, _survey(cluster.url, scratch, distributed=True))
        for clients in CLIENTS:
            runs = {name: (url, STORE.format(survey=key)) for name, (url, key) in ways.items()}
            _compare(f"storing an answer, {clients} clients", runs, clients)
        _psql(server, TABLES)
        locks = {
            "no lock": BARE.format(table="plain", survey=survey, lock=""),
            "key held": BARE.format(table="plain", survey=survey, lock=LOCK),
            "foreign key": BARE.format(table="referring", survey=survey, lock=""),
            "both": BARE.format(table="referring", survey=survey, lock=LOCK),
        }
        _compare("the survey's row, 64 clients", {name: (server, text) for name, text in locks.items()}, 64)


def _compare(title: str, runs: dict[str, tuple[str, str]], clients: int) -> None:
    rates: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(ROUNDS):
        for name, (url, statement) in runs.items():
            rates[name].append(_rate(url, statement, clients))
    first = next(iter(runs))
    print(title)
    for name, of_name in rates.items():
        ratios = sorted(rate / beside for rate, beside in zip(of_name, rates[first], strict=True))
        print(
            f"  {name:12} {statistics.median(of_name):8,.0f}/s; ÷ {first}: {statistics.median(ratios):.2f} "
            f"({ratios[0]:.2f} to {ratios[-1]:.2f})"
        )


def _rate(url: str, statement: str, clients: int) -> float:
    with TemporaryDirectory(prefix="deniable-ratios-") as scratch:
        script = Path(scratch, "statement.sql")
        script.write_text(" ".join(statement.split()) + "\n")
        how = ("-n", "-c", str(clients), "-j", "2", "-T", str(SECONDS), "-f", str(script))
        done = subprocess.run(
            [f"{POSTGRESQL.find()}/pgbench", *how, url], capture_output=True, text=True, check=False, cwd="/"
        )
    match = re.search(r"tps = ([\d.]+)", done.stdout)
    if done.returncode or not match:
        raise SystemExit(done.stdout + done.stderr)
    return float(match[1])


def _psql(url: str, statements: str) -> None:
    command = [f"{POSTGRESQL.find()}/psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-c", statements, url]
    subprocess.run(command, check=True, cwd="/")


_SETTING_UP = """
import django; django.setup()
from django.core.management import call_command
call_command("migrate", verbosity=0)
from tests.factories import make_open, yes_no
from tests.scale.distributing import distribute
if {distributed}: distribute()
print(make_open(yes_no(), yes_no("Again?")).pk)
"""


def _survey(url: str, scratch: Path, *, distributed: bool = False) -> int:
    """Return the key of a new open survey there."""
    settings = {"DATABASE_URL": url, "DJANGO_SETTINGS_MODULE": "surveys.settings", "DENIABLE_DATA_DIR": str(scratch)}
    done = subprocess.run(
        [sys.executable, "-c", _SETTING_UP.format(distributed=distributed)],
        cwd=ROOT,
        env=bare_environment() | OURS | settings,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(done.stderr)
    return int(done.stdout)


if __name__ == "__main__":
    main()
