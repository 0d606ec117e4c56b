import math
from fractions import Fraction

import pytest

from surveys.estimation.planning.comparison import compare_designs
from surveys.estimation.planning.precision import expected_half_width
from surveys.privacy.designs import unrelated_question, warner

LN3 = math.nextafter(math.log(3), 2)


def rows(**arguments: object) -> dict:
    return {row.name: row for row in compare_designs(**{"epsilon": LN3, "n": 300, "prevalence": 0.3, **arguments})}


def test_fair_coins_cost_four_and_a_half_answers() -> None:
    # At ε = ln 3: λ = .4, so .24/.25 over .21.
    compared = rows()
    assert compared["forced_response"].relative_n == pytest.approx(0.24 / 0.25 / 0.21, rel=1e-6)
    assert compared["forced_response"].half_width == pytest.approx(0.1108723, rel=1e-6)
    assert compared["direct"].half_width == pytest.approx(1.959964 * math.sqrt(0.21 / 300), rel=1e-6)
    assert compared["direct"].relative_n == 1


def test_with_equal_chances_four_designs_are_one() -> None:
    compared = rows()
    matrix = compared["warner"].design.matrix
    for name in ("forced_response", "crosswise", "k_ary"):
        assert compared[name].design.matrix == matrix


def test_an_unrelated_question_with_a_rare_yes_costs_more() -> None:
    compared = rows()
    assert compared["unrelated_question"].relative_n > compared["warner"].relative_n
    assert rows(innocuous="1/2")["unrelated_question"].design.matrix == compared["warner"].design.matrix
    rare, frequent = rows(innocuous="1/10"), rows(innocuous="9/10")
    assert rare["unrelated_question"].design == unrelated_question(Fraction(1, 6), Fraction(1, 10))
    assert frequent["unrelated_question"].design == unrelated_question(Fraction(1, 6), Fraction(9, 10))


@pytest.mark.parametrize("k", [2, 3, 8])
@pytest.mark.parametrize("epsilon", [Fraction(1, 2), LN3, 3.0])
def test_every_protected_design_spends_the_same_epsilon(k: int, epsilon: float) -> None:
    compared = rows(epsilon=epsilon, k=k)
    direct = compared.pop("direct")
    assert direct.design.epsilon == math.inf
    for name, row in compared.items():
        # Bits of a whole vector: two of them differ between two truths, with the odds of both.
        odds = row.design.matrix[1][1] / row.design.matrix[1][0] * row.design.matrix[0][0] / row.design.matrix[0][1]
        asked_of_each = name in {"optimized_unary", "symmetric_unary"} or (k > 2 and name != "k_ary")
        if asked_of_each and name != "unrelated_question":
            spent = math.log(odds)
        elif asked_of_each:
            spent = 2 * row.design.epsilon
        else:
            spent = row.design.epsilon
        assert spent <= float(epsilon) * (1 + 1e-12)
        assert spent == pytest.approx(float(epsilon), rel=1e-6)
        assert row.design.k == (k if name == "k_ary" else 2)


def test_one_response_has_a_half_width_too() -> None:
    assert rows(n=1)["direct"].half_width == pytest.approx(1.959964 * math.sqrt(0.21), rel=1e-6)


def test_few_options_are_best_asked_k_ary_and_many_unary() -> None:
    few, many = rows(k=3), rows(k=30)
    assert few["k_ary"].relative_n < few["optimized_unary"].relative_n
    assert many["optimized_unary"].relative_n < many["k_ary"].relative_n
    assert few["symmetric_unary"].relative_n == few["warner"].relative_n


def test_the_half_widths_are_those_expected() -> None:
    for row in rows(k=4, confidence_level=0.9).values():
        expected = expected_half_width(n=300, design=row.design, prevalence=0.3, confidence_level=0.9)
        assert row.half_width == pytest.approx(expected, rel=1e-14)
        direct = expected_half_width(n=300, design=warner(1), prevalence=0.3, confidence_level=0.9)
        assert row.relative_n == pytest.approx((expected / direct) ** 2, rel=1e-12)


@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        ({"n": 0}, "^n .*1"),
        ({"n": math.nan}, "^n .*1"),
        ({"prevalence": 0}, "^prevalence"),
        ({"prevalence": 1}, "^prevalence"),
        ({"prevalence": math.nan}, "^prevalence"),
        ({"innocuous": 2}, "^innocuous must be between"),
        ({"innocuous": 0}, "^innocuous .*strictly"),
        ({"innocuous": 1}, "^innocuous .*strictly"),
        ({"epsilon": 0}, "^epsilon"),
        ({"k": 1}, "^k .*2.*1000"),
    ],
)
def test_impossible_comparisons_are_refused_by_name(wrong: dict, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        rows(**wrong)
