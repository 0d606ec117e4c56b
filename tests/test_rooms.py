"""The plan of the code: rooms, the same file names in each, and the same rooms among the templates and tests."""

import ast
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from tests import picture

ROOT = Path(__file__).resolve().parent.parent
PRODUCT = ROOT / "surveys"
# A file, or a folder where one file would be too much.
NAMES = {"urls", "admin", "views", "charts", "tags", "words", "forms", "services", "figures", "selectors"}
# What is no feature but stands below or above all features, with a plan of its own.
WITHOUT_PAGES = {
    "privacy",
    "estimation",
    "charts",
    "models",
    "migrations",
    "management",
    "formats",
    "numbers",
    "questionnaire",
}
OTHERS = {
    "common": {
        "administration",
        "caches",
        "content_policy",
        "metadata",
        "on_demand",
        "qr",
        "readiness",
        "record",
        "servers",
        "spreadsheets",
        "totals",
    },
    "credit": {"blind"},
    "documents": {"starters"},
    "exporting": {"files"},
    "learn": {"budget", "learners", "page", "pages"},
    "lessons": {"ready"},
    "linting": {"findings", "subject", "rules"},
    "releases": {"ledger", "families", "mechanisms", "files", "refusals"},
    "releases/ledger": {"files"},
    "responses": {"told"},
    "results": {"formulas", "kept", "pages", "report", "sections", "tabs"},
}
ALL_ROOMS = {"admin", "charts", "registration"}  # templates that several rooms, or Django itself, look for
ACROSS = {
    "browser",
    "comparison",
    "golden",
    "i18n",
    "load",
    "on_postgresql",
    "scale",
    "security",
}  # tests that visit all rooms


def _folders(path: Path) -> set[str]:
    return {child.name for child in path.iterdir() if child.is_dir() and child.name != "__pycache__"}


def _features() -> Iterator[tuple[str, set[str]]]:
    """Yield every room, and every room in a room, with what stands in it."""
    rooms = sorted(_folders(PRODUCT) - WITHOUT_PAGES)
    for room in [*rooms, "releases/ledger"]:
        yield room, {child.stem for child in (PRODUCT / room).iterdir()} - {"__init__", "__pycache__"}


def test_a_room_has_files_of_the_plan() -> None:
    others = {room: has - NAMES for room, has in _features() if has - NAMES}
    assert others == OTHERS


def test_the_order_of_files_holds_in_every_room() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    (inside,) = (contract for contract in contracts if contract["name"] == "In a room imports run one way")
    ordered = {name.strip("()") for layer in inside["layers"] for name in layer.split(" | ")}
    assert ordered == NAMES
    held = {f"surveys.{room.replace('/', '.')}" for room, has in _features() if len(has & NAMES) > 1}
    # It has an order of its own: one more contract.
    held -= {"surveys.results"}
    assert set(inside["containers"]) == held


def test_templates_and_tests_have_the_rooms_of_the_product() -> None:
    rooms = _folders(PRODUCT)
    assert _folders(ROOT / "templates") - rooms - ALL_ROOMS == set()
    assert _folders(ROOT / "tests") - rooms - ACROSS == set()
    tested = rooms - {"formats", "migrations"}
    assert tested - _folders(ROOT / "tests") == set()


def test_the_picture_is_what_the_imports_say() -> None:
    assert picture.PICTURE.read_text(encoding="utf-8") == picture.draw(), "make picture"


def _loaded_with(body: list[ast.stmt]) -> Iterator[tuple[str, ...]]:
    """Yield the names under which a module may import others when it is loaded itself."""
    for node in body:
        if isinstance(node, ast.ImportFrom):
            yield (node.module or "", *(f"{node.module}.{each.name}" for each in node.names))
        if isinstance(node, ast.Import):
            yield tuple(each.name for each in node.names)
        if not isinstance(node, ast.FunctionDef) and "TYPE_CHECKING" not in ast.unparse(getattr(node, "test", node)):
            yield from _loaded_with(getattr(node, "body", []))


def test_no_module_imports_itself_by_a_detour() -> None:
    """Of two threads that load modules at once, as a worker's do, each would find half of the other's.

    Models are loaded before there are threads.
    """
    files = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
        for path in sorted(PRODUCT.rglob("*.py"))
        if "models" not in path.parts
    }
    loaded = {
        module: {name for names in _loaded_with(ast.parse(path.read_text(encoding="utf-8")).body) for name in names}
        for module, path in files.items()
    }
    assert "surveys.charts.heat" in loaded["surveys.charts"]
    TopologicalSorter({module: names & files.keys() - {module} for module, names in loaded.items()}).prepare()
    loaded["surveys.charts.chart"] = {"surveys.charts"}
    with pytest.raises(CycleError):
        TopologicalSorter({module: names & files.keys() for module, names in loaded.items()}).prepare()


def test_no_two_public_classes_have_one_name() -> None:
    homes = defaultdict(list)
    for path in sorted(PRODUCT.rglob("*.py")):
        # Django looks for a class of this name in the file of every command.
        if "migrations" not in path.parts and path.parent.name != "commands":
            for node in ast.parse(path.read_text(encoding="utf-8")).body:
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    homes[node.name].append(path.relative_to(ROOT).as_posix())
    assert len(homes) > 200
    assert {name: files for name, files in homes.items() if len(files) > 1} == {}
