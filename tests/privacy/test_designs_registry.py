"""What a survey stores rebuilds the design, or is refused by the parameter's name."""

from math import inf

import pytest

from surveys.privacy.designs import direct, forced_response, kuk, named, warner


def test_certainty_is_stored_as_one_of_one() -> None:
    assert named("warner", 2, {"p": [1, 1]}) == warner(1)


def test_no_chance_is_stored_without_parameters_for_any_number_of_answers() -> None:
    assert named("plain", 5, {}) == direct(5)
    assert direct(3).matrix == ((1, 0, 0), (0, 1, 0), (0, 0, 1))
    assert direct(3).parameters == {}
    assert direct().epsilon == inf
    with pytest.raises(ValueError, match=r"^k .*2.*1000"):
        direct(1)


def test_fair_coins_are_stored_as_integer_pairs() -> None:
    assert forced_response().parameters == {"truth": [1, 2], "yes": [1, 2]}


@pytest.mark.parametrize(
    ("name", "k", "parameters", "complaint"),
    [
        ("roulette", 2, {}, "no .*'roulette', .*mangat, "),
        ([], 2, {}, r"no design .*\[\]"),
        ("warner", 2.0, {"p": [3, 4]}, "^k .*2.*got 2.0"),
        ("warner", True, {"p": [3, 4]}, "^k .*2.*got True"),
        ("warner", 2, {"p": [10**5000, 3]}, "^p .*0 and 1, .*of thousands"),
        ("warner", 2, {"p": [10**5000, 0]}, "^p must hold .*of thousands"),
        ("warner", 2, {"p": 10**5000}, "^p must be .*of thousands"),
        ("kuk", 2, {"p1": [1, 2], "p2": [1, 3], "draws": 10**9}, "^draws .*1.*100"),
        ("k_ary", 10**9, {"truth": [1, 2]}, "^k .*2.*1000"),
        ("matrix", 2, {"rows": [[[1, 2], [1, 2]], [[1, 2], [1, 3]]]}, "^rows: column 1 .*sums"),
        ("matrix", 2, {"rows": [[[3, 2], [1, 2]], [[1, 2], [1, 3]]]}, "^rows: row 0 "),
        ("warner", 2, [], "^parameters"),
        ("warner", 2, {}, "warner needs .*'p'"),
        ("warner", 2, {"p": [3, 4], "q": [1, 2]}, "warner has .*'q'"),
        ("warner", 3, {"p": [3, 4]}, "warner .* 2 .*k is 3"),
        ("warner", 2, {"p": 0.75}, "^p must .*got 0.75"),
        ("warner", 2, {"p": "3/4"}, "^p must be an"),
        ("warner", 2, {"p": [3]}, r"^p must .*got \[3\]"),
        ("warner", 2, {"p": [3, 0]}, "^p must hold "),
        ("warner", 2, {"p": [3, -4]}, "^p must hold "),
        ("warner", 2, {"p": [True, 2]}, "^p must hold "),
        ("warner", 2, {"p": [0.75, 1]}, "^p must hold "),
        ("warner", 2, {"p": [5, 4]}, "^p .*0 and 1"),
        ("forced_response", 2, {"truth": [1, 2]}, "needs .*'yes'"),
        ("forced_response", 4, {"truth": [1, 2], "yes": [1, 2]}, "for 2 .*k is 4"),
        ("k_ary", 3, {"truth": [1, 2], "weights": [1, 3]}, "^weights .*pair"),
        ("k_ary", 3, {"truth": [1, 2], "weights": 1}, "^weights .*list .*got 1"),
        ("k_ary", 3, {"truth": [0, 2]}, "^truth .*0"),
        ("kuk", 2, {"p1": [1, 2], "p2": [1, 3], "draws": [2, 1]}, r"^draws .*got \[2, 1\]"),
        ("kuk", 2, {"p1": [1, 2], "p2": [1, 3], "draws": True}, "^draws .*got True"),
        ("kuk", 2, {"p1": 1, "p2": [1, 3], "draws": 2}, "^p1 .*got 1"),
        ("kuk", 2, {"p1": [1, 2], "p2": [1, 3], "draws": 0}, "^draws .*1.*100.*got 0"),
        ("unary", 1, {"p": [1, 2], "q": [1, 3]}, "^k .*2"),
        ("unary", 11, {"p": [1, 2], "q": [1, 3]}, "11 options .*2.11 rows"),
        ("matrix", 2, {"rows": [[1, 2], [1, 2]]}, "^rows must .*pair, got 1"),
        ("matrix", 2, {"rows": 1}, "^rows .*lists .*pairs, got 1"),
    ],
)
def test_wrong_stored_parameters_are_refused_by_name(
    name: object, k: object, parameters: object, complaint: str
) -> None:
    with pytest.raises(ValueError, match=complaint):
        named(name, k, parameters)


def test_draws_are_stored_as_they_are() -> None:
    assert kuk("1/2", "1/3", 4).parameters == {"p1": [1, 2], "p2": [1, 3], "draws": 4}


def test_a_tuple_of_integers_is_a_pair_too() -> None:
    assert named("warner", 2, {"p": (3, 4)}) == warner("3/4")
