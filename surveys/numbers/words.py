"""Numbers as people read them: in the language in force, with a true minus, and rounded the way they are meant.

Every number of a page, a chart, a formula, a form or a message is written here. Writers differ in how many digits say
enough, and in which way they round what must not promise too much or claim too narrowly.
"""

import math
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from functools import lru_cache
from itertools import count, groupby, pairwise

from django.utils.formats import get_format, number_format
from django.utils.text import get_text_list
from django.utils.translation import get_language, get_language_bidi
from django.utils.translation import gettext as _

_FOUR_DIGITS = Context(prec=4, rounding=ROUND_CEILING)
_FORMULA_DIGITS, _MOST_FORMULA_DECIMALS = 5, 15
_SMALLEST_P = 0.001
_TOO_WIDE = 0.4
_LEFT_TO_RIGHT = "\N{LEFT-TO-RIGHT MARK}"


# Plain numbers


def decimal_mark() -> str:
    """Return what stands before decimals."""
    return str(get_format("DECIMAL_SEPARATOR"))


def decimal(value: float | Fraction, digits: int) -> str:
    """Write a number with so many decimals: −0.25 and 10,000."""
    return _decimal(f"{float(value):.{digits}f}", digits, get_language())


@lru_cache(maxsize=4096)
def _decimal(text: str, digits: int, _language: str | None) -> str:
    # A page writes the same numbers again and again, and finding out how its language writes them takes longest.
    exact = Decimal(text)
    if not exact.is_finite():
        return _signed(text)
    # −0 is 0.
    return _signed(number_format(exact or abs(exact), digits, force_grouping=True))


