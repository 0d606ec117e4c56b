"""How a release writes its numbers."""

import pytest

from surveys.templatetags.release_numbers import number, rounded_up


@pytest.mark.parametrize(("value", "text"), [(1.0986123, "1.099"), (0.0001600003, "0.00016"), (2.0, "2")])
def test_a_small_number_keeps_its_digits(value: float, text: str) -> None:
    assert number(value) == text


@pytest.mark.parametrize(("factor", "text"), [(1.2701, "1.28"), (1.0, "1.00"), (2.996, "3.00")])
def test_a_factor_is_never_rounded_down(factor: float, text: str) -> None:
    assert rounded_up(factor) == text
