"""Who redeems after whom has answered: what the times of both tell, and why no receipt is redeemed before the close.

The adversary has a copy of the database after every step, the times of all requests and the course system's times of
scores. Answers and receipts have no value in common, so times are all that is left to match them by: of all
assignments of students to responses the likeliest one is taken, or that of their orders where it finds more.
A class answers over an hour. Its times are drawn anew for each of many classes; test_linkage.py plays classes of each
size through the program itself, and finds that copies tell these times and nothing else.

``python -m tests.credit.linkage`` writes the table into docs/threat-model.md; `make studies` finds it again.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.special import ndtr, ndtri

PAGE = Path(__file__).parents[2] / "docs" / "threat-model.md"
SIZES, CLASSES, SEED = (20, 60, 200), 400, 20_261_201
# Minutes. Somebody who redeems at once takes half a minute, as somebody does who taps a link.
HOUR, TAP, WEEK = 60.0, 0.5, 7 * 24 * 60.0
# How the order of redeeming follows that of answering, where some people do everything early.
HABIT = 0.5
_IMPOSSIBLE = 1e6
Times = np.ndarray


@dataclass(frozen=True)
class Habit:
    """When students redeem who answered at these times, and how unlikely each pair of times is (its negative log)."""

    name: str
    redeemed: Callable[[Times, np.random.Generator], Times]
    unlikely: Callable[[Times, Times], np.ndarray]
    before_the_close: bool


def _tapped(answered: Times, redeemed: Times) -> np.ndarray:
    delay = redeemed[:, np.newaxis] - answered
    return np.where(delay < 0, _IMPOSSIBLE, delay / TAP)


def _within_the_hour(answered: Times, redeemed: Times) -> np.ndarray:
    delay = redeemed[:, np.newaxis] - answered
    return np.where((delay < 0) | (delay > HOUR), _IMPOSSIBLE, 0.0)


def _scores(times: Times) -> np.ndarray:
    """Return each time's place among all as a normal score."""
    places: np.ndarray = ndtri((np.argsort(np.argsort(times)) + 0.5) / len(times))
    return places


def _of_habit(answered: Times, redeemed: Times) -> np.ndarray:
    return -np.outer(_scores(redeemed), _scores(answered))


def _by_habit(answered: Times, chance: np.random.Generator) -> Times:
    drawn = HABIT * ndtri(answered / HOUR) + np.sqrt(1 - HABIT**2) * chance.standard_normal(len(answered))
    return HOUR + WEEK * ndtr(drawn)


HABITS = (
    Habit("at once (refused)", lambda t, chance: t + chance.exponential(TAP, len(t)), _tapped, before_the_close=True),
    Habit(
        "within an hour (refused)",
        lambda t, chance: t + chance.uniform(0, HOUR, len(t)),
        _within_the_hour,
        before_the_close=True,
    ),
    Habit(
        "after the close",
        lambda t, chance: chance.uniform(HOUR, HOUR + WEEK, len(t)),
        lambda t, r: np.zeros((len(r), len(t))),
        before_the_close=False,
    ),
    Habit("after the close, the early ones first", _by_habit, _of_habit, before_the_close=False),
)


def drawn_class(habit: Habit, size: int, chance: np.random.Generator) -> tuple[Times, Times]:
    """Return when each student answered and redeemed."""
    answered = chance.uniform(0, HOUR, size)
    return answered, habit.redeemed(answered, chance)


def shares_matched(habit: Habit, answered: Times, redeemed: Times, owner: np.ndarray) -> tuple[float, float]:
    """Return which share of students each attack finds: by likelihood, and by order.

    Rows stand as the adversary has them, by time; `owner` has for each redemption whose response is the right one.
    """
    order = (np.argsort(np.argsort(redeemed))[:, np.newaxis] - np.argsort(np.argsort(answered))) ** 2
    # Among equally likely matches that of the orders.
    likely = habit.unlikely(answered, redeemed) + order * 1e-9
    found = [float(np.mean(linear_sum_assignment(cost)[1] == owner)) for cost in (likely, order)]
    return found[0], found[1]


def share_of(habit: Habit, times: tuple[Times, Times]) -> tuple[float, float]:
    """Return the shares for times by student: the adversary gets responses and redemptions each by its own time."""
    answered, redeemed = times
    first, then = np.argsort(answered), np.argsort(redeemed)
    return shares_matched(habit, answered[first], redeemed[then], np.argsort(first)[then])


def table() -> str:
    """Return the table: the share matched by the better attack, with its 95% interval over classes."""
    lines = ["| receipts are redeemed | class | chance | matched rightly | 95% interval |", "|---" * 5 + "|"]
    for number, habit in enumerate(HABITS):
        for size in SIZES:
            chance = np.random.default_rng([SEED, number, size])
            shares = np.array([share_of(habit, drawn_class(habit, size, chance)) for _ in range(CLASSES)])
            best = shares[:, shares.mean(axis=0).argmax()]
            mean, margin = best.mean(), 1.96 * best.std(ddof=1) / np.sqrt(CLASSES)
            held = f"{mean - margin:.3f} to {mean + margin:.3f}"
            lines.append(f"| {habit.name} | {size} | {1 / size:.3f} | {mean:.3f} | {held} |")
    return "\n".join(lines)


def main() -> None:
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(re.sub(r"\| receipts are redeemed \|(.*\n)+?(?=\n)", f"{table()}\n", page), encoding="utf-8")


if __name__ == "__main__":
    main()
