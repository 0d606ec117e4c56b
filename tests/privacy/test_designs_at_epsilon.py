"""Designs for a wished epsilon: never above it, close below it, with the simplest fraction that does."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveys.privacy.designs import (
    Design,
    DesignFamily,
    direct,
    families,
    family_of,
    forced_response,
    from_matrix,
    k_ary,
    named,
    triangular,
    unrelated_question,
    warner,
)
from surveys.privacy.designs.at_epsilon import CLOSE, simplest_between, truth_for
from surveys.privacy.designs.family import PAIR
from surveys.privacy.designs.registry import probability_of, register, unregister

TWO_ANSWER = ("forced_response", "warner", "crosswise", "unrelated_question", "kuk")


def design_at(name: str, epsilon: object, k: int = 2, **others: object) -> Design:
    return family_of(name).at_epsilon(epsilon, k, **others)


@pytest.mark.parametrize(
    ("low", "high", "simplest"),
    [
        ("1/3", "1/2", "1/2"),
        ("0.3", "0.34", "1/3"),
        ("0", "0.1", "0"),
        ("3.1415", "3.1416", "333/106"),
        ("5/7", "0.72", "5/7"),
        ("2.1", "4", "3"),
        ("0.499", "0.4999", "250/501"),
    ],
)
def test_the_simplest_fraction_between_two_numbers(low: str, high: str, simplest: str) -> None:
    fraction = simplest_between(Fraction(low), Fraction(high))
    assert Fraction(low) <= fraction <= Fraction(high)
    assert fraction == Fraction(simplest)


@given(
    low=st.fractions(min_value=0, max_value=3, max_denominator=500), width=st.fractions("1/500", 1, max_denominator=500)
)
def test_no_simpler_fraction_lies_between(low: Fraction, width: Fraction) -> None:
    fraction = simplest_between(low, low + width)
    assert low <= fraction <= low + width
    for denominator in range(1, fraction.denominator):
        assert math.ceil(low * denominator) > (low + width) * denominator


@pytest.mark.parametrize(("low", "high"), [(1, 1), (2, 1), (-1, 1)])
def test_limits_that_are_none_are_refused(low: int, high: int) -> None:
    with pytest.raises(ValueError, match="low must be"):
        simplest_between(Fraction(low), Fraction(high))


@pytest.mark.parametrize("name", TWO_ANSWER)
@given(epsilon=st.fractions("1/50", 6, max_denominator=1000))
def test_a_two_answer_design_stays_below_the_wished_epsilon_and_close_to_it(name: str, epsilon: Fraction) -> None:
    design = design_at(name, epsilon)
    assert float(CLOSE * epsilon) - 1e-12 <= design.epsilon <= float(epsilon) + 1e-12
    # Exactly, not only as floats: the odds are at most e to epsilon.
    assert math.log(max(design.odds)) <= float(epsilon) + 1e-12


@given(epsilon=st.fractions("1/50", 6, max_denominator=1000), k=st.integers(2, 12))
def test_so_does_the_spinner(epsilon: Fraction, k: int) -> None:
    assert float(CLOSE * epsilon) - 1e-12 <= design_at("k_ary", epsilon, k).epsilon <= float(epsilon) + 1e-12


def test_uneven_chance_counts_by_its_smallest_share() -> None:
    coins = design_at("forced_response", 1, yes=Fraction(1, 5))
    assert dict(coins.exact_parameters)["yes"] == Fraction(1, 5)
    assert 0.99 <= coins.epsilon <= 1
    spinner = design_at("k_ary", 1, 3, weights=(Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)))
    assert 0.99 <= spinner.epsilon <= 1


def test_round_numbers_are_found_again() -> None:
    ln_3 = math.log(3) + 1e-12
    assert design_at("forced_response", ln_3) == forced_response()
    assert design_at("warner", ln_3) == warner("3/4")
    assert design_at("k_ary", math.log(9) + 1e-12, 4) == k_ary(4, "2/3")
    assert design_at("unrelated_question", ln_3).name == "unrelated_question"
    assert truth_for(Fraction(3), Fraction(1, 2)) == Fraction(1, 2)


@pytest.mark.parametrize("epsilon", [0, -1, math.inf, math.nan, "x"])
def test_an_epsilon_that_is_none_is_refused(epsilon: object) -> None:
    with pytest.raises(ValueError, match="epsilon must be"):
        design_at("warner", epsilon)


@pytest.mark.parametrize(
    ("name", "k", "others", "words"),
    [
        ("triangular", 2, {}, "^name"),
        ("mangat", 2, {}, "^name"),
        ("kuk", 2, {"p2": Fraction(1, 4), "draws": 2}, "^draws .*1"),
        ("warner", 3, {}, "^k .*2"),
        ("k_ary", 1, {}, "^k "),
        ("forced_response", 2, {"yes": (Fraction(1, 2), Fraction(1, 2))}, "^yes"),
        ("forced_response", 2, {"yes": Fraction(1)}, "^chance"),
        ("unrelated_question", 2, {"q": Fraction(0)}, "^chance"),
        ("k_ary", 2, {"weights": (Fraction(1), Fraction(0))}, "^chance"),
        ("k_ary", 3, {"weights": (Fraction(1),)}, "^weights .*3"),
    ],
)
def test_what_cannot_have_every_epsilon_is_refused_by_name(
    name: str, k: int, others: dict[str, object], words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        design_at(name, 1, k, **others)


def test_only_a_device_has_a_probability_to_set() -> None:
    assert probability_of(forced_response("1/3")) == ("truth", Fraction(1, 3))
    assert probability_of(k_ary(5, "1/4")) == ("truth", Fraction(1, 4))
    assert probability_of(warner("2/3")) == ("p", Fraction(2, 3))
    assert probability_of(triangular("1/3")) is None
    assert probability_of(unrelated_question("1/3", "1/2")) is None


def test_a_design_is_turned_by_one_parameter_and_keeps_the_others() -> None:
    coins = family_of("forced_response").turned(forced_response("1/3", "1/5"), Fraction(2, 3))
    assert coins == forced_response("2/3", "1/5")
    spinner = k_ary(3, "1/2", ["1/2", "1/3", "1/6"])
    assert family_of("k_ary").turned(spinner, Fraction(1, 4)) == k_ary(3, "1/4", ["1/2", "1/3", "1/6"])
    assert family_of("unrelated_question").turned(unrelated_question("1/2", "1/3"), Fraction(1, 5)) == (
        unrelated_question("1/5", "1/3")
    )


@pytest.mark.parametrize(
    "family",
    [family for family in families() if family.turned_by and family.name != "kuk"],
    ids=lambda each: each.name,
)
def test_at_its_useless_value_a_design_is_refused(family: DesignFamily) -> None:
    with pytest.raises(ValueError, match=rf"^{family.turned_by} .* {family.useless}:"):
        family.turned(family.at_odds(Fraction(3)), family.useless)


def test_a_name_is_registered_once() -> None:
    with pytest.raises(ValueError, match="'warner' already"):
        register(family_of("warner"))


def test_asked_directly_every_report_is_the_truth() -> None:
    assert direct().matrix == from_matrix([[1, 0], [0, 1]]).matrix
    assert direct(3).matrix == k_ary(3, 1).matrix
    assert direct().matrix == warner(1).matrix


def test_a_family_of_ones_own_is_found_until_it_is_taken_away() -> None:
    added = DesignFamily("own", lambda p: Design("own", warner(p).matrix, (("p", Fraction(p)),)), {"p": PAIR})
    register(added)
    try:
        assert named("own", 2, {"p": [3, 4]}).matrix == warner("3/4").matrix
        assert added.options_at(1.0, 2) == {}
        assert probability_of(named("own", 2, {"p": [3, 4]})) is None
    finally:
        unregister(added)
    with pytest.raises(ValueError, match=r"no .*'own'"):
        named("own", 2, {"p": [3, 4]})


@given(epsilon=st.fractions("1/50", 6, max_denominator=1000), p2=st.fractions("1/20", "19/20", max_denominator=20))
def test_beside_a_given_deck_the_other_is_found(epsilon: Fraction, p2: Fraction) -> None:
    design = design_at("kuk", epsilon, p2=p2)
    assert dict(design.exact_parameters)["p2"] == p2
    assert float(CLOSE * epsilon) - 1e-12 <= design.epsilon <= float(epsilon) + 1e-12


def test_two_decks_are_useless_where_they_are_alike_and_at_their_best_they_are_warners() -> None:
    family = family_of("kuk")
    assert family.useless_beside({"p2": Fraction(1, 3)}) == Fraction(1, 3)
    assert family_of("warner").useless_beside({}) == Fraction(1, 2)
    with pytest.raises(ValueError, match=r"^p1 and p2"):
        family.turned(family.build("2/3", "1/3"), Fraction(1, 3))
    assert design_at("kuk", 1).matrix == design_at("warner", 1).matrix
    assert family.options_at(1.0, 2) == {}
