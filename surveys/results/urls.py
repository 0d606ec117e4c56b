"""The results of a survey: a line a tab, which puts it into the navigation too."""

from collections.abc import Callable

from django.http.response import HttpResponseBase
from django.urls import URLPattern, URLResolver, include, path
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from surveys.results import views
from surveys.results.beliefs.views import survey_results_bayes
from surveys.results.groups.views import survey_results_groups
from surveys.results.methods.views import survey_results_methods
from surveys.results.planning.views import survey_results_plan
from surveys.results.question.views import survey_results_question
from surveys.results.receipt.views import receipt_result
from surveys.results.regression.views import survey_results_regression
from surveys.results.relate.views import survey_results_relate
from surveys.results.weights.views import can_be_weighted, survey_results_weights

_RESULTS = "surveys/<str:code>/results/"
_EXPLORE = "survey-results-relate"
_DOORS = (
    "s/<str:code>/",
    "s/<str:code>/i/<str:token>/",
    "s/<str:code>/<str:group>/",
    "s/<str:code>/<str:group>/i/<str:token>/",
)

views.ENTRIES[_EXPLORE] = [(_EXPLORE, _("Two questions"))]
views.CONDITIONS["survey-results-weights"] = can_be_weighted


def _tab(route: str, view: Callable[..., HttpResponseBase], name: str, label: Promise) -> URLPattern:
    views.TABS.append((name, label))
    return path(f"{_RESULTS}{route}", view, name=name)


def _entry(route: str, view: Callable[..., HttpResponseBase], name: str, label: Promise, *, tab: str) -> URLPattern:
    views.ENTRIES.setdefault(tab, []).append((name, label))
    return path(f"{_RESULTS}{route}", view, name=name)


urlpatterns: list[URLPattern | URLResolver] = [
    _tab("", views.survey_results, "survey-results", _("Overview")),
    _tab("groups/", survey_results_groups, "survey-results-groups", _("Compare")),
    _tab("relate/", survey_results_relate, "survey-results-relate", _("Explore")),
    _entry("regression/", survey_results_regression, "survey-results-regression", _("Regression"), tab=_EXPLORE),
    _tab("weights/", survey_results_weights, "survey-results-weights", _("Weights")),
    _tab("bayes/", survey_results_bayes, "survey-results-bayes", _("What one answer reveals")),
    _tab("plan/", survey_results_plan, "survey-results-plan", _("Plan")),
    _tab("methods/", survey_results_methods, "survey-results-methods", _("Methods")),
    path(f"{_RESULTS}figures/", views.survey_figures, name="survey-figures"),
    path(f"{_RESULTS}questions/<int:number>/", survey_results_question, name="survey-results-question"),
    *(path(door, include([path("receipt/result/", receipt_result, name="receipt-result")])) for door in _DOORS),
]
