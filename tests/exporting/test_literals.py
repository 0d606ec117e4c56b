"""Whatever people wrote, in a program it stays a text."""

import ast
import subprocess
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveys.exporting.files.programs import python_literal, r_literal
from tests.programs import RSCRIPT

HOSTILE = [
    '"); quit(status = 7) #',
    "'); import os; os.abort() #",
    "back\\slash \\n \\U{41} \\",
    "two\nlines\r\n# %% [markdown]\n@@SURVEY@@ @@LEVEL@@",
    "tab\t and bell \a",
    "ünïcode 🂡 \u202eright to left\u2028next line\x85",
    "{{ braces }} ${x} %s `ls`",
    "",
]
_TEXTS = st.text(st.characters(codec="utf-8"))
_DATA = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | _TEXTS,
    lambda inner: st.lists(inner) | st.dictionaries(_TEXTS, inner),
    max_leaves=5,
)


@pytest.mark.uncounted
@given(_DATA)
def test_a_python_literal_is_the_data_and_nothing_else(data: Any) -> None:  # noqa: ANN401
    assert ast.literal_eval(python_literal(data)) == data


@given(st.lists(_TEXTS))
def test_no_python_literal_leaves_its_line_by_what_it_holds(texts: list[str]) -> None:
    lines = python_literal(texts).splitlines()
    assert all(line.startswith(("[", "]", "    ")) for line in lines)


@pytest.mark.uncounted
@given(_DATA)
def test_an_r_literal_is_ascii_without_line_breaks_in_its_texts(data: Any) -> None:  # noqa: ANN401
    written = r_literal(data)
    assert written.isascii()
    assert written.replace("\n", "").isprintable()


def test_r_reads_every_text_as_it_was_written() -> None:
    rscript = RSCRIPT.find()
    if rscript is None:
        pytest.skip(RSCRIPT.how_to_install)
    data = {"texts": HOSTILE, "none": None, "numbers": [1, 2.5, -3], "empty": [], HOSTILE[0]: [True]}
    program = (
        f"data <- {r_literal(data)}\n"
        "stopifnot(identical(data$numbers, c(1, 2.5, -3)), length(data$empty) == 0, isTRUE(data[[5]][[1]]))\n"
        "for (text in c(data$texts, names(data)[5])) cat(utf8ToInt(enc2utf8(text)), '\\n')"
    )
    done = subprocess.run([rscript, "--vanilla", "-e", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    read = ["".join(map(chr, map(int, line.split()))) for line in done.stdout.splitlines()]
    assert read == [*HOSTILE, HOSTILE[0]]
