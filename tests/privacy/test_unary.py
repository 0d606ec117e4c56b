import math
from collections.abc import Callable
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveys.privacy.designs import (
    Design,
    UnaryDesign,
    direct,
    each_option_at,
    epsilon_of_one,
    forced_response,
    from_matrix,
    k_ary,
    odds_of_one,
    optimized_unary,
    symmetric_unary,
    warner,
)
from surveys.privacy.designs.family import DesignFamily
from surveys.privacy.designs.odds import LARGEST_DENOMINATOR
from surveys.privacy.designs.two_answer import FORCED_RESPONSE, WARNER
from tests.privacy.test_designs_epsilon import epsilons, is_within

HALF, THIRD, QUARTER = Fraction(1, 2), Fraction(1, 3), Fraction(1, 4)
MAKERS = [optimized_unary, symmetric_unary]


@pytest.mark.parametrize("make", MAKERS)
@given(epsilon=epsilons)
def test_the_odds_of_the_whole_report_are_certainly_not_above_e_to_the_epsilon(
    make: Callable[..., UnaryDesign], epsilon: Fraction
) -> None:
    design = make(epsilon, 5)
    assert is_within(design.odds, epsilon)
    assert epsilon - 2e-3 < design.epsilon
    assert design.bit.denominator <= LARGEST_DENOMINATOR


def test_optimized_unary_keeps_the_set_bit_half_of_the_time() -> None:
    design = optimized_unary(math.log(3), 4)
    assert (design.p, design.q) == (HALF, QUARTER)
    assert design.epsilon == pytest.approx(math.log(3), rel=1e-15)


def test_symmetric_unary_treats_set_and_unset_bits_alike() -> None:
    design = symmetric_unary(2 * math.log(3), 4)
    assert (design.p, design.q) == (3 * QUARTER, QUARTER)
    assert design.epsilon == pytest.approx(2 * math.log(3), rel=1e-15)


def test_an_optimized_bit_needs_a_denominator_for_one_half_too() -> None:
    # 1/2 and 2/7 together need 14.
    assert optimized_unary(1, 3, largest_denominator=14).q == Fraction(2, 7)
    assert optimized_unary(1, 3, largest_denominator=13).q == THIRD
    assert symmetric_unary(2, 3, largest_denominator=7).q == Fraction(2, 7)


@pytest.mark.parametrize("make", MAKERS)
def test_an_epsilon_that_the_denominator_cannot_hold_is_refused(make: Callable[..., UnaryDesign]) -> None:
    with pytest.raises(ValueError, match=r"^epsilon .*small"):
        make("1/10000000000", 3)
    with pytest.raises(ValueError, match=r"^epsilon"):
        make(0, 3)


@given(st.integers(2, 4), st.integers(1, 8), st.integers(1, 8))
def test_the_matrix_is_the_product_over_the_bits(k: int, a: int, b: int) -> None:
    design = UnaryDesign(k, Fraction(a + b, a + b + 1), Fraction(a, a + b + 1))
    for truth in range(k):
        for bits in product((0, 1), repeat=k):
            expected = math.prod(design.bit.matrix[bit][int(option == truth)] for option, bit in enumerate(bits))
            assert design.matrix[sum(bit << option for option, bit in enumerate(bits))][truth] == expected


@given(st.integers(2, 4), st.integers(1, 8), st.integers(1, 8))
def test_the_odds_of_the_bits_are_those_of_the_matrix(k: int, a: int, b: int) -> None:
    design = UnaryDesign(k, Fraction(a + b, a + b + 1), Fraction(a, a + b + 1))
    assert design.odds == max(design.design.odds)
    assert design.epsilon == design.design.epsilon
    assert (design.design.k, design.design.m) == (design.k, design.m) == (k, 2**k)


def test_one_bit_is_a_two_answer_design() -> None:
    design = UnaryDesign(3, HALF, QUARTER)
    assert design.bit.matrix == ((3 * QUARTER, HALF), (QUARTER, HALF))
    assert (design.bit.offset, design.bit.slope) == (QUARTER, QUARTER)


@given(st.integers(2, 4), st.data())
def test_the_posterior_is_that_of_the_matrix(k: int, data: st.DataObject) -> None:
    design = UnaryDesign(k, Fraction(3, 5), Fraction(1, 7))
    parts = data.draw(st.lists(st.integers(1, 9), min_size=k, max_size=k))
    prior = [Fraction(part, sum(parts)) for part in parts]
    assert tuple(design.posterior(report, prior) for report in range(design.m)) == design.design.posterior(prior)


