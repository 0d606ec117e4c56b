"""Five learners, one data set, one ε."""

from collections.abc import Callable
from fractions import Fraction
from math import log, sqrt

import numpy as np

from surveys.learn.learners.chains import ContinuousExponential
from surveys.learn.pages.race import LEARNERS, LOSS, LearningTrack, track_of
from tests.learn.case import Case, Fault, Numbers, Page


def every_learner_stays_below_its_bound_and_within_epsilon(numbers_of: Callable[..., Numbers]) -> None:
    for asked in ({"people": "300", "epsilon": "0.1"}, {}, {"people": "10000", "epsilon": "5"}):
        numbers = numbers_of(**asked)
        assert all(numbers["mean"][name] < numbers["bound"][name] for name in LEARNERS)
        assert all(spent <= numbers["epsilon"] * (1 + 1e-9) for spent in numbers["spent"].values())


def every_formula_of_a_slide_is_caught(numbers_of: Callable[..., Numbers]) -> None:
    for epsilon in ("0.1", "1", "5"):
        numbers = numbers_of(formulas="slides", epsilon=epsilon)
        # Least of all, objective perturbation: nΛ = √12/ε, so ln(1 + ε/(4√12)) more.
        assert all(spent is None or spent > 1.06 * numbers["epsilon"] for spent in numbers["spent"].values())


_minima = LearningTrack.minima


def _moved(track: LearningTrack, counts: list[int], other: list[int], ridge: float) -> float:
    """Return how far the minimum moves from the one table of counts to the other."""
    ends = []
    for table in (counts, other):
        x, y, _shares = track.table
        # What is cached is a property that a new object has for itself.
        one = LearningTrack(track.n)
        one.__dict__["table"] = (x, y, np.array(table) / track.n)
        ends.append(one.minima(ridge))
    return float(np.linalg.norm(ends[0] - ends[1]))


def noise_upside_down_tells_two_data_sets_apart(_numbers_of: Callable[..., Numbers]) -> None:
    """The density of b falls by e for each scale: what neighbours' minima differ by, in scales, is spent for sure."""
    track, ridge = LearningTrack(300), 0.05
    moved = _moved(track, [150, 0, 150, 0], [149, 0, 151, 0], ridge)
    proved, slide = 2 / (300 * ridge), ridge / 4
    assert moved / proved < 1
    assert moved / slide > 1


def the_grid_is_as_good_as_draws(numbers_of: Callable[..., Numbers]) -> None:
    """Uniform draws in the ball, weighed by the density; five standard errors, or one in a million."""
    track, chance = track_of(1000), np.random.default_rng(1)
    factor = ContinuousExponential(n=1000, lipschitz=LOSS.lipschitz, radius=Fraction(2), epsilon=Fraction(1)).k
    theta = chance.uniform(-2, 2, size=(100_000, 2))
    excess = track.excess(theta[(theta**2).sum(axis=1) <= 4])
    weights = np.exp(-factor * excess)
    mean = float((weights * excess).sum() / weights.sum())
    error = float(np.sqrt((weights**2 * (excess - mean) ** 2).sum()) / weights.sum())
    assert abs(numbers_of()["mean"]["exponential"] - mean) < 5 * error


# Where 4d(d + 1)/(n²ε²Λ) + ΛR²/2 is least.
_RIDGE = sqrt(2 * 4 * 6) / 1000 / 2

PAGE = Page(
    cases=[
        Case({}, {"exponential_bound": 2 * 4 * 2 / 1000}),
        Case(
            {"formulas": "slides"},
            {
                "exponential_bound": 4 * 2 / 1000,
                "objective_spent": 1 + log(1 + 0.25 / (1000 * _RIDGE)),
            },
        ),
    ],
    printed="exponential_bound",
    claims={
        every_learner_stays_below_its_bound_and_within_epsilon: Fault(asked={"formulas": "slides"}),
        every_formula_of_a_slide_is_caught: Fault(asked={"formulas": "proved"}),
        noise_upside_down_tells_two_data_sets_apart: Fault(
            code={"LearningTrack.minima": lambda track, ridge: _minima(track, 10 * ridge)}
        ),
        the_grid_is_as_good_as_draws: Fault(asked={"epsilon": "2"}),
    },
)
