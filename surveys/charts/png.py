"""SVG files as PNG files, drawn by resvg: for programs that show no SVG.

The letters come from a font of our own, so that they are there on a machine that has none. It has Latin, Greek,
Cyrillic and Hebrew ones; those of other scripts come from whatever fonts the machine has.
"""

import math

import resvg_py
from django.conf import settings

from surveys.charts.svg import size_of

_FONT = "Open Sans"
_FILES = [str(settings.BASE_DIR / "static" / "fonts" / f"open-sans-{weight}.ttf") for weight in (400, 600)]
# Sharp on screens with two pixels for one. Of a page with very many questions it is less, so that none takes more than
# 16 MB to draw.
_ZOOM, _MOST_PIXELS = 2, 4_000_000


def png_size(document: str) -> tuple[int, int]:
    """Return the width and height in pixels of the PNG file that is made of an SVG document."""
    wide, high = size_of(document)
    zoom = min(_ZOOM, math.sqrt(_MOST_PIXELS / (wide * high)))
    return int(wide * zoom), int(high * zoom)


def to_png(document: str) -> bytes:
    """Return an SVG document of ours as a PNG file."""
    wide, high = png_size(document)
    return resvg_py.svg_to_bytes(
        svg_string=document,
        width=wide,
        height=high,
        font_files=_FILES,
        # The document names fonts that readers have.
        style_sheet=f"svg {{ font-family: '{_FONT}'; }}",
        sans_serif_family=_FONT,
    )
