"""Choosing a question's probability by the ε that it shall have."""

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from surveys.forms.authoring.dial import dial_of
from surveys.forms.authoring.question import QuestionForm
from surveys.models import designs
from surveys.models.definition import Item
from surveys.models.question import LARGEST_EPSILON
from surveys.privacy.designs import probability_of
from surveys.privacy.rationals import exact

SMALLEST_EPSILON = Fraction(1, 20)
# With it every design that a device carries out is in order, whatever stands in the field.
_SOME_PROBABILITY = "3/4"


def truth_at(typed: Mapping[str, str], wished: str) -> str:
    """Return what to write into the field of the coin so that the question's ε is the wished one, or just below it.

    Of several options the wished ε is that of all together. Raises ValidationError in words for the author where there
    is no such probability.
    """
    design = designs.find(typed.get("design"))
    if design and design.in_the_head:
        raise ValidationError(
            _("Here a fact about people stands for chance: choose another fact with a share that gives this ε.")
        )
    epsilon = _epsilon(wished)
    form = QuestionForm({**typed, "text": "?", "truth": _SOME_PROBABILITY})
    if not form.is_valid() or form.question is None:
        raise ValidationError(_("First finish the question: its answers and its second coin or spinner."))
    asked = dial_of(form.question, class_size=1).question
    return str(_probability(asked.first, epsilon / len(asked.items)))


def _epsilon(wished: str) -> Fraction:
    try:
        epsilon = exact(wished.strip().replace(",", "."), "epsilon")
    except ValueError:
        raise ValidationError(_("Write ε as a number, such as 1 or 0.7.")) from None
    if not epsilon >= SMALLEST_EPSILON:
        raise ValidationError(_("ε must be at least %(least)s.") % {"least": float(SMALLEST_EPSILON)})
    return epsilon


def _probability(item: Item, epsilon: Fraction) -> Fraction:
    if not SMALLEST_EPSILON / 20 <= epsilon <= LARGEST_EPSILON:
        raise ValidationError(
            _("ε of one answer must be at most %(most)s: beyond it a report all but gives the answer away.")
            % {"most": LARGEST_EPSILON}
        )
    family = item.asked_with.matrices
    others: dict[str, Any] = {name: value for name, value in item.design.exact_parameters if name != family.turned_by}
    design = family.at_epsilon(epsilon, item.design.k, **others)
    found = probability_of(design)
    if found is None or not math.isfinite(design.epsilon):
        raise ValidationError(_("This design has no probability that a device can be set to."))
    return found[1]
