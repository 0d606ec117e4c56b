"""The addresses of a survey's results; those of the tabs come from their list."""

from django.urls import URLPattern, URLResolver, include, path

from surveys.common.on_demand import Views
from surveys.results.pages import OVERVIEW, QUESTION, TABS

tabs, receipt = Views("surveys.results.tabs"), Views("surveys.results.pages.receipt")
_RESULTS = "surveys/<str:code>/results/"
_DOORS = (
    "s/<str:code>/",
    "s/<str:code>/i/<str:token>/",
    "s/<str:code>/<str:group>/",
    "s/<str:code>/<str:group>/i/<str:token>/",
)

urlpatterns: list[URLPattern | URLResolver] = [
    path(_RESULTS, tabs.survey_results, name=OVERVIEW.name),
    path(f"{_RESULTS}figures/", tabs.survey_figures, name="survey-figures"),
    *(
        path(_RESULTS + tab.route, tabs.survey_tab, {"tab": tab.name}, name=tab.name)
        for tab in [*TABS, QUESTION]
        if tab is not OVERVIEW
    ),
    *(path(door, include([path("receipt/result/", receipt.receipt_result, name="receipt-result")])) for door in _DOORS),
]
