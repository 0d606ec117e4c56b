"""Local, central, both."""

from collections.abc import Callable
from itertools import product
from math import atanh, tanh
from operator import mul

import pytest

from surveys.privacy.designs import from_matrix, k_ary_at
from tests.learn.case import Case, Fault, Numbers, Page

EPSILONS = ("0.1", "1.1", "5")


def both_is_what_two_coins_after_each_other_come_to(numbers_of: Callable[..., Numbers]) -> None:
    for local, central, answers in product(EPSILONS, EPSILONS, ("2", "10")):
        k = int(answers)
        numbers = numbers_of(local=local, central=central, answers=answers)
        first, second = (k_ary_at(epsilon, k).matrix for epsilon in (local, central))
        rows = [[sum(map(mul, row, column)) for column in zip(*first, strict=True)] for row in second]
        passed = from_matrix(rows)
        # The fractions of the coins stay below the wanted ε.
        assert passed.epsilon == pytest.approx(numbers["together"], abs=1e-6)
        assert passed.epsilon <= numbers["together"] < numbers["smaller"] < numbers["sum"]


def where_one_layer_hides_nothing_the_other_is_left(numbers_of: Callable[..., Numbers]) -> None:
    assert 0.95 * 0.5 < numbers_of(local="5", central="0.5")["together"] < 0.5


PAGE = Page(
    cases=[
        Case({"local": a, "central": b}, {"together": 2 * atanh(tanh(float(a) / 2) * tanh(float(b) / 2))})
        for a, b in product(EPSILONS, EPSILONS)
    ],
    printed="together",
    claims={
        both_is_what_two_coins_after_each_other_come_to: Fault(
            code={"local_then_central_k_ary": lambda local, central, _k: float(min(local, central))}
        ),
        where_one_layer_hides_nothing_the_other_is_left: Fault(wrong={"together": lambda found, _asked: found["sum"]}),
    },
)
