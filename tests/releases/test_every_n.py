"""At every n a release stores what the mechanism of its terms drew, and nothing else.

That the mechanisms of `surveys/privacy/` draw all their chance is seen there (`tests/privacy/mechanisms/every_n.py`).
"""

import json
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any
from unittest import mock

import pytest

from surveys.models import Mechanism, Release, ReleasePart
from surveys.privacy.learning.prediction import PredictorChoice
from surveys.privacy.loss import PrivacyLoss
from surveys.releases.families.mechanism import RELATION, PartTerms
from surveys.releases.families.questions import ask_jointly, columns_of, counted_of, length_of
from surveys.releases.mechanisms import OFFERS
from surveys.releases.mechanisms.best_predictor import BestPredictorOffer
from surveys.releases.services import releasing
from tests.factories import number_bands, one_of, scale, yes_no
from tests.privacy.chance import seeded
from tests.privacy.mechanisms.every_n import even
from tests.releases.asked import asked_as, options_for

EVERY_N = (20, 21, 149, 150, 1000)
NUMBERS = {Mechanism.TOTAL, Mechanism.MEAN, Mechanism.VARIANCE, Mechanism.BOUNDS, Mechanism.BEST_PRICE}
ORDERED = {Mechanism.QUANTILE, Mechanism.SMOOTH_MEDIAN, Mechanism.STABLE_MEDIAN}
TOGETHER = {Mechanism.JOINT_TABLE: 2, Mechanism.BEST_PREDICTOR: 3}


def terms_at(name: str, n: int) -> tuple[PartTerms, list[int]]:
    """The terms on which n answers are released, and counts that are as even as possible."""
    offer, loss = OFFERS[name], PrivacyLoss(Fraction(1), Fraction(1, 5) if OFFERS[name].uses_delta else Fraction(0))
    if name in TOGETHER:
        outcome, *beside = asked_as(*(yes_no(f"Question {place}?") for place in range(TOGETHER[name])))
        asked, options = ask_jointly(outcome, beside), {}
        length = math.prod(column.design.m for column in columns_of(asked))
    else:
        [asked] = asked_as(number_bands() if name in NUMBERS else scale() if name in ORDERED else one_of())
        options, length = offer.read_options(asked, options_for(asked, name)), length_of(asked)
    return PartTerms(asked, offer, options, loss, n), list(even(counted_of(asked), length, n).counts)


def stored(terms: PartTerms, counts: Sequence[int], seed: int) -> Any:  # noqa: ANN401 - any JSON
    kept: list[Any] = []
    with (
        mock.patch.object(releasing, "counts_of", return_value=counts),
        mock.patch.object(ReleasePart, "save", lambda row, **_given: kept.append(row.output)),
    ):
        releasing._draw(Release(), terms, position=1, version="", tally=mock.Mock(), randbelow=seeded(seed))
    [output] = kept
    return json.loads(json.dumps(output))


def check(name: str, n: int) -> None:
    terms, counts = terms_at(name, n)
    mechanism = terms.mechanism
    assert type(mechanism).__module__.startswith("surveys.privacy.")
    assert (mechanism.loss, mechanism.relation) == (terms.loss, RELATION)
    for seed in range(2):
        drawn = mechanism.release(counts, seeded(seed))
        assert terms.offer.restored(stored(terms, counts, seed)) == drawn


@pytest.mark.parametrize("name", OFFERS)
def test_a_release_stores_what_its_mechanism_drew_for_what_it_charges_at_every_n(name: str) -> None:
    for n in EVERY_N:
        check(name, n)


def test_a_choice_that_is_the_best_or_the_first_below_some_n_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    class Bare(PredictorChoice):
        __slots__ = ()

        def release(self, counts: Sequence[int], _randbelow: object = None) -> int:
            scores = self.scores(counts)
            return scores.index(max(scores))

    honest, store = BestPredictorOffer.mechanism_at, BestPredictorOffer.stored

    def bare_below_150(offer: BestPredictorOffer, terms: PartTerms) -> PredictorChoice:
        mechanism = honest(offer, terms)
        if terms.n >= 150:
            return mechanism
        given = {name: getattr(mechanism, name) for name in ("n", "outcome", "predictors", "epsilon", "relation")}
        return Bare(**given)

    for name, fault in {
        "mechanism_at": bare_below_150,
        "stored": lambda offer, _output, asked: store(offer, 0, asked),
    }.items():
        with monkeypatch.context() as planted:
            planted.setattr(BestPredictorOffer, name, fault)
            with pytest.raises(AssertionError):
                check(Mechanism.BEST_PREDICTOR, 149)
    check(Mechanism.BEST_PREDICTOR, 149)
