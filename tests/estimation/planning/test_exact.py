import math
from fractions import Fraction
from functools import cache
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveys.estimation.planning import exact
from surveys.estimation.planning.exact import ExactTest, _certainly_enough
from surveys.estimation.planning.power import power
from surveys.estimation.planning.size import sample_size
from surveys.estimation.tails import at_most
from surveys.estimation.validation import Floats
from surveys.privacy.designs import forced_response, k_ary, warner

COINS, DIRECT = forced_response(), warner(1)
ONE_SIDED, TWO_SIDED = "one-sided", "two-sided"


def by_enumeration(n: int, null: Fraction, reported: Fraction, level: Fraction, *, two_sided: bool) -> Fraction:
    """The power of the exact test with a critical region found by adding up probabilities."""

    def chances(rate: Fraction) -> list[Fraction]:
        return [math.comb(n, x) * rate**x * (1 - rate) ** (n - x) for x in range(n + 1)]

    under_null, assumed = chances(null), chances(reported)
    tail = level / 2 if two_sided else level
    upwards = [x for x in range(n + 1) if sum(under_null[x:]) <= tail]
    downwards = [x for x in range(n + 1) if sum(under_null[: x + 1]) <= tail]
    if two_sided:
        return sum((assumed[x] for x in upwards + downwards), Fraction(0))
    return sum((assumed[x] for x in (upwards if reported > null else downwards)), Fraction(0))


@pytest.mark.parametrize("n", [1, 2, 9, 30])
@pytest.mark.parametrize(("share", "null"), [("4/5", "1/2"), ("1/5", "1/2"), ("3/10", "0"), ("7/10", "1")])
@pytest.mark.parametrize("alternative", [ONE_SIDED, TWO_SIDED])
def test_exact_power_is_that_of_all_outcomes(n: int, share: str, null: str, alternative: str) -> None:
    rates = [Fraction(1, 4) + Fraction(value) / 2 for value in (null, share)]
    expected = by_enumeration(n, *rates, Fraction(1, 20), two_sided=alternative == TWO_SIDED)
    chance = power(
        n=n,
        design=COINS,
        prevalence=float(Fraction(share)),
        null_prevalence=float(Fraction(null)),
        alternative=alternative,
        method="exact",
    )
    assert chance == pytest.approx(float(expected), rel=1e-12, abs=1e-15)


@given(st.integers(1, 3000), st.floats(0.05, 0.95), st.sampled_from([ONE_SIDED, TWO_SIDED]))
def test_the_exact_test_keeps_its_level(n: int, share: float, alternative: str) -> None:
    chance = power(n=n, design=COINS, prevalence=share, null_prevalence=share, alternative=alternative, method="exact")
    assert chance <= 0.05


def test_a_design_that_turns_answers_round_has_the_same_power() -> None:
    for alternative in (ONE_SIDED, TWO_SIDED):
        powers = [
            power(n=70, design=warner(p), prevalence=0.4, null_prevalence=0.1, alternative=alternative, method="exact")
            for p in ("3/4", "1/4")
        ]
        assert powers[0] == pytest.approx(powers[1], rel=1e-12)


def test_asked_directly_one_yes_disproves_nobody() -> None:
    chance = power(n=10, design=DIRECT, prevalence=0.2, alternative=ONE_SIDED, method="exact")
    assert chance == pytest.approx(1 - 0.8**10, rel=1e-12)


def test_one_answer_among_several_is_tested_by_its_own_reports() -> None:
    chance = power(n=20, design=k_ary(4, "1/2"), option=2, prevalence=0.6, null_prevalence=0.1, method="exact")
    expected = by_enumeration(20, Fraction(7, 40), Fraction(17, 40), Fraction(1, 20), two_sided=True)
    assert chance == pytest.approx(float(expected), rel=1e-12)


@pytest.mark.parametrize("alternative", [ONE_SIDED, TWO_SIDED])
@pytest.mark.parametrize(("share", "target"), [(0.5, 0.8), (0.9, 0.95), (0.4, 0.3)])
def test_from_the_sample_size_on_power_stays_and_just_before_it_does_not(
    share: float, target: float, alternative: str
) -> None:
    question = {
        "design": COINS,
        "prevalence": share,
        "null_prevalence": 0.2,
        "alternative": alternative,
        "method": "exact",
    }
    n = sample_size(power=target, **question)
    assert power(n=n - 1, **question) < target
    assert min(power(n=later, **question) for later in range(n, 3 * n)) >= target


def test_power_falls_again_with_more_responses() -> None:
    question = {"design": COINS, "prevalence": 0.5, "null_prevalence": 0.2, "method": "exact"}
    powers = [power(n=n, **question) for n in range(1, 200)]
    assert any(later < earlier for earlier, later in pairwise(powers))
    # Some smaller sizes reach the target too, but not all that follow them do.
    n = sample_size(power=0.8, **question)
    assert min(size for size, chance in enumerate(powers, start=1) if chance >= 0.8) < n


