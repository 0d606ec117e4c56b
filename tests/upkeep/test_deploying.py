"""What containers and service managers are given: linted, held against its schema, carried out as far as it goes here.

No container is built or started: no engine is at hand. Each RUN line runs in an empty directory instead, and the
scripts of the containers run with the same programs from Debian.
"""

import json
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from importlib import resources
from itertools import takewhile
from pathlib import Path

import psycopg
import pytest
from django.core.management import get_commands

from tests.programs import NGINX, OPENSSL, SYSTEMD, Program
from tests.security.visiting import CODE, SERVED, answer_survey, plainly
from tests.server import HOST, ROOT, bare_environment, environment, free_port, run, serving
from tests.upkeep.pooling import pooled

# With the requirements of development alone.
jsonschema = pytest.importorskip("jsonschema")
yaml = pytest.importorskip("yaml")

# Other processes do the work.
pytestmark = pytest.mark.uncounted

BIN = Path(sys.executable).parent
DEPLOY, UNITS = ROOT / "deploy", ROOT / "deploy" / "systemd"
COMPOSE = ROOT / "compose.yaml"
# Of 10; systemd calls what is below 2 well protected, and an ordinary service 9.6.
MOST_EXPOSED = 1.5


def _path_of(program: Program) -> str:
    path = program.find()
    if path is None:
        pytest.skip(program.how_to_install)
    return path


# The container's file.


@dataclass(frozen=True)
class Instruction:
    """One instruction of the Dockerfile, with its lines joined."""

    stage: str
    word: str
    rest: str


def _instructions() -> list[Instruction]:
    text = re.sub(r"(?m)^\s*#.*\n", "", (ROOT / "Dockerfile").read_text(encoding="utf-8")).replace("\\\n", " ")
    stage, instructions = "", []
    for line in filter(None, map(str.strip, text.splitlines())):
        word, _, rest = line.partition(" ")
        if word == "FROM":
            stage = rest.rpartition(" ")[2]
        instructions.append(Instruction(stage, word, rest))
    return instructions


def test_hadolint_finds_nothing_in_the_dockerfile(tmp_path: Path) -> None:
    assert run(str(BIN / "hadolint"), "Dockerfile").stdout == ""
    planted = tmp_path / "Dockerfile"
    planted.write_text("FROM debian\nRUN sudo apt-get install curl\n")
    assert "DL3004" in run(str(BIN / "hadolint"), str(planted)).stdout


def test_the_program_runs_as_nobody_in_particular_and_says_whether_it_is_healthy() -> None:
    words = {(each.stage, each.word): each.rest for each in _instructions()}
    for stage in ("program", "pool"):
        assert words[stage, "USER"] == "10001:10001"
    assert "deploy/healthy.py" in words["program", "HEALTHCHECK"]
    assert ".git" not in (ROOT / ".dockerignore").read_text().replace("**/__pycache__", "")


def test_what_is_copied_is_there_and_let_through() -> None:
    let_through = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    copied = [
        source
        for each in _instructions()
        if each.word == "COPY" and "--from" not in each.rest
        for source in each.rest.split()[:-1]
    ]
    assert len(copied) > 6
    assert [path for path in copied if not (ROOT / path).exists()] == []
    assert [path for path in copied if path.split("/")[0] not in let_through] == []
    # All that the program reads at run time.
    assert {"surveys", "templates", "static", "locale", "manage.py"} <= set(copied)


_SIMULATED = """#!/bin/sh
# apt-get, which only says what it would do: this machine is nobody's container.
for word; do [ "$word" = update ] && exit 0; done
exec {apt_get} --simulate "$@"
"""


@pytest.mark.slow
def test_each_run_line_does_its_work_in_an_empty_directory_and_what_it_made_serves(tmp_path: Path) -> None:
    here, shims = tmp_path / "opt", tmp_path / "shims"
    here.mkdir()
    shims.mkdir()
    if apt_get := shutil.which("apt-get"):
        (shims / "apt-get").write_text(_SIMULATED.format(apt_get=apt_get))
        (shims / "apt-get").chmod(0o755)
    variables = bare_environment() | {"PATH": f"{shims}:{BIN}:{bare_environment()['PATH']}"}
    ran = 0
    for each in _instructions():
        if each.word == "COPY" and each.stage == "build":
            *sources, target = each.rest.split()
            for source in sources:
                _copy(ROOT / source, here / target if target != "./" else here / source)
        if each.word == "RUN":
            words = shlex.split(each.rest)
            command = each.rest[sum(len(word) + 1 for word in takewhile(lambda word: word[:2] == "--", words)) :]
            done = subprocess.run(
                ["sh", "-ec", command], cwd=here, env=variables, capture_output=True, text=True, check=False
            )
            assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
            ran += 1
    assert ran == 4
    assert {path.name for path in (here / ".venv").rglob("*")}.isdisjoint({"pip", "pytest", "tests"})
    assert (here / "volume" / "data").stat().st_mode & 0o777 == 0o700
    assert list((here / "volume").rglob("*")) == [here / "volume" / "data"]
    assert {path.name for path in here.iterdir()}.isdisjoint({"data"})
    _require_healthy(here, tmp_path / "data")


