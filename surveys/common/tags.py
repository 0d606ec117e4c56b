"""The dots: one person is one dot."""

from typing import Any

from django import template

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
