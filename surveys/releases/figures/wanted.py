"""From the accuracy that is wanted to the ε that it costs, from public numbers only."""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from django.utils.translation import gettext as _

from surveys.common.selectors import definition_of
from surveys.models import Question, Survey
from surveys.models.asked_question import AskedQuestion
from surveys.models.units import MICRO, PICO
from surveys.numbers.words import round_up_exactly
from surveys.privacy.loss import PrivacyLoss
from surveys.privacy.rationals import positive
from surveys.releases.families.accuracy import CONFIDENCE_LEVEL, POINTS
from surveys.releases.families.mechanism import Offer, PartTerms
from surveys.releases.families.options import OptionError
from surveys.releases.mechanisms import OFFERS
from surveys.releases.selectors.doors import answer_count, asked_of, look_now, why_suppressed
from surveys.releases.selectors.groups import separate_groups
from surveys.releases.selectors.terms import LARGEST_EPSILON

DIGITS = 3
"""To so many significant digits ε is rounded, upwards: at most a hundredth more than is needed, and it can be typed."""


def units_for(offer: Offer[Any]) -> tuple[str, ...]:
    """Return in which units a mechanism's accuracy can be wanted."""
    return (offer.unit, *([POINTS] if offer.in_points else []), *offer.wanted_in)


def epsilon_for(
    *,
    survey: Survey,
    questions: Sequence[Question],
    mechanism: str,
    delta: Fraction = Fraction(0),
    options: Mapping[str, Any] | None = None,
    wanted: Fraction,
    unit: str,
    confidence_level: float = CONFIDENCE_LEVEL,
) -> Fraction:
    """Return an ε for the whole release at which every part is off by at most `wanted`, whatever the data are.

    What is computed from a release, the first coefficient of a model, depends on them: its interval is expected to be
    so wide where the true answers are distributed as the mechanism states.

    ε and δ are split evenly over the parts. For each of them it is the smallest whole number of millionths, by
    bisection, as no bound grows with ε; then all of it is rounded up to three digits.

    Parameters
    ----------
    survey, questions, mechanism, delta, options
        Of the release.
    wanted : Fraction
        Above 0, in `unit`.
    unit : str
        One of `units_for` the mechanism.
    confidence_level : float
        With which it is to be so accurate.

    Raises
    ------
    OptionError
        Naming "wanted" where even the largest ε does not promise as much, "unit", "delta", "questions" or an option.
    """
    offer = OFFERS[mechanism]
    if unit not in units_for(offer):
        raise OptionError("unit", _("This mechanism’s accuracy is not measured in this unit. Choose another unit."))
    try:
        least = positive(wanted, "wanted")
    except ValueError:
        raise OptionError("wanted", _("Enter the maximum error as an exact number above 0.")) from None
    parts = _parts(survey, questions, offer, options or {})
    each_delta = Fraction(delta * PICO // len(parts), PICO)
    if offer.uses_delta and not (offer.needs_no_delta or each_delta > 0):
        raise OptionError("delta", _("This mechanism needs a δ. Enter a δ above 0."))

    def enough(micro_epsilon: int) -> bool:
        loss = PrivacyLoss(Fraction(micro_epsilon, MICRO), each_delta if offer.uses_delta else Fraction(0))
        return all(
            offer.error_in(unit, PartTerms(asked, offer, read, loss, n), confidence_level) <= least
            for asked, read, n in parts
        )

    largest = LARGEST_EPSILON * MICRO // len(parts)
    if not enough(largest):
        words = (
            _(
                "Even ε = %(most)s is not enough, because coins and sampling alone cause a larger error. "
                "Allow a larger error."
            )
            if unit in offer.wanted_in
            else _(
                "Even ε = %(most)s can’t guarantee this accuracy for all data. Allow a larger error, "
                "or choose another mechanism."
            )
        )
        raise OptionError("wanted", words % {"most": LARGEST_EPSILON})
    return _rounded(smallest_count(enough, largest) * len(parts), len(parts), enough)


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


def _parts(
    survey: Survey, questions: Sequence[Question], offer: Offer[Any], options: Mapping[str, Any]
) -> list[tuple[AskedQuestion, Mapping[str, Any], int]]:
    """Return each question with its options and how many answered it."""
    definition = definition_of(survey)
    together = asked_of(definition, questions)
    if why := offer.unsuitable_together(together):
        raise OptionError("questions", why)
    look = look_now(survey, definition)
    parts: list[tuple[AskedQuestion, Mapping[str, Any], int]] = []
    for question in offer.parts_of(together, options) if together else ():
        if why := why_suppressed(question, look):
            raise OptionError("questions", why)
        read = offer.read_options(question, options)
        asked = separate_groups(survey, question, read, look)
        n = answer_count(survey, asked)
        if not n >= 1:
            raise OptionError(
                "questions",
                _("No answers to “%(question)s” have been counted yet. Choose another question, or wait for answers.")
                % {"question": asked.text},
            )
        if why := offer.too_few(asked, n):
            raise OptionError("questions", why)
        parts.append((asked, read, n))
    if not parts:
        raise OptionError("questions", _("Choose at least one question."))
    return parts
