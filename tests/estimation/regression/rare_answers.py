"""Rare true answers reported in ways that need more than one linear predictor: how often limits hold, by simulation."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from surveys.estimation.adherence.logistic import fit_logistic_anchored
from surveys.estimation.list_experiment.regression import fit_list
from surveys.estimation.regression.fits import BoundedFit
from surveys.estimation.regression.randomized_predictors import fit_logistic_randomized_predictors
from surveys.estimation.regression.two_groups import fit_logistic_two_groups
from surveys.privacy.designs import crosswise, forced_response, k_ary
from tests.estimation.regression.data import sigmoid

RARE_STUDIES = 200
"""Of each model."""
TRUTH = np.array([-3.0, 1.0])
"""The log odds of Yes without the predictor, and how much higher they are with it."""
Columns = tuple[np.ndarray, ...]
Fit = Callable[..., BoundedFit]


@dataclass
class Drawn:
    """People, half of whom have the predictor, and their true answers."""

    generator: np.random.Generator
    n: int

    def __post_init__(self) -> None:
        self.x = self.having(0.5)
        self.truth = self.having(sigmoid(TRUTH[0] + TRUTH[1] * self.x))

    def having(self, share: float | np.ndarray) -> np.ndarray:
        """Return who has something that so many have."""
        return (self.generator.random(self.n) < share).astype(int)


def counted(*columns: np.ndarray) -> tuple[Columns, np.ndarray]:
    """Return the different rows, and how often each came."""
    rows, weights = np.unique(np.column_stack(columns), axis=0, return_counts=True)
    return tuple(rows.T), weights


def with_constant(x: np.ndarray) -> np.ndarray:
    """Return X."""
    return np.column_stack([np.ones(len(x)), x])


def several_answers(drawn: Drawn) -> Fit:
    """A predictor with three answers, randomized too; of the second and the third the effect is the same."""
    design, coins = k_ary(3, "1/2"), forced_response()
    answer = drawn.x * (1 + drawn.having(0.4))
    columns = np.array(design.matrix, dtype=float).T.cumsum(axis=1)[answer]
    sent = (drawn.generator.random((drawn.n, 1)) > columns).sum(axis=1).clip(0, 2)
    (y, z), weights = counted(drawn.having(0.25 + 0.5 * drawn.truth), sent)
    return lambda **how: fit_logistic_randomized_predictors(y, coins, [z], [design], weights=weights, **how)


def anchor(drawn: Drawn, *, lasting: bool = False) -> Fit:
    """The crosswise design with one in seven who tap at random, beside an anchor."""
    design = crosswise("1/5")
    attentive = [drawn.having(6 / 7)] * 2 if lasting else [drawn.having(6 / 7) for _ in range(2)]
    says = np.array(design.matrix[1], dtype=float)
    yes = says[drawn.truth], np.full(drawn.n, says[0])
    sent = [drawn.having(np.where(attends, share, 0.5)) for attends, share in zip(attentive, yes, strict=True)]
    (y, other, x), weights = counted(*sent, drawn.x)
    return lambda **how: fit_logistic_anchored(y, other, with_constant(x), design, design, weights=weights, **how)


def lasting_anchor(drawn: Drawn) -> Fit:
    """The same where who taps at random does so at both questions: then the likelihood is a composite one."""
    return anchor(drawn, lasting=True)


def two_arms(model: str, ends: list[list[float]], share: float) -> Callable[[Drawn], Fit]:
    """A model of two arms with its further share."""

    def draw(drawn: Drawn) -> Fit:
        arm, other = drawn.having(0.5), drawn.having(share)
        weights_of = np.array(ends)[arm]
        low, high = weights_of.T
        if model == "unrelated_unknown":
            yes = high * drawn.truth + low * other
        elif model == "lie_detector":
            yes = np.where(drawn.truth, other, low)
        else:
            always_no = drawn.having(share / (1 - sigmoid(TRUTH[0] + TRUTH[1] * drawn.x)))
            yes = np.where(always_no & (1 - drawn.truth), 0.0, low * drawn.truth + high)
        (y, x, group), weights = counted(drawn.having(yes), drawn.x, arm)
        return lambda **how: fit_logistic_two_groups(
            model, y, with_constant(x), np.array(ends)[group], weights=weights, **how
        )

    return draw


def listed(drawn: Drawn) -> Fit:
    """A list of three innocuous statements, counted as they are."""
    arm = drawn.having(0.5)
    numbers = drawn.generator.binomial(3, np.where(drawn.x, 0.5, 0.4)) + arm * drawn.truth
    (y, treated, x), weights = counted(numbers, arm, drawn.x)
    return lambda **how: fit_list(y, treated, with_constant(x), items=3, weights=weights, counts="beta_binomial", **how)


MODELS: dict[str, tuple[int, Callable[[Drawn], Fit]]] = {
    "a randomized answer of three": (1_000, several_answers),
    "crosswise with an anchor": (500, anchor),
    "the same, attention lasting": (500, lasting_anchor),
    "unrelated question": (300, two_arms("unrelated_unknown", [[0.2, 0.8], [0.7, 0.3]], 0.4)),
    "lie detector": (1_000, two_arms("lie_detector", [[0.8, 0.2], [0.2, 0.8]], 0.8)),
    "cheating detection": (400, two_arms("cheating_detection", [[0.5, 0.05], [0.5, 0.45]], 0.2)),
    "list": (1_500, listed),
}


@dataclass(frozen=True)
class Rare:
    """What came of studies of a model: how many had no maximum, and in how many of these limits held."""

    name: str
    studies: int
    without: int
    answered: int
    held: int
    length: float  # the mean
    bias: float  # the median error

    def __str__(self) -> str:
        n, share = MODELS[self.name][0], self.held / max(self.without, 1)
        return f"| {self.name} | {n} | {self.without} | {share:.2f} | {self.length:.1f} | {self.bias:+.1f} |"


def rare_answers(name: str, studies: int) -> Rare:
    """Return what comes of the studies of a model that have no maximum."""
    n, draw = MODELS[name]
    generator = np.random.default_rng([93, list(MODELS).index(name)])
    without = answered = held = 0
    errors, lengths = [], []
    for _ in range(studies):
        fit_it = draw(Drawn(generator, n))
        if fit_it().usable:
            continue
        without += 1
        fit = fit_it(penalized=True)
        if fit.usable:
            limits = fit.penalized_interval(1)
            answered += 1
            held += limits.low <= TRUTH[1] <= limits.high
            errors.append(fit.coefficients[1] - TRUTH[1])
            lengths.append(limits.high - limits.low)
    return Rare(name, studies, without, answered, held, float(np.mean(lengths)), float(np.median(errors)))


def rare_table(found: Sequence[Rare]) -> str:
    """Return the table of docs/coverage.md."""
    return "\n".join(["| reports | n | without | coverage | length | error |", "|---" * 6 + "|", *map(str, found)])
