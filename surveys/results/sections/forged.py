"""What forged reports could have done to an estimate, in a sentence."""

import math

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from surveys.numbers.words import decimal_outwards, limits_of_100, share_of_100, whole_number
from surveys.results.figures.questions import (
    ItemResult,
    OptionResult,
    QuestionResult,
)
from surveys.results.report import Report
from surveys.results.sections.section import Section
from surveys.results.words import is_claimed, row_name, units_of


def section(_report: Report, result: QuestionResult) -> Section | None:
    """Return how far forged reports could have moved what is shown of a question."""
    words = forged_words(result) if result.enough else []
    return Section(origin=words) if words else None


def forged_words(result: QuestionResult) -> list[str]:
    """Say how far forged reports could have moved what is shown of a question; nothing where nothing is claimed."""
    lines = [words] if (words := _of_the_mean(result.first)) else []
    shown = [(option, item) for item in result.items for option in item.shown if is_claimed(option, item)]
    if len(shown) == 1:
        lines.append(_of_one(*shown[0]))
    elif shown:
        points = decimal_outwards(100 * max(option.forged_shift for option, _item in shown), 1, math.ceil)
        lines.append(
            _if(
                result.first,
                _("no share could have moved by more than %(points)s percentage points") % {"points": points},
            )
        )
    return lines


def _still_limited(option: OptionResult) -> bool:
    """Whether the estimate would be limited to 0, or to 100%, wherever the forged reports had put it."""
    return option.forged_low == option.forged_high


def _of_one(option: OptionResult, item: ItemResult) -> str:
    limits = limits_of_100(option.forged_low, option.forged_high)
    values = {
        "low": limits["low"],
        "high": _("%(share)s of 100") % {"share": limits["high"]},
        "name": row_name(option, item),
        "limit": share_of_100(option.forged_low),
    }
    named = bool(item.item.option or item.item.range)
    then = {
        (False, False): _("the estimate without forgery could be anything from %(low)s to %(high)s"),
        (False, True): _("the estimate for “%(name)s” without forgery could be anything from %(low)s to %(high)s"),
        (True, False): _("the estimate without forgery would still be truncated to %(limit)s"),
        (True, True): _("the estimate for “%(name)s” without forgery would still be truncated to %(limit)s"),
    }[_still_limited(option), named]
    return _if(item, then % values)


def _of_the_mean(item: ItemResult) -> str:
    mean = item.mean
    if mean is None or item.oddities or not mean.claimed:
        return ""
    if mean.among_those_who_say:
        return _(
            "The possible effect of forged reports on the mean of the numbers given is not shown, because this "
            "mean is a ratio."
        )
    units = units_of(mean)
    # A mean is as far up its range as the upper end is frequent.
    low, high = item.forged_mean or (units.at(item.options[1].forged_low), units.at(item.options[1].forged_high))
    if low == high:
        return _if(
            item, _("the mean without forgery would still be truncated to %(limit)s") % {"limit": units.write(low)}
        )
    return _if(item, _("the mean without forgery could be anything from %(low)s to %(high)s") % units.limits(low, high))


def _if(item: ItemResult, then: str) -> str:
    return ngettext(
        "If %(forged)s of %(n)s reports was forged, %(then)s.",
        "If %(forged)s of %(n)s reports were forged, %(then)s.",
        item.forged,
    ) % {
        "forged": whole_number(item.forged),
        "n": whole_number(item.n),
        "then": then,
    }
