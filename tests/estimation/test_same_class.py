"""The same class again: what every number of reports would be read as, and how often an interval holds what is true."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from surveys.estimation.prevalence import estimate_prevalence
from surveys.estimation.same_class import same_class, same_numbers, supposed_truths
from surveys.privacy.designs import Design, crosswise, forced_response, k_ary, kuk, triangular, warner

DESIGNS = [forced_response(), warner(Fraction(3, 4)), crosswise(Fraction(1, 4)), triangular(Fraction(1, 4)), k_ary(3)]


@pytest.mark.parametrize("design", DESIGNS, ids=lambda design: design.name)
def test_each_number_of_reports_is_read_as_the_estimator_reads_it(design: Design) -> None:
    truths = (14, 9, 7)[: design.k]
    again, n = same_class(truths, design, 1), sum(truths)
    assert again.n == n
    assert again.share == 9 / n
    for place, (low, high) in enumerate(zip(again.low.tolist(), again.high.tolist(), strict=True)):
        count = again.first + place
        estimate = estimate_prevalence([n - count, count, 0][: design.k], design)
        interval = estimate.interval()
        assert again.estimate[place] == pytest.approx(np.clip(estimate.point[1], 0, 1))
        assert (np.clip(low, 0, 1), np.clip(high, 0, 1)) == pytest.approx((interval.low[1], interval.high[1]))
        assert again.holds[place] == (low <= again.share <= high)


def test_the_level_widens_the_intervals() -> None:
    wide, narrow = (same_class([14, 9], forced_response(), 1, confidence_level=level) for level in (0.99, 0.5))
    assert (wide.high - wide.low > narrow.high - narrow.low).all()
    assert wide.held > narrow.held


@pytest.mark.parametrize("truths", [[3, 0], [0, 4], [2, 3]])
def test_the_probability_of_being_held_is_that_of_all_ways_in_which_chance_can_fall(truths: list[int]) -> None:
    design = forced_response()
    again = same_class(truths, design, 1)
    columns = [[column[0], column[1]] for column in zip(*design.matrix, strict=True)]
    people = [columns[truth] for truth, number in enumerate(truths) for _ in range(number)]
    held = Fraction(0)
    for reports in itertools.product((0, 1), repeat=len(people)):
        if again.holds[sum(reports) - again.first]:
            probability = Fraction(1)
            for column, report in zip(people, reports, strict=True):
                probability *= column[report]
            held += probability
    assert again.held == pytest.approx(float(held))
    assert 0.5 < again.held <= 1


def test_many_people_need_only_the_numbers_that_come() -> None:
    again = same_class([1500, 500], forced_response(), 1)
    expected = 1500 / 4 + 500 * 3 / 4
    assert again.first == int(expected - 3.5 * 2000**0.5)
    assert again.first + len(again.estimate) - 1 == int(expected + 3.5 * 2000**0.5) + 1
    # Nobody's answers vary but chance's: the intervals, which allow for more, hold the share more often than 95 of 100.
    assert 0.95 < again.held < 1


def test_a_few_people_have_all_numbers() -> None:
    again = same_class([2, 1], k_ary(2), 1)
    assert (again.first, len(again.estimate)) == (0, 4)


def test_numbers_that_chance_rounds_vary_as_one_answer_between_both() -> None:
    design = forced_response()
    again = same_numbers(10, Fraction(1, 3), design)
    assert (again.n, again.share, again.first) == (10, 1 / 3, 0)
    assert again.estimate[:1] == pytest.approx([0.0])
    reported = 1 / 4 + 1 / 6
    likely = [_binomial(10, count, reported) for count in range(11)]
    assert again.held == pytest.approx(sum(p for p, holds in zip(likely, again.holds, strict=True) if holds))


def _binomial(n: int, count: int, probability: float) -> float:
    ways = float(np.prod([(n - i) / (i + 1) for i in range(count)]))
    return ways * probability**count * (1 - probability) ** (n - count)


@pytest.mark.parametrize(
    ("counts", "truths"), [([19, 21], (18, 22)), ([50, 0], (50, 0)), ([5, 5], (5, 5)), ([1, 0], (1, 0))]
)
def test_the_supposed_truths_are_the_whole_numbers_nearest_to_the_estimate(
    counts: list[int], truths: tuple[int, ...]
) -> None:
    # 21 of 40 is .525, less a quarter and twice that is .55: 22 of 40 people.
    assert supposed_truths(estimate_prevalence(counts, forced_response())) == truths


def test_the_largest_remainders_are_rounded_up_so_that_everybody_has_one_answer() -> None:
    # 7⅓, 7⅓ and 5⅓ people: of equal remainders the first is rounded up.
    assert supposed_truths(estimate_prevalence([7, 7, 6], k_ary(3))) == (8, 7, 5)
    assert supposed_truths(estimate_prevalence([6, 7, 7], k_ary(3))) == (6, 7, 7)
    assert supposed_truths(estimate_prevalence([2, 1, 1], k_ary(3, Fraction(9, 10)))) == (2, 1, 1)


@pytest.mark.parametrize(
    ("truths", "option", "words"),
    [
        ([0, 0], 1, "truths"),
        ([-1, 2], 1, "truths"),
        ([1, 2, 3], 1, "truths"),
        ([1.5, 2], 1, "truths"),
        ([1, 2], 2, "^option .*0.*1.*got 2"),
        ([1, 2], -1, "^option .*0.*1.*got -1"),
    ],
)
def test_what_is_no_class_is_refused(truths: list[int], option: int, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        same_class(truths, forced_response(), option)


def test_a_design_whose_reports_depend_on_several_shares_is_refused() -> None:
    with pytest.raises(ValueError, match="one prevalence"):
        same_class([3, 4], kuk(Fraction(4, 5), Fraction(1, 5), 2), 1)


@pytest.mark.parametrize("height", [Fraction(-1, 2), Fraction(3, 2)])
def test_a_number_outside_its_range_is_refused(height: Fraction) -> None:
    with pytest.raises(ValueError, match=r"^height .*0.*1"):
        same_numbers(10, height, forced_response())


def test_nobody_is_no_class() -> None:
    with pytest.raises(ValueError, match="n must be"):
        same_numbers(0, Fraction(1, 2), forced_response())
