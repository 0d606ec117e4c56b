"""Two arms that ask the same with designs of their own, such as a direct question beside a randomized one."""

import math

import numpy as np
import pytest
from scipy import optimize, stats

from surveys.estimation.association import equality
from surveys.estimation.association.difference import Difference
from surveys.estimation.association.equality import BinomialArm, largest_chance, rejection_region, signed_roots
from surveys.estimation.association.groups import compare_groups
from surveys.estimation.intervals.general import uncut_limits
from surveys.privacy.designs import Design, direct, forced_response, from_matrix, k_ary, kuk, warner

MIXING = from_matrix([["7/10", "1/10", "3/20"], ["1/5", "4/5", "3/20"], ["1/10", "1/10", "7/10"]])
COINS, STRAIGHT = BinomialArm(10, 0.25, 0.5), BinomialArm(6, 0.0, 1.0)


def difference(first: list[int], second: list[int], *designs: Design, option: int = 1) -> Difference:
    return compare_groups([first, second], list(designs)).difference(0, 1, option)


def test_the_statistic_is_the_likelihood_ratio_found_by_another_optimizer() -> None:
    test = difference([21, 19], [80, 20], forced_response(), direct()).equality_test()

    def lost(share: float) -> float:
        return -float(stats.binom.logpmf(19, 40, 0.25 + 0.5 * share) + stats.binom.logpmf(20, 100, share))

    optimum = optimize.minimize_scalar(lost, bounds=(0, 1), method="bounded", options={"xatol": 1e-10})
    free = stats.binom.logpmf(19, 40, 19 / 40) + stats.binom.logpmf(20, 100, 0.2)
    assert test.common == pytest.approx(optimum.x, abs=1e-7)
    assert test.statistic == pytest.approx(math.sqrt(2 * (free + optimum.fun)), rel=1e-7)
    assert test.p_value == pytest.approx(stats.chi2.sf(test.statistic**2, 1), rel=1e-9)


def test_of_two_answers_it_is_the_test_of_all_groups_whichever_option_is_looked_at() -> None:
    groups = compare_groups([[21, 19], [80, 20]], [forced_response(), direct()])
    for option in (0, 1):
        test = groups.difference(0, 1, option).equality_test()
        assert test.statistic**2 == pytest.approx(groups.statistic, rel=1e-7)
        assert test.p_value == pytest.approx(groups.p_value, rel=1e-7)
        assert test.common == pytest.approx(groups.common[option], abs=1e-7)


def test_each_option_of_several_has_its_own_test() -> None:
    answers = [[30, 25, 45], [60, 25, 15]]
    test = difference(*answers, k_ary(3), direct(3), option=2).equality_test("greater")
    merged = difference([55, 45], [85, 15], from_matrix([["5/6", "1/3"], ["1/6", "2/3"]]), direct()).equality_test(
        "greater"
    )
    assert test == merged


def brute_force(counts: tuple[int, int], arms: tuple[BinomialArm, BinomialArm], alternative: str) -> float:
    """The largest probability, over a fine grid, of tables as far from equality, one table at a time."""

    def root(x: int, y: int) -> float:
        separate = [min(1.0, max(0.0, (c / a.n - a.offset) / a.slope)) for c, a in zip((x, y), arms, strict=True)]

        def fit(shares: list[float]) -> float:
            return sum(
                stats.binom.logpmf(c, a.n, a.offset + a.slope * s) for c, a, s in zip((x, y), arms, shares, strict=True)
            )

        if separate[0] == separate[1]:
            return 0.0
        best = optimize.minimize_scalar(
            lambda s: -fit([s, s]), bounds=(min(separate), max(separate)), method="bounded", options={"xatol": 1e-11}
        )
        return math.copysign(math.sqrt(max(0.0, 2 * (fit(separate) + best.fun))), separate[0] - separate[1])

    sign = {"greater": 1, "less": -1}
    far = abs if alternative == "two-sided" else lambda value: sign[alternative] * value
    observed = far(root(*counts))
    tables = [(x, y) for x in range(arms[0].n + 1) for y in range(arms[1].n + 1) if far(root(x, y)) >= observed - 1e-6]
    shares = np.linspace(0, 1, 1_001)
    chances = [stats.binom.pmf(np.arange(a.n + 1)[:, None], a.n, a.offset + a.slope * shares) for a in arms]
    return float(sum(chances[0][x] * chances[1][y] for x, y in tables).max())


