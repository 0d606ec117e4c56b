"""Differential tests of choices against OpenDP.

Its noisy maximum for zero-concentrated privacy adds Gumbel noise of the given scale, which is the exponential
mechanism with 2Δ/ε = scale; for pure privacy it is permute-and-flip. Its draws cannot be seeded: each comparison of
draws fails by chance once in a million runs.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import permutations
from types import ModuleType
from typing import Any

import pytest

from surveys.privacy.mechanisms.most_common import FlippedMostCommon, MostCommon
from surveys.privacy.mechanisms.quantile import Quantile, QuantileScore
from surveys.privacy.mechanisms.top import TopAnswers
from tests.privacy.chance import FALSE_ALARM_RATE
from tests.privacy.mechanisms.choices import ADD, REPLACE, direct
from tests.privacy.mechanisms.distinguishing import p_value_of_draws

pytestmark = [pytest.mark.oracle, pytest.mark.uncounted]

COUNTS = [9, 4, 7, 6]
DRAWS = 5_000
HALF, QUARTER = Fraction(1, 2), Fraction(1, 4)


def scores_space(dp: ModuleType) -> tuple[Any, Any]:
    return dp.vector_domain(dp.atom_domain(T=int)), dp.linf_distance(T=int)


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [HALF, Fraction(2)])
def test_the_exponential_mechanism_chooses_and_costs_as_theirs(dp: ModuleType, epsilon: Fraction) -> None:
    ours = MostCommon(epsilon=epsilon, relation=REPLACE, design=direct(4))
    theirs = dp.m.make_noisy_max(*scores_space(dp), dp.zero_concentrated_divergence(), scale=float(2 / epsilon))
    probabilities = {code: ours.probability(code, COUNTS) for code in range(4)}
    assert p_value_of_draws([theirs(COUNTS) for _ in range(DRAWS)], probabilities) > FALSE_ALARM_RATE
    assert float(ours.concentrated.rho) == pytest.approx(theirs.map(1), rel=1e-10)


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [HALF, Fraction(2)])
def test_permute_and_flip_chooses_and_costs_as_their_pure_noisy_maximum(dp: ModuleType, epsilon: Fraction) -> None:
    ours = FlippedMostCommon(epsilon=epsilon, relation=REPLACE, design=direct(4))
    theirs = dp.m.make_noisy_max(*scores_space(dp), dp.max_divergence(), scale=float(2 / epsilon))
    probabilities = {code: ours.probability(code, COUNTS) for code in range(4)}
    assert p_value_of_draws([theirs(COUNTS) for _ in range(DRAWS)], probabilities) > FALSE_ALARM_RATE
    assert float(ours.loss.epsilon) == pytest.approx(theirs.map(1), rel=1e-10)


def test_a_choice_without_the_factor_2_would_differ_from_theirs(dp: ModuleType) -> None:
    ours = MostCommon(epsilon=HALF, relation=REPLACE, design=direct(4))
    theirs = dp.m.make_noisy_max(*scores_space(dp), dp.zero_concentrated_divergence(), scale=float(1 / HALF))
    probabilities = {code: ours.probability(code, COUNTS) for code in range(4)}
    assert p_value_of_draws([theirs(COUNTS) for _ in range(DRAWS // 4)], probabilities) < FALSE_ALARM_RATE


@pytest.mark.slow
@pytest.mark.parametrize("s", [2, 3])
def test_peeling_draws_and_costs_as_their_top_k_with_noise_added_once(dp: ModuleType, s: int) -> None:
    # A scale of 2 is a round of ε = 1 here; theirs is for any scores, and knows of no 2/(s + 1).
    ours = TopAnswers(epsilon=Fraction(s + 1, 2), relation=REPLACE, design=direct(4), s=s)
    theirs = dp.m.make_noisy_top_k(*scores_space(dp), dp.zero_concentrated_divergence(), k=s, scale=2.0)
    probabilities = {output: ours.probability(output, COUNTS) for output in permutations(range(4), s)}
    drawn = [tuple(theirs(COUNTS)) for _ in range(DRAWS)]
    assert p_value_of_draws(drawn, probabilities) > FALSE_ALARM_RATE
    assert float(ours.concentrated.rho) == pytest.approx(theirs.map(1), rel=1e-10)


def their_scores(dp: ModuleType, share: Fraction, counts: Sequence[int], size: int | None) -> tuple[Any, list[int]]:
    data = [code for code, count in enumerate(counts) for _ in range(count)]
    domain = dp.vector_domain(dp.atom_domain(T=int), **({"size": size} if size else {}))
    scorer = dp.t.make_quantile_score_candidates(domain, dp.symmetric_distance(), [0, 1, 2, 3], float(share))
    return scorer, scorer(data)


@pytest.mark.parametrize("share", [HALF, QUARTER, Fraction(3, 4)])
@pytest.mark.parametrize("counts", [[9, 4, 7, 6], [0, 0, 1, 0], [5, 0, 0, 5], [1, 30, 2, 1]], ids=str)
def test_quantile_scores_are_theirs(dp: ModuleType, share: Fraction, counts: list[int]) -> None:
    # Theirs is |(1−p)·#< − p·#>| times the denominator of p, to be as small as possible.
    ours = Quantile(epsilon=HALF, relation=ADD, design=direct(4), share=share, score=QuantileScore.BALANCE)
    _, theirs = their_scores(dp, share, counts, None)
    assert [-score * share.denominator / 2 for score in ours.scores(counts)] == theirs


@pytest.mark.parametrize("share", [HALF, QUARTER, Fraction(3, 4)])
@pytest.mark.parametrize(("relation", "size", "apart"), [(ADD, None, 1), (REPLACE, 26, 2)])
def test_sensitivities_of_quantile_scores_are_theirs(
    dp: ModuleType, share: Fraction, relation: object, size: int | None, apart: int
) -> None:
    ours = Quantile(epsilon=HALF, relation=relation, design=direct(4), share=share, score=QuantileScore.BALANCE)
    scorer, _ = their_scores(dp, share, COUNTS, size)
    assert ours.sensitivity.value * share.denominator / 2 == scorer.map(apart)
