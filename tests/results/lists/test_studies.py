"""How often the limits of what two lists tell hold the truth, over 2,000 studies each."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from surveys.results.figures.lists import ListComparison, compare_lists
from tests.factories import INNOCUOUS, SENSITIVE, item_count, two_lists, yes_no
from tests.results.studied import Codes, Studied, held_as_said, holds, shares_held

pytestmark = [pytest.mark.django_db, pytest.mark.studies]
DIRECT: dict[str, Any] = {"design": "plain", "parameters": {}}
_INNOCUOUS = (0.7, 0.4, 0.15)
_HAS = 0.3


def _counted(studied: Studied, n: int) -> Codes:
    return (studied.generator.random((n, 3)) < _INNOCUOUS).sum(axis=1)


def _lists_compared(studied: Studied, deny: float = 0.0) -> ListComparison:
    n = 500
    has = [studied.have(_HAS, n) for _arm in range(2)]
    sensitive = has[1] * (1 - studied.have(deny, n))
    short, long = studied.sent(1, _counted(studied, n)), studied.sent(2, _counted(studied, n) + sensitive)
    # Asked directly half of those who have it say so.
    direct = [each * studied.have(0.5, n) for each in has]
    protected = [studied.sent(4, studied.have(0.5, n)) for _arm in range(2)]
    _definition, snapshot = studied.told([short, None, direct[0], protected[0]], [None, long, direct[1], protected[1]])
    # Every estimate is studied, those too that are not told where few gave a number.
    compared = compare_lists(studied.stored.questions[0], studied.stored, replace(snapshot, minimum_n=1))
    assert compared
    return compared


@pytest.mark.parametrize("design", [DIRECT, {"parameters": {"truth": [3, 4]}}], ids=["plain", "coin"])
def test_a_list_by_means_by_likelihood_and_with_direct_answers(design: dict[str, Any]) -> None:
    beside = [yes_no("Cheated?", quantity=1, leave_out="no", **DIRECT), yes_no("All?", leave_out="no")]
    studied = Studied.of(*two_lists(**design), *beside, arms=2)

    def study(deny: float = 0.0) -> Sequence[bool]:
        compared = _lists_compared(studied, deny)
        assert compared.estimate
        low, high = compared.estimate.difference.limits(0.95)
        return [
            low <= _HAS <= high,
            compared.combined is not None and holds(compared.combined.interval(), _HAS),
            compared.likelihood is None or holds(compared.likelihood.prevalence_interval(), _HAS),
            compared.effect is not None and not compared.effect.suspicious,
        ]

    held = shares_held(study)
    assert ((held[:3] >= 0.93) & (held[:3] <= 0.97)).all(), held
    # The test of no design effect keeps its level, and may reject less often.
    assert held[3] >= 0.93
    assert shares_held(lambda: study(2 / 3), 200)[0] < 0.9


def test_two_lists_of_the_same_people() -> None:
    others = [f"{statement} of my own" for statement in INNOCUOUS]
    crossed = [
        item_count(others, "And of these?", arms=[2], quantity=2),
        item_count([*others, SENSITIVE], "And of these?", arms=[1], quantity=2),
    ]
    studied = Studied.of(*two_lists(), *crossed, arms=2)

    def study(more: float = 0.0) -> Sequence[bool]:
        n = 500
        has = [studied.have(_HAS, n) for _arm in range(2)]
        wished = studied.have(more, n)
        first = [studied.sent(1, _counted(studied, n)), studied.sent(4, np.minimum(4, _counted(studied, n) + has[0]))]
        second = [
            studied.sent(2, _counted(studied, n) + np.maximum(has[1], wished)),
            studied.sent(3, _counted(studied, n)),
        ]
        _definition, snapshot = studied.told([first[0], None, None, first[1]], [None, second[0], second[1], None])
        compared = compare_lists(studied.stored.questions[0], studied.stored, snapshot)
        assert compared
        assert compared.double
        return [holds(compared.double.interval(), _HAS), compared.double.apart_p_value > 0.05]

    held_as_said(study)
    assert shares_held(lambda: study(0.5), 200).min() < 0.9
