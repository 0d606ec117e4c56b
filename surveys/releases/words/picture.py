"""What an ε would do, in bars and a sentence: its noise beside the reports' randomness, odds, and what is left.

All of it comes from public numbers: the design, how many answered, and the ledger. No report is counted.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from django import template
from django.utils.translation import gettext as _

from surveys.models import Budget
from surveys.models.units import MICRO
from surveys.numbers.words import at_most_of_100, charge, three_digits
from surveys.privacy.accounting.local_central import local_then_central
from surveys.privacy.designs import total_epsilon
from surveys.privacy.loss import PrivacyLoss
from surveys.questionnaire.asked_question import AskedQuestion
from surveys.releases.families.finding import CONFIDENCE_LEVEL
from surveys.releases.families.plan import POINTS, Plan

register = template.Library()

HIDDEN = 3
"""Noise so many times below the reports' randomness widens an interval by a twentieth: √(1 + 1/9) < 1.055."""

_STEPS = [
    *(f"0.0{digit}" for digit in (1, 2, 3, 5, 7)),
    *(f"0.{digits}" for digits in (1, 15, 2, 25, 3, 4, 5, 6, 75)),
    *("1", "1.25", "1.5", "2", "2.5", "3", "4", "5", "6", "8", "10"),
]
_LARGEST_EXPONENT = 700
_USUAL = Fraction(1, 2)
# What falls short of the best, and goes to one side only, or is not known beforehand.
_ONE_SIDED = {"people", "rank", "price", "refusal"}
_ROUND = (1, 2, 3, 5, 10)
_WHOLE = 100.0


@dataclass(frozen=True, slots=True)
class ErrorParts:
    """How far off one mechanism may be with 95% confidence, up or down, in one unit.

    Attributes
    ----------
    plan : Plan
        Of the question whose result it moves most.
    unit : str
        Of all three: percentage points, or that of the question.
    reports : float
        By sampling and the reports' randomness, whatever the release costs.
    noise : float
        By the noise of the release alone.
    """

    plan: Plan
    unit: str
    reports: float
    noise: float

    @property
    def both(self) -> float:
        """By both together: they are independent."""
        return math.hypot(self.reports, self.noise)

    @property
    def is_hidden(self) -> bool:
        """Whether the noise is hardly seen beside the reports' randomness."""
        return self.noise * HIDDEN <= self.reports

    @property
    def is_smaller(self) -> bool:
        return self.noise <= self.reports


@dataclass(frozen=True, slots=True)
class TermsPicture:
    """What is drawn of an ε.

    Attributes
    ----------
    epsilon : Fraction
        Of the release.
    spreads : mapping of str to ErrorParts
        By the name of the mechanism, of those that need nothing but ε and δ and whose error is known beforehand.
    odds : float
        By which factor it changes the odds between two true answers of one response at most.
    budget : Budget
        That it would be charged to.
    """

    epsilon: Fraction
    spreads: dict[str, ErrorParts]
    odds: float
    budget: Budget

    @property
    def left(self) -> Fraction:
        """What is left of the budget afterwards; below 0 it does not fit."""
        return self.budget.remaining_epsilon - self.epsilon

    @property
    def spent_percent(self) -> float:
        return percent_of(self.budget.spent_epsilon, self.budget.total_epsilon)

    @property
    def asked_percent(self) -> float:
        return percent_of(self.epsilon, self.budget.total_epsilon)

    @property
    def certainty_at_most(self) -> float:
        """What a guess of one half becomes at most."""
        return self.odds / (1 + self.odds) if self.odds < math.inf else 1.0

    def scale(self, unit: str) -> float:
        """How far the bars in one unit reach to either side: the same for all mechanisms that use it."""
        limit = _WHOLE if unit == POINTS else math.inf
        widest = max(min(parts.both, limit) for parts in self.spreads.values() if parts.unit == unit)
        power = 10.0 ** math.floor(math.log10(widest)) if widest else 1.0
        return next(round_to * power for round_to in _ROUND if round_to * power >= widest)


def percent_of(part: Fraction, total: Fraction) -> float:
    """Return how much of a bar a part is; of nothing, all of it."""
    return round(float(100 * part / total), 2) if total else 100.0


def picture_of(
    budget: Budget,
    asked: Sequence[tuple[AskedQuestion, int]],
    mechanisms: Sequence[type[Plan]],
    epsilon: Fraction,
    delta: Fraction = Fraction(0),
) -> TermsPicture:
    """Return what this ε would do to these questions, each with how many answered it.

    A mechanism that needs a δ is drawn with this one, or with a usual one where it is 0.
    """
    local = total_epsilon(question.epsilon for question, _n in asked)
    cost = PrivacyLoss(epsilon, delta or _usual_delta(asked, budget))
    spreads = {str(each.name): spread for each in mechanisms if (spread := _spread(each, asked, cost))}
    truth = local_then_central(local, epsilon)
    return TermsPicture(epsilon, spreads, math.exp(truth) if truth < _LARGEST_EXPONENT else math.inf, budget)


