"""Rehearsing with simulated respondents."""

from django.urls import URLPattern, path

from surveys.common.on_demand import Views

views = Views("surveys.rehearsing.views")

urlpatterns: list[URLPattern] = [
    path("surveys/<str:code>/rehearse/", views.survey_rehearse, name="survey-rehearse"),
    path("surveys/<str:code>/rehearse/step/", views.survey_rehearse_step, name="survey-rehearse-step"),
    path("surveys/<str:code>/rehearse/leave/", views.survey_rehearse_leave, name="survey-rehearse-leave"),
]
