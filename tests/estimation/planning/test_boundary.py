"""Null hypotheses under which a report is impossible, or nearly, so that an estimate has no standard error."""

import math
from fractions import Fraction

import pytest

from surveys.estimation.planning.deviation import least_for_normal
from surveys.estimation.planning.exact import ExactTest
from surveys.estimation.planning.fisher import FisherTest
from surveys.estimation.planning.power import power
from surveys.estimation.planning.size import sample_size
from surveys.estimation.planning.two_groups import unrelated_unknown_plan
from surveys.privacy.designs import Design, forced_response, kuk, triangular, warner

DIRECT, NEVER_FORCED_TO_YES = warner(1), forced_response("3/4", 0)
ONE_SIDED, TWO_SIDED = "one-sided", "two-sided"


@pytest.mark.parametrize("alternative", [ONE_SIDED, TWO_SIDED])
@pytest.mark.parametrize(("design", "reported", "needed"), [(DIRECT, 0.01, 161), (NEVER_FORCED_TO_YES, 0.0075, 214)])
def test_against_nobody_as_many_are_needed_as_bring_one_yes(
    design: Design, reported: float, needed: int, alternative: str
) -> None:
    question = {"design": design, "prevalence": 0.01, "null_prevalence": 0, "alternative": alternative}
    assert 1 - (1 - reported) ** needed >= 0.8 > 1 - (1 - reported) ** (needed - 1)
    assert sample_size(power=0.8, **question) == needed
    for n in (1, 50, 10**7):
        assert power(n=n, **question) == pytest.approx(-math.expm1(n * math.log1p(-reported)), rel=1e-9)


def test_against_everybody_it_is_the_same() -> None:
    assert sample_size(power=0.8, design=DIRECT, prevalence=0.99, null_prevalence=1) == 161
    # Of the triangular question it is "No to both" that nobody could say.
    assert sample_size(power=0.8, design=triangular("1/4"), prevalence=0.99, null_prevalence=1) == 214


@pytest.mark.parametrize("share", [1e-5, 1e-9])
def test_a_rare_answer_needs_as_many_as_it_takes(share: float) -> None:
    n = sample_size(power=0.8, design=DIRECT, prevalence=share)
    assert n == pytest.approx(math.log(5) / share, rel=1e-5)


def test_what_no_survey_can_hold_is_refused() -> None:
    for share in (0.0, 1e-18):
        with pytest.raises(ValueError, match=r"^prevalence .*null hypothesis"):
            sample_size(power=0.8, design=DIRECT, prevalence=share)


@pytest.mark.parametrize("alternative", [ONE_SIDED, TWO_SIDED])
@pytest.mark.parametrize("null", [1e-12, 1e-9, 1e-4, 1e-3])
def test_near_nobody_the_size_is_that_of_the_exact_test(null: float, alternative: str) -> None:
    question = {"design": DIRECT, "prevalence": 0.01, "null_prevalence": null, "alternative": alternative}
    n = sample_size(power=0.8, **question)
    assert n == sample_size(power=0.8, method="exact", **question) >= 161
    assert power(n=n, **question) == power(n=n, method="exact", **question)


def test_the_approximation_takes_over_where_five_reports_of_a_kind_are_expected() -> None:
    # 5·(1 − 2λ)²/(λ(1 − λ)) with λ = .02.
    least = least_for_normal(DIRECT, 0.02, 1)
    assert least == pytest.approx(5 * 0.96**2 / (0.02 * 0.98))
    question = {"design": DIRECT, "prevalence": 0.03, "null_prevalence": 0.02}
    assert power(n=math.floor(least), **question) == power(n=math.floor(least), method="exact", **question)
    assert power(n=math.ceil(least), **question) > power(n=math.ceil(least), method="exact", **question)


@pytest.mark.slow
@pytest.mark.uncounted
def test_no_size_lies_where_neither_test_has_the_power() -> None:
    for null in (0.001, 0.01, 0.02, 0.05, 0.2):
        for prevalence in (0.1, 0.3, 0.9):
            question = {"design": DIRECT, "prevalence": prevalence, "null_prevalence": null}
            n = sample_size(power=0.8, **question)
            assert min(power(n=size, **question) for size in range(n, n + 300)) >= 0.8
            assert n == 1 or power(n=n - 1, **question) < 0.8


def test_a_size_is_the_smallest_where_only_the_exact_test_would_ask_for_more() -> None:
    question = {"design": forced_response(), "prevalence": 0.02, "other_prevalence": 0.1, "alternative": ONE_SIDED}
    # Three of three against none have a probability of 1/20: that is significant, and more probable than the target.
    assert sample_size(power=0.01, **question) == 3
    assert power(n=3, **question) == pytest.approx(0.3**3 * 0.74**3)


