"""A mechanism is named in its own file and nowhere else in the product, so that a new one is a new file."""

import ast
import json
import re
from collections.abc import Iterator
from functools import cache

import pytest

from surveys.models import Mechanism
from surveys.releases.mechanisms import PLANS
from tests.i18n.extraction import ROOT

HOMES = ROOT / "surveys" / "releases" / "mechanisms"

# Whole words that are mechanisms and nothing else; the others are words of the field as well.
UNMISTAKABLE = [name for name in Mechanism.values if "_" in name]

ROOM = "surveys/releases/"
# The lab teaches mechanisms, on simulated people.
LAB = "surveys/learn/"
MATHEMATICS = ("surveys/privacy/", "surveys/estimation/")
ALLOWED = {
    "surveys/models/release.py": "the enum: what can be stored",
    "surveys/migrations/0001_initial.py": "the enum, as the database knows it",
    "surveys/management/commands/demo.py": "content: the demonstration asks for one release, as people do",
    "static/verify_release.py": "ships alone, and must not trust the program; a test holds it against the enum",
    "static/schemas/release-1.schema.json": "ships alone; the test below holds it against the registry",
}
# A word that names something else: where, and what.
OTHERWISE = {
    ("surveys/releases/families/counts.py", "mean"): "what counts of two limits come to, in JSON",
    ("surveys/releases/mechanisms/figures_by_group.py", "mean"): "which figure it is, in JSON",
    ("surveys/releases/families/sums.py", "total"): "a noisy sum, as it is stored",
    ("surveys/releases/families/plan.py", "total"): "a unit of accuracy",
    ("surveys/releases/ledger/admin.py", "total"): "what a budget allows",
    ("surveys/releases/ledger/charts.py", "total"): "what a budget allows",
    ("surveys/releases/ledger/files.py", "total"): "what a budget allows",
    ("surveys/releases/forms/questions.py", "total"): "a budget's total, in a sentence",
    ("surveys/releases/forms/terms.py", "total"): "a unit of accuracy",
}


def _product() -> Iterator[tuple[str, str]]:
    """Yield every file of the product in which a mechanism could be named, with its text."""
    for folder, endings in (
        ("surveys", {".py"}),
        ("templates", {".html", ".txt"}),
        ("static", {".py", ".js", ".json"}),
    ):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in endings and "__pycache__" not in path.parts:
                yield path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")


def _is_home(path: str, name: str) -> bool:
    return path == (HOMES / f"{name}.py").relative_to(ROOT).as_posix() or path.startswith(MATHEMATICS)


def _named_in_text(text: str) -> set[str]:
    return {name for name in UNMISTAKABLE if re.search(rf"\b{name}\b", text)}


def _named_in_code(text: str) -> Iterator[str]:
    """Yield members of the enum, files of mechanisms, and texts with the words in them; any text by itself."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "Mechanism":
            yield node.attr.lower()
        elif isinstance(node, ast.ImportFrom) and str(node.module).startswith("surveys.releases.mechanisms."):
            yield str(node.module).rpartition(".")[2]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
            yield from _named_in_text(node.value)


def _about_releases(path: str, text: str) -> bool:
    return "release" in path or "surveys.releases" in text or re.search(r"\bMechanism\b", text) is not None


@cache
def _named(path: str, text: str) -> set[str]:
    if not path.endswith(".py"):
        return _named_in_text(text)
    if _about_releases(path, text):
        return set(_named_in_code(text)) & set(Mechanism.values)
    # Of other files only those that have such a word anywhere need be read.
    return set(_named_in_code(text)) & set(UNMISTAKABLE) if _named_in_text(text) else set()


def _strays(files: Iterator[tuple[str, str]]) -> list[tuple[str, str]]:
    named = {(path, name) for path, text in files if path not in ALLOWED for name in _named(path, text)}
    return sorted((path, name) for path, name in named - OTHERWISE.keys() if not _is_home(path, name))


def test_no_file_but_its_own_names_a_mechanism() -> None:
    assert _strays(_product()) == []


def test_only_the_room_of_mechanisms_and_the_lab_know_their_mathematics() -> None:
    known = re.compile(r"from surveys\.privacy\.mechanisms\.(?!mechanism )")
    files = [path for path, text in _product() if path.endswith(".py") and known.search(text)]
    assert [path for path in files if not path.startswith((ROOM, LAB, *MATHEMATICS))] == []
    assert any(path.startswith(ROOM) for path in files)


def test_every_exception_is_still_needed() -> None:
    texts = dict(_product())
    assert [path for path in ALLOWED if not any(name in texts[path] for name in Mechanism.values)] == []
    assert [(path, word) for path, word in OTHERWISE if word not in _named(path, texts[path])] == []


@pytest.mark.parametrize(
    "line",
    [
        'if plan.name == "smooth_median":',
        "if plan.name == Mechanism.TOP:",
        "from surveys.releases.mechanisms.total import TotalPlan",
        'WORDS = {"mean": "…"}',
    ],
)
def test_a_file_that_names_one_is_a_stray(line: str) -> None:
    planted = line + "\n    pass\n" if line.startswith("if") else line + "\n"
    path = "surveys/releases/planted.py"
    assert [stray[0] for stray in _strays(iter([(path, planted)]))] == [path]


def test_a_template_that_names_one_is_a_stray() -> None:
    planted = '{% if release.mechanism == "stable_mode" %}refused{% endif %}'
    assert _strays(iter([("templates/releases/planted.html", planted)])) == [
        ("templates/releases/planted.html", "stable_mode")
    ]


def test_every_mechanism_has_a_file_of_its_name_and_no_file_is_without_one() -> None:
    files = {path.stem for path in HOMES.glob("*.py")} - {"__init__"}
    assert files == set(Mechanism.values) == set(PLANS)
    for name, plan in PLANS.items():
        assert plan.__module__ == f"surveys.releases.mechanisms.{name}"


def test_the_schema_lists_the_mechanisms_of_the_registry() -> None:
    schema = json.loads((ROOT / "static" / "schemas" / "release-1.schema.json").read_text(encoding="utf-8"))
    assert schema["properties"]["mechanism"]["enum"] == list(PLANS)


def test_no_two_files_of_the_room_import_each_other() -> None:
    room = ROOT / "surveys" / "releases"
    imports = {}
    for path in room.rglob("*.py"):
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        imports[module] = {node.module for node in nodes if isinstance(node, ast.ImportFrom)}
    circles = [(one, other) for one, known in imports.items() for other in known if one in imports.get(str(other), ())]
    assert circles == []
