"""How far a trait's coefficient is off, and how often its interval holds, by simulation.

``python -m tests.estimation.coverage_tables`` writes the table into docs/coverage.md; test_trait_coverage.py, run by
``make studies``, finds it again.
"""

from dataclasses import dataclass

import numpy as np

from surveys.estimation.regression.trait_predictor import fit_on_trait
from surveys.privacy.designs import Design, forced_response
from tests.estimation.regression.data import Floats, sigmoid
from tests.estimation.regression.trait_data import ANCHOR, OWN, TRAIT, WARNER, respondents

STUDIES = 2_000
EFFECT = 1.0
STEPS = 12
"""Newton's method has long converged after as many."""


@dataclass(frozen=True)
class Setting:
    """What is asked of how many."""

    title: str
    seed: int
    n: int
    design: Design
    normal: bool
    attention: str = ""


SETTINGS = (
    Setting("yes/no, Warner with 4/5", 0, 500, WARNER, normal=False),
    Setting("number, two fair coins", 2, 500, forced_response(), normal=True),
    Setting("yes/no, crosswise with 1/10 and an anchor", 3, 1_000, OWN, normal=False, attention="at_each_question"),
    Setting("number, crosswise with 1/10 and an anchor", 4, 500, OWN, normal=True, attention="throughout"),
)


@dataclass(frozen=True)
class Study:
    """The coefficient of the trait, NaN without a maximum, and of what others take for it."""

    joint: float
    holds: bool
    probability: float
    likelier: float
    report: float


def study_of(setting: Setting, seed: list[int]) -> Study:
    """Draw one study and estimate the effect in four ways."""
    lasts = {"": None, "throughout": True, "at_each_question": False}[setting.attention]
    people = respondents(setting.n, seed, effect=EFFECT, design=setting.design, lasts=lasts)
    outcome = people.number if setting.normal else people.yes.astype(float)
    anchor = {"anchor_reports": people.anchor, "anchor_design": ANCHOR, "attention": setting.attention}
    fit = fit_on_trait(
        outcome,
        people.x,
        people.reports,
        setting.design,
        outcome="normal" if setting.normal else "logistic",
        **(anchor if setting.attention else {}),
    )
    limits = fit.interval(kind="sandwich" if setting.attention else "observed")
    # What is known of the trait without the outcome, by the true model of it, as if that had been found exactly.
    of_report = np.array(setting.design.matrix, dtype=float)[people.reports]
    has = sigmoid(people.x @ TRAIT)
    probability = has * of_report[:, 1] / (has * of_report[:, 1] + (1 - has) * of_report[:, 0])
    report = people.reports if setting.design.slope > 0 else 1 - people.reports
    others = [effect_of(each, people.x, outcome, setting.normal) for each in (probability, probability > 0.5, report)]
    return Study(
        float(fit.coefficients[-1]) if fit.converged else np.nan,
        bool(limits.low[people.x.shape[1]] <= EFFECT <= limits.high[people.x.shape[1]]),
        *others,
    )


def effect_of(predictor: Floats, x: Floats, y: Floats, normal: bool) -> float:
    """Return the coefficient of a predictor beside x, by least squares or logistic regression."""
    rows = np.column_stack([x, predictor]).astype(float)
    if normal:
        return float(np.linalg.lstsq(rows, y, rcond=None)[0][-1])
    place = np.zeros(rows.shape[1])
    for _ in range(STEPS):
        yes = sigmoid(rows @ place)
        place += np.linalg.solve((rows.T * (yes * (1 - yes))) @ rows, rows.T @ (y - yes))
    return float(place[-1])


@dataclass(frozen=True)
class Result:
    """Many studies of a setting: errors are the medians."""

    setting: Setting
    held: float
    none: int
    joint: float
    probability: float
    likelier: float
    report: float

    def __str__(self) -> str:
        errors = (f"{error:+.2f}" for error in (self.joint, self.probability, self.likelier, self.report))
        cells = (self.setting.title, str(self.setting.n), f"{self.held:.3f}", str(self.none), *errors)
        return f"| {' | '.join(cells)} |"


def result_of(setting: Setting, studies: int = STUDIES) -> Result:
    """Return what comes of a setting; each study has a seed of its own."""
    every = [study_of(setting, [95, setting.seed, number]) for number in range(studies)]
    errors = {
        name: float(np.nanmedian([getattr(study, name) for study in every])) - EFFECT
        for name in ("joint", "probability", "likelier", "report")
    }
    fitted = [study.holds for study in every if not np.isnan(study.joint)]
    return Result(setting, float(np.mean(fitted)), studies - len(fitted), **errors)


def results() -> list[Result]:
    """Return what comes of every setting."""
    return [result_of(setting) for setting in SETTINGS]


def table(every: list[Result]) -> str:
    """Return the table of docs/coverage.md."""
    head = "outcome and design", "n", "coverage", "no maximum", "together", "probability", "likelier", "report"
    return "\n".join([f"| {' | '.join(head)} |", "|---" * len(head) + "|", *map(str, every)])
