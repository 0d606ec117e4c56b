"""Sharing a survey and presenting it to a class."""

from django.urls import URLPattern, path

from surveys.common.on_demand import Views

presenting, sharing = Views("surveys.presenting.views"), Views("surveys.sharing.views")

urlpatterns: list[URLPattern] = [
    path("surveys/<str:code>/share/", sharing.survey_share, name="survey-share"),
    path("surveys/<str:code>/qr.svg", sharing.survey_qr, name="survey-qr"),
    path("surveys/<str:code>/poster/", sharing.survey_poster, name="survey-poster"),
    path("surveys/<str:code>/present/", presenting.survey_present, name="survey-present"),
    path("surveys/<str:code>/present/live/", presenting.survey_present_live, name="survey-present-live"),
]
