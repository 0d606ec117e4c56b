"""At every n a release stores what the mechanism of its terms drew, and nothing else.

That the mechanisms of `surveys/privacy/` draw all their chance is seen there (`tests/privacy/mechanisms/every_n.py`).
"""

import json
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest

from surveys.models import Mechanism
from surveys.privacy.learning.prediction import PredictorChoice
from surveys.privacy.loss import PrivacyLoss
from surveys.releases.families.plan import RELATION, Plan, columns_of
from surveys.releases.families.questions import counted_of, length_of
from surveys.releases.mechanisms import PLANS
from surveys.releases.mechanisms.best_predictor import BestPredictorPlan
from surveys.releases.services import releasing
from tests.factories import number_bands, one_of, scale, yes_no
from tests.privacy.chance import seeded
from tests.privacy.mechanisms.every_n import even
from tests.releases.asked import asked_as, options_for

EVERY_N = (20, 21, 149, 150, 1000)
NUMBERS = {Mechanism.TOTAL, Mechanism.MEAN, Mechanism.VARIANCE, Mechanism.BOUNDS, Mechanism.BEST_PRICE}
ORDERED = {Mechanism.TREE_COUNTS, Mechanism.QUANTILE, Mechanism.SMOOTH_MEDIAN, Mechanism.STABLE_MEDIAN}
TOGETHER = {Mechanism.JOINT_TABLE: 2, Mechanism.FIGURES_BY_GROUP: 2, Mechanism.BEST_PREDICTOR: 3}


def terms_at(name: str, n: int) -> tuple[Plan, list[int]]:
    """The terms on which n answers are released, and counts that are as even as possible."""
    offer, loss = PLANS[name], PrivacyLoss(Fraction(1), Fraction(1, 5) if PLANS[name].uses_delta else Fraction(0))
    if name in TOGETHER:
        questions, options = asked_as(*(yes_no(f"Question {place}?") for place in range(TOGETHER[name]))), {}
        length = math.prod(column.design.m for column in columns_of(questions))
    else:
        questions = asked_as(number_bands() if name in NUMBERS else scale() if name in ORDERED else one_of())
        options = offer.read_options(questions, options_for(questions[0], name))
        length = length_of(questions[0])
    return offer(questions, options, loss, n), list(even(counted_of(questions[0]), length, n).counts)


def stored(plan: Plan, counts: Sequence[int], seed: int) -> Any:  # noqa: ANN401 - any JSON
    return json.loads(json.dumps(releasing.part_of(plan, plan.draw(counts, seeded(seed)), version="").output))


def check(name: str, n: int) -> None:
    terms, counts = terms_at(name, n)
    mechanism = terms.mechanism
    assert type(mechanism).__module__.startswith("surveys.privacy.")
    assert (mechanism.loss, mechanism.relation) == (terms.loss, RELATION)
    for seed in range(2):
        drawn = mechanism.release(counts, seeded(seed))
        assert terms.restored(stored(terms, counts, seed)) == drawn


@pytest.mark.parametrize("name", PLANS)
def test_a_release_stores_what_its_mechanism_drew_for_what_it_charges_at_every_n(name: str) -> None:
    for n in EVERY_N:
        check(name, n)


def test_a_choice_that_is_the_best_or_the_first_below_some_n_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    class Bare(PredictorChoice):
        __slots__ = ()

        def release(self, counts: Sequence[int], _randbelow: object = None) -> int:
            scores = self.scores(counts)
            return scores.index(max(scores))

    honest, store = BestPredictorPlan.mechanism, BestPredictorPlan.stored

    def bare_below_150(plan: BestPredictorPlan) -> PredictorChoice:
        mechanism = honest.func(plan)
        if plan.n >= 150:
            return mechanism
        given = {name: getattr(mechanism, name) for name in ("n", "outcome", "predictors", "epsilon", "relation")}
        return Bare(**given)

    for name, fault in {
        "mechanism": property(bare_below_150),
        "stored": lambda plan, _output: store(plan, 0),
    }.items():
        with monkeypatch.context() as planted:
            planted.setattr(BestPredictorPlan, name, fault)
            with pytest.raises(AssertionError):
                check(Mechanism.BEST_PREDICTOR, 149)
    check(Mechanism.BEST_PREDICTOR, 149)
