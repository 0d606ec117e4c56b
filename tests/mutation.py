"""Mutation testing of the mathematics: `python -m tests.mutation [PATH ...]`.

Every mutant is one small change of surveys/privacy, surveys/estimation or surveys/learn/learners; it is killed when a
test of the mathematics fails. The run happens in a copy. Mutants of error messages are left out: what lies inside a
`raise` is not changed, the condition above it is. Paths limit the run, e.g. `surveys/estimation/planning`.

Survivors that change nothing that anybody can observe stand in docs/mutants.md with the reason.
"""

import argparse
import ast
import fnmatch
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from tests.property_profile import ALL_EXAMPLES

ROOT = Path(__file__).resolve().parent.parent
MUTATED = ("surveys/privacy", "surveys/estimation", "surveys/learn/learners")
TESTS = ("tests/privacy", "tests/estimation", "tests/learn/learners")
COPIED = (*MUTATED, *TESTS, "tests/golden")
KILLED = {1, 3, 36, 152, -24, 255, -11, 24}  # a failing test, a test that cannot run, a time-out, a crash
SURVIVED, UNTESTED = 0, 33
SETTINGS = """\
[mutmut]
source_paths=surveys
only_mutate=
    {only}
pytest_add_cli_args_test_selection=
    {tests}
pytest_add_cli_args=
    -p
    no:django
    -p
    no:cacheprovider
    -m
    not oracle and (uncounted or not slow) and not studies
use_git_change_detection=false
timeout_multiplier=10
timeout_constant=2

[tool:pytest]
filterwarnings = error
markers =
    oracle: compares with another implementation
    slow: simulates; left out when mutants are run
    uncounted: enumerates a lot
"""


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("paths", nargs="*", default=list(MUTATED))
    options.add_argument("--tests", nargs="+", default=list(TESTS))
    options.add_argument("--processes", type=int, default=os.cpu_count())
    options.add_argument("--keep", action="store_true", help="keep the copy and name it")
    chosen = options.parse_args()
    copy = Path(tempfile.mkdtemp(prefix="deniable-mutants-"))
    try:
        prepare(copy, chosen.paths, chosen.tests)
        with (copy / "mutmut.log").open("w") as log:
            ended = subprocess.run(
                [sys.executable, "-m", "mutmut", "run", "--max-children", str(chosen.processes)],
                cwd=copy,
                env=os.environ | {"CI": "1", ALL_EXAMPLES: "1"},  # properties are looked at repeatably
                stdout=log,
                stderr=subprocess.STDOUT,
                check=False,
            )
        report(copy, chosen.paths, failed=ended.returncode != 0)
    finally:
        if chosen.keep:
            sys.stdout.write(f"The copy is {copy}\n")
        else:
            shutil.rmtree(copy)


def prepare(copy: Path, paths: list[str], tests: list[str]) -> None:
    """Copy what is mutated and what tests it, with every `raise` marked as not to be mutated."""
    for folder in COPIED:
        shutil.copytree(ROOT / folder, copy / folder, ignore=shutil.ignore_patterns("__pycache__"))
    packages = ("surveys", "surveys/learn", "tests", "tests/learn")
    for file in (*(f"{package}/__init__.py" for package in packages), "tests/property_profile.py"):
        shutil.copy(ROOT / file, copy / file)
    (copy / "tests" / "conftest.py").write_text("import tests.property_profile\n")
    for source in (copy / "surveys").rglob("*.py"):
        source.write_text(without_messages(source.read_text()))
    only = [path if path.endswith(".py") else f"{path.rstrip('/')}/*.py" for path in paths]
    (copy / "setup.cfg").write_text(SETTINGS.format(only="\n    ".join(only), tests="\n    ".join(tests)))


def without_messages(source: str) -> str:
    """Mark every line of a raise statement, so that its message is left as it is."""
    lines = source.split("\n")
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Raise):
            for number in range(node.lineno - 1, node.end_lineno or node.lineno):
                lines[number] += "  # pragma: no mutate"
    return "\n".join(lines)


def report(copy: Path, paths: list[str], *, failed: bool) -> None:
    """Print the survivors and the score."""
    outcomes = Counter[str]()
    for meta in sorted((copy / "mutants" / "surveys").rglob("*.meta")):
        file = meta.relative_to(copy / "mutants").with_suffix("")
        if not any(fnmatch.fnmatch(str(file), f"{path}*") for path in paths):
            continue
        for mutant, code in json.loads(meta.read_text())["exit_code_by_key"].items():
            outcome = "killed" if code in KILLED else {SURVIVED: "survived", UNTESTED: "untested"}.get(code, f"{code}")
            outcomes[outcome] += 1
            if outcome != "killed":
                sys.stdout.write(f"--- {outcome}: {mutant}\n{difference(copy, mutant)}\n")
    total = outcomes.total()
    if failed or not total:
        sys.stdout.write((copy / "mutmut.log").read_text().replace("\r", "\n")[-4000:])
        raise SystemExit("mutmut did not run to its end")
    sys.stdout.write(f"{outcomes['killed']} of {total} mutants killed: {outcomes['killed'] / total:.1%}; {outcomes}\n")


def difference(copy: Path, mutant: str) -> str:
    """Return the lines that the mutant changes."""
    shown = subprocess.run(
        [sys.executable, "-m", "mutmut", "show", mutant], cwd=copy, capture_output=True, text=True, check=False
    ).stdout
    return "\n".join(
        line for line in shown.splitlines() if line[:1] in {"-", "+"} and not line.startswith(("---", "+++"))
    )


if __name__ == "__main__":
    main()
