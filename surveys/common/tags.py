"""The dots: one person is one dot; and what the admin's lists need on a phone."""

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.text import capfirst

register = template.Library()

# More dots than these say nothing that their number does not.
MOST_DOTS = 600
_MOST_COLUMNS = 30
_PITCH, _RADIUS = 10, 4


@register.inclusion_tag("common/_dots.html")
def dots(columns: int = 10, breadth: float = 0, **people: float) -> dict[str, Any]:
    """Draw so many people of each kind, row after row in this order: `{% dots yes=27 no=73 %}`.

    The kinds are the classes of circles in deniable.css and hundred.css: `yes`, `no`, `may`, `could` and `empty`
    are what people say, `lit` and `ring` what was randomized. The picture says nothing alone: a sentence beside it
    has its numbers. Of 40.5 people the last is a part of a dot, on the dot that begins the next kind. A crowd of
    any size, instead of a number of columns, is about `breadth` times as wide as high.
    """
    if breadth:
        columns = min(_MOST_COLUMNS, max(10, math.ceil(math.sqrt(breadth * sum(people.values())) / 5) * 5))
    kinds, drawn = [], Fraction(0)
    for kind, number in people.items():
        end = drawn + round(Fraction(number), 1)
        centres = [_centre(place, columns) for place in range(math.floor(drawn), math.floor(end))]
        kinds.append((kind, centres, _part(_centre(math.floor(end), columns), end % 1)))
        drawn = end
    return {"kinds": kinds, "width": _PITCH * columns, "height": _PITCH * -(-math.ceil(drawn) // columns)}


def _centre(place: int, columns: int) -> tuple[int, int]:
    row, column = divmod(place, columns)
    return _PITCH * column + _PITCH // 2, _PITCH * row + _PITCH // 2


def _part(centre: tuple[int, int], share: Fraction) -> str:
    """Return the path around the first part of a dot, as far across as its share; nothing of a whole one."""
    if not share:
        return ""
    (x, y), across = centre, 2 * _RADIUS * share - _RADIUS
    at, half = float(x + across), math.sqrt(_RADIUS**2 - across**2)
    return f"M{at:g} {y - half:g}A{_RADIUS} {_RADIUS} 0 {int(across > 0)} 0 {at:g} {y + half:g}Z"


@register.filter
def under(cells: Sequence[SafeString], headers: Sequence[Mapping[str, Any]]) -> list[SafeString]:
    """Name the column in each cell of a row in the admin's lists: on a phone its name stands beside the cell."""
    return [
        SafeString(cell.replace("<td", format_html('<td data-label="{}"', capfirst(header["text"])), 1))
        if header["sortable"] or "action-checkbox" not in cell
        else cell
        for cell, header in zip(cells, headers, strict=True)
    ]
