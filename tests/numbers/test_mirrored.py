"""Numbers where text runs from right to left."""

import pytest
from django.utils import translation

from surveys.numbers.words import decimal, from_right_to_left, percent, whole_number, with_unit

_MARK = "\N{LEFT-TO-RIGHT MARK}"


@pytest.mark.parametrize(
    ("written", "english", "hebrew"),
    [
        (lambda: decimal(-0.25, 2), "−0.25", f"{_MARK}−0.25"),
        (lambda: decimal(0.25, 2), "0.25", "0.25"),
        (lambda: whole_number(-10_000), "−10,000", f"{_MARK}−10,000"),
        (lambda: percent(0.31), "31%", "\u206831%\u2069"),
        (lambda: with_unit("-5", "km"), "-5 km", "\u2066-5\u2069 km"),
        (lambda: with_unit(decimal(-5, 0), "km"), "−5 km", "\u2066−5\u2069 km"),
        (lambda: with_unit("5", "km"), "5 km", "5 km"),
    ],
)
def test_a_sign_stays_before_its_number(written: object, english: str, hebrew: str) -> None:
    assert callable(written)
    for language, text in (("en", english), ("he", hebrew)):
        with translation.override(language):
            assert written() == text


@pytest.mark.parametrize(
    ("text", "rtl"),
    [("שלום", True), ("12 שעות", True), ("سلام", True), ("Hello שלום", False), ("12", False), ("", False)],
)
def test_the_first_letter_with_a_direction_decides(text: str, rtl: bool) -> None:
    assert from_right_to_left(text) is rtl