@pytest.mark.parametrize("alternative", equality.ALTERNATIVES)
def test_the_exact_p_value_is_that_of_a_walk_over_all_tables(alternative: str) -> None:
    test = difference([1, 3], [2, 1], forced_response(), direct()).equality_test(alternative)
    arms = (BinomialArm(4, 0.25, 0.5), BinomialArm(3, 0.0, 1.0))
    assert test.exact_p_value == pytest.approx(brute_force((3, 1), arms, alternative), abs=2e-4)
    assert test.alternative == alternative


def test_both_directions_are_each_others_mirror_image() -> None:
    there = difference([3, 9], [6, 3], forced_response(), direct()).equality_test("greater")
    back = difference([6, 3], [3, 9], direct(), forced_response()).equality_test("less")
    assert there.exact_p_value == pytest.approx(back.exact_p_value, rel=1e-9)
    assert there.statistic == pytest.approx(-back.statistic, rel=1e-9)


def sizes(region: np.ndarray, arms: tuple[BinomialArm, BinomialArm]) -> np.ndarray:
    shares = np.linspace(0, 1, 101)
    return np.einsum("px,xy,py->p", arms[0].chances(shares), region, arms[1].chances(shares))


def test_the_exact_test_never_rejects_too_often_where_the_normal_one_does() -> None:
    arms = COINS, STRAIGHT
    region = rejection_region(arms, "two-sided", 0.05)
    assert 0.02 < sizes(region, arms).max() <= 0.05
    # The twin: by the normal distribution the level is exceeded, which this comparison must see.
    assert sizes(np.abs(signed_roots(arms)) > stats.norm.ppf(0.975), arms).max() > 0.055
    assert largest_chance(arms, region) == pytest.approx(sizes(region, arms).max(), abs=1e-4)


def test_the_region_holds_the_tables_whose_exact_p_value_is_small_enough() -> None:
    region = rejection_region((BinomialArm(4, 0.25, 0.5), BinomialArm(3, 0.0, 1.0)), "greater", 0.15)
    assert 0 < region.sum() < 6
    for yes in range(5):
        for other in range(4):
            test = difference([4 - yes, yes], [3 - other, other], forced_response(), direct()).equality_test("greater")
            assert region[yes, other] == (test.exact_p_value is not None and test.exact_p_value <= 0.15)
    assert not rejection_region((BinomialArm(1, 0.25, 0.5), BinomialArm(1, 0.25, 0.5)), "two-sided", 0.01).any()
    assert rejection_region((BinomialArm(1, 0.25, 0.5), BinomialArm(1, 0.25, 0.5)), "two-sided", 1.0 - 1e-12).sum() == 2


def test_arms_whose_reports_agree_do_not_differ() -> None:
    for first, second in (([12, 8], [90, 10]), ([30, 0], [50, 0])):
        test = difference(first, second, warner("3/4"), direct()).equality_test()
        if second == [50, 0]:
            assert (test.statistic, test.p_value, test.common) == (0, 1, 0)
            assert test.exact_p_value == pytest.approx(1)
        else:
            assert test.p_value < 1


def test_large_arms_have_no_exact_test() -> None:
    test = difference([2_000, 1_000], [800, 200], forced_response(), direct()).equality_test()
    assert test.exact_p_value is None
    assert 0 < test.p_value < 1


def test_what_is_no_alternative_or_ties_no_report_to_one_prevalence_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^alternative .*got 'more'"):
        difference([3, 9], [6, 3], forced_response(), direct()).equality_test("more")
    with pytest.raises(ValueError, match="one prevalence"):
        difference([30, 40, 30], [60, 20, 20], MIXING, direct(3)).equality_test()


