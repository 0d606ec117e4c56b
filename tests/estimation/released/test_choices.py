"""How far the truths may be from making a drawn choice the best one."""

import math
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest

from surveys.estimation.released.choices import rank_distance_of_truth, shortfall_of_truth
from surveys.privacy.adjacency import Counted, NeighbouringRelation
from surveys.privacy.designs import Design, named
from surveys.privacy.mechanisms.most_common import count_scores
from surveys.privacy.mechanisms.price import BestPrice
from surveys.privacy.mechanisms.quantile import distance_forms
from surveys.privacy.mechanisms.scores import Scores, cumulated_forms

RISK = 0.05


def _k_ary(k: int, truth: tuple[int, int] = (1, 2)) -> Design:
    return named("k_ary", parameters={"truth": list(truth)}, k=k)


def _ranks(design: Design, share: Fraction) -> Scores:
    sums = cumulated_forms(design.left_inverse, design.m)
    return Scores(tuple(distance_forms(share, sums[i], sums[i + 1], sums[-1]) for i in range(design.k)))


def test_two_answers_are_one_comparison_of_both() -> None:
    scores = count_scores(_k_ary(2), Counted.CODES, 2)
    # The lead is twice one debiased count and a constant: its range is 2/t = 4, and there are two ordered pairs.
    expected = 7 + 4 * math.sqrt(100 * math.log(2 / RISK) / 2)
    assert shortfall_of_truth(scores, 0, [1], n=100, risk=RISK, of_reports=7) == pytest.approx(expected)


def test_of_many_answers_the_smaller_of_both_bounds_counts() -> None:
    scores = count_scores(_k_ary(10), Counted.CODES, 10)
    # Each of ten debiased counts has a range of 1/t = 2, on either side: 20 bounds are fewer than 90 pairs.
    expected = 2 * 2 * math.sqrt(100 * math.log(20 / RISK) / 2)
    assert shortfall_of_truth(scores, 3, [0, 9], n=100, risk=RISK, of_reports=0) == pytest.approx(expected)


def test_options_that_people_tick_each_have_their_own_reports() -> None:
    scores = count_scores(_k_ary(2), Counted.BITS, 3)
    # A bit's debiased count has a range of 1/slope = 2, and the difference of two of them one of 4.
    expected = 4 * math.sqrt(50 * math.log(6 / RISK) / 2)
    assert shortfall_of_truth(scores, 1, [0, 2], n=50, risk=RISK, of_reports=0) == pytest.approx(expected)


def _prices(prices: list[int]) -> Scores:
    return BestPrice(
        epsilon=Fraction(1),
        relation=NeighbouringRelation.REPLACE_ONE,
        design=_k_ary(len(prices)),
        prices=tuple(map(Fraction, prices)),
    ).scored


def _range(form: tuple[Fraction, ...], counted: Counted) -> float:
    return float(sum(map(abs, form)) if counted is Counted.BITS else max(form) - min(form))


def _events(scores: Scores, n: int, risk: float, *, rather_of_pairs: bool) -> dict[tuple[object, ...], float]:
    """Return the events that the bounds of all pairs rest on, and by Hoeffding the risk at which each is this bound.

    Where a bound may be of either kind, it is taken for the one or for the other throughout.
    """
    k = len(scores.forms)
    events: dict[tuple[object, ...], float] = {}
    for chosen, other in permutations(range(k), 2):
        bound = shortfall_of_truth(scores, chosen, [other], n=n, risk=risk, of_reports=0)
        [one], [another] = scores.forms[chosen], scores.forms[other]
        difference = _range(tuple(y - x for x, y in zip(one, another, strict=True)), scores.counted)
        of_two, of_pair = (
            math.exp(-2 * (bound / width) ** 2 / n)
            for width in (_range(one, scores.counted) + _range(another, scores.counted), difference)
        )
        if of_two == pytest.approx(risk / (2 * k)) and not (
            rather_of_pairs and of_pair == pytest.approx(risk / (k * (k - 1)))
        ):
            events |= {(chosen, "below"): of_two, (other, "above"): of_two}
        else:
            events[chosen, other] = of_pair
    return events


