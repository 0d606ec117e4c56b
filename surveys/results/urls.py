"""The results of a survey, a line a tab."""

from django.urls import URLPattern, path

from surveys.results import views
from surveys.results.beliefs import views as beliefs_views
from surveys.results.groups import views as groups_views
from surveys.results.methods import views as methods_views
from surveys.results.planning import views as planning_views
from surveys.results.question import views as question_views
from surveys.results.regression import views as regression_views
from surveys.results.relate import views as relate_views

urlpatterns: list[URLPattern] = [
    path("surveys/<str:code>/results/", views.survey_results, name="survey-results"),
    path("surveys/<str:code>/results/figures/", views.survey_figures, name="survey-figures"),
    path(
        "surveys/<str:code>/results/questions/<int:number>/",
        question_views.survey_results_question,
        name="survey-results-question",
    ),
    path("surveys/<str:code>/results/groups/", groups_views.survey_results_groups, name="survey-results-groups"),
    path("surveys/<str:code>/results/relate/", relate_views.survey_results_relate, name="survey-results-relate"),
    path(
        "surveys/<str:code>/results/regression/",
        regression_views.survey_results_regression,
        name="survey-results-regression",
    ),
    path("surveys/<str:code>/results/bayes/", beliefs_views.survey_results_bayes, name="survey-results-bayes"),
    path("surveys/<str:code>/results/plan/", planning_views.survey_results_plan, name="survey-results-plan"),
    path("surveys/<str:code>/results/methods/", methods_views.survey_results_methods, name="survey-results-methods"),
]
