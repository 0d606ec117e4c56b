"""The class that a presentation draws again: by the randomizer of the answering page, as the core does."""

import itertools
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from playwright.sync_api import Page

from surveys.privacy.designs import Design, k_ary, triangular
from surveys.privacy.randomness import draw_report


def _stream() -> Callable[[int], int]:
    """Return a source of integers that is the same here and in the browser."""
    numbers = itertools.count(1)
    return lambda bound: (next(numbers) * 7919) % bound


_DRAW = """async ([design, times]) => {
  const { drawClass } = await import("/static/js/present_again.js");
  let number = 0;
  const below = (bound) => { number += 1; return (number * 7919) % bound; };
  return Array.from({ length: times }, () => drawClass(design, below));
}"""
_READ = """async ([table, count]) => {
  const { read } = await import("/static/js/present_again.js");
  try { return read(table, count); } catch (error) { return error.message; }
}"""


def _design(design: Design, **more: Any) -> dict[str, Any]:
    return {"columns": design.columns, "denominator": design.denominator, "steps": None, "stepsTo": None} | more


@pytest.fixture
def module_page(page: Page) -> Page:
    page.goto("/")
    return page


def test_the_browser_draws_classes_as_the_core_does(module_page: Page) -> None:
    for design, truths, option in ((k_ary(3), [5, 3, 9], 2), (triangular(Fraction(1, 4)), [20, 10], 1)):
        asked = _design(design, truths=truths, option=option, n=sum(truths))
        below = _stream()
        expected = [
            sum(
                draw_report(design, truth, below) == option
                for truth, people in enumerate(truths)
                for _ in range(people)
            )
            for _ in range(5)
        ]
        assert module_page.evaluate(_DRAW, [asked, 5]) == expected
        # Drawn from another column, these are other numbers: the test can fail.
        swapped = asked | {"columns": [*design.columns[1:], design.columns[0]]}
        assert module_page.evaluate(_DRAW, [swapped, 5]) != expected


def test_numbers_are_rounded_by_chance_as_the_core_does(module_page: Page) -> None:
    design = k_ary(2)
    asked = _design(design, truths=[], option=1, n=30, steps=12, stepsTo=5)
    below = _stream()
    expected = [sum(draw_report(design, int(below(12) < 5), below) for _ in range(30)) for _ in range(5)]
    assert module_page.evaluate(_DRAW, [asked, 5]) == expected


def test_a_count_that_is_not_in_the_table_is_not_guessed(module_page: Page) -> None:
    table = {"first": 3, "read": [[0.1, 0.0, 0.4, True], [0.2, 0.1, 0.5, False]]}
    read = {"estimate": 0.2, "low": 0.1, "high": 0.5, "holds": False}
    assert module_page.evaluate(_READ, [table, 4]) == read
    # A message of the error, with the count.
    assert module_page.evaluate(_READ, [table, 5]).startswith("5 ")
