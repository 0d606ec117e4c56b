"""Run the notebooks of docs/notebooks from top to end and keep what they show: `python -m tests.notebooks`."""

import ast
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

NOTEBOOKS = sorted((Path(__file__).resolve().parent.parent / "docs" / "notebooks").glob("*.ipynb"))
Json = Any


def read(path: Path) -> Json:
    return json.loads(path.read_text(encoding="utf-8"))


def run(notebook: Json) -> Iterator[tuple[Json, list[str]]]:
    """Run all code in one namespace; yield each cell with the lines of its value: each ends with an expression."""
    namespace: dict[str, Any] = {}
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            *statements, last = ast.parse("".join(cell["source"])).body
            assert isinstance(last, ast.Expr)
            exec(compile(ast.Module(statements, []), "cell", "exec"), namespace)  # noqa: S102 - the notebooks are ours
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), namespace)  # noqa: S307
            yield cell, repr(value).splitlines(keepends=True)


def kept(cell: Json) -> list[str]:
    """Return the lines that a cell shows as they were kept."""
    return [line for output in cell["outputs"] for line in output["data"]["text/plain"]]


def keep(notebook: Json) -> None:
    """Put what the cells show into the notebook."""
    for number, (cell, lines) in enumerate(run(notebook), start=1):
        shown = {"data": {"text/plain": lines}, "execution_count": number, "metadata": {}}
        cell |= {"execution_count": number, "outputs": [shown | {"output_type": "execute_result"}]}


if __name__ == "__main__":
    for path in NOTEBOOKS:
        notebook = read(path)
        keep(notebook)
        path.write_text(json.dumps(notebook, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
