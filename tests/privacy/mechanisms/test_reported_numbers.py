from fractions import Fraction

import pytest

from surveys.privacy.designs import Design, forced_response, k_ary, kuk, warner
from surveys.privacy.mechanisms.reported_numbers import (
    ReportedNumbers,
    numbers_of_bands,
    numbers_of_limits,
    undisguised_numbers,
)


def on_average(design: Design, values: tuple[Fraction, ...]) -> list[Fraction]:
    """What the reports of each truth count for, over the respondent's chance."""
    return [
        sum((p * value for p, value in zip(column, values, strict=True)), Fraction(0))
        for column in zip(*design.matrix, strict=True)
    ]


@pytest.mark.parametrize(
    "design", [warner("3/4"), forced_response("9/10", "1/3"), warner("1/4"), kuk("7/10", "3/10", 2)]
)
def test_a_report_counts_for_the_true_number_on_average(design: Design) -> None:
    numbers = numbers_of_limits(18, 90, design)
    assert on_average(design, numbers.values) == [18, 90]
    assert on_average(design, numbers.answering) == [1, 1]
    assert on_average(design, numbers.squares) == [36**2, 36**2]


def test_the_values_of_one_bit_are_those_of_its_formula() -> None:
    design = forced_response()
    assert numbers_of_limits(10, 50, design).values == tuple(10 + 40 * entry for entry in design.inverse[1])


def test_who_prefers_not_to_say_counts_for_nothing_on_average() -> None:
    design = k_ary(4, "1/2", ["1/2", "1/4", "1/8", "1/8"])
    numbers = numbers_of_bands([0, 10, 20, 60], design)
    assert numbers.numbers == (5, 15, 40, None)
    assert on_average(design, numbers.values) == [5, 15, 40, 0]
    assert on_average(design, numbers.answering) == [1, 1, 1, 0]
    assert on_average(design, numbers.deviations) == [-25, -15, 10, 0]
    assert on_average(design, numbers.squares) == [625, 225, 100, 0]
    assert numbers.middle == numbers.centre == 30


def test_a_band_says_how_far_a_number_may_be_from_its_middle() -> None:
    assert numbers_of_bands([0, 10, 20, 60], k_ary(3)).spread == 20
    assert numbers_of_limits(0, 10, warner("3/4")).spread == 0


def test_the_middle_of_the_values_halves_what_one_response_can_change() -> None:
    numbers = numbers_of_limits(0, 10, forced_response("1/2", "1/4"))
    assert numbers.middle != numbers.centre
    assert max(numbers.deviations) == -min(numbers.deviations)


def test_undisguised_numbers_count_for_themselves() -> None:
    numbers = undisguised_numbers(["1/2", 3, -1])
    assert numbers.values == (Fraction(1, 2), 3, -1)
    assert (numbers.low, numbers.high, numbers.answering) == (-1, 3, (1, 1, 1))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"low": 5, "high": 5}, "^low"),
        ({"spread": -1}, "^spread"),
        ({"numbers": (1, 1)}, "^numbers"),
        ({"numbers": (1, None)}, "^numbers"),
        ({"numbers": (1, 11)}, "^numbers .*0.*10"),
        ({"numbers": (1, 0.5)}, "^numbers"),
        ({"numbers": (1, 2, 3)}, "^numbers .*2"),
    ],
)
def test_what_are_no_numbers_is_refused(wrong: dict[str, object], message: str) -> None:
    given = {"numbers": (0, 10), "low": 0, "high": 10, "design": warner("3/4"), **wrong}
    with pytest.raises(ValueError, match=message):
        ReportedNumbers(**given)


@pytest.mark.parametrize("edges", [[0, 1], [0, 2, 1], [0, 0, 1]])
def test_edges_are_at_least_three_and_ascend(edges: list[int]) -> None:
    with pytest.raises(ValueError, match="edges must be"):
        numbers_of_bands(edges, k_ary(len(edges) - 1 if len(edges) > 2 else 2))


def test_a_design_fits_the_limits_or_the_bands() -> None:
    with pytest.raises(ValueError, match=r"^design .*2"):
        numbers_of_limits(0, 1, k_ary(4))
    with pytest.raises(ValueError, match=r"^design .*3"):
        numbers_of_bands([0, 1, 2, 3], k_ary(5))