def test_bootstrap_agrees_with_the_exact_test_at_the_common_prevalence() -> None:
    counts = [[14, 6], [19, 1]]
    groups = compare_groups(counts, [forced_response(), direct()])
    arms = BinomialArm(20, 0.25, 0.5), BinomialArm(20, 0.0, 1.0)
    root = signed_roots(arms)
    away = np.abs(root) >= math.sqrt(groups.statistic) - 1e-6
    first, second = (arm.chances(np.array([groups.common[1]]))[0] for arm in arms)
    expected = float(first @ away @ second)
    # The number of 199 replicates is binomial: five standard deviations are passed once in a million.
    assert groups.bootstrap_p_value(199) == pytest.approx(
        expected, abs=5 * math.sqrt(expected * (1 - expected) / 199) + 0.005
    )
    assert groups.bootstrap_p_value(9) == groups.bootstrap_p_value(9)
    with pytest.raises(ValueError, match="replicates"):
        groups.bootstrap_p_value(0)


@pytest.mark.studies
def test_in_the_corner_the_bootstrap_comes_nearer_to_its_level_than_chi_squared() -> None:
    # Nobody has the answer: 1,000 studies of two arms; shares of .05 have a standard deviation of .007.
    generator = np.random.default_rng(20)
    designs = [forced_response(), warner("3/4")]
    plain = drawn = 0
    for _ in range(1_000):
        counts = [[60 - yes, yes] for yes in generator.binomial(60, 0.25, size=2).tolist()]
        groups = compare_groups(counts, designs)
        plain += groups.p_value <= 0.05
        drawn += groups.bootstrap_p_value(99) <= 0.05
    assert plain / 1_000 < 0.025
    assert plain / 1_000 + 0.005 < drawn / 1_000 < 0.06


def test_a_report_of_several_prevalences_has_the_likelihood_ratio_limits_of_both_arms_combined() -> None:
    change = difference([40, 30, 30], [20, 50, 30], MIXING, direct(3))
    interval = change.interval()
    assert interval.method == "likelihood_ratio"
    limits = change.first.interval(0.95, "likelihood_ratio")
    other = change.second.interval(0.95, "likelihood_ratio")
    low = change.point - math.hypot(change.first.point[1] - limits.low[1], other.high[1] - change.second.point[1])
    assert interval.low == pytest.approx(low, abs=1e-6)  # neither was cut
    wald = change.interval(method="wald")
    assert (interval.low, interval.high) == pytest.approx((wald.low, wald.high), abs=0.02)


def test_more_reports_than_truths_have_limits_too_which_are_not_cut_before_they_are_combined() -> None:
    cards = kuk("4/5", "1/5", 2)
    change = difference([70, 28, 2], [20, 10], cards, direct())
    interval = change.interval()
    assert interval.method == "likelihood_ratio"
    low, high = change.first.interval(0.95, "likelihood_ratio").low[1], interval.high
    assert low == 0
    # The arm's own limit is below 0 before it is cut, and that is the one that counts.
    uncut = uncut_limits(change.first.counts, cards, 1, 0.95)[0]
    assert uncut < 0
    above = change.second.interval(0.95, "likelihood_ratio").high[1] - 1 / 3
    assert interval.low == pytest.approx(change.point - math.hypot(change.first.point[1] - uncut, above), abs=1e-9)
    assert -1 <= interval.low < high <= 1


@pytest.mark.studies
def test_combined_limits_hold_the_difference_of_two_different_designs() -> None:
    # 2,000 studies each: .93 and .97 are more than four standard deviations of .005 from .95.
    generator = np.random.default_rng(7)
    cases = [
        (forced_response(), direct(), [0.7, 0.3], [0.85, 0.15]),
        (k_ary(3), direct(3), [0.5, 0.2, 0.3], [0.7, 0.15, 0.15]),
        (MIXING, direct(3), [0.5, 0.2, 0.3], [0.7, 0.15, 0.15]),
        (kuk("4/5", "1/5", 2), forced_response(), [0.8, 0.2], [0.9, 0.1]),
    ]
    for first, second, prevalences, others in cases:
        reported = [
            np.array(design.matrix, dtype=float) @ shares for design, shares in ((first, prevalences), (second, others))
        ]
        held = 0
        for _ in range(2_000):
            counts = [
                generator.multinomial(n, chances).tolist() for n, chances in zip((160, 80), reported, strict=True)
            ]
            interval = difference(counts[0], counts[1], first, second).interval()
            held += interval.low <= prevalences[1] - others[1] <= interval.high
        assert 0.93 < held / 2_000 < 0.97
