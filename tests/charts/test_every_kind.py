"""What charts of every kind keep to, on the page and as files."""

import re
from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from html import unescape
from html.parser import HTMLParser
from xml.etree import ElementTree as ET

import pytest
from django.template.loader import render_to_string
from django.test import RequestFactory
from django.utils import translation

from surveys.charts import Chart, CurveChart, LargeInterval, Table
from surveys.charts.svg import to_svg
from tests.charts.samples import KINDS, curves, large, parsed

Make = Callable[..., Chart]
SVG = "{http://www.w3.org/2000/svg}"
every_kind = pytest.mark.parametrize("make", KINDS, ids=lambda make: make.__name__)

HOSTILE = [
    "<script>alert(1)</script>",
    "]]> &amp; &#0; <![CDATA[",
    '" onload="alert(1)',
    "שלום, עולם! תשובה ארוכה",
    "control \x00\x08\x0b\x1f\x7f\x85 characters",
    "half a pair \ud800 and no character \ufffe\uffff",
    "overriding \u202e direction",
    "x" * 500,
    "many words " * 46,
    "絵文字と日本語" * 40,
    "a\u0301" * 300,
    "",
    " \t\n ",
]


def page_of(chart: Chart) -> str:
    return render_to_string("charts/_figure.html", {"chart": chart}, request=RequestFactory().get("/?level=90"))


