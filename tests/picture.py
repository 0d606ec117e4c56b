"""Draws the rooms of the product and their order from the imports: `python -m tests.picture` writes docs/rooms.svg."""

import ast
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from xml.sax.saxutils import escape

import pytest

ROOT = Path(__file__).resolve().parent.parent
PICTURE = ROOT / "docs" / "rooms.svg"
ORDER = "Rooms import one way"
SITE, SITE_SAYS = "the site", "Settings, addresses, middleware, commands."
_ROW, _CELL, _NAMES, _HEAD, _EDGE = 22, 28, 448, 96, 16
_STYLE = """
    text { font: 13px system-ui, sans-serif; fill: #1c2430 }
    .says { fill: #5a6472 } .head { font-size: 12px }
    .paper { fill: #fff } .line { stroke: #d8dde4 } .own { fill: #eef1f5 } .imports { fill: #2f5d8a }
    @media (prefers-color-scheme: dark) {
      text { fill: #e6eaf0 } .says { fill: #a3adba }
      .paper { fill: #12171e } .line { stroke: #2c3540 } .own { fill: #1d2530 } .imports { fill: #8fb8e0 }
    }
"""


def layers() -> list[list[str]]:
    """Return the rooms from the top to the bottom, those of one height together; what no feature is counts as one."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    (order,) = (contract["layers"] for contract in contracts if contract["name"] == ORDER)
    rooms = [[name for name in layer.split(" | ") if _is_room(name)] for layer in order]
    return [[SITE], *(layer for layer in rooms if layer)]


def _is_room(name: str) -> bool:
    return (ROOT / "surveys" / name).is_dir() and name != "management"


def imports() -> Counter[tuple[str, str]]:
    """Return how many imports there are from one room to another."""
    graph = pytest.importorskip("grimp").build_graph("surveys", cache_dir=None)
    pairs = Counter[tuple[str, str]]()
    for module in graph.modules - {"surveys"}:
        for imported in graph.find_modules_directly_imported_by(module) - {"surveys"}:
            pairs[_room(module), _room(imported)] += 1
    return Counter({pair: n for pair, n in pairs.items() if pair[0] != pair[1] and "migrations" not in pair})


def _room(module: str) -> str:
    name = module.split(".")[1]
    return name if _is_room(name) else SITE


def draw() -> str:
    """Return the picture: a row a room, and in it how much it imports from each of the rooms below."""
    heights, counts = layers(), imports()
    order = [room for layer in heights for room in layer]
    place = {room: number for number, room in enumerate(order)}
    width, height = _NAMES + _CELL * len(order) + _EDGE, _HEAD + _ROW * len(order) + _EDGE
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" role="img">',
            "  <title>The rooms of Deniable: each imports only from those further down</title>",
            f"  <style>{_STYLE}  </style>",
            f'  <rect class="paper" width="{width}" height="{height}"/>',
            f'  <text x="{_EDGE}" y="24" font-weight="600">Rooms and their order</text>',
            f'  <text class="says" x="{_EDGE}" y="44">A dot: the room of the row imports from the room of</text>',
            f'  <text class="says" x="{_EDGE}" y="61">the column, a few times, often (5) or very often (20).</text>',
            f'  <text class="says" x="{_EDGE}" y="78">Right of the diagonal is what is further down.</text>',
            *_lines(heights, width),
            *(line for room in order for line in _names(room, place[room])),
            *(_dot(place[above], place[below], n) for (above, below), n in sorted(counts.items())),
            "</svg>\n",
        ]
    )


def _lines(heights: list[list[str]], width: int) -> Iterator[str]:
    y = _HEAD
    for layer in heights:
        yield f'  <line class="line" x1="{_EDGE}" x2="{width - _EDGE}" y1="{y}" y2="{y}"/>'
        y += _ROW * len(layer)


def _names(room: str, number: int) -> Iterator[str]:
    x, y = _NAMES + _CELL * number, _HEAD + _ROW * number
    yield f'  <rect class="own" x="{x}" y="{y}" width="{_CELL}" height="{_ROW}"/>'
    yield f'  <text x="{_EDGE}" y="{y + 15}" font-weight="600">{room}</text>'
    yield f'  <text class="says" x="{_EDGE + 92}" y="{y + 15}">{escape(_says(room))}</text>'
    yield f'  <text class="head" transform="translate({x + 16} {_HEAD - 6}) rotate(-60)">{room}</text>'


def _says(room: str) -> str:
    if room == SITE:
        return SITE_SAYS
    return ast.get_docstring(ast.parse((ROOT / "surveys" / room / "__init__.py").read_text())) or ""


def _dot(above: int, below: int, n: int) -> str:
    x, y = _NAMES + _CELL * below + _CELL // 2, _HEAD + _ROW * above + _ROW // 2
    return f'  <circle class="imports" cx="{x}" cy="{y}" r="{2.5 if n < 5 else 5 if n < 20 else 8}"/>'


if __name__ == "__main__":
    PICTURE.write_text(draw(), encoding="utf-8")