def _copy(source: Path, target: Path) -> None:
    if source.is_dir():
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
    else:
        target = target if target.suffix else target / source.name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, target)


def _require_healthy(here: Path, data: Path) -> None:
    """Start what was built as the container starts it, and ask it as the health check does."""
    port = free_port()
    python = here / ".venv" / "bin" / "python"
    variables = bare_environment() | {
        "DENIABLE_DATA_DIR": str(data),
        "DENIABLE_ALLOWED_HOSTS": "survey.example.org",
        "DENIABLE_BEHIND_PROXY": "1",
        "DENIABLE_PORT": str(port),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    subprocess.run([python, "manage.py", "migrate", "-v0"], cwd=here, env=variables, check=True)
    ask = [str(python), "deploy/healthy.py"]
    assert subprocess.run(ask, cwd=here, env=variables, capture_output=True, check=False).returncode != 0
    server = subprocess.Popen([python, "manage.py", "serve", "--port", str(port)], cwd=here, env=variables)
    try:
        done = None
        for _ in range(100):
            done = subprocess.run(ask, cwd=here, env=variables, capture_output=True, text=True, check=False)
            if done.returncode == 0:
                break
        assert done is not None
        assert done.returncode == 0, done.stderr
    finally:
        server.terminate()
        server.wait(timeout=30)


# The containers together.


def test_the_compose_file_follows_its_schema() -> None:
    vendored = resources.files("check_jsonschema") / "builtin_schemas" / "vendor" / "compose-spec.json"
    schema = json.loads(vendored.read_text(encoding="utf-8"))
    validator = jsonschema.validators.validator_for(schema)(schema)
    text = COMPOSE.read_text(encoding="utf-8")
    assert [error.message for error in validator.iter_errors(yaml.safe_load(text))] == []
    planted = yaml.safe_load(text.replace("depends_on:", "depends_upon:", 1))
    assert any("depends_upon" in error.message for error in validator.iter_errors(planted))


def test_only_the_proxy_is_reached_from_outside_and_every_file_and_service_that_is_named_is_there() -> None:
    composed = yaml.safe_load(COMPOSE.read_text(encoding="utf-8"))
    services = composed["services"]
    assert [name for name, service in services.items() if "ports" in service] == ["proxy"]
    assert composed["networks"]["inside"] == {"internal": True}
    assert services["database"]["networks"] == ["inside"]
    for name in ("web", "backups", "migrate", "pool"):
        assert services[name]["read_only"] is True
        assert services[name]["cap_drop"] == ["ALL"]
    stages = {each.stage for each in _instructions()}
    for service in services.values():
        assert service.get("build", {"target": "pool"})["target"] in stages
        assert set(service.get("depends_on", {})) <= set(services)
        for volume in service.get("volumes", []):
            source = volume.partition(":")[0]
            assert (ROOT / source).exists() if source.startswith("./") else source in composed["volumes"]
    # The program signs in by the role that owns nothing, through the pool.
    assert "//deniable:" in services["web"]["environment"]["DATABASE_URL"]
    assert "@pool:6432/" in services["web"]["environment"]["DATABASE_URL"]
    # No password has a value that everybody knows.
    assert re.findall(r"PASSWORD:-[^}]", COMPOSE.read_text(encoding="utf-8")) == []


@pytest.mark.slow
def test_behind_the_pool_the_role_that_owns_nothing_serves_folds_and_backs_up(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with pooled(data) as pool:
        address, owner = {"DATABASE_URL": pool.address}, {"DATABASE_URL": pool.of("deniable_owner")}
        reader = {"DATABASE_URL": pool.of("deniable_backup")}
        with serving("serve", directory=data, variables=address) as running:
            for _ in range(12):
                assert set(answer_survey(plainly(running.port), f"{HOST}:{running.port}")) <= SERVED
            house = ("housekeeping", "--once", "--night")
            kept = run(sys.executable, "manage.py", *house, **environment(data) | address)
            assert (kept.returncode, kept.stderr) == (0, "")
            backed_up = run(sys.executable, "manage.py", "backup", "--without-keys", **environment(data) | reader)
            assert "12 answers" in backed_up.stdout, backed_up.stderr
        (path,) = (data / "backups").glob("*.backup")
        over = ("restore", str(path), "--without-keys", "--replace-answers", "12")
        refused = run(sys.executable, "manage.py", *over, **environment(data) | reader)
        assert (refused.returncode, len(refused.stderr.splitlines())) == (1, 1), refused.stderr
        restored = run(sys.executable, "manage.py", *over, **environment(data) | owner)
        assert restored.returncode == 0, restored.stderr
        with psycopg.connect(pool.of("superuser")) as connection:
            row = connection.execute("SELECT count(*) FROM surveys_survey WHERE code = %s", [CODE]).fetchone()
        assert row == (1,)


def test_the_proxy_of_the_containers_is_the_one_of_the_manual_under_this_sites_name(tmp_path: Path) -> None:
    """nginx itself reads it; what the file does is tested in tests/security/test_proxy.py."""
    nginx = _path_of(NGINX)
    _path_of(OPENSSL)
    script = (DEPLOY / "proxy.sh").read_text(encoding="utf-8").replace("exec nginx", f"exec {nginx} -t")
    done = run(
        "sh", "-c", script.replace("user nginx;", "user www-data;"),
        DENIABLE_HOST="survey.example.net",
        DENIABLE_CERTIFICATES=str(tmp_path),
        DENIABLE_PROXY_DIRECTORY=str(tmp_path),
        DENIABLE_PROXY_FILE=str(DEPLOY / "nginx.conf"),
        DENIABLE_UPSTREAM="127.0.0.1:9",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    made = (tmp_path / "nginx.conf").read_text(encoding="utf-8")
    assert "survey.example.org" not in made
    assert made.count("server 127.0.0.1:9 ") == 2
    assert (tmp_path / "privkey.pem").stat().st_mode & 0o077 == 0


# Services and timers of systemd.


def _root(directory: Path) -> Path:
    """Return a file system with these units, what they start, and the targets that they name."""
    units = directory / "etc" / "systemd" / "system"
    shutil.copytree(UNITS, units)
    for target in ("sysinit", "basic", "shutdown", "timers", "multi-user", "network", "time-set", "time-sync"):
        (units / f"{target}.target").write_text("[Unit]\nDescription=There\n")
    python = directory / "opt" / "deniable" / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text("#!/bin/sh\n")
    python.chmod(0o755)
    return directory


def _names(ending: str) -> list[str]:
    return [path.name for path in sorted(UNITS.glob(f"*{ending}"))]


def test_systemd_understands_every_unit(tmp_path: Path) -> None:
    analyze, root = _path_of(SYSTEMD), _root(tmp_path / "root")
    verify = (analyze, "verify", "--man=no", f"--root={root}")
    done = run(*verify, *_names(".service"), *_names(".timer"))
    assert (done.returncode, done.stderr) == (0, "")
    assert _names(".timer") == ["deniable-backup.timer"]
    planted = root / "etc" / "systemd" / "system" / "deniable-web.service"
    planted.write_text(planted.read_text().replace("ExecStart=", "ExecBegin="))
    assert "ExecBegin" in run(*verify, "deniable-web.service").stderr


def test_systemd_finds_every_service_well_protected(tmp_path: Path) -> None:
    analyze, root = _path_of(SYSTEMD), _root(tmp_path / "root")
    for name in _names(".service"):
        done = run(analyze, "security", "--offline=yes", "--no-pager", f"--root={root}", name)
        exposure = re.search(r"exposure level for \S+: (\d+\.\d)", done.stdout)
        assert exposure, done.stderr
        assert float(exposure[1]) <= MOST_EXPOSED, done.stdout


def test_timers_and_services_start_what_there_is() -> None:
    started = {re.search(r"Unit=(.+)", path.read_text())[1] for path in UNITS.glob("*.timer")}  # type: ignore[index]
    assert started == {"deniable-backup.service"}
    commands = {
        command for path in UNITS.glob("*.service") for command in re.findall(r"manage\.py (\w+)", path.read_text())
    }
    assert commands == {"backup", "serve"}
    # Of `serve` tests/management/test_family.py shows that it says when it is ready: else it would never have started.
    kinds = {path.stem: re.findall(r"(?m)^Type=(.+)$", path.read_text()) for path in UNITS.glob("*.service")}
    assert kinds == {"deniable-web": ["notify"], "deniable-backup": ["oneshot"]}
    assert commands <= set(get_commands())


def test_the_role_for_backups_is_read_after_the_programs() -> None:
    """systemd reads what a drop-in names after what the unit names, and the last one counts."""
    places = (UNITS / "deniable-backup.service", *UNITS.glob("deniable-.service.d/*.conf"))
    read = re.findall(r"(?m)^EnvironmentFile=-?(.+)$", "\n".join(place.read_text() for place in places))
    assert read == ["/etc/deniable/settings", "/etc/deniable/backup-settings"]


_SHIMS = {
    # The first time it is asked it is today, and then tomorrow at four.
    "date": """case "$2" in
+%-H) echo 4 ;;
*) [ -e asked ] && echo 2026-11-30 || echo 2026-11-29; : > asked ;;
esac""",
    "python": 'echo "$*" >> ran',
    # The third time the container is stopped.
    "sleep": 'echo "$1" >> slept; [ "$(wc -l < slept)" -lt 3 ] || kill $PPID',
}


def test_a_container_backs_up_once_a_night(tmp_path: Path) -> None:
    for name, script in _SHIMS.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / name).chmod(0o755)
    variables = bare_environment() | {"PATH": f"{tmp_path}:{bare_environment()['PATH']}"}
    subprocess.run(["sh", DEPLOY / "backups.sh"], cwd=tmp_path, env=variables, check=False, timeout=60)
    assert (tmp_path / "ran").read_text() == "manage.py backup --retain 14 --without-keys\n"
