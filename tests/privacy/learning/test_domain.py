from fractions import Fraction
from itertools import product

import pytest

from surveys.privacy.learning.domain import ModelTerm, PatternDomain
from tests.privacy.learning.learners import domain_of, item


def test_patterns_are_all_codes_the_outcome_first() -> None:
    domain = domain_of(3, 2)
    assert domain.patterns == tuple(product(range(2), range(3), range(2)))
    assert (domain.shape, domain.cells) == ((2, 3, 2), 12)


def test_a_predictor_has_a_coefficient_for_each_code_but_the_first_or_one_for_its_number() -> None:
    domain = PatternDomain(outcome=item("y"), predictors=[item("a", 3), item("b", 3, [0, "1/2", 4])])
    assert domain.terms == (ModelTerm(None, None), ModelTerm("a", 1), ModelTerm("a", 2), ModelTerm("b", None))
    assert domain.dimension == 4
    unscaled = [tuple(x / s for x, s in zip(row, domain.scales, strict=True)) for row in domain.features]
    assert unscaled[3 * 1 + 2] == (1, 1, 0, 4)
    assert unscaled[0] == (1, 0, 0, 0)


@pytest.mark.parametrize("codes", [(), (2,), (2, 2, 2, 2, 2, 2), (5, 3)])
def test_no_features_are_longer_than_1_and_some_nearly_are(codes: tuple[int, ...]) -> None:
    lengths = [sum(x * x for x in row) for row in domain_of(*codes).features]
    assert 0.99 < max(lengths) <= 1


def test_coefficients_are_those_of_features_unscaled() -> None:
    domain = PatternDomain(outcome=item("y"), predictors=[item("b", 3, [0, 1, 4])])
    theta = (Fraction(1, 3), Fraction(2))
    constant, slope = domain.coefficients(theta)
    for value, row in zip((0, 1, 4), domain.features, strict=True):
        assert constant + slope * value == sum(t * x for t, x in zip(theta, row, strict=True))


def test_an_outcome_of_two_codes_is_minus_1_or_1_and_others_have_the_values_given() -> None:
    assert domain_of(2).targets == (-1, 1)
    assert domain_of(2, outcome=3).targets == ()
    assert PatternDomain(outcome=item("y", 3, [-1, 0, "1/2"]), predictors=[]).targets == (-1, 0, Fraction(1, 2))


@pytest.mark.parametrize(
    ("outcome", "predictors", "pattern"),
    [
        (item("y"), [item("y")], "^outcome y .*predictor"),
        (item("y"), [item("a"), item("a")], "^predictors .* a, a"),
        (item("y"), [item(str(place)) for place in range(7)], "^predictors .*6.*got 7"),
        (item("y", 3, [0, 1, 2]), [], "outcome y .*-1 and 1"),
    ],
)
def test_a_domain_that_is_none_is_refused_by_name(outcome: object, predictors: list, pattern: str) -> None:
    with pytest.raises(ValueError, match=pattern):
        PatternDomain(outcome=outcome, predictors=predictors)


@pytest.mark.parametrize("values", [[1, 1], [1], [0, float("inf")], [0, 0.5]])
def test_values_of_an_item_are_exact_one_a_code_and_not_all_the_same(values: list[object]) -> None:
    with pytest.raises(ValueError, match=r"^values of a"):
        item("a", 2, values)


@pytest.mark.parametrize("name", ["", None, 3])
def test_an_item_has_a_name(name: object) -> None:
    with pytest.raises(ValueError, match=r"^name"):
        item(name)


@pytest.mark.parametrize("codes", [1, 2.0, True])
def test_an_item_has_at_least_two_codes(codes: object) -> None:
    with pytest.raises(ValueError, match="codes must be"):
        item("a", codes)


def test_more_patterns_than_a_fifth_of_the_responses_are_refused() -> None:
    assert domain_of(2).require_responses(20) == 20
    with pytest.raises(ValueError, match=r"got 4 .*19"):
        domain_of(2).require_responses(19)


@pytest.mark.parametrize("counts", [[10, 0, 0], [10, 0, 0, 9], [21, -1, 0, 0], [20.0, 0, 0, 0]])
def test_counts_are_integers_one_a_pattern_that_sum_to_n(counts: list[object]) -> None:
    with pytest.raises(ValueError, match="counts must"):
        domain_of(2).read_counts(counts, 20)