def counted(number: int, noun: str) -> str:
    """Write a number with its English noun, for commands: 1 survey, 1,200 answers."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def whole_number(number: int) -> str:
    """Write a whole number: 1,234."""
    return _signed(number_format(number, force_grouping=True))


def shortest_decimal(value: float) -> str:
    """Write a number with the decimals that it has, six at most: 1 for 1.0, 0.5 for 0.5."""
    return decimal(value, len(f"{value:.6f}".rstrip("0").partition(".")[2]))


def in_formula(value: float | Fraction) -> str:
    """Write a number with five significant digits: 0.31 for 0.31, 0.0021333 for 0.00213333."""
    if value == 0 or not math.isfinite(value):
        return "0" if value == 0 else "∞"
    decimals = _FORMULA_DIGITS - 1 - math.floor(math.log10(abs(float(value))))
    rounded = f"{float(value):.{min(_MOST_FORMULA_DECIMALS, max(0, decimals))}f}"
    return decimal(float(value), len(rounded.rstrip("0").partition(".")[2]) if "." in rounded else 0)


def without_zero(number: str) -> str:
    """3 for 3.0: a whole number of 100 needs no decimal."""
    return number.removesuffix(f"{decimal_mark()}0")


def without_zeros(number: str) -> str:
    """2.5 for 2.500, 5 for 5.000: without the decimals that say nothing."""
    while number[-1] == "0" and without_zero(number) == number:
        number = number[:-1]
    return without_zero(number)


def _in_language(text: str) -> str:
    return _signed(text).replace(".", decimal_mark())


def _signed(text: str) -> str:
    # From right to left a sign would stand behind its number.
    return text.replace("-", f"{_LEFT_TO_RIGHT}−" if "-" in text and get_language_bidi() else "−")


def from_right_to_left(text: str) -> bool:
    """Whether the first letter of a text with a direction has that one."""
    directions = (unicodedata.bidirectional(letter) for letter in text)
    return next((direction != "L" for direction in directions if direction in {"L", "R", "AL"}), False)


# Exact numbers


def readable(number: Fraction) -> str:
    """Write a number whose decimals end as it is typed in every language: 7.5 for 15/2."""
    if number.denominator == 1:
        return str(number.numerator)
    return f"{number.numerator * (10**6 // number.denominator) / 10**6:.6f}".rstrip("0")


def distinctly(values: Sequence[Fraction]) -> tuple[str, ...]:
    """Write increasing numbers with a decimal more than it takes to tell them apart; one that needs none has none."""
    nearest = min(right - left for left, right in pairwise(values))
    unit = 10 ** min(6, max(0, 1 - math.floor(math.log10(nearest))))
    return tuple(_signed(readable(Fraction(round(value * unit), unit))) for value in values)


def localized(number: Fraction) -> str:
    """Write the same as people write it in the language in force."""
    return _signed(number_format(readable(number), force_grouping=True))


def exact_number(value: Fraction) -> str:
    """Write an exact number whose decimals end, to the last of them; one whose decimals do not end, as a quotient."""
    digits = next((digits for digits in range(19) if (value * 10**digits).denominator == 1), None)
    if digits is None:
        return _signed(str(value))
    size, rest = divmod(abs(value.numerator) * (10**digits // value.denominator), 10**digits)
    text = f"{size}{decimal_mark()}{rest:0{digits}}" if digits else str(size)
    return f"−{text}" if value < 0 else text


def typed_percent(share: Fraction) -> str:
    """Write a share in percent as it is typed: 12.5, or 100/3 where the decimals do not end."""
    number = 100 * share
    return readable(number) if 10**6 % number.denominator == 0 else str(number)


def with_commas(number: int) -> str:
    """Write a whole number as English does, whatever the language: so some refusals name their limits."""
    return f"{number:,}"


# Rounded so that nothing is promised or claimed that does not hold


def round_up(value: float, digits: int) -> float:
    """Round to so many significant digits, upwards: what is promised at most must not be printed as less."""
    if not value > 0:
        return 0.0
    if value == math.inf:
        return value
    return float(Context(prec=digits, rounding=ROUND_CEILING).plus(Decimal(repr(float(value)))))


def round_up_exactly(value: Fraction, digits: int) -> Fraction:
    """Return the smallest number of so many significant digits that is not below an exact one above 0."""
    if not value > 0:
        raise ValueError(f"value must be above 0, got {value}")
    unit = Fraction(10) ** (math.floor(math.log10(value)) - digits + 1)
    # A logarithm that is off by its last bit leads to one digit more or fewer, never below the value.
    return math.ceil(value / unit) * unit


def decimal_outwards(value: float, digits: int, rounding: Callable[[float], int]) -> str:
    """Write a limit with so many decimals, rounded up or down, so that nothing is claimed that it does not hold."""
    scale = 10**digits
    # Rounding before going outwards: 9.000000001 is 9.
    return decimal(rounding(round(value * scale, 6)) / scale, digits)


def at_most(value: float, digits: int = 1) -> str:
    """Write a bound with so many decimals, upwards."""
    if value == math.inf:
        return "∞"
    scale = 10**digits
    return number_format(math.ceil(Fraction(repr(float(value))) * scale) / scale, digits, force_grouping=True)


def upwards(number: Fraction, digits: int) -> str:
    """Write a number with so many decimals, of which a whole number needs none; −2 rounds up to hundreds."""
    scale = Fraction(10) ** digits
    rounded = math.ceil(number * scale) / scale
    return number_format(Decimal(rounded.numerator) / rounded.denominator, force_grouping=True)


def times(factor: Fraction) -> str:
    """3 for 3, 2.33 for 7/3: a factor of odds, rounded up so as not to promise more than is kept."""
    return upwards(factor, 2)


def three_digits(value: float) -> str:
    """Write a bound with three significant digits at most, upwards: 0.0123, 4.57, 1,240."""
    if value == math.inf:
        return "∞"
    rounded = round_up(value, 3)
    if rounded >= 100:
        return whole_number(math.ceil(rounded))
    decimals = 0 if rounded == 0 else max(0, 2 - math.floor(math.log10(rounded)))
    return _in_language(_stripped(f"{rounded:.{decimals}f}"))


def four_digits(value: float | Fraction, *, in_full: bool = False) -> str:
    """Write four significant digits upwards: a small ε is not rounded to nothing, and none to less than it is.

    What is smaller than 10⁻¹² is written as a power of ten, unless a ledger is to show it `in_full`.
    """
    if value == math.inf:
        return "∞"
    if isinstance(value, Fraction):
        rounded = _FOUR_DIGITS.divide(Decimal(value.numerator), Decimal(value.denominator))
    else:
        # The shortest decimal that is this float: 0.1 is 0.1, and not the next above it.
        rounded = _FOUR_DIGITS.plus(Decimal(repr(float(value))))
    if in_full or not rounded or rounded.adjusted() >= -12:
        return _in_language(_stripped(f"{rounded:f}"))
    mantissa, _e, exponent = f"{rounded:e}".partition("e")
    return _in_language(f"{_stripped(mantissa)}e{int(exponent)}")


def _stripped(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text


# Shares


def percent(share: float | Fraction | None, digits: int = 0) -> str:
    """31% for 0.31, −4% for −0.04; None, which stands for a number that does not exist, as a dash."""
    return "–" if share is None else _percent(decimal(100 * share, digits))


def percent_limits(low: float, high: float) -> tuple[str, str]:
    """Write both limits of a share for a table, rounded outwards: 12.3% and 45.7%."""
    return _percent(decimal_outwards(100 * low, 1, math.floor)), _percent(decimal_outwards(100 * high, 1, math.ceil))


def _percent(number: str) -> str:
    return _("%(number)s%%") % {"number": number}


def level_words(level: float) -> str:
    """95% for .95, 99.9% for .999: a confidence level."""
    return percent(level, 0 if round(100 * level, 1).is_integer() else 1)


def chance(probability: float) -> str:
    """Write a probability with a decimal; what is not quite none or all as less or more than that."""
    if 0 < probability < 0.001:
        return _("less than 0.1%")
    return _("more than 99.9%") if 0.999 < probability < 1 else percent(probability, 1)


def rough_chance(probability: float) -> str:
    """Write a probability in whole percent; what is not quite none or all as less or more than that."""
    if 0 < probability < 0.01:
        return _("less than 1%")
    return _("more than 99%") if 0.99 < probability < 1 else percent(probability)


def points(half_width: float) -> str:
    """35 for 0.354, 6.2 for 0.062: percentage points, with a decimal below ten."""
    value = 100 * half_width
    if value >= 100:
        return _("100 or more")
    return decimal(value, 0 if round(value, 1) >= 10 else 1)


def of_100(share: Fraction) -> str:
    """75 for 3/4, 66.7 for 2/3, and 99.99 for 9999/10000: what is possible is never written as 0, nor as 100."""
    hundred = share * 100
    if hundred.denominator == 1:
        return str(hundred)
    digits = 1
    while round(hundred, digits) in {0, 100}:
        digits += 1
    return number_format(Decimal(round(hundred * 10**digits)).scaleb(-digits), digits)


def tenths_of_100(share: float | Fraction | None) -> str:
    """43.3 for .433, 43 for .43: so many of 100; a dash for a share that there is not."""
    return "–" if share is None else without_zero(decimal(100 * float(share), 1))


def share_of_100(share: float | Fraction) -> str:
    """Write a share in a sentence: 43.3 of 100 for .433."""
    return _("%(share)s of 100") % {"share": tenths_of_100(share)}


def roughly_of_100(share: float | Fraction | None) -> str:
    """56 for 0.5625, 2.4 for 0.0243: so many of 100, with a decimal where a whole number would say little."""
    if share is None:
        return "–"
    value = 100 * float(share)
    return decimal(value, 0 if 9.95 <= value <= 90.05 or value in {0, 100} else 1)


def at_most_of_100(share: float | Fraction) -> str:
    """75 for 3/4, 66.7 for 2/3: so many of 100, rounded up so as not to promise more than is kept."""
    return in_tenths(math.ceil(round(1000 * float(share), 6)))


def in_tenths(tenths: int) -> str:
    """2.5 for 25, 3 for 30."""
    return decimal(tenths / 10, 1 if tenths % 10 else 0)


def people_of_100(share: float) -> str:
    """Write a share as people of 100."""
    return str(round(100 * share))


def people_of_100_at_least(share: float) -> str:
    """Write a lower limit as people of 100, downwards, so that rounding never narrows an interval."""
    return str(math.floor(100 * Fraction(repr(float(share)))))


def people_of_100_at_most(share: float) -> str:
    """Write an upper limit as people of 100, upwards."""
    return str(math.ceil(100 * Fraction(repr(float(share)))))


def hundredths(value: float, digits: int) -> str:
    """Write a share, or a difference of two, in hundredths on an axis: −25 for −0.25."""
    return decimal(100 * value, max(0, digits - 2))


# ε and δ


def nats(epsilon: float, *, short: bool = False) -> str:
    """1.10 for ln 3, rounded up so as not to promise more than is kept; ∞ where a report can prove an answer.

    A `short` one, as the linter writes it, has no decimals where it is whole.
    """
    if epsilon == math.inf:
        return "∞"
    rounded = _hundredth_up(epsilon)
    return decimal(float(rounded), 0 if short and rounded == rounded.to_integral_value() else 2)


def epsilon_at_most(epsilon: float | Fraction) -> str:
    """Write a bound of ε with two decimals, upwards: “ε ≤ 2.49” for 2.4849, which no line break may tear apart."""
    if epsilon == math.inf:
        return _together("ε = ∞")
    return _together("ε ≤ ") + number_format(_hundredth_up(epsilon), 2, force_grouping=True)


def charge(value: Fraction | float) -> str:
    """Write an ε or a δ: what a ledger holds without rounding, all else with four digits, upwards."""
    if not value >= 0:
        raise ValueError(f"a loss must be at least 0, got {value!r}")
    # A ledger counts trillionths.
    if isinstance(value, Fraction) and (value * 10**12).denominator == 1:
        return exact_number(value)
    return four_digits(float(value), in_full=True)


def loss_words(epsilon: Fraction | float, delta: Fraction | float) -> str:
    """Write ε, and δ where there is one; no line breaks within either."""
    words = _together(f"ε = {charge(epsilon)}")
    return f"{words}, {_together(f'δ = {charge(delta)}')}" if delta else words


def _hundredth_up(epsilon: float | Fraction) -> Decimal:
    if not epsilon >= 0:
        raise ValueError(f"epsilon must be at least 0, got {epsilon!r}")
    # Quantized: what has more digits than a Decimal is refused.
    return Decimal(math.ceil(Fraction(epsilon) * 100)).scaleb(-2).quantize(Decimal("0.01"))


def _together(words: str) -> str:
    return words.replace(" ", "\N{NO-BREAK SPACE}")


# p-values


def p_value(p: float | None) -> str:
    """0.031, or < 0.001, for a table; a dash where there is none."""
    if p is None:
        return "–"
    return _("< %(number)s") % {"number": decimal(_SMALLEST_P, 3)} if p < _SMALLEST_P else decimal(p, 3)


def p_words(p: float) -> str:
    """Write a p-value in a sentence: p = 0.031, or p < 0.001."""
    if p < _SMALLEST_P:
        return p_below(_SMALLEST_P, 3)
    return _("p = %(number)s") % {"number": decimal(p, 3)}


def p_below(limit: float, digits: int) -> str:
    """Write in a sentence that a p-value is below a limit: p < 0.01."""
    return _("p < %(number)s") % {"number": decimal(limit, digits)}


def p_value_or_below(p: float) -> str:
    """0.037, and below 0.001 not more than that."""
    return _("below %(least)s") % {"least": decimal(_SMALLEST_P, 3)} if p < _SMALLEST_P else decimal(p, 3)


# Spans of whole numbers


def span(first: int, last: int) -> str:
    """Write the whole numbers from one to another: 7, 7 or 8, 1 to 1,000."""
    if first == last:
        return whole_number(first)
    words = _("%(first)s or %(last)s") if last == first + 1 else _("%(first)s to %(last)s")
    return words % {"first": whole_number(first), "last": whole_number(last)}


def spans(numbers: Sequence[int]) -> str:
    """1 to 3, 5 and 6: three or more in a row are a span."""
    counter = count()
    parts: list[str] = []
    for _place, run in groupby(numbers, key=lambda number: number - next(counter)):
        row = list(run)
        if len(row) > 2:
            parts.append(_("%(first)s to %(last)s") % {"first": whole_number(row[0]), "last": whole_number(row[-1])})
        else:
            parts.extend(map(whole_number, row))
    return str(get_text_list(parts, _("and")))


# Numbers with a unit


def with_unit(number: str, unit: str) -> str:
    """Write a number with its unit, where it has one."""
    if number.startswith(("-", _LEFT_TO_RIGHT)) and get_language_bidi():
        # Isolated, so that the unit's letters decide where it stands, and the sign stays before its number.
        number = f"\u2066{number.lstrip(_LEFT_TO_RIGHT)}\u2069"
    return f"{number} {unit}" if unit else number


@dataclass(frozen=True, slots=True)
class Units:
    """The range of what is measured and the name of its unit: how it is written follows from both."""

    low: Fraction
    high: Fraction
    unit: str

    @property
    def length(self) -> float:
        """How far apart the ends are."""
        return float(self.high - self.low)

    def at(self, part: float) -> float:
        """Return the number at this fraction of the range."""
        return float(self.low) + part * self.length

    @property
    def digits(self) -> int:
        """How many decimals tell a two-hundredth of the range apart."""
        return max(0, min(9, -math.floor(math.log10(self.length / 200))))

    def write(self, value: float | None) -> str:
        """4.31 hours; a dash for a number there is not."""
        return "–" if value is None else with_unit(decimal(value, self.digits), self.unit)

    def write_grouped(self, value: float | None, rounding: str = ROUND_HALF_EVEN) -> str:
        """Write the same with its thousands marked, and of a float what its shortest decimal says."""
        if value is None:
            return "–"
        # Nine decimals first: 8.9999999999 is 9 whichever way it is rounded.
        fine = Decimal(repr(value)).quantize(Decimal(1).scaleb(-self.digits - 9))
        exact = fine.quantize(Decimal(1).scaleb(-self.digits), rounding)
        return with_unit(_signed(number_format(exact or abs(exact), self.digits, force_grouping=True)), self.unit)

    def write_part(self, part: float) -> str:
        """Write a part of the range with about two digits: 4.3 hours."""
        value = self.length * part
        digits = max(0, 1 - math.floor(math.log10(value)))
        written = decimal(value, digits)
        return with_unit(written.rstrip("0").rstrip(decimal_mark()) if digits else written, self.unit)

    def limits(self, low: float, high: float) -> dict[str, str]:
        """Return limits rounded outwards, the upper one with the unit."""
        return {
            "low": decimal_outwards(low, self.digits, math.floor),
            "high": with_unit(decimal_outwards(high, self.digits, math.ceil), self.unit),
        }

    def write_limits(self, low: float, high: float) -> tuple[str, str]:
        """Write both limits for a table, rounded outwards, each with the unit."""
        limits = self.limits(low, high)
        return with_unit(limits["low"], self.unit), limits["high"]

    @property
    def marks(self) -> list[tuple[float, str]]:
        """Where an axis over the range is marked: at both ends and in the middle."""
        # The middle has one decimal more than the ends at most, and six are shown.
        middle = Fraction(round((self.low + self.high) / 2, 6))
        return [(float(number), localized(number)) for number in (self.low, middle, self.high)]

    @property
    def ends(self) -> dict[str, str]:
        """The range in words."""
        return {"low": localized(self.low), "high": with_unit(localized(self.high), self.unit)}


# The sentence of an interval: between which limits a share of 100 people, or a number in its units, is.


NARROW = 0.05
"""Intervals of shares narrower than five points need a decimal to say anything."""


def limits_of_100(low: float, high: float) -> dict[str, str]:
    """Return limits of so many of 100, rounded outwards: nothing is claimed that the interval does not hold."""
    digits = 1 if high - low < NARROW else 0
    return {
        "low": without_zero(decimal_outwards(100 * low, digits, math.floor)),
        "high": without_zero(decimal_outwards(100 * high, digits, math.ceil)),
    }


def says_too_little(low: float, high: float, possible: float = 1.0) -> bool:
    """Whether an interval is so wide a part of all that is possible that it is shown in place of an estimate."""
    return high - low >= _TOO_WIDE * possible


def interval_sentence(low: float, high: float, units: Units | None = None) -> str:
    """Say it as a sentence of its own: Between 9 and 53 of 100 people; of a number, in its units."""
    if units:
        return _("Between %(low)s and %(high)s") % units.limits(low, high)
    return _("Between %(low)s and %(high)s of 100 people") % limits_of_100(low, high)


def interval_clause(low: float, high: float) -> str:
    """Say it within a sentence: between 9 and 53 of 100."""
    return _("between %(low)s and %(high)s of 100") % limits_of_100(low, high)


def between_limits(low: str, high: str) -> str:
    """Say between which limits, as they are written, a number is that is neither a share nor in units."""
    return _("between %(low)s and %(high)s") % {"low": low, "high": high}


def share_with_limits(share: float, low: float, high: float) -> str:
    """Say a share with its limits: 27 of 100 (between 17 and 37)."""
    return _("%(value)s of 100 (between %(low)s and %(high)s)") % {
        "value": estimate_of_100(share, low, high),
        **limits_of_100(low, high),
    }


def estimate_of_100(share: float, low: float, high: float) -> str:
    """Write an estimate as its limits are written: 27, and 33.2 where the interval is narrow."""
    return without_zero(decimal(100 * share, 1 if high - low < NARROW else 0))


def sure_sentence(level: float, low: float, high: float, units: Units | None = None) -> str:
    """Say it with its confidence, below the estimate: 95% confidence interval: 17 to 37; of a number, in its units."""
    limits = units.limits(low, high) if units else limits_of_100(low, high)
    return _("%(level)s confidence interval: %(low)s to %(high)s") % {"level": level_words(level), **limits}


def sure_words(level: float) -> str:
    """Name an interval that stands above: 95% confidence interval."""
    return _("%(level)s confidence interval") % {"level": level_words(level)}


def interval_cell(low: float, high: float, units: Units | None = None) -> str:
    """Say it in a cell: 9 to 53; of a number, in its units."""
    return limits_cell(**(units.limits(low, high) if units else limits_of_100(low, high)))


def limits_cell(low: str, high: str) -> str:
    """Say it of limits as they are written: 9 to 53."""
    return _("%(low)s to %(high)s") % {"low": low, "high": high}


def estimate_cell(share: float, low: float, high: float) -> str:
    """Say a share with its limits in a cell: 31 (12 to 55)."""
    values = {"share": estimate_of_100(share, low, high), **limits_of_100(low, high)}
    return _("%(share)s (%(low)s to %(high)s)") % values


def estimate_sentence(
    name: str, estimate: str, low: float, high: float, *, units: Units | None = None, observed: str = ""
) -> str:
    """Say an estimate with its interval, or the interval alone where it says too little; and what was reported."""
    figures = {"name": name, "estimate": estimate} | (units.limits(low, high) if units else limits_of_100(low, high))
    if says_too_little(low, high, units.length if units else 1.0):
        sentence = (
            _("%(name)s: between %(low)s and %(high)s") if units else _("%(name)s: between %(low)s and %(high)s of 100")
        )
    elif units:
        sentence = _("%(name)s: estimate %(estimate)s, between %(low)s and %(high)s")
    else:
        sentence = _("%(name)s: estimate %(estimate)s, between %(low)s and %(high)s of 100")
    said = sentence % figures
    return (
        _("%(says)s; reported %(observed)s (randomized)") % {"says": said, "observed": observed} if observed else said
    )
