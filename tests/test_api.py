"""What the packages of the mathematics offer as a library: documented, loaded when asked for, and kept as promised."""

import doctest
import importlib
import inspect
import pkgutil
import re
from pathlib import Path
from typing import Any, get_args, get_type_hints

import numpy as np
import numpy.typing as npt
import pytest

from tests import api_page, notebooks

PUBLIC = {
    f"{package}.{name}": thing for package in api_page.PACKAGES for name, thing in api_page.public(package).items()
}
FUNCTIONS = {name: thing for name, thing in PUBLIC.items() if not inspect.isclass(thing)}
CLASSES = {name: thing for name, thing in PUBLIC.items() if inspect.isclass(thing)}
CHANGED = """The signatures of public names are not those of tests/golden/public_api.txt.
Scripts of researchers depend on them. If a name, argument or field has to change, keep the old one for one release with
a DeprecationWarning, or raise the version as docs/researchers.md promises; say so in CHANGELOG.md; then run
`python -m tests.api_page --signatures`. New names need a line in CHANGELOG.md only."""


def test_the_page_is_what_the_docstrings_say() -> None:
    assert api_page.PAGE.read_text(encoding="utf-8") == api_page.page(), "python -m tests.api_page"


def test_no_signature_changes_unnoticed() -> None:
    assert api_page.SIGNATURES.read_text(encoding="utf-8").splitlines() == api_page.promised().splitlines(), CHANGED


def test_a_changed_argument_is_noticed() -> None:
    """The twin of the last test."""
    lines = api_page.SIGNATURES.read_text(encoding="utf-8").splitlines()
    name = "surveys.estimation.estimate_prevalence"
    assert api_page.signature(name, PUBLIC[name]) in lines
    assert api_page.signature(name, lambda counts, matrix: None) not in lines


@pytest.mark.parametrize("name", PUBLIC)
def test_examples_run(name: str) -> None:
    finder, runner = doctest.DocTestFinder(recurse=False), doctest.DocTestRunner()
    for test in finder.find(PUBLIC[name], name, globs={}):
        written: list[str] = []
        assert not runner.run(test, out=written.append).failed, "".join(written)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_is_documented(name: str) -> None:
    function, parts = FUNCTIONS[name], api_page.sections(FUNCTIONS[name])
    assert parts.keys() >= {"Returns", "Examples"}
    described = re.findall(r"^\**(\w[\w, ]*?)(?: : .*)?$", parts.get("Parameters", ""), re.MULTILINE)
    assert {each for names in described for each in names.split(", ")} >= set(inspect.signature(function).parameters)


@pytest.mark.parametrize("name", CLASSES)
def test_a_class_is_documented(name: str) -> None:
    cls = CLASSES[name]
    assert inspect.getdoc(cls) != inspect.getdoc(cls.__mro__[1])
    for member, value in api_page.members(cls).items():
        assert api_page.says(cls, member, value), member


@pytest.mark.parametrize("name", PUBLIC)
def test_what_a_call_returns_is_public_too(name: str) -> None:
    thing = PUBLIC[name]
    called = api_page.members(thing).values() if inspect.isclass(thing) else [thing]
    for function in filter(inspect.isfunction, called):
        # Modules without numpy name its types for the checker alone.
        known = function.__globals__ | {"np": np, "npt": npt}
        for kind in _classes(get_type_hints(function, known).get("return")):
            assert kind in CLASSES.values() or not kind.__module__.startswith("surveys."), (function, kind)


def _classes(hint: Any) -> set[type]:  # noqa: ANN401
    inside = {kind for part in get_args(hint) for kind in _classes(part)}
    return inside | ({hint} if inspect.isclass(hint) else set())


def test_a_name_is_in_one_package_and_is_no_module() -> None:
    names = [name.rpartition(".")[2] for name in PUBLIC]
    assert len(set(names)) == len(names)
    for package in api_page.PACKAGES:
        modules = {module.name for module in pkgutil.iter_modules(importlib.import_module(package).__path__)}
        assert modules.isdisjoint(names)


# The page for researchers

RESEARCHERS = (api_page.ROOT / "docs" / "researchers.md").read_text(encoding="utf-8")


def test_the_code_of_the_page_for_researchers_runs() -> None:
    code = "\n".join(re.findall(r"^```python\n(.*?)^```", RESEARCHERS, re.MULTILINE | re.DOTALL))
    written: list[str] = []
    test = doctest.DocTestParser().get_doctest(code, {}, "researchers.md", None, 0)
    result = doctest.DocTestRunner().run(test, out=written.append)
    assert result.attempted > 40
    assert not result.failed, "".join(written)


def test_what_the_page_for_researchers_calls_is_public() -> None:
    rows = [line.split(" | ")[1] for line in RESEARCHERS.splitlines() if line.startswith("| ")]
    called = {
        name for row in rows for name in re.findall(r"(?<![\w.])(\w+)\(", " ".join(re.findall(r"`([^`]+)`", row)))
    }
    assert len(called) > 30
    assert called - {"sum"} <= {name.rpartition(".")[2] for name in PUBLIC}


# Notebooks


@pytest.mark.parametrize("path", notebooks.NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_shows_what_it_kept(path: Path) -> None:
    cells = list(notebooks.run(notebooks.read(path)))
    assert len(cells) > 10
    for cell, lines in cells:
        assert notebooks.kept(cell) == lines, "".join(cell["source"])
