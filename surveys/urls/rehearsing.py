"""Rehearsing with simulated respondents."""

from django.urls import URLPattern, path

from surveys.views import rehearsing

urlpatterns: list[URLPattern] = [
    path("surveys/<str:code>/rehearse/", rehearsing.survey_rehearse, name="survey-rehearse"),
    path("surveys/<str:code>/rehearse/step/", rehearsing.survey_rehearse_step, name="survey-rehearse-step"),
    path("surveys/<str:code>/rehearse/leave/", rehearsing.survey_rehearse_leave, name="survey-rehearse-leave"),
]
