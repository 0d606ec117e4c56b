"""The tabs of the results: the address and the name of each, and what there has to be for it."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from importlib import import_module
from typing import TYPE_CHECKING, Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

if TYPE_CHECKING:
    from surveys.results.report import Report


class Needs(StrEnum):
    """What there has to be for a page to show anything."""

    RESPONSES = "responses"
    ITEMS = "items"  # a question of which anything is shown
    SHARES = "shares"  # one whose answers have shares


@dataclass(frozen=True)
class Tab:
    """A page of the results: its address, what it is called, and its file here, after which its template is named."""

    name: str
    route: str
    label: Promise | str
    page: str
    needs: Needs = Needs.RESPONSES
    under: str = ""  # the tab whose entry it is
    entry: Promise | str = ""  # what a tab with entries is called among them
    offered: "Callable[[Report], bool]" = lambda _report: True  # which surveys have it
    by_method: bool = False  # whether its intervals are by the method that is chosen

    @property
    def build(self) -> Callable[..., dict[str, Any]]:
        """The function that returns its template's context; it is loaded once somebody wants to see it."""
        build: Callable[..., dict[str, Any]] = import_module(f"{__name__}.{self.page}").build
        return build

    @property
    def template(self) -> str:
        return f"results/{self.page}.html"


_TWO, _MORE = "survey-results-relate", "survey-results-plan"
OVERVIEW = Tab("survey-results", "", _("Results"), "overview", by_method=True)
QUESTION = Tab(
    "survey-results-question", "questions/<int:number>/", "", "question", under=OVERVIEW.name, by_method=True
)
TABS = [
    OVERVIEW,
    Tab(
        "survey-results-groups",
        "groups/",
        pgettext_lazy("results", "By group"),
        "groups",
        Needs.SHARES,
        by_method=True,
    ),
    Tab(_TWO, "relate/", _("Two questions"), "relate", Needs.SHARES),
    Tab("survey-results-regression", "regression/", _("Regression"), "regression", Needs.SHARES, under=_TWO),
    Tab("survey-results-bayes", "bayes/", _("Privacy"), "privacy", Needs.SHARES),
    Tab(_MORE, "plan/", _("More"), "plan", Needs.ITEMS, entry=_("Plan")),
    Tab(
        "survey-results-weights",
        "weights/",
        _("Weights"),
        "weights",
        under=_MORE,
        offered=lambda report: report.can_be_weighted,
    ),
    Tab("survey-results-methods", "methods/", _("Methods"), "methods", under=_MORE, by_method=True),
]
