"""Which learner takes which loss."""

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from math import exp, inf, log

import numpy as np

from surveys.learn.learners.chains import ContinuousExponential
from surveys.learn.learners.gradient import GradientPerturbation
from surveys.learn.learners.losses import LinearLoss
from surveys.learn.learners.objective import ObjectivePerturbation
from surveys.learn.learners.output import OutputPerturbation
from surveys.learn.learners.risk import EmpiricalRisk
from surveys.learn.pages.losses import EPSILON, LEARNERS, LOSSES
from surveys.privacy.learning.domain import CodedItem, PatternDomain
from tests.learn.case import Case, Fault, Numbers, Page

_DOMAIN = PatternDomain(outcome=CodedItem(name="y", codes=2), predictors=(CodedItem(name="x", codes=2),))
_COUNTS = (30, 10, 20, 40)


def _is_refused(learner: str, loss: LinearLoss, ridge: Fraction) -> bool:
    """Let the learner itself refuse, or learn from 100 people."""
    risk = EmpiricalRisk(domain=_DOMAIN, n=100, training_loss=loss, ridge=ridge)
    chance, steepest = np.random.default_rng(1), loss.lipschitz or Fraction(1)
    try:
        if learner == "exponential":
            mechanism = ContinuousExponential(n=100, lipschitz=steepest, epsilon=EPSILON, radius=Fraction(2))
            mechanism.draw(risk, _COUNTS, chance, chains=2, steps=4)
        elif learner == "output":
            OutputPerturbation.of(risk, EPSILON)
        elif learner == "objective":
            bend = loss.smoothness or Fraction(1)
            ObjectivePerturbation(
                n=100, ridge=ridge, epsilon=EPSILON, curvature=bend, lipschitz=steepest
            ).fit(risk, _COUNTS, chance)  # fmt: skip
        else:
            GradientPerturbation(steps=1, sensitivity=Fraction(2), epsilon=EPSILON, delta=Fraction(1, 10**6), risk=risk)
    except ValueError:
        return True
    return False


def the_page_refuses_what_the_learner_refuses(numbers_of: Callable[..., Numbers]) -> None:
    refused = 0
    for learner, loss, ridge in product(LEARNERS, LOSSES, ("0", "0.1")):
        missing = numbers_of(learner=learner, loss=loss, ridge=ridge)["missing"]
        assert bool(missing) is _is_refused(learner, LOSSES[loss], Fraction(ridge)), (learner, loss, ridge)
        refused += bool(missing)
    # Of 32: each but the gradients' refuses squared loss twice; output and objective the hinge twice, and without a
    # ridge what is left.
    assert refused == 14


def clipping_promises_nothing_where_slopes_have_no_bound(numbers_of: Callable[..., Numbers]) -> None:
    for loss in LOSSES:
        risk = EmpiricalRisk(domain=_DOMAIN, n=100, training_loss=LOSSES[loss])
        learner = GradientPerturbation(
            steps=10, sensitivity=Fraction(2), epsilon=EPSILON, delta=Fraction(1, 10**6), radius=Fraction(2), risk=risk
        )
        assert (learner.utility == inf) is (numbers_of(learner="gradient", loss=loss)["promise"] is None)


PAGE = Page(
    cases=[
        Case({"loss": "logistic"}, {"promise": 0.02, "steepest": 1, "bend": 0.25}),
        # 2·1/(1000·.1), and what the Jacobian leaves: 1 − 2·ln(1 + .25/100).
        Case({"loss": "logistic", "learner": "objective"}, {"promise": 1 - 2 * log(1 + 0.25 / 100)}),
        Case({"loss": "hinge", "learner": "exponential"}, {"promise": 2 * 4 * 2 / 1000}),
        Case({"loss": "logistic", "ridge": "0"}, {"steepest_shown": 1 / (1 + exp(-3))}),
    ],
    printed="steepest_shown",
    claims={
        the_page_refuses_what_the_learner_refuses: Fault(wrong={"missing": lambda _found, _asked: []}),
        clipping_promises_nothing_where_slopes_have_no_bound: Fault(wrong={"promise": lambda _found, _asked: 0.002}),
    },
)
