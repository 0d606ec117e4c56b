"""The dots: one person is one dot; and what the admin's lists need on a phone."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.text import capfirst

register = template.Library()

_PITCH = 10


@register.inclusion_tag("common/_dots.html")
def dots(columns: int = 10, **people: int) -> dict[str, Any]:
    """Draw so many people of each kind, row after row in this order: `{% dots yes=27 no=73 %}`.

    The kinds are the classes of circles in deniable.css: `yes`, `no`, `may`, `could` and `empty` are what people say,
    `lit` and `ring` what chance says. The picture says nothing alone: a sentence beside it has its numbers.
    """
    kinds, drawn = [], 0
    for kind, number in people.items():
        places = [divmod(place, columns) for place in range(drawn, drawn + number)]
        kinds.append((kind, [(_PITCH * column + _PITCH // 2, _PITCH * row + _PITCH // 2) for row, column in places]))
        drawn += number
    return {"kinds": kinds, "width": _PITCH * columns, "height": _PITCH * -(-drawn // columns)}


@register.filter
def under(cells: Sequence[SafeString], headers: Sequence[Mapping[str, Any]]) -> list[SafeString]:
    """Name the column in each cell of a row in the admin's lists: on a phone its name stands beside the cell."""
    return [
        SafeString(cell.replace("<td", format_html('<td data-label="{}"', capfirst(header["text"])), 1))
        if header["sortable"] or "action-checkbox" not in cell
        else cell
        for cell, header in zip(cells, headers, strict=True)
    ]
