"""From the accuracy that is wanted to the ε that it costs, from public numbers only."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from django.utils.translation import gettext as _

from surveys.common.selectors import definition_of
from surveys.models.units import MICRO, PICO
from surveys.numbers.words import round_up_exactly
from surveys.privacy.loss import PrivacyLoss
from surveys.privacy.rationals import positive
from surveys.releases.families.finding import CONFIDENCE_LEVEL
from surveys.releases.families.options import invalid
from surveys.releases.families.plan import LARGEST_EPSILON, POINTS, Plan
from surveys.releases.mechanisms import PLANS
from surveys.releases.selectors.doors import answer_count, asked_of, look_now, why_suppressed
from surveys.releases.selectors.groups import separate_groups
from surveys.releases.services.request import ReleaseRequest

ANY_LOSS = PrivacyLoss(Fraction(1))

DIGITS = 3
"""To so many significant digits ε is rounded, upwards: at most a hundredth more than is needed, and it can be typed."""


def units_for(mechanism: type[Plan]) -> tuple[str, ...]:
    return (mechanism.unit, *([POINTS] if mechanism.in_points else []), *mechanism.wanted_in)


def epsilon_for(request: ReleaseRequest, wanted: Fraction, unit: str) -> Fraction:
    """Return an ε for the whole release at which every part is off by at most `wanted`, whatever the data are.

    What is computed from a release, the first coefficient of a model, depends on them: its interval is expected to be
    so wide where the true answers are distributed as the mechanism states.

    ε and δ are split evenly over the parts. For each of them it is the smallest whole number of millionths, by
    bisection, as no bound grows with ε; then all of it is rounded up to three digits.

    Parameters
    ----------
    request : ReleaseRequest
        What is asked for; its ε is not looked at.
    wanted : Fraction
        Above 0, in `unit`, at `CONFIDENCE_LEVEL`.
    unit : str
        One of `units_for` the mechanism.

    Raises
    ------
    ReleaseRefused
        Naming "wanted" where even the largest ε does not promise as much, "unit", "delta", "questions" or an option.
    """
    mechanism = PLANS[request.mechanism]
    if unit not in units_for(mechanism):
        raise invalid("unit", _("This mechanism’s accuracy is not measured in this unit. Choose another unit."))
    try:
        least = positive(wanted, "wanted")
    except ValueError:
        raise invalid("wanted", _("Enter the maximum error as an exact number above 0.")) from None
    plans = _plans(request, mechanism)
    delta = Fraction(request.delta * PICO // len(plans), PICO)
    if mechanism.uses_delta and not (mechanism.needs_no_delta or delta > 0):
        raise invalid("delta", _("This mechanism needs a δ. Enter a δ above 0."))

    def enough(micro_epsilon: int) -> bool:
        loss = PrivacyLoss(Fraction(micro_epsilon, MICRO), delta if mechanism.uses_delta else Fraction(0))
        return all(replace(plan, loss=loss).error_in(unit, CONFIDENCE_LEVEL) <= least for plan in plans)

    largest = LARGEST_EPSILON * MICRO // len(plans)
    if not enough(largest):
        words = (
            _(
                "Even ε = %(most)s is not enough, because coins and sampling alone cause a larger error. "
                "Allow a larger error."
            )
            if unit in mechanism.wanted_in
            else _(
                "Even ε = %(most)s can’t guarantee this accuracy for all data. Allow a larger error, "
                "or choose another mechanism."
            )
        )
        raise invalid("wanted", words % {"most": LARGEST_EPSILON})
    return _rounded(smallest_count(enough, largest) * len(plans), len(plans), enough)


def smallest_count(enough: Callable[[int], bool], largest: int) -> int:
    """Return the smallest whole number from 1 on that is enough, as the largest is, by bisection."""
    too_few, most = 0, largest
    while most - too_few > 1:
        middle = (too_few + most) // 2
        too_few, most = (too_few, middle) if enough(middle) else (middle, most)
    return most


def _rounded(micro_epsilon: int, parts: int, enough: Callable[[int], bool]) -> Fraction:
    """Return ε rounded up, unless that is too large, or (as no rounding may cost accuracy) not enough."""
    rounded = round_up_exactly(Fraction(micro_epsilon), DIGITS)
    fits = rounded <= LARGEST_EPSILON * MICRO and rounded.denominator == 1
    if fits and enough(rounded.numerator // parts):
        return rounded / MICRO
    return Fraction(micro_epsilon, MICRO)


def _plans(request: ReleaseRequest, mechanism: type[Plan]) -> list[Plan]:
    """Return the plan of each part, whatever it costs."""
    survey = request.survey
    definition = definition_of(survey)
    together = asked_of(definition, request.questions)
    if why := mechanism.unsuitable_together(together):
        raise invalid("questions", why)
    look = look_now(survey, definition)
    plans = []
    for questions in mechanism.parts_of(together, request.options) if together else ():
        if why := why_suppressed(questions, look):
            raise invalid("questions", why)
        options = mechanism.read_options(questions, request.options)
        plan = mechanism(questions, options, ANY_LOSS, 0)
        if plan.counts_groups:
            plan = separate_groups(survey, plan, look)
        plan = replace(plan, n=answer_count(survey, plan.questions))
        if not plan.n >= 1:
            raise invalid(
                "questions",
                _("No answers to “%(question)s” have been counted yet. Choose another question, or wait for answers.")
                % {"question": plan.question.text},
            )
        if why := plan.too_few():
            raise invalid("questions", why)
        plans.append(plan)
    if not plans:
        raise invalid("questions", _("Choose at least one question."))
    return plans
