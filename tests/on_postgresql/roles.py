"""Run the set-up of docs/deployment/postgresql.md word for word: what the program's role may do, and what it may not.

Run by `make test-postgresql`.
"""

import re
import subprocess
import sys
from collections.abc import Iterator

import psycopg
import pytest
from django.db import connection

from surveys import checks
from surveys.models import grants
from tests.programs import POSTGRESQL
from tests.server import run
from tests.upkeep.manual import blocks

# As `manage` of the manual: with the settings, and with the owner's role as long as its file is there.
_MANAGE = """
manage() {{ (set -a; . {0}/settings; if [ -e {0}/deniable-owner ]; then . {0}/deniable-owner; fi
    .venv/bin/python manage.py "$@"); }}
"""
# What these files' tests do they do as the program's role, and take it back.
AS_THE_PROGRAM = (
    "tests/releases/test_index.py",
    "tests/releases/test_proposals.py",
    "tests/releases/ledger/test_budgets.py",
    "tests/course/test_ending.py",
)
# Each is refused for want of a right; what the role may try at all is refused by a trigger, as other tests show.
REFUSED = [
    "ALTER TABLE surveys_ledgerentry DISABLE TRIGGER ALL",
    "ALTER TABLE surveys_ledgerentry DISABLE TRIGGER guard_ledgerentry_update",
    "DROP TRIGGER guard_ledgerentry_update ON surveys_ledgerentry",
    "DROP FUNCTION guard_ledgerentry_update() CASCADE",
    "CREATE OR REPLACE FUNCTION guard_ledgerentry_update() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'",
    "CREATE FUNCTION mine() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'",
    "ALTER FUNCTION guard_ledgerentry_update() SET search_path = pg_temp",
    "ALTER FUNCTION guard_ledgerentry_update() OWNER TO deniable",
    "CREATE TRIGGER mine BEFORE INSERT ON surveys_ledgerentry FOR EACH ROW EXECUTE FUNCTION guard_truncate()",
    "CREATE RULE mine AS ON INSERT TO surveys_ledgerentry DO INSTEAD NOTHING",
    "CREATE TABLE mine (LIKE surveys_ledgerentry)",
    "CREATE TEMPORARY TABLE mine () INHERITS (surveys_ledgerentry)",
    "CREATE TEMPORARY TABLE mine (LIKE surveys_budget); ALTER TABLE mine INHERIT surveys_budget",
    "ALTER TABLE surveys_budget DROP CONSTRAINT budget_epsilon_not_overspent",
    "ALTER TABLE surveys_budget OWNER TO deniable",
    "ALTER TABLE surveys_budget ENABLE ROW LEVEL SECURITY",
    "DROP TABLE surveys_ledgerentry CASCADE",
    "TRUNCATE surveys_ledgerentry",
    "TRUNCATE surveys_response",
    "DELETE FROM surveys_ledgerentry",
    "DELETE FROM surveys_release",
    "DELETE FROM surveys_budget",
    "UPDATE surveys_ledgerentry SET reason = 'x'",
    "UPDATE surveys_release SET micro_epsilon = 1",
    "UPDATE surveys_releasepart SET n = 1",
    "UPDATE surveys_proposal SET micro_epsilon = 1",
    "DELETE FROM surveys_proposal",
    "UPDATE surveys_creditkey SET private_key = ''",
    "UPDATE surveys_decline SET nonce_hash = ''",
    "UPDATE surveys_spentreceipt SET survey_id = 1",
    "TRUNCATE surveys_creditkey",
    "DELETE FROM django_migrations",
    "SET session_replication_role = replica",
    "SET log_min_error_statement = panic",
    "SET ROLE deniable_owner",
    "SET SESSION AUTHORIZATION deniable_owner",
    "GRANT deniable_owner TO deniable",
    "ALTER ROLE deniable SUPERUSER",
    "ALTER SCHEMA public OWNER TO deniable",
    "CREATE SCHEMA mine",
    "ALTER DATABASE deniable SET session_replication_role = replica",
    "COPY surveys_ledgerentry TO PROGRAM 'cat'",
    "COPY surveys_ledgerentry TO '/tmp/ledger'",
    "UPDATE pg_trigger SET tgenabled = 'D'",
    "DO 'BEGIN EXECUTE ''ALTER TABLE surveys_ledgerentry DISABLE TRIGGER ALL''; END'",
    "SELECT 1; ALTER TABLE surveys_ledgerentry DISABLE TRIGGER ALL",
    "CREATE FUNCTION pg_temp.mine() RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS"
    " 'BEGIN EXECUTE ''DELETE FROM surveys_ledgerentry''; END'; SELECT pg_temp.mine()",
]


