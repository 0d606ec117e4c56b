"""static/js/randomizer.js in a real Chromium: the same walk as Python's, fair draws, and never Math.random."""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Error, Page
from pytest_django.live_server_helper import LiveServer
from scipy import stats

from surveys.answering.services.perturbing import _report
from surveys.privacy.designs import Design, forced_response, from_matrix, k_ary, number_window, warner
from surveys.privacy.randomness import draw_report
from surveys.questionnaire.asked_question import Item
from surveys.questionnaire.kinds import LeaveOut
from surveys.questionnaire.kinds.number_mean import NumberMean

FALSE_ALARM = 1e-6
DRAWS = 100_000
CASES = pytest.mark.parametrize("number", [5_000, pytest.param(100_000, marks=pytest.mark.slow)])
WORDS = 2**32

DESIGNS = [
    forced_response(),
    forced_response(truth="9/10", yes="1/3"),
    warner("3/4"),
    warner("1/4"),
    warner("654321/1000000"),
    warner("499991/999983"),
    *(k_ary(k) for k in range(2, 9)),
    k_ary(20, truth="1/3"),
    k_ary(3, weights=["1/2", "1/4", "1/4"]),
    from_matrix([["1/2", "1/4", "0"], ["1/2", "1/2", "1/4"], ["0", "1/4", "3/4"]]),
]

SAME_STREAM = """async ({ designs, cases, words }) => {
  const { drawBelow, drawReport } = await import("/static/js/randomizer.js");
  let position = 0;
  const below = (bound) => drawBelow(bound, () => words[position++]);
  const draw = ([{ columns, denominator }, truth]) => drawReport(columns, denominator, truth, below);
  const reports = cases.map(([design, truth]) => draw([designs[design], truth]));
  return { reports, position };
}"""

COUNT_REPORTS = """async ({ columns, denominator, draws }) => {
  const { drawReport } = await import("/static/js/randomizer.js");
  let called = 0;
  const random = Math.random;
  Math.random = () => { called += 1; return random(); };
  const counts = columns.map((column, truth) => {
    const count = column.map(() => 0);
    for (let draw = 0; draw < draws; draw += 1) count[drawReport(columns, denominator, truth)] += 1;
    return count;
  });
  Math.random = random;
  return { counts, called };
}"""

# What a hurried programmer writes: a byte's remainder. Its probability of a truthful Yes is 206/256, not 3/4.
COUNT_REPORTS_BY_BYTES = """async ({ draws }) => {
  const counts = [0, 1].map((truth) => {
    const count = [0, 0];
    for (let draw = 0; draw < draws; draw += 1) {
      const truthful = crypto.getRandomValues(new Uint8Array(1))[0] % 100 < 75;
      count[truthful ? truth : 1 - truth] += 1;
    }
    return count;
  });
  return { counts, called: 0 };
}"""

COUNT_REPORTS_BY_MATH_RANDOM = COUNT_REPORTS.replace(
    "drawReport(columns, denominator, truth)",
    "drawReport(columns, denominator, truth, (n) => Math.floor(Math.random() * n))",
)


@pytest.fixture(scope="module")
def module_page(headless_shell: Browser, live_server: LiveServer) -> Iterator[Page]:
    """One page for all of this file: nothing that is asked of the module stays on it."""
    with headless_shell.new_context(base_url=str(live_server.url)) as context:
        page = context.new_page()
        page.goto("/")
        yield page


def _from_stream(words: Sequence[int]) -> tuple[Callable[[int], int], Callable[[], int]]:
    """A randbelow that reads 32-bit words and rejects those beyond the last whole multiple of the bound."""
    position = 0

    def below(bound: int) -> int:
        nonlocal position
        while True:
            word = words[position]
            position += 1
            if word < WORDS - WORDS % bound:
                return word % bound

    return below, lambda: position


