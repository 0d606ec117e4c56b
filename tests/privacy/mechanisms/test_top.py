import math
from fractions import Fraction
from itertools import permutations
from typing import ClassVar

import pytest

from surveys.privacy.adjacency import Counted
from surveys.privacy.designs import Design, forced_response, from_matrix, k_ary
from surveys.privacy.loss import ConcentratedLoss, PrivacyLoss
from surveys.privacy.mechanisms.exponential import ExponentialMechanism
from surveys.privacy.mechanisms.most_common import MostCommon
from surveys.privacy.mechanisms.top import TopAnswers
from tests.privacy.mechanisms.choices import ADD, REPLACE, ChoiceConformance, truths_of
from tests.privacy.mechanisms.neighbours import DataSet

COIN = k_ary(3, "1/2")
COUNTS = [40, 33, 31]


def top(
    s: int = 2, design: Design = COIN, relation: object = REPLACE, epsilon: object = Fraction(3, 2), **more: object
) -> TopAnswers:
    return TopAnswers(epsilon=epsilon, relation=relation, design=design, s=s, **more)


class TestTopAnswers(ChoiceConformance):
    largest_n = 4
    attained_of: ClassVar = {REPLACE: 0.65, ADD: 0.4}
    audited_of: ClassVar = {REPLACE: 0.1, ADD: 0.0}

    def mechanisms(self) -> list[TopAnswers]:
        bits = {"counted": Counted.BITS, "candidates": 3}
        return [
            top(),
            top(relation=ADD),
            top(3, k_ary(4, "2/3"), candidates=3),
            top(2, forced_response(), **bits),
        ]

    def length(self, mechanism: TopAnswers) -> int:
        return mechanism.candidates if mechanism.counted is Counted.BITS else mechanism.design.m

    def statistic(self, mechanism: TopAnswers, data: DataSet) -> list[Fraction]:
        if mechanism.counted is Counted.BITS:
            return [Fraction(2 * count) for count in data.counts]
        return truths_of(mechanism.design, data.counts)[: mechanism.candidates]

    def outputs(self, mechanism: TopAnswers) -> list[tuple[int, ...]]:
        return list(permutations(range(mechanism.candidates), mechanism.s))

    def error(self, mechanism: TopAnswers, output: tuple[int, ...], data: DataSet) -> Fraction:
        scores = self.statistic(mechanism, data)
        left = set(range(mechanism.candidates))
        worst = Fraction(0)
        for code in output:
            worst = max(worst, max(scores[other] for other in left) - scores[code])
            left.remove(code)
        return worst

    def raw_sensitivity(self, mechanism: TopAnswers) -> Fraction:
        return Fraction(1)

    def test_draws_of_codes_spend_all_of_epsilon_and_not_three_quarters_in_two_rounds(self) -> None:
        # From many responses the worst two neighbours come as near to ε as one wants; here ε = 3/2.
        many = 60
        before, after = [many - 1, 1, 0], [many, 0, 0]
        spent = math.log(top().probability((1, 2), before) / top().probability((1, 2), after))
        assert 0.97 * 1.5 < spent <= 1.5
        all_three = math.log(top(3).probability((1, 2, 0), before) / top(3).probability((1, 2, 0), after))
        assert all_three == pytest.approx(spent, rel=1e-12)

    def test_twice_the_epsilon_would_be_less_concentrated(self) -> None:
        stated = top().concentrated.rho
        assert self.largest_divergence(top(epsilon=Fraction(3)), 1.01) > 1.01 * stated


def test_one_round_is_the_most_common_answer() -> None:
    one = MostCommon(epsilon=Fraction(1), relation=REPLACE, design=COIN)
    for code in range(3):
        assert top(1, epsilon=Fraction(1)).probability((code,), COUNTS) == one.probability(code, COUNTS)


