"""Sharing a survey and presenting it to a class."""

from django.urls import URLPattern, path

from surveys.presenting import views as presenting_views
from surveys.sharing import views as sharing_views

urlpatterns: list[URLPattern] = [
    path("surveys/<str:code>/share/", sharing_views.survey_share, name="survey-share"),
    path("surveys/<str:code>/qr.svg", sharing_views.survey_qr, name="survey-qr"),
    path("surveys/<str:code>/poster/", sharing_views.survey_poster, name="survey-poster"),
    path("surveys/<str:code>/present/", presenting_views.survey_present, name="survey-present"),
    path("surveys/<str:code>/present/live/", presenting_views.survey_present_live, name="survey-present-live"),
]