def _documented(step: int) -> list[str]:
    """Return what the manual's page on PostgreSQL says in one of its steps."""
    return [block.text for block in blocks("postgresql.md") if block.heading.startswith(f"Step {step}:")]


def _server() -> str:
    return str(connection.get_connection_params()["host"])


def _psql(statements: str) -> None:
    programs = POSTGRESQL.find()
    assert programs
    options = ("-X", "-q", "-v", "ON_ERROR_STOP=1", "-h", _server(), "-U", "superuser", "postgres")
    done = run(f"{programs}/psql", *options, given=statements)
    assert done.returncode == 0, done.stderr


def _here(text: str) -> str:
    return text.replace("@localhost/deniable", f"@/deniable?host={_server()}")


def _shell(commands: str) -> subprocess.CompletedProcess[str]:
    here = _here(commands).replace(".venv/bin/python", sys.executable)
    key = "only-for-the-tests" * 4
    return run("sh", "-e", given=here, DENIABLE_SECRET_KEY=key, DENIABLE_ALLOWED_HOSTS="example.org")


@pytest.fixture(scope="module")
def documented(tmp_path_factory: pytest.TempPathFactory) -> subprocess.CompletedProcess[str]:
    """Set everything up as the manual says, but for the server, which is here already and is thrown away afterwards."""
    here = tmp_path_factory.mktemp("settings")
    _install, statements = _documented(1)
    _psql(statements)
    (here / "settings").write_text(_here(_documented(2)[0]))
    commands = "".join(_documented(3)).replace("/run/", f"{here}/")
    return _shell(_MANAGE.format(here) + commands)


@pytest.fixture
def as_the_program(documented: subprocess.CompletedProcess[str]) -> Iterator[psycopg.Connection]:
    with psycopg.connect(host=_server(), dbname="deniable", user="deniable", autocommit=True) as signed_in:
        yield signed_in


def test_the_documented_commands_set_up_a_role_that_the_deployment_check_finds_no_fault_with(
    documented: subprocess.CompletedProcess[str],
) -> None:
    assert documented.returncode == 0, documented.stderr
    assert "deniable may run the program, and owns nothing." in documented.stdout


def test_the_programs_role_changes_no_trigger_table_or_right(as_the_program: psycopg.Connection) -> None:
    passed = []
    for statement in REFUSED:
        try:
            as_the_program.execute(statement)
        except (psycopg.errors.InsufficientPrivilege, psycopg.errors.WrongObjectType):
            continue
        except psycopg.Error as error:
            passed.append(f"{statement}: {error}")
        else:
            passed.append(statement)
    assert passed == []


def test_the_owner_could_do_what_the_programs_role_cannot(documented: subprocess.CompletedProcess[str]) -> None:
    """The planted twin: the statements are right, it is the role that may not."""
    with psycopg.connect(host=_server(), dbname="deniable", user="deniable_owner") as owner:
        for statement in REFUSED[1:5]:
            owner.execute(statement)
        owner.rollback()


def test_values_sent_beside_a_statement_keep_others_from_being_strung_to_it(
    as_the_program: psycopg.Connection,
) -> None:
    with pytest.raises(psycopg.errors.SyntaxError, match="multiple commands"):
        as_the_program.execute("SELECT %s; SELECT 1", [1])


def test_the_deployment_check_warns_of_the_owner_of_a_superuser_and_of_a_log_with_values(
    documented: subprocess.CompletedProcess[str],
) -> None:
    check = "export DATABASE_URL=postgres://{}@localhost/deniable{}\n.venv/bin/python manage.py check --deploy"
    owner = _shell(check.format("deniable_owner", "")).stderr
    assert "owns the tables" in owner
    assert "W002" not in owner
    settings = ("log_statement", "log_min_duration_statement")
    for setting, loud in zip(settings, ("'all'", "500"), strict=True):
        _psql(f"ALTER DATABASE deniable SET {setting} = {loud}")
    try:
        superuser = _shell(check.format("superuser", "")).stderr
    finally:
        for setting in settings:
            _psql(f"ALTER DATABASE deniable RESET {setting}")
    assert "can give itself any right" in superuser
    assert "log_statement is all, not none" in superuser
    assert "log_min_duration_statement is 500ms, not -1" in superuser


