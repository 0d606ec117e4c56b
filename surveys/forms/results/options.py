"""How results are to be computed, from the query string."""

from dataclasses import dataclass
from urllib.parse import urlencode

from django.http import QueryDict
from django.utils.translation import gettext as _

from surveys.forms.results.numbers import whole_number_of
from surveys.selectors.results.intervals import LEVELS, METHODS, Wanted, method_label

_LEVELS = {f"{level:.3f}".removesuffix("0")[1:]: level for level in LEVELS}
_LONGEST = 40  # of what was asked for and does not exist, so much is repeated


@dataclass(frozen=True, slots=True)
class ResultsOptions:
    """Interval method and confidence level; `notices` say in words what was asked for and does not exist."""

    method: str
    level: str
    notices: tuple[str, ...]
    simultaneous: bool = False
    forged: int | None = None

    @property
    def confidence_level(self) -> float:
        """The level as a number."""
        return _LEVELS[self.level]

    @property
    def wanted(self) -> Wanted:
        """All options as the figures are computed by them."""
        return Wanted(self.method, self.confidence_level, self.simultaneous, self.forged)

    @property
    def query(self) -> str:
        """The options as the query string of an address."""
        told = {"method": self.method, "level": self.level}
        if self.simultaneous:
            told["simultaneous"] = "1"
        if self.forged is not None:
            told["forged"] = str(self.forged)
        return urlencode(told)

    @property
    def method_label(self) -> str:
        """The method as people call it."""
        return method_label(self.method)

    @property
    def methods(self) -> list[tuple[str, str]]:
        """What can be chosen."""
        return [(method, method_label(method)) for method in METHODS]

    @property
    def levels(self) -> list[tuple[str, float]]:
        """What can be chosen."""
        return list(_LEVELS.items())


def parse_options(query: QueryDict) -> ResultsOptions:
    """Read the options of all tabs; what is unknown becomes the default, with a notice that names it."""
    notices = []
    method, level = query.get("method", "wilson"), query.get("level", ".95").removeprefix("0")
    if method not in METHODS:
        notices.append(_("There is no interval method “%(method)s”. Wilson is shown.") % {"method": method[:_LONGEST]})
        method = "wilson"
    if level in {".8", ".9"}:
        level += "0"
    if level not in _LEVELS:
        notices.append(_("There is no confidence level “%(level)s”. 95%% is shown.") % {"level": level[:_LONGEST]})
        level = ".95"
    forged, refused = _forged(query.get("forged", ""))
    return ResultsOptions(
        method,
        level,
        (*notices, *refused),
        simultaneous=query.get("simultaneous") == "1",
        forged=forged,
    )


def too_many_forged(options: ResultsOptions, n: int) -> list[str]:
    """Return what is to be said where more reports are taken to be forged than there are."""
    if options.forged is None or options.forged <= n:
        return []
    return [_("There are %(n)s answers: more cannot be forged.") % {"n": n}]


def _forged(text: str) -> tuple[int | None, list[str]]:
    """Read how many reports are taken to be forged; nothing stands for one of a hundred."""
    if not text:
        return None, []
    if forged := whole_number_of(text):
        return forged, []
    return None, [
        _("“%(number)s” is no number of forged answers. One of a hundred is shown.") % {"number": text[:_LONGEST]}
    ]
