"""Surveys as documents: starting from one, importing, exporting, duplicating."""

from django.urls import URLPattern, path

from surveys.common.on_demand import Views

views = Views("surveys.documents.views")

urlpatterns: list[URLPattern] = [
    path("surveys/new/", views.survey_start, name="survey-start"),
    path("surveys/new/from/<slug:key>/", views.survey_start_from, name="survey-start-from"),
    path("surveys/import/", views.survey_import, name="survey-import"),
    path("surveys/<str:code>/duplicate/", views.survey_duplicate, name="survey-duplicate"),
    path("surveys/<str:code>/survey.json", views.survey_document, name="survey-document"),
]
