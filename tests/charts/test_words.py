"""Words in files, where nothing wraps them for us."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveys.charts.svg import to_svg
from surveys.charts.words import clean, width, wrapped
from tests.charts import samples
from tests.charts.samples import parsed


@given(st.text(), st.integers(60, 300), st.integers(1, 4))
def test_no_line_is_wider_than_its_room(text: str, room: int, lines: int) -> None:
    written = wrapped(text, size=14, room=room, lines=lines)
    assert len(written) <= lines
    assert all(width(line, 14) <= room for line in written)


@given(st.text(alphabet="abc de", max_size=30))
def test_what_has_room_is_written_whole(text: str) -> None:
    assert " ".join(wrapped(text, size=14, room=400, lines=3)) == clean(text)


def test_no_line_ends_between_a_number_and_its_sign() -> None:
    assert wrapped("Wilson, 95\N{NO-BREAK SPACE}%", size=14, room=80, lines=2) == ["Wilson,", "95\N{NO-BREAK SPACE}%"]


def test_what_is_cut_ends_in_an_ellipsis() -> None:
    written = wrapped("one two three four five six seven", size=14, room=70, lines=2)
    assert len(written) == 2
    assert written[-1].endswith("…")


@pytest.mark.uncounted
@given(st.text())
def test_whatever_is_written_can_be_read_again(text: str) -> None:
    document = to_svg(samples.intervals(title=text, text=text))
    assert parsed(document).findtext("{http://www.w3.org/2000/svg}desc") == clean(text)


def test_words_from_right_to_left_stand_in_the_same_place() -> None:
    """The letters alone say it: programs that do not know `direction` would take the anchor for the other side."""
    document = parsed(to_svg(samples.intervals(title="שלום")))
    title = next(element for element in document.iter() if element.tag.endswith("text"))
    embedded = "\N{RIGHT-TO-LEFT EMBEDDING}שלום\N{POP DIRECTIONAL FORMATTING}"
    assert (title.text, title.get("text-anchor"), title.get("x")) == (embedded, "start", "24")


def test_a_table_with_many_columns_has_a_wider_sheet() -> None:
    cells = samples.heat().cells[0]
    wide = samples.heat(row_labels=["a"], column_labels=["a"] * 30, cells=[[cells[0]] * 30])
    assert float(parsed(to_svg(wide)).attrib["width"]) > 2000