@CASES
def test_javascript_and_python_give_the_same_reports_on_one_stream(module_page: Page, number: int) -> None:
    generator = np.random.default_rng(20_260_101)
    words = generator.integers(0, WORDS, size=2 * number)
    # One word in twenty lies where it may have to be rejected.
    edge = generator.random(words.size) < 0.05
    words[edge] = WORDS - 1 - generator.integers(0, 1000, size=int(edge.sum()))
    stream = [int(word) for word in words]
    cases = [
        (design := int(generator.integers(len(DESIGNS))), int(generator.integers(DESIGNS[design].k)))
        for _ in range(number)
    ]

    below, position = _from_stream(stream)
    expected = [draw_report(DESIGNS[design], truth, below) for design, truth in cases]
    designs = [{"columns": design.columns, "denominator": design.denominator} for design in DESIGNS]
    drawn = module_page.evaluate(SAME_STREAM, {"designs": designs, "cases": cases, "words": stream})

    assert drawn["reports"] == expected
    assert drawn["position"] == position() > number  # some words were rejected, by both alike


SAME_NUMBERS = SAME_STREAM.replace("drawReport", "drawNumberReport").replace(
    """const draw = ([{ columns, denominator }, truth]) => drawNumberReport(columns, denominator, truth, below);
  const reports = cases.map(([design, truth]) => draw([designs[design], truth]));""",
    """const reports = cases.map(([design, steps, stepsTo]) => {
    const { columns, denominator, cells } = designs[design];
    return drawNumberReport(columns, denominator, steps, stepsTo, below, cells);
  });""",
)


def _number(low: Fraction, step: Fraction, steps: int, design: Design) -> Item:
    """A question for a number, as `surveys.answering.services.perturbing` takes it."""
    answers = NumberMean(low=low, high=low + step * steps, step=step)
    return Item(0, 1, answers, "", ("", ""), LeaveOut.NO, design)


@CASES
def test_javascript_and_python_round_and_report_numbers_alike_on_one_stream(module_page: Page, number: int) -> None:
    generator = np.random.default_rng(20_260_102)
    stream = [int(word) for word in generator.integers(0, WORDS, size=3 * number)]
    designs = [
        forced_response(), warner("654321/1000000"), k_ary(2), k_ary(3), number_window(9, "1/2"),
    ]  # fmt: skip
    ranges = [(int(generator.integers(1, 1_000_001)), int(generator.integers(len(designs)))) for _ in range(50)]
    items = [
        _number(Fraction(int(generator.integers(-1000, 1000))), Fraction(1, 8), steps, designs[design])
        for steps, design in ranges
    ]
    chosen = [
        (place := int(generator.integers(50)), int(generator.integers(ranges[place][0] + 1))) for _ in range(number)
    ]

    below, position = _from_stream(stream)
    expected = [
        int(_report(items[place], _value(items[place], steps_to), below), 36) for place, steps_to in chosen
    ]  # fmt: skip
    arguments = {
        "designs": [
            {"columns": design.columns, "denominator": design.denominator, **({"cells": 8} if design.k == 9 else {})}
            for design in designs
        ],
        "cases": [(ranges[place][1], ranges[place][0], steps_to) for place, steps_to in chosen],
        "words": stream,
    }
    drawn = module_page.evaluate(SAME_NUMBERS, arguments)

    assert drawn["reports"] == expected
    assert drawn["position"] == position() >= 2 * number  # two draws a number, by both alike


def _value(item: Item, steps_to: int) -> Fraction:
    assert item.range is not None
    return item.range.low + item.range.step * steps_to


def test_a_number_between_two_steps_or_beyond_the_last_draws_nothing(module_page: Page) -> None:
    draw = (
        '(stepsTo) => import("/static/js/randomizer.js").then((m) => '
        "m.drawNumberReport([[3, 1], [1, 3]], 4, 24, stepsTo, () => { throw new Error('drawn'); }))"
    )
    for steps_to in (-1, 25, 0.5, None, "7"):
        with pytest.raises(Error, match="number of steps"):
            module_page.evaluate(draw, steps_to)


