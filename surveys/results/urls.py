"""The addresses of a survey's results; those of the tabs come from their list."""

from django.urls import URLPattern, URLResolver, include, path

from surveys.results.pages.receipt import receipt_result
from surveys.results.tabs import OVERVIEW, QUESTION, TABS, survey_figures, survey_results

_RESULTS = "surveys/<str:code>/results/"
_DOORS = (
    "s/<str:code>/",
    "s/<str:code>/i/<str:token>/",
    "s/<str:code>/<str:group>/",
    "s/<str:code>/<str:group>/i/<str:token>/",
)

urlpatterns: list[URLPattern | URLResolver] = [
    path(_RESULTS, survey_results, name=OVERVIEW.name),
    path(f"{_RESULTS}figures/", survey_figures, name="survey-figures"),
    *(path(_RESULTS + tab.route, tab.view(), name=tab.name) for tab in [*TABS, QUESTION] if tab is not OVERVIEW),
    *(path(door, include([path("receipt/result/", receipt_result, name="receipt-result")])) for door in _DOORS),
]
