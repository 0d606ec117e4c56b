"""What the Bayes tab is asked for: an item, an answer, a prior and a share to be exceeded."""

from dataclasses import dataclass
from fractions import Fraction
from urllib.parse import urlencode

from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from surveys.models.asked_question import Item
from surveys.models.definition import Definition
from surveys.numbers.words import readable, shortest_decimal
from surveys.results.beliefs.figures import is_mean, options_of
from surveys.results.forms import chosen_item, number_of

SMALLEST, LARGEST = 0.1, 1000.0
PRIORS = (
    (gettext_lazy("Uniform: every share is as likely"), "1", "1"),
    (gettext_lazy("Jeffreys: little is known"), "0.5", "0.5"),
    (pgettext_lazy("prior", "Sceptical: about 10 of 100, hardly more than 30"), "1", "9"),
)


@dataclass(frozen=True, slots=True)
class BayesOptions:
    """The choices, as numbers and as they were written; `notices` say what was asked for and does not exist."""

    item: Item
    option: int
    prior: tuple[float, float]
    written: tuple[str, str]
    beyond: float  # as a share; of a mean, how far up the range
    beyond_written: str  # of 100, or in the number's units
    notices: tuple[str, ...]

    @property
    def options(self) -> tuple[tuple[int, str], ...]:
        """The answers that can be chosen, by code."""
        return tuple((code, self.item.labels[code]) for code in options_of(self.item))

    @property
    def of_mean(self) -> bool:
        """Whether it is a mean that is believed something of."""
        return is_mean(self.item, self.option)

    @property
    def beyond_range(self) -> tuple[str, str]:
        """The least and the most that `x` can be, as written."""
        low, high = _range(self.item, self.option)
        return readable(low), readable(high)

    def query(self, a: str, b: str) -> str:
        """Return the query string that asks the same of another prior."""
        return urlencode({"item": self.item.key, "option": self.option, "a": a, "b": b, "x": self.beyond_written})


def items_believed(definition: Definition) -> tuple[Item, ...]:
    """Return the items whose answers have shares that somebody may believe something of."""
    return tuple(item for item in definition.protected_items if not item.grid)


def parse_bayes(query: QueryDict, definition: Definition) -> BayesOptions:
    """Read `item`, `option`, `a`, `b` and `x`; what is unknown becomes the default, with a notice that names it.

    A form sends in `of` the item that its `option` and `x` were written for: those of another are not meant.
    """
    notices: list[str] = []
    items = items_believed(definition)
    item = chosen_item(query, "item", items, items[0], notices)
    meant = query.get("of", item.key) == item.key
    option = _option(query.get("option") if meant else None, item, notices)
    a, b = (_parameter(name, query.get(name), notices) for name in ("a", "b"))
    low, high = _range(item, option)
    middle = _rounded((low + high) / 2)
    asked = (query.get("x", "").strip() or middle) if meant else middle
    beyond, beyond_written = _number(asked, float(low), float(high)), asked
    if beyond is None:
        notices.append(
            _("x must be a number from %(low)s to %(high)s, not “%(given)s”. %(middle)s is taken.")
            % {"low": readable(low), "high": readable(high), "given": asked[:40], "middle": middle}
        )
        beyond, beyond_written = float(middle), middle
    share = (beyond - float(low)) / float(high - low)
    return BayesOptions(
        item=item,
        option=option,
        prior=(a[0], b[0]),
        written=(a[1], b[1]),
        beyond=min(1.0, max(0.0, share)),
        beyond_written=beyond_written,
        notices=tuple(notices),
    )


def _rounded(number: Fraction) -> str:
    """Write a number with six decimals at most."""
    return readable(Fraction(round(number, 6)))


def _option(asked: str | None, item: Item, notices: list[str]) -> int:
    codes = options_of(item)
    if asked is None or asked in map(str, codes):
        return codes[0] if asked is None else int(asked)
    notices.append(
        _("Question %(item)s has no answer “%(option)s” with a share of its own. “%(first)s” is shown.")
        % {"item": item.key, "option": asked[:40], "first": item.labels[codes[0]]}
    )
    return codes[0]


def _parameter(name: str, asked: str | None, notices: list[str]) -> tuple[float, str]:
    written = (asked or "").strip() or "1"
    found = _number(written, SMALLEST, LARGEST)
    if found is not None:
        return found, written
    notices.append(
        _("%(name)s of the prior must be a number from %(low)s to %(high)s, not “%(given)s”. 1 is taken.")
        % {
            "name": name,
            "low": shortest_decimal(SMALLEST),
            "high": shortest_decimal(LARGEST),
            "given": written[:40],
        }
    )
    return 1.0, "1"


def _number(written: str, low: float, high: float) -> float | None:
    """Return a number within these limits; None for what is none."""
    number = number_of(written)
    return number if number is not None and low <= number <= high else None


def _range(item: Item, option: int) -> tuple[Fraction, Fraction]:
    """Return the least and the most that can be exceeded: shares are so many of 100."""
    if item.range is not None and is_mean(item, option):
        return item.range.low, item.range.high
    return Fraction(0), Fraction(100)