def steps_for(budget: Budget) -> list[str]:
    """Return the ε that a slider stops at: those within the remaining budget."""
    left = budget.remaining_epsilon
    return [step for step in _STEPS if Fraction(step) <= left]


def usual_epsilon(budget: Budget) -> Fraction:
    """Return the ε that is drawn where none is typed yet."""
    return min([_USUAL, *([budget.remaining_epsilon] if budget.remaining_epsilon else [])])


def _spread(mechanism: type[Plan], asked: Sequence[tuple[AskedQuestion, int]], cost: PrivacyLoss) -> ErrorParts | None:
    delta = cost.delta / len(asked) if mechanism.uses_delta else Fraction(0)
    lacks_delta = mechanism.uses_delta and not (delta or mechanism.needs_no_delta)
    if mechanism.fields or mechanism.unit in _ONE_SIDED or lacks_delta:
        return None
    each = Fraction(int(cost.epsilon * MICRO) // len(asked), MICRO)
    loss = PrivacyLoss(each, delta)
    spreads = [_of_plan(mechanism((question,), {}, loss, n)) for question, n in asked if each and n]
    known = [spread for spread in spreads if spread is not None]
    # Side by side they must be in one unit, and the least precise question stands for all.
    if len(known) < len(asked) or len({spread.unit for spread in known}) != 1:
        return None
    return max(known, key=lambda spread: spread.noise)


def _usual_delta(asked: Sequence[tuple[AskedQuestion, int]], budget: Budget) -> Fraction:
    """Return a δ below 1 divided by the square of the number of answers, as far as the budget has one."""
    most = max(n for _question, n in asked)
    return min(Fraction(1, 10 ** len(str(most * most))), budget.remaining_delta)


def _of_plan(plan: Plan) -> ErrorParts | None:
    try:
        accuracy = plan.accuracy(CONFIDENCE_LEVEL)
    except ValueError:
        # Parameters that the mechanism cannot take.
        return None
    unit, reports = plan.unit_of_reports, plan.error_from_reports()
    noise = accuracy.size(unit)
    if reports is None or noise == math.inf or accuracy.depends_on_data:
        return None
    return ErrorParts(plan, unit, reports, noise)


# How it is drawn and said.


@dataclass(frozen=True, slots=True)
class DrawnError:
    """A bar to both sides of 0, in percent of the width of the drawing."""

    kind: str
    name: str
    amount: str
    at: float
    width: float

    @property
    def end(self) -> float:
        return self.at + self.width


@register.filter
def picture_title(picture: TermsPicture, mechanism: str = "") -> str:
    """Say in a sentence what the noise does, of the mechanism that is chosen or of the first that is drawn."""
    words = {"epsilon": charge(picture.epsilon)}
    spread = picture.spreads.get(mechanism) or next(iter(picture.spreads.values()), None)
    if picture.left < 0:
        return _("ε %(epsilon)s exceeds the remaining budget") % words
    if spread is None:
        return _("Cost of ε %(epsilon)s") % words
    if spread.is_hidden:
        return _("At ε %(epsilon)s, the noise hardly adds to the existing uncertainty") % words
    if spread.is_smaller:
        return _("At ε %(epsilon)s, the noise is smaller than the existing uncertainty") % words
    return _("At ε %(epsilon)s, the noise is larger than the existing uncertainty") % words


@register.inclusion_tag("admin/surveys/release/_bars.html")
def error_bars(picture: TermsPicture, mechanism: str) -> dict[str, Any]:
    """Draw the three bars of a mechanism; nothing where its error is not known beforehand."""
    spread = picture.spreads.get(mechanism)
    if spread is None:
        return {}
    scale, delta = picture.scale(spread.unit), spread.plan.loss.delta
    return {
        "bars": [
            _bar("reports", _("sampling and randomization"), spread.reports, scale),
            _bar("noise", _("noise of this release"), spread.noise, scale),
            _bar("both", _("together"), spread.both, scale),
        ],
        # How far they reach to either side, and in which unit, "" for points of 100.
        "reach": three_digits(scale),
        "unit": "" if spread.unit == POINTS else spread.plan.question.answers.unit,
        "with_delta": charge(delta) if delta else "",
    }


def _bar(kind: str, name: str, size: float, scale: float) -> DrawnError:
    half = round(50 * min(1.0, size / scale), 2)
    return DrawnError(kind, name, f"±{three_digits(size)}", 50 - half, 2 * half)


@register.filter
def guess(picture: TermsPicture) -> str:
    """Say what a guess of 50 in 100 becomes at most."""
    return at_most_of_100(picture.certainty_at_most)
