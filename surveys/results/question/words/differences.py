"""What ways of asking for the same differ by, and what they say together: on a question's page and on slides."""

from django.utils.translation import gettext as _

from surveys.numbers.words import hundredths, interval_clause, limits_of_100, p_words
from surveys.results.figures.items import MISFIT
from surveys.results.question.figures import ArmComparison, ArmDifference, ArmsTogether


def compared_caption(compared: ArmComparison) -> str:
    """Name what stands beside one another."""
    return _("“%(label)s”, by how it was asked") % {"label": compared.label}


def difference_words(pair: ArmDifference, *, tested: bool = True) -> str:
    """Say how much more one way of asking finds than the other; and `tested`, how surely."""
    low, high = pair.interval.low, pair.interval.high
    more, less = (pair.first, pair.second) if pair.point >= 0 else (pair.second, pair.first)
    limits = limits_of_100(*((low, high) if pair.point >= 0 else (-high, -low)))
    words = (
        _(
            "Asked by question %(more)s, %(points)s more of 100 than by question %(less)s "
            "(between %(low)s and %(high)s); were they the same, chance would set them as far apart with %(p)s."
        )
        if tested
        else _(
            "Asked by question %(more)s, %(points)s more of 100 than by question %(less)s "
            "(between %(low)s and %(high)s)."
        )
    )
    shown = {"points": hundredths(abs(pair.point), 0), "p": p_words(pair.p_value), **limits}
    return words % {"more": more.number, "less": less.number, **shown}


def together_words(together: ArmsTogether) -> str:
    """Say what one share for all ways of asking is, and whether it fits them."""
    fits = (
        _("One share for all of them is %(clause)s, and fits them (%(p)s).")
        if together.fits >= MISFIT
        else _("One share for all of them would be %(clause)s, but does not fit them (%(p)s).")
    )
    return fits % {"clause": interval_clause(together.low, together.high), "p": p_words(together.fits)}
