"""The files of a survey, their description for programs, and the ethics packet."""

from django.urls import URLPattern, path

from surveys.common.on_demand import Views

views = Views("surveys.exporting.views")

_AT = "surveys/<str:code>/export/"
_reports, _figures, _program = views.survey_export_reports, views.survey_export_figures, views.survey_export_program
_weights = views.survey_export_weights

urlpatterns: list[URLPattern] = [
    path(_AT, views.survey_export, name="survey-export"),
    path(f"{_AT}responses.csv", _reports, {"file": "csv"}, name="survey-export-csv"),
    path(f"{_AT}labels.csv", _reports, {"file": "labels"}, name="survey-export-labels"),
    path(f"{_AT}responses.json", _reports, {"file": "json"}, name="survey-export-json"),
    path(f"{_AT}figures.csv", _figures, {"file": "csv"}, name="survey-export-figures-csv"),
    path(f"{_AT}figures.json", _figures, {"file": "json"}, name="survey-export-figures-json"),
    path(f"{_AT}codebook/", views.survey_export_codebook, name="survey-export-codebook"),
    path(f"{_AT}codebook.csv", views.survey_export_codebook_csv, name="survey-export-codebook-csv"),
    path(f"{_AT}analysis.R", _program, {"file": "r"}, name="survey-export-r"),
    path(f"{_AT}analysis.py", _program, {"file": "python"}, name="survey-export-python"),
    path(f"{_AT}analysis.ipynb", _program, {"file": "notebook"}, name="survey-export-notebook"),
    path(f"{_AT}responses.sps", views.survey_export_syntax, {"file": "spss"}, name="survey-export-spss"),
    path(f"{_AT}responses.do", views.survey_export_syntax, {"file": "stata"}, name="survey-export-stata"),
    path(f"{_AT}deposit.zip", views.survey_export_deposit, name="survey-export-deposit"),
    path(f"{_AT}weights.R", _weights, {"language": "R"}, name="survey-export-weights-r"),
    path(f"{_AT}weights.py", _weights, {"language": "py"}, name="survey-export-weights-python"),
    path("api/openapi.json", views.api_document, name="api-document"),
    path("surveys/<str:code>/ethics/", views.survey_ethics, name="survey-ethics"),
]