def test_rounds_share_epsilon_and_leave_out_what_was_drawn() -> None:
    mechanism = top(2, k_ary(4, "1/2"), epsilon=Fraction(1))
    scores = mechanism.scores([4, 3, 2, 1])
    weights = [math.exp(2 / 3 * float(score) / (2 * 2)) for score in scores]  # 2ε/(s + 1) = 2/3 and Δ = 1/t = 2
    first, second = weights[2] / sum(weights), weights[0] / (sum(weights) - weights[2])
    assert mechanism.probability((2, 0), [4, 3, 2, 1]) == pytest.approx(first * second, rel=1e-12)


def test_it_costs_epsilon_and_as_concentrated_privacy_far_less_than_any_output_of_that_epsilon() -> None:
    mechanism = top(3, k_ary(6), epsilon=Fraction(1))
    assert mechanism.loss == PrivacyLoss(Fraction(1))
    assert mechanism.concentrated == ConcentratedLoss(3 * Fraction(2, 4) ** 2 / 8)
    all_answers = top(3, k_ary(3), epsilon=Fraction(1))
    assert all_answers.concentrated == ConcentratedLoss(2 * Fraction(2, 3) ** 2 / 8)


@pytest.mark.parametrize(("s", "more"), [(2, Fraction(4, 3)), (5, Fraction(5, 3))])
def test_a_round_of_codes_has_from_a_third_more_than_an_equal_part_of_epsilon(s: int, more: Fraction) -> None:
    assert top(s, k_ary(9, "1/2"), epsilon=Fraction(1)).one_round.epsilon == more / s


def test_where_a_response_can_move_more_than_two_scores_each_round_has_an_equal_part() -> None:
    one = Fraction(1)
    assert top(2, relation=ADD, epsilon=one).one_round.epsilon == one / 2
    options = top(2, forced_response(), counted=Counted.BITS, candidates=3, epsilon=one)
    assert options.one_round.epsilon == one / 2
    # Rounds of 1 would be 2ε/(s + 1) for ε = 3/2: who ticks the first two and no longer the third tells more than that.
    too_much = top(2, forced_response(), counted=Counted.BITS, candidates=3, epsilon=Fraction(2))
    assert math.log(too_much.probability((0, 1), [1, 1, 59]) / too_much.probability((0, 1), [0, 0, 60])) > 1.9
    # A design that is not k-ary: a report of 0 speaks for the first answer and against both others.
    unlike = from_matrix([["1/2", "1/4", "0"], ["1/4", "1/2", "1/2"], ["1/4", "1/4", "1/2"]])
    assert top(2, unlike, epsilon=one).one_round.epsilon == one / 2


def test_where_all_but_one_are_drawn_the_last_follows_at_no_cost() -> None:
    assert top(3).rounds == top(2).rounds == 2
    assert top(3).one_round == top(2).one_round == ExponentialMechanism(Fraction(1), Fraction(2))
    assert top(3).probability((1, 0, 2), COUNTS) == pytest.approx(top(2).probability((1, 0), COUNTS), rel=1e-12)


def test_the_most_common_come_in_their_order_at_a_large_epsilon() -> None:
    mechanism = top(3, k_ary(4, "1/2"), epsilon=Fraction(50))
    assert mechanism.release([10, 40, 30, 20]) == (1, 2, 3)


@pytest.mark.parametrize("output", [(0,), (0, 0), (0, 3), (0, 1, 2), (-1, 0)])
def test_what_is_not_two_answers_has_no_probability(output: tuple[int, ...]) -> None:
    assert top().probability(output, COUNTS) == 0


def test_the_error_bound_adds_up_the_candidates_of_all_rounds() -> None:
    mechanism = top(2, k_ary(5, "1/2"), epsilon=Fraction(1))
    assert mechanism.error_bound(10, 0.95).at_most == pytest.approx(
        2 * 2 / (2 / 3) * math.log((5 + 4) / 0.05), rel=1e-12
    )


@pytest.mark.parametrize("s", [0, 4, 1.0, True, None])
def test_how_many_is_from_1_to_all(s: object) -> None:
    with pytest.raises(ValueError, match=r"^s .*1.*3"):
        top(s)


def test_an_error_bound_is_for_a_number_of_responses() -> None:
    with pytest.raises(ValueError, match=r"^n .*0"):
        top().error_bound(-1, 0.95)