# What the program's role can be given beside its rights to rows, how that is taken back, and what is said of it.
FURTHER = [
    ("ALTER ROLE deniable SUPERUSER", "ALTER ROLE deniable NOSUPERUSER", "can give itself any right"),
    ("ALTER ROLE deniable CREATEROLE", "ALTER ROLE deniable NOCREATEROLE", "can give itself any right"),
    ("GRANT deniable_owner TO deniable", "REVOKE deniable_owner FROM deniable", "owns the tables"),
    (
        "GRANT CREATE ON DATABASE deniable TO deniable",
        "REVOKE CREATE ON DATABASE deniable FROM deniable",
        "can make tables",
    ),
    ("ALTER ROLE deniable CREATEDB", "ALTER ROLE deniable NOCREATEDB", "can make databases"),
    ("ALTER ROLE deniable REPLICATION", "ALTER ROLE deniable NOREPLICATION", "as a replica"),
    ("ALTER ROLE deniable BYPASSRLS", "ALTER ROLE deniable NOBYPASSRLS", "row-level security"),
    *(
        (f"GRANT {role} TO deniable", f"REVOKE {role} FROM deniable", f"is in {role}")
        for role in ("pg_read_all_data", "pg_read_server_files", "pg_execute_server_program")
    ),
    # A right of a role that it can become is its own.
    (
        "CREATE ROLE helper CREATEDB; GRANT helper TO deniable",
        "DROP ROLE helper",
        "can make databases",
    ),
]


def test_every_further_right_of_the_programs_role_is_found(as_the_program: psycopg.Connection) -> None:
    def found() -> list[str]:
        return [message.msg for message in checks._of_the_role(as_the_program.cursor())]  # type: ignore[arg-type]

    assert found() == []
    for give, take, words in FURTHER:
        _psql(give)
        try:
            (message,) = found()
        finally:
            _psql(take)
        assert words in message
    assert found() == []


def test_the_doctor_fails_for_a_right_too_many_and_for_a_log_of_values(
    documented: subprocess.CompletedProcess[str],
) -> None:
    here = "export DENIABLE_LOCAL_DEMO=1 DATABASE_URL=postgres://deniable:PASSWORD@localhost/deniable"
    _psql("ALTER ROLE deniable CREATEDB; ALTER DATABASE deniable SET log_statement = 'all'")
    try:
        done = _shell(f"{here}\n.venv/bin/python manage.py doctor")
    finally:
        _psql("ALTER ROLE deniable NOCREATEDB; ALTER DATABASE deniable RESET log_statement")
    assert done.returncode == 1
    wrong = re.findall(r"(?m)^WRONG Settings: .*\((.*)\)$", done.stdout)
    assert wrong == ["deniable.W005", "deniable.W002"], done.stdout


def test_the_programs_role_can_hold_the_database_against_the_migrations(
    documented: subprocess.CompletedProcess[str],
) -> None:
    looked = "from surveys.upkeep.selectors.schema import unlike_the_migrations as unlike; print(unlike())"
    as_it = "export DATABASE_URL=postgres://deniable:PASSWORD@localhost/deniable\n.venv/bin/python manage.py shell -c"
    assert _shell(f"{as_it} '{looked}'").stdout.endswith("[]\n")


def test_no_role_that_could_do_anything_is_granted_anything(documented: subprocess.CompletedProcess[str]) -> None:
    with psycopg.connect(host=_server(), dbname="deniable", user="deniable_owner") as owner:
        said = [grants.why_not(owner.cursor(), role) for role in ("superuser", "deniable_owner", "nobody", "deniable")]
    assert ["superuser" in said[0], "the owner" in said[1], "no role" in said[2], said[3]] == [True, True, True, ""]


def test_the_programs_role_asks_answers_folds_releases_and_publishes(
    documented: subprocess.CompletedProcess[str],
) -> None:
    """Last, because the database gets the name by which tests find theirs."""
    _psql("ALTER DATABASE deniable RENAME TO test_deniable")
    url = f"postgresql://deniable@/deniable?host={_server()}"
    done = run(
        sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--reuse-db", *AS_THE_PROGRAM, DATABASE_URL=url
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "passed" in done.stdout