def test_a_long_list_of_options_has_a_posterior_but_no_matrix() -> None:
    design = optimized_unary(1, 40)
    raised = design.posterior(1 << 39, [Fraction(1, 40)] * 40)
    assert raised[39] / raised[0] == design.odds
    with pytest.raises(ValueError, match=r"40 options .*2\^40 rows.* 10"):
        _ = design.matrix


def test_ten_options_have_a_matrix() -> None:
    assert UnaryDesign(10, HALF, QUARTER).design.m == 1024
    with pytest.raises(ValueError, match="11 options"):
        _ = UnaryDesign(11, HALF, QUARTER).design


@pytest.mark.parametrize("report", [-1, 8, True, 1.0])
def test_a_report_that_is_no_code_has_no_posterior(report: object) -> None:
    with pytest.raises(ValueError, match=r"^report .*0.*2.*3.*1"):
        UnaryDesign(3, HALF, QUARTER).posterior(report, [THIRD] * 3)


@pytest.mark.parametrize("prior", [[HALF, HALF], [HALF, HALF, HALF]])
def test_a_prior_is_a_distribution_over_the_options(prior: list[Fraction]) -> None:
    with pytest.raises(ValueError, match=r"^prior .*3.*1"):
        UnaryDesign(3, HALF, QUARTER).posterior(0, prior)


@pytest.mark.parametrize(("p", "q"), [(HALF, HALF), (QUARTER, HALF), (1, HALF), (HALF, 0)])
def test_a_bit_tells_something_and_proves_nothing(p: object, q: object) -> None:
    with pytest.raises(ValueError, match=r"^p and q .*0 < q < p < 1"):
        UnaryDesign(3, p, q)


@pytest.mark.parametrize(("p", "q", "name"), [(2, HALF, "p"), (0.5, QUARTER, "p"), (HALF, -1, "q"), (HALF, 0.25, "q")])
def test_what_is_no_probability_of_a_bit_is_refused_by_name(p: object, q: object, name: str) -> None:
    with pytest.raises(ValueError, match=f"^{name} must be "):
        UnaryDesign(3, p, q)


def test_probabilities_may_be_written_down() -> None:
    assert UnaryDesign(3, "1/2", "0.25") == UnaryDesign(3, HALF, QUARTER)
    with pytest.raises(ValueError, match=r"^k .*2.*got 1"):
        UnaryDesign(1, HALF, QUARTER)


def test_the_matrix_design_is_a_design_like_any_other() -> None:
    design = UnaryDesign(3, HALF, QUARTER).design
    assert isinstance(design, Design)
    assert design.parameters == {"p": [1, 2], "q": [1, 4]}


_SKIPPED = from_matrix([[HALF, Fraction(1, 5)], [QUARTER, Fraction(3, 5)], [QUARTER, Fraction(1, 5)]])
OPTIONS = [forced_response(HALF, THIRD), forced_response(Fraction(1, 5), QUARTER), warner(Fraction(1, 3)), _SKIPPED]


@pytest.mark.parametrize("k", [2, 3, 4])
@pytest.mark.parametrize("option", OPTIONS)
def test_of_options_one_of_which_is_true_all_reports_together_have_the_odds_of_every_combination(
    option: Design, k: int
) -> None:
    joint = [
        [math.prod(option.matrix[report][place == true] for place, report in enumerate(reports)) for true in range(k)]
        for reports in product(range(option.m), repeat=k)
    ]
    assert odds_of_one(option) == max(max(row) / min(row) for row in joint)
    assert epsilon_of_one(option) == from_matrix(joint).epsilon


@pytest.mark.parametrize("option", [direct(), forced_response(HALF, 0), forced_response(HALF, 1)])
def test_where_a_report_on_one_option_rules_an_answer_out_so_do_all_together(option: Design) -> None:
    assert odds_of_one(option) == epsilon_of_one(option) == math.inf


def test_options_are_reported_with_two_answers_each() -> None:
    with pytest.raises(ValueError, match=r"^option .*two .* 3"):
        odds_of_one(k_ary(3, HALF))


@pytest.mark.parametrize(
    ("family", "others"), [(WARNER, {}), (FORCED_RESPONSE, {}), (FORCED_RESPONSE, {"yes": Fraction(1, 7)})]
)
@given(epsilon=st.fractions(Fraction(1, 20), 6, max_denominator=50))
def test_options_for_an_epsilon_cost_no_more_and_nearly_as_much(
    family: DesignFamily, others: dict[str, Fraction], epsilon: Fraction
) -> None:
    option = each_option_at(family, epsilon, **others)
    assert is_within(Fraction(odds_of_one(option)), epsilon)
    assert epsilon_of_one(option) >= Fraction(99, 100) * epsilon
    assert dict(option.exact_parameters).items() >= others.items()