def test_a_numbers_mean_comes_back_from_the_phones_reports(module_page: Page) -> None:
    """7.5 of 0 to 12 is rounded up in 15 of 24 cases, so Yes is reported by 1/4 + 1/2 · 15/24 of all phones."""
    count = """async ({ draws }) => {
      const { drawNumberReport } = await import("/static/js/randomizer.js");
      let high = 0;
      for (let draw = 0; draw < draws; draw += 1) high += drawNumberReport([[3, 1], [1, 3]], 4, 24, 15);
      return high;
    }"""
    high = module_page.evaluate(count, {"draws": DRAWS})
    assert stats.binomtest(high, DRAWS, 0.25 + 0.5 * 15 / 24).pvalue > FALSE_ALARM


def _count(page: Page, script: str, design: Design) -> dict[str, Any]:
    arguments = {"columns": design.columns, "denominator": design.denominator, "draws": DRAWS}
    counted: dict[str, Any] = page.evaluate(script, arguments)
    return counted


def _fits(counts: Sequence[Sequence[int]], design: Design) -> bool:
    """Chi-squared test of every truth's counts, with a false alarm in a million over all truths."""
    for count, column in zip(counts, zip(*design.matrix, strict=True), strict=True):
        expected = [float(share * DRAWS) for share in column]
        if stats.chisquare(count, expected).pvalue < FALSE_ALARM / design.k:
            return False
    return True


@pytest.mark.parametrize(
    "design", [forced_response(), warner("654321/1000000"), k_ary(5)], ids=lambda design: design.name
)
def test_reports_have_the_probabilities_of_the_design_and_math_random_is_never_called(
    module_page: Page, design: Design
) -> None:
    counted = _count(module_page, COUNT_REPORTS, design)
    assert _fits(counted["counts"], design)
    assert counted["called"] == 0


def test_the_test_of_fit_catches_a_bytes_remainder(module_page: Page) -> None:
    assert not _fits(_count(module_page, COUNT_REPORTS_BY_BYTES, forced_response())["counts"], forced_response())


def test_the_instrument_sees_math_random(module_page: Page) -> None:
    assert _count(module_page, COUNT_REPORTS_BY_MATH_RANDOM, forced_response())["called"] == 2 * DRAWS


def test_a_truth_without_a_column_draws_nothing(module_page: Page) -> None:
    draw = '(truth) => import("/static/js/randomizer.js").then((m) => m.drawReport([[3, 1], [1, 3]], 4, truth))'
    for truth in (2, -1, None, "x"):
        with pytest.raises(Error, match="denominator"):
            module_page.evaluate(draw, truth)


def test_a_bound_that_32_bits_cannot_serve_is_refused(module_page: Page) -> None:
    draw = '(bound) => import("/static/js/randomizer.js").then((m) => m.drawBelow(bound))'
    for bound in (0, -1, 1.5, WORDS + 1, None):
        with pytest.raises(Error, match="bound"):
            module_page.evaluate(draw, bound)


def test_every_word_below_a_small_bound_is_equally_frequent_exactly(module_page: Page) -> None:
    """By enumeration: of 2^32 words exactly floor(2^32 / bound) fall on each number, the others are rejected."""
    last = (
        '(bound) => import("/static/js/randomizer.js").then((m) => {'
        "  const accepted = Math.floor(2 ** 32 / bound) * bound;"
        "  const words = [accepted, accepted - 1];"
        "  return m.drawBelow(bound, () => words.shift());"
        "})"
    )
    for bound in (3, 5, 6, 7, 100, 999_983):
        # The first word is just beyond the last whole multiple and is rejected; the one before it gives bound - 1.
        assert module_page.evaluate(last, bound) == bound - 1
        assert Fraction(WORDS // bound * bound, bound).denominator == 1
