"""Presentation MathML from numbers and letters: small pieces that formulas are put together from.

Every number carries its full value in `data-value`, whatever its language writes, so that a formula on a page can be
computed again.
"""

from collections.abc import Iterable
from fractions import Fraction
from typing import TypeAlias

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from surveys.numbers.words import decimal_mark, in_formula

Number: TypeAlias = float | Fraction
_OPERATORS = frozenset("=≈+−·<>≤≥,()|∈∝…/⊗:;")


def number(value: Number) -> SafeString:
    """Write a number, a fraction as one; below 0 it stands in brackets."""
    if value < 0:
        return format_html("<mrow><mo>(</mo>{}<mo>)</mo></mrow>", result(value))
    return result(value)


def result(value: Number) -> SafeString:
    """Write a number that stands alone, without brackets."""
    if isinstance(value, Fraction) and value.denominator != 1:
        sign = SafeString("<mo>−</mo>") if value < 0 else ""
        return format_html(
            "<mrow>{}<mfrac>{}{}</mfrac></mrow>", sign, _digits(abs(value.numerator)), _digits(value.denominator)
        )
    return _digits(value)


def letter(name: str) -> SafeString:
    """Write a variable or the name of a function."""
    return format_html("<mi>{}</mi>", name)


def hat(name: str) -> SafeString:
    """Write a letter with a hat: computed from data."""
    # A hat that must not stretch hangs a letter's height above its own in WebKit.
    return format_html('<mover accent="true"><mi>{}</mi><mo stretchy="true">^</mo></mover>', name)


def words(text: str) -> SafeString:
    """Write text inside a formula."""
    return format_html("<mtext>{}</mtext>", text)


def row(*parts: object) -> SafeString:
    """Put parts beside each other; a one-character text is an operator if it looks like one, else a letter."""
    return format_html("<mrow>{}</mrow>", _joined(parts))


def brackets(*parts: object) -> SafeString:
    """Put parts beside each other in brackets."""
    return row("(", *parts, ")")


def fraction(above: object, below: object) -> SafeString:
    """Write one above the other."""
    return format_html("<mfrac>{}{}</mfrac>", row(above), row(below))


def root(*parts: object) -> SafeString:
    """Write a square root."""
    return format_html("<msqrt>{}</msqrt>", _joined(parts))


def power(base: object, exponent: object) -> SafeString:
    """Write one raised to the other."""
    return format_html("<msup>{}{}</msup>", row(base), row(exponent))


def sub(base: object, index: object) -> SafeString:
    """Write an index."""
    return format_html("<msub>{}{}</msub>", row(base), row(index))


def call(name: str, *arguments: object) -> SafeString:
    """Write a function of its arguments."""
    return row(letter(name), "(", *join_arguments(*arguments), ")")


def join_arguments(*parts: object) -> list[object]:
    """Put what separates two arguments between parts: not the sign that numbers have within."""
    mark = ";" if decimal_mark() == "," else ","
    return [piece for part in parts for piece in (mark, part)][1:]


def chain(*parts: object) -> tuple[SafeString, ...]:
    """Write a side that may go on in the next line before each of its parts."""
    return tuple(_piece(part) for part in parts)


def sum_of(terms: Iterable[object]) -> tuple[SafeString, ...]:
    """Write a sum that may go on in the next line before each plus."""
    first, *others = terms
    return chain(row(first), *(row("+", term) for term in others))


def equation(name: str, *sides: object) -> SafeString:
    """Write sides that are equal, each a formula of its own so that lines can break between them."""
    pieces: list[SafeString] = []
    for place, side in enumerate(sides):
        first, *others = side if isinstance(side, tuple) else chain(side)
        pieces += [format_html("<mo>=</mo>{}", first) if place else first, *others]
    return format_html(
        '<p class="formula" data-formula="{}">{}</p>',
        name,
        format_html_join(" ", '<math displaystyle="true">{}</math>', ((piece,) for piece in pieces)),
    )


def _joined(parts: Iterable[object]) -> SafeString:
    return format_html_join("", "{}", ((_piece(part),) for part in parts))


def _piece(part: object) -> SafeString:
    if isinstance(part, SafeString):
        return part
    if isinstance(part, str):
        return format_html("<mo>{}</mo>", part) if part in _OPERATORS else letter(part)
    if isinstance(part, int | float | Fraction):
        return number(part)
    raise TypeError(f"a formula is made of texts, numbers and formulas, not of {part!r}")


def _digits(value: Number) -> SafeString:
    exact = int(value) if isinstance(value, Fraction) else value
    return format_html('<mn data-value="{}">{}</mn>', repr(exact), in_formula(value))
