"""Saves the exported programs with the figures beside them and runs them as their readers would."""

import csv
import math
import os
import subprocess
import sys
from pathlib import Path

from surveys.models import Survey
from tests.exporting.reports import download
from tests.pages import owner_of
from tests.programs import RSCRIPT

# Neither Django nor scipy can be imported there, nor anything of ours.
BLOCKING = """
import runpy, sys
for name in ("scipy", "django", "surveys"):
    sys.modules[name] = None
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def saved(survey: Survey, folder: Path) -> Path:
    """Write the figures, both programs and the notebook into a folder."""
    client = owner_of(survey)
    for name, file in (
        ("figures-csv", f"figures-{survey.code}.csv"),
        ("python", "analysis.py"),
        ("r", "analysis.R"),
        ("notebook", "analysis.ipynb"),
    ):
        (folder / file).write_bytes(download(client, survey, f"survey-export-{name}"))
    return folder


def numbers(path: Path) -> dict[str, float]:
    """Return what a program wrote."""
    with path.open(newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["name", "value"]
    return {name: float(value) for name, value in rows[1:]}


def run(command: list[str]) -> subprocess.CompletedProcess[str]:
    """Run a program, which must not fail."""
    # From another folder: the programs look beside themselves. In a plain locale, as on a server.
    done = subprocess.run(
        command, capture_output=True, text=True, cwd="/", env={"PATH": os.environ["PATH"], "LC_ALL": "C"}, check=False
    )
    assert done.returncode == 0, done.stderr
    return done


def differences(output: dict[str, float], expected: dict[str, float]) -> list[str]:
    """Return the names whose numbers differ, or that only one of the two has."""
    return sorted(output.keys() ^ expected.keys()) + [
        f"{name}: {output[name]!r} instead of {value!r}"
        for name, value in expected.items()
        if name in output and not math.isclose(output[name], value, rel_tol=1e-9, abs_tol=1e-9)
    ]


def outputs(survey: Survey, folder: Path) -> list[dict[str, float]]:
    """Return what the Python program and, where there is R, the R program write; neither may warn of anything."""
    saved(survey, folder)
    commands = [[sys.executable, "analysis.py"], *([[rscript, "analysis.R"]] if (rscript := RSCRIPT.find()) else [])]
    written = []
    for program, file in commands:
        out = folder / "results.csv"
        done = run([program, str(folder / file), str(folder / f"figures-{survey.code}.csv"), str(out)])
        assert done.stderr == ""
        written.append(numbers(out))
    return written
