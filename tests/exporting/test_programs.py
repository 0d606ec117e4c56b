"""The exported programs, run as their readers would, find the core's numbers again from the CSV alone."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from surveys.common.selectors import definition_of
from surveys.course.services import close_survey
from surveys.models import Group, Survey
from tests.exporting.core_numbers import expected_numbers
from tests.exporting.reports import fill_randomly
from tests.exporting.running import BLOCKING, differences, numbers, outputs, run, saved
from tests.exporting.test_literals import HOSTILE
from tests.factories import (
    PROTECTED,
    every_kind,
    fill,
    make_open,
    number_bands,
    number_mean,
    one_of,
    scale,
    several_of,
    yes_no,
)
from tests.programs import RSCRIPT

pytestmark = pytest.mark.django_db

# A group of four is hidden, and so are the fifty in none: taking the others from the whole must not show the four.
_SHOWN = {"north", "south"}


@pytest.fixture
def survey() -> Survey:
    more = (
        one_of(HOSTILE[:3], text="\"); quit(status = 7) #'); import os; os.abort() #\\ \U0001f0a1"),
        scale("Scale, or not saying?", **PROTECTED),
        number_bands("Bands, or not saying?", **PROTECTED),
    )
    survey = make_open(*every_kind(), *more, title='A "title" with \\ and #')
    for number, (slug, name) in enumerate([("north", "North"), ("south", "=South, \"no\"\n'x'"), ("few", "Few")]):
        group = Group.objects.create(survey=survey, slug=slug, name=name)
        fill_randomly(survey, (80, 60, 4)[number], seed=number, group=group)
    fill_randomly(survey, 50, seed=7, mode="own_coin")
    return close_survey(survey=survey)


@pytest.fixture
def small() -> Survey:
    """Enough for what all surveys share, and quickly computed."""
    survey = make_open(yes_no(), several_of(), number_mean("How many, or not saying?", **PROTECTED))
    for number, slug in enumerate(sorted(_SHOWN)):
        fill_randomly(survey, 40, seed=number, group=Group.objects.create(survey=survey, slug=slug, name=slug))
    return close_survey(survey=survey)


def test_the_python_program_computes_the_numbers_of_the_core(survey: Survey, tmp_path: Path) -> None:
    folder, out = saved(survey, tmp_path), tmp_path / "results.csv"
    figures, expected = str(folder / f"figures-{survey.code}.csv"), expected_numbers(survey, _SHOWN)
    done = run([sys.executable, "-c", BLOCKING, str(folder / "analysis.py"), figures, str(out)])
    assert differences(numbers(out), expected) == []
    assert len(done.stdout.splitlines()) == len(expected)


def test_the_r_program_computes_the_numbers_of_the_core(survey: Survey, tmp_path: Path) -> None:
    rscript = RSCRIPT.find()
    if rscript is None:
        pytest.skip(RSCRIPT.how_to_install)
    folder, out = saved(survey, tmp_path), tmp_path / "results.csv"
    run([rscript, "--vanilla", str(folder / "analysis.R"), str(folder / f"figures-{survey.code}.csv"), str(out)])
    assert differences(numbers(out), expected_numbers(survey, _SHOWN)) == []


def test_the_notebook_finds_the_numbers_cell_by_cell(small: Survey, tmp_path: Path) -> None:
    folder = saved(small, tmp_path)
    book = json.loads((folder / "analysis.ipynb").read_text(encoding="utf-8"))
    assert (book["nbformat"], book["nbformat_minor"]) == (4, 5)
    ids = [cell["id"] for cell in book["cells"]]
    assert len(set(ids)) == len(ids)
    for cell in book["cells"]:
        wanted = {"cell_type", "id", "metadata", "source"}
        assert cell.keys() == (wanted if cell["cell_type"] == "markdown" else wanted | {"outputs", "execution_count"})
    cells = ["".join(cell["source"]) for cell in book["cells"] if cell["cell_type"] == "code"]
    # As Jupyter does: one namespace, no file, the notebook's folder.
    (folder / "cells.json").write_text(json.dumps(cells))
    running = """
import json, sys
for name in ("scipy", "django", "surveys"):
    sys.modules[name] = None
space = {}
for cell in json.load(open("cells.json")):
    exec(cell, space)
json.dump({name: float(value) for name, value in space["results"].items()}, open("results.json", "w"))
"""
    done = subprocess.run([sys.executable, "-c", running], capture_output=True, text=True, cwd=folder, check=False)
    assert done.returncode == 0, done.stderr
    assert differences(json.loads((folder / "results.json").read_text()), expected_numbers(small, _SHOWN)) == []


@pytest.mark.slow
def test_reports_that_are_all_alike_stop_no_program(tmp_path: Path) -> None:
    """Estimates at every edge, standard errors of 0, answers that nobody has: fewer numbers, and no failure."""
    survey = make_open(*every_kind(), scale("Scale, or not saying?", **PROTECTED))
    for slug, code in (("north", "0"), ("south", "1")):
        group = Group.objects.create(survey=survey, slug=slug, name=slug.title())
        fill(survey, {code * len(definition_of(survey).items): 12}, group=group)
    survey = close_survey(survey=survey)
    expected = expected_numbers(survey, _SHOWN)
    for output in outputs(survey, tmp_path):
        assert differences(output, expected) == []


def test_a_wrong_formula_would_be_found(small: Survey, tmp_path: Path) -> None:
    folder, out = saved(small, tmp_path), tmp_path / "results.csv"
    program = folder / "analysis.py"
    text = program.read_text(encoding="utf-8")
    planted = text.replace("(self.n - 1 if self.n > 1 else math.nan)", "self.n")
    assert planted != text
    program.write_text(planted, encoding="utf-8")
    run([sys.executable, str(program), str(folder / f"figures-{small.code}.csv"), str(out)])
    wrong = differences(numbers(out), expected_numbers(small, _SHOWN))
    assert any(name.startswith("q1.standard_error.1") for name in wrong)
    assert not any(name.startswith("q1.moment") for name in wrong)
