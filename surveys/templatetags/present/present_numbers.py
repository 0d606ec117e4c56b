"""How a presentation writes numbers: shares as so many of 100, estimates with what they lie between."""

from django.utils.translation import gettext as _

from surveys.common.intervals import interval_cell
from surveys.common.numbers import decimal, percent, tenths_of_100
from surveys.selectors.presenting import Reveal, Row, Step
from surveys.templatetags.results.mean_words import mean_words, units_of
from surveys.templatetags.results.result_words import claimed, interval_words, none_words


def lead(reveal: Reveal) -> tuple[str, str]:
    """Return the estimate as the class is to remember it, and between what it lies; of several answers neither."""
    if reveal.mean:
        mean, units = reveal.mean, units_of(reveal.mean)
        return (units.write(mean.estimate) if mean.claimed else "–"), mean_words(mean, units)
    if len(reveal.rows) > 1:
        return "", ""
    option = reveal.rows[0].option
    estimate = _("%(share)s of 100") % {"share": decimal(100 * option.estimate, 0)}
    return (estimate if option.claimed else "–"), interval_words(option)


def limits_words(row: Row) -> str:
    """Write a row's interval beside the others, or that there is none to trust."""
    if row.item.oddities:
        return _("none to trust")
    return interval_cell(row.option.low, row.option.high) if row.option.claimed else "–"


def why_none(row: Row) -> str:
    """Say why a row has no interval, if it has none."""
    return "" if row.item.oddities or row.option.claimed else none_words(row.option)


def share_words(row: Row, step: Step) -> str:
    """Write a row's number at a step."""
    if step == Step.RECEIVED:
        return tenths_of_100(row.observed)
    if step == Step.CHANCE:
        return tenths_of_100(row.rest)
    if step in {Step.STRETCH, Step.NUMBER}:
        return tenths_of_100(row.stretched)
    return percent(row.option.estimate) if claimed(row.option, row.item) else "–"
