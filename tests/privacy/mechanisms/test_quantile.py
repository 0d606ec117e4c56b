import math
from fractions import Fraction
from itertools import combinations_with_replacement
from statistics import median_high, median_low
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveys.privacy.designs import Design, k_ary
from surveys.privacy.mechanisms.quantile import Quantile, QuantileScore
from tests.privacy.mechanisms.choices import ADD, REPLACE, ChoiceConformance, direct, truths_of
from tests.privacy.mechanisms.neighbours import DataSet

HALF, THIRD = Fraction(1, 2), Fraction(1, 3)
DISTANCE, BALANCE = QuantileScore.DISTANCE, QuantileScore.BALANCE
COIN = k_ary(3, "1/2", ["1/2", "1/4", "1/4"])


def quantile(
    score: QuantileScore = DISTANCE, design: Design = COIN, relation: object = REPLACE, **more: object
) -> Quantile:
    return Quantile(**{"epsilon": Fraction(3), "share": HALF} | more, score=score, design=design, relation=relation)


def expected_score(score: QuantileScore, p: Fraction, below: Fraction, at: Fraction, above: Fraction) -> Fraction:
    rank = p * (below + at + above)
    if score is DISTANCE:
        return -max(Fraction(0), below - rank, rank - below - at)
    return -abs(2 * (1 - p) * below - 2 * p * above)


class QuantileConformance(ChoiceConformance):
    attained_of: ClassVar = {REPLACE: 0.55, ADD: 0.5}

    def statistic(self, mechanism: Quantile, data: DataSet) -> list[Fraction]:
        truths = truths_of(mechanism.design, data.counts)[: mechanism.ordered]
        return [
            expected_score(mechanism.score, mechanism.share, sum(truths[:c]), truths[c], sum(truths[c + 1 :]))
            for c in range(mechanism.ordered)
        ]


class TestDistance(QuantileConformance):
    def mechanisms(self) -> list[Quantile]:
        return [
            quantile(),
            quantile(relation=ADD, share=THIRD),
            quantile(design=k_ary(4, "2/3"), ordered=3),
        ]

    def raw_sensitivity(self, mechanism: Quantile) -> Fraction:
        return Fraction(1) if mechanism.relation is REPLACE else max(mechanism.share, 1 - mechanism.share)


class TestBalance(QuantileConformance):
    def mechanisms(self) -> list[Quantile]:
        return [
            quantile(BALANCE),
            quantile(BALANCE, relation=ADD, share=THIRD),
        ]

    def raw_sensitivity(self, mechanism: Quantile) -> Fraction:
        return 2 * (Fraction(1) if mechanism.relation is REPLACE else max(mechanism.share, 1 - mechanism.share))


@pytest.mark.parametrize("share", [HALF, THIRD, Fraction(9, 10)])
def test_sensitivities_of_truths_are_those_of_the_table(share: Fraction) -> None:
    larger = max(share, 1 - share)
    expected = {(DISTANCE, REPLACE): 1, (DISTANCE, ADD): larger, (BALANCE, REPLACE): 2, (BALANCE, ADD): 2 * larger}
    assert {
        (score, relation): quantile(score, direct(5), relation, share=share).sensitivity.value
        for score, relation in expected
    } == expected


def test_the_rank_distance_of_the_median_has_sensitivity_2_and_1() -> None:
    assert quantile(BALANCE, direct(5), REPLACE).sensitivity.value == 2
    assert quantile(BALANCE, direct(5), ADD).sensitivity.value == 1


def test_a_coin_multiplies_the_sensitivity_by_1_over_t() -> None:
    assert quantile(DISTANCE, k_ary(5, "1/3")).sensitivity.value == 3
    assert quantile(BALANCE, k_ary(5, "1/3")).sensitivity.value == 6


def test_the_balance_of_the_median_is_how_many_more_are_on_one_side() -> None:
    # 1, 1, 2, 4, 4, 4 on a scale from 1 to 5.
    assert quantile(BALANCE, direct(5)).scores([2, 1, 0, 3, 0]) == (-4, -1, 0, -3, -6)


def test_the_distance_is_0_exactly_at_the_medians() -> None:
    mechanism = quantile(DISTANCE, direct(4))
    for n in range(1, 7):
        for data in combinations_with_replacement(range(4), n):
            scores = mechanism.scores([data.count(code) for code in range(4)])
            medians = set(range(median_low(data), median_high(data) + 1))
            assert {code for code, score in enumerate(scores) if score == 0} == medians, data


def test_where_many_give_one_answer_only_the_distance_prefers_the_median() -> None:
    counts, very_large = [51, 1, 48], Fraction(10**6)
    assert quantile(DISTANCE, direct(3), epsilon=very_large).release(counts) == 0
    assert quantile(BALANCE, direct(3), epsilon=very_large).release(counts) == 1
    assert quantile(BALANCE, direct(3)).scores(counts) == (-49, -3, -52)
    assert quantile(DISTANCE, direct(3)).scores(counts) == (0, -1, -2)


@given(
    st.lists(st.integers(0, 50), min_size=3, max_size=3),
    st.fractions(min_value=Fraction(1, 100), max_value=Fraction(99, 100)),
)
def test_one_answer_has_no_distance_whatever_was_reported(counts: list[int], share: Fraction) -> None:
    assert max(quantile(DISTANCE, share=share).scores(counts)) == 0


def test_quantiles_are_among_those_who_give_an_ordered_answer() -> None:
    # Of 100, 60 do not say; of the 40 others 30 give the first answer, which is the median and not the third quartile.
    mechanism = quantile(DISTANCE, direct(4), ordered=3)
    assert mechanism.scores([30, 8, 2, 60]) == (0, -10, -18)
    upper = quantile(DISTANCE, direct(4), ordered=3, share=Fraction(4, 5))
    assert upper.scores([30, 8, 2, 60]) == (-2, 0, -6)
    assert mechanism.probability(3, [30, 8, 2, 60]) == 0


def test_the_other_side_of_a_quantile_mirrors_it() -> None:
    for score in QuantileScore:
        low = quantile(score, direct(4), share=Fraction(1, 5)).scores([5, 2, 1, 7])
        high = quantile(score, direct(4), share=Fraction(4, 5)).scores([7, 1, 2, 5])
        assert low == tuple(reversed(high))


def test_the_error_bound_is_a_number_of_people() -> None:
    mechanism = quantile(DISTANCE, k_ary(5, "1/2"), epsilon=HALF)
    assert mechanism.error_bound(100, 0.9).at_most == pytest.approx(2 * 2 / 0.5 * math.log(5 / 0.1), rel=1e-12)


@pytest.mark.parametrize("share", [0, 1, -1, 2, 0.5, math.nan, None, True])
def test_a_share_is_strictly_between_0_and_1_and_exact(share: object) -> None:
    with pytest.raises(ValueError, match="share must be"):
        quantile(share=share)


@pytest.mark.parametrize("ordered", [1, 4, 2.0, True])
def test_ordered_answers_are_some_of_all(ordered: object) -> None:
    with pytest.raises(ValueError, match=r"^ordered .*2.*3"):
        quantile(ordered=ordered)


def test_a_score_is_one_of_two() -> None:
    with pytest.raises(ValueError, match=r"^score .*QuantileScore.* 'distance'"):
        quantile("distance")