@pytest.mark.parametrize(
    "scores",
    [
        _prices([2**i for i in range(12)]),
        _prices([1, 2, 3]),
        count_scores(_k_ary(2), Counted.CODES, 2),
        count_scores(_k_ary(9), Counted.CODES, 9),
        count_scores(_k_ary(2), Counted.BITS, 4),
    ],
    ids=["prices that double", "three prices", "two answers", "nine answers", "four options"],
)
@pytest.mark.parametrize("risk", [0.025, 0.3])
def test_the_events_that_all_bounds_together_rest_on_have_the_stated_risk(scores: Scores, risk: float) -> None:
    total = min(
        math.fsum(_events(scores, 500, risk, rather_of_pairs=rather_of_pairs).values())
        for rather_of_pairs in (True, False)
    )
    # At most it, and none of it is given away.
    assert total == pytest.approx(risk, rel=1e-9)


def test_no_bound_is_wider_than_that_of_the_other_family_at_its_worst() -> None:
    scores = _prices([2**i for i in range(20)])
    widest = max(
        shortfall_of_truth(scores, chosen, [other], n=500, risk=RISK, of_reports=0)
        for chosen in range(20)
        for other in {18, 19} - {chosen}
    )
    # A price of 2^i earns 2^i/t = 2^(i + 1) of one response at most, and so does the higher of two prices' difference.
    assert widest == pytest.approx(2**20 * math.sqrt(500 * math.log(20 * 19 / RISK) / 2))
    assert widest < (2**20 + 2**19) * math.sqrt(500 * math.log(2 * 20 / RISK) / 2)


def test_an_answer_that_beat_no_other_falls_short_of_none() -> None:
    assert shortfall_of_truth(count_scores(_k_ary(3), Counted.CODES, 3), 0, [], n=9, risk=RISK, of_reports=5) == 0


def test_the_rank_of_a_median_is_off_by_the_range_of_one_side() -> None:
    # A − N/2 has the range 1/t = 2; there are two sides of each of five answers.
    expected = 3 + 2 * math.sqrt(400 * math.log(10 / RISK) / 2)
    distance = rank_distance_of_truth(_ranks(_k_ary(5), Fraction(1, 2)), 2, n=400, risk=RISK, of_reports=3)
    assert distance == pytest.approx(expected)


@pytest.mark.parametrize("risk", [0, 1, -0.1, math.nan])
def test_a_risk_that_is_none_is_refused(risk: float) -> None:
    scores = count_scores(_k_ary(3), Counted.CODES, 3)
    with pytest.raises(ValueError, match="risk"):
        shortfall_of_truth(scores, 0, [1], n=10, risk=risk, of_reports=0)
    with pytest.raises(ValueError, match="risk"):
        rank_distance_of_truth(_ranks(_k_ary(3), Fraction(1, 2)), 0, n=10, risk=risk, of_reports=0)


def _missed(share_of_bound: float, *, simulations: int = 2_000) -> tuple[float, float]:
    """Return how often the truth is beyond this share of the bounds, for the mode and the median of the reports."""
    rng = np.random.default_rng(20_26)
    design, n = _k_ary(4, (2, 3)), 300
    matrix = np.array(design.matrix, dtype=float)
    modes, ranks = count_scores(design, Counted.CODES, 4), _ranks(design, Fraction(1, 2))
    # Nearly even shares: there a wrong answer is most easily the most common one of the reports.
    truths = np.array([80, 75, 73, 72])
    short = [
        share_of_bound * shortfall_of_truth(modes, c, [o for o in range(4) if o != c], n=n, risk=RISK, of_reports=0)
        for c in range(4)
    ]
    away = [share_of_bound * rank_distance_of_truth(ranks, code, n=n, risk=RISK, of_reports=0) for code in range(4)]
    missed = np.zeros(2)
    for _ in range(simulations):
        counts = [int(count) for count in sum(rng.multinomial(truths[i], matrix[:, i]) for i in range(4))]
        mode, median = (int(np.argmax([float(v) for v in scores.values(counts)])) for scores in (modes, ranks))
        missed[0] += truths.max() - truths[mode] > short[mode]
        below = truths[:median].sum()
        missed[1] += max(0, below - n / 2, n / 2 - below - truths[median]) > away[median]
    return float(missed[0] / simulations), float(missed[1] / simulations)


@pytest.mark.slow
def test_the_truth_is_beyond_the_bounds_no_more_often_than_stated() -> None:
    # Hoeffding's inequality is conservative: with 2,000 simulations even a rate of 0.05 passes 0.08 once in 10^8.
    assert max(_missed(1.0)) < 0.08


@pytest.mark.slow
def test_bounds_that_are_far_too_small_are_noticed() -> None:
    assert min(_missed(0.02)) > 0.08
