"""How results and plans are written: percentages with a true minus, points, sentences of so many of 100."""

import math
from collections.abc import Callable, Sequence
from decimal import ROUND_CEILING, Decimal
from fractions import Fraction

from django import template
from django.utils.formats import get_format, number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from surveys.models.definition import AskedQuestion
from surveys.models.kinds import DesignName, readable, with_unit
from surveys.selectors.mean_results import MeanResult
from surveys.selectors.results import ItemResult, Oddity, OptionResult, Part, QuestionResult, method_label

register = template.Library()

_NARROW = 0.05  # intervals narrower than five points need a decimal to say anything


@register.filter
def percent(share: float | None, digits: int = 0) -> str:
    """31% for 0.31, −4% for −0.04; None, which stands for a number that does not exist, as a dash."""
    return "–" if share is None else _("%(number)s%%") % {"number": decimal(100 * share, digits)}


def decimal(value: float, digits: int) -> str:
    """Write a number with so many decimals and a true minus, as people write it in the language in force."""
    written = f"{value:.{digits}f}"
    # −0 is 0.
    written = written.lstrip("-") if not float(written) else written
    return written.replace("-", "−").replace(".", str(get_format("DECIMAL_SEPARATOR")))


@register.filter
def points(half_width: float) -> str:
    """35 for 0.354, 6.2 for 0.062: percentage points, with a decimal below ten."""
    value = 100 * half_width
    if value >= 100:
        return _("100 or more")
    return decimal(value, 0 if round(value, 1) >= 10 else 1)


@register.filter
def nats(epsilon: float) -> str:
    """1.10 for ln 3, rounded up so as not to promise more than is kept; ∞ where a report can prove an answer."""
    if epsilon == math.inf:
        return "∞"
    return decimal(float(Decimal(epsilon).quantize(Decimal("0.01"), ROUND_CEILING)), 2)


