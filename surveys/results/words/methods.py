"""Which interval is shown where the one asked for does not exist and why, and how rarely it may hold."""

import math

from django.utils.translation import gettext as _

from surveys.models.asked_question import Item
from surveys.numbers.words import (
    decimal_outwards,
    percent,
    whole_number,
    without_zero,
)
from surveys.results.figures.intervals import FigureOptions, method_label, rarely_holds
from surveys.results.figures.items import ItemResult


def method_words(item: ItemResult, wanted: FigureOptions) -> list[str]:
    """Return a sentence for each figure of an item whose interval is by another method than was asked for."""
    found = []
    if not item.item.grid:
        found.append((item.method, _("The design has no interval by “%(method)s”: it is by “%(used)s”.")))
    if item.mean:
        found.append((item.mean.method, _mean(among_those_who_say=item.mean.among_those_who_say)))
    if item.scale:
        found.append((item.scale.mean.method, _mean(among_those_who_say=item.scale.among_those_who_say)))
        found += [
            (top.share.method, _top(among_those_who_say=item.scale.among_those_who_say)) for top in item.scale.tops
        ]
    if item.bands:
        found.append((item.bands.mean.method, _mean(among_those_who_say=item.bands.among_those_who_say)))
        found.append((item.bands.quantile_method, _quantiles(among_those_who_say=item.bands.among_those_who_say)))
    told = {
        words % {"method": method_label(wanted.method), "used": method_label(used)}: None
        for used, words in found
        if used != wanted.method
    }
    return list(told)


def coverage_words(item: Item, n: int, method: str, level: float) -> str:
    """Say how rarely an interval from n answers may hold; nothing where that is about as often as it says."""
    found = None if item.grid else rarely_holds(item.design, n, method, level)
    if found is None:
        return ""
    least, share = found
    words = (
        _(
            "With %(n)s answers an interval by this method holds the true mean in as few as %(least)s of 100 surveys, "
            "not %(level)s. Clopper–Pearson’s never holds less often than it says."
        )
        if item.range and item.design.k == 2
        else _(
            "With %(n)s answers an interval by this method holds the true share in as few as %(least)s of 100 surveys, "
            "not %(level)s, if that share is about %(share)s. Clopper–Pearson’s never holds less often than it says."
        )
    )
    return words % {
        "n": whole_number(n),
        "least": without_zero(decimal_outwards(100 * least, 1, math.floor)),
        "level": without_zero(decimal_outwards(100 * level, 1, math.floor)),
        "share": percent(share, 1),
    }


def simultaneous_words(shares: int, wanted: FigureOptions) -> str:
    """Say that the intervals of several shares hold together; nothing where they are wanted one by one."""
    if not wanted.simultaneous or shares < 2:
        return ""
    return _("The intervals of these %(shares)s shares hold all at once (Bonferroni).") % {"shares": shares}


def _mean(*, among_those_who_say: bool) -> str:
    if among_those_who_say:
        return _(
            "The mean has no interval by “%(method)s”, since who says anything is itself estimated: "
            "it is by “%(used)s”."
        )
    return _("The mean has no interval by “%(method)s”, which is for single shares: it is by “%(used)s”.")


def _top(*, among_those_who_say: bool) -> str:
    if among_those_who_say:
        return _(
            "The shares at the top have no interval by “%(method)s”, since who says anything is itself estimated: "
            "they are by “%(used)s”."
        )
    return _("The shares at the top have no interval by “%(method)s” here: they are by “%(used)s”.")


def _quantiles(*, among_those_who_say: bool) -> str:
    if among_those_who_say:
        return _(
            "The quartiles have no interval by “%(method)s”, since who says anything is itself estimated: "
            "they are by “%(used)s”."
        )
    return _("The quartiles have no interval by “%(method)s” here: they are by “%(used)s”.")
