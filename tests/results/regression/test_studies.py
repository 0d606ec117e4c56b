"""How often the limits of regressions that need two arms, or an anchor, hold the truth, over 2,000 studies each."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest

from surveys.questionnaire.definition import Definition
from surveys.responses.selectors.snapshot import Snapshot
from surveys.results.figures.regression.answers import regression_of
from surveys.results.figures.regression.arms import outcomes_of_arms, regression_of_arms
from surveys.results.figures.regression.terms import Regression, RegressionData
from tests.factories import crosswise, mangat, plain, two_lists, unrelated, yes_no
from tests.results.studied import Codes, Studied, both_arms, held_as_said, holds, shares_held

pytestmark = [pytest.mark.django_db, pytest.mark.studies]
SUBJECT = plain(("Arts", "Science"), "What do you study?")
# The log odds of Yes in Arts, and how much higher they are in Science.
TRUTH = (-1.0, 1.2)


def _data(definition: Definition, snapshot: Snapshot) -> RegressionData:
    return RegressionData(snapshot, definition, None, frozenset(), "", "observed", 0.95)


def _have(studied: Studied, subject: Codes) -> Codes:
    return studied.have(1 / (1 + np.exp(-TRUTH[0] - TRUTH[1] * subject)), len(subject))


def _of_arms(studied: Studied, definition: Definition, snapshot: Snapshot) -> Regression:
    (outcome,) = outcomes_of_arms(studied.stored, snapshot)
    return regression_of_arms(_data(definition, snapshot), studied.stored, outcome, [definition.items[0]])


def _held(regression: Regression) -> list[bool]:
    """Whether both coefficients are held; what the page tells nothing of holds nothing."""
    if regression.problem or regression.intercept is None:
        return [False, False]
    (term,) = (term for block in regression.blocks for term in block.terms if term.low is not None)
    return [holds(each, truth) for each, truth in zip((regression.intercept, term), TRUTH, strict=True)]


MODELS = {
    "cheating_detection": (yes_no, [{"truth": [1, 2], "yes": [1, 10]}, {"truth": [1, 2], "yes": [9, 10]}], 0.3),
    "lie_detector": (mangat, [{"p": [1, 5]}, {"p": [4, 5]}], 0.8),
    "unrelated_unknown": (unrelated, [{"p": [4, 5], "q": [1, 4]}, {"p": [3, 10], "q": [1, 4]}], 0.4),
}


def _says_yes(model: str, arm: int, has: Codes, other: Codes) -> np.ndarray:
    """How probably each says Yes, as the models are told."""
    if model == "cheating_detection":
        return np.where(other & (1 - has), 0.0, 0.5 * has + (0.05, 0.45)[arm])
    if model == "lie_detector":
        return np.where(has, other, (0.8, 0.2)[arm])
    return np.where(has, 1.0, 0.0) * (0.8, 0.3)[arm] + other * (0.2, 0.7)[arm]


@pytest.mark.parametrize("model", MODELS)
def test_a_model_of_two_arms_with_its_second_share(model: str) -> None:
    ask, parameters, share = MODELS[model]
    studied = Studied.of(SUBJECT, *both_arms(ask, ask, *({"parameters": each} for each in parameters)), arms=2)

    def study(forged: float = 0.0) -> Sequence[bool]:
        arms = []
        for arm in range(2):
            subject = studied.have(0.5, 700)
            has = _have(studied, subject)
            other = studied.have(share, 700)
            if model == "cheating_detection":
                # Among those without a Yes so many that they are this share of all, of either subject.
                rate = share / (1 - 1 / (1 + np.exp(-TRUTH[0] - TRUTH[1] * subject)))
                other = studied.have(rate, 700)
            yes = studied.have(_says_yes(model, arm, has, other), 700)
            yes = np.where(subject & studied.have(forged, 700), 1, yes)
            arms.append([subject, *([yes, None] if arm == 0 else [None, yes])])
        definition, snapshot = studied.told(*arms)
        regression = _of_arms(studied, definition, snapshot)
        return [*_held(regression), regression.second is not None and holds(regression.second, share)]

    held_as_said(study)
    # The twin: in Science a third taps Yes whatever is true.
    assert shares_held(lambda: study(1 / 3), 200).min() < 0.9


def test_a_list_by_what_predicts_its_sensitive_statement() -> None:
    studied = Studied.of(SUBJECT, *two_lists(parameters={"truth": [9, 10]}), yes_no("All?", leave_out="no"), arms=2)

    def study(deny: float = 0.0) -> Sequence[bool]:
        arms = []
        for arm in range(2):
            subject = studied.have(0.5, 1_000)
            counted = studied.generator.binomial(3, np.where(subject, 0.5, 0.35))
            numbers = counted + arm * _have(studied, subject) * (1 - subject * studied.have(deny, 1_000))
            sent = [None, None]
            sent[arm] = studied.sent(2 + arm, numbers)
            arms.append([subject, *sent, studied.have(0.5, 1_000)])
        return _held(_of_arms(studied, *studied.told(*arms)))

    held_as_said(study)
    assert shares_held(lambda: study(2 / 3), 200).min() < 0.9


def test_beside_an_anchor() -> None:
    fact = {"innocuous": "Was your father born in spring?", "innocuous_source": "Births by month: 1 of 4."}
    anchor = crosswise("Have you been to the moon?", leave_out="no", details=fact)
    studied = Studied.of(SUBJECT, crosswise(leave_out="no"), anchor)

    def study(*, corrected: bool) -> Sequence[bool]:
        subject = studied.have(0.5, 2_000)
        truths = _have(studied, subject), np.zeros(2_000, dtype=np.int64)
        sent = [
            np.where(studied.have(0.8, 2_000), studied.sent(number, each), studied.have(0.5, 2_000))
            for number, each in enumerate(truths, start=2)
        ]
        definition, snapshot = studied.told([subject, *sent])
        items = definition.items
        anchored = (items[2], Fraction(0)) if corrected else None
        return _held(regression_of(_data(definition, snapshot), items[1], 1, [items[0]], anchor=anchored))

    held_as_said(lambda: study(corrected=True))
    assert shares_held(lambda: study(corrected=False), 200).min() < 0.9