@register.filter
def times(factor: Fraction) -> str:
    """3 for 3, 2.33 for 7/3: a factor of odds, rounded up so as not to promise more than is kept."""
    hundredths = math.ceil(factor * 100)
    if hundredths % 100 == 0:
        return number_format(hundredths // 100, force_grouping=True)
    digits = 1 if hundredths % 10 == 0 else 2
    return number_format(hundredths / 100, digits, force_grouping=True)


@register.filter
def epsilon_words(question: AskedQuestion) -> str:
    """Say what answering a question costs: of several options each one and all together."""
    if question.epsilon == math.inf:
        return _("ε is infinite: a report can prove the answer")
    if len(question.items) > 1:
        return _("ε = %(each)s for each option, %(all)s in all") % {
            "each": nats(question.first.design.epsilon),
            "all": nats(question.epsilon),
        }
    return _("ε = %(epsilon)s") % {"epsilon": nats(question.epsilon)}


@register.simple_tag
def parts(found: Sequence[Part], minimum: int) -> str:
    """List parts of the responses with their numbers, where those may be told."""
    return ", ".join(
        _("%(name)s (%(n)s)") % {"name": part.name, "n": part.n}
        if part.n is not None
        else _("%(name)s (fewer than %(minimum)s)") % {"name": part.name, "minimum": minimum}
        for part in found
    )


@register.filter
def design_words(name: str) -> str:
    """Return a design's stored name as people read it."""
    return str(DesignName(name).label)


@register.filter
def answered(result: QuestionResult) -> str:
    """Say how many answered a question and how many left it out."""
    if not result.missing:
        return _("n = %(n)s") % {"n": result.n}
    return ngettext("n = %(n)s, %(missing)s left it out", "n = %(n)s, %(missing)s left it out", result.missing) % {
        "n": result.n,
        "missing": result.missing,
    }


def of_100(result: OptionResult) -> dict[str, str]:
    """Return limits of so many of 100, rounded outwards: nothing is claimed that the interval does not hold."""
    digits = 1 if result.high - result.low < _NARROW else 0
    return {
        "low": _without_zero(_outwards(100 * result.low, digits, math.floor)),
        "high": _without_zero(_outwards(100 * result.high, digits, math.ceil)),
    }


@register.filter
def interval_words(result: OptionResult) -> str:
    """Say what the interval says of 100 people, or why there is none."""
    return outside_words(result) if result.outside else _("Between %(low)s and %(high)s of 100 people") % of_100(result)


def outside_words(result: OptionResult) -> str:
    """Say what chance alone gives where no share fits the reports: 0 or 1 would be claimed for sure."""
    nobody, fewer = result.moment < 0, result.observed < result.edge
    words = {
        (True, True): _(
            "No interval: %(observed)s of the reports say “%(report)s”, "
            "fewer than the %(edge)s that chance gives if nobody’s true answer is “%(label)s”"
        ),
        (True, False): _(
            "No interval: %(observed)s of the reports say “%(report)s”, "
            "more than the %(edge)s that chance gives if nobody’s true answer is “%(label)s”"
        ),
        (False, True): _(
            "No interval: %(observed)s of the reports say “%(report)s”, "
            "fewer than the %(edge)s that chance gives if everybody’s true answer is “%(label)s”"
        ),
        (False, False): _(
            "No interval: %(observed)s of the reports say “%(report)s”, "
            "more than the %(edge)s that chance gives if everybody’s true answer is “%(label)s”"
        ),
    }[nobody, fewer]
    return words % {
        "observed": percent(result.observed),
        "report": result.report,
        "edge": percent(result.edge),
        "label": result.label,
    }


@register.filter
def limited_to(result: OptionResult) -> str:
    """Describe the raw value beside the limited one: −4% before limiting to 0; nothing where they agree."""
    if not result.limited:
        return ""
    words = {0.0: _("%(raw)s before limiting to 0"), 1.0: _("%(raw)s before limiting to 100%%")}
    return words.get(result.estimate, _("%(raw)s before limiting")) % {"raw": percent(result.moment, 1)}


@register.simple_tag
def oddity(found: Oddity, result: ItemResult) -> str:
    """Say what respondents who follow the procedure cannot have sent."""
    words = {
        (True, True): _(
            "%(count)s of %(n)s reports say “%(label)s”, but whatever the truth is, "
            "the innocuous question should make it about %(edge)s or more of them."
        ),
        (True, False): _(
            "%(count)s of %(n)s reports say “%(label)s”, but whatever the truth is, "
            "the innocuous question should make it about %(edge)s or less of them."
        ),
        (False, True): _(
            "%(count)s of %(n)s reports say “%(label)s”, but whatever the truth is, "
            "chance should make it about %(edge)s or more of them."
        ),
        (False, False): _(
            "%(count)s of %(n)s reports say “%(label)s”, but whatever the truth is, "
            "chance should make it about %(edge)s or less of them."
        ),
    }[result.item.in_the_head, found.too_few]
    return words % {
        "count": number_format(found.count, force_grouping=True),
        "n": number_format(result.n, force_grouping=True),
        "label": found.label,
        "edge": percent(found.edge),
    }


@register.filter
def claimed(result: OptionResult, item: ItemResult) -> bool:
    """Whether an estimate and an interval can be shown: not where the procedure was not followed or no share fits."""
    return not item.oddities and not result.outside


@register.simple_tag
def row_name(result: OptionResult, item: ItemResult) -> str:
    """Name a row of a chart: of several options, by the option that it is about."""
    option = item.item.option
    if not option:
        return result.label
    # Of an option's answers, Yes is what it is about.
    return option if result.label == item.item.labels[1] else f"{option} – {result.label}"


@register.simple_tag
def option_says(result: OptionResult, item: ItemResult) -> str:
    """Describe a row of a chart in words."""
    told = {
        "name": row_name(result, item),
        "estimate": percent(result.estimate),
        "observed": percent(result.observed),
        **of_100(result),
    }
    if item.oddities:
        return _("%(name)s: no estimate to trust; with chance added %(observed)s") % told
    if result.outside:
        return _("%(name)s: %(why)s") % {**told, "why": outside_words(result)}
    if item.reports_are_answers:
        return (
            _("%(name)s: estimate %(estimate)s, between %(low)s and %(high)s of 100; with chance added %(observed)s")
            % told
        )
    return _("%(name)s: estimate %(estimate)s, between %(low)s and %(high)s of 100") % told


# Means


@register.filter
def in_units(value: float | None, mean: MeanResult) -> str:
    """4.31 hours: as many decimals as the range of the numbers makes sense of; a dash for a number there is not."""
    return "–" if value is None else with_unit(decimal(value, _digits(mean)), mean.range.unit)


@register.filter
def mean_words(mean: MeanResult) -> str:
    """Say what the interval for a mean says, or why there is none."""
    if mean.estimate is None:
        return _("No estimate: the reports can all come from people who prefer not to say.")
    if mean.outside and mean.method == "wald":
        # Of few equal reports its width is 0: it can miss the range though they fit.
        words = _("No interval: Wald’s lies outside what is possible, %(low)s to %(high)s. Choose Wilson’s instead.")
        return words % _range_words(mean)
    if mean.outside:
        return _("No interval: no mean from %(low)s to %(high)s fits the reports.") % _range_words(mean)
    return _("Between %(low)s and %(high)s") % _limits(mean)


@register.filter
def mean_limited(mean: MeanResult) -> str:
    """Describe the mean before it was limited to the range, where that changed it."""
    return _("%(raw)s before limiting") % {"raw": in_units(mean.moment, mean)} if mean.limited else ""


@register.simple_tag
def mean_says(mean: MeanResult, item: ItemResult) -> str:
    """Describe the row of a mean in words."""
    if item.oddities:
        return _("Mean: no estimate to trust")
    if not mean.claimed:
        return mean_words(mean)
    return _("Mean: estimate %(estimate)s, between %(low)s and %(high)s") % {
        "estimate": in_units(mean.estimate, mean),
        **_limits(mean),
    }


@register.filter
def mean_claimed(item: ItemResult) -> bool:
    """Whether a mean can be shown with its interval."""
    return bool(item.mean and item.mean.claimed and not item.oddities)


@register.simple_tag
def method_of(mean: MeanResult) -> str:
    """Return how the interval for a mean was found, as people call it."""
    return method_label(mean.method)


@register.filter
def ends(mean: MeanResult) -> list[tuple[int, str]]:
    """Return where an axis from the lowest to the highest number is marked, in percent, and with what."""
    low, high = mean.range.low, mean.range.high
    # Half of it has one decimal more at most, and six are shown.
    middle = Fraction(round((low + high) / 2, 6))
    separator = str(get_format("DECIMAL_SEPARATOR"))
    marks = [(0, low), (50, middle), (100, high)]
    return [(at, readable(number).replace("-", "−").replace(".", separator)) for at, number in marks]


def _limits(mean: MeanResult) -> dict[str, str]:
    digits = _digits(mean)
    return {
        "low": _outwards(mean.low, digits, math.floor),
        "high": with_unit(_outwards(mean.high, digits, math.ceil), mean.range.unit),
    }


def _range_words(mean: MeanResult) -> dict[str, str]:
    return {"low": readable(mean.range.low), "high": with_unit(readable(mean.range.high), mean.range.unit)}


def _digits(mean: MeanResult) -> int:
    """Return how many decimals tell a two-hundredth of the range apart."""
    return max(0, min(9, -math.floor(math.log10(float(mean.range.high - mean.range.low) / 200))))


def _outwards(value: float, digits: int, rounding: Callable[[float], int]) -> str:
    scale = 10**digits
    # Rounding before going outwards: 9.000000001 is 9.
    return decimal(rounding(round(value * scale, 6)) / scale, digits)


def _without_zero(number: str) -> str:
    """3 for 3.0: a whole number of 100 needs no decimal."""
    return number.removesuffix(f"{get_format('DECIMAL_SEPARATOR')}0")
