"""How results and plans are written: percentages with a true minus, points, sentences of so many of 100."""

import math
from fractions import Fraction

from django import template

from surveys.models.survey import DesignName
from surveys.privacy.designs import Design
from surveys.selectors.results import ItemResult, Oddity, OptionResult

register = template.Library()

_NARROW = 0.05  # intervals narrower than five points need a decimal to say anything


@register.filter
def percent(share: float | None, digits: int = 0) -> str:
    """31% for 0.31, −4% for −0.04; None, which stands for a number that does not exist, as a dash."""
    if share is None:
        return "–"
    written = f"{100 * share:.{digits}f}"
    # −0 is 0.
    written = written.lstrip("-") if not float(written) else written
    return written.replace("-", "−") + "%"


@register.filter
def procedure(design: Design) -> str:
    """Describe what a phone does under this design, in one sentence with the exact probabilities."""
    exact = dict(design.exact_parameters)
    if design.name == DesignName.WARNER:
        return f"With probability {exact['p']} the phone answers what is asked, else the opposite of it."
    truthful = f"With probability {exact['truth']} the phone sends the truth"
    if design.name == DesignName.FORCED_RESPONSE:
        return f"{truthful}; else a second coin answers for it: Yes with probability {exact['yes']}."
    weights = exact.get("weights")
    spinner = (
        f"a spinner with the shares {', '.join(map(str, weights))}" if isinstance(weights, tuple) else "an even spinner"
    )
    return f"{truthful}; else the answer at which {spinner} stops."


@register.filter
def points(half_width: float) -> str:
    """35 for 0.354, 6.2 for 0.062: percentage points, with a decimal below ten."""
    value = 100 * half_width
    if value >= 100:
        return "100 or more"
    return f"{value:.0f}" if round(value, 1) >= 10 else f"{value:.1f}"


@register.filter
def nats(epsilon: float) -> str:
    """1.10 for ln 3."""
    return f"{epsilon:.2f}"


@register.filter
def times(factor: Fraction) -> str:
    """3 for 3, 2.33 for 7/3: a factor of odds, rounded up so as not to promise more than is kept."""
    hundredths = math.ceil(factor * 100)
    return f"{hundredths // 100:,}" if hundredths % 100 == 0 else f"{hundredths / 100:,.2f}".rstrip("0")


@register.filter
def strength(epsilon: float) -> str:
    """How much protection an ε is, in a word."""
    if epsilon <= 0.5:
        return "very strong"
    if epsilon <= 1.2:
        return "strong"
    if epsilon <= 2.5:
        return "moderate"
    return "weak"


@register.filter
def of_100(result: OptionResult) -> str:
    """Between 9 and 53 of 100, rounded outwards so that nothing is claimed that the interval does not hold.

    Where no share fits the reports, 0 or 1 would be claimed for sure: what chance alone gives is said instead.
    """
    if result.outside:
        nobody, fewer = ("nobody", "fewer") if result.moment < 0 else ("everybody", "more")
        given = f"{percent(result.observed)} of the reports, {fewer} than the {percent(result.edge)} that chance gives"
        return f"no interval: {given} if it is true of {nobody}"
    scale = 10 if result.high - result.low < _NARROW else 1
    # Rounding before going outwards: 9.000000001 is 9.
    low = math.floor(round(result.low * 100 * scale, 6)) / scale
    high = math.ceil(round(result.high * 100 * scale, 6)) / scale
    return f"between {low:g} and {high:g} of 100"


@register.filter
def limited_to(result: OptionResult) -> str:
    """Describe the raw value beside the limited one: −4% before limiting to 0; nothing where they agree."""
    if not result.limited:
        return ""
    limit = {0.0: " to 0", 1.0: " to 100%"}.get(result.estimate, "")
    return f"{percent(result.moment, 1)} before limiting{limit}"


@register.filter
def design_words(name: str) -> str:
    """Return a design's stored name as people read it."""
    return DesignName(name).label


@register.simple_tag
def oddity(found: Oddity, result: ItemResult) -> str:
    """Say what respondents who follow the procedure cannot have sent."""
    bound = "or more" if found.too_few else "or less"
    return (
        f"{found.count:,} of {result.n:,} reports say “{found.label}”, "
        f"but whatever the truth is, chance should make it about {percent(found.edge)} {bound} of them."
    )


@register.filter
def claimed(result: OptionResult, item: ItemResult) -> bool:
    """Whether an estimate and an interval can be shown: not where the procedure was not followed or no share fits."""
    return not item.oddities and not result.outside


@register.simple_tag
def option_says(result: OptionResult, item: ItemResult) -> str:
    """Describe a row of a chart in words."""
    estimate = f"estimate {percent(result.estimate)}, " if claimed(result, item) else ""
    interval = "no estimate to trust" if item.oddities else of_100(result)
    return f"{result.label}: {estimate}{interval}; with chance added {percent(result.observed)}"
