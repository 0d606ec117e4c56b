"""Many reports at once have exactly the probabilities of one."""

from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from surveys.privacy.batch import LARGEST_DENOMINATOR, perturb_many, uniform_below
from surveys.privacy.designs import Design, UnaryDesign, forced_response, from_matrix, k_ary, k_ary_at, kuk, warner
from surveys.privacy.randomness import draw_report
from tests.privacy.chance import FALSE_ALARM_RATE
from tests.privacy.test_randomness import DESIGNS

THIRTEENTHS = from_matrix([["5/13", 0], ["4/13", "6/13"], ["4/13", "7/13"]])


NARROW = [1, 2, 3, 10, 64, 120, 250, 255, 256]
WIDE = [100, 257, 1000, 8191, 8192, 60_000, 65_536]


def width_of(bound: int) -> int:
    return 1 if bound in NARROW else 2


@pytest.mark.parametrize("bound", NARROW + WIDE)
def test_every_integer_below_the_bound_is_equally_likely(bound: int) -> None:
    numbers = 256 ** width_of(bound)
    # Every integer of this width comes once; zeros come for what is drawn again.
    rounds = iter([np.arange(numbers, dtype=f"<u{width_of(bound)}").tobytes()])
    seen = np.bincount(uniform_below(bound, numbers, lambda size: next(rounds, bytes(size))), minlength=bound)
    seen[0] -= numbers % bound
    assert seen.tolist() == [numbers // bound] * bound


def test_a_number_that_is_drawn_again_is_refused_again_if_it_must() -> None:
    # Below 250 a byte is refused from 250 on.
    rounds = iter([b"\x05\xff\x07\xfc", b"\xfb\xf9", b"\xfa", b"\x09"])
    requested = []

    def random_bytes(size: int) -> bytes:
        requested.append(size)
        return next(rounds)

    assert uniform_below(250, 4, random_bytes).tolist() == [5, 9, 7, 249]
    assert requested == [4, 2, 1, 1]


@pytest.mark.parametrize(
    ("bound", "width"),
    [(1, 1), (4, 1), (224, 1), (223, 2), (256, 1), (257, 2), (57_344, 2), (57_336, 4), (65_537, 4), (2**32 + 1, 8)],
)
def test_integers_are_as_narrow_as_leaves_few_to_be_redrawn(bound: int, width: int) -> None:
    requested = []

    def random_bytes(size: int) -> bytes:
        requested.append(size)
        return bytes(size)

    assert uniform_below(bound, 10, random_bytes).tolist() == [0] * 10
    assert requested == [10 * width]


@pytest.mark.parametrize("bound", [2**32 + 1, 2**53 + 1, LARGEST_DENOMINATOR - 1, LARGEST_DENOMINATOR])
def test_wide_integers_are_divided_exactly(bound: int) -> None:
    part = 2**64 // bound
    accepted = [0, part - 1, part, part * bound - 1]
    drawn = np.array(accepted, dtype="<u8").tobytes()
    assert uniform_below(bound, 4, lambda _size: drawn).tolist() == [0, 0, 1, bound - 1]


@pytest.mark.parametrize(
    "design",
    [*DESIGNS, THIRTEENTHS, kuk("1/2", "1/4", draws=4), from_matrix([["1/256", "1/2"], ["255/256", "1/2"]])],
    ids=lambda design: f"{design.name}-{design.denominator}",
)
def test_the_same_integers_give_the_same_reports_as_one_by_one(design: Design) -> None:
    bound = design.denominator
    numbers = 256 if 256 % bound <= 32 else 65_536
    for truth in range(design.k):
        drawn = (np.arange(bound) * (numbers // bound)).astype("<u1" if numbers == 256 else "<u2").tobytes()
        reports = perturb_many(np.full(bound, truth), design, lambda _size, drawn=drawn: drawn)
        assert reports.tolist() == [draw_report(design, truth, lambda _bound, x=x: x) for x in range(bound)]
        shares = [Fraction(int(count), bound) for count in np.bincount(reports, minlength=design.m)]
        assert shares == [row[truth] for row in design.matrix]


def test_every_truth_has_its_own_column() -> None:
    truths = np.array([0, 1, 1, 0], dtype=np.uint8)
    drawn = bytes([0, 0, 128, 255])  # quarters 0, 0, 2 and 3
    assert perturb_many(truths, forced_response(), lambda _size: drawn).tolist() == [0, 0, 1, 1]
    assert perturb_many([0, 1, 1, 0], forced_response(), lambda _size: drawn).tolist() == [0, 0, 1, 1]
    assert perturb_many([1, 1], forced_response(), lambda _size: bytes([63, 64])).tolist() == [0, 1]


def p_value(reports: np.ndarray, design: Design, truth: int) -> float:
    expected = [float(row[truth]) * len(reports) for row in design.matrix]
    return float(stats.chisquare(np.bincount(reports, minlength=design.m), expected).pvalue)


@pytest.mark.parametrize("design", [forced_response(), k_ary(7), warner("37/100"), k_ary_at(1, 4)])
def test_two_hundred_thousand_reports_fit_the_matrix(design: Design) -> None:
    # The system's source cannot be seeded: each of these fails by chance once in a million runs.
    for truth in {0, design.k - 1}:
        reports = perturb_many(np.full(200_000, truth, dtype=np.uint8), design)
        assert p_value(reports, design, truth) > FALSE_ALARM_RATE / 2


def test_a_byte_modulo_100_does_not_fit() -> None:
    design = from_matrix([["1/4", "3/4"], ["3/4", "1/4"]])
    biased = (np.frombuffer(np.random.default_rng(3).bytes(200_000), dtype=np.uint8) % 100 >= 25).astype(np.uint8)
    assert p_value(biased, design, 0) < FALSE_ALARM_RATE


def test_reports_are_as_narrow_as_their_codes() -> None:
    assert perturb_many([0, 1], forced_response()).dtype == np.uint8
    wide = UnaryDesign(9, Fraction(1, 2), Fraction(1, 4)).design
    assert perturb_many([0, 8], wide).dtype == np.uint16


def test_256_reports_fit_into_a_byte_and_257_do_not() -> None:
    def of_reports(m: int) -> Design:
        return from_matrix([[Fraction(1, m), Fraction(2, m)], *[[Fraction(1, m)] * 2] * (m - 2), [Fraction(1, m), 0]])

    assert perturb_many([0], of_reports(256), lambda _size: b"\xff").tolist() == [255]
    assert perturb_many([0], of_reports(256), lambda _size: b"\xff").dtype == np.uint8
    assert perturb_many([0], of_reports(257), lambda size: b"\xff\xfe\x00"[:size]).dtype == np.uint16
    assert perturb_many([0], of_reports(257), lambda _size: (256 * 255).to_bytes(2, "little")).tolist() == [256]


def test_large_weights_are_compared_exactly() -> None:
    # As a float 2^60 + 1 would be 2^60.
    weight = Fraction(2**60 + 1, LARGEST_DENOMINATOR)
    drawn = np.array([8 * 2**60, 8 * 2**60 + 8], dtype="<u8").tobytes()
    assert perturb_many([0, 0], warner(weight), lambda _size: drawn).tolist() == [0, 1]


def test_a_source_that_returns_too_little_is_refused() -> None:
    with pytest.raises(ValueError, match="smaller than requested"):
        perturb_many([0, 1, 0], forced_response(), lambda _size: b"\x00")


def test_nobody_sends_no_reports() -> None:
    assert perturb_many([], forced_response()).tolist() == []
    assert perturb_many(np.array([], dtype=np.uint8), forced_response()).tolist() == []


@pytest.mark.parametrize("truths", [[0, 2], [-1, 0], np.array([255], dtype=np.uint8)])
def test_a_truth_that_is_no_code_is_refused_without_repeating_it(truths: object) -> None:
    with pytest.raises(ValueError, match=r"^truths must be integers from 0 to 1$"):
        perturb_many(truths, forced_response())


@pytest.mark.parametrize("truths", [[0.0, 1.0], ["0"], [True, False], [[0, 1]], 1, [None]])
def test_truths_that_are_no_sequence_of_integers_are_refused(truths: object) -> None:
    with pytest.raises(ValueError, match=r"^truths must be one sequence of integers$"):
        perturb_many(truths, forced_response())


def test_a_denominator_beyond_eight_bytes_is_refused() -> None:
    with pytest.raises(ValueError, match="2305843009213693952"):
        perturb_many([0], warner(Fraction(1, LARGEST_DENOMINATOR + 1)))
    assert perturb_many([0], warner(Fraction(1, LARGEST_DENOMINATOR)), bytes).tolist() == [0]
