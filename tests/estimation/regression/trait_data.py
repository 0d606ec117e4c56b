"""Respondents with a trait that depends on x and helps to predict an outcome, and their likelihood written out."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy

from surveys.privacy.designs import Design, crosswise, warner
from tests.estimation.regression.data import Floats, sigmoid
from tests.estimation.regression.measured_data import randomize

Codes = npt.NDArray[np.int64]
WARNER, OWN, ANCHOR = warner("4/5"), crosswise("1/10"), crosswise("3/20")
ATTENTIVE = 0.8
TRAIT = np.array([-0.5, 1.0])
"""The coefficients of the trait."""


@dataclass(frozen=True)
class Respondents:
    """Everything about n respondents; `reports` and `anchor` are what is seen of trait and attention."""

    x: Floats
    trait: Codes
    number: Floats
    yes: Codes
    reports: Codes
    anchor: Codes
    design: Design


def respondents(
    n: int, seed: int | list[int], *, effect: float = 1.0, design: Design = WARNER, lasts: bool | None = None
) -> Respondents:
    """Draw x, the trait with log odds −0.5 + x, and a number and a yes/no that both rise with x and with the trait.

    Everybody follows the instructions, unless `lasts` says whether the attention of four in five lasts.
    """
    rng = np.random.default_rng(seed)
    x = np.column_stack([np.ones(n), rng.normal(size=n)])
    trait = (rng.random(n) < sigmoid(x @ TRAIT)).astype(np.int64)
    middle = x @ [-0.4, 0.5] + effect * trait
    reports, anchor = randomize(design, trait, rng), randomize(ANCHOR, np.zeros(n, dtype=np.int64), rng)
    if lasts is not None:
        first = rng.random(n) < ATTENTIVE
        second = first if lasts else rng.random(n) < ATTENTIVE
        reports = np.where(first, reports, rng.integers(0, 2, n))
        anchor = np.where(second, anchor, rng.integers(0, 2, n))
    yes = (rng.random(n) < sigmoid(middle)).astype(np.int64)
    return Respondents(x, trait, middle + rng.normal(size=n), yes, reports, anchor, design)


def log_likelihoods(people: Respondents, parameters: Floats, *, normal: bool, attention: str = "") -> Floats:
    """Each one's likelihood of outcome and reports, as the model is told.

    The parameters are the coefficients, those of trait and attention, and log σ.
    """
    x, p = people.x, people.x.shape[1]
    beta, tau, alpha = parameters[:p], parameters[p], parameters[p + 1 : 2 * p + 1]
    has_trait = sigmoid(x @ alpha)
    follows = sigmoid(parameters[2 * p + 1]) if attention else 1.0
    matrix = np.array(people.design.matrix, dtype=float)
    no_trait = np.array(ANCHOR.matrix, dtype=float)[people.anchor, 0]
    total = np.zeros(len(x))
    for trait, share in ((0, 1 - has_trait), (1, has_trait)):
        middle = x @ beta + tau * trait
        if normal:
            density = scipy.stats.norm.pdf(people.number, middle, np.exp(parameters[-1]))
        else:
            density = np.where(people.yes == 1, sigmoid(middle), 1 - sigmoid(middle))
        report = matrix[people.reports, trait]
        if attention == "throughout":
            report = follows * report * no_trait + (1 - follows) / 4
        elif attention:
            report = (follows * report + (1 - follows) / 2) * (follows * no_trait + (1 - follows) / 2)
        total += share * report * density
    logs: Floats = np.log(total)
    return logs
