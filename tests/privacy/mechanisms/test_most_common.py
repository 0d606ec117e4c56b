from fractions import Fraction
from typing import ClassVar

import numpy as np
import pytest

from surveys.privacy.adjacency import Counted
from surveys.privacy.designs import Design, UnaryDesign, forced_response, k_ary, kuk, warner
from surveys.privacy.mechanisms.most_common import MostCommon
from tests.privacy.mechanisms.choices import ADD, REPLACE, ChoiceConformance, direct, truths_of
from tests.privacy.mechanisms.neighbours import DataSet

SPINNER = k_ary(3, "1/3", ["1/2", "1/3", "1/6"])
ONE = Fraction(1)


def most_common(
    design: Design = SPINNER, relation: object = REPLACE, epsilon: object = ONE, **more: object
) -> MostCommon:
    return MostCommon(epsilon=epsilon, relation=relation, design=design, **more)


class TestMostCommon(ChoiceConformance):
    largest_n = 4
    attained_of: ClassVar = {REPLACE: 0.8, ADD: 0.4}

    def mechanisms(self) -> list[MostCommon]:
        return [
            *(most_common(relation=relation, epsilon=Fraction(3, 2)) for relation in (REPLACE, ADD)),
            most_common(SPINNER, candidates=2),
            most_common(warner("1/5")),
        ]

    def statistic(self, mechanism: MostCommon, data: DataSet) -> list[Fraction]:
        if mechanism.design.name == "warner":  # π̂ = (λ̂ − (1 − p))/(2p − 1), p = 1/5
            yes = (data.counts[1] - Fraction(4, 5) * data.n) / Fraction(-3, 5)
            return [data.n - yes, yes]
        return truths_of(mechanism.design, data.counts)[: mechanism.candidates]

    def raw_sensitivity(self, mechanism: MostCommon) -> Fraction:
        return ONE


class TestMostCommonOption(ChoiceConformance):
    """Several options may be ticked; each bit has its own coin."""

    largest_n = 3
    attained_of: ClassVar = {REPLACE: 0.8, ADD: 0.4}

    def mechanisms(self) -> list[MostCommon]:
        return [
            most_common(design, relation, counted=Counted.BITS, candidates=3)
            for design, relation in [(forced_response("1/2", "1/5"), REPLACE), (warner("1/5"), ADD)]
        ]

    def length(self, mechanism: MostCommon) -> int:
        return mechanism.candidates

    def statistic(self, mechanism: MostCommon, data: DataSet) -> list[Fraction]:
        # The same for every option, and so left out: how often the coin alone makes a report of 1.
        slope = {"forced_response": Fraction(1, 2), "warner": Fraction(-3, 5)}[mechanism.design.name]
        return [count / slope for count in data.counts]

    def raw_sensitivity(self, mechanism: MostCommon) -> Fraction:
        return ONE


def test_the_sensitivity_is_1_for_truths_and_1_over_t_behind_a_coin() -> None:
    for relation in (REPLACE, ADD):
        assert most_common(direct(4), relation).sensitivity.value == 1
        assert most_common(direct(2), relation, counted=Counted.BITS, candidates=5).sensitivity.value == 1
    assert most_common(k_ary(4, "1/2")).sensitivity.value == 2
    assert most_common(forced_response(), counted=Counted.BITS, candidates=5).sensitivity.value == 2
    # (N − n/8)/(1/2) moves by 2·(1 − 1/8) at most where a response is added.
    assert most_common(k_ary(4, "1/2"), ADD).sensitivity.value == Fraction(7, 4)


def test_what_is_reported_most_need_not_be_most_common() -> None:
    design = k_ary(3, "1/4", ["8/10", "1/10", "1/10"])
    mechanism = most_common(design, epsilon=Fraction(5))
    assert mechanism.scores([60, 30, 10]) == (0, 90, 10)
    assert mechanism.probability(1, [60, 30, 10]) > 0.999


def test_of_options_whose_coin_says_the_opposite_the_one_reported_least_is_ticked_most() -> None:
    mechanism = most_common(warner("1/5"), counted=Counted.BITS, candidates=3, epsilon=Fraction(50))
    assert mechanism.release([90, 40, 70]) == 1


def test_a_protected_code_for_no_answer_can_be_no_candidate() -> None:
    mechanism = most_common(k_ary(3), candidates=2)
    assert {mechanism.release([0, 0, 1000]) for _ in range(50)} == {0, 1}
    assert mechanism.probability(2, [0, 0, 1000]) == 0


def test_reports_may_outnumber_truths() -> None:
    cards = kuk("4/5", "3/10", 3)
    assert len(most_common(cards).scores([1, 2, 3, 4])) == 2
    unary = UnaryDesign(3, Fraction(1, 2), Fraction(1, 4)).design
    # Option 2 has 5 of 6 bits, (5 − 6/4)/(1/4).
    assert most_common(unary).scores([1, 0, 0, 0, 2, 0, 0, 3])[2] == 14


def test_the_error_bound_is_in_people_and_rounded_up() -> None:
    mechanism = most_common(k_ary(4, "1/2"), epsilon=Fraction(1, 2))
    assert mechanism.error_bound(100, 0.95).at_most == pytest.approx(2 * 2 / 0.5 * np.log(4 / 0.05), rel=1e-12)


@pytest.mark.parametrize("candidates", [1, 4, 2.0, True])
def test_candidates_are_some_of_the_answers(candidates: object) -> None:
    with pytest.raises(ValueError, match=r"^candidates .*2.*3"):
        most_common(candidates=candidates)


def test_of_bits_the_number_and_a_design_of_one_bit_are_needed() -> None:
    with pytest.raises(ValueError, match=r"^candidates .*2.*got None"):
        most_common(forced_response(), counted=Counted.BITS)
    with pytest.raises(ValueError, match=r"^design .*got 3 and 3"):
        most_common(SPINNER, counted=Counted.BITS, candidates=3)


def test_relation_and_kind_of_counts_are_named_where_they_are_none() -> None:
    with pytest.raises(ValueError, match=r"^relation .*NeighbouringRelation"):
        most_common(relation="replace one response")
    with pytest.raises(ValueError, match=r"^counted .*Counted.* 'bits'"):
        most_common(counted="bits")


@pytest.mark.parametrize("n", [-1, 1.5, True])
def test_an_error_bound_is_for_a_number_of_responses(n: object) -> None:
    with pytest.raises(ValueError, match=r"^n .*0"):
        most_common().error_bound(n, 0.95)