class _Reader(HTMLParser):
    """What a page's elements are, and its texts."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        if data.strip():
            self.texts.append(data.strip())


def percentages(page: str) -> list[float]:
    return [float(share) for share in re.findall(r'"(-?[\d.]+)%"', page)]


@every_kind
def test_no_place_is_outside_the_drawing(make: Make) -> None:
    page = page_of(make())
    numbers = percentages(page) + [
        float(number) for line in re.findall(r' d="M[\d. L]+Z?"', page) for number in re.findall(r"[\d.]+", line)
    ]
    assert all(0 <= number <= 100 for number in numbers)


@every_kind
def test_places_are_written_alike_in_every_language(make: Make) -> None:
    with translation.override("de"):
        page = page_of(make())
    assert not re.search(r'"-?\d+,\d+%', page)
    assert not re.search(r' d="M\d+,\d', page)


@every_kind
def test_the_words_and_the_table_stand_on_the_page(make: Make) -> None:
    chart = make()
    texts = _Reader(page_of(chart)).texts
    assert {chart.title, chart.table.caption, *chart.table.headings} <= set(texts)
    assert {cell for row in chart.table.rows for cell in row} <= set(texts)


@every_kind
def test_whoever_cannot_see_it_is_told_once_what_is_to_be_seen(make: Make) -> None:
    chart = make()
    reader = _Reader(page_of(chart))
    rows = getattr(chart, "rows", getattr(chart, "bars", [chart.row] if isinstance(chart, LargeInterval) else []))
    drawn = [attributes.get("aria-label") for tag, attributes in reader.elements if attributes.get("role") == "img"]
    if rows:
        assert drawn == [row.says for row in rows]
    # A heat table is a table; of lines only the words tell.
    assert reader.texts.count(chart.text) == isinstance(chart, CurveChart)


@every_kind
def test_a_keyboard_gets_to_the_table_and_to_the_files(make: Make) -> None:
    reader = _Reader(page_of(make()))
    tags = [tag for tag, _ in reader.elements]
    assert {"details", "summary", "button"} <= set(tags)
    assert any(attributes.get("tabindex") == "0" for tag, attributes in reader.elements if tag == "div")
    assert [attributes["href"] for tag, attributes in reader.elements if tag == "a"] == [
        f"?level=90&chart={make().name}"
    ]


@every_kind
def test_two_charts_on_a_page_share_no_id(make: Make) -> None:
    page = page_of(make(name="first")) + page_of(make(name="second"))
    ids = [attributes["id"] for _, attributes in _Reader(page).elements if "id" in attributes]
    assert len(ids) == len(set(ids)) > 0
    pointed = {
        name
        for _, attributes in _Reader(page).elements
        for key in ("aria-labelledby", "aria-describedby")
        for name in (attributes.get(key) or "").split()
    }
    assert pointed <= set(ids)


@every_kind
def test_a_page_drawn_without_a_request_offers_no_files(make: Make) -> None:
    assert "download" not in render_to_string("charts/_figure.html", {"chart": make()})


@every_kind
def test_the_file_is_a_drawing_with_a_title_and_a_description(make: Make) -> None:
    chart = make()
    document = parsed(to_svg(chart))
    assert document.tag == f"{SVG}svg"
    assert document.findtext(f"{SVG}title") == chart.title
    assert document.findtext(f"{SVG}desc") == chart.text
    assert document.get("viewBox") == f"0 0 {document.get('width')} {document.get('height')}"


@every_kind
def test_the_file_holds_shapes_texts_and_one_stylesheet_of_ours(make: Make) -> None:
    written = to_svg(make())
    elements = list(parsed(written).iter())
    assert {element.tag.removeprefix(SVG) for element in elements} <= {
        "svg", "title", "desc", "style", "g", "rect", "line", "circle", "path", "text",
    }  # fmt: skip
    assert written.count("<style>") == 1
    names = {name for element in elements for name in element.attrib}
    assert not names & {"href", "{http://www.w3.org/1999/xlink}href"}
    assert not [name for name in names if name.startswith("on")]
    assert [element.get("id") for element in elements if element.get("id")] == [f"chart-{make().name}"]
    # Nothing is loaded, and no name of the page's stylesheet is left.
    assert not re.search(r"url\(|@|var\(|rem\b", written)


@every_kind
def test_every_shape_in_the_file_has_its_colour_from_the_stylesheet(make: Make) -> None:
    document = parsed(to_svg(make()))
    rules = document.findtext(f"{SVG}style", "")
    above = {child: parent for parent in document.iter() for child in parent}
    for shape in document.iter():
        if shape.tag.removeprefix(SVG) in {"rect", "line", "circle", "path"} and not {"fill", "stroke"} & set(
            shape.keys()
        ):
            names = f"{shape.get('class', '')} {above[shape].get('class', '')}".split()
            assert any(re.search(rf"\.{name}[ ,][^}}]*\b(fill|stroke): ", rules) for name in names), ET.tostring(shape)


@every_kind
def test_everything_in_the_file_lies_on_the_sheet(make: Make) -> None:
    document = parsed(to_svg(make()))
    wide, high = (float(document.attrib[side]) for side in ("width", "height"))
    places = list(_places(document, (0, 0), (wide, high)))
    assert len(places) > 10
    assert [place for place in places if not (0 <= place[0] <= wide and 0 <= place[1] <= high)] == []


def _places(
    drawing: ET.Element, start: tuple[float, float], size: tuple[float, float]
) -> Iterator[tuple[float, float]]:
    """Return where things stand on the sheet, from the places they have in drawings within drawings."""
    *_, across, down = map(float, drawing.get("viewBox", f"0 0 {size[0]} {size[1]}").split())
    scale = (size[0] / across, size[1] / down)

    def along(element: ET.Element, name: str, axis: int) -> float:
        value = element.get(name, "0")
        return float(value[:-1]) / 100 * size[axis] if value.endswith("%") else float(value) * scale[axis]

    for element in drawing:
        for x, y in (("x", "y"), ("x1", "y1"), ("x2", "y2"), ("cx", "cy")):
            yield start[0] + along(element, x, 0), start[1] + along(element, y, 1)
        if element.tag == f"{SVG}svg" and "width" in element.attrib:
            corner = start[0] + along(element, "x", 0), start[1] + along(element, "y", 1)
            yield from _places(element, corner, (along(element, "width", 0), along(element, "height", 1)))


@every_kind
def test_whatever_the_drawing_on_the_page_says_the_file_says_too(make: Make) -> None:
    chart = make()
    page = page_of(chart)
    drawing = page[page.index("</figcaption>") : page.index('<div class="figure-tools">')]
    written = {" ".join(text.split()) for text in _Reader(drawing).texts}
    names = {attributes["aria-label"] for _, attributes in _Reader(drawing).elements if "aria-label" in attributes}
    in_file = " ".join(" ".join(text.split()) for text in parsed(to_svg(chart)).itertext())
    assert {text for text in written | names if text and text not in in_file} == set()
    assert written


def test_no_drawing_in_a_file_is_stretched_where_its_strokes_would_be_too() -> None:
    drawings = list(parsed(to_svg(curves())).iter(f"{SVG}svg"))
    assert len(drawings) > 3
    assert not [drawing for drawing in drawings if "preserveAspectRatio" in drawing.attrib]
    (first, *_) = (path.get("d", "") for path in drawings[-2].iter(f"{SVG}path") if "curve" in path.get("class", ""))
    assert max(float(at) for at in re.findall(r"[\d.]+", first)) > 500


def test_the_file_of_one_estimate_says_what_stands_around_it_on_a_page() -> None:
    assert "Yes · 27 · 17 to 37" in {element.text for element in parsed(to_svg(large())).iter()}
    assert "Yes · 27" not in page_of(large())


@every_kind
@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
@pytest.mark.uncounted
def test_no_text_of_an_author_breaks_the_file(make: Make, text: str) -> None:
    table = Table(text, (text, text), ((text, text),))
    chart = make(title=text, text=text, table=table, **_with_labels(make(), text))
    document, sound = parsed(to_svg(chart)), parsed(to_svg(make()))
    elements = [element.tag.removeprefix(SVG) for element in document.iter()]
    assert "script" not in elements
    assert len(elements) > 5
    assert [part.text for part in document.iter(f"{SVG}style")] == [part.text for part in sound.iter(f"{SVG}style")]


@every_kind
def test_no_text_of_an_author_breaks_the_page(make: Make) -> None:
    text = HOSTILE[0]
    page = page_of(make(title=text, text=text, **_with_labels(make(), text)))
    assert "script" not in {tag for tag, _ in _Reader(page).elements}
    assert text in unescape(page)


@every_kind
@pytest.mark.parametrize("name", ["", "1a", "a b", 'a"', "ü", "a/b"])
def test_a_name_that_is_no_anchor_is_refused(make: Make, name: str) -> None:
    with pytest.raises(ValueError, match=r"^name must be"):
        make(name=name)


def _with_labels(chart: Chart, text: str) -> dict[str, object]:
    """Return the chart's parts with every label replaced."""
    changed: dict[str, object] = {}
    for part in fields(chart):
        value = getattr(chart, part.name)
        if part.name in {"row_title", "column_title"}:
            changed[part.name] = text
        elif part.name in {"row_labels", "column_labels"}:
            changed[part.name] = [text] * len(value)
        elif part.name == "cells":
            changed[part.name] = [[replace(cell, value=text, detail=text) for cell in row] for row in value]
        elif part.name == "row":
            changed["row"] = replace(value, label=text, says=text, value=text, detail=text, limits=text)
        elif part.name in {"asked", "note", "point", "low", "high", "raw"}:
            changed[part.name] = text
        elif part.name in {"rows", "bars", "curves", "regions", "marks"}:
            words = {"label", "says", "value", "detail", "limits"}
            changed[part.name] = [
                replace(item, **dict.fromkeys(words & {field.name for field in fields(item)}, text)) for item in value
            ]
        elif part.name in {"axis", "x_axis", "y_axis"}:
            changed[part.name] = replace(value, title=text, unit=text)
    return changed