def test_a_count_that_just_fits_the_level_is_in_the_critical_region() -> None:
    # Two fair coins are both tails in exactly one case of four, half of the level.
    chance = power(n=2, design=DIRECT, prevalence=0.9, null_prevalence=0.5, significance=0.5, method="exact")
    assert chance == pytest.approx(0.82, rel=1e-12)


def test_the_second_response_can_be_the_one_that_is_needed() -> None:
    # A single Yes disproves that nobody would say it: 1/2 with one response, 3/4 with two.
    question = {"design": DIRECT, "prevalence": 0.5, "alternative": ONE_SIDED, "method": "exact"}
    assert sample_size(power=0.7, **question) == 2


@cache
def power_with(test: ExactTest, n: int) -> float:
    return test.power(n)


def by_looking_at_every_size(test: ExactTest, target: float) -> int:
    """The size found from the powers of all that could be too small."""
    sizes = range(1, by_hoeffding(abs(test.reported - test.null), test.tail, target) + 1)
    return max((n for n in sizes if power_with(test, n) < target), default=0) + 1


def by_hoeffding(difference: float, tail: float, target: float) -> int:
    """An n from which on the power is certainly at least the target, by an inequality that is not the program's."""
    margins = math.sqrt(-math.log(tail) / 2) + math.sqrt(-math.log1p(-target) / 2)
    return math.ceil(((margins + math.sqrt(margins**2 + 4 * difference)) / (2 * difference)) ** 2) + 1


SAMPLED = [(0.5, 0.6, 0.025), (0.6, 0.5, 0.025), (0.25, 0.4, 0.1), (0.01, 0.12, 0.0005), (0.0, 0.1, 0.05)]


@pytest.mark.parametrize("two_sided", [False, True])
@pytest.mark.parametrize("target", [0.0001, 0.02, 0.0257, 0.06, 0.5, 0.8, 0.99])
@pytest.mark.parametrize(
    ("null", "reported", "tail"),
    [*(pytest.param(*given, marks=pytest.mark.uncounted) for given in SAMPLED), (0.9, 1.0, 0.01)],
)
def test_the_sample_size_is_that_of_looking_at_every_size(
    null: float, reported: float, tail: float, target: float, two_sided: bool
) -> None:
    test = ExactTest(null, reported, tail, two_sided)
    assert test.sample_size(target) == by_looking_at_every_size(test, target)


@pytest.mark.parametrize(
    ("null", "reported", "tail", "target"),
    [(0.5, 0.5068, 0.025, 0.0053), (0.505, 0.515, 0.025, 0.8), (0.26, 0.268, 0.0005, 0.2), (0.5, 0.506, 0.025, 0.03)],
)
def test_few_of_the_sizes_are_looked_at(
    null: float, reported: float, tail: float, target: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = 0

    def counted(counts: npt.NDArray[np.int64], n: npt.NDArray[np.int64], probability: float) -> Floats:
        nonlocal looks
        looks += counts.size
        return at_most(counts, n, probability)

    monkeypatch.setattr(exact, "at_most", counted)
    ExactTest(null, reported, tail, True).sample_size(target)
    # Each of them by halving, on two sides, would be two to three million.
    assert looks < 400_000


@pytest.mark.parametrize(
    ("null", "reported", "tail", "target"),
    [(0.25, 0.35, 0.025, 0.8), (0.6, 0.25, 0.05, 0.9), (0.5, 0.52, 0.005, 0.5), (1e-4, 1e-3, 0.025, 0.8)],
)
def test_no_size_beyond_the_certain_one_needs_a_look(null: float, reported: float, tail: float, target: float) -> None:
    n, test = _certainly_enough(null, reported, tail, target), ExactTest(null, reported, tail, two_sided=False)
    assert n <= by_hoeffding(abs(reported - null), tail, target)
    assert min(test.power(size) for size in range(n, n + 200)) >= target


def test_shares_closer_than_rounding_need_more_than_there_are() -> None:
    for close in (1e-12, 5e-17):
        assert _certainly_enough(0.2, 0.2 + close, 0.025, 0.8) > 10**15


def test_a_certain_answer_needs_one_response() -> None:
    question = {"design": DIRECT, "prevalence": 1.0, "alternative": ONE_SIDED, "method": "exact"}
    assert sample_size(power=0.8, **question) == 1


def test_the_exact_method_has_a_limit() -> None:
    question = {"design": COINS, "prevalence": 0.3, "null_prevalence": 0.2, "method": "exact"}
    assert power(n=100_000, **question) == pytest.approx(1, abs=1e-12)
    with pytest.raises(ValueError, match=r"^n .*100000"):
        power(n=100_001, **question)
    for close in (0.2, 0.201):
        with pytest.raises(ValueError, match=r"^prevalence .*exact method"):
            sample_size(power=0.8, **{**question, "prevalence": close})