def by_all_tables(n: int, first: Fraction, second: Fraction, level: Fraction, *, two_sided: bool) -> Fraction:
    """The power of Fisher's test, from every table of two groups of n."""
    tail, rejected = level / 2 if two_sided else level, Fraction(0)
    for x in range(n + 1):
        for y in range(n + 1):
            ways = [math.comb(n, count) * math.comb(n, x + y - count) for count in range(min(n, x + y) + 1)]
            more, fewer = (Fraction(sum(of), math.comb(2 * n, x + y)) for of in (ways[x:], ways[: x + 1]))
            if first < second:
                more, fewer = fewer, more
            if more <= tail or (two_sided and fewer <= tail):
                rejected += (
                    math.comb(n, x)
                    * first**x
                    * (1 - first) ** (n - x)
                    * (math.comb(n, y) * second**y * (1 - second) ** (n - y))
                )
    return rejected


@pytest.mark.parametrize("two_sided", [False, True])
@pytest.mark.parametrize("n", [1, 3, 11, 20])
@pytest.mark.parametrize(
    ("first", "second"), [("1/2", "0"), ("0", "1/2"), ("3/10", "1/100"), ("99/100", "7/10"), ("1/3", "1/3")]
)
def test_the_power_of_fishers_test_is_that_of_all_tables(n: int, first: str, second: str, two_sided: bool) -> None:
    rates, level = (Fraction(first), Fraction(second)), Fraction(1, 10)
    tail = float(level / 2 if two_sided else level)
    expected = by_all_tables(n, *rates, level, two_sided=two_sided)
    exact = FisherTest(*map(float, rates), tail, two_sided).power(n)
    assert exact == pytest.approx(float(expected), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("tail", [0.025, 0.0005])
def test_fishers_test_keeps_its_level(tail: float) -> None:
    for share in (1e-6, 1e-3, 0.01, 0.05):
        for n in (5, 30, 200, 99_000):
            if n * share < 300:
                assert FisherTest(share, share, tail, two_sided=True).power(n) <= 2 * tail


def test_two_groups_with_nobody_in_one_of_them_need_six_in_the_other() -> None:
    # Six of six on one side have a probability of 1/64, five of five of 1/32, which is more than 2.5%.
    question = {"design": DIRECT, "prevalence": 0.01, "other_prevalence": 0}
    n = sample_size(power=0.8, **question)

    def six_or_more(size: int) -> float:
        return 1 - sum(math.comb(size, x) * 0.01**x * 0.99 ** (size - x) for x in range(6))

    assert n == 790
    assert six_or_more(n) >= 0.8 > six_or_more(n - 1)
    assert power(n=n, **question) == pytest.approx(six_or_more(n), rel=1e-9)
    assert power(n=1, **question) == 0
    assert power(n=10**15, **question) == pytest.approx(1)


def test_near_nobody_two_groups_are_planned_by_fishers_test() -> None:
    sizes = [
        sample_size(power=0.8, design=DIRECT, prevalence=0.01, other_prevalence=other) for other in (1e-9, 1e-4, 1e-3)
    ]
    assert sizes[0] == 790 < sizes[1] < sizes[2]
    for n, other in zip(sizes[1:], (1e-4, 1e-3), strict=True):
        assert FisherTest(0.01, other, 0.025, two_sided=True).power(n) >= 0.8


def test_a_size_of_two_groups_is_not_one_that_a_later_one_falls_short_of() -> None:
    for share in (0.2, 0.25, 0.3, 0.5):
        test = FisherTest(share, 0.0, 0.025, two_sided=False)
        n = test.sample_size(0.8)
        assert test.power(n - 1) < 0.8 <= min(test.power(size) for size in range(n, 300))


def test_groups_too_alike_for_whole_counts_are_refused() -> None:
    with pytest.raises(ValueError, match=r"^prevalence .*other_prevalence"):
        sample_size(power=0.8, design=DIRECT, prevalence=1e-5, other_prevalence=1e-6)


def test_a_null_that_neither_group_is_near_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^null_prevalence"):
        power(n=20_000, design=DIRECT, prevalence=0.5, other_prevalence=0.3, null_prevalence=0)


@pytest.mark.parametrize("design", [kuk("3/4", 0, 3), unrelated_unknown_plan(1, "1/2", 0)])
def test_a_design_without_an_exact_test_is_refused_where_nothing_is_left_to_chance(design: object) -> None:
    with pytest.raises(ValueError, match=r"^null_prevalence leaves"):
        sample_size(power=0.8, design=design, prevalence=0.01)
    with pytest.raises(ValueError, match=r"^n "):
        power(n=100, design=design, prevalence=0.01)


def test_a_design_without_an_exact_test_gets_as_many_as_the_approximation_needs() -> None:
    plan = unrelated_unknown_plan("0.7", "0.3", "0.1")
    least = math.ceil(least_for_normal(plan, 0.01, 1))
    question = {"design": plan, "prevalence": 0.99, "null_prevalence": 0.01}
    assert sample_size(power=0.1, **question) == least > 1
    with pytest.raises(ValueError, match=r"^n "):
        power(n=least - 1, **question)


def test_of_three_cards_reds_are_skewed_as_binomials_are() -> None:
    # Of 3 cards with 3 reds in 10, (1 − 2·.3)/√(3·.3·.7).
    assert least_for_normal(kuk("8/10", "3/10", 3), 0.0, 1) == pytest.approx(5 * 0.4**2 / 0.63)


def test_a_certain_answer_is_found_with_one_response() -> None:
    assert ExactTest(0.0, 1.0, 0.025, two_sided=True).sample_size(0.8) == 1
