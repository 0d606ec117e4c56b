"""How results are to be computed, from the query string."""

from dataclasses import dataclass

from django.http import QueryDict
from django.utils.translation import gettext as _

from surveys.selectors.results import LEVELS, METHODS, method_label

_LEVELS = {f"{level:.2f}"[1:]: level for level in LEVELS}


@dataclass(frozen=True, slots=True)
class ResultsOptions:
    """Interval method and confidence level; `notices` say in words what was asked for and does not exist."""

    method: str
    level: str
    notices: tuple[str, ...]

    @property
    def confidence_level(self) -> float:
        """The level as a number."""
        return _LEVELS[self.level]

    @property
    def method_label(self) -> str:
        """The method as people call it."""
        return method_label(self.method)

    @property
    def methods(self) -> list[tuple[str, str]]:
        """What can be chosen."""
        return [(method, method_label(method)) for method in METHODS]

    @property
    def levels(self) -> list[tuple[str, str]]:
        """What can be chosen."""
        return [(written, f"{level:.0%}") for written, level in _LEVELS.items()]


def parse_options(query: QueryDict) -> ResultsOptions:
    """Read `method` and `level`; what is unknown becomes the default, with a notice that names it."""
    notices = []
    method, level = query.get("method", "wilson"), query.get("level", ".95").removeprefix("0")
    if method not in METHODS:
        notices.append(_("There is no interval method “%(method)s”. Wilson is shown.") % {"method": method[:40]})
        method = "wilson"
    if level not in _LEVELS:
        notices.append(_("There is no confidence level “%(level)s”. 95%% is shown.") % {"level": level[:40]})
        level = ".95"
    return ResultsOptions(method, level, tuple(notices))
