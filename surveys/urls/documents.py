"""Surveys as documents: starting from one, importing, exporting, duplicating."""

from django.urls import URLPattern, path

from surveys.views.authoring import documents, importing, starting

urlpatterns: list[URLPattern] = [
    path("surveys/new/", starting.survey_start, name="survey-start"),
    path("surveys/new/from/<slug:key>/", starting.survey_start_from, name="survey-start-from"),
    path("surveys/import/", importing.survey_import, name="survey-import"),
    path("surveys/<str:code>/duplicate/", documents.survey_duplicate, name="survey-duplicate"),
    path("surveys/<str:code>/survey.json", documents.survey_document, name="survey-document"),
]
