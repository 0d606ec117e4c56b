"""How far reports change odds, all of them together, and their ε."""

from collections.abc import Sequence
from fractions import Fraction
from math import ceil, inf, prod

from django import template
from django.utils.translation import gettext as _

from surveys.drafts.selectors import OtherVersions
from surveys.models.definition import Definition
from surveys.models.kinds import Loss
from surveys.numbers.words import epsilon_at_most, upwards
from surveys.privacy.designs import total_epsilon

register = template.Library()
register.filter("epsilon_at_most", epsilon_at_most)

# Beyond it a factor says no more to anybody than that it is huge.
_LARGEST_FACTOR = 1_000_000
# Reports that change odds more than this, 1 to 20, are evidence that people act on.
_STRONG_EVIDENCE = 20


@register.filter
def odds_factor(losses: Sequence[Loss]) -> str:
    """Return e to the total ε as people say it, upwards, from the exact odds; "" where it is infinite or huge."""
    factor = exact_factor(losses)
    if factor > _LARGEST_FACTOR:
        return ""
    # Three digits say enough: 2.4, 27, and 59,100 for 59,049.
    return upwards(Fraction(factor), 1 if factor < 10 else min(0, 3 - len(str(ceil(factor)))))


@register.filter
def odds_bound(losses: Sequence[Loss]) -> str:
    """Say in a few words by how much all of these together change odds."""
    told = {"factor": odds_factor(losses), "epsilon": epsilon_of(losses)}
    if not told["factor"]:
        return told["epsilon"]
    return _("at most %(factor)s‑fold (%(epsilon)s)") % told


@register.filter
def twice(losses: Sequence[Loss]) -> tuple[Loss, ...]:
    """Return the losses of somebody who answers twice: each report has a chance of its own."""
    return (*losses, *losses)


@register.filter
def with_second_answer(losses: Sequence[Loss], definition: Definition) -> tuple[Loss, ...]:
    """Return the losses of somebody who answers twice, the second time in the arm that costs most."""
    dearest = max(definition.whole.each_arm, key=lambda met: met.bounded_epsilon)
    return (*losses, *bounded_losses(dearest))


@register.filter
def with_others(losses: Sequence[Loss], others: OtherVersions) -> tuple[Loss, ...]:
    """Return the losses of somebody who answers the other versions as well."""
    return (*losses, *others.losses)


@register.filter
def bounded_losses(definition: Definition) -> tuple[Loss, ...]:
    """Return what changes odds by no more than the sum of its ε."""
    return tuple(loss for loss in definition.losses if loss.epsilon < inf)


def exact_factor(losses: Sequence[Loss]) -> Fraction | float:
    """Return how far reports change odds together: the product of what each does."""
    factors = [loss.odds for loss in losses]
    return inf if inf in factors else prod((Fraction(each) for each in factors), start=Fraction(1))


@register.filter
def strong_evidence(losses: Sequence[Loss]) -> bool:
    """Whether the reports together prove nothing, but come close to it."""
    return _STRONG_EVIDENCE < exact_factor(losses) < inf


@register.filter
def any_in_the_head(losses: Sequence[Loss]) -> bool:
    """Whether a fact stands for chance in one of them, so that their ε is nothing to people who know the fact."""
    return any(loss.in_the_head for loss in losses)


@register.filter
def reports_in(losses: Sequence[Loss]) -> int:
    """Return how many reports give these away."""
    return sum(loss.reports for loss in losses)


@register.filter
def epsilon_of(losses: Sequence[Loss]) -> str:
    """Write the sum of their ε, upwards."""
    return epsilon_at_most(total_epsilon(loss.epsilon for loss in losses))


@register.filter
def is_finite(epsilon: float) -> bool:
    """Whether no report proves anything."""
    return epsilon < inf
