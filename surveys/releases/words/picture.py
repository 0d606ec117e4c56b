"""What an ε would do, in a sentence and in bars."""

from dataclasses import dataclass

from django import template
from django.utils.translation import gettext as _

from surveys.numbers.words import at_most_of_100, charge, three_digits
from surveys.releases.families.accuracy import POINTS
from surveys.releases.figures.picture import TermsPicture

register = template.Library()


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


@register.filter
def bars(picture: TermsPicture, mechanism: str) -> list[DrawnError]:
    """Return the three bars of a mechanism; none where its error is not known beforehand."""
    spread = picture.spreads.get(mechanism)
    if spread is None:
        return []
    scale = picture.scale(spread.unit)
    return [
        _bar("reports", _("sampling and randomization"), spread.reports, scale),
        _bar("noise", _("noise of this release"), spread.noise, scale),
        _bar("both", _("together"), spread.both, scale),
    ]


def _bar(kind: str, name: str, size: float, scale: float) -> DrawnError:
    half = round(50 * min(1.0, size / scale), 2)
    return DrawnError(kind, name, f"±{three_digits(size)}", 50 - half, 2 * half)


@register.filter
def reach(picture: TermsPicture, mechanism: str) -> str:
    """Write how far the bars of a mechanism reach to either side; "" where it has none."""
    spread = picture.spreads.get(mechanism)
    return three_digits(picture.scale(spread.unit)) if spread else ""


@register.filter
def unit_of(picture: TermsPicture, mechanism: str) -> str:
    """Write in which unit the bars of a mechanism are; "" for points of 100."""
    spread = picture.spreads.get(mechanism)
    return "" if spread is None or spread.unit == POINTS else str(spread.part.asked.details.get("unit", ""))


@register.filter
def delta_of(picture: TermsPicture, mechanism: str) -> str:
    """Write the δ that a mechanism was drawn with; "" where it needs none."""
    spread = picture.spreads.get(mechanism)
    return charge(spread.part.loss.delta) if spread and spread.part.loss.delta else ""


@register.filter
def guess(picture: TermsPicture) -> str:
    """Say what a guess of 50 in 100 becomes at most."""
    return at_most_of_100(picture.certainty_at_most)
